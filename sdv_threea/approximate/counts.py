"""The two releases of histograms: of all records, and by class.

Each is one call of the door of noise for all columns together. What goes in are whole numbers, and
the receipt says by how much one record can move them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import histogram, histogram_sensitivity


@dataclass(frozen=True)
class Counts:
    """Released counts of ``m`` columns and of ``C`` classes: publishable.

    Args:
        columns: Noisy counts of each column's codes over all classes, each of shape (S,).
        totals: Number of records of each class, at least one, shape (C,).
        scale: Standard deviation of the noise of a count.
    """

    columns: tuple[NDArray[np.float64], ...]
    totals: NDArray[np.float64]
    scale: float

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares of the classes, shape (C,)."""
        return np.asarray(self.totals / self.totals.sum())


class BinPlan(NamedTuple):
    """How classes are counted in one column: publishable.

    Args:
        bins: The bin of each code, shape (S,).
        in_order: Which bins stand in a meaningful order, shape (G,).
        weight: What a record adds to a count, at least one.
    """

    bins: NDArray[np.int64]
    in_order: NDArray[np.bool_]
    weight: int


@dataclass(frozen=True)
class ClassCounts:
    """Released counts of ``m`` columns in each of ``C`` classes, in coarse bins: publishable.

    Args:
        columns: Noisy counts of each column's bins, each of shape (C, G).
        plans: How each column was counted.
        scales: Standard deviation of the noise of a count, by column.
    """

    columns: tuple[NDArray[np.float64], ...]
    plans: tuple[BinPlan, ...]
    scales: tuple[float, ...]


def release_counts(
    rows: Rows[Encoded],
    sizes: Sequence[int],
    num_classes: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Counts, Receipt]:
    """Release the histograms of all columns, and the sizes of the classes.

    Formal guarantees:
        * a record adds one to at most one count of each column, and one to the size of its class:
          with ``m`` columns the sensitivity is that of ``m + 1`` histograms

    Args:
        rows: Private records.
        sizes: Number of codes of each column.
        num_classes: Number of classes.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    noisy, receipt = _release(
        rows.sum(partial(_count_columns, tuple(sizes), num_classes)),
        squared_norm=len(sizes) + 1,
        released=f'sizes of {num_classes} classes and histograms of {len(sizes)} columns',
        terms={'mu': mu, 'neighbors': neighbors, 'noise': noise},
    )
    of_classes, *columns = (counts.ravel() for counts in noisy)
    # A class has at least one record, so that it can be divided by.
    return Counts(tuple(columns), np.maximum(of_classes, 1.0), receipt.noise_scale), receipt


def release_class_counts(
    rows: Rows[Encoded],
    plans: Sequence[BinPlan],
    num_classes: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ClassCounts, Receipt]:
    """Release the histograms of all columns in each class, in bins of the columns.

    Formal guarantees:
        * the plans are public or released; a record adds the weight of a column, a whole number, to
          at most one count of it, as :func:`statistics.histogram_sensitivity` asks

    Args:
        rows: Private records.
        plans: How each column is counted.
        num_classes: Number of classes.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    # Rows are counted without weights, in small numbers; the weights multiply the sums.
    exact = rows.sum(partial(_count_bins, tuple(plans), num_classes))
    weights = [plan.weight for plan in plans]
    noisy, receipt = _release(
        [counts * plan.weight for counts, plan in zip(exact, plans, strict=True)],
        squared_norm=sum(weight**2 for weight in weights),
        released=(
            f'histograms of {len(plans)} columns in each of {num_classes} classes, '
            f'times {min(weights)} to {max(weights)}'
        ),
        terms={'mu': mu, 'neighbors': neighbors, 'noise': noise},
    )
    # Dividing by the weight divides the noise too: heavy columns are known better.
    columns = tuple(counts / plan.weight for counts, plan in zip(noisy, plans, strict=True))
    scales = tuple(receipt.noise_scale / plan.weight for plan in plans)
    return ClassCounts(columns, tuple(plans), scales), receipt


def _count_columns(
    sizes: tuple[int, ...], num_classes: int, chunk: Encoded
) -> tuple[NDArray[np.int64], ...]:
    """Count the records of each class, and those of each code of each column."""
    # One group of all records.
    alike = np.zeros_like(chunk.labels)
    totals = histogram(alike[:, None], chunk.labels, [1], num_classes)
    return totals + histogram(chunk.codes, alike, sizes, 1)


def _count_bins(
    plans: tuple[BinPlan, ...], num_classes: int, chunk: Encoded
) -> tuple[NDArray[np.int64], ...]:
    """Count the codes of each column by class, and add up the codes of each bin."""
    codes = histogram(chunk.codes, chunk.labels, [len(plan.bins) for plan in plans], num_classes)
    return tuple(
        np.stack([np.bincount(plan.bins, row, len(plan.in_order)) for row in counts]).astype(
            np.int64
        )
        for counts, plan in zip(codes, plans, strict=True)
    )


def _release(
    exact: Sequence[NDArray[np.int64]],
    *,
    squared_norm: int,
    released: str,
    terms: Mapping[str, Any],
) -> tuple[tuple[NDArray[np.float64], ...], Receipt]:
    """Release several histograms with one receipt.

    Args:
        exact: Private counts.
        squared_norm: Bound on the squared norm of what a record adds to all of them.
        released: What the receipt says.
        terms: The price, the neighbour relation and the source of noise.

    Returns:
        Noisy counts of the same shapes, and the receipt.
    """
    # One call for all of them: one sensitivity, one price, one receipt.
    noisy, receipt = add_noise(
        np.concatenate([counts.ravel() for counts in exact]),
        sensitivity=histogram_sensitivity(squared_norm, terms['neighbors']),
        mu=terms['mu'],
        stage='approximate',
        released=released,
        noise=terms['noise'],
    )
    # Cut the answer back into the histograms.
    borders = np.cumsum([counts.size for counts in exact])[:-1]
    parts = zip(np.split(noisy, borders), exact, strict=True)
    return tuple(part.reshape(each.shape) for part, each in parts), receipt
