"""Proposed facts of the columns of tables, of metadata or public rows, as a data dictionary."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.metadata.column_facts import FACTS, SDTYPE, Question, StatedColumn, fitting
from sdv_threea.names import printable

if TYPE_CHECKING:
    from sdv.metadata import Metadata

#: The titles of the lists of open questions.
NEEDED = 'State by hand. Until then these columns are made up, and not learned:'
HELPFUL = 'State these too, as far as they are public. Stated facts cost no privacy:'

#: Fields of a column that another source of facts may fill in.
FILLED = (*(fact.field for fact in FACTS), 'references')

#: The columns of a data dictionary with facts.
TITLES = ('min', 'max', 'decimals', 'values', 'missing', 'format')

#: Entries of SDV's metadata that are dropped: ``pii`` follows from the sdtype, and
#: ``high_cardinality`` from the list of values.
DROPPED = ('pii', 'high_cardinality')


@dataclass(frozen=True)
class Proposal:
    """Proposed facts of the columns of tables, and the open questions. ``print`` shows it.

    A proposal holds only facts that its sources state, and is made without a private row.

    Args:
        tables: The columns by table.
        sources: The sources that were read, in sentences.
    """

    tables: Mapping[str, tuple[StatedColumn, ...]]
    sources: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[str, StatedColumn]]:
        """Yield the name of the table and the column, for each column."""
        for table, columns in self.tables.items():
            for column in columns:
                yield table, column

    @property
    def questions(self) -> dict[tuple[str, str], tuple[Question, ...]]:
        """The open questions, by table and column."""
        return {(table, each.name): each.questions for table, each in self if each.questions}

    def to_metadata(self) -> Metadata:
        """Return the proposal as valid SDV metadata.

        Synthesizers use its ranges, values, decimals and nullability only with
        ``public_metadata=True``. A column without an sdtype is ``unknown``, and never read.

        Raises:
            InputError: If stated facts contradict each other.
        """
        from sdv.metadata import Metadata
        from sdv.metadata.errors import InvalidMetadataError

        try:
            metadata = Metadata.load_from_dict(self._to_dict())
            metadata.validate()
        except (InvalidMetadataError, ValueError, TypeError) as error:
            raise InputError(f'Stated facts contradict each other: {error}') from None
        return metadata

    def to_dictionary(self) -> pd.DataFrame:
        """Return a data dictionary to fill in, which ``propose_from_dictionary`` reads again."""
        return pd.DataFrame([_to_row(table, column) for table, column in self], dtype=object)

    def told(self, other: Proposal) -> Proposal:
        """Return the proposal with the facts of another one, which win if both state a fact.

        Args:
            other: Another source, such as a data dictionary. If both proposals have one table, the
                tables count as the same one, whatever their names.

        Returns:
            The columns of this proposal, in their order.

        Raises:
            InputError: If the other proposal has none of the columns.
        """
        theirs = dict(other.tables)
        if len(self.tables) == len(theirs) == 1:
            theirs = dict(zip(self.tables, theirs.values(), strict=True))
        stated = {(table, each.name): each for table, own in theirs.items() for each in own}
        known = {(table, each.name) for table, each in self}
        if not known & set(stated):
            raise InputError(
                f'The data dictionary has none of the columns {[name for _, name in known]}: it '
                f'has {[name for _, name in stated]}.'
            )
        tables = {
            table: tuple(_merge(each, stated.get((table, each.name))) for each in columns)
            for table, columns in self.tables.items()
        }
        left = [name for table, name in stated if (table, name) not in known]
        said = [f'The data dictionary has columns that the table lacks: {left}.'] if left else []
        return Proposal(tables, (*self.sources, *other.sources, *said))

    def __str__(self) -> str:
        lines = []
        for table, columns in self.tables.items():
            lines.append(f'{table}: {len(columns)} columns')
            width = max((len(each.name) for each in columns), default=0)
            for each in columns:
                lines.append(f'  {each.name:<{width}}  {each}')
                lines += [f'  {"":<{width}}  note: {note}' for note in each.notes]
        for needed, title in ((True, NEEDED), (False, HELPFUL)):
            asked = [
                f'  {self._name(table, column)}: {"; ".join(each.said for each in questions)}'
                for (table, column), questions in self.questions.items()
                if any(each.needed == needed for each in questions)
            ]
            lines += [title, *asked] if asked else []
        return printable('\n'.join([*lines, *self.sources]))

    def _name(self, table: str, column: str) -> str:
        return column if len(self.tables) == 1 else f'{table}.{column}'

    def _to_dict(self) -> dict[str, object]:
        tables: dict[str, object] = {}
        for table, columns in self.tables.items():
            if len({each.name for each in columns}) < len(columns):
                raise InputError(f'Two columns of the table {table!r} have the same name.')
            described = {each.name: each.to_entry() for each in columns}
            keys = [each.name for each in columns if each.key]
            tables[table] = {'columns': described} | (
                {'primary_key': keys[0] if len(keys) == 1 else keys} if keys else {}
            )
        return {'tables': tables, 'relationships': list(self._relate())}

    def _relate(self) -> Iterator[dict[str, str]]:
        for table, column in self:
            if column.references is not None:
                parent, key = column.references
                yield {
                    'parent_table_name': parent,
                    'parent_primary_key': key,
                    'child_table_name': table,
                    'child_foreign_key': column.name,
                }


def _merge(own: StatedColumn, other: StatedColumn | None) -> StatedColumn:
    if other is None:
        return own
    facts = {name: getattr(other, name) for name in FILLED if getattr(other, name) is not None}
    facts |= {'key': own.key or other.key, 'notes': (*own.notes, *other.notes)}
    if other.sdtype is not None and (not other.guess or own.sdtype is None):
        facts |= {'sdtype': other.sdtype, 'guess': other.guess, 'more': other.more}
    return fitting(replace(own, **facts))


def _to_row(table: str, column: StatedColumn) -> dict[str, object]:
    told: dict[str, Any] = {fact.word: getattr(column, fact.field) for fact in FACTS}
    if told['values'] is not None:
        told['values'] = json.dumps(told['values'], ensure_ascii=False)
    told['missing'] = {True: 'yes', False: 'no', None: None}[told['missing']]
    asked = ', '.join(dict.fromkeys(question.fact for question in column.questions))
    return {
        'table': table,
        'name': column.name,
        'sdtype': column.sdtype,
        **{title: told[title] for title in TITLES},
        'key': 'yes' if column.key else None,
        'references': None if column.references is None else '.'.join(column.references),
        'to state': asked or None,
    }


def propose_from_public_rows(tables: Mapping[str, pd.DataFrame]) -> Proposal:
    """Propose metadata from public rows, in which SDV detects types, ranges and values.

    Never call it on private rows: the result holds their ranges and values. A public sample shows
    which cells can occur, but not which cannot. So the proposal states that cells may be missing
    only in columns where some are, and leaves the question open for others. Widen the ranges to
    those that the private table may have.

    Args:
        tables: Public rows by table.

    Raises:
        InputError: If the sample does not consist of tables.
    """
    if not isinstance(tables, Mapping) or not all(
        isinstance(each, pd.DataFrame) for each in tables.values()
    ):
        raise InputError('The public rows must be a dictionary of DataFrames by name of the table.')
    from sdv.metadata import Metadata

    copies = {name: each.copy() for name, each in tables.items()}  # SDV renames columns
    found = read_metadata(Metadata.detect_from_dataframes(copies).to_dict())
    described = {
        name: tuple(_leave_open(each, tables[name][each.name].dtype) for each in columns)
        for name, columns in found.tables.items()
    }
    said = 'Ranges and values are those of the rows that were declared public, and were all read'
    return Proposal(described, (f'{said}: widen them to those that the private table may have.',))


def read_metadata(described: Mapping[str, Any]) -> Proposal:
    """Return the facts of SDV's metadata (``Metadata.to_dict``) as a proposal."""
    references = {
        (each['child_table_name'], each['child_foreign_key']): (
            each['parent_table_name'],
            each['parent_primary_key'],
        )
        for each in described.get('relationships') or ()
    }
    tables = {}
    for table, about in described['tables'].items():
        keys = about.get('primary_key') or []
        keys = [keys] if isinstance(keys, str) else keys
        tables[table] = tuple(
            _read_entry(name, entry, name in keys, references.get((table, name)))
            for name, entry in about['columns'].items()
        )
    return Proposal(tables)


