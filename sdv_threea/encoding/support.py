"""Find the codes that can occur, given estimated ranges and histograms: post-processing."""

from dataclasses import replace

import numpy as np

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import Description
from sdv_threea.describe.ends import Looks, find_ends, is_guessed
from sdv_threea.describe.lattice import multiples
from sdv_threea.describe.ranges import Sketch
from sdv_threea.domain import MISSING, SPREAD, Category, Column, Domain, Number, Pseudonyms
from sdv_threea.encoding.edges import find_range_bins, find_sentinel_bins
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder, Transformer
from sdv_threea.maths.buckets import share_out


def support(
    transformer: Transformer,
    description: Description,
    counts: Floats,
    scale: float,
    constants: DescribeConstants,
) -> Bools:
    """Return which codes of a column can occur, shape (size,); at least one number can.

    An estimated range is generous, because it comes from coarse bins. The released histogram
    narrows the range: codes can occur between two values that evidently occur, in the histogram or
    in the sketch. A stated range is narrowed for a numerical target only: noise makes empty bins
    look occupied, and a few values far out have a large squared error. Narrowing other columns lost
    in throw-away fits of few rows.
    """
    mask = np.ones(transformer.size, dtype=np.bool_)
    mask[0] = transformer.nullable
    if isinstance(transformer, NumberEncoder):
        inside = _is_inside(transformer, description)
        mask[1:] = inside | find_sentinel_bins(
            description.domain[transformer.name], transformer.edges
        )
        ends = _find_ends(transformer, description, counts[1:][inside], inside, scale, constants)
        if ends is not None:
            spans = list_spans(transformer)[inside]
            mask[1:][inside] = _between(Sketch(spans, counts[1:][inside], scale), *ends)
    if getattr(description.domain[transformer.name], 'pseudonyms', None) is not None:
        mask[1:] = counts[1:] > 0
    if isinstance(transformer, CategoryEncoder) and transformer.unlisted > 0:
        # Noise must not create unlisted values if all values of a column are released.
        bar = constants.clear_of_noise(len(description.domain.columns))
        evident = counts[transformer.unlisted] > bar * scale
        mask[transformer.unlisted] = evident or not mask[:-1].any()
    return mask


def _find_ends(
    transformer: NumberEncoder,
    description: Description,
    counts: Floats,
    inside: Bools,
    scale: float,
    constants: DescribeConstants,
) -> tuple[float, float] | None:
    """Return the ends of the values that evidently occur; ``None`` if the range is kept."""
    second = Sketch(list_spans(transformer)[inside], counts, scale)
    if transformer.name in description.estimated:
        reach = 1 - constants.tail if description.extrapolated else constants.reach
        looks = Looks(len(description.sketches), reach, constants)
        return find_ends(second, description.sketches[transformer.name], looks)
    if transformer.name != description.domain.target:
        return None
    looks = Looks(len(description.domain.columns), constants.reach, constants)
    sketch = description.sketches.get(transformer.name, second)
    return None if is_guessed(second, sketch, looks) else find_ends(second, sketch, looks)


def was_guessed(
    transformer: NumberEncoder,
    description: Description,
    counts: Floats,
    scale: float,
    constants: DescribeConstants,
) -> bool:
    """Return whether a range was estimated although no count exceeded the noise."""
    if transformer.name not in description.estimated:
        return False
    looks = Looks(len(description.sketches), constants.reach, constants)
    second = Sketch(list_spans(transformer), counts[1:], scale)
    return is_guessed(second, description.sketches[transformer.name], looks)


def narrowed(
    description: Description,
    transformers: tuple[Transformer, ...],
    masks: tuple[Bools, ...],
    counts: tuple[Floats, ...],
) -> Domain:
    """Return the domain with ranges narrowed to possible values, and names in their buckets."""
    possible = {
        transformer.name: list_spans(transformer)[mask[1:] & _is_inside(transformer, description)]
        for transformer, mask in zip(transformers, masks, strict=True)
        if isinstance(transformer, NumberEncoder) and transformer.name in description.estimated
    }
    complete = {
        transformer.name
        for transformer, mask in zip(transformers, masks, strict=True)
        if isinstance(transformer, CategoryEncoder)
        and transformer.unlisted > 0
        and not mask[transformer.unlisted]
    }
    domain = description.domain
    columns = tuple(_narrow(column, possible, complete) for column in domain.columns)
    by_name = {own.name: each for own, each in zip(transformers, counts, strict=True)}
    columns = tuple(_name_buckets(own, by_name.get(own.name)) for own in columns)
    return replace(domain, columns=columns)


def _is_inside(transformer: NumberEncoder, description: Description) -> Bools:
    column = description.domain[transformer.name]
    assert isinstance(column, Number)
    return find_range_bins(column, transformer.edges)


def _narrow(column: Column, possible: dict[str, Floats], complete: set[str]) -> Column:
    if isinstance(column, Category):
        if column.name in complete:
            return replace(column, unreleased=SPREAD)
        return replace(column, nullable=column.nullable or column.unreleased == MISSING)
    if not isinstance(column, Number) or column.name not in possible:
        return column
    values = possible[column.name]
    return replace(column, low=float(values[0, 0]), high=float(values[-1, 1]))


def _name_buckets(column: Column, counts: Floats | None) -> Column:
    if not isinstance(column, Category) or column.pseudonyms is None or counts is None:
        return column
    known = column.pseudonyms.known
    return replace(column, pseudonyms=Pseudonyms(known, *share_out(counts[1:], known)))


def list_spans(transformer: NumberEncoder) -> Floats:
    """Return the first and the last value of each bin, shape (number of bins, 2)."""
    if not transformer.step:
        last = np.nextafter(transformer.edges[1:], transformer.edges[:-1])
        return np.stack([transformer.edges[:-1], last], axis=1)
    # Edges lie halfway between multiples, so the next multiple above an edge is the first of its
    # bin.
    cuts = np.ceil(transformer.edges / transformer.step)
    times = np.stack([cuts[:-1], np.maximum(cuts[1:] - 1, cuts[:-1])], axis=1)
    return multiples(times, transformer.step)


def _between(second: Sketch, low: float, high: float) -> Bools:
    """Return which bins lie between two ends; if none does, the fullest one nearby."""
    first, last = second.edges.T
    found = (first >= low) & (last <= high)
    if not found.any():
        # No bin lies between the ends, so one that overlaps is taken.
        near = np.flatnonzero((last >= min(low, high)) & (first <= max(low, high)))
        near = near if len(near) else np.arange(len(first))
        found[near[np.argmax(second.counts[near])]] = True
    return np.asarray(found)
