"""Rules between the tables of a database, used like SDV's constraints.

Columns are named ``table.column``. Sampled rows are changed until they obey, so rules hold exactly
at any epsilon, and cost no privacy. No private row is read for them: private rows that break a rule
are fitted as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.constraints.expressions import Expression, parse
from sdv_threea.constraints.linked import Linked, Name, Path
from sdv_threea.constraints.moves import Bound, Choose, Compute, Copy, Part, Rank, join_bounds
from sdv_threea.constraints.stated import COUNTED, Stated, check_decimals
from sdv_threea.storage.relationships import as_columns

#: A foreign key as users name it: a column, several columns, or ``None`` for the only one.
Key = str | list[str] | None


class Relations:
    """The columns and foreign keys of metadata, by name; a wrong name is an input error."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata

    def find(self, text: str) -> Name:
        """Return the column that is named ``table.column``."""
        cuts = [at for at, sign in enumerate(text) if sign == '.']
        names = [Name(text[:at], text[at + 1 :]) for at in cuts]
        tables = self.metadata.tables
        found = [each for each in names if each.table in tables]
        found = [each for each in found if each.column in tables[each.table].columns]
        if len(found) != 1:
            raise SynthesizerInputError(
                f"There is no column {text!r}: rules between tables name columns 'table.column'."
            )
        return found[0]

    def get_sdtype(self, name: Name) -> str:
        """Return the sdtype of a column."""
        return str(self.metadata.tables[name.table].columns[name.column]['sdtype'])

    def relate(self, table: str, above: str, key: Key) -> Path | None:
        """Return the shortest path of foreign keys up to a table, if any, starting with ``key``."""
        paths = self._climb(table, above)
        if key is not None:
            paths = [each for each in paths if each[0][1] == as_columns(key)]
        fewest = [each for each in paths if len(each) == min(map(len, paths))]
        if len(fewest) > 1:
            keys = [list(each[0][1]) for each in fewest]
            raise SynthesizerInputError(
                f"Rows of '{table}' lead to '{above}' by several foreign keys, {keys}: choose one "
                'with foreign_key.'
            )
        return fewest[0] if fewest else None

    def lead(self, table: str, above: str, key: Key) -> Path:
        """Return :meth:`relate`'s path; an error if there is none."""
        path = self.relate(table, above, key) if above in self.metadata.tables else None
        if path is None:
            wanted = '' if key is None else f' that starts with {key!r}'
            raise SynthesizerInputError(
                f"No foreign key{wanted} leads from the table '{table}' to {above!r}."
            )
        return path

    def _climb(self, table: str, above: str, passed: tuple[str, ...] = ()) -> list[Path]:
        found: list[Path] = []
        for each in self.metadata.relationships:
            parent = each['parent_table_name']
            if each['child_table_name'] == table and parent not in passed:
                edge = table, as_columns(each['child_foreign_key'])
                rest = [()] if parent == above else self._climb(parent, above, (*passed, table))
                found += [(edge, *path) for path in rest]
        return found


class BetweenTables(Stated):
    """A rule between the tables of a database, or between rows that belong to one row."""

    _is_single_table = False
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the steps, or bounds, that make samples obey the rule."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(isinstance(each, str) for each in as_columns(self.foreign_key or '')):
            raise ValueError('`foreign_key` must be a column, or a list of columns.')

    def _validate_constraint_with_metadata(self, metadata: Metadata) -> None:
        self.list_parts(Relations(metadata))

    def _validate_constraint_with_data(self, data: Any, metadata: Metadata) -> None:
        """Check nothing: private rows may break the rule, and samples obey it."""

    def _is_valid(self, data: Any, metadata: Metadata) -> dict[str, pd.Series]:
        linked = Linked(dict(data), metadata)
        found = {name: np.ones(len(table), dtype=np.bool_) for name, table in data.items()}
        for move in join_bounds(self.list_parts(Relations(metadata)), {}):
            found[move.writes.table] &= move.judge(linked)
        return {name: pd.Series(each, data[name].index) for name, each in found.items()}


