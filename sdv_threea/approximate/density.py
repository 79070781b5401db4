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
    column_weight,
    cut_bins,
    num_class_bins,
    reconcile,
)
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.counts import BinPlan, ClassCounts, Counts
from sdv_threea.approximate.departures import Use, class_histograms
from sdv_threea.approximate.histograms import column_shares, keep_ends
from sdv_threea.approximate.moments import SCORE_UNITS, ScoreMoments
from sdv_threea.approximate.scores import NormalScores, normal_scores, target_order
from sdv_threea.encoding.classes import Classes
from sdv_threea.privacy.statistics import histogram_sensitivity


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
) -> list[BinPlan]:
    """Choose the bins of each column that classes are counted in, and how closely to look.

    Args:
        counts: The released counts.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        mu: The price, in GDP, at which the classes will be counted.
        constants: The constants of the stage.

    Returns:
        The plan of each column.
    """
    # About the noise that the counts will have: each column counts once, with weights near one.
    scale = histogram_sensitivity(len(masks)) / mu
    num_bins = num_class_bins(counts.totals, scale, constants)
    least = constants.spike_noise * scale / counts.totals.sum()
    plans = []
    for column, mask, natural in zip(counts.columns, masks, ordered, strict=True):
        shares = _shares(column, counts, mask, natural, constants)
        # A category is a bin by itself.
        bins, in_order = np.arange(len(mask)), np.zeros(len(mask), dtype=np.bool_)
        if natural:
            bins, in_order = cut_bins(shares, mask, num_bins, least, constants)
        weight = column_weight(np.bincount(bins, shares).astype(np.float64), constants)
        plans.append(BinPlan(bins, in_order, weight))
    return plans


def fit_scores(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: Counts,
    by_class: ClassCounts | None,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    evident_ends: Sequence[bool],
    constants: ApproximateConstants,
    use: Use = Use.CLASSES,
) -> tuple[NormalScores, NormalScores]:
    """Make normal scores of released counts.

    Args:
        counts: The released counts.
        by_class: Those of the classes; ``None`` if there is one class.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        evident_ends: For each column, whether evidence says that its first and last code occur.
        constants: The constants of the stage.
        use: What the records that will be drawn are for.

    Returns:
        The scores by class, and those of all classes pooled into one.
    """
    histograms, orders, totals = [], [], counts.totals
    # A share of the noise of a count, so too little to be seen in the counts.
    least = constants.end_share * (counts.scale / totals.sum())
    columns = zip(masks, ordered, evident_ends, strict=True)
    for at, (mask, natural, evident) in enumerate(columns):
        found = _class_histograms(counts, by_class, at, mask, natural, constants, use)
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

    :func:`fit_scores` says how they are distributed in the records themselves: without noise, as
    counted. Here what the sample shows by chance is shrunk too, because it says nothing about the
    classes of other records.

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
    columns = enumerate(zip(masks, ordered, strict=True))
    return tuple(
        _class_histograms(counts, by_class, at, mask, natural, constants, Use.EVIDENCE)
        for at, (mask, natural) in columns
    )


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


def _class_histograms(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: Counts,
    by_class: ClassCounts | None,
    at: int,
    mask: NDArray[np.bool_],
    ordered: bool,
    constants: ApproximateConstants,
    use: Use,
) -> NDArray[np.float64]:
    """Estimate one column's histograms, shape (C, S), from all that is known of it."""
    column = counts.columns[at]
    if by_class is None:
        return _shares(column, counts, mask, ordered, constants)[None]
    own, plan, scale = by_class.columns[at], by_class.plans[at], by_class.scales[at]
    of_all = own.sum(axis=0), scale * math.sqrt(len(own))
    # The classes together are a second count of the whole, in coarse bins.
    column = reconcile(column, counts.scale, *of_all, plan.bins)
    shares = _shares(column, counts, mask, ordered, constants)
    known = own, counts.totals, shares, mask, plan.bins, plan.in_order, scale
    return class_histograms(*known, constants, use)
