"""How large a table is: estimates from what is released, weighed by their noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.encoding.transformers import NumberEncoder
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.schema import Link
from sdv_threea.release import Release

#: Two estimates tell the same if they differ by no more than so many times their noise.
AGREEING = 2.0

#: A released number of rows is believed in if it is so many times its noise.
BELIEVED = 3.0


def believe(count: float, scale: float) -> float:
    """Take a count for zero that may be nothing but noise."""
    return count if count > BELIEVED * scale else 0.0


def estimate_size(
    magnitudes: Magnitudes, bound: int | None, num_rows: float, noise: float
) -> tuple[float, float]:
    """Estimate the size of a table from its own rows.

    Args:
        magnitudes: How many units have how many rows.
        bound: How many rows of a unit were looked at; ``None`` for all.
        num_rows: How many rows those are together, as released.
        noise: Standard deviation of its noise.

    Returns:
        The size and the standard deviation of its noise.
    """
    beyond, doubt = magnitudes.beyond(bound) if bound else (0.0, 0.0)
    return believe(num_rows, noise) + beyond, math.hypot(noise, doubt)


def count_owned(parent: TableRelease, link: Link, orphans: float) -> tuple[float, float]:
    """Estimate the size of a table from the counts of rows that its owner released.

    Args:
        parent: The release of the table that owns the rows.
        link: The link.
        orphans: How many rows have no owner.

    Returns:
        The size, which lacks what few rows own many of, and the standard deviation of its noise.
    """
    name = parent.layout.counts[link]
    transformer = next(each for each in parent.released.transformers if each.name == name)
    assert isinstance(transformer, NumberEncoder)
    first = np.ceil(transformer.edges[:-1] / transformer.step)
    last = np.ceil(transformer.edges[1:] / transformer.step) - 1
    values = (first + last) / 2 * transformer.step
    chances = overall_chances(parent.released, name)[1:]
    noise = parent.noise * float(np.linalg.norm(values[chances > 0]))
    return orphans + parent.size * float(values @ chances), parent.size * noise


def agree(one: float, noise: float, other: float, other_noise: float) -> float:
    """Weigh an estimate against a second one by their noise, if they tell the same.

    Args:
        one: An estimate that may be noisy.
        noise: Standard deviation of its noise.
        other: An estimate that may miss a tail.
        other_noise: Standard deviation of its noise.

    Returns:
        Their mean by precision, if the second is no farther from the first than noise explains, and
        than half of it; else the first.
    """
    near = min(AGREEING * math.hypot(noise, other_noise), one / 2)
    if not noise or abs(one - other) > near:
        return one
    weight = noise**2 / (noise**2 + other_noise**2)
    return one + weight * (other - one)


def most_rows(parent: TableRelease, each: int | None) -> float:
    """Limit the rows that hang off a table whose own are nothing but noise.

    One that seems to have next to no rows, and a child that seems to have many, would make samples
    of any number of its rows as much too large.
    """
    return parent.size * (each or 1) if parent.noise * BELIEVED > 1 else math.inf


def overall_chances(released: Release, name: str) -> NDArray[np.float64]:
    """The released share of each code of a column, over all classes, shape (S,)."""
    weights = released.mixture.weights.sum(axis=1)
    return np.asarray(weights @ released.chances(name) / weights.sum())
