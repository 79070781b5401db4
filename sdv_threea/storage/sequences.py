"""Sequences as two tables: a row per sequence, and the rows of the sequences in order.

The table of sequences has the key, the columns that do not vary in a sequence, and the first index.
The other table has the remaining columns, and in place of the index the *gap* to the row before: a
number, or a date as far after the start of 2000. The gap of a first row is that of the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.cells import MISSING_PLACE
from sdv_threea.rows.intake.columns import LARGEST_NUMBER, find_moments, find_numbers
from sdv_threea.rows.intake.dates import YEAR_2000, to_seconds
from sdv_threea.rows.intake.keys import find_rows, number_keys
from sdv_threea.storage.metadata import TIME_OF_DAY
from sdv_threea.storage.writing import fit_into, from_seconds

#: The formats of gaps between dates with a time of day and without, and the gap of zero in them.
CLOCK, CALENDAR, NO_TIME = '%Y-%m-%d %H:%M:%S', '%Y-%m-%d', '2000-01-01'

#: The longest gap between two dates, in microseconds: two hundred years.
LONGEST = 200 * 365 * 86_400 * 10**6

#: The largest gap between two whole numbers: larger ones may not fit into 64 bits.
LARGEST_WHOLE = 2**62


@dataclass(frozen=True)
class Sequences:
    """The columns of a table of sequences: public.

    Args:
        table: The name of the table, which is also that of the rows.
        parent: The name of the table of sequences.
        columns: SDV's metadata of the columns, without private facts.
        key: The sequence key.
        index: The column that orders the rows of a sequence; ``None`` if their order is that of
            the table.
        context: The columns that do not vary in a sequence.
        primary: The primary key of the rows, if any.
    """

    table: str
    parent: str
    columns: Mapping[str, Mapping[str, Any]]
    key: str
    index: str | None
    context: tuple[str, ...]
    primary: str | None = None

    @property
    def first(self) -> str:
        """The column of the first index of a sequence."""
        return self._name(f'first {self.index}')

    @property
    def gap(self) -> str:
        """The column of the gap to the row before."""
        return self._name(f'gap of {self.index}')

    @property
    def own(self) -> tuple[str, ...]:
        """The columns of the rows that are modelled row by row, without key and index."""
        others = (self.key, self.index, *self.context)
        return tuple(name for name in self.columns if name not in others)

    @property
    def is_dated(self) -> bool:
        """True if the index is a date."""
        return self.index is not None and self.columns[self.index]['sdtype'] == 'datetime'

    def describe(self) -> Metadata:
        """Return the metadata of both tables, all of which is public."""
        above = {name: dict(self.columns[name]) for name in (self.key, *self.context)}
        rows = {name: dict(self.columns[name]) for name in (self.key, *self.own)}
        rows[self.key] = {**rows[self.key], 'range_is_nullable': False}
        if self.index is not None:
            above[self.first] = {**self.columns[self.index], 'range_is_nullable': False}
            rows[self.gap] = self._describe_gap(self.columns[self.index])
        keyed = {'primary_key': self.primary} if self.primary else {}
        return Metadata.load_from_dict(
            {
                'tables': {
                    self.parent: {'columns': above, 'primary_key': self.key},
                    self.table: {'columns': rows, **keyed},
                },
                'relationships': [
                    {
                        'parent_table_name': self.parent,
                        'parent_primary_key': self.key,
                        'child_table_name': self.table,
                        'child_foreign_key': self.key,
                    }
                ],
            }
        )

    def split(self, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return both tables of a private table, with the rows of a sequence in order.

        Formal guarantees:
            * which rows are of one sequence depends on the stored cells of their keys alone
            * a row of the table of sequences, and the row and the gap of a row, are a function of
              the rows of one sequence, in the order of the table

        Raises:
            InvalidDataError: If a key or an index is missing or unreadable, or a context column
                varies within a sequence. No message shows a value.
        """
        with guarded():
            numbers = number_keys([table[[self.key]]])[0]
            values, readable = self._read_index(table)
        if (numbers <= MISSING_PLACE).any():
            raise InvalidDataError(
                [f"The sequence key '{self.key}' has missing or invalid values."]
            )
        if not readable:
            raise InvalidDataError(
                [f"The sequence index '{self.index}' has missing or invalid values."]
            )
        with guarded():
            order = np.lexsort((values, numbers))
            rows = table.iloc[order].reset_index(drop=True)
            starts = np.diff(numbers[order], prepend=-1) != 0
            varying = self._find_varying(rows, numbers[order])
        if varying:
            raise InvalidDataError(
                [
                    f'The context columns {varying} vary within a sequence: leave them out of '
                    'context_columns.'
                ]
            )
        with guarded():
            firsts = rows[starts].reset_index(drop=True)
            above, below = firsts[[self.key, *self.context]], rows[[self.key, *self.own]]
            if self.index is not None:
                gaps = self._find_gaps(values[order], starts, rows[self.index].dtype)
                above = above.assign(**{self.first: firsts[self.index]})
                below = below.assign(**{self.gap: gaps})
            return {self.parent: above, self.table: below}

    def join(self, tables: Mapping[str, pd.DataFrame], steps: Sequence[float]) -> pd.DataFrame:
        """Return one table of both sampled ones, with the columns in the order of the metadata.

        ``steps`` are the granularities of the first index and of the gaps; 0 if continuous.
        """
        above, rows = tables[self.parent], tables[self.table]
        owners = find_rows(rows[[self.key]], above[[self.key]])
        found = {name: rows[name].reset_index(drop=True) for name in (self.key, *self.own)}
        for name in self.context:
            found[name] = above[name].iloc[owners].reset_index(drop=True)
        if self.index is not None:
            found[self.index] = self._add_gaps(above[self.first], rows[self.gap], owners, steps)
        return pd.DataFrame({name: found[name] for name in self.columns}, copy=False)

    def _name(self, name: str) -> str:
        while name in self.columns:
            name = f'_{name}'
        return name

    def _describe_gap(self, index: Mapping[str, Any]) -> dict[str, Any]:
        """Describe the gap by public facts: it is not negative, and not longer than the range."""
        known: dict[str, Any] = {'sdtype': index['sdtype'], 'range_is_nullable': False}
        if not self.is_dated:
            places = index.get('decimal_places')
            known |= {} if places is None else {'decimal_places': places}
            return {**known, 'range_min': 0}
        template = index.get('datetime_format')
        timed = template is None or any(part in template for part in TIME_OF_DAY)
        start = f'{NO_TIME} 00:00:00' if timed else NO_TIME
        return {**known, 'datetime_format': CLOCK if timed else CALENDAR, 'range_min': start}

    def _read_index(self, table: pd.DataFrame) -> tuple[NDArray[Any], bool]:
        """Return the index as numbers or microseconds, and whether all of it could be read."""
        if self.index is None:
            return np.zeros(len(table)), True
        column = table[self.index]
        if self.is_dated:
            moments = find_moments(column, self.columns[self.index].get('datetime_format'))
            return moments, not np.isnan(to_seconds(moments)).any()
        numbers = find_numbers(column).values  # noqa: PD011 (no pandas)
        return numbers, bool(np.isfinite(numbers).all())

    def _find_varying(self, rows: pd.DataFrame, numbers: NDArray[np.int64]) -> list[str]:
        """Return the context columns that vary within a sequence; rows are in order."""
        same = numbers[1:] == numbers[:-1]
        found = []
        for name in self.context:
            codes = number_keys([rows[[name]]])[0]
            if (same & (codes[1:] != codes[:-1])).any():
                found.append(name)
        return found

    def _find_gaps(self, values: NDArray[Any], starts: NDArray[np.bool_], dtype: Any) -> pd.Series:
        """Return the gap to the row before; that of a first row is the one of the second.

        Gaps between valid indices are valid: larger gaps are clipped to the largest allowed one.
        """
        gaps = np.diff(values, prepend=values[:1])
        gaps[starts] = 0
        second = np.flatnonzero(starts[:-1] & ~starts[1:])
        gaps[second] = gaps[second + 1]
        if not self.is_dated:
            whole = pd.api.types.is_integer_dtype(dtype)
            largest, dtype = (LARGEST_WHOLE, np.int64) if whole else (LARGEST_NUMBER, np.float64)
            return pd.Series(np.minimum(gaps, largest).astype(dtype))
        moments = YEAR_2000 + np.minimum(gaps, LONGEST)
        return pd.Series(moments.astype('datetime64[us]').astype('datetime64[ns]'))

    def _add_gaps(
        self,
        first: pd.Series,
        gaps: pd.Series,
        owners: NDArray[np.int64],
        steps: Sequence[float],
    ) -> pd.Series:
        """Return the index of sampled rows: the first one of the sequence, and all gaps since."""
        assert self.index is not None
        known = self.columns[self.index]
        template = known.get('datetime_format')
        starts, passed = self._read_sampled(first, template), self._read_sampled(gaps, CLOCK)
        begins = np.diff(owners, prepend=-1) != 0
        passed[begins] = 0.0
        total = np.cumsum(passed)
        ends = np.maximum.accumulate(np.where(begins, np.arange(len(total)), 0))
        values = starts[owners] + total - total[ends]
        bound = known.get('range_max')
        if bound is not None:
            values = np.minimum(values, self._read_sampled(pd.Series([bound]), template)[0])
        step = min(steps, default=0.0)
        values = np.round(np.rint(values / step) * step, 12) if step else values
        if self.is_dated:
            return from_seconds(values, first.dtype, template, step)
        return fit_into(pd.Series(values), first.dtype, step).astype(first.dtype)

    def _read_sampled(self, column: pd.Series, template: str | None) -> NDArray[np.float64]:
        if self.is_dated:
            return to_seconds(find_moments(column, template))
        return find_numbers(column).values.astype(np.float64)  # noqa: PD011 (no pandas)


