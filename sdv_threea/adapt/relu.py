"""The default kernel: the neural tangent kernel of a ReLU network of infinite width.

One formula for two engines: it stays in NumPy on NumPy's arrays, which needs no compiler, and in
JAX on JAX's, which can be differentiated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, final

import numpy as np

#: An array of NumPy or of JAX.
Array = Any

#: ``(first (a, m), second (b, m)) -> (a, b)``.
Kernel = Callable[[Array, Array], Array]

#: Square roots are taken of no less: the slope is infinite at zero.
TINY = 1e-36


@final
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

    def __call__(self, first: Array, second: Array) -> Array:
        """Evaluate the kernel between every point of ``first`` and every point of ``second``.

        Args:
            first: Points, shape (a, m).
            second: Points, shape (b, m).

        Returns:
            Kernel values, shape (a, b).
        """
        width = first.shape[1]
        return self.of_layer(
            self.first_layer(first @ second.T, width),
            self.first_layer((first**2).sum(axis=1), width)[:, None],
            self.first_layer((second**2).sum(axis=1), width)[None, :],
        )

    def first_layer(self, inner: Array, width: int) -> Array:
        """Turn inner products of points of that width into covariances of the first layer."""
        return 2 * inner / width + self.bias_std**2

    def of_layer(self, covariance: Array, variance_1: Array, variance_2: Array) -> Array:
        """Carry the covariances of the first layer through the hidden ones: one value by itself.

        Args:
            covariance: Covariances of pairs of points in the first layer, of any shape.
            variance_1: Variances of the one point, of a shape that broadcasts.
            variance_2: Variances of the other.

        Returns:
            Kernel values of the pairs.
        """
        xp, bias = _namespace(covariance), self.bias_std**2
        ntk = covariance
        for _ in range(self.depth):
            # arccos(k / sqrt(n1 n2)) has an infinite slope, hence NaN gradients, at k(x, x).
            root = xp.sqrt(xp.maximum(variance_1 * variance_2 - covariance**2, TINY))
            active = 1 - xp.arctan2(root, covariance) * (1 / math.pi)
            covariance = root * (1 / math.pi) + active * covariance + bias
            variance_1, variance_2 = variance_1 + bias, variance_2 + bias
            ntk = covariance + active * ntk
        return ntk


def _namespace(array: Array) -> ModuleType:
    if isinstance(array, np.ndarray):
        return np
    import jax.numpy

    return jax.numpy
