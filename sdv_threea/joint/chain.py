r"""A distribution over the codes of all columns that has the given tables of pairs.

Columns come one after the other, and the bins of each are log-linear in those before it:

    ``p(x_j | x_1, ..., x_j-1)``
    ``~ q_j(x_j) exp(sum_i theta_ij[x_i, x_j] + sum_ik theta_ikj[x_i, x_k, x_j])``

The sums run over the columns before ``j``, and over the pairs of them, of which there is a table
with it. What it is multiplied with, ``q_j``, is the distribution of the column in the class of the
record; or, if it follows from a column before it, the distribution given the code of that one. A
code inside the bin is drawn from the same distribution. The weights ``theta`` are fitted by
iterative proportional fitting (Deming and Stephan 1940) on *particles*: records drawn from the
conditionals fitted so far. So the tables may be as dense as they like: there is no graph to
triangulate, and no normalising constant but that of a single column. Records are drawn column by
column, given any codes of the columns that come first.

All of it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.inside import add_up, draw_inside, fill_evenly
from sdv_threea.joint.levelling import level
from sdv_threea.joint.tables import is_settled
from sdv_threea.joint.terms import Both, Term, Triples

#: Weights grow by at most this factor in a round; those of a column that follows from another by
#: less, so that what that one says is impossible stays so.
LARGEST_STEP, SMALLER_STEP = 1e6, 1e2

#: Weights of two columns together grow by at most this factor in a round. So where a triple and a
#: pair exclude all values of a record between them, it gets one that the pair allows.
TRIPLE_STEP = 3.0

#: Chances of particles sum up to no less than this. In a step the sum may become smaller by the
#: square of what weights grow by, and is then still far from where single floats end.
LEAST_SUM = 1e-12

#: Fitting ends when no table is off by more than this, in total variation.
CLOSE = 1e-3

#: Rows are sorted by this many columns before they are drawn evenly.
SORTED_BY = 3

#: Rows that are drawn at once.
BLOCK = 2**15


@dataclass(frozen=True)
class Column:
    """A column by itself: publishable.

    Args:
        of_code: The bin of each code, shape (S,); -1 for codes that do not occur.
        shares: Probabilities of the codes by class, shape (C, S), or (1, S) of all together.
        margin: Probabilities of the bins, of all classes together, shape (G,).
        key: The place of the class among the columns; ``None`` if the column does not depend on it.
    """

    of_code: NDArray[np.int64]
    shares: NDArray[np.float64]
    margin: NDArray[np.float64]
    key: int | None = None


@dataclass(frozen=True)
class Link:
    """A column given those before it.

    Args:
        column: The column ``j``.
        of_code: The bin of each code, shape (S_j,); -1 for codes that do not occur.
        key: The column whose code says which distribution is ``q_j``; ``None`` if there is one.
        shares: The distributions ``q_j`` of the codes, shape (number of keys, S_j).
        parents: The columns before it that it depends on, the most telling first.
        weights: The weights ``theta``, by parent, of shape (G_i, G_j).
        both: The weights of two columns before it together, by coarser bins of these.
        settled: Whether it follows from the column of the key, and takes no heed of the rest.
    """

    column: int
    of_code: NDArray[np.int64]
    key: int | None
    shares: NDArray[np.float64]
    parents: tuple[int, ...]
    weights: tuple[NDArray[np.float64], ...]
    both: tuple[Both, ...] = ()
    settled: bool = False

    def chances(self, drawn: Drawn) -> NDArray[np.float64]:
        """Compute the chances of the column's bins given the columns before it, shape (n, G).

        A bin that the distribution of the key leaves out has none, whatever other columns say.
        """
        with np.errstate(divide='ignore'):
            own = np.log(self.add_up(self.shares))
        logs = own.take(self.find_keys(drawn), axis=0)
        for parent, weights in zip(self.parents, self.weights, strict=True):
            logs += weights.take(drawn.bins[:, parent], axis=0)
        for both in self.both:
            logs += both.numbers.take(both.find(drawn.bins), axis=0)
        # Bin by bin, for all records at once: bins are few, and records are many.
        chances = np.array(logs.T, order='C')
        chances -= chances.max(axis=0)
        np.exp(chances, out=chances)
        chances /= chances.sum(axis=0)
        return chances.T

    def add_up(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add shares of codes up by bin, shape (number of keys, G)."""
        return add_up(shares, self.of_code, int(self.of_code.max(initial=-1)) + 1)

    def find_keys(self, drawn: Drawn) -> NDArray[np.int64]:
        """Find which distribution is that of each record, shape (n,)."""
        if self.key is None:
            return np.zeros(len(drawn.codes), dtype=np.int64)
        return np.asarray(drawn.codes[:, self.key])

    def draw(
        self, chances: NDArray[np.floating], drawn: Drawn, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw bins, shape (n,), evenly among records whose parents are alike.

        So pairs of columns come out closer to their tables than independent draws would.

        Args:
            chances: Chances of the bins, up to a factor, shape (n, G).
            drawn: The columns before it.
            rng: Source of randomness; it needs no secrecy.
        """
        alike = [drawn.bins[:, parent] for parent in self.parents[:SORTED_BY]]
        if self.key is not None and not alike:
            alike = [self.find_keys(drawn)]
        places = fill_evenly(alike, rng, len(chances))
        passed = np.array(chances.T, order='C')
        for before, own in pairwise(passed):
            own += before
        # Rounded up to the end, a place would be that of a bin without a chance.
        places = np.minimum(places * passed[-1], np.nextafter(passed[-1], 0))
        bins = (passed <= places).sum(axis=0, dtype=np.int32)
        return np.asarray(np.minimum(bins, chances.shape[1] - 1), dtype=np.int64)

    def settle(self, drawn: Drawn, bins: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Write down bins, and draw codes inside them."""
        codes = draw_inside(self.shares, self.of_code, self.find_keys(drawn), bins, rng)
        drawn.bins[:, self.column], drawn.codes[:, self.column] = bins, codes


@dataclass(frozen=True)
class Drawn:
    """Records that are being drawn.

    Args:
        codes: Codes of the columns, shape (n, m).
        bins: Their bins.
    """

    codes: NDArray[np.int64]
    bins: NDArray[np.int64]

    @classmethod
    def start(cls, num_rows: int, num_columns: int) -> Drawn:
        """Start with no column drawn."""
        shape = num_rows, num_columns
        return cls(*(np.zeros(shape, dtype=np.int64, order='F') for _ in range(2)))


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
            known: The codes of columns that are given, each of shape (num_rows,). They come before
                all others in the chain.

        Returns:
            Codes, shape (num_rows, m).
        """
        known = known or {}
        codes = np.empty((num_rows, len(self.links)), dtype=np.int64, order='F')
        for start in range(0, num_rows, BLOCK):
            rows = slice(start, min(start + BLOCK, num_rows))
            drawn = Drawn.start(rows.stop - start, len(self.links))
            for link in self.links:
                given = known.get(link.column)
                if given is None:
                    link.settle(drawn, link.draw(link.chances(drawn), drawn, rng), rng)
                else:
                    drawn.codes[:, link.column] = given[rows]
                    drawn.bins[:, link.column] = link.of_code[given[rows]]
            codes[rows] = drawn.codes
        return codes


def fit_chain(  # noqa: PLR0913 (what is known, in which order, and how to fit it)
    columns: Sequence[Column],
    tables: Mapping[Pair, NDArray[np.float64]],
    functions: Mapping[Pair, NDArray[np.float64]],
    order: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
    triples: Triples | None = None,
) -> Chain:
    """Fit a chain to the distributions of columns, of pairs and of triples.

    Args:
        columns: The columns by themselves.
        tables: Probabilities of the bins of pairs, the most telling first, shape (G_i, G_j).
        functions: Probabilities of the codes of pairs of which one column follows from the other,
            shape (S_i, S_j): a forest.
        order: The columns in the order of the chain.
        constants: The constants of the room.
        rng: Source of randomness; it needs no secrecy.
        triples: Those of three columns, if there are any.

    Returns:
        The chain.
    """
    place = {column: at for at, column in enumerate(order)}
    given, followed = _look_back(tables, place), _look_back(functions, place)
    known = triples or Triples({}, ())
    given_both = known.look_back(place)
    keys = {one for each in followed.values() for one, _ in each} | {
        column.key for column in columns
    }
    drawn = Drawn.start(constants.particles, len(order))
    # Others, which weights are not fitted to.
    fresh = Drawn.start(constants.particles // 2, len(order))
    links = []
    for column in order:
        own, parents, both = columns[column], given[column], given_both[column]
        link = _begin(column, own, followed[column], constants.settled)
        if link.settled:
            parents, both = [], []
        terms = [Term(drawn.bins[:, parent], table) for parent, table in parents]
        terms += [Term(one.find(drawn.bins), one.numbers, known.merged[column]) for one in both]
        most = SMALLER_STEP if followed[column] else LARGEST_STEP
        weights, chances = _fit_weights(link, own.margin, terms, drawn, constants.rounds, most)
        link = _weigh(link, [parent for parent, _ in parents], both, weights)
        others = link.chances(fresh)
        if weights:
            # Weights are those of particles, whose chance they have been fitted to: of records that
            # they have not seen too many would have rare bins. These weights are part of the link.
            # What its code says goes before how frequent a bin is in all.
            longest = LARGEST_STEP if followed[column] else math.inf
            weights[0] += level(others, own.margin, longest)
        links.append(link)
        for each, likely in ((drawn, chances), (fresh, others)):
            bins = link.draw(likely, each, rng)
            if column in keys:
                link.settle(each, bins, rng)
            else:
                each.bins[:, column] = bins
    return Chain(tuple(links))


def _begin(
    column: int,
    own: Column,
    followed: Sequence[tuple[int, NDArray[np.float64]]],
    settled: float,
) -> Link:
    """Make the link of a column without weights: what these are multiplied with."""
    if not followed:
        return Link(column, own.of_code, own.key, own.shares, (), ())
    key, table = followed[0]
    shares = _condition(table, own.shares.mean(axis=0))
    return Link(column, own.of_code, key, shares, (), (), settled=is_settled(table, settled))


def _weigh(
    link: Link, parents: Sequence[int], both: Sequence[Both], weights: Sequence[NDArray[np.float64]]
) -> Link:
    """Give a link its weights: first those of single columns, then those of two together."""
    alone, together = weights[: len(parents)], weights[len(parents) :]
    pairs = tuple(replace(one, numbers=own) for one, own in zip(both, together, strict=True))
    return replace(link, parents=tuple(parents), weights=tuple(alone), both=pairs)


def _look_back(
    tables: Mapping[Pair, NDArray[np.float64]], place: Mapping[int, int]
) -> dict[int, list[tuple[int, NDArray[np.float64]]]]:
    """List, for each column, those before it that it has a table with, and the tables."""
    given: dict[int, list[tuple[int, NDArray[np.float64]]]] = {column: [] for column in place}
    for (i, j), table in tables.items():
        if place[i] < place[j]:
            given[j].append((i, table))
        else:
            given[i].append((j, table.T))
    return given


def _condition(table: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the rows of a table by their sums; rows without any are those of others."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums > 0, table / np.maximum(sums, 1e-300), others))


def _fit_weights(
    link: Link,
    margin: NDArray[np.float64],
    terms: Sequence[Term],
    drawn: Drawn,
    rounds: int,
    most: float,
) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]]:
    """Fit the weights of one column; return them, and its chances for each particle, (P, G).

    The chances of a particle are known up to a factor, which is taken out where it gets small.
    """
    num_particles = len(drawn.codes)
    own = link.add_up(link.shares)
    own = (own / own.sum(axis=1, keepdims=True)).astype(np.float32)
    chances = own.take(link.find_keys(drawn), axis=0)
    grown, ones = np.empty_like(chances), np.ones(len(margin), dtype=np.float32)
    weights = [np.zeros((len(term.table), len(margin))) for term in terms]
    wanted = [term.expect(margin) for term in terms]
    alike = [_indicate(term.places, len(term.table)) for term in terms]
    limits = [most if term.merged is None else TRIPLE_STEP for term in terms]
    alone = len(terms) == 1 and link.key is None
    known = terms, weights, wanted, alike, limits
    sums = chances @ ones
    for _ in range(1 if alone else rounds):
        worst = 0.0
        for term, weight, target, of_place, limit in zip(*known, strict=True):
            of_place.data = 1 / sums
            found = term.merge(of_place @ chances)
            worst = max(worst, float(np.abs(found - target).sum()) / num_particles / 2)
            steps = np.maximum(target, 1e-9) / np.maximum(found, 1e-9)
            steps[found == 0] = 1.0  # it is impossible, or no particle shows it
            steps = term.spread(np.clip(steps, 1 / limit, limit))
            weight += np.log(steps)
            # What all bins of a particle grow by is part of its factor: none grows beyond one.
            steps /= steps.max(axis=1, keepdims=True)
            steps.astype(np.float32).take(term.places, axis=0, out=grown, mode='clip')
            chances *= grown
            sums = chances @ ones
            if sums.min() < LEAST_SUM:
                chances /= sums[:, None]
                sums = chances @ ones
        if worst < CLOSE:
            break
    return weights, chances


def _indicate(places: NDArray[np.int64], size: int) -> Any:
    """Mark the place of each particle with a one, a sparse matrix of shape (R, P)."""
    marks, starts = np.ones(len(places), dtype=np.float32), np.arange(len(places) + 1)
    return csc_array((marks, places, starts), shape=(size, len(places)))
