"""The bins in which pairs of columns are counted, and whether it pays to count them.

All of it follows from released counts and from the price: post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.bins import cut_bins
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.joint.constants import JointConstants

#: Two columns, the first one first.
Pair = tuple[int, int]

#: How many times as precisely pairs of a rare value may be counted, the most first. Spread over so
#: many columns that it would be less, precision would help none of them.
STRESSES = np.linspace(3, 1.5, 16)


class PairPlan(NamedTuple):
    """Which pairs of columns are counted, and how: publishable.

    Args:
        pairs: The pairs ``(i, j)``, ``i < j``.
        num_bins: How many bins an ordered column has, besides spikes and the missing value.
        few_of_class: Whether a class has so few records that labels need a part of the price.
        stress: How many times as precisely the pairs of each column are counted.
    """

    pairs: tuple[Pair, ...]
    num_bins: int
    few_of_class: bool
    stress: tuple[float, ...]


def plan_pairs(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    mu: float,
    constants: JointConstants,
    adapted_classes: int = 0,
    *,
    adapts_number: bool = False,
) -> PairPlan | None:
    """Plan the release of pairs.

    Args:
        columns: For each column, counts of the codes, shape (S,).
        num_records: Number of records.
        mu: The price, in GDP, at which pairs would be counted.
        constants: The constants of the room.
        adapted_classes: The number of classes of which labels are to be adapted; 0 for none.
        adapts_number: Whether a numerical target is to be adapted, which needs finer bins, unless
            most columns have few values.

    Returns:
        The plan; ``None`` if there are no pairs to count, or noise would drown them.
    """
    pairs = choose_pairs(columns, num_records, mu, constants)
    num_bins = num_pair_bins(num_records, len(pairs), mu, constants)
    if num_bins is None:
        return None
    if adapts_number and not suits_number(num_bins, list(map(len, columns)), constants):
        return None
    needed = constants.records_per_class * adapted_classes
    few = adapted_classes > 0 and num_records < needed * _pair_noise(len(pairs), mu)
    stress = stress_rare(columns, num_records, pairs, mu, constants)
    return PairPlan(pairs, num_bins, few, stress)


def suits_number(num_bins: int, sizes: Sequence[int], constants: JointConstants) -> bool:
    """Return whether pairs are counted though a numerical target is adapted.

    Of two numbers correlations say about what coarse bins do, and more of what a third one follows
    from. Which of a few values go together they do not say, and these have bins of their own.

    Args:
        num_bins: How many bins a column would have.
        sizes: How many codes each column has.
        constants: The constants of the room.
    """
    few = sum(size <= constants.few_values for size in sizes)
    return num_bins >= constants.least_bins_of_number or 2 * few >= len(sizes)


def choose_pairs(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    mu: float,
    constants: JointConstants,
) -> tuple[Pair, ...]:
    """Choose the pairs of columns that are counted: those of columns that say anything.

    In a column that is left out, the records beside the most frequent value are few, in units of
    the noise if all pairs were counted. What it says of others is left to the correlations. Where
    such a column, a rare class for instance, adds few pairs to the others, and so little to the
    noise of all, it is counted sooner.

    Args:
        columns: For each column, counts of the codes, shape (S,).
        num_records: Number of records.
        mu: The price, in GDP, at which pairs would be counted.
        constants: The constants of the room.

    Returns:
        The pairs; none if there are more columns than can be joined.
    """
    if len(columns) > constants.most_columns or not mu:
        return ()
    noise = _pair_noise(math.comb(len(columns), 2), mu)
    unlike = [num_records - float(counts.max()) for counts in columns]
    telling = [at for at, own in enumerate(unlike) if own > constants.least_unlike * noise]
    most = (1 + constants.most_added) * math.comb(len(telling), 2)
    others = sorted(set(range(len(columns))) - set(telling), key=lambda at: -unlike[at])
    for at in others:
        if unlike[at] > constants.least_rare * noise and math.comb(len(telling) + 1, 2) <= most:
            telling.append(at)
    return tuple(combinations(sorted(telling), 2))


def stress_rare(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    pairs: Sequence[Pair],
    mu: float,
    constants: JointConstants,
) -> tuple[float, ...]:
    """Choose how many times as precisely the pairs of each column are counted.

    What a column says of others it says by the records beside its most frequent value. Where these
    are few, in units of the noise, as those of a rare class, its pairs need more precision than
    others, as far as the noise of all of them grows but little.

    Args:
        columns: For each column, counts of the codes, shape (S,).
        num_records: Number of records.
        pairs: The pairs that are counted, at least one.
        mu: The price, in GDP, at which they are counted.
        constants: The constants of the room.
    """
    unlike = np.array([num_records - float(counts.max()) for counts in columns])
    few = constants.least_unlike * _pair_noise(len(pairs), mu)
    needed = np.maximum(few / np.maximum(unlike, 1.0), 1.0)
    first, second = np.array(pairs).T
    for most in STRESSES:
        stress = np.minimum(needed, most)
        cost = np.square(np.maximum(stress[first], stress[second])).mean()
        if cost <= 1 + constants.most_stressed:
            return tuple(stress.tolist())
    return (1.0,) * len(columns)


def num_pair_bins(
    num_records: float, num_pairs: int, mu: float, constants: JointConstants
) -> int | None:
    """Choose how many bins of a column pairs are counted in.

    Two columns with ``k`` bins each have ``k^2`` bins together. Each of them should hold some times
    the noise, whose scale is ``sqrt(num_pairs) / mu``.

    Args:
        num_records: Number of records, as released: it may be less than none.
        num_pairs: How many pairs of columns are counted.
        mu: The price, in GDP, at which they would be counted.
        constants: The constants of the room.

    Returns:
        The number; ``None`` if the noise would drown pairs, or there are none.
    """
    if not num_pairs or not mu:
        return None
    noise = _pair_noise(num_pairs, mu)
    if not noise:
        return constants.most_bins
    carried = math.isqrt(int(max(num_records, 0) / (constants.records_per_noise * noise)))
    return min(carried, constants.most_bins) if carried >= constants.least_bins else None


def cut_pair_bins(  # noqa: PLR0913 (columns, and how finely to cut them)
    columns: Sequence[NDArray[np.float64]],
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    num_bins: int,
    least: float,
    constants: JointConstants,
    of_stage: ApproximateConstants,
) -> list[NDArray[np.int64]]:
    """Cut all columns into bins.

    Args:
        columns: For each column, probabilities of the codes, shape (S,); code 0 is the missing
            value.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        num_bins: How many bins a column has, besides spikes and the missing value.
        least: The least probability of a spike.
        constants: The constants of the room.
        of_stage: Those of the stage, by which ordered columns are cut as for classes.

    Returns:
        For each column, the bin of each code, shape (S,); -1 for codes that cannot occur, and for
        categories that no record has.
    """
    found = []
    for shares, mask, natural in zip(columns, masks, ordered, strict=True):
        if natural:
            runs = cut_bins(shares, mask, num_bins, least, of_stage)
        else:
            mask, runs = shares > 0, np.arange(len(shares))
            carried = min(2 * num_bins, constants.most_values)
            if mask.sum() > max(carried, constants.own_values):
                runs = pack(shares, min(num_bins, constants.own_values))
        bins = np.full(len(shares), -1)
        # A bin of codes that cannot occur would be given records by the noise of its counts.
        bins[mask] = np.unique(runs[mask], return_inverse=True)[1]
        found.append(bins)
    return found


def pack(shares: NDArray[np.float64], num_bins: int) -> NDArray[np.int64]:
    """Pack categories into bins of about the same mass, the heaviest first, shape (S,)."""
    bins, loads = np.zeros(len(shares), dtype=np.int64), np.zeros(num_bins)
    for code in np.argsort(-shares, kind='stable'):
        bins[code] = np.argmin(loads)
        loads[bins[code]] += shares[code]
    return bins


def _pair_noise(num_pairs: int, mu: float) -> float:
    """Return the noise of a count, if that many pairs are counted at this price.

    Interactions have less, and their columns cost some of it.
    """
    return math.sqrt(num_pairs) / mu


def count_bins(bins: Sequence[NDArray[np.int64]]) -> list[int]:
    """Count the bins of each column."""
    return [int(column.max(initial=-1)) + 1 for column in bins]
