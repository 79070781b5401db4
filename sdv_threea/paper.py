"""The algorithm of the 3A paper: clusters, kernel inducing points, records mixed inside clusters.

Madl, Xu, Choudhury, Howard (2023, arXiv 2307.01875). The default model of this package grew out of
this algorithm and uses none of its steps. This module keeps the algorithm for comparison, with the
same encoding, statistics and ledger: ``ClustMixSynthesizer(metadata, mixing='clusters')``.

1. **Approximate.** Records are points of normal scores. Each class is a mixture of spherical
   Gaussians. The budget limits their number: the records of a cluster must outweigh the noise.
2. **Adapt.** The centres of the clusters are support points ``S``, which start at ``S_0``, of
   kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050) on the neural tangent kernel::

       alpha mean((S - S_0)^2) + (1 - alpha) ||Y - Phi W||^2 / (2 ||Y||^2)
       W = (Phi_S^T Phi_S + c I)^-1 Phi_S^T Y_S

   with ``Phi``, ``Phi_S`` the features of the private rows and of the support points.
3. **Anonymize.** A cluster is the records nearest to one centre. Its records are dealt out to
   groups of ``l``. The mean of a group, with Gaussian noise, is a synthetic record.

``mixing='random'`` leaves out clusters and adapting: it mixes the records of a class at random (Lee
et al. 2019, *Synthesizing Differentially Private Datasets using Random Mixing*), for comparison.

The paper charges step 3 alone (``guarantee='paper'``); the sound accounting charges all three.
Distances are whole numbers, so no rounding error depends on another record.
"""

import math
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.design import INPUT_UNITS
from sdv_threea.adapt.features import KernelFeatures, make_features, whole_features
from sdv_threea.adapt.ntk import make_kernel
from sdv_threea.approximate.marginals import Density, clip_radius
from sdv_threea.approximate.mixture import Mixture, class_mixture
from sdv_threea.approximate.moments import SCORE_UNITS, release_score_moments
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import COUNT_WEIGHT
from sdv_threea.planning.run import Run
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.clipping import EXACT_FLOAT, clip_norm
from sdv_threea.rows.records import Encoded, Grouped
from sdv_threea.rows.score_moments import lead, score_pooled
from sdv_threea.rows.statistics import first_moments
from sdv_threea.sampling.gaussians import Gaussians
from sdv_threea.statistics import registry
from sdv_threea.statistics.kind import Kind

#: The fewest records that are mixed: without noise, a mix of one would be a private record.
LEAST_MIXED = 10

#: Records are mixed until the noise of their mean is this many standard deviations of a column.
NOISE_OF_A_MEAN = 0.5

#: A cluster has at least this many times the records of a mix.
MIXES_PER_CLUSTER = 4

#: The largest number of clusters, and the most mixes, of a class: bounds of time and memory.
MOST_CLUSTERS, MOST_MIXES = 20, 500

#: Number of records drawn from the released histograms, for the first centres and for features.
NUM_DRAWS = 4000

#: Rounds of private EM, and the largest noise, in normal scores, of a mean that moves a centre.
ROUNDS, MEAN_ERROR = 3, 0.25

#: Number of landmarks of the kernel, and of features.
NUM_LANDMARKS, NUM_FEATURES = 200, 32

#: Regularisation of the regression on support points, per point.
RIDGE = 1e-3

#: Least divisor of a slope.
TINY = 1e-12

#: Number of steps of the descent, and their first length, in standard deviations.
NUM_STEPS, STEP = 60, 0.05

#: Step of the finite differences for slopes of features.
NUDGE = 1e-3

#: Standard deviation of sampled records around their mix. The deviation is not zero, because a
#: mixture of points has no quantiles.
POINT = 0.05


