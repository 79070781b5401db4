import pickle

import numpy as np
import pandas as pd
import pytest
from described import describe, spell

from sdv_threea import ClustMixSynthesizer
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.storage.writing import choose_dtype, choose_dtypes, declare, make_proxy

NUM_ROWS = 300

DTYPES = [
    'int64', 'int8', 'uint64', 'bool', 'float64', 'float16', 'object', 'Int8', 'Float32', 'boolean',
    'string', 'datetime64[s]', 'datetime64[ns, Asia/Tokyo]', 'period[D]', 'Sparse[float]',
    'Sparse[bool]', 'interval[int64, left]', 'interval[datetime64[ns], right]', 'timedelta64[ns]',
]  # fmt: skip


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize(
    'column', [Number(name='x', nullable=True), Category(name='x', values=('a',))]
)
def test_the_dtype_of_the_table_comes_back(dtype, column):
    dtype = pd.api.types.pandas_dtype(dtype)

    assert choose_dtype(column, declare(dtype)) == dtype


@pytest.mark.parametrize('ordered', [False, True])
def test_categories_are_the_released_ones(ordered):
    declared = declare(pd.CategoricalDtype(['secret'], ordered=ordered))

    assert declared.categories is None
    chosen = choose_dtype(Category(name='x', values=('b', 'a')), declared)
    assert chosen == pd.CategoricalDtype(['b', 'a'], ordered=ordered)


@pytest.mark.parametrize(
    ('dtype', 'expected'),
    [('int64', 'float64'), ('uint8', 'float64'), ('bool', 'object'), ('Int8', 'Int8')],
)
def test_where_no_value_was_released_the_dtype_holds_missing_values(dtype, expected):
    dtype = pd.api.types.pandas_dtype(dtype)

    assert choose_dtype(Category(name='x', values=(), nullable=True), dtype) == expected


def test_all_columns_have_a_dtype_in_order():
    columns = spell({'number': 'numerical', 'id': 'id', 'email': 'email'})
    dtypes = choose_dtypes(columns, {'id': np.dtype('int32')}, Domain((Number(name='number'),)))

    assert list(dtypes) == list(columns)
    assert (dtypes['id'], dtypes['email']) == ('int32', 'object')


@pytest.mark.parametrize('dtype', [*DTYPES, pd.CategoricalDtype(['a'])])
def test_the_proxy_has_every_dtype_and_one_value_throughout(dtype):
    dtype = pd.api.types.pandas_dtype(dtype)
    proxy = make_proxy({'x': dtype, 'y': dtype})

    assert proxy.shape == (3, 2)
    assert (proxy.dtypes == dtype).all()
    assert len({repr(row) for row in proxy.to_numpy().tolist()}) == 1


@pytest.mark.parametrize('missing', [False, True])
def test_the_dtype_decides_whether_an_integer_may_be_missing(missing):
    """Adding a missing value to a column of ``Int64`` changes no dtype, to one of NumPy it does."""
    metadata = describe(dict.fromkeys('xy', 'numerical'))
    x = pd.Series(range(NUM_ROWS), dtype='Int64')
    x = x.mask(x == 7) if missing else x
    synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0)
    synthesizer.fit({'t': pd.DataFrame({'x': x, 'y': range(NUM_ROWS)})})
    domain = synthesizer.preprocessor.describe()

    assert (domain['x'].nullable, domain['y'].nullable) == (None, False)
    assert (domain['x'].step, domain['y'].step) == (1.0, 1.0)
    assert list(map(str, synthesizer.sample(9)['t'].dtypes)) == ['Int64', 'int64']


def test_what_is_not_modelled_is_never_memorised():
    rng = np.random.default_rng(4)
    secrets = [f'secret-{number}' for number in rng.integers(0, 5, NUM_ROWS)]
    kinds = {'id': 'id', 'note': 'categorical', 'zip': 'id', 'n': 'numerical'}
    kinds |= {name: {'sdtype': name, 'pii': True} for name in ('city', 'unknown')}
    metadata = describe(kinds)
    table = pd.DataFrame(dict.fromkeys(['id', 'city', 'unknown'], secrets))
    table = table.assign(
        note=[f'secret note {row}' for row in range(NUM_ROWS)],
        zip=pd.Categorical(secrets),
        n=range(NUM_ROWS),
    )
    synthesizer = ClustMixSynthesizer(metadata, epsilon=50.0, accept='verbatim')
    with pytest.warns(UserWarning, match='note'):
        synthesizer.fit({'t': table})
    sampled = synthesizer.sample(NUM_ROWS)['t']

    assert not sampled.astype(str).apply(lambda each: each.str.contains('secret')).any().any()
    assert b'secret' not in pickle.dumps(synthesizer)
