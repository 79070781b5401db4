"""The partition of each class into components: private EM with hard responsibilities.

A record belongs to the component whose centroid is the nearest of its class. Centroids are public
or released numbers, so the rule that assigns a record reads no other record. Distances are computed
in whole numbers, so not even a rounding error depends on the rest of the table.
"""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.moments import SCORE_UNITS, Grouped, lead
from sdv_threea.approximate.scores import NormalScores, score_pooled
from sdv_threea.encoding.records import Encoded
from sdv_threea.partition.constants import PartitionConstants
from sdv_threea.privacy.clipping import EXACT_FLOAT, clip_norm
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import first_moments, sum_sensitivity
from sdv_threea.privacy.sums import Statistic, release, take


def num_components(
    totals: NDArray[np.float64], radius: float, mu: float, constants: PartitionConstants
) -> int:
    """Choose how many components per class the budget carries.

    The records of a component must outweigh the noise of their second moments, which has a scale
    of about ``radius^2 / mu``: the minimum cluster size of 3A. Where ``mu`` is above one, noise is
    small, and the bound is that of ``mu = 1``: sampling still asks for many records per column.

    Args:
        totals: Number of records of each class, shape (C,).
        radius: Norm of the scores, so ``radius^2`` is about the number of columns.
        mu: The price at which moments of components will be released.
        constants: The constants of the stage.

    Returns:
        The number of components, from 1 to ``constants.most_components``.
    """
    # Of the classes the middle one decides: most have at least as many records.
    carried = np.median(totals) * min(mu, 1.0) / (constants.least_signal * max(radius, 1.0) ** 2)
    return int(np.clip(carried, 1, constants.most_components))


