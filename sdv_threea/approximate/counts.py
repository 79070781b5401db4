"""Release the histograms of all columns, over all records and by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import Evidence
from sdv_threea.maths.shrinkage import precision_weight
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.contingency_tables import count_columns, sum_weights
from sdv_threea.rows.records import Encoded
from sdv_threea.statistics import registry


@dataclass(frozen=True)
class Counts:
    """Released counts of ``m`` columns and of ``C`` classes.

    Args:
        columns: Noisy counts of each column's codes over all classes, each of shape (S,).
        totals: Number of records of each class, at least one, shape (C,).
        scale: Noise scale of a count, and an upper bound on that of a class size.
        settled: The columns whose counts have been replaced by estimates without noise.
    """

    columns: tuple[Floats, ...]
    totals: Floats
    scale: float
    settled: frozenset[int] = frozenset()

    def noise(self, at: int) -> float:
        """Return the noise scale of the counts of a column."""
        return 0.0 if at in self.settled else self.scale

    @property
    def shares(self) -> Floats:
        """The share of each class, shape (C,)."""
        return np.asarray(self.totals / self.totals.sum())

    def least_evident(self, constants: Evidence) -> float:
        """Return the share of the records above which a code's count is significant."""
        return constants.clear_of_noise() * self.scale / float(self.totals.sum())

    def average(self, other: Counts) -> Counts:
        """Return the precision-weighted mean of two releases of the same counts."""
        weight = precision_weight(self.scale, other.scale)
        columns = zip(self.columns, other.columns, strict=True)
        return Counts(
            tuple(weight * one + (1 - weight) * two for one, two in columns),
            weight * self.totals + (1 - weight) * other.totals,
            self.scale * math.sqrt(weight),
        )

    def size_classes(self, by_class: ClassCounts, doubt: float) -> Counts:
        """Return counts whose class sizes are averaged with sums of bins, weighted by precision.

        Each column's bins sum to the class size. With many columns or few records, these sums are
        more precise than the released class size. Clipping may affect classes unequally, so
        ``doubt``, a relative standard deviation, is added to the error of these sums.
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
    """Plan of one column's counts by class, from releases.

    Args:
        bins: The bin of each code, shape (S,).
        ordered: Whether the order of the bins means something; bin 0 has the missing value.
        weights: Whole numbers that a record adds to the count of each bin, shape (G,).
    """

    bins: Wholes
    ordered: bool
    weights: Wholes


class ClassPlan(NamedTuple):
    """Plan of the counts by class, from releases.

    ``radius`` bounds the norm of a record's weights; ``kept`` are the expected fractions of bins'
    weights after clipping, by column, shape (G,).
    """

    columns: tuple[BinPlan, ...]
    radius: int
    kept: tuple[Floats, ...]


@dataclass(frozen=True)
class ClassCounts:
    """Released counts by class, shape (C, G) by column, in coarse bins, and their noise scales."""

    columns: tuple[Floats, ...]
    plans: tuple[BinPlan, ...]
    scales: tuple[Floats, ...]


def release_counts(  # noqa: PLR0913 (what is counted, and at what price)
    rows: Rows[Encoded],
    sizes: Sequence[int],
    num_classes: int,
    given: Sequence[Floats] = (),
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Counts, Receipt]:
    """Release the histograms of the columns and the sizes of the classes.

    The first columns are not counted if their shares of codes, ``given``, shape (S,) each, are
    known from other releases.

    Formal guarantees: a record adds one to at most one count of each column, and one to the size of
    its class: with ``m`` columns that are counted the sensitivity is that of ``m + 1`` histograms.
    """
    sizes = sizes[len(given) :]
    # One sensitivity, one price and one receipt for all histograms.
    statistic = registry.COLUMNS.state(
        partial(count_columns, tuple(sizes), num_classes),
        neighbors=neighbors,
        classes=num_classes,
        columns=len(sizes),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    of_classes, *columns = np.split(noisy, np.cumsum([num_classes, *sizes]))[:-1]
    # Later steps divide by class sizes.
    totals = np.maximum(of_classes, 1.0)
    known = (totals.sum() * shares for shares in given)
    return Counts((*known, *columns), totals, receipt.noise_scale), receipt


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

    Formal guarantees: the plan is public or released; a record adds the weights of its bins as
    :func:`statistics.weighted_histogram` says, so the sensitivity is that of
    :func:`statistics.sum_sensitivity` for the radius.
    """
    weights = [each.weights for each in plan.columns]
    bins = tuple(each.bins for each in plan.columns)
    statistic = registry.CLASSES.state(
        partial(sum_weights, bins, tuple(weights), plan.radius, num_classes),
        neighbors=neighbors,
        columns=len(weights),
        classes=num_classes,
        least=min(each.min() for each in weights),
        most=max(each.max() for each in weights),
        radius=plan.radius,
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    # Dividing by the weight divides the noise too.
    units = [each * own for each, own in zip(weights, plan.kept, strict=True)]
    borders = np.cumsum([num_classes * len(unit) for unit in units])[:-1]
    parts = zip(np.split(noisy, borders), units, strict=True)
    columns = tuple(part.reshape(num_classes, len(unit)) / unit for part, unit in parts)
    scales = tuple(receipt.noise_scale / unit for unit in units)
    return ClassCounts(columns, plan.columns, scales), receipt
