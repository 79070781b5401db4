"""What ``get_transformers`` returns of a synthesizer: public before a fit, released after it."""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea.encoding.transformers import CategoryEncoder, NumberEncoder
from sdv_threea.synthesizers import ClustMixSynthesizer
from sdv_threea.transforms.dates import DateEncoder

NAME = 'people'
SDTYPES = {
    'age': 'numerical',
    'income': 'numerical',
    'city': 'categorical',
    'joined': 'datetime',
    'left': 'datetime',
}


@pytest.fixture
def table(rng):
    joined = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 500, 900), 'D')
    return pd.DataFrame(
        {
            'age': rng.integers(17, 90, 900),
            'income': np.where(rng.random(900) < 0.2, np.nan, rng.lognormal(8, 1, 900).round(2)),
            'city': rng.choice(['Bern', 'Genf', 'Basel'], 900),
            'joined': joined,
            'left': joined + pd.to_timedelta(rng.integers(1, 90, 900), 'D'),
        }
    )


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def make_metadata(facts=None):
    columns = {name: {'sdtype': sdtype} for name, sdtype in SDTYPES.items()}
    for name, each in (facts or {}).items():
        columns[name] |= each
    return Metadata.load_from_dict({'tables': {NAME: {'columns': columns}}})


def fit(table, **options):
    terms = {'epsilon': 20.0, **options}
    synthesizer = ClustMixSynthesizer(make_metadata(), **terms)
    synthesizer.fit({NAME: table})
    return synthesizer


def test_before_a_fit_transformers_hold_what_is_public(table):
    facts = {
        'city': {'range_values': ['Bern', 'Genf', 'Basel']},
        'age': {'range_min': 0, 'range_max': 99},
    }
    synthesizer = ClustMixSynthesizer(make_metadata(facts), public_metadata=True)
    synthesizer.auto_assign_transformers({NAME: table})
    found = synthesizer.get_transformers()
    assert repr(found['city']).startswith("CategoryEncoder(values=('Bern', 'Genf', 'Basel')")
    assert len(found['age'].edges) == 101  # a cell for each age
    assert (found['income'].edges, found['income'].step) == (None, None)
    assert found['joined'].get_supported_sdtypes() == ['datetime']


def test_after_a_fit_transformers_are_those_that_rows_are_drawn_by(table):
    synthesizer = fit(table)
    found = synthesizer.get_transformers()
    kinds = NumberEncoder, NumberEncoder, CategoryEncoder, DateEncoder, DateEncoder
    assert tuple(map(type, found.values())) == kinds
    for released in synthesizer._model.transformers:
        shown = found[released.name]
        assert all(getattr(shown, fact) is getattr(released, fact) for fact in released.FACTS)
        assert shown.columns == [released.name]


def test_where_a_constraint_replaced_columns_there_are_those_of_the_derived_ones(table):
    synthesizer = ClustMixSynthesizer(make_metadata(), epsilon=20.0)
    synthesizer.add_constraints([Inequality('joined', 'left')])
    synthesizer.fit({NAME: table})
    names = list(synthesizer.get_transformers())
    assert names[:3] == ['age', 'income', 'city']
    # Of a number and its difference from another the narrower is modelled: here how long one stays.
    assert set(names) == set(synthesizer.preprocessor.derive().derived.names) - {'left'}