def first_centroids(
    draws: NDArray[np.int64],
    classes: NDArray[np.int64],
    num_classes: int,
    components: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Find where centroids start, in rows drawn from what is released: free of cost.

    Args:
        draws: Scores, in score units, shape (P, m).
        classes: Their classes, shape (P,).
        num_classes: Number of classes ``C``.
        components: Number of centroids per class ``K``.
        rng: Source of the starting points.

    Returns:
        Centroids in score units, shape (C, K, m). Without columns there is one per class, as
        nothing tells records apart.
    """
    width = draws.shape[1]
    components = components if width else 1
    centroids = np.zeros((num_classes, components, width), dtype=np.int64)
    for label in range(num_classes):
        own = draws[classes == label]
        # One centroid stays at zero, the mean of the scores of a class.
        if components > 1 and len(own) > components:
            centroids[label] = np.rint(_cluster(own, components, rng))
    return centroids


def assign(
    points: NDArray[np.integer], classes: NDArray[np.integer], centroids: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Assign every record to a component of its class.

    Formal guarantees:
        * the component of a record is a function of that record and of the centroids, bit for bit

    Args:
        points: Scores, in score units, shape (n, m).
        classes: The class of each record, shape (n,).
        centroids: Centroids in score units, shape (C, K, m).

    Returns:
        Components, ``class * K + centroid``, shape (n,).
    """
    num_per_class = centroids.shape[1]
    found = np.asarray(classes.astype(np.int64) * num_per_class)
    if num_per_class == 1:
        return found
    norms = np.square(centroids).sum(axis=2)
    # The nearest centroid c has the least ||c||^2 - 2 c . x. It is computed in whole numbers: a
    # float product may be rounded differently in another table. Floats are faster, and used where
    # numbers are so small that floats are exact.
    longest = max(int(np.abs(points).max(initial=0)), int(np.abs(centroids).max(initial=0)))
    number = np.float64 if 4 * points.shape[1] * longest**2 < EXACT_FLOAT else np.int64
    # The class of a record is fixed; only centroids of its own class compete for it.
    for label, (own, norm) in enumerate(zip(centroids.astype(number), norms, strict=True)):
        mine = np.flatnonzero(classes == label)
        found[mine] += np.argmin(norm - 2 * (points[mine].astype(number) @ own.T), axis=1)
    return found


def private_em(  # noqa: PLR0913 (what, how clipped, and the price)
    rows: Rows[Grouped],
    centroids: NDArray[np.int64],
    radius: int,
    constants: PartitionConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[NDArray[np.int64], tuple[Receipt, ...]]:
    """Run a few rounds of private EM, and return where the centroids end.

    Formal guarantees:
        * each round is one :func:`em_round`; together they compose to ``mu``

    Args:
        rows: Private records, grouped by class.
        centroids: Where the centroids start, shape (C, K, m).
        radius: Norm to which scores are clipped; public.
        constants: The constants of the stage.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The centroids, and a receipt per round.
    """
    receipts = []
    # Prices compose as the root of the sum of their squares.
    for _ in range(constants.rounds):
        centroids, receipt = em_round(
            rows,
            centroids,
            radius,
            constants.mean_error,
            mu=mu / math.sqrt(constants.rounds),
            neighbors=neighbors,
            noise=noise,
        )
        receipts.append(receipt)
    return centroids, tuple(receipts)


def em_round(  # noqa: PLR0913 (what, how clipped, and the price)
    rows: Rows[Grouped],
    centroids: NDArray[np.int64],
    radius: int,
    mean_error: float,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[NDArray[np.int64], Receipt]:
    """Move every centroid to the noisy mean of its records: one step of EM.

    Formal guarantees:
        * a record counts in one component, with a vector ``(radius, s)``, ``||s|| <= radius``; any
          two such vectors have a non-negative inner product
        * so the sums of all components move by at most ``sum_sensitivity(sqrt(2) radius)``

    Args:
        rows: Private records, grouped by class.
        centroids: Where the centroids are, shape (C, K, m).
        radius: Norm to which scores are clipped; public.
        mean_error: A centroid moves only if each mean of its records is known to this many
            standard deviations.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The new centroids, and the receipt.
    """
    num_classes, num_per_class, width = centroids.shape
    statistic = Statistic(
        'partition',
        f'counts and sums of normal scores in {num_classes * num_per_class} components',
        partial(_sum_components, centroids, radius),
        sum_sensitivity(math.sqrt(2) * radius, neighbors),
        resolution=1 / SCORE_UNITS,
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    # Each record adds the radius to the first sum of its component.
    counts = sums[:, 0] * SCORE_UNITS / radius
    # The noise of a mean is that of its sum over the number of records.
    enough = counts > receipt.noise_scale / mean_error
    means = sums[:, 1:] * SCORE_UNITS / np.maximum(counts, 1.0)[:, None]
    old = centroids.reshape(num_classes * num_per_class, width)
    # A mean of clipped scores lies within the radius; noise may carry it beyond.
    moved = np.where(enough[:, None], np.rint(np.clip(means, -radius, radius)), old)
    return moved.astype(np.int64).reshape(centroids.shape), receipt


def _sum_components(centroids: NDArray[np.int64], radius: int, chunk: Grouped) -> NDArray[np.int64]:
    """Sum the vectors ``(radius, s)`` of the records of each component."""
    vectors = lead(clip_norm(chunk.scores, radius), radius)
    groups = assign(chunk.scores, chunk.groups, centroids)
    return first_moments(vectors, groups, centroids.shape[0] * centroids.shape[1])


def _cluster(
    points: NDArray[np.int64], components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the means of a mixture of round Gaussians, fitted to points that cost nothing."""
    seed = int(rng.integers(2**31))
    mixture = GaussianMixture(
        components, covariance_type='spherical', init_params='k-means++', random_state=seed
    )
    with warnings.catch_warnings():
        # A start need not have converged.
        warnings.simplefilter('ignore', ConvergenceWarning)
        return np.asarray(mixture.fit(points).means_)


def place_in_component(
    scores: NormalScores, pooled: NormalScores, centroids: NDArray[np.int64], chunk: Encoded
) -> Grouped:
    """Score records within their class, and assign them to components."""
    return Grouped(scores(*chunk), assign(*score_pooled(pooled, chunk), centroids))
