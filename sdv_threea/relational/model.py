"""The released model of one table of a database, and rows drawn from it.

Input: the model, the *context* of each row (the released columns of the row that owns it), and the
row before it. Output: one row for each row of the context. No private row is read, so draws cost no
privacy, and their source of randomness needs no secrecy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import RelationalConstants
from sdv_threea.domain import Number
from sdv_threea.encoding.transformers import encode
from sdv_threea.joint.chain import Chain
from sdv_threea.relational.layout import Layout
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.release import Release
from sdv_threea.sampling.asked import CodeCondition
from sdv_threea.schema import Link


@dataclass(frozen=True)
class Agreement:
    """Values that rows of one owner share beyond their context: publishable.

    Args:
        columns: The columns whose codes rows keep, the one that is kept most often first.
        chances: By column, the chance that a row keeps each code of the row before it, shape (S,).
        chain: The distribution of all columns, in which these come first after the context. There
            is none if pairs of columns are not counted.
    """

    columns: tuple[str, ...]
    chances: tuple[Floats, ...]
    chain: Chain | None


@dataclass(frozen=True)
class Ends:
    """Columns of a row or of its owner, and of the row that it refers to: public.

    Args:
        own: Whether the first column is that of the row itself, and not of its owner.
    """

    own: bool
    ours: str
    theirs: str


@dataclass(frozen=True)
class References:
    """Released facts about references to rows of other units: publishable.

    Args:
        chances: The chance that a row of the parent has no reference, then of each magnitude of
            their number; empty if uneven references are not evident.
        ends: Columns whose values are compared.
        alike: The share of references with the same value at both ends, shape (r,).
        noise: Standard deviation of the noise of these shares.
        repeats: The share of two rows of one owner that refer to the same row, and its noise.
    """

    chances: Floats = field(default_factory=lambda: np.zeros(0))
    ends: tuple[Ends, ...] = ()
    alike: Floats = field(default_factory=lambda: np.zeros(0))
    noise: float = 0.0
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
        rows_per_unit: The most rows of a unit that were read; ``None`` for all.
        following: The model of a row given the row before it, both as codes of ``released``;
            ``None`` if rows are drawn given their owner alone.
        agreement: The codes that a row keeps from the row before it, if there is no such model;
            ``None`` if that was not released.
        ordered: Whether the row before a row is its predecessor in order, instead of a random row
            of the owner.
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
        return self.noise * self.constants.clear_of_noise > 1

    def hides(self, chances: Floats) -> bool:
        """Return true if noise may explain each of the released chances of a column."""
        return self.noise * self.constants.clear_of_noise > float(chances.max(initial=0.0))


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    rng: np.random.Generator,
    before: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context.

    With ``before``, the codes of the rows before them by column, rows keep codes of these as the
    model's :class:`Agreement` says. One random number per row decides for all columns. Columns kept
    more often come first in the chain.
    """
    released, agreement, chain = model.released, model.agreement, None
    codes = encode_context(model, context).astype(np.int64).T
    known = dict(zip(model.layout.context, codes, strict=True))
    if before is not None and agreement is not None:
        decided, chain = rng.random(len(context)), agreement.chain
        for name, chances in zip(agreement.columns, agreement.chances, strict=True):
            theirs = before[name].to_numpy()
            known[name] = np.where(decided < chances[theirs], theirs, -1)
    if chain is None and released.joint is not None:
        chain = released.joint.chain
    drawn = released.sample(len(context), rng, _ask(released, known), chain)
    return drawn.drop(columns=list(model.layout.context))


def _ask(released: Release, known: Mapping[str, Wholes]) -> dict[str, CodeCondition]:
    """Ask for known codes, shape (n,) each; for any where a code is -1, or cannot be drawn."""
    asked, reached = {}, np.ones((released.classes.count, 1), dtype=np.bool_)
    for name, codes in known.items():
        occurs = released.chances(name) > 0
        own = reached & occurs[:, codes]
        drawn = (codes >= 0) & own.any(axis=0)
        reached = np.where(drawn, own, reached)
        asked[name] = CodeCondition.of(np.where(drawn, codes, -1), occurs)
    return asked


def encode_context(model: TableRelease, context: pd.DataFrame) -> NDArray[np.int32]:
    """Return the codes of the context of rows, shape (n, q); -1 for a value without a code."""
    at = model.released.scored[model.context]
    return encode(context, tuple(model.released.transformers[place] for place in at))
