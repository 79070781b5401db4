"""Sums over records, in tables of one, two or three columns: counts, contrasts, digits.

Bins, sizes and weights are public or released. Bin -1 and code -1 are not counted.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.rows.records import Encoded, Located
from sdv_threea.rows.statistics import histogram, weighted_histogram

#: One, two or three columns, in ascending order. The class is the last column, if it is one.
Columns = tuple[int, ...]

#: Number of digits of a place in its interval, and number of values of a digit.
DIGITS, BASE = 2, 64


def count_columns(sizes: tuple[int, ...], num_classes: int, chunk: Encoded) -> NDArray[np.int64]:
    """Count the records of each class, then those of each code of the last columns."""
    alike = np.zeros_like(chunk.labels)
    last = chunk.codes[:, chunk.codes.shape[1] - len(sizes) :]
    counts = histogram(alike[:, None], chunk.labels, [1], num_classes)
    return np.concatenate([each.ravel() for each in counts + histogram(last, alike, sizes, 1)])


def sum_weights(
    bins: tuple[NDArray[np.int64], ...],
    weights: tuple[NDArray[np.int64], ...],
    radius: int,
    num_classes: int,
    chunk: Encoded,
) -> NDArray[np.int64]:
    """Sum the weights of records in the bins of each column, by class."""
    of_codes = [own[at] for own, at in zip(weights, bins, strict=True)]
    codes = weighted_histogram(chunk.codes, chunk.labels, of_codes, num_classes, radius)
    sums = [
        np.bincount(at, row, len(own))
        for table, own, at in zip(codes, weights, bins, strict=True)
        for row in table
    ]
    return np.concatenate(sums).astype(np.int64)


def count_together(
    places: Sequence[NDArray[np.int64]], columns: Columns, sizes: Sequence[int]
) -> NDArray[np.int64]:
    """Return the number of records in each bin of several columns, shape (G_1, G_2, ...)."""
    wide = [sizes[at] + 1 for at in columns]
    together = np.zeros(len(places[columns[0]]), dtype=np.int64)
    for at, width in zip(columns, wide, strict=True):
        together = together * width + places[at]
    counts = np.bincount(together, minlength=math.prod(wide)).reshape(wide)
    return counts[(slice(1, None),) * len(columns)]


def look_up(bins: NDArray[np.int64], codes: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the bins of codes, counted from 1; 0 for no code and for codes in no bin."""
    return np.append(-1, bins)[codes.astype(np.intp) + 1].astype(np.intp) + 1


def find_places(bins: Sequence[NDArray[np.int64]], chunk: Encoded) -> list[NDArray[np.intp]]:
    """Return the bins of records, counted from 1, and of their classes if classes have bins."""
    # If the class has no bins, ``zip`` ignores the labels.
    codes = [*chunk.codes.T, chunk.labels]
    return [look_up(own, column) for own, column in zip(bins, codes, strict=False)]


def sum_contrasts(
    bins: tuple[NDArray[np.int64], ...],
    sizes: tuple[int, ...],
    weights: Mapping[Columns, int],
    chunk: Encoded,
) -> NDArray[np.int64]:
    """Return the summed products of contrasts of all records, table by table."""
    places, sums = find_places(bins, chunk), []
    for columns, weight in weights.items():
        found = count_together(places, columns, sizes)
        # The sums of contrasts are linear in the counts.
        for axis, size in enumerate(found.shape):
            found = size * found - found.sum(axis=axis, keepdims=True)
        sums.append(weight * found.ravel())
    return np.concatenate(sums).astype(np.int64)


def count_tables(
    bins: tuple[NDArray[np.int64], ...],
    sizes: tuple[int, ...],
    weights: Mapping[Any, int],
    chunk: Encoded,
) -> NDArray[np.int64]:
    """Return the counts of several tables, times their weights, one after the other."""
    places = find_places(bins, chunk)
    counts = [
        weight * count_together(places, columns, sizes).ravel()
        for columns, weight in weights.items()
    ]
    return np.concatenate(counts).astype(np.int64)


def count_digits(sizes: tuple[int, ...], chunk: Located) -> NDArray[np.int64]:
    """Return the counts of the digits of all pairs, one after the other."""
    columns = []
    for codes, places in zip(chunk.codes.T, chunk.places.T, strict=True):
        whole = np.floor(places * BASE**DIGITS)
        known = (codes >= 0) & ~np.isnan(whole)
        whole = np.where(known, whole, 0).astype(np.int64)
        columns += [
            np.where(known, codes.astype(np.int64) * BASE + digit, -1)
            for digit in np.divmod(whole, BASE)
        ]
    one_group = np.zeros(len(chunk.codes), dtype=np.int64)
    counts = histogram(np.stack(columns, axis=1), one_group, sizes, 1)
    return np.concatenate([each.ravel() for each in counts])
