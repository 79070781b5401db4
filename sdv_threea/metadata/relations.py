"""Relations of columns that may be worth a constraint, as a release shows them.

Formal guarantees, of every function here:
    * what is returned is a function of sampled rows and of metadata, so post-processing of the
      release: no private row is read, and nothing is charged
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: What a relation is told by: constraints of SDV.
COMBINATIONS, INEQUALITY = 'FixedCombinations', 'Inequality'

#: A relation is told if this share of the rows obeys it, and at most that share would if the two
#: columns had nothing to do with each other.
MOST_OBEY, FEWER_BY_CHANCE = 0.95, 0.85

#: A column follows from another one only if each value of that has this many rows in the mean: of
#: values that come up once, everything follows.
ROWS_PER_VALUE = 20

CATEGORIES = ('categorical', 'boolean', 'ordinal')
ORDERED = ('numerical', 'datetime')


class Sampling(Protocol):
    """A fitted synthesizer, of one table or of several."""

    metadata: Any

    def sample(self, *args: Any, **kwargs: Any) -> dict[str, pd.DataFrame]:
        """Sample tables, by name."""


def suggest_constraints(synthesizer: Sampling, num_rows: int = 10_000) -> pd.DataFrame:
    """Suggest relations between columns that the user may want to state as constraints.

    Nothing is charged: the rows that are looked at are sampled. A relation is suggested if nearly
    all of them obey it, although rows whose columns have nothing to do with each other would not.
    Whether it is true of the real rows, and public, is for the user to know. If it is, state it
    with ``add_constraints`` before the next fit: then all sampled rows obey.

    Args:
        synthesizer: A fitted synthesizer of this package.
        num_rows: How many rows to sample of a single table. Of a database as many are sampled as
            were fitted.

    Returns:
        A row for each relation, those that would be obeyed least by chance first: ``table``,
        ``constraint`` (the name of a class of :mod:`sdv.cag`), ``columns`` (its arguments, in
        order), and as shares of the sampled rows that have both values ``obey`` and
        ``by chance``.

    Raises:
        sdv.errors.SamplingError: If the synthesizer is not fitted.
    """
    description = synthesizer.metadata.to_dict()['tables']
    single = len(description) == 1
    tables = synthesizer.sample(num_rows) if single else synthesizer.sample()
    found = [
        {'table': name, **relation}
        for name, table in tables.items()
        for relation in _find_relations(table, description[name])
    ]
    names = ['table', 'constraint', 'columns', 'obey', 'by chance']
    relations = pd.DataFrame(found, columns=names)
    return relations.sort_values('by chance', kind='stable', ignore_index=True)


def _find_relations(
    table: pd.DataFrame, description: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Find the relations between two columns of a table."""
    columns, keys = description['columns'], {description.get('primary_key')}
    kinds = {name: facts['sdtype'] for name, facts in columns.items() if name not in keys}
    categories = {
        name: pd.factorize(table[name])[0] for name, sdtype in kinds.items() if sdtype in CATEGORIES
    }
    for pair in combinations(categories, 2):
        shares = [_follows(categories[a], categories[b]) for a, b in (pair, pair[::-1])]
        # A column from which another one follows tells the combinations.
        obey, by_chance = max(shares, key=lambda share: share[0] - share[1])
        yield from _tell(COMBINATIONS, pair, obey, by_chance)
    ordered = {
        name: _as_numbers(table[name], columns[name])
        for name, sdtype in kinds.items()
        if sdtype in ORDERED
    }
    for low, high in combinations(ordered, 2):
        if kinds[low] != kinds[high]:
            continue
        for pair in ((low, high), (high, low)):
            obey, by_chance = _is_below(ordered[pair[0]], ordered[pair[1]])
            yield from _tell(INEQUALITY, pair, obey, by_chance)


def _tell(
    constraint: str, columns: tuple[str, str], obey: float, by_chance: float
) -> Iterator[dict[str, Any]]:
    if obey >= MOST_OBEY and by_chance <= FEWER_BY_CHANCE:
        yield {
            'constraint': constraint,
            'columns': list(columns),
            'obey': obey,
            'by chance': by_chance,
        }


def _follows(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[float, float]:
    """Return in which share of rows b is the commonest value given a, and the commonest of all."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    if not len(a) or len(a) < ROWS_PER_VALUE * (a.max() + 1):
        return 0.0, 0.0
    counts = np.bincount(a * (b.max() + 1) + b, minlength=(a.max() + 1) * (b.max() + 1))
    counts = counts.reshape(a.max() + 1, -1)
    return float(counts.max(axis=1).sum() / len(a)), float(counts.sum(axis=0).max() / len(a))


def _is_below(low: pd.Series, high: pd.Series) -> tuple[float, float]:
    """Return in which share of rows one number is at most another, and in which by chance."""
    both = low.notna() & high.notna()
    a, b = low[both].to_numpy(), high[both].to_numpy()
    if not len(a):
        return 0.0, 0.0
    by_chance = np.searchsorted(np.sort(a), b, side='right').mean() / len(a)
    return float((a <= b).mean()), float(by_chance)


def _as_numbers(column: pd.Series, facts: Mapping[str, Any]) -> pd.Series:
    if facts['sdtype'] == 'numerical':
        return pd.to_numeric(column, errors='coerce').astype('float64')
    dates = pd.to_datetime(column, format=facts.get('datetime_format'), errors='coerce')
    return dates.astype('int64').where(dates.notna()).astype('float64')
