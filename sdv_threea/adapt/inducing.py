"""Kernel inducing points: centroids, moved to where a classifier that is trained on them is best.

This is step 2 of 3A (arXiv 2307.01875) after Nguyen, Chen, Lee 2020 (arXiv 2011.00050). Support
points ``S``, shape (k, m), start at the centroids of the components, ``S_0``, and have targets
``Y_S``, shape (k, q). With the features ``Phi`` of rows and ``Phi_S`` of support points, kernel
ridge regression on the support points predicts for the private rows::

    K_XS (K_SS + c I)^-1 Y_S = Phi W   with   W = (Phi_S^T Phi_S + c I)^-1 Phi_S^T Y_S, shape (r, q)

where ``c`` is ``k`` times the ridge. What is minimised is the loss of kernel inducing points
(equation 7 there) against the distance moved::

    alpha mean((S - S_0)^2) + (1 - alpha) ||Y - Phi W||^2 / (2 ||Y||^2)

The rows enter through their released moments ``M`` alone: ``||Y - Phi W||^2 = tr(R^T M R)`` with
``R = (-W; I)``, shape (r + q, q). All else is post-processing of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.features import KernelFeatures, kernel_features
from sdv_threea.adapt.moments import Targeted, release_kernel_moments
from sdv_threea.adapt.ntk import Kernel, Points, ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import NormalScores, score_pooled
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows

#: Adam's decay rates and its guard against division by zero (Kingma and Ba 2015, section 2).
DECAY_FIRST, DECAY_SECOND, TINY = 0.9, 0.999, 1e-8


def add_target(pooled: NormalScores, classes: Classes, chunk: Encoded) -> Targeted:
    """Score records among all classes, and say what is to be predicted."""
    return Targeted(score_pooled(pooled, chunk).scores, classes.targets(chunk.labels))


def adapt_centroids(  # noqa: PLR0913 (the private rows, the start, the settings and the price)
    rows: Rows[Targeted],
    centroids: NDArray[np.int64],
    targets: NDArray[np.float64],
    *,
    landmarks: NDArray[np.int64],
    alpha: float,
    kernel: Callable[..., Any] | None,
    constants: AdaptConstants,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[NDArray[np.int64], Receipt]:
    """Move centroids by kernel inducing points, on privately released moments.

    Formal guarantees:
        * the private rows are read once, by
          :func:`~sdv_threea.adapt.moments.release_kernel_moments`, whose receipt is returned; all
          else is post-processing

    Args:
        rows: Private records; all scores are whole numbers in score units.
        centroids: Where the centroids are, shape (C, K, m).
        targets: Their targets, shape (C K, q).
        landmarks: Scores drawn from what is released, shape (P, m).
        alpha: Weight of staying put, in [0, 1].
        kernel: The kernel; ``None`` for the neural tangent kernel of a ReLU network.
        constants: How many features there are, and how points move.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The adapted centroids, shape (C, K, m), and the receipt.
    """
    width = centroids.shape[2]
    features = kernel_features(
        landmarks[: constants.landmarks],
        _make_kernel(kernel, width),
        rank=constants.rank,
        unclipped=constants.unclipped_features,
    )
    moments, receipt = release_kernel_moments(
        rows, features, mu=mu, neighbors=neighbors, noise=noise
    )
    judge = partial(support_loss, targets=targets, moments=moments, ridge=constants.ridge)
    start = centroids.reshape(-1, width) / SCORE_UNITS
    moved = move_points(start, features, judge, alpha, constants)
    return np.rint(moved * SCORE_UNITS).astype(np.int64).reshape(centroids.shape), receipt


@np.errstate(all='ignore')  # points stay where a kernel of the user overflows; no need to warn
def move_points(
    start: Points,
    features: KernelFeatures,
    judge: Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]],
    alpha: float,
    constants: AdaptConstants,
) -> Points:
    """Move support points downhill by Adam, and return the best points on the way.

    Args:
        start: ``S_0``, normal scores, shape (k, m).
        features: The feature map.
        judge: Returns the loss of the features of points, shape (k, r), and its slope in them.
        alpha: Weight of staying put, in [0, 1]; 1 leaves the points where they are.
        constants: How far and how often to step.

    Returns:
        The points, shape (k, m). Their objective is at most that of the start.
    """
    points = best = start
    first, second, lowest = np.zeros_like(start), np.zeros_like(start), np.inf
    for time in range(1, constants.point_steps + 2):
        phi, pull = features.with_slope(points)
        (loss, slope), away = judge(phi), points - start
        value = float(alpha * np.mean(away**2) + (1 - alpha) * loss)
        if value < lowest:
            lowest, best = value, points
        slope = 2 * alpha / away.size * away + (1 - alpha) * pull(slope)
        first = DECAY_FIRST * first + (1 - DECAY_FIRST) * slope
        second = DECAY_SECOND * second + (1 - DECAY_SECOND) * slope**2
        length = np.sqrt(second / (1 - DECAY_SECOND**time)) + TINY
        points = points - constants.learning_rate * first / (1 - DECAY_FIRST**time) / length
    return best


def support_loss(
    phi: NDArray[np.float64],
    targets: NDArray[np.float64],
    moments: NDArray[np.float64],
    ridge: float,
) -> tuple[float, NDArray[np.float64]]:
    """Train on support points, and test on the private rows.

    Args:
        phi: ``Phi_S``, shape (k, r).
        targets: ``Y_S``, shape (k, q), coded as those of the moments.
        moments: The released moments ``M``, shape (r + q, r + q).
        ridge: Regularisation per support point, above 0.

    Returns:
        The loss per unit of ``||Y||^2``, which is 1/2 for the predictor that always says zero; and
        its slope in ``Phi_S``, shape (k, r).
    """
    (count, rank), width = phi.shape, targets.shape[1]
    inverse = np.linalg.inv(phi.T @ phi + ridge * count * np.eye(rank))
    weights = inverse @ (phi.T @ targets)
    residual = np.concatenate([-weights, np.eye(width)])
    unit = max(float(np.trace(moments[rank:, rank:])), 1.0)
    fitted = moments @ residual / unit
    # dL/dW = -(M R)[:r] / unit. With B the inverse, dW = B (dPhi_S^T (Y_S - Phi_S W) - Phi_S^T
    # dPhi_S W). So with V = B dL/dW, the slope in Phi_S is (Y_S - Phi_S W) V^T - Phi_S V W^T.
    pulled = -inverse @ fitted[:rank]
    slope = (targets - phi @ weights) @ pulled.T - phi @ pulled @ weights.T
    return float(np.sum(residual * fitted)) / 2, slope


def _make_kernel(kernel: Callable[..., Any] | None, num_columns: int) -> Kernel:
    if kernel is None:
        return ReluNtk()
    from sdv_threea.adapt.kernels import as_kernel  # loads JAX

    return as_kernel(kernel, num_columns)
