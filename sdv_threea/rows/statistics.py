"""The statistics of private records: counts, sums, second moments.

All statistics are exact integer sums over records, so the sums of blocks of rows add up to those of
the table, bit for bit and in any order. :mod:`~sdv_threea.accounting.sensitivities` bounds the
contribution of a record.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting.sensitivities import DIAGONAL_WEIGHT, OFF_DIAGONAL_WEIGHT
from sdv_threea.rows.chunks import LARGEST_SUM, magnitude
from sdv_threea.rows.clipping import EXACT_FLOAT, block_rows, clip_norm

#: Rows of products converted to floats at once. This bounds the memory and changes no result.
STRIP = 2**9


def histogram(
    codes: NDArray[np.integer], groups: NDArray[np.integer], sizes: Sequence[int], num_groups: int
) -> tuple[NDArray[np.int64], ...]:
    """Return the counts of each code by column and group, shape (num_groups, sizes[j]) each.

    A negative code, in ``codes`` of shape (n, m), is not counted.

    Formal guarantees:
        * the counts of a table are the sums of the counts of its blocks of rows
        * all counts of all columns together move by at most ``histogram_sensitivity(m, ...)``
    """
    if codes.shape != (len(groups), len(sizes)):
        raise ValueError('codes must have one row per group label and one column per size.')
    _check_groups(groups, num_groups)
    pairs = zip(codes.T, sizes, strict=True)
    return tuple(_count(column, groups, size, num_groups) for column, size in pairs)


def weighted_histogram(
    codes: NDArray[np.integer],
    groups: NDArray[np.integer],
    weights: Sequence[NDArray[np.int64]],
    num_groups: int,
    radius: int,
) -> tuple[NDArray[np.int64], ...]:
    """Return the sums of the weights of codes by column and group, shape (num_groups, S) each.

    A negative code weighs nothing; no weight, shape (S,) per column, may be negative.

    Formal guarantees:
        * the sums of a table are the sums of those of its blocks of rows
        * a record adds a vector of non-negative whole numbers to its group, of norm at most
          ``radius``: its weights, shortened by :func:`~sdv_threea.rows.clipping.clip_norm`
        * so the sums of all columns together move by at most ``sum_sensitivity(radius, ...)``
    """
    _check_groups(groups, num_groups)
    if any(own.min(initial=0) < 0 for own in weights):
        raise ValueError('weights must be at least zero.')
    found = np.zeros(codes.shape, dtype=np.int64)
    for at, own in enumerate(weights):
        _check_codes(codes[:, at], len(own))
        # The appended zero is the weight of negative codes.
        found[:, at] = np.append(own, 0)[np.maximum(codes[:, at], -1)]
    found = clip_norm(found, radius)
    return tuple(
        _count(column, groups, len(own), num_groups, added)
        for column, own, added in zip(codes.T, weights, found.T, strict=True)
    )


def sum_distances(
    counts: NDArray[np.int64], expected: NDArray[np.int64], sizes: Sequence[int]
) -> NDArray[np.int64]:
    """Return the L1 distance ``sum |count - expected|`` of each histogram, of ``sizes[j]`` counts.

    ``counts`` holds all histograms, one after the other; a record counts at most once in each.

    Formal guarantees: for any public or released ``expected``, the distances of neighbouring tables
    differ by at most ``distance_sensitivity(len(sizes), ...)``.
    """
    starts = np.cumsum([0, *sizes[:-1]])
    return np.asarray(np.add.reduceat(np.abs(counts - expected), starts))


def first_moments(
    vectors: NDArray[np.integer], groups: NDArray[np.integer], num_groups: int
) -> NDArray[np.int64]:
    """Return the sums of integer vectors ``t`` by group, shape (num_groups, d).

    Formal guarantees:
        * the sums are exact, so the sums of a table are the sums of those of its blocks of rows
        * with ``||t|| <= radius`` they move by at most ``radius`` when a record is added or removed
        * if moreover no two vectors have a negative inner product, they move by at most ``sqrt(2)
          radius`` when one is replaced: see :func:`sum_sensitivity`
    """
    _check_groups(groups, num_groups)
    sums = np.zeros((num_groups, vectors.shape[1]), dtype=np.int64)
    if magnitude(vectors) * len(vectors) >= EXACT_FLOAT:
        np.add.at(sums, groups, vectors.astype(np.int64))
    else:
        for at, column in enumerate(vectors.T):
            sums[:, at] = np.bincount(groups, column, num_groups)
    return sums


def second_moments(
    vectors: NDArray[np.integer], groups: NDArray[np.integer], num_groups: int
) -> NDArray[np.int64]:
    """Return ``12 t_i^2`` and ``17 t_i t_j``, summed over the records ``t`` of each group.

    The shape is (num_groups, d (d + 1) / 2), in the order of :func:`numpy.triu_indices`.

    Formal guarantees:
        * the sums are exact, so the sums of a table are the sums of those of its blocks of rows
        * with ``||t|| <= radius`` they move by at most ``moment_sensitivity(radius, ...)``
    """
    _check_groups(groups, num_groups)
    largest = max(magnitude(vectors), 1) ** 2
    if largest >= EXACT_FLOAT or OFF_DIAGONAL_WEIGHT * largest * len(vectors) >= LARGEST_SUM:
        raise OverflowError('the sums do not fit into 64 bits: choose a coarser grid.')
    width = vectors.shape[1]
    sums = np.zeros((num_groups, width * (width + 1) // 2), dtype=np.int64)
    order = np.argsort(groups, kind='stable')
    bounds = np.searchsorted(groups[order], np.arange(num_groups + 1)).tolist()
    for group, rows in _group_slices(bounds, min(block_rows(width), EXACT_FLOAT // largest)):
        block, end = vectors[order[rows]].astype(np.float64), 0
        for first in range(0, width, STRIP):
            products = block[:, first : first + STRIP].T @ block[:, first:]
            own = products[mask(*products.shape)]
            start, end = end, end + len(own)
            sums[group, start:end] += own.astype(np.int64)
    sums *= _weights(width)
    return sums


def mask(height: int, width: int | None = None) -> NDArray[np.bool_]:
    """Return which entries of a matrix lie on or above its diagonal, shape (height, width)."""
    return ~np.tri(height, width, -1, dtype=np.bool_)


def width_of(triangles: NDArray[Any]) -> int:
    """Return the width ``m`` of the matrices whose upper triangles these are."""
    return (math.isqrt(8 * triangles.shape[-1] + 1) - 1) // 2


def diagonal(width: int) -> NDArray[np.int64]:
    """Return the places of the diagonal in the upper triangle of a matrix, shape (m,)."""
    rows = np.arange(width)
    return rows * width - rows * (rows - 1) // 2


def unweighted_moments(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return released second moments without the weights, as upper triangles."""
    return np.asarray(moments / _weights(width_of(moments)))


