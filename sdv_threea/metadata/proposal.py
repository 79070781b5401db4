"""Proposed facts of the columns of tables, as metadata or as a data dictionary to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.metadata.columns import Question, StatedColumn, fitting
from sdv_threea.names import printable

if TYPE_CHECKING:
    from sdv.metadata import Metadata

#: The titles above open facts.
NEEDED = 'State by hand. Until then these columns are made up, and not learned:'
HELPFUL = 'State these too, as far as they are public. What is stated costs no privacy:'

#: Fields of a column that another source of facts may fill in.
FACTS = ('low', 'high', 'values', 'nullable', 'decimals', 'template', 'references')


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
        ``public_metadata=True``. A column without an sdtype is ``unknown``: it is made up, and
        never read.

        Raises:
            InputError: If stated facts contradict each other.
        """
        from sdv.metadata import Metadata
        from sdv.metadata.errors import InvalidMetadataError

        try:
            metadata = Metadata.load_from_dict(self._to_dict())
            metadata.validate()
        except (InvalidMetadataError, ValueError, TypeError) as error:
            raise InputError(f'What is stated contradicts itself: {error}') from None
        return metadata

    def to_dictionary(self) -> pd.DataFrame:
        """Return the proposal as a data dictionary, with a line per column to be filled in.

        ``propose_from_dictionary`` reads it again.
        """
        return pd.DataFrame([_to_row(table, column) for table, column in self], dtype=object)

    def told(self, other: Proposal) -> Proposal:
        """Return the proposal, completed by another one, whose facts win where both have one.

        Args:
            other: Another source, such as a data dictionary. If both proposals have one table, the
                tables are taken for the same one, whatever their names.

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
        said = [f'The data dictionary has columns that the table has not: {left}.'] if left else []
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
    facts = {name: getattr(other, name) for name in FACTS if getattr(other, name) is not None}
    facts |= {'key': own.key or other.key, 'notes': (*own.notes, *other.notes)}
    if other.sdtype is not None and (not other.guess or own.sdtype is None):
        facts |= {'sdtype': other.sdtype, 'guess': other.guess, 'more': other.more}
    return fitting(replace(own, **facts))


def _to_row(table: str, column: StatedColumn) -> dict[str, object]:
    values, missing = column.values, {True: 'yes', False: 'no', None: None}  # noqa: PD011
    asked = ', '.join(dict.fromkeys(question.fact for question in column.questions))
    return {
        'table': table,
        'name': column.name,
        'sdtype': column.sdtype,
        'min': column.low,
        'max': column.high,
        'decimals': column.decimals,
        'values': None if values is None else json.dumps(values, ensure_ascii=False),
        'missing': missing[column.nullable],
        'format': column.template,
        'key': 'yes' if column.key else None,
        'references': None if column.references is None else '.'.join(column.references),
        'to state': asked or None,
    }