@dataclass(eq=False, repr=False)
class After(BetweenTables):
    """A date or number that is never below another one: a loan is after its account was opened.

    The columns are in one table, or one table refers to the other, directly or through others; the
    column of the referring table is changed. Samples obey, unless a value is missing.

    Args:
        column_name: The later column, ``'loan.date'``.
        other_column_name: The earlier one, ``'account.date'``.
        foreign_key: The foreign key, if several lead from one table to the other.
    """

    column_name: str
    other_column_name: str
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the bound on the column that is changed."""
        late, early = relations.find(self.column_name), relations.find(self.other_column_name)
        _check_comparable([late, early], relations)
        if late.table == early.table:
            return [Bound(late, early, (), True)]
        path = relations.relate(late.table, early.table, self.foreign_key)
        if path is not None:
            return [Bound(late, early, path, True)]
        path = relations.lead(early.table, late.table, self.foreign_key)
        return [Bound(early, late, path, False)]


@dataclass(eq=False, repr=False)
class Within(BetweenTables):
    """A date or number between two others: a stay during its contract.

    The two ends are columns of one table, in order in samples. A missing end restricts nothing.

    Args:
        column_name: The column between, ``'stay.date'``.
        low_column_name: The lower end, ``'contract.start'``.
        high_column_name: The upper end, ``'contract.end'``.
        foreign_key: The foreign key, if several lead from one table to the other.
    """

    column_name: str
    low_column_name: str
    high_column_name: str
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the lower and the upper bound."""
        names = self.column_name, self.low_column_name, self.high_column_name
        own, low, high = map(relations.find, names)
        if low.table != high.table:
            raise SynthesizerInputError('The two ends of a Within must be columns of one table.')
        path = (
            () if own.table == low.table else relations.lead(own.table, low.table, self.foreign_key)
        )
        _check_comparable([own, low, high], relations)
        return [Bound(own, low, path, True), Bound(own, high, path, False)]


@dataclass(eq=False, repr=False)
class SameAs(BetweenTables):
    """A column that equals a column of the row it refers to: the billing city is the customer's.

    The column is not modelled, so it costs no budget.

    Args:
        column_name: The copied column, ``'invoice.city'``.
        other_column_name: The column that it equals, ``'customer.city'``.
        foreign_key: The foreign key, if several lead from one table to the other.
    """

    column_name: str
    other_column_name: str
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the step that copies the column."""
        own, other = relations.find(self.column_name), relations.find(self.other_column_name)
        kinds = [relations.get_sdtype(each) for each in (own, other)]
        if kinds[0] != kinds[1]:
            raise SynthesizerInputError(
                f"The columns '{own}' and '{other}' must have the same sdtype, and are {kinds}."
            )
        path = relations.lead(own.table, other.table, self.foreign_key)
        return [Copy(own, other, path)]


@dataclass(eq=False, repr=False)
class TotalOf(BetweenTables):
    """A number that sums over the rows that refer to its row: an invoice's total over its lines.

    A line counts as zero if a value is missing, or a category is not a number. The total is not
    modelled, so it costs no budget.

    Args:
        column_name: The total, ``'invoice.total'``.
        formula: The summands: columns of one table, ``'line.price * line.quantity'``, in the
            arithmetic of a :class:`Formula`; a name that is not an identifier is in backticks.
        decimals: The decimals of the total; by default only integer columns are rounded.
        foreign_key: The foreign key, if several lead from the rows to the total.

    Raises:
        ValueError: If the formula is not arithmetic on columns, or an argument has the wrong type.
    """

    column_name: str
    formula: str
    decimals: int | None = None
    foreign_key: Key = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_decimals(self.decimals)
        self.expression  # noqa: B018 (a wrong formula is refused now)

    @property
    def expression(self) -> Expression:
        """The parsed formula, of names ``table.column``."""
        return parse(self.formula)

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the step that computes the sum."""
        own, expression = relations.find(self.column_name), self.expression
        names = {each: relations.find(each) for each in expression.names}
        _check_sdtypes([own], ('numerical',), relations)
        _check_sdtypes(list(names.values()), ('numerical', 'categorical'), relations)
        tables = sorted({each.table for each in names.values()})
        if len(tables) > 1:
            raise SynthesizerInputError(
                f'TotalOf adds up columns of one table, and its formula names those of {tables}.'
            )
        inner = expression.rename({each: name.column for each, name in names.items()})
        path = relations.lead(tables[0], own.table, self.foreign_key)
        return [Compute(own, tables[0], inner, path, self.decimals)]


