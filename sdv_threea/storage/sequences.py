"""Sequences as two tables: a row per sequence, and the rows of the sequences.

The table of sequences has the key and the columns that do not vary in a sequence. The other table
has the key and the remaining columns; the database models the order of its rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.keys import find_rows
from sdv_threea.rows.partitions import check_parts
from sdv_threea.storage.division import find_firsts, keep_firsts
from sdv_threea.storage.reading import PrivateTable

#: The error for a table without a sequence key.
NO_KEY = (
    "The metadata of the table '{}' must have a sequence_key of one column (see "
    'Metadata.set_sequence_key), which says which rows are of one sequence.'
)


@dataclass(frozen=True)
class Sequences:
    """The columns of a table of sequences: public facts.

    Args:
        table: The name of the table, and of the table of its rows.
        index: The column that orders the rows of a sequence; ``None`` for the order of the table.
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
    def own(self) -> tuple[str, ...]:
        """The columns that may vary in a sequence."""
        others = (self.key, *self.context)
        return tuple(name for name in self.columns if name not in others)

    def describe(self) -> Metadata:
        """Return the public metadata of both tables."""
        above = {name: dict(self.columns[name]) for name in (self.key, *self.context)}
        rows = {name: dict(self.columns[name]) for name in (self.key, *self.own)}
        order = {'sequence_key': self.key}
        if self.index is not None:
            order['sequence_index'] = self.index
        for name in order.values():
            rows[name]['range_is_nullable'] = False
        keyed = {'primary_key': self.primary} if self.primary else {}
        return Metadata.load_from_dict(
            {
                'tables': {
                    self.parent: {'columns': above, 'primary_key': self.key},
                    self.table: {'columns': rows, **keyed, **order},
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

    def split(self, table: PrivateTable) -> dict[str, Any]:
        """Split a private table into sequences and their rows, in memory if the table is.

        Formal guarantees:
            * which rows are of one sequence depends on the stored cells of their keys alone
            * a row of the table of sequences is the first row of one sequence, in the order of the
              table
        """
        above, below = [self.key, *self.context], [self.key, *self.own]
        if table.whole is not None:
            with guarded():
                firsts, _, flawed = keep_firsts(self.key, table.take(above))
            found: dict[str, Any] = {self.parent: firsts, self.table: table.take(below)}
            num_sequences = len(firsts)
        else:
            stored = {self.key: table.header[self.key].dtype}
            checked = table.rows.map(partial(check_parts, stored))
            rows, flawed = find_firsts(self.key, checked.map(itemgetter(above)))
            num_sequences, below_rows = rows.sum(len), checked.map(itemgetter(below))
            found = {
                self.parent: table.part(above, rows),
                self.table: table.part(below, below_rows),
            }
        if not num_sequences:
            raise InvalidDataError(['The table has no rows: there is nothing to learn from.'])
        if self.key in flawed:
            raise InvalidDataError(
                [f"The sequence key '{self.key}' has missing or invalid values."]
            )
        if flawed:
            varying = [name for name in self.context if name in flawed]
            raise InvalidDataError(
                [
                    f'The context columns {varying} vary within a sequence: leave them out of '
                    'context_columns.'
                ]
            )
        return found

    def join(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        """Join both sampled tables, with the columns in the order of the metadata."""
        above, rows = tables[self.parent], tables[self.table]
        owners = find_rows(rows[[self.key]], above[[self.key]])
        found = {name: rows[name].reset_index(drop=True) for name in (self.key, *self.own)}
        for name in self.context:
            found[name] = above[name].iloc[owners].reset_index(drop=True)
        return pd.DataFrame({name: found[name] for name in self.columns}, copy=False)


def read_sequences(metadata: Metadata, context: Sequence[str]) -> Sequences:
    """Return the sequences that SDV's metadata of one table describes, without private facts."""
    if len(metadata.tables) != 1:
        raise SynthesizerInputError(
            f'Sequences are rows of one table, and the metadata has {list(metadata.tables)}.'
        )
    ((table, described),) = metadata.tables.items()
    key, index = described.sequence_key, described.sequence_index
    if not isinstance(key, str):
        raise SynthesizerInputError(NO_KEY.format(table))
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
