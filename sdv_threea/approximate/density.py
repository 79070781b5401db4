"""Approximate: the density of every class, from three private releases.

Histograms of all columns say how they are distributed; coarser ones by class how the classes depart
from that; moments of the normal scores that both define say how the columns hang together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.histograms import column_shares, keep_ends
from sdv_threea.approximate.scores import NormalScores, normal_scores, target_order
from sdv_threea.approximate.tilts import (
    SPIKE_NOISE,
    class_histograms,
    column_weight,
    cut_cells,
    num_class_cells,
    reconcile,
)
from sdv_threea.mechanism import Noise, add_noise
from sdv_threea.moments import GRID
from sdv_threea.statistics import histogram, histogram_sensitivity

#: Squared norms of scores are clipped so many standard deviations above their mean.
CLIP = 1.5


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


class CellPlan(NamedTuple):
    """How classes are counted in one column: publishable.

    Args:
        cells: The cell of each code, shape (S,).
        in_order: Which cells stand in a meaningful order, shape (G,).
        weight: What a record adds to a count, at least one.
    """

    cells: NDArray[np.int64]
    in_order: NDArray[np.bool_]
    weight: int


@dataclass(frozen=True)
class ClassCounts:
    """Released counts of ``m`` columns in each of ``C`` classes, in coarse cells: publishable.

    Args:
        columns: Noisy counts of each column's cells, each of shape (C, G).
        plans: How each column was counted.
        scales: Standard deviation of the noise of a count, by column.
    """

    columns: tuple[NDArray[np.float64], ...]
    plans: tuple[CellPlan, ...]
    scales: tuple[float, ...]


def release_counts(  # noqa: PLR0913 (what, its shape, and the price)
    codes: NDArray[np.integer],
    labels: NDArray[np.int64],
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
        codes: Private codes, -1 for none, shape (n, m).
        labels: The class of each record, shape (n,).
        sizes: Number of codes of each column.
        num_classes: Number of classes.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    alike = np.zeros_like(labels)
    totals = histogram(alike[:, None], labels, [1], num_classes)
    noisy, receipt = _release(
        totals + histogram(codes, alike, sizes, 1),
        squared_norm=len(sizes) + 1,
        released=f'sizes of {num_classes} classes and histograms of {len(sizes)} columns',
        terms={'mu': mu, 'neighbors': neighbors, 'noise': noise},
    )
    of_classes, *columns = (counts.ravel() for counts in noisy)
    return Counts(tuple(columns), np.maximum(of_classes, 1.0), receipt.noise_scale), receipt


def release_class_counts(  # noqa: PLR0913 (what, its shape, and the price)
    codes: NDArray[np.integer],
    labels: NDArray[np.int64],
    plans: Sequence[CellPlan],
    num_classes: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ClassCounts, Receipt]:
    """Release the histograms of all columns in each class, in cells of the columns.

    Formal guarantees:
        * the plans are public or released; a record adds the weight of a column, a whole number, to
          at most one count of it, as :func:`statistics.histogram_sensitivity` asks

    Args:
        codes: Private codes, -1 for none, shape (n, m).
        labels: The class of each record, shape (n,).
        plans: How each column is counted.
        num_classes: Number of classes.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    coarse = np.empty(codes.shape, dtype=np.int64)
    for at, plan in enumerate(plans):
        # Codes beyond the last go to a cell beyond the last, which is refused.
        cells = np.append(plan.cells, [len(plan.in_order), -1])
        coarse[:, at] = cells[np.clip(codes[:, at], -1, len(plan.cells))]
    exact = histogram(coarse, labels, [len(plan.in_order) for plan in plans], num_classes)
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
    columns = tuple(counts / plan.weight for counts, plan in zip(noisy, plans, strict=True))
    scales = tuple(receipt.noise_scale / plan.weight for plan in plans)
    return ClassCounts(columns, tuple(plans), scales), receipt


