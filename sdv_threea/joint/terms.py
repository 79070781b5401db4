"""Tables that the weights of a column are fitted to, with one or two of the columns before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.bins import Pair
from sdv_threea.joint.inside import add_up
from sdv_threea.joint.triples import Triple


@dataclass(frozen=True)
class Term:
    """A table that a column is fitted to, and the row of it that each particle is in.

    Args:
        places: The row of each particle, shape (P,).
        table: Probabilities, shape (R, G), or (R, C) of coarser bins of the column.
        merged: The coarser bin of each bin of the column, shape (G,); ``None`` without coarser
            bins.
    """

    places: Wholes
    table: Floats
    merged: Wholes | None = None

    def expect(self, own: Floats) -> Floats:
        """Return how many particles are wanted in each place of the table, shape (R, C)."""
        counts = np.bincount(self.places, minlength=len(self.table))
        sums = self.table.sum(axis=1, keepdims=True)
        given = np.where(sums > 1e-12, self.table / np.maximum(sums, 1e-12), self.merge(own[None]))
        return np.asarray(given * counts[:, None])

    def merge(self, chances: NDArray[Any]) -> NDArray[Any]:
        """Add up values of bins, shape (R, G), to those of coarser bins, if the term has any."""
        return chances if self.merged is None else add_up(chances, self.merged, self.table.shape[1])

    def spread(self, steps: Floats) -> Floats:
        """Give each bin of the column the step of its coarser bin, shape (R, G)."""
        return steps if self.merged is None else steps[:, self.merged]


@dataclass(frozen=True)
class ParentPair:
    """Probabilities or weights by the bins of two columns together, and of a later column.

    Args:
        merged: For each of them, the coarser bin of each of its bins, shape (G,).
        numbers: The values by joint coarser bin and bin of the later column, shape (A * B, G).
    """

    parents: Pair
    merged: tuple[Wholes, Wholes]
    numbers: Floats

    def find(self, bins: Wholes) -> Wholes:
        """Return the joint coarser bin of each record, shape (n,), given its bins, shape (n, m)."""
        one, two = (own[bins[:, at]] for own, at in zip(self.merged, self.parents, strict=True))
        return np.asarray(one * (self.merged[1].max() + 1) + two)


@dataclass(frozen=True)
class Triples:
    """The distributions of three columns together: publishable.

    The tables are probabilities, shape (A, B, C). ``merged`` has, for each column, the coarser bin
    of each of its bins, shape (G,).
    """

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
