"""How the classes depart from the distribution of a column over all of them.

Classes are counted in coarse :mod:`cells <sdv_threea.approximate.cells>`. A class departs from the
whole as far as its counts can be told from noise, scale by scale: coarse differences survive, fine
ones only where the data speaks for them. The departures are *relative*, a tilt of the fine
distribution, which thus keeps its spikes. All of it is post-processing.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.histograms import known_records, project_to_simplex
from sdv_threea.maths.shrinkage import Prior, ratio, shrunk_effects

#: Nothing is known of departures: a class may be quite unlike the whole.
OPEN = Prior(largest=np.inf)


class Use(Enum):
    """What the histograms of classes are for, and so what noise may make of them."""

    #: Records are drawn, and their classes with them.
    CLASSES = auto()

    #: Records are drawn for a classifier, which takes an empty cell for certain evidence.
    CLASSIFIER = auto()

    #: They are evidence of the classes of other records, which these are a sample of: then counts
    #: are noisy without any noise, and where noise hides departures there are likely some.
    EVIDENCE = auto()


def class_histograms(  # noqa: PLR0913 (counts, and what they are counts of)
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    shares: NDArray[np.float64],
    mask: NDArray[np.bool_],
    cells: NDArray[np.int64],
    in_order: NDArray[np.bool_],
    scale: float,
    constants: ApproximateConstants,
    use: Use = Use.CLASSES,
) -> NDArray[np.float64]:
    """Estimate the distribution of a column's codes in each class.

    Args:
        counts: Noisy counts of the cells, shape (C, G).
        totals: Number of records of each class, with or without a code, at least one, shape (C,).
        shares: Probabilities of the codes over all classes, shape (S,).
        mask: Codes that can occur, shape (S,).
        cells: The cell of each code, shape (S,).
        in_order: Which cells stand in a meaningful order, shape (G,).
        scale: Standard deviation of the noise of a count; 0 for none.
        constants: The constants of the stage.
        use: What they are for.

    Returns:
        Probabilities, shape (C, S): rows sum to one, zero outside the mask.
    """
    num_cells, sampled = counts.shape[1], use is Use.EVIDENCE
    occupied = np.bincount(cells[mask], minlength=num_cells) > 0
    cell_shares = np.bincount(cells, shares, num_cells).astype(np.float64)
    tilted = np.empty_like(counts)
    rows = zip(counts, totals, contrasts(totals), tilted, strict=True)
    for row, total, contrast, own in rows:
        known = known_records(row, float(total), occupied, scale, constants.shortfall_doubt)
        expected = known * cell_shares
        departure = np.where(occupied, row - expected, 0.0)
        variances = noise_variances(expected, scale, sampled=sampled)
        prior = likely_departures(contrast, variances, scale, constants) if sampled else OPEN
        found = expected + tilt(departure, expected, variances, in_order, prior, constants)
        if not found.any():  # without noise: no record of the class has a code
            found = expected
        if use is Use.CLASSES:
            own[:] = project_to_simplex(found, occupied, known)
        else:
            own[:] = leave_some(found, expected, variances, constants.least_left)
    if scale or sampled:
        tilted = rake(tilted, totals, cell_shares, constants.raking_rounds)
    # Inside a cell all classes are alike; where the column has no mass, so are the codes.
    weights = np.where(cell_shares[cells] > 0, shares, mask)
    of_cell = np.bincount(cells, weights, num_cells)[cells]
    within = np.divide(weights, of_cell, out=np.zeros_like(shares), where=of_cell > 0)
    histograms = tilted[:, cells] * within
    return np.asarray(histograms / histograms.sum(axis=1, keepdims=True))


def rake(
    histograms: NDArray[np.float64],
    totals: NDArray[np.float64],
    shares: NDArray[np.float64],
    rounds: int,
) -> NDArray[np.float64]:
    """Make histograms of classes add up to the histogram of all, which is known better.

    A few rounds of iterative proportional fitting (Deming and Stephan 1940).

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
        fitted = np.where(sums > 0, raked / np.maximum(sums, 1e-300), fitted)
    return np.asarray(fitted)


def noise_variances(
    expected: NDArray[np.float64], scale: float, *, sampled: bool
) -> NDArray[np.float64]:
    """Tell the variances of counts, shape (G,): of their noise and, if asked, of sampling."""
    # Counts of a sample vary by as much as is expected of them (Poisson); one record is no news.
    return np.asarray(scale**2 + np.maximum(expected, 1.0) * sampled)


