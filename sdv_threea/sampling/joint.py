"""Draws from a joint density: bins from a chain, and places inside the bins from a mixture.

Conditions on codes say which bins may occur, and where in a bin a row may lie. The conditioned
columns are put first in the chain. One of them is drawn exactly, with the class. Each further one
is drawn given those before it and comes with an importance weight, and rows are resampled from a
pool of such draws: the law converges to the exact one as the pool grows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.joint.chain import Chain
from sdv_threea.joint.joint import Joint
from sdv_threea.sampling.conditional import ImpossibleCondition, Region, draw_within

#: Draws in the pool from which rows are resampled, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 256

#: The codes that may occur, by column and class: shape (C, S).
Possible = Mapping[int, NDArray[np.bool_]]


def draw_jointly(
    mixture: Mixture, joint: Joint, num_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw rows: classes, shape (n,), and places, shape (n, m): bins plus quantiles inside them."""
    classes, quantiles = mixture.sample(num_rows, rng)
    bins = joint.chain.draw(num_rows, rng, _know_class(joint, classes))
    return classes, _place(bins[:, : quantiles.shape[1]], quantiles)


def draw_jointly_within(
    mixture: Mixture,
    scores: NormalScores,
    joint: Joint,
    possible: Possible,
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw rows that meet conditions.

    Args:
        mixture: The density of places inside bins, by class.
        scores: Between codes and places.
        joint: The distribution of the bins.
        possible: The codes that may occur, of the conditioned columns.
        num_rows: How many.
        rng: Source of randomness; it needs no secrecy.

    Returns:
        Classes, shape (n,), and places, shape (n, m): bins plus quantiles inside them.

    Raises:
        ImpossibleCondition: If the conditions have no probability.
    """
    masses = {at: _weigh_bins(scores, joint, at, codes) for at, codes in possible.items()}
    first = sorted(masses, key=lambda at: float(masses[at].sum()))
    lead = [] if joint.class_column is None else [joint.class_column]
    chain = joint.chain_from([*lead, *first], rng)
    totals = mixture.weights.sum(axis=1)
    size = num_rows if len(first) == 1 else max(LEAST_POOL, POOL_PER_ROW * num_rows)
    classes, known = _draw_first(chain, joint, totals, first, masses, size, num_rows, rng)
    bins = chain.draw(num_rows, rng, known)[:, : len(scores.cuts)]
    return classes, _draw_places(mixture, scores, possible, classes, bins, rng)


def _draw_first(  # noqa: PLR0913 (a chain, what is known, and how many)
    chain: Chain,
    joint: Joint,
    totals: NDArray[np.float64],
    first: list[int],
    masses: Mapping[int, NDArray[np.float64]],
    size: int,
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], dict[int, NDArray[np.int64]]]:
    """Draw the classes and the bins of the conditioned columns."""
    labels = np.arange(len(totals))
    links = {link.column: link for link in chain.links}
    bins = np.zeros((len(labels), len(chain.links)), dtype=np.int64)
    if joint.class_column is not None:
        bins[:, joint.class_column] = labels
    chances = totals[:, None] * _normalize(links[first[0]].chances(bins)) * masses[first[0]]
    if not chances.sum() > 0:
        raise ImpossibleCondition('The released model gives this condition no probability.')
    drawn = rng.choice(chances.size, size=size, p=chances.ravel() / chances.sum())
    classes, own = np.divmod(drawn, chances.shape[1])
    rows = np.zeros((size, len(chain.links)), dtype=np.int64)
    rows[:, first[0]] = own
    if joint.class_column is not None:
        rows[:, joint.class_column] = classes
    weights = np.ones(size)
    for at in first[1:]:
        chances = _normalize(links[at].chances(rows)) * masses[at][classes]
        total = chances.sum(axis=1)
        weights *= total
        passed = np.cumsum(chances, axis=1)
        places = rng.random(size) * total
        last = chances.shape[1] - 1 - np.argmax(chances[:, ::-1] > 0, axis=1)
        rows[:, at] = np.minimum((passed <= places[:, None]).sum(axis=1), last)
    if not weights.sum() > 0:
        raise ImpossibleCondition('The released model gives this condition no probability.')
    if len(first) > 1:
        chosen = rng.choice(size, size=num_rows, p=weights / weights.sum())
        rows, classes = rows[chosen], classes[chosen]
    known = {at: rows[:, at] for at in first}
    return classes, known | _know_class(joint, classes)


def _weigh_bins(
    scores: NormalScores, joint: Joint, at: int, codes: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Find the share of each bin that is allowed, by class, shape (C, K)."""
    inside = np.empty(codes.shape)
    inside[:, scores.orders[at]] = np.diff(scores.cuts[at], axis=1)
    bins, size = np.maximum(joint.bins[at], 0), scores.shares[at].shape[1]
    return np.stack([np.bincount(bins, row, size) for row in inside * codes])


def _draw_places(
    mixture: Mixture,
    scores: NormalScores,
    possible: Possible,
    classes: NDArray[np.int64],
    bins: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Draw places inside bins: rows of one class and with the same conditioned bins together."""
    columns = np.array(sorted(possible), dtype=np.int64)
    keys = np.column_stack([classes, bins[:, columns]])
    kinds, members = np.unique(keys, axis=0, return_inverse=True)
    places = np.empty(bins.shape)
    for number, (label, *own) in enumerate(kinds):
        rows = np.flatnonzero(members.ravel() == number)
        allowed = np.arange(len(mixture.weights)) == label
        intervals = [
            _intervals(scores.intervals(at, possible[at][label])[label], which)
            for at, which in zip(columns, own, strict=True)
        ]
        padded = np.zeros((len(allowed), len(columns), max(map(len, intervals)), 2))
        for at, each in enumerate(intervals):
            padded[label, at, : len(each)] = each
        quantiles = draw_within(mixture, Region(allowed, columns, padded), len(rows), rng)[1]
        places[rows] = _place(bins[rows], quantiles)
    return places


def _intervals(runs: NDArray[np.float64], which: int) -> NDArray[np.float64]:
    """Keep what lies in one bin of runs of places, shape (I, 2), as quantiles of the bin."""
    inside = np.clip(runs, which, which + 1.0) - which
    return inside[inside[:, 1] > inside[:, 0]]


def _know_class(joint: Joint, classes: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    return {} if joint.class_column is None else {joint.class_column: classes}


def _place(bins: NDArray[np.int64], quantiles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put quantiles into bins; a quantile of one stays in its bin."""
    return np.minimum(bins + quantiles, np.nextafter(bins + 1.0, 0))


def _normalize(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
