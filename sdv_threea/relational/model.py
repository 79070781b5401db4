"""The released model of one table of a database, and rows drawn from it.

A row is drawn given its *context* (the released columns of the row that owns it) and the row before
it. No private row is read: draws cost no privacy, and their randomness needs no secrecy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import RelationalConstants
from sdv_threea.domain import Number
from sdv_threea.encoding.encoders import encode
from sdv_threea.joint.chain import Chain
from sdv_threea.relational.layout import Layout
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.release import Release
from sdv_threea.rows.units.links import Ends
from sdv_threea.sampling.asked import CodeCondition
from sdv_threea.schema import Link


@dataclass(frozen=True)
class Agreement:
    """How a row depends on the row before it, column by column: publishable.

    Args:
        columns: The columns that depend on the row before.
        moves: By column, the probability that a code of the row before sets each code of the row,
            shape (S, S); none if there is a chain.
        kept: By column, the probability that a code in a bin is repeated, shape (G,).
        chain: The distribution of all columns and, as last columns, these columns of the row
            before; ``None`` if pairs of columns are not counted.
    """

    columns: tuple[str, ...]
    moves: tuple[Floats, ...] = ()
    kept: tuple[Floats, ...] = ()
    chain: Chain | None = None


@dataclass(frozen=True)
class Led(Chain):
    """A chain of rows given the row before each.

    Args:
        before: By column of the row before, its codes, shape (n,).
        own: By column of the row before, the same column of the row, and the probability that a
            code is repeated if both are in a bin, shape (G,).
    """

    before: Mapping[int, Wholes]
    own: Mapping[int, tuple[int, Floats]]

    def draw(
        self, num_rows: int, rng: np.random.Generator, known: Mapping[int, Wholes] | None = None
    ) -> Wholes:
        """Draw records as :meth:`Chain.draw` does; return their codes, shape (num_rows, m)."""
        codes = super().draw(num_rows, rng, {**(known or {}), **self.before})
        of_code = {link.column: link.of_code for link in self.links}
        for last, (at, chances) in self.own.items():
            bins, theirs = of_code[at], self.before[last]
            alike = (bins[codes[:, at]] == bins[theirs]) & (bins[theirs] >= 0)
            alike &= rng.random(num_rows) < chances[bins[theirs]]
            codes[alike, at] = theirs[alike]
        return codes


@dataclass(frozen=True)
class References:
    """Released facts about references to rows of other units: publishable.

    Args:
        chances: The probability that a row of the parent has no reference, then of each magnitude
            of their number; empty if references are not evidently uneven.
        ends: Columns at both ends that depend on each other, the most informative first.
        tables: For each of them, the probabilities of the cells.
        uneven: For each of them, whether references clearly prefer some of the parent's values.
        repeats: The share of pairs of rows of one owner that refer to the same row, and its noise;
            for a public parent, the share of units that have such rows.
    """

    chances: Floats = field(default_factory=lambda: np.zeros(0))
    ends: tuple[Ends, ...] = ()
    tables: tuple[Floats, ...] = ()
    uneven: tuple[bool, ...] = ()
    repeats: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class TableRelease:
    """The released model of one table: publishable. Siblings are rows of one owner.

    Args:
        released: The release of its rows, with the context of each as further columns.
        layout: The columns of ``released``.
        size: The estimated number of rows.
        orphans: The estimated share of rows without an owner.
        noise: Standard deviation of the noise of a released share of the rows.
        size_noise: Standard deviation of the noise of ``size``.
        rows_per_unit: The largest number of rows of a unit that were read; ``None`` for all.
        following: The model of a row given the row before it, both as codes of ``released``;
            ``None`` if rows are drawn given only their owner.
        agreement: The dependence on the row before, column by column, if there is no such model;
            ``None`` if it was not released.
        ordered: Whether the row before a row precedes it in order, or is a random one of the owner.
        references: By foreign key, released facts about references to rows of other units.
        index: The user's column that rises among the rows of one owner; ``None`` for none.
    """

    released: Release
    layout: Layout
    size: float
    orphans: float = 0.0
    noise: float = 0.0
    magnitudes: Magnitudes | None = None
    rows_per_unit: int | None = 1
    constants: RelationalConstants = RelationalConstants()
    following: TableRelease | None = None
    agreement: Agreement | None = None
    ordered: bool = False
    size_noise: float = 0.0
    references: Mapping[Link, References] = field(default_factory=dict)
    index: Number | None = None

    @property
    def context(self) -> Wholes:
        """The positions of the context's columns among the columns with scores, shape (q,)."""
        names = [self.released.transformers[at].name for at in self.released.scored]
        return np.flatnonzero([name in self.layout.context for name in names])

    @property
    def is_masked(self) -> bool:
        """Whether noise exceeds all shares of the rows."""
        return self.noise * self.constants.clear_of_noise() > 1

    def hides(self, chances: Floats) -> bool:
        """Return whether noise may explain all released probabilities of a column."""
        return self.noise * self.constants.clear_of_noise() > float(chances.max(initial=0.0))


