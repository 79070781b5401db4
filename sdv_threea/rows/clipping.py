"""Integer vectors clipped to a norm, which bounds how far one record moves a sum."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.rows.chunks import LARGEST_SUM, magnitude

#: Integers of any width.
Whole = TypeVar('Whole', bound=np.integer[Any])

#: Cells converted to floats at once. This bounds the memory and changes no result.
BLOCK_CELLS = 2**23

#: Integers below this are exact as floats, and so are their sums.
EXACT_FLOAT = 2**53


def clip_norm(vectors: NDArray[Whole], radius: int) -> NDArray[Whole]:
    """Return integer vectors of norm at most ``radius``: longer ones are scaled, then truncated.

    Formal guarantees:
        * every squared norm, in exact integers, is at most ``radius^2``
        * vectors within the radius do not change
        * each vector is clipped by itself, bit for bit the same in any table
    """
    if vectors.shape[1] * radius**2 >= LARGEST_SUM:
        raise OverflowError('the squared norms do not fit into 64 bits: choose a coarser grid.')
    outside = ~_within(vectors, radius)
    if not outside.any():
        return vectors
    clipped = vectors.copy()
    scaled = _scale_down(vectors[outside].astype(np.int64), radius)
    # The proof must not depend on float rounding, so the norm is checked again in whole numbers. A
    # vector that fails counts as zero.
    clipped[outside] = np.where(_within(scaled, radius)[:, None], scaled, 0)
    return clipped


def _within(vectors: NDArray[np.integer], radius: int) -> NDArray[np.bool_]:
    """Return which vectors have a norm of at most the radius, in exact arithmetic."""
    largest = magnitude(vectors)
    if vectors.shape[1] * largest**2 < EXACT_FLOAT:
        squared, size = np.empty(len(vectors)), block_rows(vectors.shape[1])
        for start in range(0, len(vectors), size):
            floats = vectors[start : start + size].astype(np.float64)
            squared[start : start + size] = np.einsum('ij,ij->i', floats, floats)
        return np.asarray(squared <= radius**2)
    # A vector with an entry beyond the radius is outside; squares of the others do not overflow.
    boxed = np.clip(vectors.astype(np.int64), -radius, radius)
    short = np.square(boxed).sum(axis=1) <= radius**2
    return np.asarray(short & (boxed == vectors).all(axis=1))


def _scale_down(vectors: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    floats = vectors.astype(np.float64)
    squared = np.zeros(len(floats))
    # Column by column, because the rounding of a sum along rows may depend on the table's length.
    for column in floats.T:
        squared += column**2
    factors = radius * (1 - 2.0**-40) / np.sqrt(squared)
    return np.trunc(floats * factors[:, None]).astype(np.int64)


def block_rows(width: int) -> int:
    """Return how many records of ``width`` columns are converted to floats at once."""
    return max(BLOCK_CELLS // max(width, 1), 1)
