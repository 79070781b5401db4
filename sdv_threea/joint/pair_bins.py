"""Choose which pairs of columns are counted, in which bins, and whether counting them pays.

Only released counts and the price are read: post-processing.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sdv_threea.approximate.bins import cut_bins
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import RECORDS_PER_NOISE, ApproximateConstants
from sdv_threea.joint.joint_constants import POWER, STRESSES, JointConstants

#: Two columns, in ascending order unless stated otherwise.
Pair = tuple[int, int]


class PairPlan(NamedTuple):
    """The pairs of columns to count, the numbers of bins, and the precision: publishable.

    Args:
        num_bins: Number of bins of an ordered column, not counting spikes and the missing value.
        few_of_class: True if classes get a part of the pairs' price, as records of one are few.
        stress: For each column, the factor by which its pairs are counted more precisely.
        left_out: Pairs that may depend on each other, and count as independent.
    """

    pairs: tuple[Pair, ...]
    num_bins: int
    few_of_class: bool
    stress: tuple[float, ...]
    left_out: frozenset[Pair] = frozenset()


def plan_pairs(  # noqa: PLR0913 (what is known, and what is needed)
    columns: Sequence[Floats],
    num_records: float,
    mu: float,
    constants: JointConstants,
    adapted_classes: int = 0,
    *,
    unlike: float = math.inf,
    adapts_number: bool = False,
    num_given: int = 0,
    doubtful: frozenset[int] = frozenset(),
) -> PairPlan | None:
    """Return the plan for counting pairs; ``None`` without pairs, or if noise exceeds their counts.

    ``mu`` is the price, divided by :attr:`~sdv_threea.accounting.Budget.distance`.
    ``columns`` are counts of codes, shape (S,) each. ``adapted_classes`` is the number of classes
    whose labels are adapted later, 0 for none. ``unlike`` are the records outside the largest class
    of a target that nobody named. A numerical target that is adapted (``adapts_number``) needs
    finer bins, unless most columns have few values. The first ``num_given`` columns are known
    whenever records are drawn, so no pair of two of them is counted. No pair of a ``doubtful`` one
    is planned here: see :func:`add_evident`.
    """
    pairs = choose_pairs(columns, num_records, mu, constants, num_given, doubtful)
    num_bins = num_pair_bins(num_records, len(pairs), mu, constants)
    if num_bins is None:
        return None
    if adapts_number and not suits_number(num_bins, list(map(len, columns)), constants):
        return None
    needed = RECORDS_PER_NOISE * adapted_classes
    noise = _pair_noise(len(pairs), mu)
    few = num_records < needed * noise or unlike < constants.least_unlike * noise
    stress = stress_rare(columns, num_records, pairs, mu, constants)
    stress = tuple(1.0 if at in doubtful else own for at, own in enumerate(stress))
    return PairPlan(pairs, num_bins, few, stress)


def add_evident(
    plan: PairPlan,
    evidence: Mapping[Pair, float],
    num_records: float,
    mu: float,
    constants: JointConstants,
) -> PairPlan:
    """Add the pairs with the most ``evidence`` of dependence, as many as leave pairs countable."""
    found = sorted(evidence, key=lambda pair: -evidence[pair])
    for num in range(len(found), 0, -1):
        pairs = (*plan.pairs, *found[:num])
        num_bins = num_pair_bins(num_records, len(pairs), mu, constants)
        if num_bins is not None:
            return plan._replace(pairs=tuple(sorted(pairs)), num_bins=num_bins)
    return plan


def suits_number(num_bins: int, sizes: Sequence[int], constants: JointConstants) -> bool:
    """Return whether pairs are counted although a numerical target is adapted.

    Between two numbers, correlations show about as much as coarse bins do, and they predict a third
    number better. Columns of few values are different: their values have a bin each.
    """
    few = sum(size <= 2 * constants.most_bins for size in sizes)
    return num_bins >= constants.least_bins_of_number or 2 * few >= len(sizes)


def choose_pairs(
    columns: Sequence[Floats],
    num_records: float,
    mu: float,
    constants: JointConstants,
    num_given: int = 0,
    doubtful: frozenset[int] = frozenset(),
) -> tuple[Pair, ...]:
    """Return the pairs of informative columns; none if there are too many columns.

    A column is informative if enough records, compared with the noise of counting all pairs, do not
    have its most frequent value. The relations of other columns are left to correlations. A rarer
    one, such as a rare class, is added if it brings few additional pairs, and so little additional
    noise.
    """
    if len(columns) > constants.most_columns or not mu:
        return ()
    asked = set(range(len(columns))) - doubtful
    num_pairs = math.comb(len(asked), 2) - math.comb(num_given - len(doubtful), 2)
    noise = _pair_noise(num_pairs, mu)
    unlike = [num_records - float(counts.max()) for counts in columns]
    telling = [at for at in sorted(asked) if unlike[at] > constants.least_unlike * noise]
    most = (1 + constants.most_added) * math.comb(len(telling), 2)
    others = sorted(asked - set(telling), key=lambda at: -unlike[at])
    for at in others:
        if unlike[at] > constants.least_rare * noise and math.comb(len(telling) + 1, 2) <= most:
            telling.append(at)
    return tuple(pair for pair in combinations(sorted(telling), 2) if pair[1] >= num_given)


def stress_rare(
    columns: Sequence[Floats],
    num_records: float,
    pairs: Sequence[Pair],
    mu: float,
    constants: JointConstants,
) -> tuple[float, ...]:
    """Return, for each column, the factor by which its pairs are counted more precisely.

    The factor exceeds one if few records, compared with the noise, have a value other than the most
    frequent one, for example a rare class. The noise of all pairs may grow by ``most_stressed``.
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
    """Return how many bins a column has in its pairs; ``None`` if pairs are not worth counting.

    Two columns of ``k`` bins have ``k^2`` bins together. Each of the ``k^2`` counts should be
    several times the noise, whose scale is ``sqrt(num_pairs) / mu``, and several times its sampling
    deviation. The released ``num_records`` may be negative.
    """
    if not num_pairs or not mu:
        return None
    # Without noise, small counts are still mostly chance: the deviation of a count is its root.
    noise = max(_pair_noise(num_pairs, mu), constants.records_per_noise)
    carried = math.isqrt(int(max(num_records, 0) / (constants.records_per_noise * noise)))
    if math.isinf(mu) and num_records >= constants.records_per_noise * constants.least_bins**2:
        carried = max(carried, constants.least_bins)  # categories may be functions of each other
    return min(carried, constants.most_bins) if carried >= constants.least_bins else None


