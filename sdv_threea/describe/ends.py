"""The ends of an estimated range: sure ends, and likely ends of the tails beyond them.

A significant run of bins has a record somewhere, so a column surely reaches the end of the run that
is nearer to the middle. Beyond that end, noise masks the records of each bin, but the decrease of
the counts shows where records probably end. Both errors cost: samples outside the real range are
invalid, and a range that ends early moves its last records inwards.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.constants import MORE, SHAPES, DescribeConstants
from sdv_threea.describe.bulk import likely_ends
from sdv_threea.describe.ranges import Sketch, evident_runs, likeliest_run, snap_to_zero

#: A tail ends at this many remaining records: the median of the largest of many numbers.
LAST = math.log(2)

#: A code is a single value among bins if its width is less than this part of the width of all
#: codes.
SINGLE = 1e-9


class Looks(NamedTuple):
    """Parameters of the estimate of a range, whose error probability ``num`` columns share.

    ``reach`` is the probability that a column ends before the estimated end of its tail.
    """

    num: int
    reach: float
    constants: DescribeConstants

    def clear_of_noise(self, num_tests: int = 1) -> float:
        """Return how many standard deviations are significant, in tests of each column."""
        return self.constants.clear_of_noise(num_tests * self.num)


def find_ends(second: Sketch, sketch: Sketch, looks: Looks) -> tuple[float, float]:
    """Return the lower and the upper end of a range, from two looks at a column.

    ``second`` counts codes, with the first and last value of each as ``edges``; ``sketch`` counts
    on the public grid. Ends in reverse order mean that some value lies between them. If nothing is
    significant, the ends are those of the middle part of the likeliest run. If all that is
    known is the range of similar numbers, and significant codes do not have most of the records,
    the ends are those of that range.
    """
    # If each value has a code, the codes nest in the bins of the sketch, and both looks average.
    second = replace(second, of_times=sketch.of_times)
    nested = bool((second.edges[:, 0] == second.edges[:, 1]).all())
    first_look = _combine(sketch, second) if nested else sketch
    reached = [(each.edges, _reached(each, looks)) for each in (first_look, second)]
    # Numbers in the bin around zero count as zero.
    found = [
        (snap_to_zero(edges[low, 1]), snap_to_zero(edges[high, 0]))
        for edges, bins in reached
        for low, high in bins
    ]
    if found:
        found.append((-guess_end(mirror(second), looks), guess_end(second, looks)))
        sure = _widen(found, second, looks)
        if _holds_most(second, sure, looks):
            return sure
    likely = likely_ends(sketch, looks.num, looks.constants)
    if sketch.is_usual:
        found.append(sketch.bounds)
    elif likely is not None:
        # The lower end is the upper end of the mirrored column.
        low = -settle(mirror(second), mirror(sketch), -likely[0], looks.constants)
        found.append(
            (snap_to_zero(low), snap_to_zero(settle(second, sketch, likely[1], looks.constants)))
        )
    if found:
        return _widen(found, second, looks)
    first, last = likeliest_run(sketch, looks.constants)
    margin = (last - first + 1) // 4
    return float(sketch.edges[first + margin, 0]), float(sketch.edges[last - margin, 1])


def _widen(found: list[tuple[float, float]], second: Sketch, looks: Looks) -> tuple[float, float]:
    lows, highs = zip(*found, strict=True)
    # The lower end is the upper end of the mirrored column.
    low = -_reach(mirror(second), -min(lows), looks)
    return low, _reach(second, max(highs), looks)


def settle(second: Sketch, sketch: Sketch, border: float, constants: DescribeConstants) -> float:
    """Return the estimated last value in the last bin of a likely range, which ends at ``border``.

    A bin may be an octave wide. Its records are assumed to be uniform up to an end, and all ends
    are weighted by the likelihood of the counts of the closer look, ``second``. If these counts are
    not informative, the end is about that of the bin.
    """
    last = int(np.searchsorted(sketch.edges[:, 1], border))
    start = sketch.edges[last, 0]
    values = second.edges[:, 0]
    inside = (values >= start) & (values < border)
    if not second.scales.any() or not inside.any():
        # The border belongs to the next bin.
        return float(np.nextafter(border, -math.inf))
    counts, ends = second.counts[inside], second.edges[inside, 1]
    widths = np.diff(np.append(values[inside], border))
    # Both looks count the records of the bin.
    noise = second.scales[inside] ** 2
    precision, again = sketch.units[last] ** -2, 1 / noise.sum()
    mean = np.average([sketch.counts[last], counts.sum()], weights=[precision, again])
    # The counts that a uniform distribution up to each end predicts, and its log likelihood.
    full = max(float(mean), 0.0) / np.cumsum(widths)
    agreeing, expected = (np.cumsum(each * widths / noise) for each in (counts, widths))
    likelihoods = full * agreeing - full**2 / 2 * expected
    weights = np.exp(likelihoods - likelihoods.max())
    weights *= widths
    shares = np.cumsum(weights) / weights.sum()
    return float(ends[np.searchsorted(shares, 1 - constants.tail)])


def mirror(look: Sketch) -> Sketch:
    """Return a look at the column with the opposite sign."""
    return replace(look[::-1], edges=-look.edges[::-1, ::-1])


def _holds_most(second: Sketch, ends: tuple[float, float], looks: Looks) -> bool:
    """Return whether few records lie beyond sure ends, up to noise: then no end is guessed."""
    beyond = (second.edges[:, 1] < ends[0]) | (second.edges[:, 0] > ends[1])
    # A frequent zero does not show where other numbers end.
    others = second.counts[second.edges.any(axis=1)].sum()
    few = looks.constants.tail * max(float(others), 0.0)
    noise = float(np.linalg.norm(second.scales[beyond]))
    return bool(
        noise <= few and second.counts[beyond].sum() <= max(few, looks.clear_of_noise() * noise)
    )


def guess_end(look: Sketch, looks: Looks) -> float:
    """Return the likely end of the upper tail of a look; minus infinity if counts show no tail.

    The column ends before it with the probability ``looks.reach``. The tail begins at the last
    place beyond which the records are significant. Tails of several shapes, with an end at any
    code, are weighted by the likelihood of the noisy counts, and by a prior that does not depend on
    the unit.
    """
    if not look.scales.any():
        return -math.inf
    # The next code of a lattice begins a step after the last value of the one before.
    step = float((look.edges[1:, 0] - look.edges[:-1, 1]).min(initial=1.0))
    borders = np.append(look.edges[:, 0], look.edges[-1, 1] + step)
    # A single value among wider bins is not a part of a tail.
    wide = np.diff(borders) > SINGLE * (borders[-1] - borders[0])
    look, borders = look[wide], borders[np.append(wide, True)]
    beyond = np.cumsum(look.counts[::-1])[::-1]
    noise = np.sqrt(np.cumsum(look.scales[::-1] ** 2))[::-1]
    bar = looks.clear_of_noise(len(beyond))
    starts = np.flatnonzero((beyond > bar * noise) & (beyond > 2 * LAST))
    if not len(starts):
        return -math.inf
    start = max(int(starts[-1]) - MORE, 0)
    tail, places = look[start:], borders[start:] - borders[start]
    # Negative noise may make the sum of the tail too small; the significant records are its
    # minimum.
    records = float(max(beyond[start], beyond[starts[-1]]))
    shares = np.stack([_share_beyond(places, LAST / records, own) for own in SHAPES])
    weights = _fit(tail, shares, records) * np.diff(places) / places[1:]
    weights /= weights.sum()
    passed = np.cumsum(weights.sum(axis=0))
    return float(tail.edges[min(int(np.searchsorted(passed, looks.reach)), len(passed) - 1), 1])


def _share_beyond(places: Floats, left: float, shape: float) -> Floats:
    """Return the share of a tail beyond each place, for an end at each but the first."""
    if math.isinf(shape):
        return np.asarray(left ** (places / places[1:, None]))
    lengths = places[1:, None] / (1 - left ** (1 / shape))
    return np.asarray(np.maximum(1 - places / lengths, 0.0) ** shape)


def _fit(tail: Sketch, shares: Floats, num_records: float) -> Floats:
    """Return the likelihood of tails up to a factor, maximised over the number of records."""
    freedom = math.log(num_records) / 2
    parts = -np.diff(shares, axis=-1)
    agreeing, expected = parts @ (tail.counts / tail.scales**2), parts**2 @ tail.scales**-2.0
    shaped = np.maximum(agreeing, 0.0) ** 2 / (2 * expected)
    # The last tail has no shape: each count is a parameter, which Schwarz's criterion penalises.
    shapeless = np.cumsum(np.maximum(tail.evidence, 0.0) ** 2 / 2 - freedom)
    likelihoods = np.vstack([shaped, shapeless])
    return np.asarray(np.exp(likelihoods - likelihoods.max()))


def is_guessed(second: Sketch, sketch: Sketch, looks: Looks) -> bool:
    """Return whether nothing is significant in either look at a column."""
    return not any(len(evident_runs(look, looks.num, looks.constants)) for look in (second, sketch))


def step_out(evidence: Floats, looks: Looks, scale: float = 0.0) -> int:
    """Return how many bins, from the first on, start a significant run, given their evidence."""
    lengths = looks.constants.runs
    clear = looks.clear_of_noise(2 * len(lengths))  # at both ends of each column
    # One more place, which no run reaches, ends the search.
    reached = np.zeros(len(evidence) + 1, dtype=np.bool_)
    sums = np.concatenate([[0.0], np.cumsum(evidence)])
    for length in lengths:
        runs = sums[length:] - sums[:-length]
        bar = max(clear * math.sqrt(length), looks.constants.fewest / scale if scale else 0.0)
        reached[: len(runs)] |= runs > bar
    return int(np.argmin(reached))


def _reached(look: Sketch, looks: Looks) -> list[tuple[int, int]]:
    """Return the lowest and the highest bin that values surely reach, or nothing."""
    evidence, runs = look.evidence, evident_runs(look, looks.num, looks.constants)
    if not len(runs):
        return []
    low, high = int(runs[:, 1].min()), int(runs[:, 0].max())
    low -= step_out(evidence[:low][::-1], looks, look.scales[:low].max(initial=0.0))
    high += step_out(evidence[high + 1 :], looks, look.scales[high + 1 :].max(initial=0.0))
    return [(low, high)]


def _reach(second: Sketch, end: float, looks: Looks) -> float:
    """Return the upper end of the range, which is ``end`` or a value beyond it with evidence."""
    values = second.edges[:, 0]
    last = max(int(np.searchsorted(values, end, side='right')) - 1, 0)
    beyond = second[slice(last + 1, None)]
    last += step_out(beyond.evidence, looks, beyond.scales.max(initial=0.0))
    return max(end, float(values[last]))


def _combine(sketch: Sketch, second: Sketch) -> Sketch:
    """Return both looks in the bins of a sketch, averaged by precision, in noise scales."""
    bins = np.searchsorted(sketch.edges[:, 0], second.edges[:, 0], side='right') - 1
    # A public bound may leave bins of the sketch outside.
    inside, bins = np.unique(np.maximum(bins, 0), return_inverse=True)
    sketch = sketch[inside]
    again = np.bincount(bins, second.counts)
    # The sum of several counts is less precise than each of them.
    precision = sketch.units**-2
    precision_again = 1 / np.bincount(bins, second.units**2)
    total = precision + precision_again
    mean = (sketch.counts * precision + again * precision_again) / total
    first, end = (np.searchsorted(bins, np.arange(len(inside)), each) for each in ('left', 'right'))
    edges = np.stack([second.edges[first, 0], second.edges[end - 1, 1]], axis=1)
    return replace(sketch, edges=edges, counts=mean * np.sqrt(total), scale=1.0, num_records=None)
