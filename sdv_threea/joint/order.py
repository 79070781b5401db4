"""The order in which a chain takes the columns. It is post-processing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


def choose_order(
    information: NDArray[np.float64],
    first: Sequence[int],
    neighbours: Mapping[int, Sequence[int]],
) -> list[int]:
    """Order the columns: after the given ones, always that which those before it tell most of.

    A tree of functions is walked from neighbour to neighbour, so that each of its columns follows
    from one other. So columns on the way between given ones come with them.

    Args:
        information: Mutual information of all pairs of columns, symmetric, shape (m, m).
        first: The columns that come first, in order.
        neighbours: For columns that make pairs with others code by code, which: a forest.
    """
    order: list[int] = []
    for column in first or [int(information.sum(axis=1).argmax())]:
        if column not in order:
            order += _find_way(column, order, neighbours)
    trees = {column: _find_tree(column, neighbours) for column in range(len(information))}
    while len(order) < len(information):
        told = information[order].sum(axis=0)
        for column, tree in trees.items():
            if not tree.isdisjoint(order):
                # Of trees that are begun the next ones come at once, and the others wait.
                near = not set(order).isdisjoint(neighbours.get(column, ()))
                told[column] = told[column] + 1e6 if near else -np.inf
        told[order] = -np.inf
        order.append(int(told.argmax()))
    return order


def _find_tree(column: int, neighbours: Mapping[int, Sequence[int]]) -> set[int]:
    """Find all columns that are tied to a column, without itself."""
    tree, new = {column}, [column]
    while new:
        new = [near for at in new for near in neighbours.get(at, ()) if near not in tree]
        tree |= set(new)
    return tree - {column}


def _find_way(
    column: int, order: Sequence[int], neighbours: Mapping[int, Sequence[int]]
) -> list[int]:
    """Find the columns from the nearest of those in the order to a column, itself the last."""
    ways = [[column]]
    seen = {column}
    while ways:
        way = ways.pop(0)
        for near in neighbours.get(way[0], ()):
            if near in order:
                return way
            if near not in seen:
                seen.add(near)
                ways.append([near, *way])
    return [column]