def contrasts(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tell how far classes can depart from the whole that they make up.

    If they depart by ``d`` from what they have in common, they do from the whole, of which they are
    the shares ``p``, by ``d_c - sum_k p_k d_k``: a class that is most of it is much like it.

    Args:
        totals: Number of records of each class, at least one, shape (C,).

    Returns:
        The variances for ``d`` of variance one, shape (C,).
    """
    shares = totals / totals.sum()
    return np.asarray(1 - 2 * shares + np.square(shares).sum())


def likely_departures(
    contrast: float, variances: NDArray[np.float64], scale: float, constants: ApproximateConstants
) -> Prior:
    """Say what departures are likely where noise hides them.

    Args:
        contrast: How far the class can depart, see :func:`contrasts`.
        variances: Variances of its counts, shape (G,).
        scale: Standard deviation of the noise of a count.
        constants: The constants of the stage.

    Returns:
        What is known of the variance of relative departures.
    """
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
    """Keep noise from emptying cells: that nobody was seen is evidence as far as some were due.

    Args:
        found: Estimated counts, which may be negative, shape (G,).
        expected: What is expected if the class is like all others, at least zero, shape (G,).
        variances: Variances of the counts' noise, shape (G,).
        least_left: Share of the expected counts, or of their noise if that is less.

    Returns:
        Counts, at least zero, shape (G,).
    """
    least = least_left * np.minimum(expected, np.sqrt(variances))
    return np.asarray(np.maximum(found, least))


def tilt(
    departure: NDArray[np.float64],
    expected: NDArray[np.float64],
    variances: NDArray[np.float64],
    in_order: NDArray[np.bool_],
    prior: Prior,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Keep of a noisy departure from expected counts what can be told from noise.

    Args:
        departure: Counts less the expected ones, shape (G,).
        expected: What is expected if the class is like all others, at least zero, shape (G,).
        variances: Variances of the counts' noise, shape (G,); zeros keep everything.
        in_order: Which cells stand in a meaningful order, shape (G,).
        prior: What is known of the variance of relative departures.
        constants: The constants of the stage.

    Returns:
        The departure, shape (G,); it sums to zero if cells in order are expected to have records.
    """
    if not variances.any():
        return departure
    kept = np.zeros_like(departure)
    loose = np.flatnonzero(~in_order)
    effects = _effects(departure[loose], expected[loose], variances[loose], prior, constants)
    kept[loose] = expected[loose] * effects
    ordered = np.flatnonzero(in_order)
    among = departure[ordered], expected[ordered], variances[ordered]
    levels = _transform(*among, prior, constants)
    # What the loose cells have in excess is missing from the others.
    found = -kept.sum(keepdims=True) * (expected[ordered].sum() > 0)
    for share, detail in reversed(levels):
        left = found * share + detail
        found = np.stack([left, found - left], axis=1).ravel()
    kept[ordered] = found[: len(ordered)]
    return kept


def _transform(
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
    variances: NDArray[np.float64],
    prior: Prior,
    constants: ApproximateConstants,
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """List the levels of a Haar transform of unequal masses, finest first, shrunk."""
    length = 1 << max(len(values) - 1, 0).bit_length()
    nodes = [np.pad(each, (0, length - len(each))) for each in (values, expected, variances)]
    levels = []
    while len(nodes[0]) > 1:
        levels.append(_split(nodes[0], nodes[1], nodes[2], prior, constants))
        nodes = [each[0::2] + each[1::2] for each in nodes]
    return levels


def _split(
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
    variances: NDArray[np.float64],
    prior: Prior,
    constants: ApproximateConstants,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split pairs of neighbours: the first one's share of what is expected, and its surplus.

    Args:
        values: Departures of the neighbours, shape (2 K,).
        expected: What is expected of them, shape (2 K,).
        variances: Variances of their noise, shape (2 K,).
        prior: What is known of the variance of relative departures.
        constants: The constants of the stage.

    Returns:
        Shares, and what is left of the surpluses beyond them when noise is shrunk, shape (K,).
    """
    whole = expected[0::2] + expected[1::2]
    share = np.divide(expected[0::2], whole, out=np.zeros_like(whole), where=whole > 0)
    other = np.where(whole > 0, 1 - share, 0.0)
    surplus = values[0::2] * other - values[1::2] * share
    gains = whole * share * other
    noise = variances[0::2] * other**2 + variances[1::2] * share**2
    return share, gains * _effects(surplus, gains, noise, prior, constants)


def _effects(
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    prior: Prior,
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    if not constants.shrink:
        return ratio(values, gains)
    doubt, certain = constants.departure_doubt, constants.certain_departure
    return shrunk_effects(values, gains, variances, prior=prior, doubt=doubt, certain=certain)
