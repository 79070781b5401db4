"""Fill in the blanks of a domain from releases: post-processing."""

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.bulk import likely_ends
from sdv_threea.describe.ends import Looks, guess_end, mirror
from sdv_threea.describe.lattice import round_inwards
from sdv_threea.describe.ranges import (
    SMALLEST,
    Sketch,
    leave_far,
    occupied,
    snap_to_zero,
    standing_out,
    take_usual,
)
from sdv_threea.describe.sentinels import FIRST_DIGIT, LAST_DIGIT
from sdv_threea.domain import Category, Column, Domain, Number


def find_range(
    sketch: Sketch, num_looks: int, constants: DescribeConstants, step: float = 0.0
) -> Sketch:
    """Return the bins of a sketch that are occupied, or likely to be; later counts narrow them.

    ``step`` is that of the numbers, 0 for none.
    """
    sketch = leave_far(sketch, num_looks, constants)
    if sketch.usual is not None and not len(standing_out(sketch, num_looks, constants)):
        return take_usual(sketch)
    found = occupied(sketch, constants, num_looks=num_looks)
    low, high = sketch[found].bounds
    likely = likely_ends(sketch, num_looks, constants) or (low, high)
    # The lower end is the upper end of the mirrored column.
    looks = Looks(num_looks, 1 - constants.tail, constants)
    low = min(low, likely[0], -_reach(mirror(sketch), -low, looks))
    high = max(high, likely[1], _reach(sketch, high, looks))
    if step and not LAST_DIGIT % step and sketch.scales.any():
        low, high = -_reach_digit(-low), _reach_digit(high)
    return sketch[(sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)]


def _reach_digit(end: float) -> float:
    """Return 9 for an end from 7 on: codes for refused, unknown and not asked come together."""
    return LAST_DIGIT if FIRST_DIGIT <= end < LAST_DIGIT else end


def _reach(sketch: Sketch, end: float, looks: Looks) -> float:
    """Return the likely end of the tail, of numbers of one sign, beyond ``end``, plus a bin."""
    if abs(end) <= SMALLEST or not sketch.scales.any():
        return end
    own = sketch[math.copysign(1, end) * sketch.edges.sum(axis=1) > 0]
    if not len(own.counts):  # the bin around zero has no sign
        return end
    end = max(end, guess_end(own, looks))
    after = int(np.searchsorted(own.edges[:, 1], end)) + 1
    return float(own.edges[min(after, len(own.counts) - 1), 1])


def find_vast(domain: Domain, sketches: Mapping[str, Sketch], vast: float) -> tuple[str, ...]:
    """Return the numbers whose stated ranges are ``vast`` times as wide as the occupied bins."""
    widths = {name: float(np.diff(_list_ends(domain[name]))[0]) for name in sketches}
    return tuple(
        name
        for name, sketch in sketches.items()
        if vast * (sketch.bounds[1] - sketch.bounds[0]) < widths[name] < math.inf
    )


def cut_sketch(sketch: Sketch, stated: Column) -> Sketch:
    """Return the bins of a sketch inside a stated range."""
    low, high = _list_ends(stated)
    inside = (sketch.edges[:, 1] > low) & (sketch.edges[:, 0] <= high)
    return sketch[inside] if inside.any() else sketch


def cut_range(column: Column, stated: Column) -> Column:
    """Return a column whose estimated range is cut to the stated one."""
    if not isinstance(column, Number) or column.low is None or column.high is None:
        return column
    low, high = np.clip([column.low, column.high], *_list_ends(stated)).tolist()
    return replace(column, low=low, high=high)


def _list_ends(stated: Column) -> tuple[float, float]:
    assert isinstance(stated, Number)
    low = -math.inf if stated.low is None else stated.low
    return low, math.inf if stated.high is None else stated.high


def fill_nullable(column: Column, nulls: Mapping[str, bool]) -> Column:
    """Return the column with its nullability filled in."""
    return replace(column, nullable=nulls.get(column.name, column.nullable))


def fill_step(column: Column, steps: Mapping[str, float]) -> Column:
    """Return the column with the step of its numbers filled in."""
    if isinstance(column, Number) and column.name in steps:
        return replace(column, step=steps[column.name])
    return column


def fill_sentinels(column: Column, found: Mapping[str, tuple[float, ...]]) -> Column:
    """Return the column with the found sentinels in addition to stated ones."""
    if not isinstance(column, Number) or column.name not in found:
        return column
    return replace(column, sentinels=tuple(sorted({*column.sentinels, *found[column.name]})))


def fill_values(column: Column, values: Mapping[str, Collection[Hashable]]) -> Column:
    """Return the column with its values filled in; without values, all its cells are missing."""
    if not isinstance(column, Category) or column.name not in values:
        return column
    known, ordered = tuple(values[column.name]), False
    if column.ordered:
        known, ordered = _put_in_order(known)
    nullable = column.nullable or not known
    return replace(column, values=known, ordered=ordered, nullable=nullable)


def _put_in_order(values: tuple[Hashable, ...]) -> tuple[tuple[Hashable, ...], bool]:
    """Sort released numbers, or texts of numbers; the order of other values is not known."""
    try:
        places = [float(cast(float, value)) for value in values]
    except (TypeError, ValueError, OverflowError):
        return values, False
    if not np.isfinite(places).all():
        return values, False
    return tuple(values[at] for at in np.argsort(places, kind='stable')), True


def fill_range(column: Column, sketches: Mapping[str, Sketch]) -> Column:
    """Return the column with unknown bounds filled in: the ends of occupied bins."""
    if not isinstance(column, Number) or column.name not in sketches:
        return column
    sketch, step = sketches[column.name], column.step or 0.0
    low, high = sketch.bounds
    # An estimated range ends at values that can occur.
    low, high = round_inwards(low, high, step) if step else map(snap_to_zero, (low, high))
    # Public bounds stay, even if all evidence lies beyond them.
    if column.low is not None:
        low, high = column.low, max(high, column.low)
    if column.high is not None:
        low, high = min(low, column.high), column.high
    return replace(column, low=low, high=high)
