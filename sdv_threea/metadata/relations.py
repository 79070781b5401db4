"""Relations of columns in samples of a release, suggested as constraints.

Formal guarantees, of every function here:
    * the result is a function of sampled rows and of metadata, so post-processing of the release:
      no private row is read, and nothing is charged
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations
from typing import Any, Protocol

import numpy as np
import pandas as pd

from sdv_threea.metadata.candidates import (
    LEAST_CORRELATION,
    MEAN_APART,
    Array,
    Candidate,
    Rule,
    as_numbers,
    find_between,
    is_near,
    join_ends,
    judge,
    plain,
)

#: A column may follow from another one only if each value of the other has this many rows on
#: average, because a value that occurs once determines every other column.
ROWS_PER_VALUE = 20

#: A value fixes a column if, in its rows, at most MOST_VALUES values make up LEAST_SHARE of the
#: column, and these values are at most RARE_ELSEWHERE frequent in other rows. (A fixed value is,
#: for example, the code of people who were not asked a question.)
MOST_VALUES, LEAST_SHARE, RARE_ELSEWHERE = 3, 0.9, 0.5

#: The largest number of parts of a sum, and the most columns searched for parts.
MOST_PARTS, MOST_NUMBERS = 4, 16

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
        num_rows: Rows to sample of a single table. Databases are sampled at their released size.

    Returns:
        A row for each relation, first those that are least likely by chance: ``table``,
        ``constraint`` (the name of a class of :mod:`sdv.cag`, or of :mod:`sdv_threea.constraints`),
        ``columns``, ``parameters`` (its arguments by name), ``obey`` (the share of complete sampled
        rows that obey), and ``by chance`` (the share that would by chance). Noise masks whether
        single rows add up. So a ``Formula`` or ``TotalOf`` is suggested if means add up and columns
        vary together; a row then obeys within half a standard deviation.

    Raises:
        sdv.errors.SamplingError: If the synthesizer is not fitted.
    """
    metadata = synthesizer.metadata.to_dict()
    single = len(metadata['tables']) == 1
    tables = synthesizer.sample(num_rows) if single else synthesizer.sample_scale()
    found = [
        (name, *rule)
        for name, table in tables.items()
        for rule in _find_rules(table, metadata['tables'][name])
    ]
    between = join_ends(judge(find_between(tables, metadata)), metadata)
    found += [(rule.columns[0].split('.')[0], *rule) for rule in between]
    names = ['table', 'constraint', 'columns', 'parameters', 'obey', 'by chance']
    relations = pd.DataFrame(found, columns=names)
    return relations.sort_values('by chance', kind='stable', ignore_index=True)


def _find_rules(table: pd.DataFrame, description: Mapping[str, Any]) -> Iterator[Rule]:
    columns, keys = description['columns'], {description.get('primary_key')}
    kinds = {name: facts['sdtype'] for name, facts in columns.items() if name not in keys}
    categories = [name for name, sdtype in kinds.items() if sdtype in CATEGORIES]
    ordered = {
        name: as_numbers(table[name], columns[name])
        for name, sdtype in kinds.items()
        if sdtype in ORDERED
    }
    numbers = [name for name in ordered if kinds[name] == 'numerical']
    fixed = list(_find_fixed(table, categories, [*categories, *numbers]))
    known = {frozenset((rule.columns[0], other)) for rule in fixed for other in rule.columns[1:]}
    yield from _find_combinations(table, categories, known)
    for pair in permutations(ordered, 2):
        if kinds[pair[0]] == kinds[pair[1]]:
            parameters = dict(zip(('low_column_name', 'high_column_name'), pair, strict=True))
            arrays = (ordered[name].to_numpy() for name in pair)
            order = Candidate('Inequality', [*pair], parameters, np.less_equal, *arrays)
            yield from judge(iter([order]))
    yield from fixed
    yield from judge(_find_sums(pd.DataFrame({name: ordered[name] for name in numbers})))


def _find_combinations(
    table: pd.DataFrame, names: list[str], known: set[frozenset[str]]
) -> Iterator[Rule]:
    codes = {name: pd.factorize(table[name])[0] for name in names}
    arrays = {name: np.where(own < 0, np.nan, own) for name, own in codes.items()}
    for pair in combinations(names, 2):
        columns, parameters = list(pair), {'column_names': list(pair)}
        both = (
            Candidate('FixedCombinations', columns, parameters, _follows, arrays[a], arrays[b])
            for a, b in (pair, pair[::-1])
        )
        rules = list(judge(both)) if frozenset(pair) not in known else []
        if rules:
            yield max(rules, key=lambda rule: rule.obey - rule.by_chance)


