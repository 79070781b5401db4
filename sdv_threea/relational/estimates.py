"""How many rows a table has, estimated from what is released.

A table is counted twice: by its own rows, and by the counts of owned rows that its owner released.
In go both counts and the standard deviations of their noise. Out comes one estimate, weighed by
those. No private row is read.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.constants import RelationalConstants
from sdv_threea.encoding.transformers import NumberEncoder
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.relational.model import TableRelease
from sdv_threea.release import Release
from sdv_threea.units.schema import Link


def believe(count: float, scale: float, constants: RelationalConstants) -> float:
    """Return a count, or zero if it may be nothing but noise of the given standard deviation."""
    return count if count > constants.clear_of_noise * scale else 0.0


def estimate_size(
    magnitudes: Magnitudes,
    bound: int | None,
    num_rows: float,
    noise: float,
    constants: RelationalConstants,
) -> tuple[float, float]:
    """Estimate the number of rows of a table from its own rows.

    It is the released number of rows under the bound, and an estimate of those beyond it.

    Args:
        magnitudes: How many units have how many rows, as released.
        bound: How many rows of a unit were looked at; ``None`` for all.
        num_rows: How many rows were looked at in all units together, as released.
        noise: Standard deviation of the noise of ``num_rows``.
        constants: What decides which counts are believed.

    Returns:
        The number of rows and the standard deviation of its noise.
    """
    beyond, doubt = magnitudes.beyond(bound) if bound else (0.0, 0.0)
    return believe(num_rows, noise, constants) + beyond, math.hypot(noise, doubt)


def count_owned(parent: TableRelease, link: Link, orphans: float) -> tuple[float, float]:
    """Estimate the number of rows of a table from the histogram that its owner released.

    One column of the owner is the number of rows that a row owns. The estimate is the number of the
    owner's rows times the mean of that column, ``sum_v v P(v)``, and the rows without an owner. The
    histogram ends where few rows own more, so the rows of those are missing.

    Args:
        parent: The release of the table that owns the rows.
        link: The foreign key through which it owns them.
        orphans: How many rows have no owner.

    Returns:
        The number of rows and the standard deviation of its noise.
    """
    name = parent.layout.counts[link]
    transformer = next(each for each in parent.released.transformers if each.name == name)
    assert isinstance(transformer, NumberEncoder)
    # A bin holds the multiples of the step from its lower edge up to, but without, its upper one.
    # It stands for the one in the middle.
    first = np.ceil(transformer.edges[:-1] / transformer.step)
    last = np.ceil(transformer.edges[1:] / transformer.step) - 1
    values = (first + last) / 2 * transformer.step
    chances = overall_chances(parent.released, name)[1:]
    noise = parent.noise * float(np.linalg.norm(values[chances > 0]))
    return orphans + parent.size * float(values @ chances), parent.size * noise


def agree(
    one: float, noise: float, other: float, other_noise: float, constants: RelationalConstants
) -> float:
    """Combine two estimates of one number, if they agree.

    Args:
        one: An estimate without bias.
        noise: Standard deviation of its noise.
        other: An estimate that may be too small, because it misses a tail.
        other_noise: Standard deviation of its noise.
        constants: What decides how far apart two estimates may be.

    Returns:
        Their mean, weighted by the inverse variances, if they differ by no more than noise explains
        (``agreeing``), and by no more than half of the first. Otherwise the first.
    """
    near = min(constants.agreeing * math.hypot(noise, other_noise), one / 2)
    if not noise or abs(one - other) > near:
        return one
    weight = noise**2 / (noise**2 + other_noise**2)
    return one + weight * (other - one)


def most_rows(parent: TableRelease, each: int | None, constants: RelationalConstants) -> float:
    """Bound the number of rows of a child whose parent's number of rows is nothing but noise.

    Noise may make such a parent seem nearly empty, and its child large. A sample that is scaled up
    to a wanted number of parents would then have far too many children.

    Args:
        parent: The release of the parent.
        each: The most rows of the child that a row of the parent has, or ``None`` for one.
        constants: What decides which counts are believed.

    Returns:
        ``each`` times the number of parents; infinite where that number is clear of the noise.
    """
    drowned = parent.noise * constants.clear_of_noise > 1
    return parent.size * (each or 1) if drowned else math.inf


def overall_chances(released: Release, name: str) -> NDArray[np.float64]:
    """Return the released share of each code of a column, over all classes, shape (S,)."""
    weights = released.mixture.weights.sum(axis=1)
    return np.asarray(weights @ released.chances(name) / weights.sum())