def mix_records(
    density: Density, encoded: Rows[Encoded], run: Run, begin: Callable[[str], object]
) -> Mixture:
    """Return the mixture of all mixes of records, one component per mix.

    The rows are read by the statistics *components*, *features* and *mixes*. The shares *clusters*
    and *adapt* pay for the first two, and the rest of the budget for the last.
    """
    radius = clip_radius(density.pooled.variances, run.constants.approximate.clip)
    size = group_size(radius, run.spending.left(('clusters', 'adapt')))
    num_classes, width = density.classes.count, len(density.counts.columns)
    centres = np.zeros((num_classes, 1, width), dtype=np.int64)
    begin('adapt')
    if run.settings.mixing == 'clusters':
        centres = _approximate(density, encoded, radius, size, run)
        centres = _adapt(density, encoded, centres, run)
    begin('anonymize')
    return _anonymize(density, encoded, centres, radius, size, run)


def group_size(radius: int, mu: float) -> int:
    """Return how many records are mixed, ``l``, so that the noise of their mean is small enough."""
    noise = math.sqrt(2) * radius / SCORE_UNITS / mu
    return max(LEAST_MIXED, math.ceil(noise / NOISE_OF_A_MEAN))


def _approximate(
    density: Density, encoded: Rows[Encoded], radius: int, size: int, run: Run
) -> Wholes:
    """Return the centres of the clusters of each class, (C, K, m), by private EM."""
    carried = np.median(density.counts.totals) / (size * MIXES_PER_CLUSTER)
    wanted = run.settings.clusters_per_class or int(np.clip(carried, 1, MOST_CLUSTERS))
    centres = first_centres(*_draw(density, run), density.classes.count, wanted, run.rng)
    if centres.shape[1] == 1:
        return centres
    rows = encoded.map(partial(score_pooled, density.pooled.scores))
    return run.spending.pay(partial(move_centres, rows, centres, radius), 'clusters')


def first_centres(
    draws: Wholes, classes: Wholes, num_classes: int, wanted: int, rng: np.random.Generator
) -> Wholes:
    """Return the means of a mixture fitted to released draws, (C, K, m); zero for few draws."""
    wanted = wanted if draws.shape[1] else 1
    centres = np.zeros((num_classes, wanted, draws.shape[1]), dtype=np.int64)
    for label, own in enumerate(centres):
        points = draws[classes == label]
        # A single centre stays at zero, the mean of normal scores.
        if 1 < wanted < len(points):
            seed = int(rng.integers(2**31))
            how = {'covariance_type': 'spherical', 'init_params': 'k-means++'}
            mixture = GaussianMixture(wanted, random_state=seed, **how)
            with warnings.catch_warnings():
                # Centres to start from need not have converged.
                warnings.simplefilter('ignore', ConvergenceWarning)
                own[:] = np.rint(mixture.fit(points).means_)
    return centres


def assign(points: NDArray[np.integer], classes: NDArray[np.integer], centres: Wholes) -> Wholes:
    """Return the nearest cluster of each record, ``class * K + centre``, shape (n,).

    Formal guarantees: the cluster of a record is a function of that record and of the centres, bit
    for bit.
    """
    num_per_class = centres.shape[1]
    found = np.asarray(classes.astype(np.int64) * num_per_class)
    norms = np.square(centres).sum(axis=2)
    # argmin ||c||^2 - 2 c . x, exact in whole numbers: a float product may round differently in
    # another table. Floats are faster, and used where they are exact.
    longest = max(int(np.abs(points).max(initial=0)), int(np.abs(centres).max(initial=0)))
    number = np.float64 if 4 * points.shape[1] * longest**2 < EXACT_FLOAT else np.int64
    for label, (own, norm) in enumerate(zip(centres.astype(number), norms, strict=True)):
        mine = np.flatnonzero(classes == label)
        found[mine] += np.argmin(norm - 2 * (points[mine].astype(number) @ own.T), axis=1)
    return found


