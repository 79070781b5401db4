"""Rules between the tables of a database, stated as SDV's constraints are.

Columns are named ``table.column``. The rules are met by writing columns of sampled rows, so they
hold exactly at any epsilon, and cost nothing. No private row is read for them: rows that break a
rule are fitted as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.constraints.expressions import Expression, parse
from sdv_threea.constraints.linked import Linked, Name, Path
from sdv_threea.constraints.moves import Bound, Choose, Compute, Copy, Part, Rank, join_bounds
from sdv_threea.constraints.relations import Key, Relations
from sdv_threea.constraints.stated import COUNTED, Stated
from sdv_threea.storage.references import as_columns


class BetweenTables(Stated):
    """A rule between the tables of a database, or between rows that belong to one row."""

    _is_single_table = False
    foreign_key: Key = None

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the steps, or bounds, by which samples obey the rule.

        Raises:
            SynthesizerInputError: If the metadata does not fit the rule.
        """
        raise NotImplementedError

    def _check_texts(self, *texts: object) -> None:
        """Raise a ``ValueError`` if names are not texts."""
        names = [self.foreign_key] if not isinstance(self.foreign_key, list) else self.foreign_key
        listed = [*texts, *(each for each in names if each is not None)]
        if not all(isinstance(each, str) for each in listed):
            raise ValueError(f'{type(self).__name__} takes names as texts, got {listed!r}.')

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


class _OfTwo(BetweenTables):
    """A rule that a column obeys, given another one."""

    def __init__(self, column_name: str, other_column_name: str, foreign_key: Key = None) -> None:
        super().__init__()
        self.column_name, self.other_column_name = column_name, other_column_name
        self.foreign_key = foreign_key
        self._check_texts(column_name, other_column_name)


class After(_OfTwo):
    """A date or number that is never below another one: a loan is after its account was opened.

    The two columns are in one table, or one table refers to the other, directly or through further
    tables. Samples obey exactly: the column of the table that refers to the other one is changed. A
    row is not checked where a value is missing.

    Args:
        column_name: The later column, ``'loan.date'``.
        other_column_name: The earlier one, ``'account.date'``.
        foreign_key: The foreign key, if several lead from one table to the other.

    Raises:
        ValueError: If a name is not a string.
    """

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the bound on the column that is changed."""
        late, early = relations.find(self.column_name), relations.find(self.other_column_name)
        return [_bound(late, early, relations, self.foreign_key)]


class Within(BetweenTables):
    """A date or number between two others: a stay during its contract.

    The two ends are columns of one table. A missing end restricts nothing. Samples also have their
    ends in order.

    Args:
        column_name: The column between, ``'stay.date'``.
        low_column_name: The lower end, ``'contract.start'``.
        high_column_name: The upper end, ``'contract.end'``.
        foreign_key: The foreign key, if several lead from one table to the other.

    Raises:
        ValueError: If a name is not a string.
    """

    def __init__(
        self,
        column_name: str,
        low_column_name: str,
        high_column_name: str,
        foreign_key: Key = None,
    ) -> None:
        super().__init__()
        self.column_name = column_name
        self.low_column_name, self.high_column_name = low_column_name, high_column_name
        self.foreign_key = foreign_key
        self._check_texts(column_name, low_column_name, high_column_name)

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the lower and the upper bound."""
        own, low, high = (
            relations.find(each)
            for each in (self.column_name, self.low_column_name, self.high_column_name)
        )
        if low.table != high.table:
            raise SynthesizerInputError('The two ends of a Within must be columns of one table.')
        path = _lead_or_stay(own.table, low.table, relations, self.foreign_key)
        _check_comparable([own, low, high], relations)
        return [Bound(own, low, path, True), Bound(own, high, path, False)]


class SameAs(_OfTwo):
    """A column that equals one of the row it leads to: the billing city is the customer's.

    The column is left out of the model, so it costs no budget.

    Args:
        column_name: The column that follows, ``'invoice.city'``.
        other_column_name: The column that it equals, ``'customer.city'``.
        foreign_key: The foreign key, if several lead from one table to the other.

    Raises:
        ValueError: If a name is not a string.
    """

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


class TotalOf(BetweenTables):
    """A numerical column that adds up over the rows below: an invoice's total over its lines.

    A row below counts as zero if a value is missing, or a category is not a number. The column is
    left out of the model, so it costs no budget.

    Args:
        column_name: The total, ``'invoice.total'``.
        formula: The summands: columns of one table, ``'line.price * line.quantity'``, in the
            arithmetic of a :class:`Formula`; a name that is not an identifier is in backticks.
        decimals: The decimals that the total is rounded to. By default it is not rounded; integers
            are.
        foreign_key: The foreign key, if several lead from the rows to the total.

    Raises:
        ValueError: If the formula is not arithmetic on columns, or an argument has the wrong type.
    """

    def __init__(
        self,
        column_name: str,
        formula: str,
        decimals: int | None = None,
        foreign_key: Key = None,
    ) -> None:
        super().__init__()
        self.column_name, self.formula = column_name, formula
        self.decimals, self.foreign_key = decimals, foreign_key
        self._check_texts(column_name, formula)
        if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= 15):
            raise ValueError('`decimals` must be a whole number from 0 to 15, or None.')
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


