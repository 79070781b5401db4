"""Who is audited: ours, ours broken on purpose, and synthesizers of SDV that promise nothing."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from neighbours import Schema
from numpy.typing import NDArray
from sdv.metadata import Metadata
from sdv.multi_table import HMASynthesizer
from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer
from tables import state_facts

from sdv_threea import ClustMixSynthesizer
from sdv_threea.privacy.mechanism import discrete_gaussian

OURS = 'ClustMix'

#: Epochs of SDV's neural synthesizer: few, as it is fitted many times.
EPOCHS = 10


def draw_a_third(size: int, scale: float) -> NDArray[np.int64]:
    """Draw noise of a third of the scale that is paid for."""
    return discrete_gaussian(size, scale / 3)


class CategoriesFromData:
    """Takes the lists of categories from the private table, as who detects metadata does."""

    def __init__(self, metadata: Metadata, **settings: Any) -> None:
        self.metadata, self.settings = metadata, settings

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, as if what the table holds were public."""
        (table,) = data.values()
        stated = state_facts(table, self.metadata)
        self.inner = ClustMixSynthesizer(stated, **{**self.settings, 'public_metadata': True})
        self.inner.fit(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class KeepsRowCount(ClustMixSynthesizer):
    """Keeps the number of rows, which nobody paid for."""

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, and count."""
        super().fit(data)
        self.row_count = sum(map(len, data.values()))


class WarnsOfRows(ClustMixSynthesizer):
    """Warns of the largest number, and keeps nothing of it."""

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, and warn."""
        super().fit(data)
        warnings.warn(f'There are numbers up to {data["table"]["x"].max()}.', stacklevel=2)


#: Ours, broken on purpose.
BROKEN = {
    'categories from the data': CategoriesFromData,
    'an unpaid row count': KeepsRowCount,
    'a warning with a value': WarnsOfRows,
}

#: Those that claim nothing.
SILENT = {
    'GaussianCopula': GaussianCopulaSynthesizer,
    'CTGAN': partial(CTGANSynthesizer, epochs=EPOCHS),
    'HMA': partial(HMASynthesizer, verbose=False),
}


def make_suspect(name: str, schema: Schema, **claim: Any) -> Any:
    """Make a fresh synthesizer, with the epsilon and the relation of who claims anything."""
    if name in SILENT:
        return SILENT[name](schema.metadata)
    return schema.make(**claim, **({'kind': BROKEN[name]} if name in BROKEN else {}))
