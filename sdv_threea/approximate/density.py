"""Approximate: the density of every class, from two private releases.

Histograms of all columns say how each column is distributed in each class; moments of the normal
scores they define say how the columns hang together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.histograms import class_histograms, keep_ends
from sdv_threea.approximate.scores import NormalScores, normal_scores, target_order
from sdv_threea.mechanism import Noise, add_noise
from sdv_threea.moments import GRID
from sdv_threea.statistics import histogram, histogram_sensitivity

#: Scores are clipped to this many times the norm that they have in the mean.
CLIP = 1.5


@dataclass(frozen=True)
class Counts:
    """Released counts of ``m`` columns in ``C`` classes: publishable.

    Args:
        columns: Noisy counts of each column's codes, each of shape (C, S).
        totals: Number of records of each class, at least one, shape (C,).
        scale: Standard deviation of the noise of a count.
    """

    columns: tuple[NDArray[np.float64], ...]
    totals: NDArray[np.float64]
    scale: float


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
    """Release the histograms of all columns in every class, and the size of the classes.

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
    totals = histogram(np.zeros((len(codes), 1), dtype=np.int64), labels, [1], num_classes)
    exact = totals + histogram(codes, labels, sizes, num_classes)
    noisy, receipt = add_noise(
        np.concatenate([counts.ravel() for counts in exact]),
        sensitivity=histogram_sensitivity(len(exact), neighbors),
        mu=mu,
        stage='approximate',
        released=f'sizes of {num_classes} classes and histograms of {len(sizes)} columns in each',
        noise=noise,
    )
    borders = np.cumsum([counts.size for counts in exact])[:-1]
    parts = [
        part.reshape(counts.shape)
        for part, counts in zip(np.split(noisy, borders), exact, strict=True)
    ]
    sizes_of_classes = np.maximum(parts[0][:, 0], 1.0)
    return Counts(tuple(parts[1:]), sizes_of_classes, receipt.noise_scale), receipt


def fit_scores(
    counts: Counts,
    masks: Sequence[NDArray[np.bool_]],
    ordered: Sequence[bool],
    evident_ends: Sequence[bool],
) -> tuple[NormalScores, NormalScores]:
    """Make normal scores of released counts.

    Args:
        counts: The released counts.
        masks: For each column, the codes that can occur, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        evident_ends: For each column, whether evidence says that its first and last code occur.

    Returns:
        The scores by class, and those of all classes pooled into one.
    """
    histograms, orders, totals = [], [], counts.totals
    noise = counts.scale / totals.sum()
    columns = zip(counts.columns, masks, ordered, evident_ends, strict=True)
    for column, mask, natural, evident in columns:
        found = class_histograms(column, totals, mask, scale=counts.scale, ordered=natural)
        histograms.append(keep_ends(found, mask, noise) if evident else found)
        orders.append(np.arange(len(mask)) if natural else target_order(found, totals))
    shares = counts.totals[:, None] / counts.totals.sum()
    pooled = tuple((table * shares).sum(axis=0, keepdims=True) for table in histograms)
    by_class = normal_scores(tuple(histograms), tuple(orders), len(counts.totals))
    return by_class, normal_scores(pooled, tuple(orders), 1)


def clip_radius(scores: NormalScores) -> int:
    """Choose the norm that scores are clipped to, in units of ``1 / GRID``: from public numbers."""
    return math.ceil(CLIP * GRID * math.sqrt(max(scores.variances.sum(axis=1).max(), 1.0)))
