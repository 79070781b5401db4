"""Symmetric matrices as upper triangles, which halves the memory of thousands of columns."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar('Number', bound=np.generic)


def pack(matrices: NDArray[Number]) -> NDArray[Number]:
    """Return the upper triangles of matrices, (..., m, m) to (..., m (m + 1) / 2), row by row."""
    return matrices[..., mask(matrices.shape[-1])]


def unpack(triangles: NDArray[Number]) -> NDArray[Number]:
    """Return the symmetric matrices of upper triangles: the inverse of :func:`pack`."""
    width = width_of(triangles)
    upper = mask(width)
    matrices = np.empty((*triangles.shape[:-1], width, width), dtype=triangles.dtype)
    matrices[..., upper] = triangles
    matrices.swapaxes(-1, -2)[..., upper] = triangles
    return matrices


def mask(height: int, width: int | None = None) -> NDArray[np.bool_]:
    """Return which entries of a matrix lie on or above its diagonal, shape (height, width)."""
    return ~np.tri(height, width, -1, dtype=np.bool_)


def width_of(triangles: NDArray[Any]) -> int:
    """Return the width ``m`` of the matrices of these upper triangles."""
    return (math.isqrt(8 * triangles.shape[-1] + 1) - 1) // 2


def diagonal(width: int) -> NDArray[np.int64]:
    """Return the places of the diagonal in the upper triangle of a matrix, shape (m,)."""
    rows = np.arange(width)
    return rows * width - rows * (rows - 1) // 2
