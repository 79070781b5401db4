"""Draw from a chain over the codes of all columns: the density if pairs are released.

Conditioned columns come first in the chain, together with columns that connect functionally
dependent ones. As long as each column has a single allowed code, no code is drawn, and classes are
weighted by the probability of the code. The first column with several allowed codes is drawn
exactly, together with the class. Each further column adds an importance weight, and rows are
resampled from a pool of draws: their distribution converges to the exact one as the pool grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.chain import Chain, Drawn, Link
from sdv_threea.joint.density import Joint
from sdv_threea.sampling.asked import CodeCondition, Pools, RowConditions, cut_pools, even_out, pick

#: Number of draws in a pool, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 128

#: The largest number of rows that are drawn from one pool, and the most records in all pools of a
#: draw: bounds of the memory.
MOST_ROWS, ROOM = 2**15, 2**16


@dataclass(frozen=True)
class Chained:
    """A model of records: a chain of all columns, each drawn given those before it.

    Args:
        totals: Weights of the classes, zero for classes that must not occur, shape (C,).
        context: Codes of the given columns in the fit, the first ones, shape (P, q). Rows without a
            condition are drawn given a random row of these codes.
        chain: A chain that begins with the known columns, whose known codes are used as they are;
            columns without a condition are drawn. By default such a chain is fitted for each draw.
    """

    joint: Joint
    totals: Floats
    context: Wholes | None = None
    chain: Chain | None = None

    @property
    def width(self) -> int:
        """Number of columns that are drawn."""
        return len(self.joint.ordered)

    def even(self) -> Chained:
        """Return the model with equal weights of all classes."""
        return replace(self, totals=np.ones(len(self.totals)))

    def draw(
        self, num_rows: int, rng: np.random.Generator, given: RowConditions | None = None
    ) -> tuple[Wholes, Wholes]:
        """Draw codes, shape (num_rows, m), and classes, shape (num_rows,)."""
        joint, known = self.joint, {}
        if given is not None and self.chain is None:
            return self._draw_within(given, rng)
        if given is not None:
            known = {at: own.codes for at, own in given.asked.items()}
        elif self.context is not None:
            some = self.context[rng.integers(len(self.context), size=num_rows)]
            known = dict(enumerate(some.T))
        elif joint.class_column is not None:
            shares = self.totals / self.totals.sum()
            known[joint.class_column] = rng.choice(len(shares), size=num_rows, p=shares)
        return self._draw_rest(self.chain or joint.chain, num_rows, known, rng)

    def _draw_within(self, given: RowConditions, rng: np.random.Generator) -> tuple[Wholes, Wholes]:
        """Draw rows with their own conditions, from a chain that begins with these columns."""
        joint, (asked, classes) = self.joint, given
        # The most restricted columns come first.
        left = {at: float(own.add_up(joint.columns[at].shares).sum()) for at, own in asked.items()}
        chain = joint.chain_from(sorted(left, key=left.__getitem__)) if asked else joint.chain
        num_rows, size = len(classes), len(chain.links)
        last = max((at for at, link in enumerate(chain.links) if link.column in asked), default=-1)
        links = [link for link in chain.links[: last + 1] if link.column != joint.class_column]
        columns = [link.column for link in links]
        if joint.class_column is not None:
            columns.append(joint.class_column)
        known = {column: np.empty(num_rows, dtype=np.int64) for column in columns}
        for pools in cut_pools(given.keys, num_rows, MOST_ROWS, ROOM, (LEAST_POOL, POOL_PER_ROW)):
            own = {at: each[pools.first] for at, each in asked.items()}
            start = Drawn.start(len(pools.first) * len(self.totals), size)
            weights = self.totals * classes[pools.first]
            drawn = _draw_pools(links, start, weights, own, pools, joint.class_column, rng)
            for column in columns:
                known[column][pools.rows] = drawn[:, column]
        return self._draw_rest(chain, num_rows, known, rng)

    def _draw_rest(
        self, chain: Chain, num_rows: int, known: Mapping[int, Wholes], rng: np.random.Generator
    ) -> tuple[Wholes, Wholes]:
        codes, classes = chain.draw(num_rows, rng, known), np.zeros(num_rows, dtype=np.int64)
        if self.joint.class_column is not None:
            classes = codes[:, self.joint.class_column]
        return codes[:, : self.width], classes


def _draw_pools(  # noqa: PLR0913 (what is drawn, what is asked, and of whom)
    links: Sequence[Link],
    drawn: Drawn,
    totals: Floats,
    asked: Mapping[int, CodeCondition],
    pools: Pools,
    class_column: int | None,
    rng: np.random.Generator,
) -> Wholes:
    """Draw the columns up to the last conditioned one, from a pool for each group; return codes."""
    num_pools, num_classes = totals.shape
    if class_column is not None:
        labels = np.tile(np.arange(num_classes), num_pools)
        drawn.codes[:, class_column] = drawn.bins[:, class_column] = labels
    pool, weights = np.repeat(np.arange(num_pools), num_classes), totals.ravel().copy()
    exact = drawn_yet = False
    for at, link in enumerate(links):
        own = asked[link.column][pool] if link.column in asked else None
        by_class = class_column is not None and link.key == class_column
        if own is not None and own.is_one:
            weights *= _settle_known(link, drawn, own, by_class)
            even_out(weights, pool, num_pools)
            continue
        chances = link.chances(drawn)
        for rows, shares in _restrict(link, own, by_class):
            chances[rows] *= _share_left(link, shares)[link.find_keys(drawn)[rows]]
        if not drawn_yet:
            # The first draw includes the class, and uses all weights so far.
            exact, size = at == len(links) - 1, chances.shape[1]
            counts = np.maximum(LEAST_POOL, POOL_PER_ROW * pools.counts)
            counts = pools.counts if exact else counts
            joined = (weights[:, None] * chances).ravel()
            records, bins = np.divmod(pick(joined, np.repeat(pool, size), counts, rng), size)
            drawn, pool = Drawn(drawn.codes[records], drawn.bins[records]), pool[records]
            weights, own, drawn_yet = np.ones(len(pool)), own and own[records], True
        else:
            weights *= chances.sum(axis=1)
            bins = link.draw(chances, drawn, rng)
        for rows, shares in _restrict(link, own, by_class) or [(np.arange(len(pool)), link.shares)]:
            part = Drawn(drawn.codes[rows], drawn.bins[rows])
            replace(link, shares=shares).write(part, bins[rows], rng)
            drawn.codes[rows, link.column] = part.codes[:, link.column]
        drawn.bins[:, link.column] = bins
        even_out(weights, pool, num_pools)
    if exact:  # there is one record for each row
        return drawn.codes
    return drawn.codes[pick(weights, pool, pools.counts, rng)]


def _settle_known(link: Link, drawn: Drawn, own: CodeCondition, by_class: bool) -> Floats:
    """Write the only allowed codes into records; return their probabilities, shape (n,)."""
    codes, keys = own.codes, link.find_keys(drawn)
    bins = link.of_code[codes]
    whole = link.add_up(link.shares)[keys, bins]
    occurs = own.occurs[keys, codes] if by_class else own.occurs[:, codes].any(axis=0)
    left = np.where((bins >= 0) & occurs, link.shares[keys, codes], 0.0)
    inside = np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
    found = link.chances(drawn)[np.arange(len(codes)), bins] * inside
    drawn.codes[:, link.column], drawn.bins[:, link.column] = codes, bins
    return np.asarray(found)


def _restrict(link: Link, own: CodeCondition | None, by_class: bool) -> list[tuple[Wholes, Floats]]:
    """Return groups of records with equal allowed codes, and the shares of these codes, (R, S)."""
    if own is None:
        return []
    found, first, which = np.unique(own.codes, return_index=True, return_inverse=True)
    masks = own[first].list_masks()
    parts = []
    for at in range(len(found)):
        mask = own.occurs & masks[at]
        shares = link.shares * (mask if by_class else mask.any(axis=0))
        parts.append((np.flatnonzero(which == at), shares))
    return parts


def _share_left(link: Link, shares: Floats) -> Floats:
    """Return the part of each bin's probability that belongs to allowed codes, by key, (R, G)."""
    left, whole = link.add_up(shares), link.add_up(link.shares)
    return np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
