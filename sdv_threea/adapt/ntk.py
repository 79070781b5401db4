"""Kernels that users bring: tried on public points, and called so that rows cannot meet.

A kernel is a function of two sets of points, ``(a, m)`` and ``(b, m)`` to ``(a, b)``, written in
JAX: what an infinitely wide network, trained by gradient descent, would compute. The default is
:class:`~sdv_threea.adapt.relu.ReluNtk`; :func:`as_kernel` also takes any kernel function of
``neural_tangents.stax``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.engine import float64, quick_jit
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.relu import Kernel, ReluNtk

#: Largest difference, relative to the largest entry, at which a kernel still counts as symmetric.
SYMMETRY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class StaxNtk:
    """A kernel function of ``neural_tangents.stax``, in ``'ntk'`` mode.

    Args:
        kernel_fn: Called as ``kernel_fn(first, second, 'ntk')``.
    """

    kernel_fn: Callable[..., jax.Array]

    def __call__(self, first: jax.Array, second: jax.Array) -> jax.Array:
        """Evaluate the kernel, shapes (a, m) and (b, m) to (a, b)."""
        return self.kernel_fn(first, second, 'ntk')


def as_kernel(kernel: Callable[..., jax.Array] | None = None, num_columns: int = 3) -> Kernel:
    """Make a kernel of what the user gave, and try it on public points.

    Args:
        kernel: ``None`` for the default, a kernel function of ``neural_tangents.stax``, or any
            function ``(first (a, m), second (b, m)) -> (a, b)`` written with ``jax.numpy``.
        num_columns: The ``m`` to try it with.

    Returns:
        A kernel.

    Raises:
        ValueError: If its answer has the wrong shape, is not finite, not symmetric, not positive on
            the diagonal, or cannot be differentiated.
    """
    if kernel is None:
        return ReluNtk()
    chosen: Kernel = StaxNtk(kernel) if _takes_mode(kernel) else kernel
    points = np.linspace(-1.0, 1.5, 2 * num_columns).reshape(2, num_columns)
    problem = _problem(chosen, points)
    if problem:
        raise ValueError(
            'Expected kernel(first (a, m), second (b, m)) -> (a, b), written with jax.numpy: '
            f'finite, symmetric, positive at k(x, x), differentiable. This one {problem}. '
            'Try kernel=None, or the kernel_fn of neural_tangents.stax.serial(...).'
        )
    return chosen


def kernel_matrix(kernel: Kernel, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate a kernel between public points, shape (P, m) to (P, P)."""
    if isinstance(kernel, ReluNtk):
        return np.asarray(kernel(points, points))
    with float64():
        return np.asarray(_matrix(kernel, points))


def row_by_row(features: KernelFeatures, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute features of rows, one after the other, whatever their kernel is.

    Formal guarantees:
        * the kernel is shown one row at a time: the features of a row are a function of that row,
          computed by the same program whatever the other rows are, if ``b`` is always the same

    Args:
        features: The feature map.
        rows: Normal scores, shape (b, m).

    Returns:
        Features, shape (b, r).
    """
    with float64():
        return np.asarray(_map_rows(features, rows))


@partial(quick_jit, static_argnums=(0,))
def _matrix(kernel: Kernel, points: jax.Array) -> jax.Array:
    return cast(jax.Array, kernel(points, points))


@jax.jit
def _map_rows(features: KernelFeatures, rows: jax.Array) -> jax.Array:
    return cast(jax.Array, jax.lax.map(features.of_row, rows))


@partial(quick_jit, static_argnums=(0,))
def _try(kernel: Kernel, points: jax.Array) -> tuple[jax.Array, jax.Array]:
    slope = jax.grad(lambda one: jnp.sum(kernel(one, points[1:])))
    return kernel(points, points), slope(points[:1])


def _takes_mode(kernel: Callable[..., jax.Array]) -> bool:
    try:
        return 'get' in inspect.signature(kernel).parameters
    except ValueError:
        return False


def _problem(kernel: Kernel, points: NDArray[np.float64]) -> str:
    try:
        with float64():
            values, slope = _try(kernel, points)
        return _flaw(np.asarray(values), np.asarray(slope))
    except Exception as error:  # a user's function may raise anything
        return f'failed with {type(error).__name__}'


def _flaw(values: np.ndarray, slope: np.ndarray) -> str:
    if values.shape != (2, 2):
        return f'answers 2 and 2 points with shape {values.shape}'
    if not (np.isfinite(values).all() and np.isfinite(slope).all()):
        return 'is not finite, or its gradient is not'
    if np.abs(values - values.T).max() > SYMMETRY_TOLERANCE * np.abs(values).max():
        return 'is not symmetric'
    return '' if np.diag(values).min() > 0 else 'is not positive at k(x, x)'
