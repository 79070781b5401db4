"""The transformers as RDT knows them: by themselves, on rows that are public."""

import pickle

import numpy as np
import pandas as pd
import pytest
from rdt import HyperTransformer

from sdv_threea.constants import MOST_BINS
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder

PUBLIC = pd.DataFrame(
    {
        'age': [17, 40, 17, 65, 90],
        'income': [0.5, 1200.25, np.nan, 8.75, 99.0],
        'city': ['Bern', None, 'Genf', 'Bern', 'Basel'],
        'flag': [True, False, True, True, False],
    }
)
SDTYPES = {'age': 'numerical', 'income': 'numerical', 'city': 'categorical', 'flag': 'boolean'}


def make_encoders():
    return {
        name: NumberEncoder() if sdtype == 'numerical' else CategoryEncoder()
        for name, sdtype in SDTYPES.items()
    }


@pytest.fixture
def fitted():
    transformer = HyperTransformer()
    transformer.set_config({'sdtypes': SDTYPES, 'transformers': make_encoders()})
    transformer.fit(PUBLIC)
    return transformer


def test_a_table_goes_to_whole_numbers_and_comes_back(fitted):
    codes = fitted.transform(PUBLIC)
    assert all(kind == np.int64 for kind in codes.dtypes)
    assert list(codes.columns) == list(PUBLIC.columns)
    back = fitted.reverse_transform(codes)
    pd.testing.assert_frame_equal(back.drop(columns='income'), PUBLIC.drop(columns='income'))
    assert back['income'].isna().tolist() == PUBLIC['income'].isna().tolist()


@pytest.mark.parametrize(
    ('values', 'step', 'bins'),
    [
        ([1.0, 5.0], 1.0, 5),
        ([0.1, 0.25], 0.01, 16),
        ([1 / 3, 2 / 3], 0.0, MOST_BINS),
        ([7.0], 1.0, 1),
        ([], 1.0, 1),
        (list(range(1000)), 1.0, MOST_BINS),
    ],
)
def test_bins_and_granularity_are_learned_from_public_numbers(values, step, bins):
    encoder = NumberEncoder()
    encoder.fit(pd.DataFrame({'x': np.array(values, dtype=float)}), 'x')
    assert encoder.step == step
    assert encoder.size - 1 == bins
    assert np.all(encoder.encode(pd.Series(values, dtype=float)) > 0)


def test_facts_that_are_given_are_not_learned():
    edges = np.array([0.0, 10.0, 20.0])
    encoder = NumberEncoder(edges, step=0.0, nullable=False)
    encoder.fit(pd.DataFrame({'x': [np.nan, 1e6]}), 'x')
    assert (encoder.edges is edges, encoder.step, encoder.nullable) == (True, 0.0, False)
    known = CategoryEncoder(('a',), nullable=False)
    known.fit(pd.DataFrame({'x': ['private', None]}), 'x')
    assert repr(known) == "CategoryEncoder(values=('a',), ordered=False, nullable=False)"


def test_of_the_rows_a_transformer_with_all_facts_keeps_nothing():
    """RDT keeps a seed that is a hash of the first rows, and states of generators made of it."""

    def fit(rows):
        encoder = CategoryEncoder(('a', 'b'), nullable=True)
        encoder.fit(pd.DataFrame({'x': rows}, dtype=object), 'x')
        return pickle.dumps(encoder)

    assert fit(['a', 'b', 'a']) == fit(['private'] * 6) == fit([])


def test_global_randomness_is_left_alone(fitted):
    legacy = np.random.get_state()[1].tolist()  # noqa: NPY002 (what RDT sets)
    fitted.reverse_transform(fitted.transform(PUBLIC))
    assert np.random.get_state()[1].tolist() == legacy  # noqa: NPY002


@pytest.mark.parametrize('dtype', ['int8', 'Int64', 'float32', 'object', 'int64[pyarrow]'])
def test_numbers_come_back_in_the_dtype_they_were_fitted_in(dtype):
    table = pd.DataFrame({'x': pd.Series([1, 2, 2, 3]).astype(dtype)})
    encoder = NumberEncoder()
    back = encoder.reverse_transform(encoder.fit_transform(table, 'x'))
    pd.testing.assert_frame_equal(back, table, check_dtype=dtype != 'object')