@dataclass(eq=False, repr=False)
class ExactlyOne(BetweenTables):
    """A category that exactly one of the rows that refer to a row has: one owner of an account.

    Args:
        column_name: The column of the category, ``'disposition.type'``.
        value: The category, ``'OWNER'``.
        parent_table_name: The table that the rows refer to, ``'account'``.
        foreign_key: The foreign key, if several lead to that table.

    Raises:
        ValueError: If a name is not a string, or the value is not a text, number or flag.
    """

    column_name: str
    value: str | float | bool
    parent_table_name: str
    foreign_key: Key = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.value, str | int | float) or self.value != self.value:
            raise ValueError('`value` must be a text, a number, True or False.')

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the step that writes the category."""
        own = relations.find(self.column_name)
        _check_sdtypes([own], ('categorical', 'boolean', 'numerical'), relations)
        path = relations.lead(own.table, self.parent_table_name, self.foreign_key)
        return [Choose(own, self.value, path)]


@dataclass(eq=False, repr=False)
class Ranks(BetweenTables):
    """The numbers 1 to k of the k rows that refer to a row: the lines of an invoice.

    Args:
        column_name: The column to number, ``'stay.number'``.
        parent_table_name: The table that the rows refer to, ``'patient'``.
        order_column_name: The number or date that orders the rows, ``'stay.date'``. By default the
            sampled numbers order them.
        foreign_key: The foreign key, if several lead to that table.
    """

    column_name: str
    parent_table_name: str
    order_column_name: str | None = None
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the step that numbers the rows."""
        own = relations.find(self.column_name)
        _check_sdtypes([own], ('numerical', 'categorical', 'id'), relations)
        order = None
        if self.order_column_name is not None:
            order = relations.find(self.order_column_name)
            _check_sdtypes([order], COUNTED, relations)
            if order.table != own.table:
                raise SynthesizerInputError(
                    f"The order of '{own}' must be that of a column of the table '{own.table}'."
                )
        path = relations.lead(own.table, self.parent_table_name, self.foreign_key)
        return [Rank(own, path, order)]


@dataclass(eq=False, repr=False)
class Distinct(BetweenTables):
    """Foreign keys that never occur together twice: nobody likes a post twice.

    If they are the primary key of the table, the metadata states this, and no rule is needed.

    Args:
        column_names: The columns of the foreign keys, ``['like.person', 'like.post']``.
    """

    column_names: list[str]

    def read(self, relations: Relations) -> tuple[str, tuple[str, ...]]:
        """Return the table and the columns."""
        names = [relations.find(each) for each in self.column_names]
        tables, columns = {each.table for each in names}, [each.column for each in names]
        edges = [e for e in relations.metadata.relationships if e['child_table_name'] in tables]
        keys = [as_columns(each['child_foreign_key']) for each in edges]
        held = [key for key in keys if {*key} <= {*columns}]
        if len(tables) > 1 or len(held) < 2 or {*columns} != {name for key in held for name in key}:
            raise SynthesizerInputError(
                f'Distinct takes the columns of two or more foreign keys of one table, got '
                f'{self.column_names}.'
            )
        return names[0].table, tuple(columns)

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return no step: distinct references are already drawn."""
        self.read(relations)
        return []

    def _is_valid(self, data: Any, metadata: Metadata) -> dict[str, pd.Series]:
        found = super()._is_valid(data, metadata)
        table, columns = self.read(Relations(metadata))
        rows = data[table][list(columns)]
        again = rows.duplicated().to_numpy() & rows.notna().all(axis=1).to_numpy()
        return {**found, table: pd.Series(~again, data[table].index)}


#: All rules between tables.
BETWEEN = (After, Within, SameAs, TotalOf, ExactlyOne, Ranks, Distinct)


def _check_comparable(names: Sequence[Name], relations: Relations) -> None:
    _check_sdtypes(names, COUNTED, relations)
    if len({relations.get_sdtype(each) for each in names}) > 1:
        raise SynthesizerInputError(
            f'The columns {list(map(str, names))} must be all numbers, or all dates.'
        )
    if len(set(names)) < len(names):
        raise SynthesizerInputError(f'The columns {list(map(str, names))} must differ.')


def _check_sdtypes(names: Sequence[Name], allowed: Sequence[str], relations: Relations) -> None:
    sdtypes = {str(each): relations.get_sdtype(each) for each in names}
    other = {name: sdtype for name, sdtype in sdtypes.items() if sdtype not in allowed}
    if other:
        raise SynthesizerInputError(
            f'The columns {list(other)} are {sorted(set(other.values()))}, and this rule is for '
            f'columns that are {list(allowed)}.'
        )
