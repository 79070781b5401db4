"""A fit takes no more memory for more rows, beyond the table that it is given."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd

from sdv_threea import ClustMixSynthesizer
from sdv_threea.privacy import rows

COLUMNS = {
    'amount': {'sdtype': 'numerical'},
    'age': {'sdtype': 'numerical'},
    'label': {'sdtype': 'categorical'},
}
FEW, MANY = 16_000, 96_000


def measure_peak(metadata, num_rows):
    """The bytes that a fit takes at most, beyond those of the table."""
    rng = np.random.default_rng(7)
    label = rng.random(num_rows) < 0.4
    table = pd.DataFrame(
        {
            'amount': rng.normal(label, 2.0),
            'age': rng.integers(18, 90, num_rows),
            'label': pd.Categorical(np.where(label, 'yes', 'no')),
        }
    )
    terms = {'epsilon': 30.0, 'delta': 1e-7, 'n_components': 1, 'target_column': 'label'}
    synthesizer = ClustMixSynthesizer(metadata, **terms)
    tracemalloc.start()
    try:
        synthesizer.fit({'people': table})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_not_even_one_column_is_copied_as_a_whole(monkeypatch, build_metadata):
    monkeypatch.setattr(rows, 'CHUNK_CELLS', 2**13)
    monkeypatch.setattr(rows, 'KEPT_BYTES', 2**14)
    metadata = build_metadata(COLUMNS)
    measure_peak(metadata, 1000)  # fills the caches of all later fits

    copied = np.dtype(float).itemsize * MANY
    assert measure_peak(metadata, MANY) < measure_peak(metadata, FEW) + copied