def cut_pair_bins(  # noqa: PLR0913 (columns, and how finely to cut them)
    columns: Sequence[Floats],
    masks: Sequence[Bools],
    ordered: Sequence[bool],
    num_bins: int,
    least: float,
    constants: JointConstants,
    of_stage: ApproximateConstants,
    apart: Sequence[Sequence[float]] = (),
) -> list[Wholes]:
    """Return the bin of each code of all columns, shape (S,); -1 for codes without a bin.

    Codes outside their mask, and categories without records, have no bin. ``columns`` are
    probabilities of codes; code 0 is the missing value. Spikes, of at least the probability
    ``least``, and the missing value come on top of ``num_bins``. ``of_stage`` are the constants by
    which ordered columns are cut.

    Few categories have a bin each. Of many, those of at least ``least`` have one each, and the
    rest share one, if few have most records. Otherwise bins are runs of alike values, where
    ``apart`` says how unlike each value is the one before it, shape (S - 1,); or categories are
    packed.
    """
    found = []
    near = apart or ((),) * len(columns)
    several = [shares for shares, natural in zip(columns, ordered, strict=True) if not natural]
    more = num_packed(several, num_bins, math.comb(len(columns), 2), constants)
    for shares, mask, natural, own in zip(columns, masks, ordered, near, strict=True):
        if natural:
            runs = cut_bins(shares, mask, num_bins, least, of_stage)
        else:
            mask, most = shares > 0, max(2 * num_bins, constants.most_bins)
            few = min(num_bins, constants.most_bins)
            if _stand_out(shares, least, most):
                runs = np.where(shares < least, len(shares), np.arange(len(shares)))
            elif mask.sum() > most:
                runs = _divide(shares, own, few, least) if any(own) else pack(shares, more)
            else:
                runs = np.arange(len(shares))
        bins = np.full(len(shares), -1)
        # Noise would put records into a bin of codes that cannot occur.
        bins[mask] = np.unique(runs[mask], return_inverse=True)[1]
        found.append(bins)
    return found


