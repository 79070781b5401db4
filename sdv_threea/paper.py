"""3A as its paper has it: clusters, kernel inducing points, records mixed inside clusters, noise.

Madl, Xu, Choudhury, Howard (2023, arXiv 2307.01875). The main path grew out of this algorithm and
uses nothing of it. It is kept beside it on the same codec, the same statistics and the same ledger:
``ClustMixSynthesizer(metadata, mixing='clusters')``.

1. **Approximate.** Records are points of normal scores. Each class is a mixture of spherical
   Gaussians, as many as the budget carries: a cluster has to be larger than the noise of its mean.
2. **Adapt.** The centres of the clusters are support points ``S``, which start at ``S_0``, of
   kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050) on the neural tangent kernel::

       alpha mean((S - S_0)^2) + (1 - alpha) ||Y - Phi W||^2 / (2 ||Y||^2)
       W = (Phi_S^T Phi_S + c I)^-1 Phi_S^T Y_S

   with ``Phi``, ``Phi_S`` the features of the private rows and of the support points.
3. **Anonymize.** The records of a cluster, which is what is nearest to its centre, are dealt out to
   groups of ``l``. The mean of a group, with Gaussian noise, is a synthetic record.

``mixing='random'`` leaves out clusters and adapting: it mixes the records of a class at random (Lee
et al. 2019, *Synthesizing Differentially Private Datasets using Random Mixing*), for comparison.

The paper charges step 3 alone (``guarantee='paper'``); the sound accounting charges all three.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.features import FEATURE_UNITS, KernelFeatures, make_features, whole_features
from sdv_threea.adapt.ntk import Points, make_kernel
from sdv_threea.anonymize.mixture import Mixture, class_mixture
from sdv_threea.approximate.density import Density, clip_radius
from sdv_threea.approximate.moments import SCORE_UNITS, Grouped, lead, release_score_moments
from sdv_threea.approximate.scores import score_pooled
from sdv_threea.encoding.records import Encoded
from sdv_threea.partition.em import assign, first_centroids, private_em
from sdv_threea.privacy.clipping import clip_norm
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import first_moments
from sdv_threea.privacy.sums import release, take
from sdv_threea.sampling.draws import draw_codes
from sdv_threea.stages import Run
from sdv_threea.statistics import registry

#: The fewest records that are mixed: without noise, a mix of one would be a private record.
LEAST_MIXED = 10

#: Records are mixed until the noise of their mean is this many standard deviations of a column.
NOISE_OF_A_MEAN = 0.5

#: The records of a cluster outnumber those of a mix by this factor at least.
MIXES_PER_CLUSTER = 4

#: The most clusters, and the most mixes, of a class: they bound time and memory.
MOST_CLUSTERS, MOST_MIXES = 20, 500

#: Records drawn from the released histograms, where centres start and features are made.
NUM_DRAWS = 4000

#: Landmarks of the kernel, and features made of them.
NUM_LANDMARKS, NUM_FEATURES = 200, 32

#: Regularisation of the regression on support points, per point.
RIDGE = 1e-3

#: Guards a division by zero.
TINY = 1e-12

#: Steps of the descent and their length at first, in standard deviations.
NUM_STEPS, STEP = 60, 0.05

#: Distance of the points whose features give a slope.
NUDGE = 1e-3

#: Deviation of a sampled record around its mix, as a mixture of points has no quantiles.
POINT = 0.05


class Records(NamedTuple):
    """Private records: scores over all classes (n, m) in score units, classes and mixes, (n,)."""

    scores: NDArray[np.integer]
    groups: NDArray[np.integer]
    mixes: NDArray[np.integer]


def mix_records(density: Density, encoded: Rows[Encoded], run: Run) -> Mixture:
    """Return the mixture of all mixed records, a component each.

    Formal guarantees:
        * the rows are read by the statistics *components* (the clusters), *features* (the adapted
          centres) and *mixes*, which the account of the run keeps
        * the shares of the stages *partition* and *adapt* pay for the first two, and the rest of
          the budget for the last

    Args:
        density: The released codec: histograms, classes and normal scores.
        encoded: Private records.
        run: The settings, the account and chance.
    """
    radius = clip_radius(density.pooled.variances, run.constants.approximate.clip)
    size = group_size(radius, run.spending.left(('partition', 'adapt')))
    num_classes, width = density.classes.count, len(density.counts.columns)
    centres = np.zeros((num_classes, 1, width), dtype=np.int64)
    if run.settings.mixing == 'clusters':
        centres = _approximate(density, encoded, radius, size, run)
        centres = _adapt(density, encoded, centres, run)
    return _anonymize(density, encoded, centres, radius, size, run)


def group_size(radius: int, mu: float) -> int:
    """Return how many records are mixed, ``l``, so that the noise of their mean is small enough.

    ``radius`` is the norm that scores are clipped to, in score units, ``mu`` the price in GDP.
    """
    noise = math.sqrt(2) * radius / SCORE_UNITS / mu
    return max(LEAST_MIXED, math.ceil(noise / NOISE_OF_A_MEAN))


def _approximate(
    density: Density, encoded: Rows[Encoded], radius: int, size: int, run: Run
) -> NDArray[np.int64]:
    """Return the centres of the clusters of each class, (C, K, m), by private EM."""
    carried = np.median(density.counts.totals) / (size * MIXES_PER_CLUSTER)
    wanted = run.settings.components_per_class or int(np.clip(carried, 1, MOST_CLUSTERS))
    centres = first_centroids(*_draw(density, run), density.classes.count, wanted, run.rng)
    if centres.shape[1] == 1:
        return centres
    rows = encoded.map(partial(score_pooled, density.pooled))
    terms = run.spending.terms('partition')
    return run.spending.keep(private_em(rows, centres, radius, run.constants.partition, **terms))


def _adapt(
    density: Density, encoded: Rows[Encoded], centres: NDArray[np.int64], run: Run
) -> NDArray[np.int64]:
    """Return the centres moved by kernel inducing points; as they are at ``alpha=1``."""
    num_classes, num_centres, width = centres.shape
    if run.settings.alpha == 1 or num_classes == 1 or not width:
        return centres
    points, _ = _draw(density, run)
    kernel = make_kernel(run.settings.kernel, width)
    features = make_features(
        points,
        np.ones(len(points)),
        kernel,
        num_landmarks=NUM_LANDMARKS,
        rank=NUM_FEATURES,
        unclipped=0.9,
    )
    moments = run.spending.keep(
        release_score_moments(
            encoded.map(partial(_add_targets, density, features)),
            1,
            math.ceil(math.hypot(features.radius, FEATURE_UNITS)),
            run.constants.adapt.count_weight,
            kind=registry.FEATURES,
            **run.spending.terms('adapt'),
        )
    )
    start = centres.reshape(-1, width) / SCORE_UNITS
    targets = np.repeat(np.eye(num_classes), num_centres, axis=0)
    moved = induce(start, targets, features, moments.products[0], run.settings.alpha)
    return np.rint(moved * SCORE_UNITS).astype(np.int64).reshape(centres.shape)


def induce(
    start: Points,
    targets: NDArray[np.float64],
    features: KernelFeatures,
    moments: NDArray[np.float64],
    alpha: float,
) -> Points:
    """Return the support points of least objective on a descent from ``start``, shape (k, m).

    Args:
        start: ``S_0``, in standard deviations, shape (k, m).
        targets: ``Y_S``, shape (k, q).
        features: The feature map of the kernel.
        moments: Released second moments of features and targets, shape (r + q, r + q).
        alpha: The weight of staying put, in [0, 1].
    """
    points = best = start
    lowest, step = np.inf, STEP
    for _ in range(NUM_STEPS):
        phi, slopes = _see(points, features)
        loss, pull = support_loss(phi, targets, moments)
        away = points - start
        value = alpha * float(np.mean(away**2)) + (1 - alpha) * loss
        if value < lowest:
            lowest, best = value, points
        else:  # the step was too long
            points, step = best, step / 2
            continue
        slope = 2 * alpha * away / away.size + (1 - alpha) * np.einsum('kmr,kr->km', slopes, pull)
        points = best - step * slope / max(float(np.abs(slope).max()), TINY)
    return best


def support_loss(
    phi: NDArray[np.float64], targets: NDArray[np.float64], moments: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss on private rows of a regression on support points, and its slope in ``phi``.

    ``||Y - Phi W||^2 = tr(R^T M R)`` with ``R = (-W; I)``: the rows enter through their released
    moments ``M`` alone. The loss is 1/2 for the regression that always says zero.

    Args:
        phi: ``Phi_S``, shape (k, r).
        targets: ``Y_S``, shape (k, q).
        moments: ``M``, shape (r + q, r + q).
    """
    (count, rank), width = phi.shape, targets.shape[1]
    inverse = np.linalg.inv(phi.T @ phi + RIDGE * count * np.eye(rank))
    weights = inverse @ (phi.T @ targets)
    residual = np.concatenate([-weights, np.eye(width)])
    fitted = moments @ residual / max(float(np.trace(moments[rank:, rank:])), 1.0)
    # With V = B dL/dW and B the inverse, the slope in Phi_S is (Y_S - Phi_S W) V^T - Phi_S V W^T.
    pulled = -inverse @ fitted[:rank]
    slope = (targets - phi @ weights) @ pulled.T - phi @ pulled @ weights.T
    return float(np.sum(residual * fitted)) / 2, slope


