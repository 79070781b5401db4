"""A distribution over the codes of all columns that has the given pair and triple tables.

Columns are drawn one after the other, and the bins of each are log-linear in those before it:

    ``p(x_j | x_1, ..., x_j-1)``
    ``~ q_j(x_j) exp(sum_i theta_ij[x_i, x_j] + sum_ik theta_ikj[x_i, x_k, x_j])``

The sums run over the earlier columns ``i``, and pairs ``i, k`` of them, that have a table with
column ``j``. The base ``q_j`` is the distribution of column ``j`` in the record's class or, if the
column depends functionally on an earlier one, given the code of that column. Bins that ``q_j``
excludes have probability zero, whatever the weights are. Codes inside a bin are drawn from ``q_j``,
too. The weights ``theta`` are fitted by iterative proportional fitting (Deming and Stephan 1940) on
*particles*: records drawn from the conditionals fitted so far. So any number of tables can be
fitted: no graph is triangulated, and each normalising constant is a sum over the bins of a single
column. Records can be drawn given any codes of the first columns. The whole module is
post-processing.
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

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.inside import add_up, draw_inside, fill_evenly
from sdv_threea.joint.joint_constants import SLACK, TRIPLE_STEP, JointConstants
from sdv_threea.joint.levelling import level
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.tables import is_settled
from sdv_threea.joint.terms import ParentPair, Term, Triples
from sdv_threea.maths.tracking import track

#: The largest factor by which a weight changes in a round. The smaller one is for columns with a
#: functional dependency, which must keep impossible values impossible.
LARGEST_STEP, SMALLER_STEP = 1e6, 1e2

#: Probabilities of a particle are rescaled if their sum falls below this. A step may shrink the sum
#: by the square of the largest factor, which single-precision floats still represent.
LEAST_SUM = 1e-12

#: Fitting ends when the total variation distance of each table is below this.
CLOSE = 1e-3

#: Records are sorted by this many parents before they are drawn evenly.
SORTED_BY = 3

#: Number of records that are drawn at once.
BLOCK = 2**15


@dataclass(frozen=True)
class Column:
    """Released distribution of a single column.

    Args:
        of_code: The bin of each code, shape (S,); -1 for codes that do not occur.
        shares: Probabilities of the codes, by class, shape (C, S), or of all classes, shape (1, S).
        margin: Probabilities of the bins, of all classes together, shape (G,).
        key: The column number of the class; ``None`` if ``shares`` are of all classes together.
    """

    of_code: Wholes
    shares: Floats
    margin: Floats
    key: int | None = None


@dataclass(frozen=True)
class Link:
    """The distribution of column ``j``, given the columns before it.

    Args:
        of_code: The bin of each code, shape (S_j,); -1 for codes that do not occur.
        key: The column whose code selects the row of ``shares``; ``None`` if there is a single row.
        shares: The distributions ``q_j`` of the codes, shape (number of keys, S_j).
        parents: Earlier columns that column ``j`` depends on, the most informative first.
        weights: The weights ``theta`` by parent, shape (G_i, G_j).
        both: The weights of two earlier columns together, by their coarser bins.
        settled: True if column ``j`` depends on the key alone.
    """

    column: int
    of_code: Wholes
    key: int | None
    shares: Floats
    parents: tuple[int, ...]
    weights: tuple[Floats, ...]
    both: tuple[ParentPair, ...] = ()
    settled: bool = False

    def chances(self, drawn: Drawn) -> Floats:
        """Return the probabilities of the column's bins given earlier columns, shape (n, G)."""
        with np.errstate(divide='ignore'):
            own = np.log(self.add_up(self.shares))
        logs = own.take(self.find_keys(drawn), axis=0)
        for parent, weights in zip(self.parents, self.weights, strict=True):
            logs += weights.take(drawn.bins[:, parent], axis=0)
        for both in self.both:
            logs += both.numbers.take(both.find(drawn.bins), axis=0)
        # A layout of one bin after the other is faster: bins are few, and records are many.
        chances = np.array(logs.T, order='C')
        chances -= chances.max(axis=0)
        np.exp(chances, out=chances)
        chances /= chances.sum(axis=0)
        return chances.T

    def add_up(self, shares: Floats) -> Floats:
        """Add up shares of codes by bin, shape (number of keys, G)."""
        return add_up(shares, self.of_code, int(self.of_code.max(initial=-1)) + 1)

    def find_keys(self, drawn: Drawn) -> Wholes:
        """Return the row of ``shares`` that applies to each record, shape (n,)."""
        if self.key is None:
            return np.zeros(len(drawn.codes), dtype=np.int64)
        return np.asarray(drawn.codes[:, self.key])

    def draw(self, chances: NDArray[np.floating], drawn: Drawn, rng: np.random.Generator) -> Wholes:
        """Draw bins, shape (n,), evenly among records with equal parents.

        Even draws bring pairs of columns closer to their tables than independent draws do.
        ``chances`` are probabilities of the bins, up to a factor, shape (n, G).
        """
        alike = [drawn.bins[:, parent] for parent in self.parents[:SORTED_BY]]
        if self.key is not None and not alike:
            alike = [self.find_keys(drawn)]
        places = fill_evenly(alike, rng, len(chances))
        passed = np.array(chances.T, order='C')
        for before, own in pairwise(passed):
            own += before
        # A number that is rounded up to the total would select a bin of probability zero.
        places = np.minimum(places * passed[-1], np.nextafter(passed[-1], 0))
        bins = (passed <= places).sum(axis=0, dtype=np.int32)
        return np.asarray(np.minimum(bins, chances.shape[1] - 1), dtype=np.int64)

    def write(self, drawn: Drawn, bins: Wholes, rng: np.random.Generator) -> None:
        """Write bins into the records, and draw codes inside them."""
        codes = draw_inside(self.shares, self.of_code, self.find_keys(drawn), bins, rng)
        drawn.bins[:, self.column], drawn.codes[:, self.column] = bins, codes

    def take(self, drawn: Drawn, codes: Wholes, rng: np.random.Generator) -> None:
        """Write known codes into the records; draw a code if the known one cannot occur."""
        bins = np.where(codes >= 0, self.of_code[codes], -1)
        known = bins >= 0
        if not known.all():
            self.write(drawn, self.draw(self.chances(drawn), drawn, rng), rng)
        drawn.codes[known, self.column], drawn.bins[known, self.column] = codes[known], bins[known]


