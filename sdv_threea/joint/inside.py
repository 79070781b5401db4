"""Weights and draws of the codes inside bins."""

from collections.abc import Sequence

import numpy as np

from sdv_threea.arrays import Floats, Wholes

#: Fractional parts of the multiples of the golden ratio fill the unit interval evenly.
GOLDEN = (5**0.5 - 1) / 2


def add_up(weights: Floats, bins: Wholes, size: int) -> Floats:
    """Add up the weights of codes, shape (R, S), by bin, shape (R, G); bin -1 is left out."""
    counted = bins >= 0
    rows = [np.bincount(bins[counted], row[counted], size) for row in weights]
    return np.asarray(rows, dtype=np.float64).reshape(len(weights), size)


def draw_inside(
    weights: Floats, of_code: Wholes, keys: Wholes, bins: Wholes, rng: np.random.Generator
) -> Wholes:
    """Draw one code inside the bin of each row, shape (n,), by the weights of the row's key.

    A key is a row of ``weights``, shape (R, S). ``of_code`` is the bin of each code, -1 for none.
    If a key gives no weight to a bin, codes are drawn by the weights of all keys together.
    """
    order = np.flatnonzero(of_code >= 0)
    order = order[np.argsort(of_code[order], kind='stable')]
    labels, size = of_code[order], int(of_code.max()) + 1
    if len(order) == size:  # each bin is a single code
        return np.asarray(order[bins])
    table, sums = weights[:, order], add_up(weights[:, order], labels, size)
    whole = table.sum(axis=0) + (sums.sum(axis=0)[labels] == 0)
    table = np.where(sums[:, labels] > 0, table, whole)
    passed = np.cumsum(table / add_up(table, labels, size)[:, labels], axis=1)
    ends = np.searchsorted(labels, np.arange(size + 1))
    borders = np.concatenate([np.zeros((len(passed), 1)), passed], axis=1)[:, ends]
    low, high = borders[keys, bins], borders[keys, bins + 1]
    shares = fill_evenly([bins], rng, len(bins))
    # A place that is rounded up to the border would select a code without weight.
    places = np.minimum(low + shares * (high - low), np.nextafter(high, low))
    return np.asarray(order[_search(passed, keys, places)])


def fill_evenly(keys: Sequence[Wholes], rng: np.random.Generator, num_rows: int) -> Floats:
    """Draw uniform numbers, shape (n,), evenly spread among rows that have the same keys.

    Rows are sorted by their keys, and get consecutive terms of a sequence whose every stretch fills
    the interval evenly. ``keys`` are codes of the rows, shape (n,) each, the most informative
    first. The codes of a key are sorted in a random order: in a fixed order, unique keys would
    determine the numbers, and two columns that are drawn with the same keys would be dependent.
    """
    alike = np.zeros(num_rows)
    for key in keys:
        places = rng.permutation(key.max(initial=0) + 1)
        alike = alike * len(places) + places[key]
    # A single sort: by the whole parts, and at random inside them.
    order = np.argsort(alike + rng.random(num_rows))
    filling = np.arange(num_rows) * GOLDEN + rng.random()
    filled = np.empty(num_rows)
    filled[order] = filling - np.floor(filling)
    return filled


def _search(passed: Floats, keys: Wholes, places: Floats) -> Wholes:
    found = np.empty(len(places), dtype=np.int64)
    order = np.argsort(keys, kind='stable')
    present, starts = np.unique(keys[order], return_index=True)
    for key, rows in zip(present, np.split(order, starts[1:]), strict=True):
        found[rows] = np.searchsorted(passed[key], places[rows], side='right')
    return found
