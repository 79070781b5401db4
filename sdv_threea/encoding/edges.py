"""Where a numerical column is cut into bins.

Bins are half-open intervals. A column of few possible values has a bin for each of them. Otherwise
bins hold about equal mass, as far as noisy counts can tell, and a heavy single value, a *spike*, is
a bin by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.describe.lattice import has_few_values, inner_multiples, is_lattice
from sdv_threea.describe.ranges import Sketch
from sdv_threea.domain import Number
from sdv_threea.encoding.constants import EncodingConstants


def released_edges(
    column: Number,
    sketch: Sketch | None,
    heavy: Mapping[float, float],
    constants: EncodingConstants,
) -> NDArray[np.float64]:
    """Cut a column by what is public or released of it.

    Args:
        column: The column, its blanks filled in.
        sketch: Its noisy counts; not needed if each of its values has a bin.
        heavy: Its heavy single values, and how many records have them.
        constants: The constants of the room.

    Returns:
        Borders of the bins, ascending, shape (number of bins + 1,).
    """
    if is_lattice(column):
        return known_edges(column)
    assert sketch is not None
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    low, high = inner_multiples(low, high, step) if step else (low, high)
    bins = quantile_edges(_without(sketch, heavy), low, high + step, constants)
    spikes = np.array([value for value in heavy if low <= value <= high], dtype=np.float64)
    edges = _cut_lattice(bins, spikes, step) if step else _cut_anywhere(bins, spikes)
    return _with_one_bin(edges)


def known_edges(column: Number) -> NDArray[np.float64]:
    """Cut a column whose values are known and few: a bin for each."""
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    return _with_one_bin(lattice_edges(*inner_multiples(low, high, step), step))


def public_edges(values: NDArray[np.float64], step: float, most_bins: int) -> NDArray[np.float64]:
    """Cut public numbers into bins of equally many numbers, or of one value each if those are few.

    Args:
        values: Finite numbers, none missing, shape (n,).
        step: Their granularity; 0 for continuous ones.
        most_bins: Number of bins, unless each value has one.

    Returns:
        Borders of the bins, ascending, shape (number of bins + 1,).
    """
    values = values if len(values) else np.zeros(1)
    low, high = float(values.min()), float(values.max())
    if has_few_values(low, high, step):
        return lattice_edges(low, high, step)
    # Public numbers need no smoothing: their quantiles are exact.
    bins = np.quantile(values, np.linspace(0, 1, most_bins + 1))
    bins[-1] = high + step if step else np.nextafter(high, np.inf)
    nothing = np.zeros(0)
    edges = _cut_lattice(bins, nothing, step) if step else _cut_anywhere(bins, nothing)
    return _with_one_bin(edges)


def lattice_edges(low: float, high: float, step: float) -> NDArray[np.float64]:
    """Cut halfway between the multiples of a step from ``low`` to ``high``: a bin for each."""
    cuts = np.arange(round(low / step), round(high / step) + 2, dtype=np.float64)
    return np.asarray((cuts - 0.5) * step)


def quantile_edges(
    sketch: Sketch, low: float, high: float, constants: EncodingConstants
) -> NDArray[np.float64]:
    """Cut a range into bins of about equal mass, as far as a sketch can tell.

    The cumulative counts of the sketch are interpolated, and cut at even shares. The outermost bins
    are cut finer, because they decide where the range will end.

    Args:
        sketch: Noisy counts of the column.
        low: Lower end of the range.
        high: Upper end of the range.
        constants: The constants of the room.

    Returns:
        Edges, ascending, distinct, from ``low`` to ``high``.
    """
    inside = sketch[(sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)]
    total = max(float(np.maximum(inside.counts, 0).sum()), 1.0)
    # Every bin of the sketch has some mass, so none is without a cut.
    counts = np.maximum(inside.counts, constants.least_share * total)
    # A bin of the sketch that reaches out of the range ends with it.
    borders = np.concatenate([[low], np.clip(inside.edges[:, 1], low, high), [high]])
    tail = constants.tail_share * total if borders[-1] > borders[-2] else 0.0
    masses = np.cumsum(np.concatenate([[0.0], counts, [tail]]))
    thin = np.array(constants.thin_bins) / constants.most_bins
    shares = np.linspace(0, 1, constants.most_bins + 1)
    shares = np.concatenate([thin, shares, 1 - thin])
    edges = np.interp(np.sort(shares) * masses[-1], masses, borders)
    # Interpolation may round the ends.
    edges[0], edges[-1] = low, high
    # Where records are few, the borders of the sketch are cuts too.
    outside = (borders < edges[1 + len(thin)]) | (borders > edges[-2 - len(thin)])
    return np.unique(np.concatenate([edges, borders[outside]]))


def _without(sketch: Sketch, spikes: Mapping[float, float]) -> Sketch:
    """Return a sketch without the records of spikes, which get bins by themselves."""
    counts = sketch.counts.copy()
    for value, count in spikes.items():
        counts[(sketch.edges[:, 0] <= value) & (value < sketch.edges[:, 1])] -= count
    return replace(sketch, counts=counts)


def _cut_lattice(
    bins: NDArray[np.float64], spikes: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """Cut halfway between multiples of a step; a spike is a bin between two cuts."""
    cuts, heavy = np.round(bins / step), np.round(spikes / step)
    return np.asarray((np.unique(np.concatenate([cuts, heavy, heavy + 1])) - 0.5) * step)


def _cut_anywhere(bins: NDArray[np.float64], spikes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut at any float; a spike is a bin that ends with the next float."""
    return np.unique(np.concatenate([bins, spikes, np.nextafter(spikes, np.inf)]))


def _with_one_bin(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the borders of at least one bin: a single border gets a bin of one float."""
    if len(edges) < 2:
        return np.array([edges[0], np.nextafter(edges[0], np.inf)])
    return edges
