"""References between kinds of sampled rows: how many rows of one kind refer to which kind.

A *kind* is a combination of codes that the released tables distinguish. The numbers of references
fit all tables, the rows of each kind, and the references to each kind, by iterative proportional
fitting (Deming and Stephan 1940). No private row is read.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.maths.shrinkage import ratio
from sdv_threea.relational.model import References
from sdv_threea.rows.units.links import Ends

#: Codes at both ends of references: of the rows, shape (n,), and of the parent's rows, (P,).
Codes = tuple[Wholes, Wholes]

#: The largest number of pairs of kinds, to bound memory and time. Tables that would exceed it are
#: left out, the least informative first.
MOST_PAIRS = 2**22

#: Rounds of iterative proportional fitting; tries of references to find a free place.
ROUNDS, TRIES = 20, 10

#: Relative weight of a pair of kinds whose expected references all have a place.
LATER = 1e-3

#: Floats this close below a whole number count as that number.
WHOLE_WITHIN = 1e-6

#: The smallest share, because its logarithm is taken.
LEAST_CHANCE = 1e-9


class Kinds(NamedTuple):
    """The kinds of rows at both ends.

    Args:
        ours: The kind of each row, shape (n,).
        theirs: The kind of each row of the parent, shape (P,).
        cells: By table, the cell of each pair of kinds, -1 for none, shape (A, B).
        tables: By table, the probabilities of its cells, flat.
    """

    ours: Wholes
    theirs: Wholes
    cells: Sequence[Wholes] = ()
    tables: Sequence[Floats] = ()


def group_kinds(
    codes: Sequence[Codes], released: References, num_rows: int, num_parents: int
) -> Kinds:
    """Group rows, and the parent's rows, into kinds by as many tables as possible."""
    one, other = (np.zeros(size, dtype=np.int64) for size in (num_rows, num_parents))
    used = []
    for ends, table, (ours, theirs) in zip(released.ends, released.tables, codes, strict=True):
        marked = _mark(ends, ours, theirs)
        finer = _refine(one, marked[0]), _refine(other, marked[1])
        sizes = [int(each.max(initial=-1)) + 1 for each in finer]
        if 0 < sizes[0] * sizes[1] <= MOST_PAIRS:
            one, other = finer
            used.append((ends, table, ours, theirs))
    first, second = (np.unique(each, return_index=True)[1] for each in (one, other))
    cells = [ends.locate(ours[first][:, None], theirs[second]) for ends, _, ours, theirs in used]
    return Kinds(one, other, cells, [table.ravel() for _, table, *_ in used])


def deal_numbers(
    numbers: Wholes, codes: Sequence[Codes], released: References, rng: np.random.Generator
) -> Wholes:
    """Assign numbers of references to rows of the parent, shape (P,), unevenly if released so.

    If references prefer some values of a column, each value gets its released share: rows have
    random ranks, which rise for values that lack references. If no order of the numbers gives the
    shares, the numbers are scaled.
    """
    wanted = list(_want(codes, released))
    if not wanted:
        return numbers
    most, found = np.sort(numbers)[::-1], numbers.astype(np.float64)
    ranks = rng.gumbel(size=len(numbers))
    for _ in range(2 * ROUNDS):
        for bins, shares in wanted:
            found[np.argsort(-ranks)] = most
            sums = np.bincount(bins, found, len(shares)) / most.sum()
            lacking = np.log(np.maximum(shares, LEAST_CHANCE) / np.maximum(sums, LEAST_CHANCE))
            ranks += lacking[bins] / 2
    found[np.argsort(-ranks)] = most
    for _ in range(ROUNDS):
        for bins, shares in wanted:
            found = _scale(found, bins, shares)
    # In this order, sums over neighbours change by less than one.
    order = np.lexsort([rng.random(len(found)), *(bins for bins, _ in wanted)])
    ends = np.floor(np.append(0.0, np.cumsum(found[order])) + rng.random())
    ends[-1] = most.sum()
    rounded = np.empty(len(found), dtype=np.int64)
    rounded[order] = np.diff(ends)
    return rounded


def match_kinds(ours: Wholes, slots: Wholes, kinds: Kinds, rng: np.random.Generator) -> Wholes:
    """Assign a slot to each row, whose kind is in ``ours``, as the tables demand; shape (n,).

    ``slots`` are rows of the parent, one for each row, in random order.
    """
    if not kinds.tables or not len(slots):
        return slots
    counts = _round_pairs(*_fit_pairs(ours, slots, kinds), rng)
    shuffled = rng.permutation(len(ours))
    order = shuffled[np.argsort(ours[shuffled], kind='stable')]
    led = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
    found = np.empty(len(slots), dtype=np.int64)
    places = order[np.argsort(led, kind='stable')]
    found[places] = slots[np.argsort(kinds.theirs[slots], kind='stable')]
    return found


