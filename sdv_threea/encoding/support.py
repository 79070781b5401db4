"""Which codes can occur: a second look at private ranges, once the histograms are released."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.domain import Column, Domain, Number
from sdv_threea.encoding.blocks import Block, NumberBlock
from sdv_threea.encoding.describe import Description
from sdv_threea.encoding.lattice import is_lattice, multiples
from sdv_threea.encoding.ranges import NO_NOISE, Sketch, occupied

#: Evidence, in noise scales, that keeps a single value at the end of a range.
LAST_VALUE = 3.0


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
        counts: Released counts of the codes of each block, each of shape (C, block.size).
        scale: Standard deviation of their noise.

    Returns:
        One mask per block, of shape (block.size,).
    """
    return tuple(
        support(block, description, column.sum(axis=0), scale * np.sqrt(len(column)))
        for block, column in zip(blocks, counts, strict=True)
    )


def support(
    block: Block,
    description: Description,
    counts: NDArray[np.float64],
    scale: float,
) -> NDArray[np.bool_]:
    """Tell which codes of a block can occur.

    A range that had to be estimated was estimated generously, from coarse cells. Where each of its
    values is a cell, the released histogram adds evidence, and values at its ends that no evidence
    speaks for are cut off.

    Args:
        block: The block.
        description: What is known of the columns.
        counts: Released counts of the codes over all classes, shape (block.size,).
        scale: Standard deviation of their noise.

    Returns:
        The mask, shape (block.size,).
    """
    mask = np.ones(block.size, dtype=np.bool_)
    mask[0] = block.nullable
    if isinstance(block, NumberBlock) and has_evident_ends(block, description):
        sketch = description.sketches[block.name]
        low, high = _ends(block, sketch, counts[1:], scale or NO_NOISE, len(description.sketches))
        mask[1 : low + 1] = False
        mask[high + 2 :] = False
    return mask


def has_evident_ends(block: Block, description: Description) -> bool:
    """Whether evidence, rather than the user, tells the first and the last value of a column."""
    return block.name in description.estimated and is_lattice(description.domain[block.name])


def narrowed(
    domain: Domain, blocks: tuple[Block, ...], masks: tuple[NDArray[np.bool_], ...]
) -> Domain:
    """Narrow the ranges of a domain to the codes that can occur."""
    possible = {
        block.name: _values(block)[mask[1:]]
        for block, mask in zip(blocks, masks, strict=True)
        if isinstance(block, NumberBlock) and is_lattice(domain[block.name])
    }
    return Domain(tuple(_narrow(column, possible) for column in domain.columns), domain.target)


def _narrow(column: Column, possible: dict[str, NDArray[np.float64]]) -> Column:
    if not isinstance(column, Number) or column.name not in possible:
        return column
    values = possible[column.name]
    return replace(column, low=float(values[0]), high=float(values[-1]))


def _values(block: NumberBlock) -> NDArray[np.float64]:
    """List the values of a lattice, each of which is a cell."""
    return multiples(np.ceil(block.edges[:-1] / block.step), block.step)


def _ends(
    block: NumberBlock, sketch: Sketch, counts: NDArray[np.float64], scale: float, num_looks: int
) -> tuple[int, int]:
    """Find the first and the last value that evidence speaks for."""
    cells = np.searchsorted(sketch.edges[:, 0], _values(block), side='right') - 1
    # A bound that is public may leave cells of the sketch outside.
    inside, cells = np.unique(np.maximum(cells, 0), return_inverse=True)
    combined = _combine(sketch[inside], cells, counts, scale)
    kept = occupied(combined, num_looks=num_looks)
    lowest = np.flatnonzero(cells == cells[cells >= kept.start][0])
    highest = np.flatnonzero(cells == cells[cells < kept.stop][-1])
    evidence = counts / scale
    first, last = _outermost(evidence[lowest]), _outermost(evidence[highest[::-1]])
    return int(lowest[first]), int(highest[::-1][last])


def _outermost(evidence: NDArray[np.float64]) -> int:
    """Find the outermost value of an occupied cell, outside first: it has one, strong or not."""
    strong = np.flatnonzero(evidence > LAST_VALUE)
    return int(strong[0]) if len(strong) else int(np.argmax(evidence))


def _combine(
    sketch: Sketch, cells: NDArray[np.int64], counts: NDArray[np.float64], scale: float
) -> Sketch:
    """Average two noisy counts of the same cells by their precision, in units of their noise."""
    size = len(sketch.counts)
    values_in_cell = np.bincount(cells)
    again = np.bincount(cells, counts, minlength=size)
    precision, precision_again = (sketch.scale or NO_NOISE) ** -2, 1 / (scale**2 * values_in_cell)
    total = precision + precision_again
    mean = (sketch.counts * precision + again * precision_again) / total
    return Sketch(sketch.edges, mean * np.sqrt(total), 1.0)