def _count(
    column: NDArray[np.integer],
    groups: NDArray[np.integer],
    size: int,
    num_groups: int,
    added: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return counts of codes, or sums of whole numbers, by group; floats hold both exactly."""
    _check_codes(column, size)
    # Code -1 counts in a first entry, which is cut off.
    places, width = np.maximum(column, -1).astype(np.intp) + 1, size + 1
    if num_groups > 1:
        places += groups.astype(np.intp) * width
    counts = np.bincount(places, added, minlength=num_groups * width).astype(np.int64)
    return counts.reshape(num_groups, width)[:, 1:]


def _check_codes(column: NDArray[np.integer], size: int) -> None:
    if column.max(initial=-1) >= size:
        raise ValueError(f'a code is out of range: codes must be below {size}.')


def _check_groups(groups: NDArray[np.integer], num_groups: int) -> None:
    if groups.min(initial=0) < 0 or groups.max(initial=-1) >= num_groups:
        raise ValueError(f'a group is out of range: groups must be in [0, {num_groups}).')


def _group_slices(bounds: list[int], size: int) -> Iterator[tuple[int, slice]]:
    for group, (start, stop) in enumerate(pairwise(bounds)):
        for first in range(start, stop, size):
            yield group, slice(first, min(first + size, stop))


def _weights(width: int) -> NDArray[np.int8]:
    weights = np.full(width * (width + 1) // 2, OFF_DIAGONAL_WEIGHT, dtype=np.int8)
    weights[diagonal(width)] = DIAGONAL_WEIGHT
    return weights
