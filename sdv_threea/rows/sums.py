"""Statistics that declare their sensitivity, and their exact sums over the rows.

A :class:`Statistic` is data: the sum over the rows, the words of the receipt, and the claimed
sensitivity to one record. Every release reads private rows through a statistic, so one test can
check all claims against single records (``benchmarks/contributions.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sdv_threea.rows.chunks import Rows


@dataclass(frozen=True)
class Statistic:
    """A sum over private rows that is released with noise.

    Formal guarantees, given by the function that makes the statistic, and proved in its docstring:
        * the sums of a table are the sums of its records alone, bit for bit
        * the values released of the sums move by at most ``sensitivity`` between neighbouring
          tables

    Args:
        name: The name of its kind in :data:`sdv_threea.statistics.registry.REGISTRY`.
        sums: A picklable function from a chunk to exact sums over its rows. Values bound in the
            function are public or released, or do not change any output.
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


def _sum_each(sums: tuple[Callable[[Any], Any], ...], chunk: Any) -> tuple[Any, ...]:
    return tuple(each(chunk) for each in sums)
