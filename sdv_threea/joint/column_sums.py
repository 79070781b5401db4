"""Numbers that are sums of others: found from released counts, counted once, computed in samples.

Released means and correlations of columns suggest which numbers are sums. A copy is a sum of one
part. One count per likely sum or part of a date (:mod:`~sdv_threea.joint.date_parts`) then shows in
how many records it holds. The count may be noisy, and cheap, because a sum holds in nearly all
records or in nearly none.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import Evidence
from sdv_threea.describe.lattice import multiples
from sdv_threea.domain import Domain, Number
from sdv_threea.joint.date_parts import Part
from sdv_threea.joint.joint_constants import APART, NEARLY, SUM_CORRELATION
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.intake.columns import read_numbers
from sdv_threea.statistics import registry

#: The largest number of parts of a sum, the most numbers that are tried, and the most copies or
#: sums that are counted.
MOST_PARTS, MOST_NUMBERS, MOST_SUMS = 4, 16, 8

#: Noise scale of a count, as a share of the records: at this scale, a rule that fails is
#: recognised.
PRECISE = (1 - NEARLY) / Evidence().clear_of_noise()

#: Largest relative difference of two floats that are the same result of a few operations.
SAME = 1e-9


@dataclass(frozen=True)
class Sum:
    """A numerical column that is the sum of others: publishable. ``step`` is its granularity."""

    total: str
    parts: tuple[str, ...]
    step: float

    def add(self, table: pd.DataFrame) -> Floats:
        """Return the sum of the parts in each row, shape (n,); NaN if one is missing."""
        added = np.zeros(len(table))
        for part in self.parts:
            added = added + read_numbers(table[part])
        return added

    def holds(self, table: pd.DataFrame) -> Bools:
        """Return which rows add up, within the rounding of the total and its parts, shape (n,)."""
        total = read_numbers(table[self.total])
        with np.errstate(all='ignore'):
            added = self.add(table)
            steps = (len(self.parts) + 1) / 2 if len(self.parts) > 1 else 1 / 2
            rounding = steps * self.step + SAME * np.abs(total)
            return np.asarray(np.abs(total - added) <= rounding)

    def write(self, table: pd.DataFrame, domain: Domain) -> None:
        """Replace the total of sampled rows by the sum of its parts, if that is in range."""
        column, own = domain[self.total], read_numbers(table[self.total])
        assert isinstance(column, Number)
        added = self.add(table)
        added = multiples(np.round(added / self.step), self.step) if self.step else added
        kept = np.isnan(own) | np.isin(own, column.sentinels)
        for part in self.parts:
            kept |= np.isin(table[part], getattr(domain[part], 'sentinels', ()))
        low = -math.inf if column.low is None else column.low
        high = math.inf if column.high is None else column.high
        kept |= ~((added >= low) & (added <= high))
        table[self.total] = np.where(kept, own, added)


def find_likely(
    domain: Domain, moments: Sequence[tuple[str, float, float]], correlations: Floats
) -> list[Sum]:
    """Return the likely copies (sums of one part), then the likely sums, the likeliest first.

    Sums that involve likely copies come last: the same sums of the originals come before them.
    ``moments`` are the name, mean and standard deviation of each number, and ``correlations`` have
    the shape (k, k).
    """
    names, means, deviations = zip(*moments, strict=True) if moments else ((), (), ())
    steps = [getattr(domain[name], 'step', None) or 0.0 for name in names]
    covariances = correlations * np.outer(deviations, deviations)
    rated = []
    for at, parts, apart in _list_near(means, deviations, steps):
        varies = deviations[at] * math.sqrt(max(covariances[np.ix_(parts, parts)].sum(), 0.0))
        correlation = float(covariances[at, parts].sum()) / varies if varies else 0.0
        if correlation >= (NEARLY if len(parts) == 1 else SUM_CORRELATION):
            own = Sum(names[at], tuple(names[part] for part in parts), steps[at])
            rated.append((-correlation, apart, own))
    ranked = [own for *_, own in sorted(rated, key=lambda each: each[:2])]
    copies = [own for own in ranked if len(own.parts) == 1]
    copied = {own.total for own in copies}
    sums = [own for own in ranked if len(own.parts) > 1]
    sums.sort(key=lambda own: not copied.isdisjoint({own.total, *own.parts}))
    return copies[:MOST_SUMS] + sums[:MOST_SUMS]


def _list_near(
    means: Sequence[float], deviations: Sequence[float], steps: Sequence[float]
) -> Iterator[tuple[int, list[int], float]]:
    """Yield numbers, parts whose means add up to the number's, and the relative difference."""
    for at, (mean, deviation) in enumerate(zip(means, deviations, strict=True)):
        for part in range(len(means)):
            # A copy is coarser than its original, or as coarse and a later column.
            apart = abs(means[part] - mean) / (math.hypot(mean, deviation) or 1.0)
            if (steps[part], part) < (steps[at], at) and apart <= 1 - NEARLY:
                yield at, [part], apart
        small = [
            place
            for place, each in enumerate(means)
            if place != at and (1 - NEARLY) / 2 * abs(mean) <= each * np.sign(mean) < abs(mean)
        ]
        for size in range(2, MOST_PARTS + 1):
            for parts in combinations(small, size):
                apart = abs(sum(means[part] for part in parts) - mean) / abs(mean)
                if apart <= APART:
                    yield at, list(parts), apart


