"""Tables of a column and one or two columns before it, to which the column's weights are fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.inside import add_up
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.triples import Triple


@dataclass(frozen=True)
class Term:
    """A table that a column is fitted to, and the table row of each particle.

    Args:
        places: The row of each particle, shape (P,).
        table: Probabilities, shape (R, G); or (R, C) with coarser bins of the column.
        merged: The coarser bin of each bin of the column, shape (G,), if any.
    """

    places: Wholes
    table: Floats
    merged: Wholes | None = None

    def expect(self, own: Floats) -> Floats:
        """Return the wanted number of particles in each cell of the table, shape (R, C)."""
        counts = np.bincount(self.places, minlength=len(self.table))
        sums = self.table.sum(axis=1, keepdims=True)
        given = np.where(sums > 1e-12, self.table / np.maximum(sums, 1e-12), self.merge(own[None]))
        return np.asarray(given * counts[:, None])

    def merge(self, chances: NDArray[Any]) -> NDArray[Any]:
        """Add up values of bins, shape (R, G), by coarser bin, if the term has coarser bins."""
        return chances if self.merged is None else add_up(chances, self.merged, self.table.shape[1])

    def spread(self, steps: Floats) -> Floats:
        """Give each bin of the column the step of its coarser bin, shape (R, G)."""
        return steps if self.merged is None else steps[:, self.merged]


@dataclass(frozen=True)
class ParentPair:
    """Values of a later column, shape (A * B, G), by joint coarser bin of two columns."""

    parents: Pair
    merged: tuple[Wholes, Wholes]
    numbers: Floats

    def find(self, bins: Wholes) -> Wholes:
        """Return the joint coarser bin of each record, shape (n,), from its bins, shape (n, m)."""
        one, two = (own[bins[:, at]] for own, at in zip(self.merged, self.parents, strict=True))
        return np.asarray(one * (self.merged[1].max() + 1) + two)


@dataclass(frozen=True)
class Triples:
    """Probabilities of triples, shape (A, B, C), and the coarser bins of columns: publishable."""

    tables: Mapping[Triple, Floats]
    merged: tuple[Wholes, ...]

    def look_back(self, place: Mapping[int, int]) -> dict[int, list[ParentPair]]:
        """Return, for each column, its tables with two columns before it in the chain."""
        found: dict[int, list[ParentPair]] = {column: [] for column in place}
        for triple, table in self.tables.items():
            axes = sorted(range(3), key=lambda axis: place[triple[axis]])
            one, two, last = (triple[axis] for axis in axes)
            turned = table.transpose(axes)
            flat = turned.reshape(-1, turned.shape[2])
            found[last].append(ParentPair((one, two), (self.merged[one], self.merged[two]), flat))
        return found
