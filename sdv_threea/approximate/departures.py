"""How the classes depart from the distribution of a column over all of them.

Classes are counted in coarse :mod:`bins <sdv_threea.approximate.bins>`. What is expected of a bin
if the class is like all others is its *expected count*; how far its noisy count is from that is the
*departure* of the class. Of a departure that is kept which can be told from noise, level by level:
coarse differences survive, fine ones only where the counts speak for them. Departures are relative
to what is expected, so the fine distribution of a column keeps its spikes in every class. All of it
is post-processing.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.histograms import known_records
from sdv_threea.maths.haar import invert, transform
from sdv_threea.maths.shrinkage import Prior, ratio, shrunk_effects
from sdv_threea.maths.simplex import project_to_simplex

#: Nothing is known of departures: a class may be quite unlike the whole.
OPEN = Prior(largest=np.inf)


class Use(Enum):
    """What the histograms of classes are for, and so what noise may make of them."""

    #: Records are drawn, and their classes with them.
    CLASSES = auto()

    #: Records are drawn for a classifier, which takes an empty bin for certain evidence.
    CLASSIFIER = auto()

    #: They are evidence of the classes of other records, of which these are a sample. Then counts
    #: vary by sampling even without noise; and where noise hides departures there are likely some.
    EVIDENCE = auto()


def class_histograms(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    shares: NDArray[np.float64],
    mask: NDArray[np.bool_],
    bins: NDArray[np.int64],
    in_order: NDArray[np.bool_],
    scale: float,
    constants: ApproximateConstants,
    use: Use = Use.CLASSES,
) -> NDArray[np.float64]:
    """Estimate the distribution of a column's codes in each class.

    Args:
        counts: Noisy counts of the bins, shape (C, G).
        totals: Number of records of each class, with or without a code, at least one, shape (C,).
        shares: Probabilities of the codes over all classes, shape (S,).
        mask: Codes that can occur, shape (S,).
        bins: The bin of each code, shape (S,).
        in_order: Which bins stand in a meaningful order, shape (G,).
        scale: Standard deviation of the noise of a count; 0 for none.
        constants: The constants of the stage.
        use: What the histograms are for.

    Returns:
        Probabilities, shape (C, S): rows sum to one, zero outside the mask.
    """
    num_bins, sampled = counts.shape[1], use is Use.EVIDENCE
    # Bins of codes that cannot occur have no records, whatever their noise.
    occupied = np.bincount(bins[mask], minlength=num_bins) > 0
    bin_shares = np.bincount(bins, shares, num_bins).astype(np.float64)
    found = np.empty_like(counts)
    rows = zip(counts, totals, contrasts(totals), found, strict=True)
    for row, total, contrast, own in rows:
        known = known_records(row, float(total), occupied, scale, constants.shortfall_doubt)
        expected = known * bin_shares
        departure = np.where(occupied, row - expected, 0.0)
        variances = noise_variances(expected, scale, sampled=sampled)
        # Evidence is what other records will show: there a guess is better than none.
        prior = likely_departures(contrast, variances, scale, constants) if sampled else OPEN
        kept = shrunk_departure(departure, expected, variances, in_order, prior, constants)
        estimate = expected + kept
        if not estimate.any():  # without noise: no record of the class has a code
            estimate = expected
        if use is Use.CLASSES:
            # The nearest histogram: empty bins stay empty, and records keep their number.
            own[:] = project_to_simplex(estimate, occupied, known)
        else:
            own[:] = leave_some(estimate, expected, variances, constants.least_left)
    # Exact counts of classes add up by themselves.
    if scale or sampled:
        found = rake(found, totals, bin_shares, constants.raking_rounds)
    # Inside a bin all classes are alike; where the column has no mass, so are the codes.
    weights = np.where(bin_shares[bins] > 0, shares, mask)
    of_bin = np.bincount(bins, weights, num_bins)[bins]
    within = np.divide(weights, of_bin, out=np.zeros_like(shares), where=of_bin > 0)
    histograms = found[:, bins] * within
    return np.asarray(histograms / histograms.sum(axis=1, keepdims=True))


def rake(
    histograms: NDArray[np.float64],
    totals: NDArray[np.float64],
    shares: NDArray[np.float64],
    rounds: int,
) -> NDArray[np.float64]:
    """Make histograms of classes add up to the histogram of all, which is known better.

    Each round scales the columns to the histogram of all and then the rows to one: iterative
    proportional fitting (Deming and Stephan 1940).

    Args:
        histograms: Of the classes, at least zero, no row of zeros, shape (C, G).
        totals: Number of records of each class, at least one, shape (C,).
        shares: Probabilities over all classes, shape (G,).
        rounds: How many rounds.

    Returns:
        Probabilities, shape (C, G): rows sum to one.
    """
    fitted = histograms / histograms.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        together = totals @ fitted / totals.sum()
        raked = fitted * np.divide(shares, together, out=np.zeros_like(shares), where=together > 0)
        sums = raked.sum(axis=1, keepdims=True)
        # A class that is left without any mass stays as it was.
        fitted = np.where(sums > 0, raked / np.maximum(sums, 1e-300), fitted)
    return np.asarray(fitted)


def noise_variances(
    expected: NDArray[np.float64], scale: float, *, sampled: bool
) -> NDArray[np.float64]:
    """Return the variances of counts, shape (G,): of their noise and, if asked, of sampling."""
    # Counts of a sample vary by as much as is expected of them (Poisson), and by one at least.
    return np.asarray(scale**2 + np.maximum(expected, 1.0) * sampled)


def contrasts(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far classes can depart from the whole that they make up.

    Let classes depart by independent ``d_c`` of variance one from what they have in common. The
    whole, in which they have the shares ``p_c``, departs by ``sum_k p_k d_k``. So class ``c``
    departs from the whole by ``d_c - sum_k p_k d_k``, of variance ``1 - 2 p_c + sum_k p_k^2``: a
    class that is most of the whole is much like it.

    Args:
        totals: Number of records of each class, at least one, shape (C,).

    Returns:
        These variances, shape (C,).
    """
    # Var(d_c - sum_k p_k d_k) = (1 - p_c)^2 + sum_{k != c} p_k^2.
    shares = totals / totals.sum()
    return np.asarray(1 - 2 * shares + np.square(shares).sum())