def price_sums(num_sums: int, num_records: float) -> float:
    """Return the price in GDP at which noise confuses no rule that holds with one that fails."""
    return math.sqrt(num_sums) / (PRECISE * max(num_records, 1.0))


def release_sums(
    rows: Rows[pd.DataFrame],
    likely: Sequence[Sum | Part],
    sizes: Sequence[float],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[tuple[Sum | Part, ...], Receipt]:
    """Return the sums and parts that nearly all records obey, in the order to compute them.

    The ``likely`` sums are public or released. ``sizes`` are the numbers of records with values in
    all columns of a sum, and are public or released, too.

    Formal guarantees:
        * a record that obeys adds one to the count of a rule: at most one to each of ``k`` counts,
          as :func:`~sdv_threea.accounting.sensitivities.histogram_sensitivity` asks
        * whether a record obeys depends on its own cells alone, bit for bit
    """
    statistic = registry.SUMS.state(
        partial(_count, tuple(likely)), neighbors=neighbors, columns=len(likely)
    )
    counts, receipt = release(rows, statistic, mu=mu, noise=noise)
    ranked = np.argsort(-counts, kind='stable')
    return put_in_order(likely[at] for at in ranked if counts[at] > NEARLY * sizes[at]), receipt


def put_in_order(rules: Iterable[Sum | Part]) -> tuple[Sum | Part, ...]:
    """Return the first rule of each total, after the rules of its parts, and without cycles."""
    chosen: dict[str, Sum | Part] = {}
    order: tuple[str, ...] = ()
    for own in rules:
        parts = {each.total: each.parts for each in (own, *chosen.values())}
        try:
            order = tuple(TopologicalSorter(parts).static_order())
        except CycleError:
            continue
        chosen.setdefault(own.total, own)
    return tuple(chosen[name] for name in order if name in chosen)


def _count(likely: tuple[Sum | Part, ...], chunk: pd.DataFrame) -> Wholes:
    return np.array([int(own.holds(chunk).sum()) for own in likely], dtype=np.int64)


def list_numbers(domain: Domain, barred: Collection[str]) -> list[str]:
    """Return the numbers that may be sums or parts of sums: no times, no ``barred`` columns."""
    return [
        column.name
        for column in domain.columns
        if isinstance(column, Number) and not column.of_times and column.name not in barred
    ][:MOST_NUMBERS]
