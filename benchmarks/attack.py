"""A membership attack on synthetic rows: was this record among the private ones?

The attacker knows the synthesizer, its settings and every private row but for the targets, so it
can fit *shadows*: synthesizers on those rows, with and without each target. A random forest learns
from what they sample to tell the two apart, and is judged on shadows that it has not seen (Stadler,
Oprisanu and Troncoso 2022, arXiv 2011.07018). Targets are the records farthest from their
neighbours (Meeus et al. 2023, arXiv 2306.10308). Nothing here knows what the synthesizer is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import auc, roc_auc_score, roc_curve

#: Neighbours that a record has to be far from to be a target.
NEIGHBOURS = 5

#: Bins of a number; a number agrees with the target's if it is this near, as a share of the range.
BINS, NEAR = 10, 0.02

#: Subsets of the columns on which synthetic rows are asked to agree with the target.
QUERIES = 200

#: Synthetic rows closest to the target whose distances are looked at.
CLOSEST = 20

#: The rate of false alarms at which detections are counted.
FALSE_ALARMS = 0.1

TREES, RESAMPLES = 100, 1_000

#: From private rows to synthetic ones, as many whatever the number of rows.
Synthesize = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class View:
    """How rows are read: numbers as shares of a range, categories as whole numbers."""

    ranges: dict[str, tuple[float, float]]
    categories: dict[str, list]

    @classmethod
    def of(cls, table: pd.DataFrame) -> View:
        """Take ranges and values from a table."""
        numbers = [name for name in table if pd.api.types.is_numeric_dtype(table[name].dtype)]
        ranges = {name: (float(table[name].min()), float(table[name].max())) for name in numbers}
        others = [name for name in table if name not in numbers]
        return cls(ranges, {name: table[name].value_counts().index.tolist() for name in others})

    def read(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """Read rows, numbers first, shape (n, m): -1 where missing, or no known value."""
        columns = [
            (table[name].astype(float) - low) / max(high - low, 1e-12)
            for name, (low, high) in self.ranges.items()
        ]
        columns += [
            pd.Series(pd.Categorical(table[name], values).codes, table.index, dtype=float)
            for name, values in self.categories.items()
        ]
        return pd.concat(columns, axis=1).fillna(-1.0).to_numpy()

    def differences(
        self, rows: NDArray[np.float64], row: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """How far each column of rows is from that of one row, in [0, 1], shape (n, m)."""
        apart = np.minimum(np.abs(rows - row), 1.0)
        categories = slice(len(self.ranges), None)
        apart[:, categories] = rows[:, categories] != row[categories]
        return apart


def choose_targets(table: pd.DataFrame, count: int) -> NDArray[np.int64]:
    """Find the rows with the largest mean distance to their nearest neighbours."""
    view = View.of(table)
    rows = view.read(table)
    isolation = [
        np.partition(view.differences(rows, row).mean(axis=1), NEIGHBOURS)[: NEIGHBOURS + 1].sum()
        for row in rows
    ]
    return np.argsort(isolation)[::-1][:count]


def attack(
    synthesize: Synthesize,
    table: pd.DataFrame,
    targets: NDArray[np.int64],
    num_shadows: tuple[int, int],
    seed: int,
) -> dict[str, float]:
    """Attack a synthesizer: what :func:`score` says, over all targets.

    Each shadow holds all other rows, and each target with a chance of one half, independently: one
    shadow serves all targets, which are places among the rows. Some shadows are learned from, the
    others are judged; both numbers are even.
    """
    rng = np.random.default_rng(seed)
    members = np.concatenate([_deal(num, len(targets), rng) for num in num_shadows])
    view, rest = View.of(table), table.drop(index=table.index[targets])
    known = view.read(table.iloc[targets])
    subsets = rng.random((QUERIES, known.shape[1])) < rng.random((QUERIES, 1))
    shadows = []
    for inside in members:
        synthetic = synthesize(pd.concat([rest, table.iloc[targets[inside]]], ignore_index=True))
        shadows.append(look(view, view.read(synthetic), known, subsets))
    learned = num_shadows[0]
    suspicion = np.empty((num_shadows[1], len(targets)))
    for at in range(len(targets)):
        looks = [np.stack([shadow[name][at] for shadow in shadows]) for name in shadows[0]]
        suspicion[:, at] = _judge(looks, members[:learned, at], rng.integers(2**31))
    return score(members[learned:], suspicion, rng)


def look(
    view: View, rows: NDArray[np.float64], targets: NDArray[np.float64], subsets: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    """Look at rows (n, m) in the ways of the literature: what is seen of each target (T, m).

    ``naive`` statistics of columns, ``histograms`` and ``correlations`` (Stadler et al. 2022) are
    the same for all targets. ``queries`` count rows that agree with the target on subsets of the
    columns, shape (Q, m), and ``closest`` are the distances of the nearest rows (Houssiau et al.
    2022, arXiv 2211.06550).
    """
    numbers = rows[:, : len(view.ranges)]
    categories = rows[:, len(view.ranges) :].astype(np.int64)
    moments = [numbers.mean(0), np.median(numbers, 0), numbers.std(0), numbers.min(0)]
    distinct = [len(np.unique(column)) for column in categories.T]
    naive = np.concatenate([*moments, numbers.max(0), (numbers < 0).mean(0), distinct])
    bins = [np.histogram(column, BINS, (0.0, 1.0))[0] for column in numbers.T]
    known = (len(listed) + 1 for listed in view.categories.values())
    counts = zip(categories.T, known, strict=True)
    bins += [np.bincount(column + 1, minlength=size) for column, size in counts]
    with np.errstate(invalid='ignore', divide='ignore'):
        correlations = np.nan_to_num(np.corrcoef(rows.T))[np.triu_indices(rows.shape[1], 1)]
    apart = np.stack([view.differences(rows, target) for target in targets])
    agreements = (apart <= NEAR).astype(float) @ subsets.T >= subsets.sum(axis=1)
    repeated = {'naive': naive, 'histograms': np.concatenate(bins), 'correlations': correlations}
    return {
        **{name: np.tile(seen, (len(targets), 1)) for name, seen in repeated.items()},
        'queries': agreements.sum(axis=1).astype(float),
        'closest': np.sort(apart.mean(axis=2), axis=1)[:, :CLOSEST],
    }


def score(
    members: NDArray[np.bool_], suspicion: NDArray[np.float64], rng: np.random.Generator
) -> dict[str, float]:
    """Score suspicions, shape (shadows, T), with 95 % intervals from resampled shadows.

    ``AUC`` is the area under the ROC curve: one half is guessing. ``detected`` is the share of the
    members that are found at :data:`FALSE_ALARMS`, which is also what guessing finds.
    """
    drawn = rng.integers(len(members), size=(RESAMPLES, len(members)))
    resampled = [_rates(members[each], suspicion[each]) for each in drawn]
    ends = np.quantile(resampled, [0.025, 0.975], axis=0)
    rates = zip(('AUC', 'detected'), _rates(members, suspicion), ends.T.tolist(), strict=True)
    scores = {}
    for name, rate, (low, high) in rates:
        scores |= {name: rate, f'{name} low': low, f'{name} high': high}
    return scores


def _deal(num_shadows: int, num_targets: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Put each target into half of the shadows."""
    halves = np.tile(np.arange(num_shadows)[:, None] % 2 == 0, (1, num_targets))
    return rng.permuted(halves, axis=0)


def _judge(
    looks: list[NDArray[np.float64]], members: NDArray[np.bool_], seed: int
) -> NDArray[np.float64]:
    """Suspect one target in the shadows to be judged, by the look that tells most in the others."""
    best, suspicion = -np.inf, np.empty(0)
    for seen in [*looks, np.concatenate(looks, axis=1)]:
        forest = RandomForestClassifier(TREES, oob_score=True, random_state=seed)
        forest.fit(seen[: len(members)], members)
        told = roc_auc_score(members, forest.oob_decision_function_[:, 1])
        if told > best:
            best, suspicion = told, forest.predict_proba(seen[len(members) :])[:, 1]
    return suspicion


def _rates(members: NDArray[np.bool_], suspicion: NDArray[np.float64]) -> tuple[float, float]:
    alarms, detections, _ = roc_curve(members.ravel(), suspicion.ravel())
    return float(auc(alarms, detections)), float(detections[alarms <= FALSE_ALARMS].max())
