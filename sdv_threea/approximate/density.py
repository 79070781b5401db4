"""The steps from released counts to normal scores: what is known of a column, put together.

Histograms of all records say how columns are distributed. Coarser ones by class say how the classes
depart from that. Both together define the normal scores, whose moments say how the columns hang
together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.bins import (
    bin_weights,
    cut_bins,
    num_class_bins,
    reconcile,
)
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.counts import BinPlan, ClassCounts, ClassPlan, Counts
from sdv_threea.approximate.histograms import column_shares, keep_ends
from sdv_threea.approximate.moments import SCORE_UNITS, ScoreMoments
from sdv_threea.approximate.odds import Seen, class_rates
from sdv_threea.approximate.scores import NormalScores, normal_scores, target_order
from sdv_threea.encoding.classes import Classes
from sdv_threea.privacy.statistics import histogram_sensitivity

#: Nodes of the quadrature that says how much of records' weights is kept.
NODES = 9


class Density(NamedTuple):
    """What the stage returns: how columns are distributed in the classes, and hang together.

    Args:
        classes: The ``C`` classes.
        counts: Histograms of all columns, and the sizes of the classes.
        masks: For each column, the codes that can occur, shape (S,).
        scores: The score of each code in each class.
        pooled: The same among all classes.
        radius: The norm that scores are clipped to, in score units.
        moments: Moments of the scores in each class.
        correlations: Those of the normals behind the scores in each class, shape (C, m, m).
        chances: For each column, the probabilities of the codes in the classes of which the records
            are a sample, shape (C, S); nothing if there is one class.
    """

    classes: Classes
    counts: Counts
    masks: tuple[NDArray[np.bool_], ...]
    scores: NormalScores
    pooled: NormalScores
    radius: int
    moments: ScoreMoments
    correlations: NDArray[np.float64]
    chances: tuple[NDArray[np.float64], ...]


def plan_class_counts(
    counts: Counts,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    mu: float,
    constants: ApproximateConstants,
) -> ClassPlan:
    """Choose the bins of each column that classes are counted in, and how closely to look at each.

    Args:
        counts: The released counts.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        mu: The price, in GDP, at which the classes will be counted.
        constants: The constants of the stage.

    Returns:
        The plan.
    """
    # About the noise that the counts will have: each column counts once, with weights near one.
    scale = histogram_sensitivity(len(masks)) / mu
    num_bins = num_class_bins(counts.totals, scale, constants)
    least = constants.spike_noise * scale / counts.totals.sum()
    plans, masses = [], []
    for column, mask, natural in zip(counts.columns, masks, ordered, strict=True):
        shares = _shares(column, counts, mask, natural, constants)
        # A category is a bin by itself.
        bins = np.arange(len(mask))
        if natural:
            bins = cut_bins(shares, mask, num_bins, least, constants)
        of_bins = np.bincount(bins, shares).astype(np.float64)
        weights = bin_weights(of_bins, scale / counts.totals.sum(), constants)
        plans.append(BinPlan(bins, natural, weights))
        masses.append(of_bins)
    return shorten(plans, masses, constants) if scale else _count_exactly(plans)


def shorten(
    plans: Sequence[BinPlan], shares: Sequence[NDArray[np.float64]], constants: ApproximateConstants
) -> ClassPlan:
    """Choose the norm that what a record adds is shortened to: few records are longer.

    It is read off what is expected if columns are independent, as is what is kept of each bin.

    Args:
        plans: How each column is counted.
        shares: Probabilities of its bins, shape (G,) each.
        constants: The constants of the stage.

    Returns:
        The plan.
    """
    squares = [plan.weights.astype(np.float64) ** 2 for plan in plans]
    pairs = list(zip(shares, squares, strict=True))
    means = np.array([own @ each for own, each in pairs])
    variances = np.array([own @ each**2 for own, each in pairs]) - means**2
    spread = np.sqrt(np.maximum(variances, 0.0))
    squared = means.sum() + constants.weight_clip * np.sqrt(np.square(spread).sum())
    radius = math.ceil(math.sqrt(max(squared, 1.0)))
    # The other columns add a normal, at the nodes of a quadrature.
    nodes, parts = np.polynomial.hermite_e.hermegauss(NODES)
    kept = []
    for at, own in enumerate(squares):
        mean, rest = means.sum() - means[at], np.square(spread).sum() - spread[at] ** 2
        others = np.maximum(mean + math.sqrt(max(rest, 0.0)) * nodes, 0.0)
        norms = np.sqrt(own[:, None] + others)
        kept.append(np.minimum(1.0, radius / np.maximum(norms, 1.0)) @ parts / parts.sum())
    return ClassPlan(tuple(plans), radius, tuple(kept))


def _count_exactly(plans: Sequence[BinPlan]) -> ClassPlan:
    """Return the plan where there is no noise: records are counted, and none is shortened."""
    ones = [np.ones(len(plan.weights), dtype=np.int64) for plan in plans]
    alike = tuple(plan._replace(weights=own) for plan, own in zip(plans, ones, strict=True))
    kept = tuple(own.astype(np.float64) for own in ones)
    return ClassPlan(alike, math.isqrt(len(plans)) + 1, kept)


def fit_scores(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: Counts,
    by_class: ClassCounts | None,
    chances: Sequence[NDArray[np.float64]],
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    evident_ends: Sequence[bool],
    constants: ApproximateConstants,
) -> tuple[NormalScores, NormalScores]:
    """Make normal scores of released counts.

    Args:
        counts: The released counts.
        by_class: Those of the classes; ``None`` if there is one class. Without noise, records are
            distributed as these say.
        chances: How codes are distributed in the classes, see :func:`class_chances`.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        evident_ends: For each column, whether evidence says that its first and last code occur.
        constants: The constants of the stage.

    Returns:
        The scores by class, and those of all classes pooled into one.
    """
    histograms, orders, totals = [], [], counts.totals
    # A share of the noise of a count, so too little to be seen in the counts.
    least = constants.end_share * (counts.scale / totals.sum())
    columns = zip(masks, ordered, evident_ends, strict=True)
    for at, (mask, natural, evident) in enumerate(columns):
        if by_class is None:
            found = _shares(counts.columns[at], counts, mask, natural, constants)[None]
        elif by_class.scales[at].any():
            found = chances[at]
        else:
            found = _counted(by_class, at, mask)
        histograms.append(keep_ends(found, mask, least) if evident else found)
        orders.append(np.arange(len(mask)) if natural else target_order(found, totals))
    # Among all records a code is as frequent as the classes make it together.
    pooled = tuple((counts.shares @ table)[None] for table in histograms)
    of_classes = normal_scores(tuple(histograms), tuple(orders), len(counts.totals))
    return of_classes, normal_scores(pooled, tuple(orders), 1)


def class_chances(
    counts: Counts,
    by_class: ClassCounts | None,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    constants: ApproximateConstants,
) -> tuple[NDArray[np.float64], ...]:
    """Estimate how codes are distributed in the classes of which the records are a sample.

    Inside a bin all classes are alike. What the sample shows by chance is smoothed away too,
    because it says nothing about the classes of other records.

    Args:
        counts: The released counts.
        by_class: Those of the classes; ``None`` if there is one class.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        constants: The constants of the stage.

    Returns:
        Probabilities, for each column of shape (C, S); nothing if there is one class.
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


