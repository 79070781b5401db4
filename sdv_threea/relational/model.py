"""The released model of one table of a database, and rows drawn from it.

In go the model, the *context* of each row (the released columns of the row that owns it), and
effects that siblings share. Out comes a row per row of the context. No private row is read, so
draws cost no privacy, and their source of randomness needs no secrecy.
"""

from __future__ import annotations

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
from sdv_threea.sampling.context import Context, Shared, draw_in_context

#: The least chance of a code in a class. A code that was never counted in a class must not exclude
#: the class, and the logarithm of its chance must be finite.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True)
class Agreement:
    """What rows of one owner have in common beyond their context: publishable.

    Args:
        columns: The columns whose codes rows keep, the one that is kept most often first.
        chances: By column, the chance that a row keeps each code of the row before it, shape (S,).
        chain: The distribution of all columns, in which these come first after the context.
    """

    columns: tuple[str, ...]
    chances: tuple[NDArray[np.float64], ...]
    chain: Chain


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
        common: Covariance of the effects that siblings share, shape (r, r) for ``r`` own columns
            with scores; ``None`` if not released.
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
    common: NDArray[np.float64] | None = None
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


def draw_shared(
    model: TableRelease, owners: NDArray[np.int64], rng: np.random.Generator
) -> Shared | None:
    """Return the effects that siblings share; ``None`` if they were not released.

    ``owners`` is the owner of each row, -1 for none, shape (n,). Rows without one share nothing.
    """
    if model.common is None:
        return None
    # A row without an owner is a group of its own, so it gets a number that no owner has.
    groups = np.where(owners >= 0, owners, owners.max(initial=0) + 1 + np.arange(len(owners)))
    _, group = np.unique(groups, return_inverse=True)
    # ``root root^T`` is the covariance, and so is that of ``z root^T`` for a standard normal ``z``.
    values, vectors = np.linalg.eigh(model.common)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    num_groups = int(group.max(initial=-1)) + 1
    effects = rng.standard_normal((num_groups, len(values))) @ root.T
    return Shared(effects[group], model.common)


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    shared: Shared | None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context and the result of :func:`draw_shared`.

    Rows of a joint density share their context alone, and ``shared`` is not read.
    """
    released = model.released
    names = [transformer.name for transformer in released.transformers]
    own = [name for name in names if name not in model.layout.context]
    if context.empty and shared is None:
        return released.sample(len(context), rng)[own]
    if released.joint is not None:
        columns = encode_context(model, context).astype(np.int64).T
        codes_of = dict(zip(model.layout.context, columns, strict=True))
        return released.sample_given(codes_of, len(context), rng)[own]
    known, other = model.context, np.setdiff1d(np.arange(len(released.scored)), model.context)
    found = encode_context(model, context)
    given = describe_context(model, found)
    classes, quantiles = draw_in_context(released.mixture, given, rng, shared)
    codes = np.zeros((len(context), len(released.transformers)), dtype=np.int64)
    scored = np.empty((len(context), len(released.scored)), dtype=np.int64)
    scored[:, known] = found
    for at, column in zip(other, quantiles.T, strict=True):
        scored[:, at] = released.scores.codes(at, column, classes)
    codes[:, released.scored[other]] = scored[:, other]
    if released.labels is not None:
        classes = released.labels.draw(scored, rng)
    released.classes.write_target(codes, classes)
    return decode(codes, released.transformers, rng)[own]


def draw_alike(
    model: TableRelease,
    context: pd.DataFrame,
    before: pd.DataFrame,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows that keep codes of the rows before them: columns of ``before``.

    One number decides for all columns of a row, so those that are kept come first in the chain.
    """
    agreement, released = model.agreement, model.released
    assert agreement is not None
    codes = encode_context(model, context).astype(np.int64).T
    known = dict(zip(model.layout.context, codes, strict=True))
    decided = rng.random(len(context))
    for name, chances in zip(agreement.columns, agreement.chances, strict=True):
        theirs = before[name].to_numpy()
        known[name] = np.where(decided < chances[theirs], theirs, -1)
    drawn = released.sample_given(known, len(context), rng, agreement.chain)
    return drawn.drop(columns=list(model.layout.context))


def encode_context(model: TableRelease, context: pd.DataFrame) -> NDArray[np.int32]:
    """Return the codes of the context of rows, shape (n, q); -1 for a value without a code."""
    at = model.released.scored[model.context]
    return encode(context, tuple(model.released.transformers[place] for place in at))


def describe_context(model: TableRelease, codes: NDArray[np.int32]) -> Context:
    """Look up the scores and log chances of context codes of shape (n, q), in every class.

    A value without a code (-1) gets the mean score, 0, and does not change the chances of classes.
    """
    columns, scores = model.context, model.released.scores
    num_classes = len(scores.variances)
    found = np.zeros((num_classes, *codes.shape))
    chances = np.zeros((num_classes, len(codes)))
    for place, at in enumerate(columns):
        column, present = np.maximum(codes[:, place], 0), codes[:, place] >= 0
        found[:, :, place] = np.where(present, scores.scores[at][:, column] / SCORE_UNITS, 0.0)
        logs = np.log(np.maximum(scores.chances(at), LEAST_CHANCE))
        chances += np.where(present, logs[:, column], 0.0)
    return Context(columns, found, chances, scores.variances)
