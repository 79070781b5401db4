"""The Haar transform of a sequence: means of neighbours, and how far the neighbours differ.

Neighbours are joined in pairs, the joined ones in pairs again, until one node is left. Each level
has the details that joining lost. What a node and a detail are is up to the caller: an orthonormal
transform joins ``a`` and ``b`` to ``(a + b) / sqrt(2)``, one of unequal masses joins them to their
sum and keeps how the sum is divided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.float64]
Detail = TypeVar('Detail')


def transform(
    leaves: Nodes, join: Callable[[Nodes, Nodes], tuple[Nodes, Detail]]
) -> tuple[Nodes, list[Detail]]:
    """Join neighbours level by level, until one node is left.

    Args:
        leaves: The sequence, shape (..., S). It is filled up with zeros to a power of two.
        join: Takes the left and the right neighbours of a level, each of shape (..., K), and
            returns the nodes above them, of the same shape, and the detail of the level.

    Returns:
        The last node, shape (..., 1), and the details of the levels, finest first.
    """
    length = leaves.shape[-1]
    nodes = np.zeros((*leaves.shape[:-1], 1 << max(length - 1, 0).bit_length()))
    nodes[..., :length] = leaves
    details = []
    while nodes.shape[-1] > 1:
        nodes, detail = join(nodes[..., 0::2], nodes[..., 1::2])
        details.append(detail)
    return nodes, details


def invert(
    root: Nodes,
    details: list[Detail],
    part: Callable[[Nodes, Detail], tuple[Nodes, Nodes]],
    length: int,
) -> Nodes:
    """Part nodes level by level: the inverse of :func:`transform`.

    Args:
        root: The last node, shape (1,).
        details: The details of the levels, finest first.
        part: Takes the nodes of a level, shape (K,), and its detail, and returns the left and the
            right nodes below them.
        length: How many leaves are wanted; the others are what filled them up.

    Returns:
        The leaves, shape (length,).
    """
    nodes = root
    for detail in reversed(details):
        nodes = np.stack(part(nodes, detail), axis=1).ravel()
    return nodes[:length]
