"""Who is audited: ours, ours broken on purpose, and synthesizers of SDV that promise nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from canaries import Trial
from numpy.typing import NDArray
from sdv.metadata import Metadata
from sdv.multi_table import HMASynthesizer
from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer, TVAESynthesizer
from tables import state_facts

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.mechanism import discrete_gaussian

OURS = 'ClustMix'

#: Epochs of SDV's neural synthesizers: few, as they are fitted many times.
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

    def sample(self, num_rows: int) -> dict[str, pd.DataFrame]:
        """Sample."""
        sampled: dict[str, pd.DataFrame] = self.inner.sample(num_rows=num_rows)
        return sampled


class KeepsRowCount(ClustMixSynthesizer):
    """Keeps the number of rows, which nobody paid for."""

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, and count."""
        super().fit(data)
        self.row_count = sum(map(len, data.values()))


#: Sources of noise of the games.
NOISES = {OURS: discrete_gaussian, 'noise at a third': draw_a_third}

#: Synthesizers that claim something, and the trials that they are put to.
SINGLE = ['far out', 'rare category', 'lone class']
CLAIMING = {
    OURS: [*SINGLE, 'many children'],
    'categories from the data': ['rare category'],
    'an unpaid row count': ['far out'],
}

#: Those that claim nothing.
SILENT = {
    'GaussianCopula': SINGLE,
    'TVAE': ['far out'],
    'CTGAN': ['far out'],
    'HMA': ['many children'],
}


def make_synthesizer(name: str, trial: Trial, epsilon: float, delta: float) -> Any:
    """Make a fresh synthesizer."""
    terms = {'epsilon': epsilon, 'delta': delta, **trial.settings}
    several = len(trial.metadata.tables) > 1
    ours = ClustMixMultiTableSynthesizer if several else ClustMixSynthesizer
    makers = {
        OURS: lambda: ours(trial.metadata, **terms),
        'categories from the data': lambda: CategoriesFromData(trial.metadata, **terms),
        'an unpaid row count': lambda: KeepsRowCount(trial.metadata, **terms),
        'GaussianCopula': lambda: GaussianCopulaSynthesizer(trial.metadata),
        'TVAE': lambda: TVAESynthesizer(trial.metadata, epochs=EPOCHS),
        'CTGAN': lambda: CTGANSynthesizer(trial.metadata, epochs=EPOCHS),
        'HMA': lambda: HMASynthesizer(trial.metadata, verbose=False),
    }
    return makers[name]()
