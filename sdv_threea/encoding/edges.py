"""Cut a numerical column into bins.

Bins are half-open intervals. A column of few possible values has a bin for each value. Otherwise
bins have about equal mass in noisy counts, and a heavy single value, a *spike*, has its own bin.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import MOST_BINS, OWN_CODE
from sdv_threea.describe.lattice import has_few_values, inner_multiples, is_lattice
from sdv_threea.describe.ranges import Sketch
from sdv_threea.domain import Column, Number


def released_edges(column: Number, sketch: Sketch | None, heavy: Mapping[float, float]) -> Floats:
    """Return the ascending borders of a column's bins; ``heavy`` has the records of each spike."""
    if is_lattice(column):
        return _with_sentinels(known_edges(column), column)
    assert sketch is not None
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    low, high = inner_multiples(low, high, step) if step else (low, high)
    bins = quantile_edges(_without(sketch, heavy), low, high + step)
    single = {*heavy, *column.sentinels}
    spikes = np.array([value for value in single if low <= value <= high], dtype=np.float64)
    edges = _cut_lattice(bins, spikes, step) if step else _cut_anywhere(bins, spikes)
    return _with_sentinels(_with_one_bin(edges), column)


def known_edges(column: Number) -> Floats:
    """Return the borders of a column with few possible values: a bin for each value."""
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    return _with_one_bin(lattice_edges(*inner_multiples(low, high, step), step))


def public_edges(values: Floats, step: float) -> Floats:
    """Return the ascending borders of bins of public, finite numbers; ``step`` may be 0."""
    values = values if len(values) else np.zeros(1)
    low, high = float(values.min()), float(values.max())
    if has_few_values(low, high, step):
        return lattice_edges(low, high, step)
    # Public numbers need no smoothing: their quantiles are exact.
    bins = np.quantile(values, np.linspace(0, 1, MOST_BINS + 1))
    bins[-1] = high + step if step else np.nextafter(high, np.inf)
    nothing = np.zeros(0)
    edges = _cut_lattice(bins, nothing, step) if step else _cut_anywhere(bins, nothing)
    return _with_one_bin(edges)


def lattice_edges(low: float, high: float, step: float) -> Floats:
    """Return borders halfway between the multiples of a step from ``low`` to ``high``."""
    cuts = np.arange(round(low / step), round(high / step) + 2, dtype=np.float64)
    return np.asarray((cuts - 0.5) * step)


def find_range_bins(column: Number, edges: Floats) -> Bools:
    """Return which bins lie in the range of a column, without sentinels and gaps before these."""
    beyond = _list_beyond(column)
    borders = np.array([*beyond, *np.nextafter(beyond, np.inf)])
    inside = np.flatnonzero(~np.isin(edges, borders))
    places = np.arange(len(edges) - 1)
    return np.asarray((places >= inside[0]) & (places < inside[-1]))


def find_sentinel_bins(column: Column, edges: Floats) -> Bools:
    """Return which bins contain a sentinel beyond the range of a column."""
    assert isinstance(column, Number)
    return np.isin(edges[:-1], _list_beyond(column))


def _with_sentinels(edges: Floats, column: Number) -> Floats:
    """Return borders with a bin, one float wide, for each sentinel beyond the range."""
    beyond = np.array(_list_beyond(column))
    return _cut_anywhere(edges, beyond) if len(beyond) else edges


def _list_beyond(column: Number) -> list[float]:
    """Return the sentinels beyond the bins of the range."""
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    return [value for value in column.sentinels if not low - step <= value <= high + step]


def quantile_edges(sketch: Sketch, low: float, high: float, num_bins: int = MOST_BINS) -> Floats:
    """Return ascending, distinct borders of bins of about equal mass, from ``low`` to ``high``."""
    inside = sketch[(sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)]
    total = max(float(np.maximum(inside.counts, 0).sum()), 1.0)
    # A positive mass gives each bin of the sketch a cut, even in a tail without a count.
    least = OWN_CODE * total
    counts = np.maximum(inside.counts, least)
    borders = np.concatenate([[low], np.clip(inside.edges[:, 1], low, high), [high]])
    tail = least if borders[-1] > borders[-2] else 0.0
    masses = np.cumsum(np.concatenate([[0.0], counts, [tail]]))
    edges = np.interp(np.linspace(0, masses[-1], num_bins + 1), masses, borders)
    # Interpolation may round the ends.
    edges[0], edges[-1] = low, high
    # In the tails, the borders of the sketch are cuts, too.
    outside = (borders < edges[1]) | (borders > edges[-2])
    return np.unique(np.concatenate([edges, borders[outside]]))


def _without(sketch: Sketch, spikes: Mapping[float, float]) -> Sketch:
    counts = sketch.counts.copy()
    for value, count in spikes.items():
        counts[(sketch.edges[:, 0] <= value) & (value < sketch.edges[:, 1])] -= count
    return replace(sketch, counts=counts)


def _cut_lattice(bins: Floats, spikes: Floats, step: float) -> Floats:
    """Return borders halfway between multiples of a step; spikes get a bin of one multiple."""
    cuts, heavy = np.round(bins / step), np.round(spikes / step)
    return np.asarray((np.unique(np.concatenate([cuts, heavy, heavy + 1])) - 0.5) * step)


def _cut_anywhere(bins: Floats, spikes: Floats) -> Floats:
    """Return borders at any float; the bin of a spike ends with the next float."""
    return np.unique(np.concatenate([bins, spikes, np.nextafter(spikes, np.inf)]))


def _with_one_bin(edges: Floats) -> Floats:
    """Return the borders of at least one bin: a single border gets a bin of one float."""
    if len(edges) < 2:
        return np.array([edges[0], np.nextafter(edges[0], np.inf)])
    return edges
