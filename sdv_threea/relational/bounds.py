"""How many rows of a unit to look at: chosen from what is released, by what the noise allows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.encoding.blocks import CategoryBlock, NumberBlock
from sdv_threea.release import Release

#: Units that are simulated to see how many rows they have.
NUM_UNITS = 4000

#: Rows of a unit, at one level, whose numbers of children are drawn one by one.
MOST_DRAWS = 100

#: The most rows that a unit is believed to have.
MOST_ROWS = 10**12

#: More rows of a unit are not worth the noise, which has to fit into 64 bits.
LARGEST_BOUND = 10_000

#: The share of a typical cell of a histogram, whose error the bound makes smallest.
TYPICAL_CELL = 0.02

#: A released number of rows, or a share of them, is believed in if it is so many times its noise.
BELIEVED = 3.0


def expected_count(released: Release, name: str, noise: float = 0.0) -> float:
    """Estimate the mean of a released column of counts.

    A little noise on the share of a large number is much noise on the mean, so only magnitudes that
    can be told from noise count: a factor of two each.

    Args:
        released: The release of the table that owns the rows.
        name: The column.
        noise: Standard deviation of the noise of a released share.

    Returns:
        The mean.
    """
    values, chances = count_distribution(released, name)
    magnitude = np.floor(np.log2(np.maximum(values, 0.5))).astype(np.int64)
    _, magnitude = np.unique(magnitude, return_inverse=True)
    scale = noise * np.sqrt(np.bincount(magnitude))
    believed = np.bincount(magnitude, chances) > BELIEVED * scale
    return float(values @ np.where(believed[magnitude], chances, 0.0))


def count_distribution(
    released: Release, name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """List the values of a released column of counts, and their probabilities, shapes (S,)."""
    place = [block.name for block in released.blocks].index(name)
    return _middles(released.blocks[place]), overall_chances(released, name)


def overall_chances(released: Release, name: str) -> NDArray[np.float64]:
    """The released share of each code of a column, over all classes, shape (S,)."""
    weights = released.mixture.weights.sum(axis=1)
    return np.asarray(weights @ released.chances(name) / weights.sum())


def simulate_totals(
    chain: list[tuple[Release, str]], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Simulate how many rows units have at the end of a chain of tables, each owning the next.

    Args:
        chain: The releases from the root on, with the name of the column that counts the next.
        rng: Source of the draws.

    Returns:
        Rows per unit, for :data:`NUM_UNITS` units.
    """
    totals = np.ones(NUM_UNITS)
    for released, name in chain:
        values, chances = count_distribution(released, name)
        # Of units with many rows, some stand for all: the number of draws must not explode.
        drawn = np.minimum(totals, MOST_DRAWS)
        unit = np.repeat(np.arange(NUM_UNITS), drawn.astype(np.int64))
        owned = rng.choice(np.rint(values), size=len(unit), p=chances / chances.sum())
        owned = np.bincount(unit, weights=owned, minlength=NUM_UNITS)
        totals = np.minimum(np.rint(owned * totals / np.maximum(drawn, 1)), MOST_ROWS)
    return totals.astype(np.int64)


def choose_bound(totals: NDArray[np.int64], num_units: float, noise: float) -> int | None:
    """Choose how many rows of a unit to look at.

    With a bound of ``b``, a share is known with a noise of ``b`` times that of a record, over as
    many rows as units have up to ``b``; fewer rows have more sampling error. The bound makes the
    sum of both smallest, for a cell of a typical share.

    Args:
        totals: Rows per unit, as released or simulated, shape (any,).
        num_units: Number of units.
        noise: Standard deviation of the noise of a count, if units had one row.

    Returns:
        The bound, at least one; ``None`` for no bound, where there is no noise.
    """
    if noise == 0:
        return None
    most = min(max(int(totals.max(initial=1)), 1), LARGEST_BOUND)
    bounds = np.unique(np.geomspace(1, most, 64).astype(np.int64))
    kept = np.array([np.minimum(totals, bound).mean() for bound in bounds.tolist()]) * num_units
    kept = np.maximum(kept, 1.0)
    errors = (bounds * noise / kept) ** 2 + TYPICAL_CELL / kept
    # A share is at most one, so that all larger errors are alike: the smallest bound is cheapest.
    errors = np.minimum(errors, 1.0)
    return int(bounds[np.argmin(errors)])


def count_noise(num_columns: int, mu: float) -> float:
    """The noise of a count at a price, for a histogram of so many columns."""
    return 0.0 if math.isinf(mu) else math.sqrt(num_columns + 1) / mu


def _middles(block: NumberBlock | CategoryBlock) -> NDArray[np.float64]:
    """The mean value of each code of a column of whole numbers; zero where it is missing."""
    assert isinstance(block, NumberBlock)
    first = np.ceil(block.edges[:-1] / block.step)
    last = np.ceil(block.edges[1:] / block.step) - 1
    return np.concatenate([[0.0], (first + last) / 2 * block.step])
