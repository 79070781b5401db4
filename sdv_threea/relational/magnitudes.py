"""Noisy counts of units of privacy by their number of rows in a table, by order of magnitude.

A unit adds one to one count, however many rows it has, so the counts need little noise. The counts
decide the bound on the rows of a unit, and estimate the number of rows beyond it.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import take
from sdv_threea.rows.units.membership import LEFT_OUT
from sdv_threea.statistics import registry

#: The most rows of one unit that are read. Noisy sums have to fit into 64 bits, and a larger bound
#: is not worth its noise.
LARGEST_BOUND = 10_000

#: The smallest number of rows of each magnitude. There are two magnitudes per doubling: 1, 2, 3,
#: 4 to 5, 6 to 7, 8 to 11, and so on.
FIRST = np.array([1, *(part << power for power in range(13) for part in (2, 3))], dtype=np.int64)
FIRST = FIRST[FIRST <= LARGEST_BOUND]

#: The number of rows that represents each magnitude: its middle; of the last one, its start.
MIDDLES = np.append((FIRST[:-1] + FIRST[1:] - 1) / 2, FIRST[-1])

#: Numbers of neighbouring magnitudes that are added up and tested together. Units that are spread
#: over several magnitudes may exceed the noise only in the sum.
RUN_LENGTHS = (1, 2, 4)

#: The part of the false-alarm probability that each magnitude gets. The part is inversely
#: proportional to the rows of a unit, because a false alarm at a large magnitude invents more rows.
ALARM_SHARES = 1 / FIRST / (1 / FIRST).sum()

#: Candidates for the spread of the logarithm of a unit's rows, and the number of unit counts that
#: are tried, for magnitudes that noise masks.
SPREADS, NUM_TRIED = (0.1, 0.5, 1.0), 48

#: The prior chance of each magnitude as the median of the masked ones, up to a factor: a sixteenth
#: of it for units of 256 rows. With a chance inversely proportional to the rows, berka's ``trans``
#: (84 rows per unit) came back with hundreds of rows in place of 20,000. Set by hand.
MEDIAN_SHARES = 1 / np.sqrt(FIRST)

#: The prior chance that no unit has more rows than noise lets see, if some magnitudes are seen. Set
#: by hand: at one half, tables of one row per unit became larger.
NOTHING_BEYOND = 0.8

#: The estimate is a mean over the candidates between these posterior quantiles of the number of
#: rows: the mean over all follows the few largest candidates.
QUARTILES = (0.25, 0.75)

#: Posterior quantiles that are a standard deviation from the median of a normal distribution.
DEVIATION = (0.16, 0.84)

#: More units than this many standard deviations of the noise are hardly masked by noise, whatever
#: their distribution over magnitudes.
MOST_MASKED = 20.0

#: Half of a magnitude, by the logarithm of rows: medians are in the middle of magnitudes.
HALF = math.log(2) / 4


class UnitRows(NamedTuple):
    """The number of rows of each unit, shape (n,): private."""

    rows: Wholes


@dataclass(frozen=True)
class Magnitudes:
    """Noisy counts of units by the magnitude of their number of rows: publishable.

    Args:
        counts: Number of units of each magnitude, shape (len(MIDDLES),). Counts are noisy up to the
            largest magnitude that exceeds the noise, and expected ones beyond it.
        scale: Standard deviation of the noise of the noisy counts.
        doubt: Standard deviation of the rows in the expected counts, as a part of them.
        seen: The number of noisy counts; zero if noise masks all.
    """

    counts: Floats
    scale: float
    doubt: float = 0.0
    seen: int = len(MIDDLES)

    @property
    def units(self) -> tuple[float, float]:
        """The estimated number of units that have rows, and the deviation of its noise."""
        found = max(float(self.counts.sum()), 0.0)
        return found, self._deviate(np.ones(len(self.counts)))

    @property
    def rows_per_unit(self) -> float:
        """The mean number of rows of the units that have any, at least one."""
        return max(self.count(None)[0] / max(float(self.counts.sum()), 1.0), 1.0)

    def count(self, bound: int | None) -> tuple[float, float]:
        """Estimate the number of rows within a bound per unit, and the deviation of its noise."""
        rows = np.minimum(MIDDLES, bound or LARGEST_BOUND)
        found = float(self.counts @ rows)
        return found, self._deviate(rows)

    def count_pairs(self, bound: int | None) -> float:
        """Estimate the number of rows beyond the first of each unit, ``bound`` at most."""
        return float(self.counts @ np.minimum(MIDDLES - 1, bound or LARGEST_BOUND))

    def beyond(self, bound: int) -> tuple[float, float]:
        """Estimate the number of rows beyond a bound per unit, and the deviation of its noise."""
        rows = np.maximum(MIDDLES - bound, 0)
        found = max(float(self.counts @ rows), 0.0)
        return found, self._deviate(rows)

    def draw_beyond(self, bound: float, total: int, rng: np.random.Generator) -> Wholes:
        """Draw row counts of units with more than ``bound`` rows, at most ``total`` together."""
        chances = np.where(bound < MIDDLES, np.maximum(self.counts, 0.0), 0.0)
        if total <= 0 or not chances.any():
            return np.zeros(0, dtype=np.int64)
        chances /= chances.sum()
        rows = np.rint(MIDDLES).astype(np.int64)
        # Twice the expected number of units that fill the total: the surplus is cut off.
        enough = 2 * int(total / (rows @ chances)) + 1
        drawn = rng.choice(rows, enough, p=chances)
        return np.asarray(drawn[drawn.cumsum() <= total])

    def draw_rows(self, num_units: int, rng: np.random.Generator) -> Wholes:
        """Draw the number of rows of each of some units, ascending; zero for those without rows."""
        counts = np.maximum(self.counts, 0.0)
        counts = np.append(counts, max(num_units - counts.sum(), 0.0))
        if not counts.any():
            return np.zeros(num_units, dtype=np.int64)
        drawn = rng.choice(len(counts), num_units, p=counts / counts.sum())
        # The last magnitude has no end, and units without rows come after it.
        first, last = np.append(FIRST, 0), np.append(FIRST[1:] - 1, [FIRST[-1], 0])
        return np.sort(rng.integers(first[drawn], last[drawn] + 1))

    def _deviate(self, weights: Floats) -> float:
        """Return the deviation of the weighted sum of the counts."""
        expected = float(weights[self.seen :] @ self.counts[self.seen :])
        weights = weights[: self.seen][self.counts[: self.seen] != 0]
        return math.hypot(self.scale * float(np.linalg.norm(weights)), self.doubt * expected)


def count_rows(units: Wholes) -> UnitRows:
    """Count the rows of each unit, by the unit of each row, shape (n,)."""
    return UnitRows(np.unique(units[units != LEFT_OUT], return_counts=True)[1])


def release_magnitudes(
    rows: Rows[UnitRows],
    most: int | None,
    budget: Budget,
    noise: Noise,
    false_alarm: float,
    num_units: float = math.inf,
) -> tuple[Magnitudes, Receipt]:
    """Release the number of units by the order of magnitude of their number of rows.

    ``most`` is the public bound on a unit's rows, ``None`` without one. ``false_alarm`` is the
    chance that noise alone makes some units look larger than all units are. ``num_units`` is the
    released number of units; most of them may have no rows.

    Formal guarantees:
        * a unit is counted in one magnitude, which depends on the number of its rows alone: all
          counts together move by at most ``histogram_sensitivity(1, ...)``
    """
    statistic = registry.MAGNITUDES.state(_count_magnitudes, neighbors=budget.neighbors)
    summed = take(rows, statistic)
    noisy, receipt = release(*summed, mu=budget.mu * (1 - ROUNDING), noise=noise)
    noisy, scale = noisy[(most or LARGEST_BOUND) >= FIRST], receipt.noise_scale
    seen = _see(noisy, scale, false_alarm) if scale else len(noisy)
    counts, doubt = np.zeros(len(FIRST)), 0.0
    counts[:seen] = noisy[:seen]
    if seen < len(noisy):
        counts[seen : len(noisy)], doubt = expect_counts(noisy, seen, scale, num_units)
    return Magnitudes(counts, scale, doubt, seen), receipt


def _count_magnitudes(chunk: UnitRows) -> Wholes:
    found = np.searchsorted(FIRST, chunk.rows, side='right') - 1
    return np.bincount(found, minlength=len(FIRST))


def expect_counts(noisy: Floats, seen: int, scale: float, num_units: float) -> tuple[Floats, float]:
    """Return the expected number of units of each magnitude that noise masks: all but the first.

    The rows of a unit are log-normal, rounded down to a magnitude. All combinations of a number of
    units up to ``num_units``, a median and a spread are weighted by the likelihood of the counts
    and their prior chance. If some magnitudes are seen, there may be no units beyond them.

    Returns:
        The counts beyond the first ``seen``, and the deviation of their rows, as a part of them.
    """
    counts, masked, middles = noisy[:seen], noisy[seen:], MIDDLES[seen : len(noisy)]
    rows = max(float(counts @ MIDDLES[:seen]), 0.0)
    # No count exceeds the noise, so more units than this would have been seen.
    most = min(max(num_units - max(float(counts.sum()), 0.0), 1.0), max(MOST_MASKED * scale, 1.0))
    tried, chances = _list_candidates(seen, len(noisy), most)
    logs = -np.square((masked - tried) / scale).sum(axis=-1) / 2
    weights = np.exp(logs - logs.max()) * chances
    totals = rows + tried @ middles
    order = np.argsort(totals, kind='stable')
    passed = np.cumsum(weights[order]) / weights.sum()
    inner = np.diff(np.clip(passed, *QUARTILES), prepend=QUARTILES[0])
    expected = (inner / inner.sum()) @ tried[order]
    few, many = np.log(totals[order][np.searchsorted(passed, DEVIATION)])
    beyond = float(expected @ middles)
    return expected, float(many - few) / 2 * (rows + beyond) / beyond if beyond else 0.0


def _list_candidates(seen: int, num: int, most: float) -> tuple[Floats, Floats]:
    """Return candidate counts of the magnitudes from ``seen`` to ``num``, and their chances: (k,).

    There are ``most`` units at most. The first candidate is no unit, if some magnitudes are seen.
    """
    borders = np.log(np.append(FIRST[seen:num], math.inf))
    borders[0] = -math.inf
    medians, spreads = np.log(FIRST[seen:num])[:, None, None], np.array(SPREADS)[:, None]
    shares = np.diff(ndtr((borders - medians - HALF) / spreads), axis=-1)
    tried = np.linspace(1.0, most, NUM_TRIED)[:, None] * shares[:, :, None]
    chances = np.broadcast_to(MEDIAN_SHARES[seen:num, None, None], tried.shape[:-1]).ravel()
    none = NOTHING_BEYOND if seen else 0.0
    chances = np.append(none, (1 - none) * chances / chances.sum())
    return np.vstack([np.zeros(num - seen), tried.reshape(-1, num - seen)]), chances


def _see(counts: Floats, scale: float, false_alarm: float) -> int:
    """Return the number of magnitudes up to the largest one that units seem to reach.

    A *run* is 1, 2 or 4 neighbouring magnitudes. Its sum is significant above a threshold that
    noise alone exceeds with the probability ``false_alarm * ALARM_SHARES / len(RUN_LENGTHS)``.
    The significant run that starts last (the shortest of several) ends the magnitudes that are
    seen. Smaller magnitudes all keep their noisy counts, so sums over them have no bias.
    """
    # In standard deviations. A run has the chance of a false alarm of its first magnitude.
    bars = -ndtri(false_alarm * ALARM_SHARES / len(RUN_LENGTHS))
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    start, end = -1, 0
    for length in RUN_LENGTHS:
        runs = sums[length:] - sums[:-length]
        # The noise of a sum of ``length`` counts is ``sqrt(length)`` times that of one.
        found = np.flatnonzero(runs > bars[: len(runs)] * scale * np.sqrt(length))
        if len(found) and found[-1] > start:
            start, end = int(found[-1]), int(found[-1]) + length
    return end
