"""Kernels of users, in JAX: checked on public points, and evaluated row by row.

A kernel maps points (a, m) and (b, m) to values (a, b). Kernel functions of
``neural_tangents.stax`` give their neural tangent kernel.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np

from sdv_threea.adapt.ntk import Kernel, ReluNtk
from sdv_threea.arrays import Floats

try:
    from jax import enable_x64
except ImportError:  # its place in older JAX
    from jax.experimental import enable_x64  # type: ignore[attr-defined, no-redef]

#: ``with float64():`` computes in double precision without changing the user's JAX settings.
float64 = partial(enable_x64, True)

#: Largest relative difference of ``k(x, z)`` and ``k(z, x)`` of a symmetric kernel.
SYMMETRY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class UserKernel:
    """A kernel written in JAX, of a kind that :func:`as_kernel` takes."""

    function: Callable[..., Any]

    def __call__(self, first: Floats, second: Floats) -> Floats:
        """Evaluate the kernel."""
        with float64():
            return np.asarray(_evaluate(self.function, first, second))

    def of_rows(self, landmarks: Floats, rows: Floats) -> Floats:
        """Evaluate the kernel for one row at a time, so that batch size cannot change rounding."""
        with float64():
            return np.asarray(_map_rows(self.function, landmarks, rows)).T


def as_kernel(kernel: Callable[..., Any], num_columns: int = 3) -> Kernel:
    """Return a user's function as a kernel, after a trial on public points of ``num_columns``.

    Raises:
        ValueError: If the result has a wrong shape or is not finite, symmetric and positive.
    """
    if isinstance(kernel, ReluNtk):
        return kernel
    chosen = UserKernel(kernel)
    if problem := _find_problem(chosen, num_columns):
        raise ValueError(
            'Expected kernel(first (a, m), second (b, m)) -> (a, b), written with jax.numpy: '
            f'finite, symmetric, positive at k(x, x). This one {problem}. '
            'Try kernel=None, or the kernel_fn of neural_tangents.stax.serial(...).'
        )
    return chosen


def _ask(function: Callable[..., Any], first: jax.Array, second: jax.Array) -> Any:
    """Call a user's kernel; one of neural-tangents is asked for its neural tangent kernel."""
    try:
        takes_mode = 'get' in inspect.signature(function).parameters
    except ValueError:
        takes_mode = False
    return function(first, second, 'ntk') if takes_mode else function(first, second)


_evaluate = jax.jit(_ask, static_argnums=0)


@partial(jax.jit, static_argnums=0)
def _map_rows(function: Callable[..., Any], landmarks: jax.Array, rows: jax.Array) -> Any:
    return jax.lax.map(lambda row: _ask(function, row[None], landmarks)[0], rows)


def _find_problem(kernel: UserKernel, num_columns: int) -> str:
    points = np.linspace(-1.0, 1.5, 2 * num_columns).reshape(2, num_columns)
    try:
        values = kernel(points, points)
    except Exception as error:  # a user's function may raise anything
        return f'failed with {type(error).__name__}'
    if values.shape != (2, 2):
        return f'answers 2 and 2 points with shape {values.shape}'
    if not np.isfinite(values).all():
        return 'is not finite'
    if np.abs(values - values.T).max() > SYMMETRY_TOLERANCE * np.abs(values).max():
        return 'is not symmetric'
    return '' if np.diag(values).min() > 0 else 'is not positive at k(x, x)'
