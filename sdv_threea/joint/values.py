"""The number that a category has: of all sales of a product its price, to the cent.

A number has a code for an interval of values, and counts of codes say in which interval the price
of a product lies. Where in there it lies is told by two digits: with the interval divided into
:data:`BASE` parts, and each part into as many, the first says in which part the number is, and the
second where in that part. They are counted for each category. If nearly all of its records have the
same digits, it has one number. So thousands of places are told by twice 64 counts.

After the release all of it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.encoding.records import Located
from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.functions import find_small
from sdv_threea.joint.tables import left_open
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import histogram, histogram_sensitivity
from sdv_threea.privacy.sums import Statistic, release, take

#: Digits of a place in an interval, and how many values each of them has.
DIGITS, BASE = 2, 64

#: A count stands out if it exceeds the noise by this factor: of 64 counts of none, the largest does
#: so once in 70 times.
STANDING_OUT = 3.5

#: A category has one number if this share of its records, or more, have the same digits.
MOSTLY = 0.5

#: Categories have one number and no other if this share of records, or more, say so; the records of
#: the commonest number, which may be the same in all categories, say nothing.
NEARLY_ALL = 0.95

#: The width of a few floats, in units of their size.
FEW_FLOATS = 1e-14


@dataclass(frozen=True)
class ValueCounts:
    """Released counts of the digits of numbers by category: publishable.

    Args:
        digits: Noisy counts by pair, a category and a number, each of shape (DIGITS, S, BASE).
        scale: Standard deviation of the noise of a count.
    """

    digits: dict[Pair, NDArray[np.float64]]
    scale: float


def release_values(
    rows: Rows[Located],
    pairs: Sequence[Pair],
    sizes: Sequence[int],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ValueCounts, Receipt]:
    """Release the digits of numbers by category.

    Formal guarantees:
        * a record adds one to at most one count of each digit of each pair, as
          :func:`~sdv_threea.privacy.statistics.histogram_sensitivity` asks

    Args:
        rows: Of private records, the codes of the categories of the pairs, and the places of the
            numbers in their intervals.
        pairs: The pairs, at least one, the category first: public or released.
        sizes: Number of codes of the category of each pair.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    counted = [size * BASE for size in sizes for _ in range(DIGITS)]
    statistic = Statistic(
        'approximate',
        f'digits of numbers by category, of {len(pairs)} pairs of columns',
        partial(_count_digits, tuple(counted)),
        histogram_sensitivity(len(counted), neighbors),
    )
    noisy, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    borders = np.cumsum([DIGITS * size * BASE for size in sizes])[:-1]
    parts = zip(pairs, sizes, np.split(noisy, borders), strict=True)
    digits = {pair: part.reshape(DIGITS, size, BASE) for pair, size, part in parts}
    return ValueCounts(digits, receipt.noise_scale), receipt


def has_wide_codes(shares: NDArray[np.float64], edges: NDArray[np.float64] | None) -> bool:
    """Tell whether a column has numbers of which a code says in which interval they are, no more.

    Args:
        shares: Probabilities of its codes, shape (E,).
        edges: Borders of the codes, shape (E,); ``None`` if they are no numbers.
    """
    if edges is None:
        return False
    widths = np.diff(edges)
    # The interval of a single value is a few floats, or from halfway to the value before it to
    # halfway to the next.
    step = widths.min(initial=np.inf)
    halfway = np.abs(edges[1:] / step % 1 - 0.5) < 0.01
    single = (widths <= FEW_FLOATS * np.abs(edges[1:])) | (halfway & (widths < 1.5 * step))
    return bool(shares[1:][~single].sum() > 0)


def may_have_one(table: NDArray[np.float64], constants: JointConstants) -> bool:
    """Tell whether each category may have a number of its own.

    It then leaves little open, and little of what is open without it: where nearly all numbers are
    zero nearly nothing is open anyway.

    Args:
        table: Probabilities, the codes of the category first, shape (S, E).
        constants: The constants of the room.
    """
    alone = left_open(table.sum(axis=0, keepdims=True))
    return left_open(table) <= constants.one_code * min(alone, 1.0)


def price_values(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    wanted: Sequence[Pair],
    constants: JointConstants,
) -> float:
    """Choose the price, in GDP, at which nearly all categories show their digits.

    Args:
        columns: For each column, probabilities of the codes, shape (S,).
        num_records: Number of records.
        wanted: The pairs, at least one, the category first.
        constants: The constants of the room.
    """
    small = min(find_small(columns[category], constants.left_out) for category, _ in wanted)
    noise = max(num_records * small / constants.records_per_digit, 1.0)
    return math.sqrt(DIGITS * len(wanted)) / noise


def settle(table: NDArray[np.float64], has: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give categories that have a number its code and no other, but for a missing number.

    Args:
        table: Probabilities, the codes of the category first, shape (S, E).
        has: Which categories have a number, shape (S,).

    Returns:
        The table, with the same sums of rows.
    """
    settled, present = table.copy(), table[has, 1:]
    alone = np.eye(table.shape[1] - 1)[present.argmax(axis=1)]
    settled[has, 1:] = alone * present.sum(axis=1, keepdims=True)
    return settled


def estimate_values(
    counts: ValueCounts, tables: Mapping[Pair, NDArray[np.float64]], num_records: float
) -> dict[Pair, NDArray[np.float64]]:
    """Estimate where in its interval the number of each category is.

    Of categories that noise would hide, each has one number if most of the others do.

    Args:
        counts: The released counts.
        tables: Probabilities by pair, the codes of the category first, shape (S, E).
        num_records: Number of records.

    Returns:
        Places in (0, 1) by pair, shape (S,); NaN where a category has no number of its own.
    """
    found = {}
    for pair, digits in counts.digits.items():
        records = num_records * tables[pair][:, 1:].max(axis=1)  # beside those without a number
        largest = digits.max(axis=2).min(axis=0)
        seen = records * MOSTLY > STANDING_OUT * counts.scale
        has = seen & (largest > records * MOSTLY) & (records > 0)
        if records[has].sum() > MOSTLY * records[seen].sum():
            has[1:] |= ~seen[1:]  # a missing category is none
        first, second = digits.argmax(axis=2)
        found[pair] = np.where(has, (first + (second + 0.5) / BASE) / BASE, np.nan)
    return found


def find_single(
    counts: ValueCounts, tables: Mapping[Pair, NDArray[np.float64]], num_records: float
) -> tuple[Pair, ...]:
    """Find the pairs in which categories have one number and no other, as far as counts tell.

    Args:
        counts: The released counts.
        tables: Probabilities by pair, the codes of the category first, shape (S, E).
        num_records: Number of records.
    """
    found = []
    for pair, digits in counts.digits.items():
        present = num_records * tables[pair][:, 1:]
        records = present.sum(axis=1)
        seen = records * MOSTLY > STANDING_OUT * counts.scale
        alike = digits.max(axis=2).mean(axis=0)[seen].sum()
        commonest = present[seen].sum(axis=0).max()
        if alike - commonest > NEARLY_ALL * (records[seen].sum() - commonest):
            found.append(pair)
    return tuple(found)


def _count_digits(sizes: tuple[int, ...], chunk: Located) -> NDArray[np.int64]:
    """Count the digits of each pair, one after the other."""
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