def read_sequences(metadata: Metadata, context: Sequence[str]) -> Sequences:
    """Return the sequences that SDV's metadata of one table describes, without private facts.

    Raises:
        SynthesizerInputError: If there are several tables or no sequence key, or a context column
            is none of the others.
    """
    if len(metadata.tables) != 1:
        raise SynthesizerInputError(
            f'Sequences are rows of one table, and the metadata has {list(metadata.tables)}.'
        )
    ((table, described),) = metadata.tables.items()
    key, index = described.sequence_key, described.sequence_index
    if not isinstance(key, str):
        raise SynthesizerInputError(
            f"The metadata of the table '{table}' must have a sequence_key of one column (see "
            'Metadata.set_sequence_key), which says which rows are of one sequence.'
        )
    listed = isinstance(context, list | tuple) and all(isinstance(each, str) for each in context)
    if not listed:
        raise SynthesizerInputError(
            f'context_columns must be a list of columns that do not vary in a sequence, got '
            f'{context!r}.'
        )
    allowed = [
        name for name in described.columns if name not in (key, index, described.primary_key)
    ]
    if unknown := [name for name in context if name not in allowed]:
        raise SynthesizerInputError(
            f'context_columns names {unknown}: it may name columns of {allowed}.'
        )
    parent = '_sequences' if table == 'sequences' else 'sequences'
    primary = described.primary_key if isinstance(described.primary_key, str) else None
    own = tuple(name for name in described.columns if name in context)
    return Sequences(table, parent, described.columns, key, index, own, primary)
