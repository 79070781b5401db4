"""Private expectation maximisation: each record joins the nearest released centroid of its class.

Distances are whole numbers, so no rounding error depends on another record.
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
from sdv_threea.privacy.statistics import first_moments
from sdv_threea.privacy.sums import release, take
from sdv_threea.statistics import registry


def num_components(
    totals: NDArray[np.float64], radius: float, mu: float, constants: PartitionConstants
) -> int:
    """Return how many components per class the budget supports.

    The records of a component must outweigh the noise of its second moments, about
    ``radius^2 / mu`` (the minimum cluster size of 3A); ``radius`` is in normal scores.
    """
    # Median: at least half of the classes have as many records. Sampling error remains without
    # noise, so mu counts as one at most.
    carried = np.median(totals) * min(mu, 1.0) / (constants.least_signal * max(radius, 1.0) ** 2)
    return int(np.clip(carried, 1, constants.most_components))


def first_centroids(
    draws: NDArray[np.int64],
    classes: NDArray[np.int64],
    num_classes: int,
    components: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return initial centroids from draws, in score units, (C, K, m); K is 1 without columns."""
    width = draws.shape[1]
    components = components if width else 1
    centroids = np.zeros((num_classes, components, width), dtype=np.int64)
    for label in range(num_classes):
        own = draws[classes == label]
        # A single centroid stays at zero, the mean score of a class.
        if components > 1 and len(own) > components:
            centroids[label] = np.rint(_cluster(own, components, rng))
    return centroids


def assign(
    points: NDArray[np.integer], classes: NDArray[np.integer], centroids: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the component of each record, ``class * K + centroid``, shape (n,).

    Formal guarantees:
        * the component of a record is a function of that record and of the centroids, bit for bit
    """
    num_per_class = centroids.shape[1]
    found = np.asarray(classes.astype(np.int64) * num_per_class)
    if num_per_class == 1:
        return found
    norms = np.square(centroids).sum(axis=2)
    # argmin ||c||^2 - 2 c . x, exact in whole numbers: a float product may round differently in
    # another table. Floats are faster, and used where they are exact.
    longest = max(int(np.abs(points).max(initial=0)), int(np.abs(centroids).max(initial=0)))
    number = np.float64 if 4 * points.shape[1] * longest**2 < EXACT_FLOAT else np.int64
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
    """Return the centroids after all rounds of private EM, and a receipt per round.

    Formal guarantees:
        * each round is one :func:`em_round`; together the rounds compose to ``mu``
    """
    receipts = []
    # GDP prices compose as the root of the sum of squares.
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
    """Move each centroid to the noisy mean of its records, unless the mean is too noisy.

    Formal guarantees:
        * ``radius`` is public; a record counts in one component, with a vector ``(radius, s)``,
          ``||s|| <= radius``; any two such vectors have a non-negative inner product
        * so the sums of all components move by at most ``sum_sensitivity(sqrt(2) radius)``
    """
    num_classes, num_per_class, width = centroids.shape
    statistic = registry.COMPONENTS.state(
        partial(_sum_components, centroids, radius),
        neighbors=neighbors,
        resolution=1 / SCORE_UNITS,
        components=num_classes * num_per_class,
        radius=radius,
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    # The first entry of a record's vector is the radius.
    counts = sums[:, 0] * SCORE_UNITS / radius
    # The noise of a mean is the noise of its sum divided by the count.
    enough = counts > receipt.noise_scale / mean_error
    means = sums[:, 1:] * SCORE_UNITS / np.maximum(counts, 1.0)[:, None]
    old = centroids.reshape(num_classes * num_per_class, width)
    # Noise may push the mean of clipped scores beyond the radius.
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
    """Return the means of a mixture of spherical Gaussians fitted to released points."""
    seed = int(rng.integers(2**31))
    mixture = GaussianMixture(
        components, covariance_type='spherical', init_params='k-means++', random_state=seed
    )
    with warnings.catch_warnings():
        # A starting point need not have converged.
        warnings.simplefilter('ignore', ConvergenceWarning)
        return np.asarray(mixture.fit(points).means_)


def place_in_component(
    scores: NormalScores, pooled: NormalScores, centroids: NDArray[np.int64], chunk: Encoded
) -> Grouped:
    """Return the scores of records within their class, and their components."""
    return Grouped(scores(*chunk), assign(*score_pooled(pooled, chunk), centroids))
