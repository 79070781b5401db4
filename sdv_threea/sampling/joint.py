"""Draws from a joint density.

Conditions on codes say which codes may occur. The conditioned columns come first in the chain, with
those on the way between columns of which one follows from another. One conditioned column is drawn
exactly, with the class. Each further one is drawn given those before it and comes with an
importance weight, and rows are resampled from a pool of such draws: the law converges to the exact
one as the pool grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.labels import num_draws
from sdv_threea.joint.chain import Chain, Drawn, Link
from sdv_threea.joint.density import Joint
from sdv_threea.sampling.conditional import ImpossibleCondition

#: Draws in the pool from which rows are resampled, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 256

#: Rows that are drawn from one pool: it bounds the memory.
MOST_ROWS = 2**15

#: The codes that may occur, by column and class: shape (C, S).
Possible = Mapping[int, NDArray[np.bool_]]


@dataclass(frozen=True)
class Restricted:
    """A column given those before it, of which some codes may occur.

    Args:
        link: The column.
        shares: The shares that are left, shape (number of keys, S).
    """

    link: Link
    shares: NDArray[np.float64]

    def chances(self, drawn: Drawn) -> NDArray[np.float64]:
        """Compute the chances of bins in which a code is left: together, that of the condition."""
        left, whole = self.link.add_up(self.shares), self.link.add_up(self.link.shares)
        allowed = np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
        return np.asarray(self.link.chances(drawn) * allowed[self.link.find_keys(drawn)])

    def settle(self, drawn: Drawn, bins: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Write down bins, and draw codes that are left in them."""
        replace(self.link, shares=self.shares).settle(drawn, bins, rng)


def draw_jointly(
    joint: Joint,
    totals: NDArray[np.float64],
    num_rows: int,
    rng: np.random.Generator,
    possible: Possible | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows, those that meet conditions if there are any.

    Args:
        joint: The density.
        totals: Weights of the classes, zero for those that must not occur, shape (C,).
        num_rows: How many.
        rng: Source of randomness; it needs no secrecy.
        possible: The codes that may occur, of the conditioned columns.

    Returns:
        Codes, shape (num_rows, m), and classes, shape (num_rows,).

    Raises:
        ImpossibleCondition: If the conditions have no probability.
    """
    chain, known = joint.chain, {}
    classes = np.zeros(num_rows, dtype=np.int64)
    if possible:
        shares = {at: joint.columns[at].shares * codes for at, codes in possible.items()}
        first = sorted(shares, key=lambda at: float(shares[at].sum()))
        chain = joint.chain_from(first)
        known = _draw_pools(chain, joint.class_column, totals, possible, num_rows, rng)
    elif joint.class_column is not None:
        shares = totals / totals.sum()
        known[joint.class_column] = rng.choice(len(totals), size=num_rows, p=shares)
    codes = chain.draw(num_rows, rng, known)
    if joint.class_column is not None:
        classes = codes[:, joint.class_column]
    return codes[:, : len(joint.ordered)], classes


def draw_evenly_jointly(
    joint: Joint, totals: NDArray[np.float64], rng: np.random.Generator
) -> Draws:
    """Draw equally many records of each class, and say how many private ones each stands for.

    Args:
        joint: The density.
        totals: Number of private records of each class, shape (C,).
        rng: Source of randomness.

    Returns:
        The draws, as many as a fit to them needs.
    """
    size = num_draws(len(totals), len(joint.ordered))
    codes, labels, *_ = draw_jointly(joint, np.ones(len(totals)), size, rng)
    weights = totals / np.maximum(np.bincount(labels, minlength=len(totals)), 1)
    return Draws(codes, labels, weights[labels])


def _draw_pools(
    chain: Chain,
    class_column: int | None,
    totals: NDArray[np.float64],
    possible: Possible,
    num_rows: int,
    rng: np.random.Generator,
) -> dict[int, NDArray[np.int64]]:
    """Draw the codes of the columns up to the last conditioned one, pool by pool."""
    last = max(at for at, link in enumerate(chain.links) if link.column in possible)
    links = [_restrict(link, possible, class_column) for link in chain.links[: last + 1]]
    known = {each.link.column: np.empty(num_rows, dtype=np.int64) for each in links}
    # The class, if it is a column, comes first: each has a record of its own to start with.
    start = Drawn.start(len(totals), len(chain.links))
    if class_column is not None:
        start.codes[:, class_column] = start.bins[:, class_column] = np.arange(len(totals))
        links = links[1:]
    for first in range(0, max(num_rows, 1), MOST_ROWS):
        rows = slice(first, min(first + MOST_ROWS, num_rows))
        drawn = _draw_first(links, start, totals, rows.stop - first, rng)
        for column, codes in known.items():
            codes[rows] = drawn[:, column]
    return known


def _draw_first(
    links: Sequence[Restricted],
    start: Drawn,
    totals: NDArray[np.float64],
    num_rows: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw them from one pool."""
    exact = totals[:, None] * links[0].chances(start)
    _check(exact.sum())
    size = num_rows if len(links) == 1 else max(LEAST_POOL, POOL_PER_ROW * num_rows)
    found = rng.choice(exact.size, size=size, p=exact.ravel() / exact.sum())
    classes, bins = np.divmod(found, exact.shape[1])
    drawn = Drawn(start.codes[classes], start.bins[classes])
    links[0].settle(drawn, bins, rng)
    weights = np.ones(size)
    for each in links[1:]:
        chances = each.chances(drawn)
        weights *= chances.sum(axis=1)
        each.settle(drawn, each.link.draw(chances, drawn, rng), rng)
    _check(weights.sum())
    if len(links) == 1:
        return drawn.codes
    return drawn.codes[rng.choice(size, size=num_rows, p=weights / weights.sum())]


def _restrict(link: Link, possible: Possible, class_column: int | None) -> Restricted:
    """Leave the codes of a column that may occur."""
    if link.column not in possible:
        return Restricted(link, link.shares)
    mask = possible[link.column]
    by_class = link.key is not None and link.key == class_column
    return Restricted(link, link.shares * (mask if by_class else mask.any(axis=0)))


def _check(probability: float) -> None:
    if not probability > 0:
        raise ImpossibleCondition('The released model gives this condition no probability.')