@dataclass(frozen=True)
class Drawn:
    """Records that are being drawn: codes and bins of their columns, shape (n, m) each."""

    codes: Wholes
    bins: Wholes

    @classmethod
    def start(cls, num_rows: int, num_columns: int) -> Drawn:
        """Return records without values."""
        shape = num_rows, num_columns
        return cls(*(np.zeros(shape, dtype=np.int64, order='F') for _ in range(2)))


@dataclass(frozen=True)
class Chain:
    """All columns in order, each given those before it: publishable."""

    links: tuple[Link, ...]

    def draw(
        self, num_rows: int, rng: np.random.Generator, known: Mapping[int, Wholes] | None = None
    ) -> Wholes:
        """Draw records, shape (num_rows, m), given codes of the first columns, ``known``."""
        known = known or {}
        codes = np.empty((num_rows, len(self.links)), dtype=np.int64, order='F')
        for start in range(0, num_rows, BLOCK):
            rows = slice(start, min(start + BLOCK, num_rows))
            drawn = Drawn.start(rows.stop - start, len(self.links))
            for link in self.links:
                given = known.get(link.column)
                if given is None:
                    link.write(drawn, link.draw(link.chances(drawn), drawn, rng), rng)
                else:
                    link.take(drawn, given[rows], rng)
            codes[rows] = drawn.codes
        return codes


