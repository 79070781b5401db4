"""What is released of one table of a database, and how rows are drawn from it.

In go the released model of the table, the released columns of the rows that own its rows (their
*context*) and random effects that siblings share. Out come rows, one per row of the context. No
private row is read, so rows may be drawn as often as one likes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.constants import RelationalConstants
from sdv_threea.encoding.transformers import decode, encode
from sdv_threea.relational.layout import Layout
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.release import Release
from sdv_threea.sampling.context import Context, Shared, draw_in_context

#: The least chance of a code in a class. A code that was never seen in a class must not rule the
#: class out for good, and its logarithm must be finite.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True)
class TableRelease:
    """The released model of one table: publishable.

    Siblings are rows of one owner.

    Args:
        released: The release of its rows, with the context of each as further columns.
        layout: The columns of ``released``.
        size: The estimated number of rows.
        orphans: The estimated share of rows without an owner.
        noise: Standard deviation of the noise of a released share of the rows.
        common: Covariance of the effects that siblings share, shape (r, r) for ``r`` own columns
            with scores; ``None`` if that was not released.
        together: The chance that two siblings have the same component because they are siblings.
        magnitudes: How many units have how many rows, where that was released.
        rows_per_unit: How many rows of a unit were looked at; ``None`` for all.
        constants: Those of the release; samples are drawn with the same.
    """

    released: Release
    layout: Layout
    size: float
    orphans: float = 0.0
    noise: float = 0.0
    common: NDArray[np.float64] | None = None
    together: float = 0.0
    magnitudes: Magnitudes | None = None
    rows_per_unit: int | None = 1
    constants: RelationalConstants = RelationalConstants()

    @property
    def context(self) -> NDArray[np.int64]:
        """The positions of the context's columns among the columns with scores, shape (q,)."""
        names = [self.released.transformers[at].name for at in self.released.scored]
        return np.flatnonzero([name in self.layout.context for name in names])


def draw_shared(
    model: TableRelease, owners: NDArray[np.int64], rng: np.random.Generator
) -> Shared | None:
    """Draw the effects and the choices of components that siblings share.

    Args:
        model: The released model of the table.
        owners: The row that owns each row, -1 for none, shape (n,).
        rng: Source of randomness; it needs no secrecy.

    Returns:
        What rows have in common, or ``None`` if nothing was released of that. A row without an
        owner has nothing in common with others.
    """
    if model.common is None:
        return None
    # Rows without an owner are groups of one: they get numbers that no owner has.
    groups = np.where(owners >= 0, owners, owners.max(initial=0) + 1 + np.arange(len(owners)))
    _, group = np.unique(groups, return_inverse=True)
    # ``root root^T`` is the covariance, so ``z root^T`` has it if ``z`` is standard normal.
    values, vectors = np.linalg.eigh(model.common)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    num_groups = int(group.max(initial=-1)) + 1
    effects = rng.standard_normal((num_groups, len(values))) @ root.T
    # Each sibling takes up its group's choice with the chance ``sqrt(together)``, so two siblings
    # both do with the chance ``together``.
    kept = rng.random(len(owners)) < math.sqrt(model.together)
    places = np.where(kept, rng.random(num_groups)[group], np.nan)
    return Shared(effects[group], model.common, places)


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    shared: Shared | None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context and what they share with siblings.

    Args:
        model: The released model of the table.
        context: The context of each row, without columns for a table without an owner.
        shared: What siblings share, from :func:`draw_shared`.
        rng: Source of randomness; it needs no secrecy.

    Returns:
        A row per row of the context.
    """
    released = model.released
    names = [transformer.name for transformer in released.transformers]
    own = [name for name in names if name not in model.layout.context]
    if context.empty and shared is None:
        return released.sample(len(context), rng)[own]
    known, other = model.context, np.setdiff1d(np.arange(len(released.scored)), model.context)
    transformers = tuple(released.transformers[at] for at in released.scored[known])
    found = encode(context, transformers)
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


def describe_context(model: TableRelease, codes: NDArray[np.int32]) -> Context:
    """Look up the scores and the chances of the codes of a context, in every class.

    A code of -1 stands for a value without a code. It gets the score 0, the mean, and tells nothing
    about the class.

    Args:
        model: The released model of the table.
        codes: Codes of the context, shape (n, q).

    Returns:
        What is known of the rows that are to be drawn.
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
