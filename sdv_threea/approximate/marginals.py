"""Normal scores from released counts: post-processing.

Counts of all records determine the distribution of each column; coarser counts by class determine
how classes differ. Both define the normal scores, whose moments determine the correlations.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sdv_threea.approximate.bins import (
    bin_weights,
    cut_bins,
    num_class_bins,
    reconcile,
)
from sdv_threea.approximate.counts import BinPlan, ClassCounts, ClassPlan, Counts
from sdv_threea.approximate.histograms import column_shares, keep_ends
from sdv_threea.approximate.logits import Seen, class_rates
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import NormalScores, normal_scores, target_order
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import ApproximateConstants
from sdv_threea.encoding.classes import Classes

#: Number of quadrature nodes for the expected fraction after clipping.
NODES = 9


class Density(NamedTuple):
    """Result of the stage: the distribution and the correlations of columns in each class.

    Args:
        masks: For each column, the codes that can occur, shape (S,).
        scores: The normal scores within classes.
        pooled: The normal scores over all classes.
        radius: The norm to which scores are clipped, in score units.
        correlations: Correlations of the normals behind the scores by class, shape (C, m, m).
        chances: For each column, smoothed code probabilities by class, shape (C, S); empty if there
            is one class.
    """

    classes: Classes
    counts: Counts
    masks: tuple[Bools, ...]
    scores: NormalScores
    pooled: NormalScores
    radius: int
    correlations: Floats
    chances: tuple[Floats, ...]


def plan_class_counts(
    counts: Counts,
    masks: Sequence[Bools],
    ordered: Sequence[bool],
    scale: float,
    constants: ApproximateConstants,
) -> ClassPlan:
    """Return bins and weights of counts by class; ``scale`` is the noise of unweighted counts."""
    num_bins = num_class_bins(counts.totals, scale, constants)
    least = constants.clear_of_noise() * scale / counts.totals.sum()
    plans, masses = [], []
    for at, (mask, natural) in enumerate(zip(masks, ordered, strict=True)):
        shares = _shares(at, counts.columns[at], counts, mask, natural, constants)
        bins = np.arange(len(mask))
        if natural:
            bins = cut_bins(shares, mask, num_bins, least, constants)
        of_bins = np.bincount(bins, shares).astype(np.float64)
        weights = bin_weights(of_bins, scale / counts.totals.sum())
        plans.append(BinPlan(bins, natural, weights))
        masses.append(of_bins)
    return shorten(plans, masses, constants) if scale else _count_exactly(plans)


def shorten(
    plans: Sequence[BinPlan], shares: Sequence[Floats], constants: ApproximateConstants
) -> ClassPlan:
    """Return the plan with a clipping norm that few records exceed if columns are independent."""
    squares = [plan.weights.astype(np.float64) ** 2 for plan in plans]
    pairs = list(zip(shares, squares, strict=True))
    means = np.array([own @ each for own, each in pairs])
    variances = np.array([own @ each**2 for own, each in pairs]) - means**2
    spread = np.sqrt(np.maximum(variances, 0.0))
    squared = means.sum() + constants.clip * np.sqrt(np.square(spread).sum())
    radius = math.ceil(math.sqrt(max(squared, 1.0)))
    # Normal approximation of the other columns' squared weights.
    nodes, parts = np.polynomial.hermite_e.hermegauss(NODES)
    kept = []
    for at, own in enumerate(squares):
        mean, rest = means.sum() - means[at], np.square(spread).sum() - spread[at] ** 2
        others = np.maximum(mean + math.sqrt(max(rest, 0.0)) * nodes, 0.0)
        norms = np.sqrt(own[:, None] + others)
        kept.append(np.minimum(1.0, radius / np.maximum(norms, 1.0)) @ parts / parts.sum())
    return ClassPlan(tuple(plans), radius, tuple(kept))


def _count_exactly(plans: Sequence[BinPlan]) -> ClassPlan:
    ones = [np.ones(len(plan.weights), dtype=np.int64) for plan in plans]
    alike = tuple(plan._replace(weights=own) for plan, own in zip(plans, ones, strict=True))
    kept = tuple(own.astype(np.float64) for own in ones)
    return ClassPlan(alike, math.isqrt(len(plans)) + 1, kept)


def fit_scores(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: Counts,
    by_class: ClassCounts | None,
    chances: Sequence[Floats],
    masks: Sequence[Bools],
    ordered: Sequence[bool],
    evident_ends: Sequence[bool],
    constants: ApproximateConstants,
) -> tuple[NormalScores, NormalScores]:
    """Return normal scores within classes and over all classes, from released counts.

    The distributions come from ``chances`` (see :func:`class_chances`), or from ``by_class``
    without noise.
    """
    histograms, orders, totals = [], [], counts.totals
    # The share of one record, or less if the noise is less: counts cannot exclude such a share.
    least = min(counts.scale, 1.0) / totals.sum()
    columns = zip(masks, ordered, evident_ends, strict=True)
    for at, (mask, natural, evident) in enumerate(columns):
        if by_class is None:
            found = _shares(at, counts.columns[at], counts, mask, natural, constants)[None]
        elif by_class.scales[at].any():
            found = chances[at]
        else:
            found = _counted(by_class, at, mask)
        histograms.append(keep_ends(found, mask, least) if evident else found)
        orders.append(np.arange(len(mask)) if natural else target_order(found, totals))
    pooled = tuple((counts.shares @ table)[None] for table in histograms)
    of_classes = normal_scores(tuple(histograms), tuple(orders), len(counts.totals))
    return of_classes, normal_scores(pooled, tuple(orders), 1)


def class_chances(
    counts: Counts,
    by_class: ClassCounts | None,
    masks: Sequence[Bools],
    ordered: Sequence[bool],
    constants: ApproximateConstants,
) -> tuple[Floats, ...]:
    """Return smoothed code probabilities by class, shape (C, S) per column; none for one class.

    Sampling error is smoothed away with the noise, because sampling error does not generalise.
    Inside a bin all classes share one distribution.
    """
    if by_class is None:
        return ()
    of_codes, seen, used = [], [], []
    for at, (mask, natural) in enumerate(zip(masks, ordered, strict=True)):
        shares = _shares_of_both(counts, by_class, at, mask, natural, constants)
        occupied = np.flatnonzero(np.bincount(by_class.plans[at].bins[mask]))
        of_codes.append(shares)
        used.append(occupied)
        seen.append(_see(counts, by_class, at, mask, shares, occupied))
    rates, chances = class_rates(seen, counts.totals, constants), []
    for own, occupied, shares, plan in zip(rates, used, of_codes, by_class.plans, strict=True):
        of_bins = np.zeros((len(own), len(plan.weights)))
        of_bins[:, occupied] = own / counts.shares[:, None]
        table = of_bins[:, plan.bins] * shares
        chances.append(table / table.sum(axis=1, keepdims=True))
    return tuple(chances)


def clip_radius(variances: Floats, clip: float) -> int:
    """Return the norm to which scores are clipped, in score units: few records exceed it.

    ``variances`` are those of the scores of each class, shape (C, m). The squared norm of
    independent normals of variances ``v`` has mean ``sum v`` and variance ``2 sum v^2``; the bound
    lies ``clip`` standard deviations above the mean. A multiple of the mean would be too low for
    few columns and too high for many.
    """
    means = variances.sum(axis=1)
    deviations = np.sqrt(2 * np.square(variances).sum(axis=1))
    # Without columns, or without variance, the norm still has to be positive.
    squared = max(float((means + clip * deviations).max()), 1.0)
    return math.ceil(SCORE_UNITS * math.sqrt(squared))


def _shares(
    at: int,
    column: Floats,
    counts: Counts,
    mask: Bools,
    ordered: bool,
    constants: ApproximateConstants,
) -> Floats:
    total = float(counts.totals.sum())
    return column_shares(column, total, mask, constants, scale=counts.noise(at), ordered=ordered)


def _shares_of_both(
    counts: Counts,
    by_class: ClassCounts,
    at: int,
    mask: Bools,
    ordered: bool,
    constants: ApproximateConstants,
) -> Floats:
    own, scales = by_class.columns[at], by_class.scales[at]
    # Counts by class add up to a second count of the column, in coarse bins.
    column = reconcile(
        counts.columns[at],
        counts.noise(at),
        own.sum(axis=0),
        scales * math.sqrt(len(own)),
        by_class.plans[at].bins,
    )
    return _shares(at, column, counts, mask, ordered, constants)


def _see(
    counts: Counts, by_class: ClassCounts, at: int, mask: Bools, shares: Floats, occupied: Wholes
) -> Seen:
    plan, size = by_class.plans[at], len(by_class.plans[at].weights)

    def add_up(codes: Floats) -> Floats:
        return np.asarray(np.bincount(plan.bins, codes * mask, size)[occupied], dtype=np.float64)

    linked = np.full(len(occupied), plan.ordered)
    linked[:1] = False
    linked[1:] &= occupied[:-1] > 0  # the missing value is outside the order
    return Seen(
        by_class.columns[at][:, occupied],
        by_class.scales[at][occupied],
        add_up(counts.columns[at]),
        add_up(np.full(len(mask), counts.scale**2)),
        add_up(shares) * counts.totals.sum(),
        linked,
    )


def _counted(by_class: ClassCounts, at: int, mask: Bools) -> Floats:
    counted = by_class.columns[at][:, by_class.plans[at].bins] * mask
    # An empty class gets the pooled probabilities.
    whole = counted.sum(axis=1, keepdims=True)
    pooled = counted.sum(axis=0) if counted.any() else mask.astype(np.float64)
    return np.asarray(
        np.where(whole > 0, counted, pooled) / np.where(whole > 0, whole, pooled.sum())
    )
