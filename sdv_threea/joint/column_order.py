"""Choose the order of the columns in a chain: post-processing."""

from collections.abc import Mapping, Sequence

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.joint.pair_bins import Pair


def choose_order(
    information: Floats, first: Sequence[int], neighbours: Mapping[int, Sequence[int]]
) -> list[int]:
    """Return the columns in order: the given ones, then always the column that these predict best.

    Trees of functional dependencies are walked from neighbour to neighbour, so that each of their
    columns depends on one other. Columns on the path between given ones come with them.
    ``information`` is the mutual information, shape (m, m); ``neighbours`` form a forest.
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
                # In a tree with ordered columns, neighbours of these come next, and other columns
                # wait.
                near = not set(order).isdisjoint(neighbours.get(column, ()))
                told[column] = told[column] + 1e6 if near else -np.inf
        told[order] = -np.inf
        order.append(int(told.argmax()))
    return order


def list_neighbours(functions: Mapping[Pair, object] | Sequence[Pair]) -> dict[int, list[int]]:
    """Return, for each column, the columns that it forms a pair with."""
    found: dict[int, list[int]] = {}
    for i, j in functions:
        found.setdefault(i, []).append(j)
        found.setdefault(j, []).append(i)
    return found


def _find_tree(column: int, neighbours: Mapping[int, Sequence[int]]) -> set[int]:
    """Return all columns that are connected to a column, without the column itself."""
    tree, new = {column}, [column]
    while new:
        new = [near for at in new for near in neighbours.get(at, ()) if near not in tree]
        tree |= set(new)
    return tree - {column}


def _find_way(
    column: int, order: Sequence[int], neighbours: Mapping[int, Sequence[int]]
) -> list[int]:
    """Return the path to a column from the nearest ordered one, which is left out."""
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


def grow_forest(pairs: Sequence[Pair], num_given: int = 0) -> tuple[Pair, ...]:
    """Keep the pairs that close no cycle with earlier ones or given columns (Kruskal 1956)."""
    trees = dict.fromkeys(range(num_given), frozenset(range(num_given)))
    kept = []
    for i, j in pairs:
        one, other = (trees.get(at, frozenset([at])) for at in (i, j))
        if one is not other and one != other:
            kept.append((i, j))
            trees |= dict.fromkeys(one | other, one | other)
    return tuple(kept)