@dataclass(frozen=True)
class Drawn:
    """The rows drawn for a table.

    Args:
        parents: By link, the row of the parent that each row refers to, -1 for none.
        shown: The columns that rows below depend on, with numbers of rows as they were drawn.
    """

    rows: pd.DataFrame
    parents: Mapping[Link, Wholes]
    shown: pd.DataFrame


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    rng: np.random.Generator,
    before: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context.

    ``before`` has the codes of the rows before them, by column; rows then depend on these by the
    model's :class:`Agreement`. Without a chain, one random number per row decides for all columns.
    """
    released, agreement = model.released, model.agreement
    chain = released.joint.chain if released.joint else None
    codes = encode_context(model, context).astype(np.int64).T
    known = dict(zip(model.layout.context, codes, strict=True))
    if before is not None and agreement is not None:
        theirs = [before[name].to_numpy() for name in agreement.columns]
        if agreement.chain is not None:
            chain = _lead(released, agreement, theirs)
        decided = rng.random(len(context))
        for name, own, moves in zip(agreement.columns, theirs, agreement.moves, strict=False):
            known[name] = _move(own, moves, decided)
    drawn = released.sample(len(context), rng, _ask(released, known), chain)
    return drawn.drop(columns=list(model.layout.context))


def _lead(released: Release, agreement: Agreement, theirs: list[Wholes]) -> Led:
    """Return the chain of rows, given ``theirs``: the codes of the rows before, by column."""
    assert released.joint is not None
    assert agreement.chain is not None
    names = [released.transformers[at].name for at in released.scored]
    last = range(len(released.joint.columns), len(released.joint.columns) + len(theirs))
    barred = {at for pair in released.joint.functions for at in pair}
    own = {
        column: (names.index(name), kept)
        for column, name, kept in zip(last, agreement.columns, agreement.kept, strict=True)
        if names.index(name) not in barred
    }
    return Led(agreement.chain.links, dict(zip(last, theirs, strict=True)), own)


def _move(before: Wholes, moves: Floats, decided: Floats) -> Wholes:
    """Return the code that the code before sets, -1 for none, shape (n,); itself comes first."""
    size = len(moves)
    order = np.argsort(~np.eye(size, dtype=np.bool_), axis=1, kind='stable')
    passed = np.cumsum(np.take_along_axis(moves, order, axis=1), axis=1)[before]
    place = (passed <= decided[:, None]).sum(axis=1)
    return np.where(place < size, order[before, np.minimum(place, size - 1)], -1)


def _ask(released: Release, known: Mapping[str, Wholes]) -> dict[str, CodeCondition]:
    """Return conditions on known codes, shape (n,) each; -1, or a code that cannot occur, is free.

    Numbers that do not occur are replaced by the nearest ones that do.
    """
    asked, reached = {}, np.ones((released.classes.count, 1), dtype=np.bool_)
    ordered = {each.name for each in released.transformers if each.ordered}
    for name, codes in known.items():
        occurs = released.chances(name) > 0
        if name in ordered:
            codes = _find_nearest(codes, np.asarray(occurs.any(axis=0)))
        own = reached & occurs[:, codes]
        drawn = (codes >= 0) & own.any(axis=0)
        reached = np.where(drawn, own, reached)
        asked[name] = CodeCondition.of(np.where(drawn, codes, -1), occurs)
    return asked


def _find_nearest(codes: Wholes, occurs: Bools) -> Wholes:
    there, places = np.flatnonzero(occurs[1:]) + 1, np.arange(len(occurs))
    if not len(there):
        return codes
    after = np.searchsorted(there, places).clip(max=len(there) - 1)
    before = (after - 1).clip(min=0)
    nearer = np.abs(there[before] - places) < np.abs(there[after] - places)
    nearest = np.where(nearer, there[before], there[after])
    return np.where(codes > 0, nearest[codes], codes)


def encode_context(model: TableRelease, context: pd.DataFrame) -> NDArray[np.int32]:
    """Return the codes of the context of rows, shape (n, q); -1 for a value without a code."""
    at = model.released.scored[model.context]
    return encode(context, tuple(model.released.transformers[place] for place in at))
