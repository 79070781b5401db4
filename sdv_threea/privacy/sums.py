"""Statistics that say how far a record moves them, and the way of their sums to the door of noise.

A :class:`Statistic` is data: what is summed over the rows, what the receipt says, and the claim how
far one record moves the sums. All that a release reads of private rows is such a statistic, so one
test can hold all claims against single records, and need not know what they are for
(:mod:`sdv_threea.audit.contributions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.privacy.mechanism import Noise, add_noise, threshold_release
from sdv_threea.privacy.rows import Rows


@dataclass(frozen=True)
class Statistic:
    """What is summed over private rows and released with noise.

    Formal guarantees, which are those of its maker, and which docstrings there prove:
        * the sums of a table are the sums of its records alone, bit for bit
        * what is released of them moves by at most ``sensitivity`` between neighbouring tables

    Args:
        stage: The stage that asks, for the receipt.
        released: What is released, in words, for the receipt.
        sums: A function of a chunk that returns exact sums over its rows; it can be pickled. What
            is bound in it is public or released, or changes nothing that is shown.
        sensitivity: L2 distance between the values of neighbouring tables, in units of
            ``resolution``.
        resolution: The unit of the values.
        finish: A function of the sums of all rows that returns the values. By default the sums are
            the values. For keys that are not public it returns the keys and their counts.
    """

    stage: str
    released: str
    sums: Callable[[Any], Any]
    sensitivity: float
    resolution: float = 1.0
    finish: Callable[[Any], Any] | None = None

    def values(self, sums: Any) -> Any:
        """Return the exact values that are released of the sums of all rows."""
        return sums if self.finish is None else self.finish(sums)


@dataclass(frozen=True)
class Summed:
    """A statistic and its exact sums, on their way to the door of noise: private.

    Args:
        statistic: The statistic.
        rows: The rows that it was summed over.
        sums: The sums.
    """

    statistic: Statistic
    rows: Rows[Any]
    sums: Any


def take(rows: Rows[Any], *statistics: Statistic) -> tuple[Summed, ...]:
    """Sum statistics over the rows, all of them in one pass.

    Args:
        rows: The private rows.
        statistics: The statistics.

    Returns:
        The exact sums of each.

    Raises:
        UnreadableRowsError: If they do not fit into 64 bits, or something fails.
    """
    sums = rows.sum(partial(_sum_each, tuple(each.sums for each in statistics)))
    return tuple(Summed(each, rows, own) for each, own in zip(statistics, sums, strict=True))


def release(summed: Summed, *, mu: float, noise: Noise) -> tuple[NDArray[np.float64], Receipt]:
    """Release the values of a statistic by :func:`~sdv_threea.privacy.mechanism.add_noise`.

    Args:
        summed: The exact sums.
        mu: The price, in GDP.
        noise: The source of noise.

    Returns:
        The noisy values, and the receipt.
    """
    statistic = summed.statistic
    return add_noise(
        statistic.values(summed.sums),
        sensitivity=statistic.sensitivity,
        mu=mu,
        stage=statistic.stage,
        released=statistic.released,
        resolution=statistic.resolution,
        noise=noise,
    )


def release_keys(  # noqa: PLR0913 (the price, and the threshold)
    summed: Summed,
    *,
    mu: float,
    delta: float,
    max_new_keys: int,
    least: NDArray[np.int64],
    most_added: int,
    noise: Noise,
) -> tuple[list[Any], NDArray[np.float64], Receipt]:
    """Release frequent keys by :func:`~sdv_threea.privacy.mechanism.threshold_release`.

    Args:
        summed: The exact sums, which ``finish`` turns into keys and counts.
        mu: The price, in GDP.
        delta: The probability of failure.
        max_new_keys: How many keys can have more records in one of two neighbouring tables.
        least: Keys with fewer records are passed over, a number for each key.
        most_added: How much one unit of privacy adds to any count at most.
        noise: The source of noise.

    Returns:
        The shown keys, their noisy counts, and the receipt.
    """
    statistic = summed.statistic
    keys, counts = statistic.values(summed.sums)
    return threshold_release(
        keys,
        counts,
        sensitivity=statistic.sensitivity,
        mu=mu,
        delta=delta,
        max_new_keys=max_new_keys,
        least=least,
        most_added=most_added,
        stage=statistic.stage,
        released=statistic.released,
        noise=noise,
    )


def _sum_each(sums: tuple[Callable[[Any], Any], ...], chunk: Any) -> tuple[Any, ...]:
    return tuple(each(chunk) for each in sums)
