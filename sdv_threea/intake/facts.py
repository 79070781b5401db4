"""What is public of the cells of a column, and what becomes of a cell that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.columns import (
    INVALID_PLACE,
    LARGEST_NUMBER,
    MISSING_PLACE,
    find_distinct,
    find_moments,
    find_numbers,
    store,
)
from sdv_threea.intake.dates import INVALID, MISSING, to_seconds

#: Decimals from here on are not rounded to: floats are no finer.
MOST_PLACES = 15


@dataclass(frozen=True)
class Facts:
    """What is public of the cells of one column.

    Args:
        name: The column.
        sdtype: ``'numerical'``, ``'datetime'``, ``'boolean'``, ``'categorical'`` or ``'ordinal'``.
        template: The format of dates that are texts or numbers; ``None`` if each is read by itself.
        low: Smallest number, of dates in seconds since 2000; ``None`` if it is not stated.
        high: Largest number, in the same way.
        places: Decimal places that numbers are rounded to; ``None`` if they are not stated.
        values: Canonical scalars that a category may have; ``None`` if they are not stated.
        nullable: ``False`` if it is stated that no cell is missing.
    """

    name: str
    sdtype: str
    template: str | None = None
    low: float | None = None
    high: float | None = None
    places: int | None = None
    values: tuple[Hashable, ...] | None = None
    nullable: bool | None = None


class Column(NamedTuple):
    """A column that was read.

    Args:
        cells: float64 with NaN, or categories as :func:`~sdv_threea.intake.columns.store` returns
            them, shape (n,). A cell that breaks a stated fact is the nearest stated bound if it is
            a number or a date that lies beyond, and else missing.
        problems: What rules the cells break, without a value.
    """

    cells: Any
    problems: tuple[str, ...]


def read_column(column: pd.Series, facts: Facts) -> Column:
    """Read a column by what is public of it.

    Formal guarantees:
        * each cell that is read is a function of the same cell of the column, its dtype and the
          facts; no object of the column is behind it
        * which problems there are is the union, over all cells, of those of each cell by itself

    Args:
        column: The cells, in any storage.
        facts: What is public of them.

    Returns:
        The column, and the rules that it breaks.
    """
    cells, is_missing, problem = _READERS.get(facts.sdtype, _read_category)(column, facts)
    problems = [f"Column '{facts.name}' ({facts.sdtype}) {problem}"] if problem else []
    if facts.nullable is False and is_missing.any():
        problems.append(
            f"Column '{facts.name}' has missing values, and its metadata or dtype allows none."
        )
    return Column(cells, tuple(problems))


class Read(NamedTuple):
    """Cells, which of them are missing, and the rule that some break."""

    cells: Any
    is_missing: NDArray[np.bool_]
    problem: str | None


def _read_number(column: pd.Series, facts: Facts) -> Read:
    if isinstance(column.dtype, pd.CategoricalDtype):
        nothing = np.full(len(column), np.nan)
        problem = 'is stored as a category: convert it to numbers, or change the sdtype.'
        return Read(nothing, np.isnan(nothing), problem)
    found, is_missing = find_numbers(column)
    numbers, outside = _keep_inside(_round(found, facts.places), facts)
    return Read(numbers, is_missing, _find_strange(found, is_missing) or outside)


def _find_strange(numbers: NDArray[np.float64], is_missing: NDArray[np.bool_]) -> str | None:
    """Say what is wrong with cells that are no numbers, or no finite ones."""
    if (np.isnan(numbers) & ~is_missing).any():
        return 'has values that are not numbers: convert them, or change the sdtype.'
    if np.isinf(numbers).any():
        return (
            'has infinite values, or integers that are too large for a float: replace them or set '
            'them to missing.'
        )
    return None


def _read_date(column: pd.Series, facts: Facts) -> Read:
    moments = find_moments(column, facts.template)
    seconds, outside = _keep_inside(to_seconds(moments), facts)
    if (moments == INVALID).any():
        expected = f"in the format '{facts.template}'" if facts.template else 'that can be read'
        outside = f'has values that are not dates {expected} (years 1678 to 2261).'
    return Read(seconds, moments == MISSING, outside)


def _read_flag(column: pd.Series, facts: Facts) -> Read:
    codes, listed = find_distinct(column)
    accepted = [type(value) is bool for value in listed]
    problem = 'has values other than True, False and missing.'
    return _choose(codes, listed, accepted, problem)


def _read_category(column: pd.Series, facts: Facts) -> Read:
    codes, listed = find_distinct(column)
    stated = facts.values  # noqa: PD011 (no pandas)
    known = None if stated is None else set(stated)
    accepted = [known is None or value in known for value in listed]
    problem = "has values that are not among the 'range_values' of its metadata."
    if (codes == INVALID_PLACE).any():
        problem = (
            'has values that cannot be categories: turn them into text, as booleans, numbers, '
            'texts and dates are.'
        )
    return _choose(codes, listed, accepted, problem)


def _choose(
    codes: NDArray[np.integer], listed: list[Hashable], accepted: list[bool], problem: str
) -> Read:
    """Keep the values that are accepted, and say the problem if there are others."""
    kept = np.flatnonzero(accepted)
    # At the end, the places of what is invalid and of what is missing.
    places = np.full(len(listed) + 2, MISSING_PLACE, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    broken = bool((codes == INVALID_PLACE).any()) or len(kept) < len(listed)
    cells = store(places[codes], [listed[at] for at in kept])
    return Read(cells, codes == MISSING_PLACE, problem if broken else None)


def _round(numbers: NDArray[np.float64], places: int | None) -> NDArray[np.float64]:
    """Round as SDV does; numbers that are too large to have as many places stay as they are."""
    if places is None or places > MOST_PLACES:
        return numbers
    small = np.abs(numbers) < 10.0 ** (MOST_PLACES - places)
    return np.where(small, np.round(np.where(small, numbers, 0.0), places) + 0.0, numbers)


def _keep_inside(
    numbers: NDArray[np.float64], facts: Facts
) -> tuple[NDArray[np.float64], str | None]:
    """Move numbers to the nearest stated bound; infinite ones without one are missing."""
    low = -np.inf if facts.low is None else facts.low
    high = np.inf if facts.high is None else facts.high
    if max(abs(facts.low or 0.0), abs(facts.high or 0.0)) > LARGEST_NUMBER:
        problem = f'has a range in its metadata that goes beyond {LARGEST_NUMBER:g}: rescale it.'
        return numbers, problem
    broken = bool(((numbers < low) | (numbers > high)).any())
    inside = np.clip(numbers, low, high)
    inside = np.where(np.isinf(inside), np.nan, inside)
    return inside, 'has values outside the range in its metadata.' if broken else None


_READERS: dict[str, Callable[[pd.Series, Facts], Read]] = {
    'numerical': _read_number,
    'datetime': _read_date,
    'boolean': _read_flag,
}
