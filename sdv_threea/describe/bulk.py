"""Where the bulk of a number is likely to lie, where each bin by itself says little.

If the number of records is known, so is about how full the bins are over which all of them are
spread. On a logarithmic grid most numbers are spread like a hump: many records in the middle, few
at the ends. So humps of all places and widths are weighed by how likely the noisy counts are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.ranges import Sketch, find_unlikely

#: A hump ends this many of its widths from its middle.
END_OF_HUMP = 3.0


def likely_ends(sketch: Sketch, constants: DescribeConstants) -> tuple[float, float] | None:
    """Find the ends between which the bulk of the values is likely to lie.

    Args:
        sketch: The noisy counts.
        constants: The constants of the stage.

    Returns:
        The lower and the upper end, as borders of bins; ``None`` if the number of records is
        unknown, or little is left to be found.
    """
    if sketch.num_records is None or not sketch.scales.any():
        return None
    evidence, units = sketch.evidence, sketch.units
    # A heavy zero is no part of the bulk: it is found by itself, and would hide the others.
    zero = (sketch.edges.sum(axis=1) == 0) & (evidence > constants.heavy_zero)
    left = sketch.num_records - float(sketch.counts[zero].sum())
    evidence[zero] = 0.0
    # The number of records has noise too.
    if left < constants.evident_bulk * math.sqrt(zero.sum() + 1) * units.max():
        return None
    widths = constants.bulk_widths
    expected = _expect(evidence, units, find_unlikely(sketch, constants), left, widths)
    # What is expected is off by about as much as it is: it counts less than what is seen of a bin
    # where it is large, and more where it is small.
    counts = np.maximum((expected + evidence * expected**2) / (1 + expected**2), 0.0)
    if not counts.any():
        return None
    shares = np.cumsum(counts) / counts.sum()
    low, high = np.searchsorted(shares, [constants.bulk_tail, 1 - constants.bulk_tail])
    return float(sketch.edges[low, 0]), float(sketch.edges[high, 1])


def _expect(
    evidence: NDArray[np.float64],
    units: NDArray[np.float64],
    unlikely: NDArray[np.float64],
    left: float,
    widths: tuple[float, ...],
) -> NDArray[np.float64]:
    """Return the counts to expect, averaged over all humps by how likely they are.

    Args:
        evidence: Noisy counts in units of their noise, shape (k,).
        units: Standard deviations of their noise, shape (k,).
        unlikely: How unlikely values are in each bin, shape (k,).
        left: How many records there are.
        widths: Widths of humps, in bins.

    Returns:
        Counts in units of their noise, shape (k,).
    """
    margin = math.ceil(END_OF_HUMP * max(widths))
    evidence = np.pad(evidence / units, margin)
    precise, unlikely = (np.pad(each, margin, mode='edge') for each in (units**-2, unlikely))
    likelihoods, humps = [], []
    for width in widths:
        reach = math.ceil(END_OF_HUMP * width)
        cuts = (np.arange(-reach, reach + 2) - 0.5) / width
        hump = np.diff(ndtr(cuts))
        hump /= hump.sum()
        inside, odd = (np.convolve(each, hump, 'same') for each in (evidence, unlikely))
        seen = np.convolve(precise, hump**2, 'same')
        # Of values on both sides of zero, a hump on this grid holds one half.
        for mass in (left, left / 2):
            likelihoods.append(inside * mass - mass**2 / 2 * seen - odd)
            humps.append(left * hump)
    weights = np.exp(np.array(likelihoods) - np.max(likelihoods))
    weights /= weights.sum()
    parts = [np.convolve(own, hump, 'same') for own, hump in zip(weights, humps, strict=True)]
    return np.asarray(np.sum(parts, axis=0)[margin:-margin] / units)