def fit_chain(  # noqa: PLR0913 (what is known, in which order, and how to fit it)
    columns: Sequence[Column],
    tables: Mapping[Pair, Floats],
    functions: Mapping[Pair, Floats],
    order: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
    triples: Triples | None = None,
    given: Wholes | None = None,
) -> Chain:
    """Fit a chain to the distributions of columns, pairs and triples.

    ``tables`` are probabilities of the bins of pairs, shape (G_i, G_j), the most informative first.
    ``functions`` are probabilities of the codes of functional pairs, shape (S_i, S_j); the pairs
    form a forest. ``order`` lists all columns. ``given`` are known codes of the first columns,
    shape (P, q): these columns are not fitted, and all others are fitted to records with these
    codes.
    """
    place = {column: at for at, column in enumerate(order)}
    before, followed = _look_back(tables, place), _look_back(functions, place)
    known = triples or Triples({}, ())
    given_both = known.look_back(place)
    keys = {one for each in followed.values() for one, _ in each} | {
        column.key for column in columns
    }
    drawn = Drawn.start(constants.particles, len(order))
    # A second set of particles, to which no weights are fitted.
    fresh = Drawn.start(constants.particles // 2, len(order))
    links = [] if given is None else _give(columns, order, given, (drawn, fresh), rng)
    for column in track(order[len(links) :], 'density of column'):
        own, parents, both = columns[column], before[column], given_both[column]
        link = _begin(column, own, followed[column], SLACK)
        if link.settled:
            parents, both = [], []
        terms = [Term(drawn.bins[:, parent], table) for parent, table in parents]
        terms += [Term(one.find(drawn.bins), one.numbers, known.merged[column]) for one in both]
        most = SMALLER_STEP if followed[column] else LARGEST_STEP
        weights, chances = _fit_weights(link, own.margin, terms, drawn, constants.rounds, most)
        link = _weigh(link, [parent for parent, _ in parents], both, weights)
        others = link.chances(fresh)
        if weights:
            # The weights over-adapt to their particles, which makes rare bins too frequent, so the
            # margin is levelled on fresh particles. A functional dependency overrides the margin.
            longest = LARGEST_STEP if followed[column] else math.inf
            weights[0] += level(others, own.margin, longest)
        links.append(link)
        for each, likely in ((drawn, chances), (fresh, others)):
            bins = link.draw(likely, each, rng)
            if column in keys:
                link.write(each, bins, rng)
            else:
                each.bins[:, column] = bins
    return Chain(tuple(links))


def _give(
    columns: Sequence[Column],
    order: Sequence[int],
    given: Wholes,
    particles: Sequence[Drawn],
    rng: np.random.Generator,
) -> list[Link]:
    """Fill the first columns of particles with given codes, shape (P, q); return their links."""
    links = []
    for at in order[: given.shape[1]]:
        own = columns[at]
        shares = own.shares.mean(axis=0, keepdims=True)
        links.append(Link(at, own.of_code, None, shares, (), ()))
    for drawn in particles:
        some = given[rng.integers(len(given), size=len(drawn.codes))]
        for link, codes in zip(links, some.T, strict=True):
            link.take(drawn, codes, rng)
    return links


def _begin(
    column: int, own: Column, followed: Sequence[tuple[int, Floats]], settled: float
) -> Link:
    if not followed:
        return Link(column, own.of_code, own.key, own.shares, (), ())
    key, table = followed[0]
    shares = _condition(table, own.shares.mean(axis=0))
    return Link(column, own.of_code, key, shares, (), (), settled=is_settled(table, settled))


def _weigh(
    link: Link, parents: Sequence[int], both: Sequence[ParentPair], weights: Sequence[Floats]
) -> Link:
    alone, together = weights[: len(parents)], weights[len(parents) :]
    pairs = tuple(replace(one, numbers=own) for one, own in zip(both, together, strict=True))
    return replace(link, parents=tuple(parents), weights=tuple(alone), both=pairs)


def _look_back(
    tables: Mapping[Pair, Floats], place: Mapping[int, int]
) -> dict[int, list[tuple[int, Floats]]]:
    """Return, for each column, its tables with earlier columns, each after the earlier column."""
    given: dict[int, list[tuple[int, Floats]]] = {column: [] for column in place}
    for (i, j), table in tables.items():
        if place[i] < place[j]:
            given[j].append((i, table))
        else:
            given[i].append((j, table.T))
    return given


def _condition(table: Floats, others: Floats) -> Floats:
    """Divide the rows of a table by their sums; empty rows become the distribution ``others``."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums > 0, table / np.maximum(sums, 1e-300), others))


def _fit_weights(
    link: Link, margin: Floats, terms: Sequence[Term], drawn: Drawn, rounds: int, most: float
) -> tuple[list[Floats], NDArray[np.float32]]:
    """Return the fitted weights of one column, and its probabilities for each particle, (P, G)."""
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
            steps[found == 0] = 1.0  # impossible, or no particle is there
            steps = term.spread(np.clip(steps, 1 / limit, limit))
            weight += np.log(steps)
            # Rescale each row to maximum 1, so that no probability exceeds one; the normaliser
            # absorbs it.
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


def _indicate(places: Wholes, size: int) -> Any:
    marks, starts = np.ones(len(places), dtype=np.float32), np.arange(len(places) + 1)
    return csc_array((marks, places, starts), shape=(size, len(places)))