def likely_departures(
    contrast: float, variances: NDArray[np.float64], scale: float, constants: ApproximateConstants
) -> Prior:
    """Return what variance relative departures are likely to have, where noise hides it.

    Args:
        contrast: How far the class can depart, see :func:`contrasts`.
        variances: Variances of its counts, shape (G,).
        scale: Standard deviation of the noise of a count.
        constants: The constants of the stage.

    Returns:
        What is known of the variance.
    """
    # How much of what varies is the noise of the mechanism, and not sampling.
    hidden = scale**2 / float(variances.mean())
    by_noise, by_sampling = constants.likely_departure, constants.likely_sampled_departure
    likely = by_noise * hidden + by_sampling * (1 - hidden)
    return Prior(contrast * likely, constants.departure_spread, largest=np.inf)


def leave_some(
    found: NDArray[np.float64],
    expected: NDArray[np.float64],
    variances: NDArray[np.float64],
    least_left: float,
) -> NDArray[np.float64]:
    """Return counts that noise alone does not empty.

    That nobody of a class was seen in a bin is evidence only as far as somebody was expected there.

    Args:
        found: Estimated counts, which may be negative, shape (G,).
        expected: What is expected if the class is like all others, at least zero, shape (G,).
        variances: Variances of the counts' noise, shape (G,).
        least_left: What a bin keeps at least, as a share of the expected count or of the noise,
            whichever is less.

    Returns:
        Counts, at least zero, shape (G,).
    """
    # Where noise is larger than what is expected, what is expected is the bound.
    least = least_left * np.minimum(expected, np.sqrt(variances))
    return np.asarray(np.maximum(found, least))


def shrunk_departure(
    departure: NDArray[np.float64],
    expected: NDArray[np.float64],
    variances: NDArray[np.float64],
    in_order: NDArray[np.bool_],
    prior: Prior,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Keep of a noisy departure from expected counts what can be told from noise.

    Bins without an order are shrunk as one set. Those in order are shrunk level by level of a Haar
    transform, in which neighbours have unequal expected counts: the departure of a pair is divided
    as its expected count is, and the *surplus* of the left neighbour beyond that is what a level
    tells.

    Args:
        departure: Counts less the expected ones, shape (G,).
        expected: What is expected if the class is like all others, at least zero, shape (G,).
        variances: Variances of the counts' noise, shape (G,); zeros keep everything.
        in_order: Which bins stand in a meaningful order, shape (G,).
        prior: What is known of the variance of relative departures.
        constants: The constants of the stage.

    Returns:
        The departure, shape (G,); it sums to zero if bins in order are expected to have records.
    """
    if not variances.any():
        return departure

    def join(
        left: NDArray[np.float64], right: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        return left + right, _split(left, right, prior, constants)

    def part(
        found: NDArray[np.float64], detail: tuple[NDArray[np.float64], NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        share, surplus = detail
        left = found * share + surplus
        return left, found - left

    kept = np.zeros_like(departure)
    loose, ordered = np.flatnonzero(~in_order), np.flatnonzero(in_order)
    # Relative to what is expected, departures of all bins are of one size.
    effects = _effects(departure[loose], expected[loose], variances[loose], prior, constants)
    kept[loose] = expected[loose] * effects
    _, details = transform(np.stack([departure, expected, variances])[:, ordered], join)
    # What the loose bins have in excess is missing from the others.
    root = -kept.sum(keepdims=True) * (expected[ordered].sum() > 0)
    kept[ordered] = invert(root, details, part, len(ordered))
    return kept


def _split(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    prior: Prior,
    constants: ApproximateConstants,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how pairs of neighbours divide what is expected of them, and who has more than that.

    Of the expected count ``w`` of both, the left one has the share ``s``. With departures ``a`` and
    ``b``, its surplus is ``a - s (a + b) = (1 - s) a - s b``. If relative departures are ``x`` and
    ``y``, so ``a = s w x`` and ``b = (1 - s) w y``, the surplus is ``w s (1 - s) (x - y)``: the
    gain of the effect ``x - y`` is ``w s (1 - s)``.

    Args:
        left: Departures, expected counts and variances of noise of the left neighbours, (3, K).
        right: The same of the right neighbours, shape (3, K).
        prior: What is known of the variance of relative departures.
        constants: The constants of the stage.

    Returns:
        The shares of the left neighbours, and what is left of their surpluses when noise is
        shrunk, shape (K,) each.
    """
    whole = left[1] + right[1]
    share = np.divide(left[1], whole, out=np.zeros_like(whole), where=whole > 0)
    other = np.where(whole > 0, 1 - share, 0.0)
    surplus = left[0] * other - right[0] * share
    gains = whole * share * other
    # The variance of a combination of two independent counts.
    noise = left[2] * other**2 + right[2] * share**2
    return share, gains * _effects(surplus, gains, noise, prior, constants)


def _effects(
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    prior: Prior,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Return relative departures, whose noisy multiples are the values, shape (..., D)."""
    if not constants.shrink:
        return ratio(values, gains)
    doubt, certain = constants.departure_doubt, constants.certain_departure
    return shrunk_effects(values, gains, variances, prior=prior, doubt=doubt, certain=certain)