def _mark(ends: Ends, ours: Wholes, theirs: Wholes) -> tuple[Wholes, Wholes]:
    """Return the bins that a table distinguishes, or codes if it separates equal codes of a bin."""
    several = np.bincount(ends.of_ours[ends.of_ours >= 0]).max() > 1
    if several and (ends.equal >= 0).any():
        return ours, theirs
    return np.where(ours >= 0, ends.of_ours[ours], -1), ends.find(theirs)


def _refine(kinds: Wholes, marks: Wholes) -> Wholes:
    """Split kinds by marks, and number them from 0."""
    both = kinds * (int(marks.max(initial=0)) + 2) + marks + 1
    return np.asarray(np.unique(both, return_inverse=True)[1].ravel())


def _want(codes: Sequence[Codes], released: References) -> Iterator[tuple[Wholes, Floats]]:
    """Yield the bins of the parent's rows, shape (P,), and the share of references to each, (H,).

    The last bin has the rows without a bin; its share is that of these rows.
    """
    seen = set[str]()
    tables = zip(released.ends, released.tables, released.uneven, codes, strict=True)
    for ends, table, uneven, (ours, theirs) in tables:
        if ends.theirs in seen or not uneven or not len(theirs):
            continue
        seen.add(ends.theirs)
        size, whole = min(table.shape[0] - 1, table.shape[1]), table[:-1].copy()
        whole[range(size), range(size)] += table[-1, :size]
        near = np.where(ours >= 0, ends.of_ours[ours], -1)
        rows = np.bincount(near[near >= 0], minlength=len(whole)).astype(np.float64)
        shares = rows @ ratio(whole, whole.sum(axis=1, keepdims=True))
        bins = np.where((found := ends.find(theirs)) < 0, table.shape[1], found)
        others = float((found < 0).mean())
        shares *= (1 - others) / max(float(shares.sum()), LEAST_CHANCE)
        yield bins, np.append(shares, others)


def _fit_pairs(ours: Wholes, slots: Wholes, kinds: Kinds) -> tuple[Floats, Wholes, Wholes]:
    """Return expected references between kinds, shape (A, B), and numbers of rows of both kinds."""
    size, other = kinds.cells[0].shape
    rows, have = (
        np.bincount(ours, minlength=size),
        np.bincount(kinds.theirs[slots], minlength=other),
    )
    pairs, sums = np.outer(rows, have) / len(slots), (rows.astype(float), have.astype(float))
    for _ in range(ROUNDS):
        for cells, table in zip(kinds.cells, kinds.tables, strict=True):
            pairs = _scale(pairs, cells, table)
        pairs *= ratio(sums[0], pairs.sum(axis=1))[:, None]
        pairs *= ratio(sums[1], pairs.sum(axis=0))
    return pairs * np.minimum(ratio(sums[0], pairs.sum(axis=1)), 1.0)[:, None], rows, have


def _scale(values: Floats, places: Wholes, wanted: Floats) -> Floats:
    """Scale values until sums by place are proportional to ``wanted``; place -1 is ignored."""
    at = np.where(places < 0, len(wanted), places)
    sums = np.bincount(at.ravel(), values.ravel(), len(wanted) + 1)[:-1]
    proportions = wanted * (sums > 0)
    factors = ratio(proportions * sums.sum(), sums * proportions.sum())
    return np.asarray(values * np.append(factors, 1.0)[at])


def _round_pairs(pairs: Floats, rows: Wholes, have: Wholes, rng: np.random.Generator) -> Wholes:
    """Round expected references between kinds at random, so that they have the given sums."""
    counts = np.floor(pairs + WHOLE_WITHIN).astype(np.int64)
    for _ in range(TRIES):
        waiting, free = rows - counts.sum(axis=1), have - counts.sum(axis=0)
        chances = (np.maximum(pairs - counts, 0.0) + LATER * pairs) * (free > 0)
        sums = chances.sum(axis=1, keepdims=True)
        chances = np.where(sums > 0, ratio(chances, sums), 1 / len(have))
        wanted = rng.multinomial(np.where(sums[:, 0] > 0, waiting, 0), chances)
        for at in np.flatnonzero(wanted.sum(axis=0) > free).tolist():
            wanted[:, at] = rng.multivariate_hypergeometric(wanted[:, at], int(free[at]))
        counts += wanted
    waiting, free = rows - counts.sum(axis=1), have - counts.sum(axis=0)
    rest = rng.permutation(np.repeat(np.arange(len(have)), free))
    np.add.at(counts, (np.repeat(np.arange(len(rows)), waiting), rest), 1)
    return counts
