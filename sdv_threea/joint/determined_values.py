"""Release and estimate the values that a category determines: a product's price, to the cent.

The code of a number is an interval. Two digits of :data:`BASE` values each give the place inside
the interval, and are counted for each category: 128 counts distinguish 4,096 places. If nearly all
records of a category have the same digits, the category determines the number. All else is
post-processing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import Evidence
from sdv_threea.joint.joint_constants import NEARLY, JointConstants
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.pricing import Function, find_small, sum_needs
from sdv_threea.joint.tables import left_open
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.contingency_tables import BASE, DIGITS, count_digits
from sdv_threea.rows.records import Located
from sdv_threea.statistics import registry

#: A count is significant if it exceeds this many noise scales; the largest of many zero counts does
#: not.
STANDING_OUT = Evidence().clear_of_noise(BASE)

#: An interval of this relative width contains only a few floats.
FEW_FLOATS = 1e-14


@dataclass(frozen=True)
class ValueCounts:
    """Noisy counts by pair of category and number, shape (DIGITS, S, BASE): publishable."""

    digits: dict[Pair, Floats]
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
    """Return noisy counts of the digits of numbers by category, and their receipt.

    ``rows`` hold the codes of categories, and the places of numbers, of at least one pair, category
    first; ``pairs`` are public or released. ``sizes`` are numbers of codes of the categories.

    Formal guarantees: a record adds one to at most one count of each digit of each pair, as
    :func:`~sdv_threea.accounting.sensitivities.histogram_sensitivity` asks.
    """
    counted = [size * BASE for size in sizes for _ in range(DIGITS)]
    statistic = registry.DIGITS.state(
        partial(count_digits, tuple(counted)),
        neighbors=neighbors,
        pairs=len(pairs),
        columns=len(counted),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    borders = np.cumsum([DIGITS * size * BASE for size in sizes])[:-1]
    parts = zip(pairs, sizes, np.split(noisy, borders), strict=True)
    digits = {pair: part.reshape(DIGITS, size, BASE) for pair, size, part in parts}
    return ValueCounts(digits, receipt.noise_scale), receipt


def has_wide_codes(shares: Floats, edges: Floats | None) -> bool:
    """Return whether some codes of a numerical column are intervals of several values."""
    if edges is None:
        return False
    widths = np.diff(edges)
    # The interval of a single value is a few floats wide, or reaches halfway to both neighbours.
    step = widths.min(initial=np.inf)
    with np.errstate(over='ignore', invalid='ignore'):  # steps may be as small as floats are
        halfway = np.abs(edges[1:] / step % 1 - 0.5) < 0.01
    single = (widths <= FEW_FLOATS * np.abs(edges[1:])) | (halfway & (widths < 1.5 * step))
    return bool(shares[1:][~single].sum() > 0)


def may_have_one(table: Floats, constants: JointConstants) -> bool:
    """Return whether categories leave little entropy of the number, given probabilities (S, E)."""
    alone = left_open(table.sum(axis=0, keepdims=True))
    return left_open(table) <= constants.one_code * min(alone, 1.0)


def price_values(columns: Sequence[Floats], num_records: float, wanted: Sequence[Pair]) -> float:
    """Return the price, in GDP, at which the digits of nearly all categories are recognised."""
    shares = (find_small(columns[category]) for category, _ in wanted)
    digits = [Function(own, BASE) for own in shares]
    return math.sqrt(sum_needs(DIGITS * [min(digits)] * len(digits), num_records))


def keep_one_code(table: Floats, has: Bools) -> Floats:
    """Move the probability of marked categories to their likeliest code with a number, (S, E)."""
    settled, present = table.copy(), table[has, 1:]
    alone = np.eye(table.shape[1] - 1)[present.argmax(axis=1)]
    settled[has, 1:] = alone * present.sum(axis=1, keepdims=True)
    return settled


def estimate_values(
    counts: ValueCounts, tables: Mapping[Pair, Floats], num_records: float
) -> dict[Pair, Floats]:
    """Return the place of each category's number in its interval, shape (S,); NaN if unknown.

    Places lie in (0, 1). Categories with too few records for their noise have one number if most
    others do. ``tables`` are probabilities by pair, shape (S, E), category first.
    """
    found = {}
    for pair, digits in counts.digits.items():
        records = num_records * tables[pair][:, 1:].max(axis=1)  # without those of a missing number
        largest = digits.max(axis=2).min(axis=0)
        seen = records / 2 > STANDING_OUT * counts.scale
        has = seen & (largest > records / 2)
        if records[has].sum() > records[seen].sum() / 2:
            has[1:] |= ~seen[1:]  # the missing value is not a category
        has &= records > 0
        first, second = digits.argmax(axis=2)
        found[pair] = np.where(has, (first + (second + 0.5) / BASE) / BASE, np.nan)
    return found


def find_single(
    counts: ValueCounts, tables: Mapping[Pair, Floats], num_records: float
) -> tuple[Pair, ...]:
    """Return the pairs whose categories evidently have a single number each."""
    found = []
    for pair, digits in counts.digits.items():
        present = num_records * tables[pair][:, 1:]
        records = present.sum(axis=1)
        seen = records / 2 > STANDING_OUT * counts.scale
        alike = digits.max(axis=2).mean(axis=0)[seen].sum()
        commonest = present[seen].sum(axis=0).max()
        if alike - commonest > NEARLY * (records[seen].sum() - commonest):
            found.append(pair)
    return tuple(found)
