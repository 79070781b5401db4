"""Which codes can occur: a second look at private ranges, once the histograms are released."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.domain import Column, Domain, Number
from sdv_threea.encoding.blocks import Block, NumberBlock
from sdv_threea.encoding.describe import Description
from sdv_threea.encoding.ends import OVERSHOOT, find_ends
from sdv_threea.encoding.lattice import is_lattice, multiples
from sdv_threea.encoding.ranges import Sketch

#: Chance that a range ends beyond the values of its column, where ranges are extrapolated anyway.
LENIENT = 2.0


def supports(
    blocks: tuple[Block, ...],
    description: Description,
    counts: tuple[NDArray[np.float64], ...],
    scale: float,
) -> tuple[NDArray[np.bool_], ...]:
    """Tell which codes of each block can occur, from its released counts by class.

    Args:
        blocks: The blocks.
        description: What is known of the columns.
        counts: Released counts of the codes of each block, each of shape (block.size,).
        scale: Standard deviation of their noise.

    Returns:
        One mask per block, of shape (block.size,).
    """
    return tuple(
        support(block, description, column, scale)
        for block, column in zip(blocks, counts, strict=True)
    )


def support(
    block: Block,
    description: Description,
    counts: NDArray[np.float64],
    scale: float,
) -> NDArray[np.bool_]:
    """Tell which codes of a block can occur.

    A range that had to be estimated was estimated generously, from coarse cells. The released
    histogram looks at it again, closely. What is left are the codes whose values lie between two
    that occur beyond reasonable doubt, in the histogram or in the sketch.

    Args:
        block: The block.
        description: What is known of the columns.
        counts: Released counts of the codes over all classes, shape (block.size,).
        scale: Standard deviation of their noise.

    Returns:
        The mask, shape (block.size,); at least one number can occur.
    """
    mask = np.ones(block.size, dtype=np.bool_)
    mask[0] = block.nullable
    if isinstance(block, NumberBlock) and has_evident_ends(block, description):
        sketch, looks = description.sketches[block.name], len(description.sketches)
        overshoot = LENIENT if description.extrapolated else OVERSHOOT
        second = Sketch(_spans(block), counts[1:], scale)
        mask[1:] = _between(second, *find_ends(second, sketch, looks, overshoot))
    return mask


def has_evident_ends(block: Block, description: Description) -> bool:
    """Whether evidence, rather than the user, tells the first and the last value of a column."""
    tails = description.extrapolated and not is_lattice(description.domain[block.name])
    return block.name in description.estimated and not tails


def narrowed(
    description: Description, blocks: tuple[Block, ...], masks: tuple[NDArray[np.bool_], ...]
) -> Domain:
    """Narrow the ranges that were estimated to the values that can occur."""
    possible = {
        block.name: _spans(block)[mask[1:]]
        for block, mask in zip(blocks, masks, strict=True)
        if isinstance(block, NumberBlock) and has_evident_ends(block, description)
    }
    domain = description.domain
    return Domain(tuple(_narrow(column, possible) for column in domain.columns), domain.target)


def _narrow(column: Column, possible: dict[str, NDArray[np.float64]]) -> Column:
    if not isinstance(column, Number) or column.name not in possible:
        return column
    values = possible[column.name]
    return replace(column, low=float(values[0, 0]), high=float(values[-1, 1]))


def _spans(block: NumberBlock) -> NDArray[np.float64]:
    """List the first and the last value of each cell, shape (number of cells, 2)."""
    if not block.step:
        last = np.nextafter(block.edges[1:], block.edges[:-1])
        return np.stack([block.edges[:-1], last], axis=1)
    cuts = np.ceil(block.edges / block.step)
    return multiples(np.stack([cuts[:-1], np.maximum(cuts[1:] - 1, cuts[:-1])], axis=1), block.step)


def _between(second: Sketch, low: float, high: float) -> NDArray[np.bool_]:
    """Find the cells whose values lie between the ends of the range, or else the one next to it."""
    first, last = second.edges.T
    found = (first >= low) & (last <= high)
    if not found.any():
        near = np.flatnonzero((last >= min(low, high)) & (first <= max(low, high)))
        near = near if len(near) else np.arange(len(first))
        found[near[np.argmax(second.counts[near])]] = True
    return np.asarray(found)
