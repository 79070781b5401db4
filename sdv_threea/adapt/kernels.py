"""Kernels that users bring: tried on public points, and called so that rows cannot meet.

A kernel of a user is a function of two sets of points, ``(a, m)`` and ``(b, m)`` to ``(a, b)``,
written in JAX; or a kernel function of ``neural_tangents.stax``, which is asked for its neural
tangent kernel. JAX is met here and nowhere else, so only who brings a kernel loads it. It computes
in double precision and on its default device.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.ntk import Kernel, Points, ReluNtk

try:
    from jax import enable_x64
except ImportError:  # where older JAX keeps it
    from jax.experimental import enable_x64  # type: ignore[attr-defined, no-redef]

#: ``with float64():`` computes in double precision, and leaves the user's JAX settings alone.
float64 = partial(enable_x64, True)

#: Largest difference, relative to the largest entry, at which a kernel still counts as symmetric.
SYMMETRY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class UserKernel:
    """A kernel that is written in JAX.

    Args:
        function: ``(first (a, m), second (b, m)) -> (a, b)``, or a function of that kind with an
            argument ``get``, which is asked for ``'ntk'``.
    """

    function: Callable[..., Any]

    def __call__(self, first: Points, second: Points) -> NDArray[np.float64]:
        """Evaluate the kernel."""
        with float64():
            return np.asarray(_evaluate(self.function, first, second))

    def of_rows(self, landmarks: Points, rows: Points) -> NDArray[np.float64]:
        """Evaluate the kernel for one row at a time, each by the same program: rows cannot meet.

        Batched arithmetic would round a row differently in batches of other sizes.
        """
        with float64():
            return np.asarray(_map_rows(self.function, landmarks, rows)).T


def as_kernel(kernel: Callable[..., Any], num_columns: int = 3) -> Kernel:
    """Make a kernel of what the user gave, and try it on public points.

    Args:
        kernel: A kernel function of ``neural_tangents.stax``, or any function
            ``(first (a, m), second (b, m)) -> (a, b)`` that is written with ``jax.numpy``.
        num_columns: The ``m`` to try it with.

    Returns:
        A kernel.

    Raises:
        ValueError: If its answer has the wrong shape, is not finite, not symmetric, or not positive
            on the diagonal.
    """
    if isinstance(kernel, ReluNtk):
        return kernel
    chosen = UserKernel(kernel)
    problem = _find_problem(chosen, num_columns)
    if problem:
        raise ValueError(
            'Expected kernel(first (a, m), second (b, m)) -> (a, b), written with jax.numpy: '
            f'finite, symmetric, positive at k(x, x). This one {problem}. '
            'Try kernel=None, or the kernel_fn of neural_tangents.stax.serial(...).'
        )
    return chosen


def _ask(function: Callable[..., Any], first: jax.Array, second: jax.Array) -> Any:
    """Call a kernel of the user as it wants to be called."""
    return function(first, second, 'ntk') if _takes_mode(function) else function(first, second)


_evaluate = jax.jit(_ask, static_argnums=0)


@partial(jax.jit, static_argnums=0)
def _map_rows(function: Callable[..., Any], landmarks: jax.Array, rows: jax.Array) -> Any:
    return jax.lax.map(lambda row: _ask(function, row[None], landmarks)[0], rows)


def _takes_mode(function: Callable[..., Any]) -> bool:
    try:
        return 'get' in inspect.signature(function).parameters
    except ValueError:
        return False


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