def move_centres(
    rows: Rows[Grouped], centres: Wholes, radius: int, *, mu: float, neighbors: str, noise: Noise
) -> tuple[Wholes, tuple[Receipt, ...]]:
    """Return the centres after several rounds of moves to noisy means, and their receipts."""
    receipts = []
    # GDP prices compose as the root of the sum of squares.
    part = mu / math.sqrt(ROUNDS)
    for _ in range(ROUNDS):
        grouped, shape = rows.map(partial(_group, centres)), centres.shape
        (counts, sums), receipt = release_groups(
            grouped,
            registry.COMPONENTS,
            shape[0] * shape[1],
            radius,
            mu=part,
            neighbors=neighbors,
            noise=noise,
        )
        receipts.append(receipt)
        # The noise of a mean is the noise of its sum divided by the count.
        enough = counts > receipt.noise_scale / MEAN_ERROR
        means = sums * SCORE_UNITS / np.maximum(counts, 1.0)[:, None]
        # Noise may push the mean of clipped scores beyond the radius.
        moved = np.rint(np.clip(means, -radius, radius)).reshape(shape)
        centres = np.where(enough.reshape(*shape[:2], 1), moved, centres).astype(np.int64)
    return centres, tuple(receipts)


def release_groups(  # noqa: PLR0913 (what, how clipped, and the price)
    rows: Rows[Grouped],
    kind: Kind,
    num_groups: int,
    radius: int,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[tuple[Floats, Floats], Receipt]:
    """Release the number of records in each group, (G,), and their summed scores, (G, m).

    Formal guarantees:
        * ``radius`` is public; a record adds ``(radius, s)``, ``||s|| <= radius``, to one group,
          and two such vectors have no negative inner product
        * so the sums of all groups move by at most ``sum_sensitivity(sqrt(2) radius)``
    """
    statistic = kind.state(
        partial(_sum_groups, radius, num_groups),
        neighbors=neighbors,
        resolution=1 / SCORE_UNITS,
        groups=num_groups,
        radius=radius,
    )
    sums, receipt = release(rows, statistic, mu=mu, noise=noise)
    # The first entry of a record's vector is the radius.
    return (sums[:, 0] * SCORE_UNITS / radius, sums[:, 1:]), receipt


def _sum_groups(radius: int, num_groups: int, chunk: Grouped) -> Wholes:
    return first_moments(lead(clip_norm(chunk.scores, radius), radius), chunk.groups, num_groups)


def _group(centres: Wholes, chunk: Grouped) -> Grouped:
    return Grouped(chunk.scores, assign(*chunk, centres))


def _adapt(density: Density, encoded: Rows[Encoded], centres: Wholes, run: Run) -> Wholes:
    """Return the centres moved by kernel inducing points; unchanged at ``alpha=1``."""
    num_classes, num_centres, width = centres.shape
    if run.settings.alpha == 1 or num_classes == 1 or not width:
        return centres
    points, _ = _draw(density, run)
    features = make_features(
        points,
        np.ones(len(points)),
        make_kernel(run.settings.kernel, width),
        num_landmarks=NUM_LANDMARKS,
        rank=NUM_FEATURES,
        unclipped=0.9,
    )
    release = partial(
        release_score_moments,
        encoded.map(partial(_add_targets, density, features)),
        1,
        math.ceil(math.hypot(features.radius, INPUT_UNITS)),
        COUNT_WEIGHT,
        kind=registry.FEATURES,
    )
    moments = run.spending.pay(release, 'adapt')
    start = centres.reshape(-1, width) / SCORE_UNITS
    targets = np.repeat(np.eye(num_classes), num_centres, axis=0)
    moved = induce(start, targets, features, moments.products[0], run.settings.alpha)
    return np.rint(moved * SCORE_UNITS).astype(np.int64).reshape(centres.shape)


def induce(
    start: Floats, targets: Floats, features: KernelFeatures, moments: Floats, alpha: float
) -> Floats:
    """Return the support points of least objective on a descent from ``start``, ``S_0``, (k, m)."""
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


def support_loss(phi: Floats, targets: Floats, moments: Floats) -> tuple[float, Floats]:
    """Return the loss on private rows of a regression on support points, and its slope in ``phi``.

    ``||Y - Phi W||^2 = tr(R^T M R)`` with ``R = (-W; I)``: the rows enter only through their
    released moments ``M``, shape (r + q, r + q). The loss of a regression that predicts zero is
    1/2.
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


def _see(points: Floats, features: KernelFeatures) -> tuple[Floats, ...]:
    """Return features of points, (k, r), and their derivatives by the coordinates, (k, m, r)."""
    count, width = points.shape
    nudged = points[:, None] + NUDGE * np.eye(width)
    every = np.concatenate([points, nudged.reshape(-1, width)])
    values = features.kernel(every, features.landmarks)
    inputs = np.column_stack([values, np.ones(len(every)), every])
    found = inputs @ features.projection
    phi, moved = found[:count], found[count:].reshape(count, width, -1)
    return phi, (moved - phi[:, None]) / NUDGE


def _anonymize(
    density: Density, encoded: Rows[Encoded], centres: Wholes, radius: int, size: int, run: Run
) -> Mixture:
    """Mix the records of each cluster in groups, and return the noisy means as a mixture."""
    num_classes, num_centres, width = centres.shape
    per_cluster = float(density.counts.totals.max()) / num_centres / size
    num_mixes = int(np.clip(per_cluster, 1, max(MOST_MIXES // num_centres, 1)))
    factors = np.asarray(run.rng.integers(1, 2**62, size=width)) * 2 + 1
    rows = encoded.map(partial(_deal, density, centres, num_mixes, factors))
    total = num_classes * num_centres * num_mixes
    release = partial(release_groups, rows, registry.MIXES, total, radius)
    counts, sums = run.spending.pay_price(release, run.spending.left())
    # A count below half the size of a group is mostly noise.
    counts = np.where(counts < size / 2, 0.0, counts).reshape(num_classes, -1)
    means = sums.reshape(*counts.shape, width) / np.maximum(counts, 1.0)[..., None]
    # Every class keeps its released size, and at least one mix.
    counts[counts.sum(axis=1) == 0] = 1.0
    weights = counts * (density.counts.totals / counts.sum(axis=1))[:, None]
    bound = radius / SCORE_UNITS
    spread = np.broadcast_to(POINT**2 * np.eye(width), (*counts.shape, width, width))
    return Mixture(weights, np.clip(means, -bound, bound), spread)


def _deal(
    density: Density, centres: Wholes, num_mixes: int, factors: Wholes, chunk: Encoded
) -> Grouped:
    """Deal the records of each cluster out to its mixes, by a hash of their codes."""
    scores, classes = score_pooled(density.pooled.scores, chunk)
    clusters = assign(scores, classes, centres)
    hashed = (chunk.codes.astype(np.uint64) + np.uint64(1)) @ factors.astype(np.uint64)
    mixes = (hashed >> np.uint64(32)) % np.uint64(num_mixes)
    return Grouped(scores, clusters * num_mixes + mixes.astype(np.int64))


def _add_targets(density: Density, features: KernelFeatures, chunk: Encoded) -> Grouped:
    scores, classes = score_pooled(density.pooled.scores, chunk)
    found = whole_features(scores, features).astype(np.int64)
    targets = INPUT_UNITS * np.eye(density.classes.count, dtype=np.int64)[classes]
    return Grouped(np.concatenate([found, targets], axis=1), np.zeros_like(classes))


def _draw(density: Density, run: Run) -> tuple[Wholes, Wholes]:
    gaussians = class_mixture(density.counts.totals, density.correlations)
    codes, classes = Gaussians(gaussians, density.scores).draw(NUM_DRAWS, run.rng)
    return density.pooled(codes, np.zeros_like(classes)).astype(np.int64), classes
