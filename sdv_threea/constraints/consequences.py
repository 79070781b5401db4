"""Values that a condition on another column fixes, written into sampled rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools
from sdv_threea.domain import Category, Column, Number


@dataclass(frozen=True)
class Consequence:
    """Columns whose values are fixed where a condition is met.

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
        """Write the fixed values; where the condition is not met, replace reserved values."""
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
        """Describe the columns with the values that are written."""
        return {name: _admit(columns[name], allowed[0]) for name, allowed in self.allowed.items()}


@dataclass(frozen=True)
class Awaited:
    """A column that is written after all rows of a database are drawn; no model contains it."""

    column: Column
    inputs = ()

    @property
    def replaced(self) -> tuple[str, ...]:
        """The column."""
        return (self.column.name,)

    def apply(
        self, cells: Mapping[str, NDArray[Any]], columns: Mapping[str, Column]
    ) -> dict[str, NDArray[Any]]:
        """Return cells that stand for the column: missing ones, and zeros of numbers."""
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
    """Return true for cells that are one of some values, or missing if ``None`` is, shape (n,)."""
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
