"""Private records become codes and classes, each record by itself, before they are summed.

Formal guarantees, of every function here:
    * what becomes of a record is a function of that record and of what is public or released
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.describe.description import Description
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.transformers import Transformer, encode
from sdv_threea.rows.records import Encoded, Located


class RecordEncoder(NamedTuple):
    """Maps records to codes and classes, by facts that are public or released."""

    description: Description
    transformers: tuple[Transformer, ...]
    classes: Classes
    scored: NDArray[np.int64]

    def encode(self, chunk: pd.DataFrame) -> Encoded:
        """Return the codes and classes of records; records without a class are left out."""
        codes = encode(chunk, self.transformers)
        labels = self.classes.label(codes)
        # A record whose target is not on the list has no class, and is not counted.
        kept = np.flatnonzero(labels >= 0)
        # Columns are read one at a time: stored column by column, in small integers.
        return Encoded(
            np.asfortranarray(codes[kept][:, self.scored]),
            labels[kept].astype(np.min_scalar_type(-self.classes.count)),
        )

    def locate(self, pairs: tuple[tuple[int, int], ...], chunk: pd.DataFrame) -> Located:
        """Return the codes of categories, and the places of numbers inside their codes.

        The pairs are a category and a number each, by their places among the scored columns.
        """
        columns = self.scored_transformers
        found = [(columns[category], columns[number]) for category, number in pairs]
        codes = [category.encode(chunk[category.name]) for category, _ in found]
        places = [number.place(chunk[number.name]) for _, number in found]
        return Located(np.stack(codes, axis=1), np.stack(places, axis=1))

    @property
    def scored_transformers(self) -> tuple[Transformer, ...]:
        """The transformers of the columns that get a normal score."""
        return tuple(self.transformers[at] for at in self.scored)
