"""Finite features of a kernel, made of public numbers: ``k(x, s)`` becomes ``phi(x) . phi(s)``.

Without JAX until a feature is computed with it: processes that only sum over rows need none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.relu import Array, Kernel


@dataclass(frozen=True, kw_only=True)
class KernelFeatures:
    """Nystrom features of a kernel: ``phi(x) = k(x, Z) A``, scaled and clipped to the unit ball.

    Made of public or released numbers only. Williams and Seeger 2001. Features can be pickled if
    their kernel can.

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

    def of_row(self, row: Array) -> Array:
        """Compute the features of one point, shape (m,) to (r,), of norm at most one, in JAX."""
        import jax.numpy as jnp

        raw = self.kernel(row[None], jnp.asarray(self.landmarks))[0] @ self.projection
        return raw / jnp.sqrt(jnp.maximum(self.scale**2, jnp.sum(raw**2)))

    def __call__(self, points: Array) -> Array:
        """Compute the features of points, shape (k, m) to (k, r), differentiably, in JAX."""
        import jax

        return jax.vmap(self.of_row)(points)