class ExactlyOne(BetweenTables):
    """A category that exactly one of the rows below each row has: one owner of an account.

    Args:
        column_name: The column of the category, ``'disposition.type'``.
        value: The category, ``'OWNER'``.
        parent_table_name: The table whose rows have the others below them, ``'account'``.
        foreign_key: The foreign key, if several lead to that table.

    Raises:
        ValueError: If a name is not a string, or the value is not a text, number or flag.
    """

    def __init__(
        self,
        column_name: str,
        value: str | float | bool,
        parent_table_name: str,
        foreign_key: Key = None,
    ) -> None:
        super().__init__()
        self.column_name, self.value = column_name, value
        self.parent_table_name, self.foreign_key = parent_table_name, foreign_key
        self._check_texts(column_name, parent_table_name)
        if not isinstance(value, str | int | float) or value != value:
            raise ValueError('`value` must be a text, a number, True or False.')

    def list_parts(self, relations: Relations) -> list[Part]:
        """Return the step that writes the category."""
        own = relations.find(self.column_name)
        _check_sdtypes([own], ('categorical', 'boolean', 'numerical'), relations)
        path = relations.lead(own.table, self.parent_table_name, self.foreign_key)
        return [Choose(own, self.value, path)]


class Ranks(BetweenTables):
    """The numbers 1 to k of the k rows below each row: the lines of an invoice, the stays in order.

    Args:
        column_name: The column to number, ``'stay.number'``.
        parent_table_name: The table whose rows have the others below them, ``'patient'``.
        order_column_name: The number or date in whose order rows are numbered, ``'stay.date'``.
            By default the order is that of the sampled numbers.
        foreign_key: The foreign key, if several lead to that table.

    Raises:
        ValueError: If a name is not a string.
    """

    def __init__(
        self,
        column_name: str,
        parent_table_name: str,
        order_column_name: str | None = None,
        foreign_key: Key = None,
    ) -> None:
        super().__init__()
        self.column_name, self.parent_table_name = column_name, parent_table_name
        self.order_column_name, self.foreign_key = order_column_name, foreign_key
        order = [] if order_column_name is None else [order_column_name]
        self._check_texts(column_name, parent_table_name, *order)

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


class Distinct(BetweenTables):
    """Foreign keys that no two rows of a table have in common: nobody likes a post twice.

    If they are the primary key of the table, the metadata says so, and no rule is needed.

    Args:
        column_names: The columns of the foreign keys, ``['like.person', 'like.post']``.

    Raises:
        ValueError: If a name is not a string.
    """

    def __init__(self, column_names: list[str]) -> None:
        super().__init__()
        self.column_names = column_names
        self._check_texts(*column_names)

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
        """Return nothing: references are drawn such that it holds."""
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


def _bound(late: Name, early: Name, relations: Relations, key: Key) -> Bound:
    """Return the bound on the column whose table refers to the other one."""
    _check_comparable([late, early], relations)
    if late.table == early.table:
        return Bound(late, early, (), True)
    path = relations.relate(late.table, early.table, key)
    if path is not None:
        return Bound(late, early, path, True)
    return Bound(early, late, relations.lead(early.table, late.table, key), False)


def _lead_or_stay(table: str, above: str, relations: Relations, key: Key) -> Path:
    return () if table == above else relations.lead(table, above, key)


def _check_comparable(names: Sequence[Name], relations: Relations) -> None:
    _check_sdtypes(names, COUNTED, relations)
    if len({relations.get_sdtype(each) for each in names}) > 1:
        raise SynthesizerInputError(
            f'The columns {list(map(str, names))} must be all numbers, or all dates.'
        )
    if len(set(names)) < len(names):
        raise SynthesizerInputError(f'The columns {list(map(str, names))} must differ.')


def _check_sdtypes(names: Sequence[Name], allowed: Sequence[str], relations: Relations) -> None:
    other: Mapping[str, str] = {
        str(each): sdtype for each in names if (sdtype := relations.get_sdtype(each)) not in allowed
    }
    if other:
        raise SynthesizerInputError(
            f'The columns {list(other)} are {sorted(set(other.values()))}, and this rule is for '
            f'columns that are {list(allowed)}.'
        )
