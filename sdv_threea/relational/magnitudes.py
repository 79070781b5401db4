"""Noisy counts of units of privacy by their number of rows in a table, by order of magnitude.

A unit adds one to one count, however many rows it has, so the counts need little noise. The counts
determine the bound on the rows of a unit, and estimate the number of rows beyond it.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import NOTHING_BEYOND, SPREADS, Evidence
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.units.membership import LEFT_OUT
from sdv_threea.statistics import registry

#: The largest number of rows of one unit that are read. Noisy sums must fit into 64 bits, and a
#: larger bound is not worth its noise.
LARGEST_BOUND = 10_000

#: The smallest number of rows of each magnitude. There are two magnitudes per doubling: 1, 2, 3,
#: 4 to 5, 6 to 7, 8 to 11, and so on.
FIRST = np.array([1, *(part << power for power in range(13) for part in (2, 3))], dtype=np.int64)
FIRST = FIRST[FIRST <= LARGEST_BOUND]

#: The number of rows that represents each magnitude: its middle, or the start of the last one.
MIDDLES = np.append((FIRST[:-1] + FIRST[1:] - 1) / 2, FIRST[-1])

#: The estimate is the mean of the candidates between these posterior quantiles of the number of
#: rows, because a few very large candidates would dominate the mean of all.
QUARTILES = (0.25, 0.75)

#: The covariance is that of the candidates between these quantiles, divided by the variance of a
#: standard normal within one deviation of its mean, so that a few extreme candidates do not
#: dominate.
CENTRAL, NORMAL_WITHIN = (0.16, 0.84), 0.29

#: How many numbers of units are tried for one distribution of rows, from the least to the largest
#: that noise may hide.
NUM_TRIED = 8
REACH = Evidence().clear_of_noise()

#: Half of a magnitude in the logarithm of rows: medians are in the middle of magnitudes.
HALF = math.log(2) / 4


class UnitRows(NamedTuple):
    """The number of rows of each unit, shape (n,): private."""

    rows: Wholes


@dataclass(frozen=True)
class Magnitudes:
    """Counts of units by the magnitude of their number of rows: publishable.

    Args:
        counts: Expected number of units of each magnitude, shape (len(MIDDLES),).
        covariance: The covariance of these numbers; zero without noise.
    """

    counts: Floats
    covariance: Floats = field(default_factory=lambda: np.zeros((len(MIDDLES), len(MIDDLES))))

    @property
    def units(self) -> tuple[float, float]:
        """The estimated number of units that have rows, and its standard deviation."""
        found = max(float(self.counts.sum()), 0.0)
        return found, self._deviate(np.ones(len(self.counts)))

    @property
    def rows_per_unit(self) -> float:
        """The mean number of rows of the units that have any, at least one."""
        return max(self.count(None)[0] / max(float(self.counts.sum()), 1.0), 1.0)

    def count(self, bound: int | None) -> tuple[float, float]:
        """Estimate how many rows are within a bound per unit, and the standard deviation."""
        rows = np.minimum(MIDDLES, bound or LARGEST_BOUND)
        found = float(self.counts @ rows)
        return found, self._deviate(rows)

    def count_pairs(self, bound: int | None) -> float:
        """Estimate the number of rows beyond the first of each unit, at most ``bound`` per unit."""
        return float(self.counts @ np.minimum(MIDDLES - 1, bound or LARGEST_BOUND))

    def beyond(self, bound: int) -> tuple[float, float]:
        """Estimate how many rows exceed a bound per unit, and the standard deviation."""
        rows = np.maximum(MIDDLES - bound, 0)
        found = max(float(self.counts @ rows), 0.0)
        return found, self._deviate(rows)

    def draw_beyond(self, bound: float, total: int, rng: np.random.Generator) -> Wholes:
        """Draw row counts of units with more than ``bound`` rows, at most ``total`` in all."""
        chances = np.where(bound < MIDDLES, np.maximum(self.counts, 0.0), 0.0)
        if total <= 0 or not chances.any():
            return np.zeros(0, dtype=np.int64)
        chances /= chances.sum()
        rows = np.rint(MIDDLES).astype(np.int64)
        # Twice the expected number of units that fill the total; the rest is cut off.
        enough = 2 * int(total / (rows @ chances)) + 1
        drawn = rng.choice(rows, enough, p=chances)
        return np.asarray(drawn[drawn.cumsum() <= total])

    def draw_rows(self, num_units: int, rng: np.random.Generator) -> Wholes:
        """Draw the number of rows of each of some units, ascending, with zeros for empty units."""
        counts = np.maximum(self.counts, 0.0)
        counts = np.append(counts, max(num_units - counts.sum(), 0.0))
        if not counts.any():
            return np.zeros(num_units, dtype=np.int64)
        drawn = rng.choice(len(counts), num_units, p=counts / counts.sum())
        # The last magnitude has no upper end. Units without rows come after it.
        first, last = np.append(FIRST, 0), np.append(FIRST[1:] - 1, [FIRST[-1], 0])
        return np.sort(rng.integers(first[drawn], last[drawn] + 1))

    def _deviate(self, weights: Floats) -> float:
        return math.sqrt(max(float(weights @ self.covariance @ weights), 0.0))


def count_rows(units: Wholes) -> UnitRows:
    """Count the rows of each unit, given the unit of each row, shape (n,)."""
    return UnitRows(np.unique(units[units != LEFT_OUT], return_counts=True)[1])


def release_magnitudes(
    rows: Rows[UnitRows],
    most: int | None,
    budget: Budget,
    noise: Noise,
    num_units: float = math.inf,
) -> tuple[Magnitudes, Receipt]:
    """Release the number of units by the order of magnitude of their number of rows.

    ``most`` is the public bound on a unit's rows, ``None`` without one. ``num_units`` is the
    released number of units, including units without rows.

    Formal guarantees:
        * a unit is counted in one magnitude, which depends only on the number of its rows: all
          counts together move by at most ``histogram_sensitivity(1, ...)``
    """
    statistic = registry.MAGNITUDES.state(_count_magnitudes, neighbors=budget.neighbors)
    noisy, receipt = release(rows, statistic, mu=budget.mu * (1 - ROUNDING), noise=noise)
    noisy, scale = noisy[(most or LARGEST_BOUND) >= FIRST], receipt.noise_scale
    counts, covariance = np.zeros(len(FIRST)), np.zeros((len(FIRST), len(FIRST)))
    counts[: len(noisy)] = noisy
    if scale:
        found = expect_counts(noisy, scale, num_units)
        counts[: len(noisy)], covariance[: len(noisy), : len(noisy)] = found
    return Magnitudes(counts, covariance), receipt


def _count_magnitudes(chunk: UnitRows) -> Wholes:
    found = np.searchsorted(FIRST, chunk.rows, side='right') - 1
    return np.bincount(found, minlength=len(FIRST))


def expect_counts(noisy: Floats, scale: float, num_units: float) -> tuple[Floats, Floats]:
    """Return the expected number of units of each magnitude, and the covariance of these numbers.

    A candidate keeps the first noisy counts, for any number of magnitudes, and explains all others
    by a log-normal number of rows, rounded down to a magnitude. Candidates are weighted by the
    likelihood of the counts and their prior probability. There are at most ``num_units`` units.
    """
    size, most = len(noisy), max(min(num_units, float(noisy.clip(0).sum()) + REACH * scale), 2.0)
    # A count that is kept is a free parameter, which Akaike's criterion penalises by a nat.
    each = math.log(min(scale * math.sqrt(2 * math.pi) / most, 1.0)) - 1
    parts, logs, free = [], [], []
    for kept in range(size):
        known = float(noisy[:kept].sum())
        if kept and known <= 0:
            continue
        left = max(most - known, 2.0)
        tried, chances = _list_candidates(noisy[kept:], kept, scale, left)
        errors = np.square((noisy[kept:] - tried) / scale).sum(axis=1)
        parts.append(np.hstack([np.tile(noisy[:kept], (len(tried), 1)), tried]))
        logs.append(kept * each + np.log(chances) - errors / 2)
        free.append(np.full(len(tried), kept))
    counts, weights, first = np.vstack(parts), np.concatenate(logs), np.concatenate(free)
    order = np.argsort(counts @ MIDDLES[:size], kind='stable')
    counts, weights, first = counts[order], np.exp(weights - weights.max())[order], first[order]
    passed = np.cumsum(weights) / weights.sum()
    inner, central = (
        np.diff(np.clip(passed, *ends), prepend=ends[0]) for ends in (QUARTILES, CENTRAL)
    )
    inner, central = inner / inner.sum(), central / central.sum()
    off = counts - central @ counts
    noise = scale**2 * np.bincount(first, central, size + 1)[::-1].cumsum()[::-1][1:]
    return inner @ counts, (off.T * central) @ off / NORMAL_WITHIN + np.diag(noise)


def _list_candidates(masked: Floats, kept: int, scale: float, most: float) -> tuple[Floats, Floats]:
    """Return candidate counts of the magnitudes from ``kept`` on, and prior probabilities: (k,).

    All numbers of units up to ``most`` have the same probability. If some magnitudes are kept, the
    first candidate has no further unit.
    """
    borders = np.log(np.append(FIRST[: kept + len(masked)], math.inf))
    medians, spreads = borders[:-1, None, None] + HALF, np.array(SPREADS)[:, None]
    borders[0] = -math.inf
    shares = np.diff(ndtr((borders - medians) / spreads), axis=-1)[..., kept:]
    shares = shares.reshape(-1, len(masked))
    # Jeffreys' prior of a mean number: one over its root.
    chances = np.repeat(np.exp(HALF / 2 - medians.ravel() / 2), len(SPREADS))
    tails = shares.sum(axis=1)
    told = tails > Evidence().false_alarm  # the rest of a distribution has no tail
    chances, shares = chances[told], shares[told]
    shares /= shares.sum(axis=1, keepdims=True)
    norms, least = np.square(shares).sum(axis=1), 0.0 if kept else 1.0
    best, spread = shares @ masked / norms, scale / np.sqrt(norms)
    low = np.clip(best - REACH * spread, least, np.maximum(most - spread, least))
    high = np.clip(best + REACH * spread, np.minimum(least + spread, most), most)
    units = low[:, None] + (high - low)[:, None] * ((np.arange(NUM_TRIED) + 0.5) / NUM_TRIED)
    tried = (units[:, :, None] * shares[:, None, :]).reshape(-1, len(masked))
    chances = np.repeat(chances / chances.sum() * (high - low) / NUM_TRIED / most, NUM_TRIED)
    if not kept:
        return tried, chances
    none = np.append(NOTHING_BEYOND, (1 - NOTHING_BEYOND) * chances)
    return np.vstack([np.zeros(len(masked)), tried]), none
