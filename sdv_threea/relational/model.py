"""The released model of one table of a database, and rows drawn from it.

In go the model, the *context* of each row (the released columns of the row that owns it), and the
row before it. Out comes a row per row of the context. No private row is read, so
draws cost no privacy, and their source of randomness needs no secrecy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.constants import RelationalConstants
from sdv_threea.encoding.transformers import decode, encode
from sdv_threea.joint.chain import Chain
from sdv_threea.relational.layout import Layout
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.release import Release
from sdv_threea.sampling.context import Context, draw_in_context

#: The least chance of a code in a class. A code that was never counted in a class must not exclude
#: the class, and the logarithm of its chance must be finite.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True)
class Agreement:
    """What rows of one owner have in common beyond their context: publishable.

    Args:
        columns: The columns whose codes rows keep, the one that is kept most often first.
        chances: By column, the chance that a row keeps each code of the row before it, shape (S,).
        chain: The distribution of all columns, in which these come first after the context. There
            is none if pairs of columns are not counted.
    """

    columns: tuple[str, ...]
    chances: tuple[NDArray[np.float64], ...]
    chain: Chain | None


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
        agreement: What a row keeps of the row before it, where there is no such model; ``None`` if
            nothing is known of it.
        ordered: Whether the row before is the last one, and not any other row of the owner.
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

    @property
    def context(self) -> NDArray[np.int64]:
        """The positions of the context's columns among the columns with scores, shape (q,)."""
        names = [self.released.transformers[at].name for at in self.released.scored]
        return np.flatnonzero([name in self.layout.context for name in names])

    def hides(self, chances: NDArray[np.float64]) -> bool:
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
    model's :class:`Agreement` says. One number decides for all columns of a row, so those that are
    kept come first in the chain.
    """
    released, agreement, chain = model.released, model.agreement, None
    codes = encode_context(model, context).astype(np.int64).T
    known = dict(zip(model.layout.context, codes, strict=True))
    if before is not None and agreement is not None:
        decided, chain = rng.random(len(context)), agreement.chain
        for name, chances in zip(agreement.columns, agreement.chances, strict=True):
            theirs = before[name].to_numpy()
            known[name] = np.where(decided < chances[theirs], theirs, -1)
    if not known:
        drawn = released.sample(len(context), rng)
    elif released.joint is not None:
        drawn = released.sample_given(known, len(context), rng, chain)
    else:
        drawn = decode(_draw_codes(model, known, rng), released.transformers, rng)
    return drawn.drop(columns=list(model.layout.context))


def _draw_codes(
    model: TableRelease, known: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw codes of all columns, shape (n, m), from the Gaussian of a class given known codes.

    A code of -1 is drawn; in the context it tells nothing.
    """
    released = model.released
    names = [released.transformers[at].name for at in released.scored]
    places = np.array([names.index(name) for name in known], dtype=np.int64)
    table = np.stack(list(known.values()), axis=1)
    given = (table >= 0) | np.array([name in model.layout.context for name in known])
    scored = np.empty((len(table), len(names)), dtype=np.int64)
    classes = np.zeros(len(table), dtype=np.int64)
    patterns, group = np.unique(given, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows, columns = np.flatnonzero(group.ravel() == number), places[pattern]
        found = table[rows][:, pattern]
        context = describe_context(released, columns, found)
        classes[rows], quantiles = draw_in_context(released.mixture, context, rng)
        scored[np.ix_(rows, columns)] = found
        other = np.setdiff1d(np.arange(len(names)), columns)
        for at, column in zip(other, quantiles.T, strict=True):
            scored[rows, at] = released.scores.codes(at, column, classes[rows])
    codes = np.zeros((len(table), len(released.transformers)), dtype=np.int64)
    codes[:, released.scored] = np.maximum(scored, 0)
    if released.labels is not None:
        classes = released.labels.draw(scored, rng)
    released.classes.write_target(codes, classes)
    return codes


def encode_context(model: TableRelease, context: pd.DataFrame) -> NDArray[np.int32]:
    """Return the codes of the context of rows, shape (n, q); -1 for a value without a code."""
    at = model.released.scored[model.context]
    return encode(context, tuple(model.released.transformers[place] for place in at))


def describe_context(
    released: Release, columns: NDArray[np.int64], codes: NDArray[np.integer]
) -> Context:
    """Look up the scores and log chances of known codes of shape (n, q), in every class.

    ``columns`` are positions among the columns with scores, shape (q,). A value without a code (-1)
    gets the mean score, 0, and does not change the chances of classes.
    """
    scores = released.scores
    num_classes = len(scores.variances)
    found = np.zeros((num_classes, *codes.shape))
    chances = np.zeros((num_classes, len(codes)))
    for place, at in enumerate(columns):
        column, present = np.maximum(codes[:, place], 0), codes[:, place] >= 0
        found[:, :, place] = np.where(present, scores.scores[at][:, column] / SCORE_UNITS, 0.0)
        logs = np.log(np.maximum(scores.chances(at), LEAST_CHANCE))
        chances += np.where(present, logs[:, column], 0.0)
    return Context(columns, found, chances, scores.variances)