def _see(points: Points, features: KernelFeatures) -> tuple[NDArray[np.float64], ...]:
    """Return features of points, (k, r), and their slopes in the coordinates, (k, m, r)."""
    count, width = points.shape
    nudged = points[:, None] + NUDGE * np.eye(width)
    every = np.concatenate([points, nudged.reshape(-1, width)])
    values = features.kernel(every, features.landmarks)
    inputs = np.column_stack([values, np.ones(len(every)), every])
    found = inputs @ features.projection
    phi, moved = found[:count], found[count:].reshape(count, width, -1)
    return phi, (moved - phi[:, None]) / NUDGE


def _anonymize(
    density: Density,
    encoded: Rows[Encoded],
    centres: NDArray[np.int64],
    radius: int,
    size: int,
    run: Run,
) -> Mixture:
    """Mix the records of each cluster in groups, and return the noisy means as a mixture.

    Formal guarantees:
        * the mix of a record is a function of that record, of the centres and of public chance
        * a record adds ``(radius, s)``, ``||s|| <= radius``, to one mix, and two such vectors have
          no negative inner product
    """
    num_classes, num_centres, width = centres.shape
    per_cluster = float(density.counts.totals.max()) / num_centres / size
    num_mixes = int(np.clip(per_cluster, 1, max(MOST_MIXES // num_centres, 1)))
    factors = np.asarray(run.rng.integers(1, 2**62, size=width)) * 2 + 1
    total = num_classes * num_centres * num_mixes
    terms = run.spending.rest()
    statistic = registry.MIXES.state(
        partial(_sum_mixes, radius, total),
        neighbors=terms['neighbors'],
        resolution=1 / SCORE_UNITS,
        mixes=total,
        radius=radius,
    )
    rows = encoded.map(partial(_deal, density, centres, num_mixes, factors))
    sums, record = release(*take(rows, statistic), mu=terms['mu'], noise=terms['noise'])
    sums = run.spending.keep((sums, record))
    counts = sums[:, 0] * SCORE_UNITS / radius
    # Fewer than half of a group would be noise alone.
    counts = np.where(counts < size / 2, 0.0, counts).reshape(num_classes, -1)
    means = sums[:, 1:].reshape(*counts.shape, width) / np.maximum(counts, 1.0)[..., None]
    # Every class keeps its released size, and a mix even where noise left none.
    counts[counts.sum(axis=1) == 0] = 1.0
    weights = counts * (density.counts.totals / counts.sum(axis=1))[:, None]
    bound = radius / SCORE_UNITS
    spread = np.broadcast_to(POINT**2 * np.eye(width), (*counts.shape, width, width))
    return Mixture(weights, np.clip(means, -bound, bound), spread)


def _deal(
    density: Density,
    centres: NDArray[np.int64],
    num_mixes: int,
    factors: NDArray[np.int64],
    chunk: Encoded,
) -> Records:
    """Deal records out to the mixes of the cluster that is nearest, by a hash of their codes."""
    scores, classes = score_pooled(density.pooled, chunk)
    clusters = assign(scores, classes, centres)
    hashed = (chunk.codes.astype(np.uint64) + np.uint64(1)) @ factors.astype(np.uint64)
    mixes = (hashed >> np.uint64(32)) % np.uint64(num_mixes)
    return Records(scores, classes, clusters * num_mixes + mixes.astype(np.int64))


def _sum_mixes(radius: int, num_mixes: int, chunk: Records) -> NDArray[np.int64]:
    """Sum the vectors ``(radius, s)`` of the records of each mix."""
    return first_moments(lead(clip_norm(chunk.scores, radius), radius), chunk.mixes, num_mixes)


def _add_targets(density: Density, features: KernelFeatures, chunk: Encoded) -> Grouped:
    """Return the features of records, and the indicator of their class, as one vector."""
    scores, classes = score_pooled(density.pooled, chunk)
    found = whole_features(scores, features).astype(np.int64)
    targets = FEATURE_UNITS * np.eye(density.classes.count, dtype=np.int64)[classes]
    return Grouped(np.concatenate([found, targets], axis=1), np.zeros_like(classes))


def _draw(density: Density, run: Run) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw points from the released histograms and correlations, with their classes."""
    gaussians = class_mixture(density.counts.totals, density.correlations)
    codes, classes = draw_codes(gaussians, density.scores, NUM_DRAWS, run.rng)
    return density.pooled(codes, np.zeros_like(classes)).astype(np.int64), classes
