r"""A distribution over the bins of all columns that has the given tables of pairs.

Columns come one after the other, and each is log-linear in those before it:

    ``p(x_j | x_1, ..., x_j-1) ~ q_j(x_j) exp(sum_i theta_ij[x_i, x_j])``

The sum runs over the columns before ``j`` of which there is a table with it. The weights ``theta``
are fitted by iterative proportional fitting (Deming and Stephan 1940) on *particles*: records drawn
from the conditionals fitted so far. So the tables may be as dense as they like: there is no graph
to triangulate, and no normalising constant but that of a single column. Records are drawn column by
column, given any values of the columns that come first.

All of it is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants

#: Fractional parts of multiples of the golden ratio fill the unit interval evenly.
GOLDEN = (5**0.5 - 1) / 2

#: Weights grow by at most this factor in a round.
LARGEST_STEP = 1e6

#: Fitting ends when no table is off by more than this, in total variation.
CLOSE = 1e-3

#: Rows are sorted by this many columns before they are drawn evenly.
SORTED_BY = 3

#: Rows that are drawn at once.
BLOCK = 2**15


@dataclass(frozen=True)
class Link:
    """A column given those before it.

    Args:
        column: The column ``j``.
        logs: Logarithm of its own distribution, shape (G_j,).
        parents: The columns before it that it depends on, the most telling first.
        weights: The weights ``theta``, by parent, of shape (G_i, G_j).
    """

    column: int
    logs: NDArray[np.float64]
    parents: tuple[int, ...]
    weights: tuple[NDArray[np.float64], ...]

    def chances(self, bins: NDArray[np.int64]) -> NDArray[np.float64]:
        """Compute the chances of the column's bins given those of others, up to a factor, (n, G).

        Args:
            bins: The bins of records, shape (n, m); those of the parents are read.
        """
        logs = np.tile(self.logs, (len(bins), 1))
        for parent, weights in zip(self.parents, self.weights, strict=True):
            logs += weights[bins[:, parent]]
        logs -= logs.max(axis=1, keepdims=True)
        return np.asarray(np.exp(logs))


@dataclass(frozen=True)
class Chain:
    """Columns, each given those before it: publishable.

    Args:
        links: The columns in order.
    """

    links: tuple[Link, ...]

    def draw(
        self,
        num_rows: int,
        rng: np.random.Generator,
        known: Mapping[int, NDArray[np.int64]] | None = None,
    ) -> NDArray[np.int64]:
        """Draw records.

        Args:
            num_rows: How many.
            rng: Source of randomness; it needs no secrecy.
            known: The bins of columns that are given, each of shape (num_rows,). They come before
                all others in the chain.

        Returns:
            Bins, shape (num_rows, m).
        """
        known = known or {}
        bins = np.empty((num_rows, len(self.links)), dtype=np.int64, order='F')
        for start in range(0, num_rows, BLOCK):
            block = bins[start : start + BLOCK]
            for link in self.links:
                given = known.get(link.column)
                if given is not None:
                    block[:, link.column] = given[start : start + BLOCK]
                else:
                    chances = link.chances(block)
                    block[:, link.column] = _draw_evenly(chances, block, link.parents, rng)
        return bins


def fit_chain(
    margins: Sequence[NDArray[np.float64]],
    tables: Mapping[Pair, NDArray[np.float64]],
    order: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
) -> Chain:
    """Fit a chain to the distributions of columns and of pairs.

    Args:
        margins: Of each column, at least zero, shape (G,).
        tables: Probabilities of pairs, shape (G_i, G_j).
        order: The columns in the order of the chain.
        constants: The constants of the room.
        rng: Source of randomness; it needs no secrecy.

    Returns:
        The chain.
    """
    place = {column: at for at, column in enumerate(order)}
    given: dict[int, list[tuple[int, NDArray[np.float64]]]] = {column: [] for column in order}
    for (i, j), table in tables.items():  # the most telling first
        if place[i] < place[j]:
            given[j].append((i, table))
        else:
            given[i].append((j, table.T))
    particles = np.zeros((constants.particles, len(order)), dtype=np.int64, order='F')
    links = []
    for column in order:
        own = np.maximum(margins[column], 1e-12)
        own = own / own.sum()
        weights, chances = _fit_link(own, given[column], particles, constants.rounds)
        parents = tuple(parent for parent, _ in given[column])
        links.append(Link(column, np.log(own), parents, tuple(weights)))
        particles[:, column] = _draw_evenly(chances.T, particles, parents, rng)
    return Chain(tuple(links))


def choose_order(information: NDArray[np.float64], first: Sequence[int]) -> list[int]:
    """Order the columns: after the given ones, always that which those before it tell most of.

    Args:
        information: Mutual information of all pairs of columns, symmetric, shape (m, m).
        first: The columns that come first, in order.
    """
    order = list(first) or [int(information.sum(axis=1).argmax())]
    while len(order) < len(information):
        told = information[order].sum(axis=0)
        told[order] = -np.inf
        order.append(int(told.argmax()))
    return order


def _fit_link(
    own: NDArray[np.float64],
    given: Sequence[tuple[int, NDArray[np.float64]]],
    particles: NDArray[np.int64],
    rounds: int,
) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]]:
    """Fit the weights of one column; return them, and its chances for each particle, (G, P)."""
    num_particles = len(particles)
    chances = np.tile(own.astype(np.float32)[:, None], (1, num_particles))
    grown = np.empty_like(chances)
    weights = [np.zeros(table.shape) for _, table in given]
    wanted = [_expect(particles[:, parent], table, own) for parent, table in given]
    alike = [_indicate(particles[:, parent], len(table)) for parent, table in given]
    for _ in range(rounds if len(given) > 1 else 1):
        worst = 0.0
        for (parent, _), weight, target, of_bin in zip(given, weights, wanted, alike, strict=True):
            found = (chances @ of_bin).T
            worst = max(worst, float(np.abs(found - target).sum()) / num_particles / 2)
            steps = np.maximum(target, 1e-9) / np.maximum(found, 1e-9)
            steps = np.clip(steps, 1 / LARGEST_STEP, LARGEST_STEP)
            weight += np.log(steps)
            factors = np.ascontiguousarray(steps.T, dtype=np.float32)
            np.take(factors, particles[:, parent], axis=1, out=grown, mode='clip')
            chances *= grown
            chances /= np.maximum(chances.sum(axis=0), 1e-30)
        if worst < CLOSE:
            break
    return weights, chances


def _expect(
    codes: NDArray[np.int64], table: NDArray[np.float64], own: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Say how often each pair of bins is wanted among the particles, shape (G_i, G_j)."""
    counts = np.bincount(codes, minlength=len(table))
    sums = table.sum(axis=1, keepdims=True)
    given = np.where(sums > 1e-12, table / np.maximum(sums, 1e-12), own)
    return np.asarray(given * counts[:, None])


