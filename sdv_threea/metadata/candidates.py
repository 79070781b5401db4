"""Candidates for constraints: tests of two arrays, mostly of two sampled columns.

The share of rows that obey by chance is that of the same test after the second array was mixed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: A relation is suggested if at least the first share of the rows obeys it, and at most the second
#: would by chance. Noise masks whether rows add up, so sums need only the second.
MOST_OBEY, FEWER_BY_CHANCE = 0.95, 0.85
SUMS = ('Formula', 'TotalOf')

#: The mean of a sum is that of its parts up to this share, and each part has at least this share of
#: it. Means are known closely at any budget, but noise masks whether single rows add up.
MEAN_APART = 0.05

#: Columns are taken for the parts of a sum if their total correlates with it at least this much.
LEAST_CORRELATION = 0.7

Array = NDArray[Any]


class Rule(NamedTuple):
    """A relation of sampled rows: a constraint, its columns and arguments.

    Args:
        obey: The share of rows that obey it.
        by_chance: The share that would by chance.
    """

    constraint: str
    columns: list[str]
    parameters: dict[str, Any]
    obey: float
    by_chance: float


class Candidate(NamedTuple):
    """A constraint that is tested: ``test`` returns true for each row or group that obeys."""

    constraint: str
    columns: list[str]
    parameters: dict[str, Any]
    test: Callable[[Array, Array], Array]
    one: Array
    other: Array


def judge(candidates: Iterator[Candidate]) -> Iterator[Rule]:
    """Yield the candidates that nearly all rows obey, and not by chance."""
    for constraint, columns, parameters, test, one, other in candidates:
        known = pd.notna(one) & pd.notna(other)
        one, other = one[known], other[known]
        if not len(one):
            continue
        # A fixed order that moves every row away from its neighbours.
        mixed = np.argsort(np.arange(len(one)) * 0.5 * (5**0.5 - 1) % 1.0)
        obey, by_chance = (float(np.mean(test(one, each))) for each in (other, other[mixed]))
        least = 0.0 if constraint in SUMS else MOST_OBEY
        if obey >= least and by_chance <= FEWER_BY_CHANCE:
            yield Rule(constraint, columns, parameters, obey, by_chance)


def is_near(own: Array, added: Array) -> Array:
    """Return true for numbers within half a standard deviation of others."""
    return np.asarray(np.abs(own - added) <= own.std() / 2)


def as_numbers(column: pd.Series, facts: Mapping[str, Any]) -> pd.Series:
    """Return the cells of a column as floats, dates as counts; NaN where missing."""
    if facts['sdtype'] == 'numerical':
        return pd.to_numeric(column, errors='coerce').astype('float64')
    dates = pd.to_datetime(column, format=facts.get('datetime_format'), errors='coerce')
    # Units of dates differ between columns.
    dates = dates.astype('datetime64[us, UTC]' if dates.dt.tz is not None else 'datetime64[us]')
    return dates.astype('int64').where(dates.notna()).astype('float64')


def plain(value: Any) -> Any:
    """Return a value as Python's own, ``None`` for a missing one."""
    if pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
