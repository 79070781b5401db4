"""Public facts of the cells of a column, and the replacement of cells that break a fact.

A private column and its :class:`Facts` become a canonical column that satisfies the facts, and
sentences about broken facts. A sentence never shows a value or a row.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.cells import INVALID_PLACE, MISSING_PLACE
from sdv_threea.rows.intake.columns import (
    LARGEST_NUMBER,
    find_distinct,
    find_moments,
    find_numbers,
    store,
)
from sdv_threea.rows.intake.dates import INVALID, MISSING, to_seconds

#: The most decimal places that a float can hold; numbers are not rounded to more.
MOST_ROUNDED_PLACES = 15


@dataclass(frozen=True)
class Facts:
    """The public facts of the cells of one column; ``None`` for a fact that is not stated.

    Args:
        sdtype: ``'numerical'``, ``'datetime'``, ``'boolean'``, ``'categorical'`` or ``'ordinal'``.
        template: The date format, if dates are texts or numbers.
        low: The smallest number, or the smallest date in seconds since 2000.
        high: The largest number or date, in the same way.
        places: Decimal places that numbers are rounded to.
        values: The values of a category, as canonical scalars.
        nullable: ``False`` if it is stated that no cell is missing.
        sentinels: Numbers that may lie outside the range.
    """

    name: str
    sdtype: str
    template: str | None = None
    low: float | None = None
    high: float | None = None
    places: int | None = None
    values: tuple[Hashable, ...] | None = None
    nullable: bool | None = None
    sentinels: tuple[float, ...] = ()


class Column(NamedTuple):
    """A canonical column, and one sentence per broken fact.

    A number or date beyond a stated bound becomes that bound. Any other cell that breaks a fact
    becomes missing.
    """

    cells: Any
    problems: tuple[str, ...]


def read_column(column: pd.Series, facts: Facts) -> Column:
    """Return the canonical column, and the facts that it breaks.

    Formal guarantees:
        * each cell of the result is a function of the same cell of the column, its dtype and the
          facts; no object of the column is kept
        * the problems of a column are the union of those of its single cells
    """
    cells, is_missing, flaws = _COLUMN_READERS.get(facts.sdtype, _read_category)(column, facts)
    problems = [f"Column '{facts.name}' ({facts.sdtype}) {flaw}" for flaw in flaws]
    if facts.nullable is False and is_missing.any():
        problems.append(
            f"Column '{facts.name}' has missing values, and its metadata or dtype allows none: "
            "store it in a dtype that does, such as 'Int64' or 'boolean', or fill them in."
        )
    return Column(cells, tuple(problems))


class Read(NamedTuple):
    """The result for one sdtype: canonical cells, a mask of missing ones, and broken facts."""

    cells: Any
    is_missing: NDArray[np.bool_]
    flaws: tuple[str, ...]


def _read_number(column: pd.Series, facts: Facts) -> Read:
    found, is_missing = find_numbers(column)
    is_strange = np.isnan(found) & ~is_missing
    flaws = {
        'has values that are not numbers: convert them, or change the sdtype.': is_strange,
        'has infinite values, or integers that are too large for a float: replace them or set '
        'them to missing.': np.isinf(found),
    }
    inside, outside = _keep_inside(_round(found, facts.places), facts)
    return Read(inside, is_missing, (*_list_flaws(flaws), *outside))


def _read_date(column: pd.Series, facts: Facts) -> Read:
    moments = find_moments(column, facts.template)
    expected = f"in the format '{facts.template}'" if facts.template else 'that can be read'
    flaws = {f'has values that are not dates {expected} (years 1 to 9999).': moments == INVALID}
    inside, outside = _keep_inside(to_seconds(moments), facts)
    return Read(inside, moments == MISSING, (*_list_flaws(flaws), *outside))


def _read_flag(column: pd.Series, facts: Facts) -> Read:
    codes, listed = find_distinct(column)
    accepted = np.array([type(value) is bool for value in listed], dtype=np.bool_)
    strange = np.append(~accepted, (codes == INVALID_PLACE).any())
    flaws = {'has values other than True, False and missing.': strange}
    return _choose(codes, listed, accepted, flaws)


def _read_category(column: pd.Series, facts: Facts) -> Read:
    codes, listed = find_distinct(column)
    stated = facts.values  # noqa: PD011 (no pandas)
    known = None if stated is None else set(stated)
    accepted = np.array([known is None or value in known for value in listed], dtype=np.bool_)
    flaws = {
        'has values that cannot be categories: only booleans, numbers, texts and dates can, '
        'so turn the others into text.': codes == INVALID_PLACE,
        "has values that are not among the 'range_values' of its metadata.": ~accepted,
    }
    return _choose(codes, listed, accepted, flaws)


def _choose(
    codes: NDArray[np.integer],
    listed: list[Hashable],
    accepted: NDArray[np.bool_],
    flaws: dict[str, NDArray[np.bool_]],
) -> Read:
    """Return a column of categories in which values that are not accepted are missing."""
    kept = np.flatnonzero(accepted)
    # The last two entries are for the codes -2 (invalid) and -1 (missing).
    places = np.full(len(listed) + 2, MISSING_PLACE, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    cells = store(places[codes], [listed[at] for at in kept])
    return Read(cells, codes == MISSING_PLACE, _list_flaws(flaws))


def _list_flaws(flaws: dict[str, NDArray[np.bool_]]) -> tuple[str, ...]:
    return tuple(flaw for flaw, found in flaws.items() if found.any())


def _round(numbers: NDArray[np.float64], places: int | None) -> NDArray[np.float64]:
    """Return numbers rounded as SDV does; numbers that are too large to round do not change."""
    if places is None or places > MOST_ROUNDED_PLACES:
        return numbers
    small = np.abs(numbers) < 10.0 ** (MOST_ROUNDED_PLACES - places)
    return np.where(small, np.round(np.where(small, numbers, 0.0), places) + 0.0, numbers)


def _keep_inside(
    numbers: NDArray[np.float64], facts: Facts
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return numbers clipped to the stated bounds, and a sentence if some were outside."""
    low = -np.inf if facts.low is None else facts.low
    high = np.inf if facts.high is None else facts.high
    if max(abs(facts.low or 0.0), abs(facts.high or 0.0)) > LARGEST_NUMBER:
        flaw = f'has a range in its metadata that goes beyond {LARGEST_NUMBER:g}: rescale it.'
        return numbers, (flaw,)
    # Bounds are rounded, too: otherwise the nearest rounded number could lie outside.
    low, high = _round(np.array([low, high]), facts.places)
    is_outside = ((numbers < low) | (numbers > high)) & ~np.isin(numbers, facts.sentinels)
    inside = np.where(is_outside, np.clip(numbers, low, high), numbers)
    inside = np.where(np.isinf(inside), np.nan, inside)
    return inside, _list_flaws({'has values outside the range in its metadata.': is_outside})


_COLUMN_READERS: dict[str, Callable[[pd.Series, Facts], Read]] = {
    'numerical': _read_number,
    'datetime': _read_date,
    'boolean': _read_flag,
}