def _stand_out(shares: Floats, least: float, most: int) -> bool:
    """Return whether at most this many categories, each of at least ``least``, have most records.

    All others then share a bin.
    """
    found = shares[shares >= least]
    few = np.count_nonzero(found) <= most < np.count_nonzero(shares)
    return bool(few and 2 * found.sum() >= shares.sum())


def num_packed(
    columns: Sequence[Floats], num_bins: int, num_pairs: int, constants: JointConstants
) -> int:
    """Return how many bins the categories of columns of many are packed into.

    Fewer categories in a bin keep more of their relations, but the noise of more bins may mask that
    another column follows from them. In a pair of such columns, noise beyond the expected one may
    cost a function as much likeness as it may lack to be sure. The most frequent category is left
    out of this: it may stand for all unlisted ones.
    """
    fewest, most = min(num_bins, constants.most_bins), max(2 * num_bins, constants.most_bins)
    packed = [shares for shares in columns if np.count_nonzero(shares) > most]
    energy = min((np.square(own).sum() - own.max() ** 2 for own in packed), default=1.0)
    # The share of the records that equals the noise of a count follows from the number of bins.
    energy *= (constants.records_per_noise * num_bins**2) ** 2
    room = (1 - constants.sure) * energy / constants.clear_of_noise(num_pairs) / math.sqrt(2)
    growth = 4 * POWER  # as pairs of more bins weigh less, their noise grows, too
    return int(np.clip((room * num_bins**growth) ** (1 / (1 + growth)), fewest, most))


def pack(shares: Floats, num_bins: int) -> Wholes:
    """Return the bin of each category, shape (S,): bins of about equal mass, the heaviest first."""
    bins, loads = np.zeros(len(shares), dtype=np.int64), np.zeros(num_bins)
    for code in np.argsort(-shares, kind='stable'):
        bins[code] = np.argmin(loads)
        loads[bins[code]] += shares[code]
    return bins


def _divide(shares: Floats, apart: Sequence[float], num_bins: int, least: float) -> Wholes:
    """Return the bin of each category, shape (S,): runs, each of a share of at least ``least``.

    Runs are divided in two, again and again, where two large parts are most unlike. The missing
    value is a bin of its own.
    """
    sums, gaps = np.append(0.0, np.cumsum(shares)), np.append(0.0, apart)

    def cut(start: int, end: int) -> tuple[float, int, int, int]:
        """Return the gain of the best cut of a run, negative, and where it is; 0 for no cut."""
        places = np.arange(start + 1, end)
        before, after = sums[places] - sums[start], sums[end] - sums[places]
        gains = gaps[places] * before * after / max(sums[end] - sums[start], 1e-300)
        gains = np.append(0.0, np.where(np.minimum(before, after) < least, 0.0, gains))
        best = int(gains.argmax())
        return -float(gains[best]), start + best, start, end

    runs, cuts = [cut(1, len(shares))], [1]
    while len(cuts) < num_bins and runs[0][0] < 0:
        _, place, start, end = heapq.heappop(runs)
        cuts.append(place)
        heapq.heappush(runs, cut(start, place))
        heapq.heappush(runs, cut(place, end))
    return np.searchsorted(np.sort(cuts), np.arange(len(shares)), side='right')


def _pair_noise(num_pairs: int, mu: float) -> float:
    """Return the noise scale of a count of pairs; interactions have a little less."""
    return math.sqrt(num_pairs) / mu


def count_bins(bins: Sequence[Wholes]) -> list[int]:
    """Return the number of bins of each column."""
    return [int(column.max(initial=-1)) + 1 for column in bins]
