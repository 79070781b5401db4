"""What is released of one table, and rows drawn from it in the context of those that own them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.encoding.transformers import decode, encode
from sdv_threea.relational.layout import Layout
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.release import Release
from sdv_threea.sampling.context import Context, Shared, draw_in_context

#: A context whose codes have no chance in a class counts as this improbable.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True)
class TableRelease:
    """The released model of one table: publishable.

    Args:
        released: The release of its rows beside the codes of those that own them.
        layout: The columns of ``released``.
        size: About how many rows the table has.
        orphans: About which share of them has no owner.
        noise: Standard deviation of the noise of a released share of the rows.
        common: Covariance of what siblings share, shape (r, r), if they do.
        together: The chance with which they share their component.
        magnitudes: How many units have how many rows, where that was asked.
        rows_per_unit: How many rows of a unit were looked at; ``None`` for all.
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

    @property
    def context(self) -> NDArray[np.int64]:
        """Which of the scored columns are context, shape (q,)."""
        names = [self.released.transformers[at].name for at in self.released.scored]
        return np.flatnonzero([name in self.layout.context for name in names])


def draw_shared(
    model: TableRelease, owners: NDArray[np.int64], rng: np.random.Generator
) -> Shared | None:
    """Draw what siblings share; rows without an owner share it with nobody."""
    if model.common is None:
        return None
    groups = np.where(owners >= 0, owners, owners.max(initial=0) + 1 + np.arange(len(owners)))
    _, group = np.unique(groups, return_inverse=True)
    values, vectors = np.linalg.eigh(model.common)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    num_groups = int(group.max(initial=-1)) + 1
    effects = rng.standard_normal((num_groups, len(values))) @ root.T
    # Two siblings share what both of them keep: hence the root.
    kept = rng.random(len(owners)) < math.sqrt(model.together)
    places = np.where(kept, rng.random(num_groups)[group], np.nan)
    return Shared(effects[group], model.common, places)


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    shared: Shared | None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context and what they share with siblings."""
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
    """Look up the scores and chances of the codes of a context, shape (n, q), in every class."""
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
