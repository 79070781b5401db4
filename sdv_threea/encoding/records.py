"""The encoder of private records, which makes codes and classes (:mod:`sdv_threea.rows.codes`)."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.describe.description import Description
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.transformers import Transformer, list_coders
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.codes import Coder, locate
from sdv_threea.rows.records import Located


class RecordEncoder(NamedTuple):
    """Maps records to codes and classes, by facts that are public or released."""

    description: Description
    transformers: tuple[Transformer, ...]
    classes: Classes
    scored: NDArray[np.int64]

    @property
    def coder(self) -> Coder:
        """The map from records to codes and classes."""
        classes = self.classes
        columns = list_coders(self.transformers)
        return Coder(columns, self.scored, classes.target, classes.of_code, classes.count)

    def locate(self, rows: Rows[pd.DataFrame], pairs: tuple[tuple[int, int], ...]) -> Rows[Located]:
        """Return the codes of categories, and the places of numbers inside their codes.

        Each pair is a categorical and a numerical column, by their places among the scored columns.
        """
        columns = list_coders(self.scored_transformers)
        found = tuple((columns[category], columns[number]) for category, number in pairs)
        return rows.map(partial(locate, cast(Any, found)))

    @property
    def scored_transformers(self) -> tuple[Transformer, ...]:
        """The transformers of the columns that get a normal score."""
        return tuple(self.transformers[at] for at in self.scored)
