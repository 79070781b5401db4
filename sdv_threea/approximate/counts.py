"""The two releases of histograms: of all records, and by class.

Each is one call of the door of noise for all columns together. What goes in are whole numbers, and
the receipt says by how much one record can move them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import (
    histogram,
    histogram_sensitivity,
    sum_sensitivity,
    weighted_histogram,
)
from sdv_threea.privacy.sums import Statistic, release, take


@dataclass(frozen=True)
class Counts:
    """Released counts of ``m`` columns and of ``C`` classes: publishable.

    Args:
        columns: Noisy counts of each column's codes over all classes, each of shape (S,).
        totals: Number of records of each class, at least one, shape (C,).
        scale: Standard deviation of the noise of a count. Sizes of classes may have less.
    """

    columns: tuple[NDArray[np.float64], ...]
    totals: NDArray[np.float64]
    scale: float

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares of the classes, shape (C,)."""
        return np.asarray(self.totals / self.totals.sum())

    def average(self, other: Counts) -> Counts:
        """Average with another release of the same counts, by precision."""
        if not self.scale or not other.scale:
            return self if self.scale <= other.scale else other
        weight = other.scale**2 / (self.scale**2 + other.scale**2)
        columns = zip(self.columns, other.columns, strict=True)
        return Counts(
            tuple(weight * one + (1 - weight) * two for one, two in columns),
            weight * self.totals + (1 - weight) * other.totals,
            self.scale * math.sqrt(weight),
        )

    def size_classes(self, by_class: ClassCounts, doubt: float) -> Counts:
        """Average the sizes of the classes with what each column says of them, by precision.

        A record of a class is in one bin of each column, so the bins of a column add up to the size
        of the class. Where columns are many, or records few, that is known far better than by the
        one count of its own. But long records are shortened, and what that takes is made up for as
        if all classes were alike: so it is believed up to a share of the class.

        Args:
            by_class: The counts of the classes.
            doubt: That share, a standard deviation.

        Returns:
            The same counts, but for the sizes.
        """
        variances = np.array([np.square(each).sum() for each in by_class.scales])
        if not self.scale or not variances.all():
            return self
        sizes = np.array([each.sum(axis=1) for each in by_class.columns])
        again = np.average(sizes, axis=0, weights=1 / variances)
        variance = 1 / (1 / variances).sum() + np.square(doubt * again)
        trust = self.scale**2 / (self.scale**2 + variance)
        totals = np.maximum(self.totals + trust * (again - self.totals), 1.0)
        return replace(self, totals=totals)


class BinPlan(NamedTuple):
    """How classes are counted in one column: publishable.

    Args:
        bins: The bin of each code, shape (S,).
        ordered: Whether the order of the bins means something, but for the first: that of the
            missing value.
        weights: What a record adds to the count of each bin, whole numbers, shape (G,).
    """

    bins: NDArray[np.int64]
    ordered: bool
    weights: NDArray[np.int64]


class ClassPlan(NamedTuple):
    """How classes are counted: publishable.

    Args:
        columns: How, in each column.
        radius: The norm of what a record adds to all counts at most, a whole number.
        kept: What is expected to be kept of the weight of a bin when records are shortened to the
            radius, by column, shape (G,) each.
    """

    columns: tuple[BinPlan, ...]
    radius: int
    kept: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True)
class ClassCounts:
    """Released counts of ``m`` columns in each of ``C`` classes, in coarse bins: publishable.

    Args:
        columns: Noisy counts of each column's bins, each of shape (C, G).
        plans: How each column was counted.
        scales: Standard deviations of the noise of the counts of each bin, by column, (G,) each.
    """

    columns: tuple[NDArray[np.float64], ...]
    plans: tuple[BinPlan, ...]
    scales: tuple[NDArray[np.float64], ...]


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
    # One release for all of them: one sensitivity, one price, one receipt.
    statistic = Statistic(
        'approximate',
        f'sizes of {num_classes} classes and histograms of {len(sizes)} columns',
        partial(_count_columns, tuple(sizes), num_classes),
        histogram_sensitivity(len(sizes) + 1, neighbors),
    )
    noisy, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    of_classes, *columns = np.split(noisy, np.cumsum([num_classes, *sizes[:-1]]))
    # A class has at least one record, so that it can be divided by.
    return Counts(tuple(columns), np.maximum(of_classes, 1.0), receipt.noise_scale), receipt


def release_class_counts(
    rows: Rows[Encoded],
    plan: ClassPlan,
    num_classes: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ClassCounts, Receipt]:
    """Release the histograms of all columns in each class, in bins of the columns.

    Formal guarantees:
        * the plan is public or released; a record adds the weights of its bins as
          :func:`statistics.weighted_histogram` says, so the sensitivity is that of
          :func:`statistics.sum_sensitivity` for the radius

    Args:
        rows: Private records.
        plan: How they are counted.
        num_classes: Number of classes.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    weights = [each.weights for each in plan.columns]
    statistic = Statistic(
        'approximate',
        f'histograms of {len(weights)} columns in each of {num_classes} classes, '
        f'times {min(each.min() for each in weights)} to {max(each.max() for each in weights)}',
        partial(_sum_weights, plan, num_classes),
        sum_sensitivity(plan.radius, neighbors),
    )
    noisy, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    # Dividing by the weight divides the noise too: rare bins are known better.
    units = [each * own for each, own in zip(weights, plan.kept, strict=True)]
    borders = np.cumsum([num_classes * len(unit) for unit in units])[:-1]
    parts = zip(np.split(noisy, borders), units, strict=True)
    columns = tuple(part.reshape(num_classes, len(unit)) / unit for part, unit in parts)
    scales = tuple(receipt.noise_scale / unit for unit in units)
    return ClassCounts(columns, plan.columns, scales), receipt


def _count_columns(sizes: tuple[int, ...], num_classes: int, chunk: Encoded) -> NDArray[np.int64]:
    """Count the records of each class, then those of each code of each column."""
    # One group of all records.
    alike = np.zeros_like(chunk.labels)
    totals = histogram(alike[:, None], chunk.labels, [1], num_classes)
    counts = totals + histogram(chunk.codes, alike, sizes, 1)
    return np.concatenate([each.ravel() for each in counts])


def _sum_weights(plan: ClassPlan, num_classes: int, chunk: Encoded) -> NDArray[np.int64]:
    """Sum what records add to the bins of each column, by class."""
    weights = [own.weights[own.bins] for own in plan.columns]
    codes = weighted_histogram(chunk.codes, chunk.labels, weights, num_classes, plan.radius)
    sums = [
        np.bincount(own.bins, row, len(own.weights))
        for table, own in zip(codes, plan.columns, strict=True)
        for row in table
    ]
    return np.concatenate(sums).astype(np.int64)
