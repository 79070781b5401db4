"""The kernel: what an infinitely wide network, trained by gradient descent, would compute.

A kernel is a function of two sets of points, ``(a, m)`` and ``(b, m)`` to ``(a, b)``, written in
JAX. The default is the closed form for a fully connected ReLU network; :func:`as_kernel` also takes
any kernel function of ``neural_tangents.stax``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

try:
    from jax import enable_x64
except ImportError:  # where older JAX keeps it
    from jax.experimental import enable_x64  # type: ignore[attr-defined, no-redef]

Kernel = Callable[[jax.Array, jax.Array], jax.Array]

#: ``with float64():`` computes in double precision, and leaves the user's JAX settings alone.
float64 = partial(enable_x64, True)

#: Largest difference, relative to the largest entry, at which a kernel still counts as symmetric.
SYMMETRY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ReluNtk:
    """The neural tangent kernel of a fully connected ReLU network of infinite width.

    Equals ``neural_tangents.stax.serial(Dense, Relu, ..., Dense)`` in ``'ntk'`` mode with weights
    of standard deviation ``sqrt(2)`` (He et al. 2015). Jacot, Gabriel, Hongler 2018, arXiv
    1806.07572; the arc-cosine formulas are those of Cho and Saul 2009.

    Args:
        depth: Number of hidden layers, at least 0.
        bias_std: Standard deviation of the biases, above 0: it keeps every gradient finite.

    Raises:
        ValueError: If a field is out of range.
    """

    depth: int = 2
    bias_std: float = 0.1

    def __post_init__(self) -> None:
        if self.depth < 0 or not self.bias_std > 0:
            raise ValueError(f'Expected depth >= 0 and bias_std > 0, got {self}.')

    def __call__(self, first: jax.Array, second: jax.Array) -> jax.Array:
        """Evaluate the kernel between every point of ``first`` and every point of ``second``.

        Args:
            first: Points, shape (a, m).
            second: Points, shape (b, m).

        Returns:
            Kernel values, shape (a, b).
        """
        bias = self.bias_std**2
        covariance = 2 * first @ second.T / first.shape[1] + bias
        variance_1 = 2 * jnp.mean(first**2, axis=1)[:, None] + bias
        variance_2 = 2 * jnp.mean(second**2, axis=1)[None, :] + bias
        ntk = covariance
        for _ in range(self.depth):
            # arccos(k / sqrt(n1 n2)) has an infinite slope, hence NaN gradients, at k(x, x).
            root = _safe_sqrt(variance_1 * variance_2 - covariance**2)
            active = (jnp.pi - jnp.arctan2(root, covariance)) / jnp.pi
            covariance = root / jnp.pi + active * covariance + bias
            variance_1, variance_2 = variance_1 + bias, variance_2 + bias
            ntk = covariance + active * ntk
        return ntk


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
        kernel: ``None`` for :class:`ReluNtk`, a kernel function of ``neural_tangents.stax``, or any
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
    with float64():
        problem = _problem(chosen, jnp.asarray(points))
    if problem:
        raise ValueError(
            'Expected kernel(first (a, m), second (b, m)) -> (a, b), written with jax.numpy: '
            f'finite, symmetric, positive at k(x, x), differentiable. This one {problem}. '
            'Try kernel=None, or the kernel_fn of neural_tangents.stax.serial(...).'
        )
    return chosen


def _safe_sqrt(value: jax.Array) -> jax.Array:
    positive = value > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, value, 1)), 0)


def _takes_mode(kernel: Callable[..., jax.Array]) -> bool:
    try:
        return 'get' in inspect.signature(kernel).parameters
    except ValueError:
        return False


def _problem(kernel: Kernel, points: jax.Array) -> str:
    try:
        hash(kernel)
        values = np.asarray(kernel(points, points))
        slope = np.asarray(jax.grad(lambda one: jnp.sum(kernel(one, points[1:])))(points[:1]))
    except Exception as error:  # a user's function may raise anything
        return f'failed with {type(error).__name__}'
    return _flaw(values, slope)


def _flaw(values: np.ndarray, slope: np.ndarray) -> str:
    if values.shape != (2, 2):
        return f'answers 2 and 2 points with shape {values.shape}'
    if not (np.isfinite(values).all() and np.isfinite(slope).all()):
        return 'is not finite, or its gradient is not'
    if np.abs(values - values.T).max() > SYMMETRY_TOLERANCE * np.abs(values).max():
        return 'is not symmetric'
    return '' if np.diag(values).min() > 0 else 'is not positive at k(x, x)'
