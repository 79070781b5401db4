"""Coarse bins of a column for counts by class: post-processing of earlier counts.

The noise of single codes would exceed the counts of small classes, so ordered codes are counted in
runs. Each category, the missing value and each *spike* (a code much heavier than its neighbours) is
a bin by itself.
"""

import math

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import ApproximateConstants

#: Fixed-point scale of bin weights.
WEIGHT_UNIT = 16

#: Least share of a bin, so that weights are finite.
LEAST_SHARE = 1e-9


def num_class_bins(totals: Floats, scale: float, constants: ApproximateConstants) -> int | None:
    """Return the number of bins of an ordered column, or ``None`` for one bin per code.

    The number is the root of a typical class size in units of the noise scale: more bins show finer
    differences but hold fewer records at the same noise.
    """
    if scale == 0:
        return None
    # Geometric mean: neither one large nor one small class decides.
    typical = np.exp(np.log(np.maximum(totals, scale)).mean())
    return max(int(np.sqrt(typical / scale)), constants.least_bins)


def cut_bins(
    shares: Floats, mask: Bools, num_bins: int | None, least: float, constants: ApproximateConstants
) -> Wholes:
    """Return the bin of each code of an ordered column, shape (S,); bin 0 has the missing value.

    Each of ``num_bins`` bins (``None`` for one per code) has an equal sum of root probabilities.
    Bins of equal mass would merge rare classes in sparse ranges; bins of equal width would mostly
    be empty. Spikes of probability above ``least`` get bins of their own.
    """
    if num_bins is None or mask[1:].sum() <= num_bins:
        return np.arange(len(mask))
    spikes = _is_spike(shares[1:], least, constants)
    # Spikes do not narrow the bins around them.
    measure = np.sqrt(np.where(spikes, 0.0, shares[1:]))
    places = (np.cumsum(measure) - measure / 2) * num_bins / max(measure.sum(), 1e-300)
    # Rounding may move the last code beyond the last bin.
    places = np.minimum(places.astype(np.int64), num_bins - 1)
    places[spikes] = num_bins + np.arange(spikes.sum())
    # Empty bins are dropped, and the others are numbered in the order of their codes.
    bins = np.unique(places, return_inverse=True)[1]
    means = np.bincount(bins, np.arange(len(bins))) / np.bincount(bins)
    ranks = np.empty_like(bins[: len(means)])
    ranks[np.argsort(means, kind='stable')] = np.arange(len(means))
    return np.asarray(np.append(0, ranks[bins] + 1), dtype=np.int64)


def _is_spike(shares: Floats, least: float, constants: ApproximateConstants) -> Bools:
    """Return which codes exceed ``least`` and are much heavier than their neighbours."""
    times = constants.spike
    around = np.pad(shares, times, mode='edge')
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * times + 1)
    return np.asarray((shares > least) & (shares > times * np.median(windows, axis=1)))


def bin_weights(shares: Floats, least: float) -> Wholes:
    """Return integer weights of the bins of a column, (G,), larger for rarer bins.

    A weight ``w`` divides the noise of a bin's count by ``w``. Noise of variance ``v`` loses the
    information of about ``v`` records, whatever the size of the bin, so ``1 / w^2`` records; a
    record adds ``w^2`` to the squared norm. The loss is least if ``w`` is the inverse fourth root
    of the bin's share. Shares below ``least`` count as ``least``. The mean of ``w^2`` is ``1 -
    exp(-H)`` for the entropy ``H`` of the column: an almost constant column cannot
    distinguish classes.
    """
    present = shares[shares > 0]
    squared = 1 - math.exp((present * np.log(present)).sum())
    squares = np.clip(shares, np.clip(least, LEAST_SHARE, 1.0), 1.0) ** -0.5
    squares *= squared / max(float(shares @ squares), 1e-300)
    return np.asarray(np.maximum(np.rint(WEIGHT_UNIT * np.sqrt(squares)), 1), dtype=np.int64)


def reconcile(
    counts: Floats, scale: float, bin_counts: Floats, bin_scales: Floats, bins: Wholes
) -> Floats:
    """Return least-squares counts of codes, (S,), from their own counts and counts of their bins.

    The counts of ``k`` codes add up to a second count of their bin, of variance ``k scale^2``. The
    precision-weighted difference of both counts is spread evenly over the codes.
    """
    sizes = np.bincount(bins, minlength=len(bin_counts))
    variances = sizes * scale**2
    off = bin_counts - np.bincount(bins, counts, len(bin_counts))
    trust = variances / np.maximum(variances + bin_scales**2, 1e-300)
    return np.asarray(counts + (trust * off / np.maximum(sizes, 1))[bins])