def plan_class_counts(
    counts: Counts,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    mu: float,
) -> list[CellPlan]:
    """Choose the cells of each column that classes are counted in, and where to look closely.

    Args:
        counts: The released counts.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        mu: The price, in GDP, at which the classes will be counted.

    Returns:
        The plan of each column.
    """
    scale = histogram_sensitivity(len(masks)) / mu
    num_cells = num_class_cells(counts.totals, scale)
    least = SPIKE_NOISE * scale / counts.totals.sum()
    plans = []
    for column, mask, natural in zip(counts.columns, masks, ordered, strict=True):
        shares = _shares(column, counts, mask, natural)
        cells, in_order = np.arange(len(mask)), np.zeros(len(mask), dtype=np.bool_)
        if natural:
            cells, in_order = cut_cells(shares, mask, num_cells, least)
        weight = column_weight(np.bincount(cells, shares).astype(np.float64))
        plans.append(CellPlan(cells, in_order, weight))
    return plans


def fit_scores(
    counts: Counts,
    by_class: ClassCounts | None,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    evident_ends: Sequence[bool],
) -> tuple[NormalScores, NormalScores]:
    """Make normal scores of released counts.

    Args:
        counts: The released counts.
        by_class: Those of the classes; ``None`` if there is one class.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        evident_ends: For each column, whether evidence says that its first and last code occur.

    Returns:
        The scores by class, and those of all classes pooled into one.
    """
    histograms, orders, totals = [], [], counts.totals
    noise = counts.scale / totals.sum()
    columns = zip(masks, ordered, evident_ends, strict=True)
    for at, (mask, natural, evident) in enumerate(columns):
        found = _class_histograms(counts, by_class, at, mask, natural)
        histograms.append(keep_ends(found, mask, noise) if evident else found)
        orders.append(np.arange(len(mask)) if natural else target_order(found, totals))
    shares = counts.totals[:, None] / counts.totals.sum()
    pooled = tuple((table * shares).sum(axis=0, keepdims=True) for table in histograms)
    of_classes = normal_scores(tuple(histograms), tuple(orders), len(counts.totals))
    return of_classes, normal_scores(pooled, tuple(orders), 1)


def clip_radius(scores: NormalScores) -> int:
    """Choose the norm that scores are clipped to, in units of ``1 / GRID``: from public numbers."""
    return bound_norm(scores.variances)


def bound_norm(variances: NDArray[np.float64]) -> int:
    """Choose a norm, in units of ``1 / GRID``, for normals of these variances, shape (C, m).

    The squared norm of independent normals of variances ``v`` has mean ``sum v`` and variance ``2
    sum v^2``: with many columns hardly any record is much longer than the mean, with few some are.
    """
    means = variances.sum(axis=1)
    deviations = np.sqrt(2 * np.square(variances).sum(axis=1))
    squared = max(float((means + CLIP * deviations).max()), 1.0)
    return math.ceil(GRID * math.sqrt(squared))


def _release(
    exact: Sequence[NDArray[np.int64]],
    *,
    squared_norm: int,
    released: str,
    terms: Mapping[str, Any],
) -> tuple[tuple[NDArray[np.float64], ...], Receipt]:
    """Release histograms in one go; a record's counts have at most this squared norm."""
    noisy, receipt = add_noise(
        np.concatenate([counts.ravel() for counts in exact]),
        sensitivity=histogram_sensitivity(squared_norm, terms['neighbors']),
        mu=terms['mu'],
        stage='approximate',
        released=released,
        noise=terms['noise'],
    )
    borders = np.cumsum([counts.size for counts in exact])[:-1]
    parts = zip(np.split(noisy, borders), exact, strict=True)
    return tuple(part.reshape(each.shape) for part, each in parts), receipt


def _shares(
    column: NDArray[np.float64], counts: Counts, mask: NDArray[np.bool_], ordered: bool
) -> NDArray[np.float64]:
    total = float(counts.totals.sum())
    return column_shares(column, total, mask, scale=counts.scale, ordered=ordered)


def _class_histograms(
    counts: Counts,
    by_class: ClassCounts | None,
    at: int,
    mask: NDArray[np.bool_],
    ordered: bool,
) -> NDArray[np.float64]:
    """Estimate one column's histograms, shape (C, S), from all that is known of it."""
    column = counts.columns[at]
    if by_class is None:
        return _shares(column, counts, mask, ordered)[None]
    own, plan, scale = by_class.columns[at], by_class.plans[at], by_class.scales[at]
    of_all = own.sum(axis=0), scale * math.sqrt(len(own))
    column = reconcile(column, counts.scale, *of_all, plan.cells)
    shares = _shares(column, counts, mask, ordered)
    return class_histograms(own, counts.totals, shares, mask, plan.cells, plan.in_order, scale)