def _follows(one: Array, other: Array) -> Array:
    """Return true for rows with the most frequent value of ``other`` given that of ``one``."""
    a, b = one.astype(np.int64), other.astype(np.int64)
    if len(a) < ROWS_PER_VALUE * (a.max() + 1):
        return np.zeros(1)
    counts = np.zeros((a.max() + 1, b.max() + 1), dtype=np.int64)
    np.add.at(counts, (a, b), 1)
    return np.asarray(counts.argmax(axis=1)[a] == b)


def _find_fixed(table: pd.DataFrame, conditions: list[str], others: list[str]) -> Iterator[Rule]:
    """Yield the values of ``conditions`` that fix values of ``others``.

    A column that every value of a condition fixes is left out: it follows from the condition.
    """
    codes = {name: pd.factorize(table[name], use_na_sentinel=False) for name in others}
    found: list[tuple[str, Any, dict[str, _Fixed]]] = []
    for name in conditions:
        by_value = {
            value: {
                other: own
                for other in others
                if other != name and (own := _fix(codes[other], rows))
            }
            for value, rows in table.groupby(name, observed=True).indices.items()
            if ROWS_PER_VALUE <= len(rows) <= len(table) - ROWS_PER_VALUE
        }
        always = set(others).intersection(*by_value.values())
        for value, fixed in by_value.items():
            left = {other: own for other, own in fixed.items() if other not in always}
            found.append((name, value, left))
    yield from _leave_out_implied(found)


def _leave_out_implied(found: list[tuple[str, Any, dict[str, _Fixed]]]) -> Iterator[Rule]:
    """Yield rules, those about most columns first, without rules that earlier ones imply.

    Two columns that a rule relates are related again only by rules with the same condition column.
    """
    owners: dict[frozenset[str], str] = {}
    for name, value, fixed in sorted(found, key=lambda rule: -len(rule[2])):
        kept = {
            other: own
            for other, own in fixed.items()
            if owners.get(frozenset((name, other)), name) == name
        }
        for pair in combinations([name, *kept], 2):
            owners.setdefault(frozenset(pair), name)
        if kept:
            cells, obey, by_chance = zip(*kept.values(), strict=True)
            then = dict(zip(kept, cells, strict=True))
            given = {'if_column_name': name, 'if_values': [plain(value)], 'then_values': then}
            yield Rule('IfThen', [name, *then], given, min(obey), max(by_chance))


#: Fixed values of a column; the shares of rows that obey the rule, and that would by chance.
_Fixed = tuple[list[Any], float, float]


def _fix(factorized: Any, rows: Array) -> _Fixed | None:
    """Return values of a column that nearly all of these rows have, but few other rows."""
    codes, values = factorized
    here = np.isin(np.arange(len(codes)), rows)
    inside, outside = (
        np.bincount(codes[some], minlength=len(values)) / some.sum() for some in (here, ~here)
    )
    chosen = np.argsort(-inside, kind='stable')[:MOST_VALUES]
    chosen = chosen[inside[chosen] > outside[chosen]]
    passed = np.cumsum(inside[chosen])
    if not len(chosen) or passed[-1] < LEAST_SHARE:
        return None
    chosen = chosen[: int(np.argmax(passed >= LEAST_SHARE)) + 1]
    if outside[chosen].sum() > RARE_ELSEWHERE:
        return None
    cells = [plain(values[at]) for at in chosen]
    return cells, float(passed[len(chosen) - 1]), float(np.isin(codes, chosen).mean())


def _find_sums(numbers: pd.DataFrame) -> Iterator[Candidate]:
    """Yield columns that are likely sums of others: means add up, and the columns vary together."""
    table = numbers.iloc[:, :MOST_NUMBERS].dropna()
    table = table.loc[:, (table > 0).any() & (table >= 0).all()]
    means = table.mean()
    for total in table:
        small = means[(means >= MEAN_APART * means[total]) & (means < means[total])].index
        sums = [
            parts
            for size in range(2, MOST_PARTS + 1)
            for parts in combinations(small, size)
            if abs(means[list(parts)].sum() - means[total]) <= MEAN_APART * means[total]
        ]
        rated = [(table[list(parts)].sum(axis=1).corr(table[total]), parts) for parts in sums]
        correlation, best = max(rated, default=(0.0, ()))
        if correlation >= LEAST_CORRELATION:
            formula = ' + '.join(part if part.isidentifier() else f'`{part}`' for part in best)
            added, own = table[list(best)].sum(axis=1).to_numpy(), table[total].to_numpy()
            parameters = {'column_name': total, 'formula': formula}
            yield Candidate('Formula', [total, *best], parameters, is_near, own, added)
