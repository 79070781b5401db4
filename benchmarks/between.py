"""What samples keep between the tables of a database, and between the rows of one unit.

Scores of shapes and pairs are high where each row is plausible by itself. These measures look at
rows together, by the foreign keys. Every attribute is cut into bins of the
real data first (``benchmarks/views.py``).

* *kept*: with ``D`` the shares of pairs of bins less the product of the margins, the sum of
  ``<D_synthetic, D_real>`` over that of ``|D_real|^2``: 1 is all dependence, 0 none. Rows are
  paired with their owner, a public parent, a sibling, a grandparent, and a row of another child
  table of the same owner. A link counts if its real ``|D|^2`` exceeds that of shuffled pairs.
* *const*: how often two siblings have the same bin, beyond chance, compared with real siblings. An
  attribute counts if at least nine units with siblings depart from its commonest bin: which units
  there are is chance, and moves fewer by more than a third.
* *dates*: how often an order of two dates holds that holds in 98 % of the real rows.
* *two-hop*: the median relative error of 150 counts of at least 50 rows, with one condition on a
  row and one on its owner or public parent.
* *two-individual*: the mean of ``|c - c'| / max(0.01 n, c)`` over counts with one condition on each
  of two siblings.
* *told apart*: the AUC of a classifier that tells real rows, with their owner's columns and the
  aggregates of their children, from synthetic ones. 0.5 is best. Rows of one owner are on one side
  of each split.
* *cardinality*: one minus the distance (KS) of the numbers of children of an owner.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from runner import Row
from scipy.stats import ks_2samp
from sklearn.model_selection import StratifiedGroupKFold, cross_val_score
from views import Pairing, View

#: The share of real rows in which a rule holds.
HOLDS = 0.98

#: Number of two-hop counts, and the least of them.
NUM_COUNTS, LEAST_COUNT = 150, 50

#: Rows that the classifier sees of each side.
MOST_ROWS = 3000

#: Shuffles that a real dependence has to exceed, so one in twenty does by chance; pairs in each.
NUM_SHUFFLES, MOST_SHUFFLED = 19, 10_000

#: The fewest units that say how constant an attribute is. Their number is a Poisson count, so this
#: is three standard deviations away from none.
FEWEST_UNITS = 9


def measure_between(real: View, synthetic: View, seed: int = 0) -> Row:
    """Measure what a synthetic database kept, in the bins of the real one: see the module."""
    pairs = [each.pair(np.random.default_rng(seed)) for each in (real, synthetic)]
    kept: dict[str, list[float]] = {}
    hops: list[NDArray[np.float64]] = []
    individuals = []
    for true, made in zip(*pairs, strict=True):
        counts, others = real.count(true), synthetic.count(made)
        num, other = len(true.rows[0]), len(made.rows[0])
        share, least = (_depend(each, n) for each, n in ((counts, num), (others, other)))
        if _exceeds_chance(real, true, float((share * share).sum())):
            kept.setdefault(true.kind, [0.0, 0.0])
            kept[true.kind][0] += float((share * least).sum())
            kept[true.kind][1] += float((share * share).sum())
        if true.kind in ('owner', 'public parent'):
            hops.append(np.stack([counts.ravel(), others.ravel()]))
        if true.kind == 'siblings' and num:
            errors = np.abs(counts - others) / np.maximum(0.01 * num, counts)
            individuals.append(errors[counts + others > 0])
    shares = {f'kept: {kind}': up / down for kind, (up, down) in kept.items() if down > 0}
    return {
        **shares,
        'const': _compare_constancy(real, synthetic, *pairs),
        'dates': _compare_dates(real, synthetic),
        'two-hop': _measure_counts(np.concatenate(hops, axis=1), seed),
        'two-individual': _mean(individuals),
        'told apart': _tell_apart(real, synthetic, seed),
        'cardinality': _compare_cardinality(real, synthetic),
    }


def _mean(parts: list[NDArray[np.float64]]) -> float:
    return float(np.concatenate(parts).mean()) if parts else np.nan


def _depend(counts: NDArray[np.float64], num: int) -> NDArray[np.float64]:
    """Return shares less the product of their margins; all attributes have the same rows."""
    if not num or not counts.size:
        return np.zeros_like(counts)
    # A margin is found once for each attribute of the other side.
    num_pairs = counts.sum() / num
    margins = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / num_pairs
    return counts / num - margins / num**2


def _exceeds_chance(view: View, pairing: Pairing, power: float) -> bool:
    """Return whether a dependence ``|D|^2`` exceeds that of shuffled pairs, which falls by 1/n."""
    rng, num = np.random.default_rng(0), len(pairing.rows[0])
    some = rng.permutation(num)[:MOST_SHUFFLED]
    for _ in range(NUM_SHUFFLES if power else 0):
        dealt = pairing._replace(
            rows=(pairing.rows[0][some], pairing.rows[1][rng.permutation(some)])
        )
        chance = float(np.square(_depend(view.count(dealt), len(some))).sum())
        if chance * len(some) / num >= power:
            return False
    return power > 0


def _compare_constancy(
    real: View, synthetic: View, pairs: list[Pairing], others: list[Pairing]
) -> float:
    """Return how constant attributes are in a unit, compared with the real ones; NaN if none is."""
    found = [_constancy(view, own) for view, own in ((real, pairs), (synthetic, others))]
    found[0] *= _count_departing(real, pairs) >= FEWEST_UNITS
    down = float((found[0] ** 2).sum())
    return float((found[0] * found[1]).sum()) / down if down else np.nan


def _constancy(view: View, pairs: list[Pairing]) -> NDArray[np.float64]:
    """Return how often siblings have the same bin of each attribute, beyond chance."""
    found = []
    for one in pairs:
        if one.kind != 'siblings':
            continue
        first, second = one.rows
        for attribute, codes in view.codes[one.left].items():
            size = view.attributes[one.left][attribute].size
            every = np.bincount(codes, minlength=size) / max(len(codes), 1)
            chance = float(every @ every)
            same = float((codes[first] == codes[second]).mean()) if len(first) else chance
            found.append((same - chance) / (1 - chance) if chance < 1 else 0.0)
    return np.array(found)


def _count_departing(view: View, pairs: list[Pairing]) -> NDArray[np.int64]:
    """Count the owners of siblings of which one has not the commonest bin, by attribute."""
    found = []
    for one in pairs:
        if one.kind == 'siblings':
            owner = view.schema.owners[one.left]
            assert owner is not None
            rows = np.concatenate(one.rows)
            for codes in view.codes[one.left].values():
                apart = rows[codes[rows] != np.bincount(codes).argmax()] if len(codes) else rows
                found.append(len(np.unique(view.parents[owner][apart])))
    return np.array(found, dtype=np.int64)


def _list_dates(view: View) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
    """List pairs of dates: of one row, and of a row and its owner."""
    for table in view.schema.private:
        data, owner = view.data, view.schema.owners[table]
        dates = {f'{table}.{each}': data[table][each].to_numpy() for each in view.dates[table]}
        if owner is not None:
            for each in view.dates[owner.parent]:
                above = np.append(data[owner.parent][each].to_numpy(), np.nan)
                dates[f'{owner.parent}.{each}'] = above[view.parents[owner]]
        for one in dates:
            for other in dates:
                if one != other and one.startswith(f'{table}.'):
                    yield f'{one} <= {other}', dates[one], dates[other]
                    if not other.startswith(f'{table}.'):
                        yield f'{other} <= {one}', dates[other], dates[one]


def _compare_dates(real: View, synthetic: View) -> float:
    """Return the mean share of rows in which orders of dates hold that hold in the real rows."""
    found = []
    for (_, *true), (_, *made) in zip(_list_dates(real), _list_dates(synthetic), strict=True):
        shares = [_share_ordered(*each) for each in (true, made)]
        if shares[0] >= HOLDS:
            found.append(shares[1])
    return float(np.nanmean(found)) if found else np.nan


def _share_ordered(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    here = ~np.isnan(first) & ~np.isnan(second)
    return float((first[here] <= second[here]).mean()) if here.any() else np.nan


def _measure_counts(counts: NDArray[np.float64], seed: int) -> float:
    """Return the median relative error of some large counts: real in row 0, synthetic in 1."""
    large = np.flatnonzero(counts[0] >= LEAST_COUNT)
    large = np.random.default_rng(seed).permutation(large)[:NUM_COUNTS]
    true, made = counts[:, large]
    return float(np.median(np.abs(true - made) / true)) if len(large) else np.nan


def _tell_apart(real: View, synthetic: View, seed: int) -> float:
    """Return the mean over private tables of the AUC of real against synthetic rows."""
    found, views = [], (real, synthetic)
    for table in real.schema.private:
        sides = [each.widen(table) for each in views]
        num = min(MOST_ROWS, *map(len, sides))
        if num < LEAST_COUNT:
            continue
        # Columns are named by number, as LightGBM refuses some characters.
        chosen = [side.sample(num, random_state=seed) for side in sides]
        owners = [own.number(table)[side.index] for own, side in zip(views, chosen, strict=True)]
        groups = np.append(owners[0], -1 - owners[1])  # no owner is on both sides
        rows, labels = pd.concat(chosen).to_numpy(np.float64), np.repeat([0, 1], num)
        model = LGBMClassifier(n_estimators=60, num_leaves=15, n_jobs=1, verbose=-1)
        splits = StratifiedGroupKFold(3, shuffle=True, random_state=seed)
        terms = {'groups': groups, 'cv': splits, 'scoring': 'roc_auc'}
        scores = cross_val_score(model, rows, labels, **terms)
        found.append(float(scores.mean()))
    return float(np.mean(found)) if found else np.nan


def _compare_cardinality(real: View, synthetic: View) -> float:
    """Return one minus the mean distance of the numbers of children of private owners."""
    found = []
    for link in (real.schema.owners[table] for table in real.schema.private):
        if link is not None:
            sides = [
                np.bincount(own[own >= 0], minlength=len(view.data[link.parent]))
                for view, own in ((each, each.parents[link]) for each in (real, synthetic))
            ]
            found.append(1 - float(ks_2samp(*sides).statistic))
    return float(np.mean(found)) if found else np.nan
