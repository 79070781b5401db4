"""What becomes of private records before they are summed: each is mapped by itself.

Formal guarantees, of every function here:
    * what becomes of a record is a function of that record and of what is public or released
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.adapt.centroids import Targeted
from sdv_threea.approximate.counts import Encoded
from sdv_threea.approximate.partition import assign
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.describe import Description
from sdv_threea.encoding.transformers import Transformer, encode
from sdv_threea.moments import Grouped


class Layout(NamedTuple):
    """How records become codes and classes: released or public."""

    description: Description
    transformers: tuple[Transformer, ...]
    classes: Classes
    scored: NDArray[np.int64]

    def encode(self, chunk: pd.DataFrame) -> Encoded:
        """Encode and label records; those of no class are left out."""
        codes = encode(chunk, self.transformers)
        labels = self.classes.label(codes)
        kept = np.flatnonzero(labels >= 0)
        return Encoded(
            np.asfortranarray(codes[kept][:, self.scored]),
            labels[kept].astype(np.min_scalar_type(-self.classes.count)),
        )

    @property
    def scored_transformers(self) -> tuple[Transformer, ...]:
        """The transformers of the columns that get a normal score."""
        return tuple(self.transformers[at] for at in self.scored)


def score_in_class(scores: NormalScores, chunk: Encoded) -> Grouped:
    """Score records within their class."""
    return Grouped(scores(*chunk), chunk.labels)


def score_pooled(pooled: NormalScores, chunk: Encoded) -> Grouped:
    """Score records among all classes."""
    return Grouped(pooled(chunk.codes, np.zeros_like(chunk.labels)), chunk.labels)


def add_target(pooled: NormalScores, classes: Classes, chunk: Encoded) -> Targeted:
    """Score records among all classes, and say what is to be predicted."""
    return Targeted(score_pooled(pooled, chunk).scores, classes.targets(chunk.labels))


def place_in_cell(
    scores: NormalScores, pooled: NormalScores, centroids: NDArray[np.int64], chunk: Encoded
) -> Grouped:
    """Score records within their class, and assign them to cells."""
    return Grouped(scores(*chunk), assign(*score_pooled(pooled, chunk), centroids))
