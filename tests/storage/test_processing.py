"""What is made up is stored as the private column was, or stays as it was generated."""

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer


@pytest.mark.parametrize('dtype', ['Int64', 'boolean', 'datetime64[ns]', 'float64', 'object'])
def test_a_made_up_column_of_any_dtype_is_sampled(dtype):
    """The budget is spent by then: an error would lose the release."""
    cells = pd.Series([1, 0, 1] * 20).astype(dtype)
    table = pd.DataFrame({'lat': cells, 'n': range(60)})
    columns = {'lat': {'sdtype': 'latitude'}, 'n': {'sdtype': 'numerical'}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=5.0)
    synthesizer.fit({'t': table})
    sampled = synthesizer.sample(4)['t']['lat']

    assert len(sampled) == 4
    assert sampled.dtype == ('object' if dtype == 'boolean' else dtype)
