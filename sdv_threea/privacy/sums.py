"""Statistics that declare their sensitivity, and the release of their sums.

A :class:`Statistic` is data: what is summed over the rows, the words of the receipt, and the claim
how far one record moves the sums. Every release reads private rows through a statistic, so one test
can check all claims against single records (:mod:`sdv_threea.audit.contributions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.privacy.mechanism import Noise, add_noise, threshold_release
from sdv_threea.privacy.rows import Rows


@dataclass(frozen=True)
class Statistic:
    """A sum over private rows that is released with noise.

    Formal guarantees, which its maker gives and proves in the docstring there:
        * the sums of a table are the sums of its records alone, bit for bit
        * the values released of the sums move by at most ``sensitivity`` between neighbouring
          tables

    Args:
        name: That of its kind in :data:`sdv_threea.statistics.registry.REGISTRY`.
        sums: A picklable function from a chunk to exact sums over its rows. Values bound in the
            function are public or released, or change nothing that is shown.
        sensitivity: L2 distance between the values of neighbouring tables, in ``resolution``.
        finish: Turns the sums of all rows into values, or into non-public keys and their counts.
    """

    name: str
    stage: str
    released: str
    sums: Callable[[Any], Any]
    sensitivity: float
    resolution: float = 1.0
    finish: Callable[[Any], Any] | None = None

    def values(self, sums: Any) -> Any:
        """Return the exact values of the sums over all rows: private."""
        return sums if self.finish is None else self.finish(sums)


@dataclass(frozen=True)
class Summed:
    """A statistic, the rows and the exact sums over them, before noise: private."""

    statistic: Statistic
    rows: Rows[Any]
    sums: Any


def take(rows: Rows[Any], *statistics: Statistic) -> tuple[Summed, ...]:
    """Return the exact sums of several statistics over the rows, in one pass."""
    sums = rows.sum(partial(_sum_each, tuple(each.sums for each in statistics)))
    return tuple(Summed(each, rows, own) for each, own in zip(statistics, sums, strict=True))


def release(summed: Summed, *, mu: float, noise: Noise) -> tuple[NDArray[np.float64], Receipt]:
    """Return noisy values and a receipt, by :func:`~sdv_threea.privacy.mechanism.add_noise`."""
    statistic = summed.statistic
    noisy, receipt = add_noise(
        statistic.values(summed.sums),
        sensitivity=statistic.sensitivity,
        mu=mu,
        stage=statistic.stage,
        released=statistic.released,
        resolution=statistic.resolution,
        noise=noise,
    )
    return noisy, replace(receipt, statistic=statistic.name)


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
    """Return frequent keys, noisy counts and a receipt, as ``threshold_release`` does."""
    statistic = summed.statistic
    keys, counts = statistic.values(summed.sums)
    shown, noisy, receipt = threshold_release(
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
    return shown, noisy, replace(receipt, statistic=statistic.name)


def _sum_each(sums: tuple[Callable[[Any], Any], ...], chunk: Any) -> tuple[Any, ...]:
    return tuple(each(chunk) for each in sums)
