"""Relations of columns in samples of a release, which may be worth a constraint.

Formal guarantees, of every function here:
    * the result is a function of sampled rows and of metadata, so post-processing of the release:
      no private row is read, and nothing is charged
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.metadata.consequences import Found, find_fixed, find_sums
from sdv_threea.metadata.links import TOTAL, as_numbers, find_between, is_below

#: The constraints that state a relation: of SDV, and of this package.
COMBINATIONS, INEQUALITY = 'FixedCombinations', 'Inequality'
FORMULA, IF_THEN = 'Formula', 'IfThen'

#: A relation is suggested if at least the first share of the rows obeys it, and at most the second
#: would if the two columns were independent.
MOST_OBEY, FEWER_BY_CHANCE = 0.95, 0.85

#: A column follows from another one only if each value of that one has this many rows on average: a
#: value that occurs once determines every other column.
ROWS_PER_VALUE = 20

CATEGORIES = ('categorical', 'boolean', 'ordinal')
ORDERED = ('numerical', 'datetime')


class Sampling(Protocol):
    """A fitted synthesizer, of one table or of several."""

    metadata: Any

    sample_scale: Any

    def sample(self, *args: Any, **kwargs: Any) -> dict[str, pd.DataFrame]:
        """Sample tables, by name."""


def suggest_constraints(synthesizer: Sampling, num_rows: int = 10_000) -> pd.DataFrame:
    """Suggest relations between columns, and tables, that may be worth a constraint.

    The relations are found in sampled rows, so nothing is charged. A relation is suggested if
    nearly all rows obey it, but would not if the columns were independent. The user decides whether
    it holds for the real rows, and is public. If so, state it with ``add_constraints`` before the
    next fit: then all sampled rows obey.

    Args:
        synthesizer: A fitted synthesizer of this package.
        num_rows: How many rows to sample of a single table. Ignored for databases, which sample
            their released size.

    Returns:
        A row for each relation, from the one that is obeyed least by chance: ``table``,
        ``constraint`` (the name of a class of :mod:`sdv.cag`, or of
        :mod:`sdv_threea.constraints`), ``columns``, ``parameters`` (its arguments by name), and the
        shares of rows that obey it, ``obey``, and that would by chance, ``by chance``, among the
        sampled rows with all values. Noise masks whether rows add up to a ``Formula``: it is
        suggested if the means of columns add up and the columns vary together. A row then counts as
        obeying within half a standard deviation. The same holds for ``TotalOf``.

    Raises:
        sdv.errors.SamplingError: If the synthesizer is not fitted.
    """
    metadata = synthesizer.metadata.to_dict()
    description = metadata['tables']
    single = len(description) == 1
    tables = synthesizer.sample(num_rows) if single else synthesizer.sample_scale()
    found = [
        {'table': name, **relation}
        for name, table in tables.items()
        for relation in _find_relations(table, description[name])
    ]
    for name, constraint, rule in find_between(tables, metadata):
        found += [{'table': name, **each} for each in _tell(constraint, *rule)]
    names = ['table', 'constraint', 'columns', 'parameters', 'obey', 'by chance']
    relations = pd.DataFrame(found, columns=names)
    return relations.sort_values('by chance', kind='stable', ignore_index=True)


def _find_relations(
    table: pd.DataFrame, description: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the relations between columns of a table."""
    columns, keys = description['columns'], {description.get('primary_key')}
    kinds = {name: facts['sdtype'] for name, facts in columns.items() if name not in keys}
    categories = [name for name, sdtype in kinds.items() if sdtype in CATEGORIES]
    ordered = {
        name: as_numbers(table[name], columns[name])
        for name, sdtype in kinds.items()
        if sdtype in ORDERED
    }
    numbers = {name: own for name, own in ordered.items() if kinds[name] == 'numerical'}
    others = [*categories, *numbers]
    fixed = list(find_fixed(table, categories, others, ROWS_PER_VALUE))
    yield from _find_combinations(table, categories, fixed)
    yield from _find_orders(ordered, kinds)
    for constraint, rules in ((IF_THEN, fixed), (FORMULA, find_sums(numbers))):
        for rule in rules:
            shares = {'obey': rule.obey, 'by chance': rule.by_chance}
            named = {'columns': rule.columns, 'parameters': rule.parameters}
            yield {'constraint': constraint, **named, **shares}


def _find_combinations(
    table: pd.DataFrame, names: list[str], fixed: list[Found]
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of categories of which one follows from the other, in either direction."""
    known = {(rule.columns[0], other) for rule in fixed for other in rule.columns[1:]}
    categories = {name: pd.factorize(table[name])[0] for name in names}
    for pair in combinations(categories, 2):
        if pair in known or pair[::-1] in known:
            continue
        shares = [_follows(categories[a], categories[b]) for a, b in (pair, pair[::-1])]
        obey, by_chance = max(shares, key=lambda share: share[0] - share[1])
        yield from _tell(COMBINATIONS, {'column_names': list(pair)}, pair, obey, by_chance)


def _find_orders(
    ordered: Mapping[str, pd.Series], kinds: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of numbers, or of dates, that ascend."""
    for low, high in combinations(ordered, 2):
        if kinds[low] != kinds[high]:
            continue
        for pair in ((low, high), (high, low)):
            obey, by_chance = is_below(ordered[pair[0]], ordered[pair[1]])
            names = {'low_column_name': pair[0], 'high_column_name': pair[1]}
            yield from _tell(INEQUALITY, names, pair, obey, by_chance)


def _tell(
    constraint: str,
    parameters: dict[str, Any],
    columns: Sequence[str],
    obey: float,
    by_chance: float,
) -> Iterator[dict[str, Any]]:
    least = 0.0 if constraint == TOTAL else MOST_OBEY  # noise masks whether rows add up
    if obey >= least and by_chance <= FEWER_BY_CHANCE:
        shares = {'obey': obey, 'by chance': by_chance}
        named = {'columns': list(columns), 'parameters': parameters}
        yield {'constraint': constraint, **named, **shares}


def _follows(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[float, float]:
    """Return the share of rows in which b is its mode given a, and its overall mode."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    if not len(a) or len(a) < ROWS_PER_VALUE * (a.max() + 1):
        return 0.0, 0.0
    counts = np.bincount(a * (b.max() + 1) + b, minlength=(a.max() + 1) * (b.max() + 1))
    counts = counts.reshape(a.max() + 1, -1)
    return float(counts.max(axis=1).sum() / len(a)), float(counts.sum(axis=0).max() / len(a))
