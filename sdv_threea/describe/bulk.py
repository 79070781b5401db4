"""The likely place of the bulk of a numerical column in which no single bin is significant.

Most numbers form a hump on a logarithmic grid: many records in the middle, few at the ends. So
humps of all places and widths, with the known number of records, are weighted by the likelihood of
the noisy counts.
"""

import math

import numpy as np
from scipy.special import ndtr

from sdv_threea.arrays import Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.ranges import Sketch, find_unlikely

#: A hump ends at this many of its widths from its middle.
END_OF_HUMP = 3.0


def likely_ends(
    sketch: Sketch, num_looks: int, constants: DescribeConstants
) -> tuple[float, float] | None:
    """Return the borders of bins between which the bulk is likely to lie, if known."""
    if sketch.num_records is None or not sketch.scales.any():
        return None
    evidence, units = sketch.evidence, sketch.units
    bar = constants.clear_of_noise(num_looks)
    # A frequent zero is released by itself, and would mask the other numbers here.
    heavy = constants.clear_of_noise(num_looks * len(evidence))
    zero = (sketch.edges.sum(axis=1) == 0) & (evidence > heavy)
    left = sketch.num_records - float(sketch.counts[zero].sum())
    evidence[zero] = 0.0
    # The number of records has noise, too.
    if left < bar * math.sqrt(zero.sum() + 1) * units.max():
        return None
    widths = tuple(length / 4 for length in constants.runs)
    expected = _expect(evidence, units, find_unlikely(sketch, constants), left, widths)
    # The error of the expectation is about its own size, so it is averaged with the count by
    # precision.
    counts = np.maximum((expected + evidence * expected**2) / (1 + expected**2), 0.0)
    if not counts.any():
        return None
    shares = np.cumsum(counts) / counts.sum()
    low, high = np.searchsorted(shares, [constants.tail, 1 - constants.tail])
    return float(sketch.edges[low, 0]), float(sketch.edges[high, 1])


def _expect(
    evidence: Floats, units: Floats, unlikely: Floats, left: float, widths: tuple[float, ...]
) -> Floats:
    """Return expected counts in noise scales, averaged over humps by likelihood, shape (k,)."""
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
        # With values on both sides of zero, a hump on one side holds half of them.
        for mass in (left, left / 2):
            likelihoods.append(inside * mass - mass**2 / 2 * seen - odd)
            humps.append(left * hump)
    weights = np.exp(np.array(likelihoods) - np.max(likelihoods))
    weights /= weights.sum()
    parts = [np.convolve(own, hump, 'same') for own, hump in zip(weights, humps, strict=True)]
    return np.asarray(np.sum(parts, axis=0)[margin:-margin] / units)