def _read_entry(
    name: str, entry: Mapping[str, Any], is_key: bool, references: tuple[str, str] | None
) -> StatedColumn:
    fields = {fact.entry: fact.field for fact in FACTS}
    facts: dict[str, Any] = {
        fields[fact]: tuple(each) if isinstance(each, list) else each
        for fact, each in entry.items()
        if fact in fields
    }
    known = (SDTYPE, *fields, *DROPPED)
    more = {fact: each for fact, each in entry.items() if fact not in known}
    sdtype = entry.get(SDTYPE)
    return StatedColumn(
        name=name,
        sdtype=None if sdtype == 'unknown' else sdtype,
        key=is_key,
        references=references,
        more=tuple(more.items()),
        **facts,
    )


def _leave_open(column: StatedColumn, dtype: Any) -> StatedColumn:
    """Remove facts that rows cannot show: that no cell is missing, the ends of an empty range."""
    from sdv_threea.storage.metadata import MOST_DECIMALS  # late: loads SDV

    ends = [None if _is_nothing(end) else end for end in (column.low, column.high)]
    typed = pd.api.types.is_datetime64_any_dtype(dtype)
    if typed:
        ends = [None if end is None else str(end) for end in ends]
    if pd.api.types.is_bool_dtype(dtype):
        column = fitting(replace(column, sdtype='boolean'))
    decimals = column.decimals
    return replace(
        column,
        low=ends[0],
        high=ends[1],
        nullable=column.nullable or None,
        decimals=None if decimals is None or decimals > MOST_DECIMALS else decimals,
        typed=bool(typed),
    )


def _is_nothing(end: object) -> bool:
    return end is None or end is pd.NaT or (isinstance(end, float) and not math.isfinite(end))
