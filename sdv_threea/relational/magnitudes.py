"""Noisy counts of units of privacy by their number of rows in a table, by order of magnitude.

A unit adds one to one count, however many rows it has, so the counts need little noise. The counts
determine the bound on the rows of a unit, and estimate the number of rows beyond it.
"""

import math
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincinv, ndtr

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import MISFIT, NOTHING_BEYOND, SPREADS, Evidence
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
NUM_TRIED = 4
REACH = Evidence().clear_of_noise()

#: A distribution is tried for some magnitudes only if this part of it is in them.
LEAST_PART = 0.05

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
        middles: The mean number of rows of each magnitude, as far as it is known.
    """

    counts: Floats
    covariance: Floats = field(default_factory=lambda: np.zeros((len(MIDDLES), len(MIDDLES))))
    middles: Floats = field(default_factory=MIDDLES.copy)

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
        rows = np.minimum(self.middles, bound or LARGEST_BOUND)
        found = float(self.counts @ rows)
        return found, self._deviate(rows)

    def count_pairs(self, bound: int | None) -> float:
        """Estimate the number of rows beyond the first of each unit, at most ``bound`` per unit."""
        return float(self.counts @ np.minimum(self.middles - 1, bound or LARGEST_BOUND))

    def beyond(self, bound: int) -> tuple[float, float]:
        """Estimate how many rows exceed a bound per unit, and the standard deviation."""
        rows = np.maximum(self.middles - bound, 0)
        found = max(float(self.counts @ rows), 0.0)
        return found, self._deviate(rows)

    def draw_beyond(self, bound: float, total: int, rng: np.random.Generator) -> Wholes:
        """Draw row counts of units with more than ``bound`` rows, at most ``total`` in all."""
        chances = np.where(bound < self.middles, np.maximum(self.counts, 0.0), 0.0)
        if total <= 0 or not chances.any():
            return np.zeros(0, dtype=np.int64)
        chances /= chances.sum()
        rows = np.rint(self.middles).astype(np.int64)
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

    A candidate has one kind of units up to some magnitude, and none or one kind beyond it. Its
    weight is the likelihood of the noisy counts times its prior probability. There are at most
    ``num_units`` units.
    """
    size, most = len(noisy), max(min(num_units, float(noisy.clip(0).sum()) + REACH * scale), 2.0)
    counts, variances, logs = [], [], []
    for end in range(1, size + 1):
        near, doubt, known = _list_candidates(noisy[:end], 0, scale, most)
        weights = np.exp(known - known.max())
        total, weights = known.max() + math.log(weights.sum()), weights / weights.sum()
        mean = weights @ near
        doubt = weights @ (doubt + (near - mean) ** 2)
        left = max(most - float(mean.sum()), 2.0)
        beyond, spreads, chances = _list_candidates(noisy[end:], end, scale, left)
        counts.append(np.hstack([np.tile(mean, (len(beyond), 1)), beyond]))
        variances.append(np.hstack([np.tile(doubt, (len(beyond), 1)), spreads]))
        logs.append(total + chances - math.log(FIRST[end - 1]) / 2)
    return _average(np.vstack(counts), np.vstack(variances), np.concatenate(logs))


def _average(counts: Floats, variances: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Return the mean of candidates without extreme ones, and the covariance around it."""
    weights = np.exp(logs - logs.max())
    order = np.argsort(counts @ MIDDLES[: counts.shape[1]], kind='stable')
    counts, variances, weights = counts[order], variances[order], weights[order]
    passed = np.cumsum(weights) / weights.sum()
    inner, central = (
        np.diff(np.clip(passed, *ends), prepend=ends[0]) for ends in (QUARTILES, CENTRAL)
    )
    inner, central = inner / inner.sum(), central / central.sum()
    off = counts - central @ counts
    return inner @ counts, (off.T * central) @ off / NORMAL_WITHIN + np.diag(central @ variances)


def _list_candidates(
    noisy: Floats, start: int, scale: float, most: float
) -> tuple[Floats, Floats, Floats]:
    """Return candidate counts of the magnitudes from ``start`` on, shape (k, len(noisy)).

    All numbers of units up to ``most`` have the same probability. True counts differ from those of
    a distribution by chance and by ``MISFIT``, so each candidate moves toward the noisy counts. The
    first candidate beyond other units has no unit.

    Returns:
        The counts, their variances, and log likelihoods plus log prior probabilities, shape (k,).
    """
    shares, chances = _list_shapes()
    shares = shares[:, start : start + len(noisy)]
    parts = shares.sum(axis=1)
    chances, shares = chances[parts > LEAST_PART], shares[parts > LEAST_PART]
    shares = shares / shares.sum(axis=1, keepdims=True)
    norms, least = np.square(shares).sum(axis=1), 0.0 if start else 1.0
    best, spread = shares @ noisy / norms, scale / np.sqrt(norms)
    low = np.clip(best - REACH * spread, least, np.maximum(most - spread, least))
    high = np.clip(best + REACH * spread, np.minimum(least + spread, most), most)
    units = low[:, None] + (high - low)[:, None] * ((np.arange(NUM_TRIED) + 0.5) / NUM_TRIED)
    tried = (units[:, :, None] * shares[:, None, :]).reshape(units.size, len(noisy))
    chances = np.repeat(chances / chances.sum() * (high - low) / NUM_TRIED / most, NUM_TRIED)
    if start:
        tried = np.vstack([np.zeros(len(noisy)), tried])
        chances = np.append(NOTHING_BEYOND, (1 - NOTHING_BEYOND) * chances)
    true = tried + (MISFIT * tried) ** 2
    both = true + scale**2
    fits = np.square(noisy - tried) / both + np.log(both / scale**2)
    logs = np.log(chances) - fits.sum(axis=1) / 2
    return tried + true / both * (noisy - tried), true / both * scale**2, logs


@cache
def _list_shapes() -> tuple[Floats, Floats]:
    """Return log-normal and gamma distributions over magnitudes, and prior weights, shape (k,).

    Numbers of rows are rounded down to a magnitude. Gamma distributions have the medians and about
    the spreads of the log-normal ones, and shorter tails.
    """
    ends, medians = np.append(FIRST[1:], math.inf), np.log(FIRST)[:, None] + HALF
    spreads = np.array(SPREADS)[:, None, None]
    # About the shape whose logarithm has this standard deviation.
    shapes = spreads**-2 + 0.4
    normal = ndtr((np.log(ends) - medians) / spreads)
    gamma = gammainc(shapes, ends / np.exp(medians) * gammaincinv(shapes, 0.5))
    below = np.concatenate([normal, gamma]).reshape(-1, len(FIRST))
    # Jeffreys' prior of a mean number: one over its root.
    return np.diff(below, prepend=0.0), np.tile(FIRST**-0.5, 2 * len(SPREADS))
