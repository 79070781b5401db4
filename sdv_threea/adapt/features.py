"""Finite features of a kernel, made of public numbers: ``k(x, s)`` becomes ``phi(x) . phi(s)``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.ntk import Kernel, float64

#: Directions of the landmarks' kernel matrix below this share of the largest carry only rounding.
SPECTRUM_FLOOR = 1e-10

#: Share of the landmarks whose features stay below norm one without being clipped.
UNCLIPPED_SHARE = 0.9


@partial(
    jax.tree_util.register_dataclass,
    data_fields=('landmarks', 'projection', 'scale'),
    meta_fields=('kernel',),
)
@dataclass(frozen=True, kw_only=True)
class KernelFeatures:
    """Nystrom features of a kernel: ``phi(x) = k(x, Z) A``, scaled and clipped to the unit ball.

    Made of public or released numbers only. Williams and Seeger 2001.

    Args:
        kernel: The kernel.
        landmarks: Public points ``Z``, shape (P, m).
        projection: ``A``, shape (P, r).
        scale: Norm of ``k(x, Z) A`` above which a feature vector is clipped.
    """

    kernel: Kernel
    landmarks: NDArray[np.float64]
    projection: NDArray[np.float64]
    scale: float

    def of_row(self, row: jax.Array) -> jax.Array:
        """Compute the features of one point, shape (m,) to (r,), of norm at most one."""
        raw = self.kernel(row[None], jnp.asarray(self.landmarks))[0] @ self.projection
        return raw / jnp.sqrt(jnp.maximum(self.scale**2, jnp.sum(raw**2)))

    def __call__(self, points: jax.Array) -> jax.Array:
        """Compute the features of points, shape (k, m) to (k, r), differentiably."""
        return jax.vmap(self.of_row)(points)


def kernel_features(
    landmarks: NDArray[np.float64], kernel: Kernel, rank: int = 32
) -> KernelFeatures:
    """Make features that span the leading directions of the kernel between public points.

    The better the landmarks resemble the rows, the fewer directions are needed: draw them from what
    is already released, or from a standard normal.

    Args:
        landmarks: Public points, shape (P, m).
        kernel: The kernel.
        rank: Number of features, at most; the noise of the release grows with it.

    Returns:
        Features with ``r <= min(rank, P)``. With ``r = P`` they give the kernel exactly between a
        landmark and any point, up to the scale and the clipping.
    """
    with float64():
        matrix = np.asarray(kernel(jnp.asarray(landmarks), jnp.asarray(landmarks)))
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = np.flatnonzero(values > SPECTRUM_FLOOR * values[-1])[::-1][:rank]
    projection = vectors[:, kept] / np.sqrt(values[kept])
    norms = np.linalg.norm(matrix @ projection, axis=1)
    scale = float(np.quantile(norms, UNCLIPPED_SHARE))
    return KernelFeatures(kernel=kernel, landmarks=landmarks, projection=projection, scale=scale)
