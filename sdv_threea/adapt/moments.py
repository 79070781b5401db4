"""The one release of kernel inducing points: second moments of features and targets.

For the ``n`` private rows let ``Phi`` be their features, shape (n, r), and ``Y`` their targets,
shape (n, q). The squared loss of any predictor ``phi(x) W`` depends on the rows only through ::

    M = (Phi, Y)^T (Phi, Y)        shape (r + q, r + q)

which is released once, with one receipt.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.features import KernelFeatures, row_features
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import (
    clip_norm,
    moment_sensitivity,
    second_moments,
    unpack_second_moments,
)

#: Units per one: features and targets become whole multiples of ``1 / FEATURE_UNITS``.
FEATURE_UNITS = 2**12

#: Norm bound of a row ``(phi, y)`` in grid units: no row with two halves of norm one is cut.
FEATURE_RADIUS = math.isqrt(2 * FEATURE_UNITS**2) + 1

#: Rows per block: bounds the memory, changes no result.
BLOCK_ROWS = 4096


class Targeted(NamedTuple):
    """Private records as whole-number scores, shape (n, m), and targets, shape (n, q).

    Targets are one-hot classes, or one number in [-1, 1]: of row norm at most one.
    """

    scores: NDArray[np.integer]
    targets: NDArray[np.float64]


def release_kernel_moments(
    rows: Rows[Targeted], features: KernelFeatures, *, mu: float, neighbors: str, noise: Noise
) -> tuple[NDArray[np.float64], Receipt]:
    """Release the second moments of ``(phi(x), y)`` over the private rows, with noise.

    Formal guarantees:
        * the rows are read once, by :func:`kernel_sums`, whose sums change by at most
          ``moment_sensitivity(FEATURE_RADIUS, neighbors)``, all chunks of a table together

    Args:
        rows: The private rows.
        features: The feature map.
        mu: The price, in Gaussian differential privacy.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        ``M``, or rather the positive semidefinite matrix that is nearest to it with its noise, so
        that no loss that is read from it is below zero; and the receipt.
    """
    noisy, receipt = add_noise(
        rows.sum(partial(kernel_sums, features)),
        sensitivity=moment_sensitivity(FEATURE_RADIUS, neighbors),
        mu=mu,
        stage='adapt',
        released='second moments of kernel features and targets',
        resolution=FEATURE_UNITS**-2,
        noise=noise,
    )
    return bound_eigenvalues(unpack_second_moments(noisy)[0], least=0), receipt


def kernel_sums(features: KernelFeatures, chunk: Targeted) -> NDArray[np.int64]:
    """Sum the second moments of ``(phi(x), y)`` over private rows, in whole numbers.

    Threads and processes of one machine may share the chunks out; another processor may round a
    kernel value differently.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a row counts through its own vector of :func:`integer_vectors` only, so the sums change
          by at most ``moment_sensitivity(FEATURE_RADIUS, neighbors)``

    Args:
        features: The feature map.
        chunk: Private rows.

    Returns:
        The sums of :func:`~sdv_threea.privacy.statistics.second_moments`, shape
        (1, d (d + 1) / 2) with ``d = r + q``.
    """
    width = features.projection.shape[1] + chunk.targets.shape[1]
    sums = np.zeros((1, width * (width + 1) // 2), dtype=np.int64)
    for start in range(0, len(chunk.scores), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        vectors = integer_vectors(features, Targeted(chunk.scores[block], chunk.targets[block]))
        sums += second_moments(vectors, np.zeros(len(vectors), dtype=np.int64), 1)
    return sums


def integer_vectors(features: KernelFeatures, chunk: Targeted) -> NDArray[np.int64]:
    """Turn rows into vectors ``(phi, y)``, in units of ``1 / FEATURE_UNITS``, shape (n, r + q).

    Formal guarantees:
        * whatever the kernel does, the norm of each vector is at most ``FEATURE_RADIUS``, in exact
          integers
        * each vector is a function of its own row and target, bit for bit
    """
    phi = row_features(chunk.scores.astype(np.int64), features)
    vectors = np.concatenate([phi, chunk.targets], axis=1)
    vectors[np.isnan(vectors)] = 0
    np.clip(vectors, -1, 1, out=vectors)
    vectors *= FEATURE_UNITS
    return clip_norm(vectors.astype(np.int64), FEATURE_RADIUS)