def clip_radius(scores: NormalScores, clip: float) -> int:
    """Choose the norm that scores are clipped to, in score units.

    Args:
        scores: The normal scores: released.
        clip: See :func:`bound_norm`.

    Returns:
        The norm, a whole number.
    """
    return bound_norm(scores.variances, clip)


def bound_norm(variances: NDArray[np.float64], clip: float) -> int:
    """Return a norm that few records exceed, in score units.

    The squared norm of independent normals of variances ``v`` has mean ``sum v`` and variance ``2
    sum v^2``. With many columns hardly any record is much longer than the mean, with few some are;
    so the bound lies standard deviations above the mean, and is not a multiple of it.

    Args:
        variances: Variances of the normals in each class, shape (C, m).
        clip: How many standard deviations above its mean the squared norm is clipped.

    Returns:
        The norm, a whole number: that of the class with the longest records.
    """
    means = variances.sum(axis=1)
    deviations = np.sqrt(2 * np.square(variances).sum(axis=1))
    # Without columns, or where none varies, some norm above zero is needed.
    squared = max(float((means + clip * deviations).max()), 1.0)
    return math.ceil(SCORE_UNITS * math.sqrt(squared))


def _shares(
    column: NDArray[np.float64],
    counts: Counts,
    mask: NDArray[np.bool_],
    ordered: bool,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    total = float(counts.totals.sum())
    return column_shares(column, total, mask, constants, scale=counts.scale, ordered=ordered)


def _shares_of_both(
    counts: Counts,
    by_class: ClassCounts,
    at: int,
    mask: NDArray[np.bool_],
    ordered: bool,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Estimate the probabilities of a column's codes from both counts of it, shape (S,)."""
    own, scales = by_class.columns[at], by_class.scales[at]
    # The classes together are a second count of the whole, in coarse bins.
    again = own.sum(axis=0), scales * math.sqrt(len(own))
    column = reconcile(counts.columns[at], counts.scale, *again, by_class.plans[at].bins)
    return _shares(column, counts, mask, ordered, constants)


def _see(
    counts: Counts,
    by_class: ClassCounts,
    at: int,
    mask: NDArray[np.bool_],
    shares: NDArray[np.float64],
    occupied: NDArray[np.int64],
) -> Seen:
    """Put together what is released of the bins of a column that can occur."""
    plan, size = by_class.plans[at], len(by_class.plans[at].weights)

    def add_up(codes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(plan.bins, codes * mask, size)[occupied], dtype=np.float64)

    linked = np.full(len(occupied), plan.ordered)
    linked[:1] = False
    linked[1:] &= occupied[:-1] > 0  # nothing follows the missing value
    return Seen(
        by_class.columns[at][:, occupied],
        by_class.scales[at][occupied],
        add_up(counts.columns[at]),
        add_up(np.full(len(mask), counts.scale**2)),
        add_up(shares) * counts.totals.sum(),
        linked,
    )


def _counted(by_class: ClassCounts, at: int, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the probabilities of a column's codes as they were counted, without noise, (C, S)."""
    counted = by_class.columns[at][:, by_class.plans[at].bins] * mask
    # A class of which no record has a code is like the others.
    whole = counted.sum(axis=1, keepdims=True)
    pooled = counted.sum(axis=0) if counted.any() else mask.astype(np.float64)
    return np.asarray(
        np.where(whole > 0, counted, pooled) / np.where(whole > 0, whole, pooled.sum())
    )
