"""The coarse bins of a column, in which the classes are counted.

A histogram of every code in every class would drown small classes in noise: noise adds up over the
codes of a coarse difference. So classes are counted in runs of neighbouring codes. A category is a
bin by itself, and so are the missing value and a *spike*, a code much heavier than those around it.
How many bins there are, and how closely each column is looked at, follows from counts that are
released already, so all of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants

#: What a record adds to the count of a bin that all records are in: weights are whole numbers.
WEIGHT_UNIT = 16

#: No share of a bin is taken to be less, so that weights are finite.
LEAST_SHARE = 1e-9


def num_class_bins(
    totals: NDArray[np.float64], scale: float, constants: ApproximateConstants
) -> int | None:
    """Choose how many bins of an ordered column the classes are counted in.

    It is the root of the records of a typical class in units of the noise of a count, within
    bounds. More bins show finer differences between classes, but each has fewer records, while its
    noise stays as large.

    Args:
        totals: Number of records of each class, at least one, shape (C,).
        scale: Standard deviation of the noise that the counts will have.
        constants: The constants of the stage.

    Returns:
        The number; ``None`` to count every code, where there is no noise.
    """
    if scale == 0:
        return None
    # The geometric mean: neither one large nor one small class decides.
    typical = np.exp(np.log(np.maximum(totals, scale)).mean())
    return int(np.clip(np.sqrt(typical / scale), constants.least_bins, constants.most_bins))


def cut_bins(
    shares: NDArray[np.float64],
    mask: NDArray[np.bool_],
    num_bins: int | None,
    least: float,
    constants: ApproximateConstants,
) -> NDArray[np.int64]:
    """Cut an ordered column into bins of equal roots of mass, summed over their codes.

    Roots are between two extremes. Bins of equal mass would hide the rare classes that live where
    others are thin; of bins of equal width most would be empty. A spike is a bin by itself, because
    it may have a meaning of its own.

    Args:
        shares: Probabilities of the codes, shape (S,); code 0 is the missing value.
        mask: Codes that can occur, shape (S,).
        num_bins: How many, besides spikes and the missing value; ``None`` for one per code.
        least: The least probability of a spike.
        constants: The constants of the stage.

    Returns:
        The bin of each code, shape (S,): 0 is the missing value's, and the others follow one
        another as the means of their codes do.
    """
    if num_bins is None or mask[1:].sum() <= num_bins:
        return np.arange(len(mask))
    spikes = _is_spike(shares[1:], least, constants)
    # A spike takes no part of the order, so the bins around it are as wide as without it.
    measure = np.sqrt(np.where(spikes, 0.0, shares[1:]))
    # A code goes to the bin in which the middle of its measure lies.
    places = (np.cumsum(measure) - measure / 2) * num_bins / max(measure.sum(), 1e-300)
    # Rounding may carry the last code beyond the last bin.
    places = np.minimum(places.astype(np.int64), num_bins - 1)
    places[spikes] = num_bins + np.arange(spikes.sum())
    # Bins into which no code fell are left out.
    bins = np.unique(places, return_inverse=True)[1]
    means = np.bincount(bins, np.arange(len(bins))) / np.bincount(bins)
    ranks = np.empty_like(bins[: len(means)])
    ranks[np.argsort(means, kind='stable')] = np.arange(len(means))
    return np.asarray(np.append(0, ranks[bins] + 1), dtype=np.int64)


def _is_spike(
    shares: NDArray[np.float64], least: float, constants: ApproximateConstants
) -> NDArray[np.bool_]:
    """Tell which codes are heavier than ``least``, and much heavier than those around them."""
    reach = constants.spike_reach
    around = np.pad(shares, reach, mode='edge')
    # The median of a window is what a code would weigh if it were like those around it.
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1)
    return np.asarray((shares > least) & (shares > constants.spike * np.median(windows, axis=1)))


def bin_weights(
    shares: NDArray[np.float64], least: float, constants: ApproximateConstants
) -> NDArray[np.int64]:
    """Choose what a record adds to the count of each bin of a column: more, where bins are rare.

    Counts of a bin of weight ``w`` have ``1 / w`` of the noise. What noise of variance ``v`` takes
    from what is known of a bin of ``n`` records is about ``v / n``, so it is the counts of rare
    bins that have to be close; and few records pay for them.

    Args:
        shares: Probabilities of the bins, shape (G,).
        least: Shares below this count as this.
        constants: The constants of the stage.

    Returns:
        The weights, whole numbers, shape (G,).
    """
    present = shares[shares > 0]
    entropy = float(-(present * np.log(present)).sum())
    squared = min(entropy, constants.most_entropy) + constants.least_entropy
    squares = np.clip(shares, np.clip(least, LEAST_SHARE, 1.0), 1.0) ** (
        -2 * constants.weight_power
    )
    squares *= squared / max(float(shares @ squares), 1e-300)
    return np.asarray(np.maximum(np.rint(WEIGHT_UNIT * np.sqrt(squares)), 1), dtype=np.int64)


def reconcile(
    counts: NDArray[np.float64],
    scale: float,
    bin_counts: NDArray[np.float64],
    bin_scales: NDArray[np.float64],
    bins: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Make counts of codes agree with second counts of their bins, by precision.

    It is the least-squares estimate from both. A bin of ``k`` codes is known twice: as the sum of
    their counts, with variance ``k scale^2``, and by its own count. The precise average of the two
    differs from the sum, and the difference is spread evenly over the codes.

    Args:
        counts: Noisy counts of the codes, shape (S,).
        scale: Standard deviation of their noise.
        bin_counts: Noisy counts of the bins, shape (G,).
        bin_scales: Standard deviations of their noise, shape (G,).
        bins: The bin of each code, shape (S,).

    Returns:
        The counts, shape (S,).
    """
    # The noise of the codes of a bin adds up.
    sizes = np.bincount(bins, minlength=len(bin_counts))
    variances = sizes * scale**2
    off = bin_counts - np.bincount(bins, counts, len(bin_counts))
    # The difference is believed as far as it is due to the noise of the codes.
    trust = variances / np.maximum(variances + bin_scales**2, 1e-300)
    return np.asarray(counts + (trust * off / np.maximum(sizes, 1))[bins])
