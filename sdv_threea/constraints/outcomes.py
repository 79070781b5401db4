"""Columns that are computed in sampled rows: results of formulas, and conditional values."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constraints.expressions import Expression
from sdv_threea.describe.lattice import STEP_TOLERANCE, multiples, shared_step
from sdv_threea.domain import Category, Column, Number

#: Seconds of a day: dates are seconds here, and days in formulas.
SECONDS = 86_400.0

#: The largest result if a divisor may be zero.
LARGEST = 1e300

#: Number of steps of the secant method that solves a formula; distance of its points, in steps of
#: the column: so large that rounding of results hardly changes the slope.
NUM_SECANTS, REACH = 4, 1e4

#: Relative difference at which two results of a few operations count as equal.
SAME = 1e-9


class Outcome(Protocol):
    """A rule that computes columns of a row from others, after all derivations are undone."""

    @property
    def replaced(self) -> tuple[str, ...]:
        """The columns that are removed from the table."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that it reads or changes."""

    def apply(self, cells: dict[str, Any], columns: Mapping[str, Column]) -> dict[str, Any]:
        """Return the computed columns; ``columns`` has the released descriptions."""

    def restore(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Describe the computed columns, by name."""


@dataclass(frozen=True)
class Consequence:
    """Columns whose values are fixed in rows that meet a condition.

    Args:
        allowed: The values that columns may then have, by name, as plain values.
        only_if: Whether the first allowed value occurs only in rows that meet the condition.
    """

    condition: str
    find_met: Callable[[NDArray[Any]], Bools]
    allowed: Mapping[str, Sequence[Any]]
    only_if: bool

    @property
    def replaced(self) -> tuple[str, ...]:
        """No column: all are modelled."""
        return ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that it reads and writes."""
        return (self.condition, *self.allowed)

    def apply(
        self, cells: Mapping[str, NDArray[Any]], columns: Mapping[str, Column]
    ) -> dict[str, NDArray[Any]]:
        """Write the fixed values; in other rows, replace values reserved for the condition."""
        met = self.find_met(np.asarray(cells[self.condition]))
        found = {}
        for name, allowed in self.allowed.items():
            own = np.array(cells[name])
            first = np.nan if allowed[0] is None and own.dtype.kind == 'f' else allowed[0]
            own[met & ~is_among(own, allowed)] = first
            if self.only_if:
                reserved = is_among(own, allowed[:1])
                wrong, donors = np.flatnonzero(~met & reserved), np.flatnonzero(~met & ~reserved)
                if len(donors):
                    own[wrong] = own[np.resize(donors, len(wrong))]
            found[name] = own
        return found

    def restore(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Describe the columns, including the values that are written."""
        return {name: _admit(columns[name], allowed[0]) for name, allowed in self.allowed.items()}


@dataclass(frozen=True)
class Awaited:
    """A column written after all rows of a database are drawn; it is not modelled."""

    column: Column
    inputs = ()

    @property
    def replaced(self) -> tuple[str, ...]:
        """The column."""
        return (self.column.name,)

    def apply(
        self, cells: Mapping[str, NDArray[Any]], columns: Mapping[str, Column]
    ) -> dict[str, NDArray[Any]]:
        """Return placeholders for the column: zeros for numbers, else missing cells."""
        num, is_number = len(next(iter(cells.values()))), isinstance(self.column, Number)
        return {self.column.name: np.zeros(num) if is_number else np.full(num, None, dtype=object)}

    def restore(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Describe the column without a value."""
        if isinstance(self.column, Number):
            step = self.column.step or 0.0
            own: Column = replace(self.column, low=0.0, high=0.0, step=step, nullable=False)
        else:
            own = replace(self.column, values=(), nullable=True)
        return {self.column.name: own}


def is_among(cells: NDArray[Any], values: Sequence[Any]) -> Bools:
    """Return true for cells among ``values``, where ``None`` means missing, shape (n,)."""
    found = np.zeros(len(cells), dtype=np.bool_)
    missing = pd.isna(cells)
    for value in values:
        if pd.isna(value):
            found |= missing
        elif cells.dtype.kind == 'f':
            found |= isinstance(value, int | float) and cells == value
        else:
            found |= np.fromiter(
                (each == value for each in cells), dtype=np.bool_, count=len(cells)
            )
    return found


def _admit(column: Column, value: Any) -> Column:
    if value is None or pd.isna(value):
        return replace(column, nullable=True)
    if isinstance(column, Number):
        low, high = column.low, column.high
        return replace(
            column,
            low=None if low is None else min(low, float(value)),
            high=None if high is None else max(high, float(value)),
        )
    assert isinstance(column, Category)
    values = column.values  # noqa: PD011 (no pandas)
    if values is None or value in values:
        return column
    return replace(column, values=(*values, value))


@dataclass(frozen=True)
class Result:
    """A number computed from other columns of its row; not modelled, ``decimals`` may round it."""

    column: Number
    expression: Expression
    dates: frozenset[str]
    decimals: int | None

    @property
    def replaced(self) -> tuple[str, ...]:
        """The computed column."""
        return (self.column.name,)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns of the formula."""
        return self.expression.names

    def apply(
        self, cells: Mapping[str, Floats], columns: Mapping[str, Column]
    ) -> dict[str, Floats]:
        """Compute the number of each row; it is missing if a column of the formula is."""
        found = self._compute(self.column.name, self.expression, cells)
        return {self.column.name: _round(found, self._describe(columns).step or 0.0)}

    def restore(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Describe the column by the released descriptions of the formula's columns."""
        return {self.column.name: self._describe(columns)}

    def _describe(self, columns: Mapping[str, Column]) -> Number:
        parts = [part for name in self.inputs if isinstance(part := columns[name], Number)]
        step = self._find_step(parts)
        ends = self.bound(self.column.name, {}, columns) * self.scale(self.column.name)
        low, high = np.clip(ends[0], -LARGEST, LARGEST).tolist()
        low = low if self.column.low is None else self.column.low
        high = high if self.column.high is None else self.column.high
        nullable = any(part.nullable for part in parts)
        return replace(self.column, low=low, high=high, step=step, nullable=nullable)

    def bound(
        self, name: str, known: Mapping[str, Floats], columns: Mapping[str, Column]
    ) -> Floats:
        """Return the ends of a column of the formula, in days for dates, shape (n, 2) or (1, 2)."""
        ends = {}
        for each in (*self.inputs, self.column.name):
            described = columns.get(each)
            if each in known:
                ends[each] = known[each]
            elif isinstance(described, Number):
                own = np.array([[described.low, described.high]], dtype=np.float64)
                ends[each] = own / self.scale(each)
        return self._find_inverse(name).bound(ends)

    def known_ends(self, known: pd.DataFrame) -> dict[str, Floats]:
        """Return known columns as bounds, in the formula's units; infinite for missing cells."""
        ends = {}
        for name in (*self.inputs, self.column.name):
            if name in known:
                own = known[name].to_numpy(dtype=np.float64)
                half = 0.0
                if name == self.column.name and self.decimals is not None:
                    half = 0.5 * 10.0**-self.decimals
                own = own / self.scale(name)
                both = np.stack([own - half, own + half], axis=1)
                ends[name] = np.where(np.isnan(both), [-np.inf, np.inf], both)
        return ends

    def _find_inverse(self, name: str) -> Expression:
        if name == self.column.name:
            return self.expression
        return self.expression.solve(name, self.column.name)

    def _compute(self, name: str, expression: Expression, cells: Mapping[str, Floats]) -> Floats:
        values = {
            each: np.asarray(cells[each], dtype=np.float64) / self.scale(each)
            for each in expression.names
        }
        found = expression.evaluate(values) * self.scale(name)
        return np.where(np.isfinite(found), found, np.nan)

    def scale(self, name: str) -> float:
        """Return stored units per unit of the formula: 86,400 for dates, else 1."""
        return SECONDS if name in self.dates else 1.0

    def _find_step(self, parts: list[Number]) -> float:
        if self.decimals is not None:
            return float(10.0**-self.decimals) * self.scale(self.column.name)
        if self.column.step is not None:
            return self.column.step
        if not self.expression.is_sum or len(parts) < len(self.inputs):
            return 0.0
        to_own = self.scale(self.column.name)
        steps = [(part.step or 0.0) * to_own / self.scale(part.name) for part in parts]
        return shared_step(steps)


def find_solved(
    result: Result, results: Sequence[Result], known: pd.DataFrame, columns: Mapping[str, Column]
) -> str | None:
    """Return the column to solve a known result for: the widest unknown column of the formula."""
    if result.column.name not in known:
        return None
    widths = {
        name: (own.high or 0.0) - (own.low or 0.0)
        for name in _find_sources(result.column.name, results)
        if name not in known and isinstance(own := columns[name], Number)
    }
    return max(widths, key=widths.__getitem__, default=None)


def _find_sources(name: str, results: Sequence[Result]) -> list[str]:
    """Return the modelled columns from which a column is computed, through other formulas."""
    for result in results:
        if result.column.name == name:
            return [each for one in result.inputs for each in _find_sources(one, results)]
    return [name]


def solve(
    result: Result,
    results: Sequence[Result],
    name: str,
    cells: Mapping[str, Floats],
    columns: Mapping[str, Column],
) -> Floats:
    """Return values of a column from which a known result follows; NaN if there are none.

    Formulas are nearly always linear in each column, so the secant method needs one step. ``cells``
    has all columns, and the known results.
    """
    column, wanted = columns[name], np.asarray(cells[result.column.name], dtype=np.float64)
    assert isinstance(column, Number)
    step = column.step or 0.0

    def follow(values: Floats) -> Floats:
        rows = {**cells, name: values}
        for each in results:
            rows |= each.apply(rows, columns)
        return rows[result.column.name]

    found = np.asarray(cells[name], dtype=np.float64)
    reach = np.maximum(np.abs(found), 1.0) + REACH * step
    with np.errstate(all='ignore'):
        for _ in range(NUM_SECANTS):
            here = follow(found)
            slope = (follow(found + reach) - here) / reach
            found = np.where(here == wanted, found, found + (wanted - here) / slope)
    solved = np.full_like(found, np.nan)
    # If the result is rounded, a neighbouring number may give it exactly.
    for shift in (0.0, step, -step):
        near = _round(found + shift, step)
        is_met = np.abs(follow(near) - wanted) <= SAME * (1 + np.abs(wanted))
        solved = np.where(np.isnan(solved) & is_met, near, solved)
    return solved


def bound_inputs(
    result: Result, known: pd.DataFrame, columns: Mapping[str, Column], modelled: Collection[str]
) -> dict[str, Floats]:
    """Return the ends, shape (n, 2), of modelled columns that a known result allows."""
    ends, found = result.known_ends(known), {}
    for name in result.inputs:
        if name in modelled and name not in known and result.expression.occurs_once(name):
            own = result.bound(name, ends, columns) * result.scale(name)
            found[name] = np.where(np.isnan(own), [-np.inf, np.inf], own)
    return found


def _round(values: Floats, step: float) -> Floats:
    return multiples(np.rint(values / step), step) if step > STEP_TOLERANCE else values
