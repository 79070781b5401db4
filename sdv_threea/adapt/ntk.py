"""The neural tangent kernel of an infinitely wide ReLU network, and the interface of all kernels.

The network has ``h`` hidden layers. Weights have the standard deviation ``sqrt(2)`` over the root
of the number of inputs (He et al. 2015), biases have ``b``. For points ``x`` and ``z`` in ``R^m``,
``S_l(x, z)`` is the covariance of a layer-``l`` neuron's inputs at these points::

    S_0     = 2 x.z / m + b^2
    r_l     = sqrt(S_l(x, x) S_l(z, z) - S_l(x, z)^2)
    a_l     = 1 - arctan2(r_l, S_l(x, z)) / pi     twice the probability that both are active
    S_(l+1) = r_l / pi + a_l S_l + b^2             so S_(l+1)(x, x) = S_l(x, x) + b^2
    T_0     = S_0
    T_(l+1) = S_(l+1) + a_l T_l                    and T_h is the neural tangent kernel

``T`` is the recursion of Jacot, Gabriel, Hongler 2018 (arXiv 1806.07572, theorem 1); ``a_l`` and
``r_l / pi + a_l S_l`` are arc-cosine kernels of order 0 and 1 (Cho and Saul 2009, section 2).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Floats

#: An array of single or double precision.
Reals = NDArray[np.floating[Any]]

#: Floor under square roots, whose derivative is infinite at zero.
TINY = 1e-36


class Kernel(Protocol):
    """The interface of a kernel: NumPy arrays in and out."""

    def __call__(self, first: Floats, second: Floats) -> Floats:
        """Evaluate the kernel between public points, shapes (a, m) and (b, m) to (a, b)."""

    def of_rows(self, landmarks: Floats, rows: Floats) -> Reals:
        """Evaluate the kernel at landmarks, (P, m), and private rows, (b, m): shape (P, b).

        Formal guarantees: if all inner products of landmarks and rows are exact, the values of a
        row depend on that row alone, bit for bit, in all calls of the same shapes.
        """


@final
@dataclass(frozen=True)
class ReluNtk:
    """The neural tangent kernel of a fully connected ReLU network of infinite width.

    Equals ``neural_tangents.stax.serial(Dense, Relu, ..., Dense)`` in ``'ntk'`` mode, with
    ``depth`` hidden layers and biases of deviation ``bias_std``, positive for finite gradients.
    After inner products all operations are elementwise, so rows cannot mix.
    """

    depth: int = 1
    bias_std: float = 1.0

    def __call__(self, first: Floats, second: Floats) -> Floats:
        """Evaluate the kernel in double precision."""
        return np.asarray(self._evaluate(*self._first_layer(first, second)))

    def of_rows(self, landmarks: Floats, rows: Floats) -> Reals:
        """Evaluate the kernel in single precision, which takes half the time."""
        inputs = self._first_layer(landmarks, rows)
        return self._evaluate(*(each.astype(np.float32) for each in inputs))

    def _first_layer(self, first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ``S_0(x, z)``, ``S_0(x, x)`` and ``S_0(z, z)``: (a, b), (a, 1) and (1, b)."""
        squares = np.square(first).sum(axis=1)[:, None], np.square(second).sum(axis=1)[None, :]
        inner = first @ second.T
        for each in (inner, *squares):
            each *= 2
            each /= first.shape[1]
            each += self.bias_std**2
        return inner, *squares

    def _evaluate(self, covariance: Reals, variance_1: Reals, variance_2: Reals) -> Reals:
        """Return ``T_h`` given ``S_0``; arrays are updated in place."""
        bias, ntk = self.bias_std**2, covariance.copy()
        root, active = np.empty_like(covariance), np.empty_like(covariance)
        for _ in range(self.depth):
            np.multiply(variance_1, variance_2, out=root)
            root -= np.square(covariance, out=active)
            np.sqrt(np.maximum(root, TINY, out=root), out=root)
            np.arctan2(root, covariance, out=active)
            active *= -1 / math.pi
            active += 1
            covariance *= active
            covariance += np.multiply(root, 1 / math.pi, out=root)
            covariance += bias
            ntk *= active
            ntk += covariance
            variance_1, variance_2 = variance_1 + bias, variance_2 + bias
        return ntk


def make_kernel(kernel: Callable[..., Any] | None, num_columns: int) -> Kernel:
    """Return the user's kernel for ``num_columns`` columns, by default that of a ReLU network."""
    if kernel is None:
        return ReluNtk()
    from sdv_threea.adapt.kernels import as_kernel  # loads JAX

    return as_kernel(kernel, num_columns)