def _indicate(codes: NDArray[np.int64], size: int) -> NDArray[np.float32]:
    """Mark the bin of each particle with a one, shape (P, G_i)."""
    marks = np.zeros((len(codes), size), dtype=np.float32)
    marks[np.arange(len(codes)), codes] = 1
    return marks


def fill_evenly(
    keys: Sequence[NDArray[np.int64]], rng: np.random.Generator, num_rows: int
) -> NDArray[np.float64]:
    """Draw numbers that fill the unit interval evenly among rows that are alike, shape (n,).

    Each of them is uniform. Rows in the order of their keys get the numbers of a sequence that any
    stretch of fills the interval.

    Args:
        keys: Codes of the rows, the most telling first, shape (n,) each.
        rng: Source of randomness; it needs no secrecy.
        num_rows: How many rows.
    """
    order = np.lexsort([rng.random(num_rows), *keys[::-1]])
    places = np.empty(num_rows)
    places[order] = (np.arange(num_rows) * GOLDEN + rng.random()) % 1
    return places


def _draw_evenly(
    chances: NDArray[np.floating],
    bins: NDArray[np.int64],
    parents: Sequence[int],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw a bin for each record, shape (n,), evenly among records whose parents are alike.

    So pairs of columns come out closer to their tables than independent draws would.
    """
    alike = [bins[:, parent] for parent in parents[:SORTED_BY]]
    places = fill_evenly(alike, rng, len(bins))
    passed = np.cumsum(chances, axis=1)
    drawn = (passed <= places[:, None] * passed[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(drawn, chances.shape[1] - 1))
