"""How many units have how many rows, by order of magnitude: released once for each table.

A unit counts once, however many rows it has, so that a few large units show as well as many small
ones. It tells which bound on rows is worth its noise, and how many rows lie beyond the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.privacy.statistics import histogram_sensitivity
from sdv_threea.relational.units import DISPUTED

#: More rows of a unit are not worth the noise, which has to fit into 64 bits.
LARGEST_BOUND = 10_000

#: The magnitudes, two to an octave: 1, 2, 3, 4 to 5, 6 to 7, 8 to 11, and so on.
FIRST = np.array([1, *(part << power for power in range(13) for part in (2, 3))], dtype=np.int64)
FIRST = FIRST[FIRST <= LARGEST_BOUND]
MIDDLES = np.append((FIRST[:-1] + FIRST[1:] - 1) / 2, FIRST[-1])

#: Neighbouring magnitudes that are looked at together, as one of them may not stand out alone.
RUNS = (1, 2, 4)

#: Chance that noise alone makes some units look larger than they are; of that, each magnitude has a
#: part that is the smaller the larger it is, as a false alarm there makes up so many more rows.
FALSE_ALARM = 0.02
PARTS = 1 / FIRST / (1 / FIRST).sum()


@dataclass(frozen=True)
class Magnitudes:
    """Noisy numbers of units by the magnitude of their rows: publishable.

    Args:
        counts: Units of each magnitude, zero where nothing stands out, shape (len(MIDDLES),).
        scale: Standard deviation of the noise of those that are not left out.
    """

    counts: NDArray[np.float64]
    scale: float

    def within(self, bound: int) -> float:
        """About how many rows there would be if units had no more than a bound."""
        return float(self.counts @ np.minimum(MIDDLES, bound))

    def beyond(self, bound: int) -> tuple[float, float]:
        """About how many rows of units are beyond a bound, and the deviation of its noise."""
        rows = np.maximum(MIDDLES - bound, 0)
        noise = self.scale * float(np.linalg.norm(rows[self.counts != 0]))
        return max(float(self.counts @ rows), 0.0), noise

    def draw_beyond(self, bound: float, total: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw numbers of rows beyond a bound that add up to a total at most, shape (any,)."""
        chances = np.where(bound < MIDDLES, np.maximum(self.counts, 0.0), 0.0)
        if total <= 0 or not chances.any():
            return np.zeros(0, dtype=np.int64)
        chances /= chances.sum()
        rows = np.rint(MIDDLES).astype(np.int64)
        # Twice as many as are expected to be enough.
        enough = 2 * int(total / (rows @ chances)) + 1
        drawn = rng.choice(rows, enough, p=chances)
        return np.asarray(drawn[drawn.cumsum() <= total])


def release_magnitudes(
    units: NDArray[np.int64], most: int | None, budget: Budget, noise: Noise
) -> tuple[Magnitudes, Receipt]:
    """Release how many units have how many rows.

    Formal guarantees:
        * a unit is counted in one magnitude, which depends on the number of its rows alone, and
          disputed rows are not counted: all counts together move by at most
          ``histogram_sensitivity(1, ...)``

    Args:
        units: The unit of every row, shape (n,).
        most: The most rows of a unit, if that is public.
        budget: What may be spent.
        noise: The source of noise.

    Returns:
        The magnitudes and the receipt.
    """
    _, rows = np.unique(units[units != DISPUTED], return_counts=True)
    found = np.searchsorted(FIRST, rows, side='right') - 1
    noisy, receipt = add_noise(
        np.bincount(found, minlength=len(FIRST)),
        sensitivity=histogram_sensitivity(1, budget.neighbors),
        mu=budget.mu * (1 - ROUNDING),
        stage='describe',
        released='number of units by the magnitude of their rows',
        noise=noise,
    )
    noisy[(most or LARGEST_BOUND) < FIRST] = 0.0
    return Magnitudes(_cut(noisy, receipt.noise_scale), receipt.noise_scale), receipt


def _cut(counts: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Leave out the magnitudes beyond the largest that the noise can tell from none.

    Where a run of them stands out, its first one is reached; the rest of the shortest such run may
    be. Smaller magnitudes stay as they are, so that sums over them are not biased.
    """
    bars = -ndtri(FALSE_ALARM * PARTS / len(RUNS))
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    start, end = -1, 0
    for length in RUNS:
        runs = sums[length:] - sums[:-length]
        found = np.flatnonzero(runs > bars[: len(runs)] * scale * np.sqrt(length))
        if len(found) and found[-1] > start:
            start, end = int(found[-1]), int(found[-1]) + length
    return np.where(np.arange(len(counts)) < end, counts, 0.0)
