import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_threea import ClustMixSynthesizer
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.storage.dtypes import choose_dtype, choose_dtypes, declare, make_proxy

NUM_ROWS = 300

NUMBER, CATEGORY, FLAG, DATE = (
    {'sdtype': each} for each in ('numerical', 'categorical', 'boolean', 'datetime')
)

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
    columns = {'number': NUMBER, 'id': {'sdtype': 'id'}, 'email': {'sdtype': 'email'}}
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


def draw_days(rng):
    days = pd.Timestamp('2021-01-01') + pd.to_timedelta(rng.integers(0, 700, NUM_ROWS), unit='D')
    return pd.Series(days)


def list_representations():  # noqa: C901 (a list)
    """Columns in every storage that SDV can fit: name, values, and what the metadata says."""
    rng = np.random.default_rng(4)
    whole, real = pd.Series(rng.integers(0, 50, NUM_ROWS)), pd.Series(rng.normal(size=NUM_ROWS))
    text, flag = pd.Series(rng.choice(list('abc'), NUM_ROWS)), pd.Series(rng.random(NUM_ROWS) < 0.5)
    days, real = draw_days(rng), real.round(2)
    holes = rng.random(NUM_ROWS) < 0.2
    for dtype in ('int8', 'uint8', 'uint64', 'int64', 'float16', 'float32', 'float64', 'Float64'):
        yield f'number {dtype}', whole.astype(dtype), NUMBER
    for dtype in ('Int64', 'UInt8', 'Float32', 'float64'):
        yield f'number {dtype} missing', whole.astype(dtype).mask(holes), NUMBER
    yield 'negative', -whole, NUMBER
    yield 'large integers', whole + 2**62, NUMBER
    yield 'largest integer', pd.Series([2**63 - 1] * NUM_ROWS), NUMBER
    yield 'large floats', real * 1e300, NUMBER
    for dtype in ('object', 'string', 'category'):
        yield f'text {dtype}', text.astype(dtype), CATEGORY
        yield f'text {dtype} missing', text.astype(dtype).mask(holes), CATEGORY
    for dtype in ('int64', 'float64', 'Int64', 'category'):
        yield f'code {dtype}', (whole % 3).astype(dtype), CATEGORY
    yield 'ordered', text.astype(pd.CategoricalDtype(list('cab'), ordered=True)), CATEGORY
    yield 'flags as categories', flag, CATEGORY
    for dtype in ('bool', 'object', 'boolean', 'category'):
        yield f'flag {dtype}', flag.astype(dtype), FLAG
    for dtype in ('object', 'boolean'):
        yield f'flag {dtype} missing', flag.astype(dtype).mask(holes), FLAG
    for dtype in ('datetime64[ns]', 'datetime64[us]', 'datetime64[s]'):
        yield f'date {dtype}', days.astype(dtype), DATE
        yield f'date {dtype} missing', days.astype(dtype).mask(holes), DATE
    yield 'zone', days.dt.tz_localize('UTC').dt.tz_convert('Europe/Paris'), DATE
    for dtype in ('object', 'string', 'category'):
        yield f'date as text {dtype}', days.dt.strftime('%Y-%m-%d').astype(dtype), DATE
    yield 'format', days.dt.strftime('%d %b %Y'), DATE | {'datetime_format': '%d %b %Y'}
    for dtype in ('int64', 'Int64', 'float64', 'object'):
        numbers = days.dt.strftime('%Y%m%d')
        numbers = numbers if dtype == 'object' else numbers.astype('int64').astype(dtype)
        yield f'date as number {dtype}', numbers, DATE | {'datetime_format': '%Y%m%d'}
    yield 'date objects', pd.Series(days.dt.date, dtype=object), DATE
    for dtype in ('int32', 'int64', 'Int64', 'float64'):
        yield f'id {dtype}', whole.astype(dtype), {'sdtype': 'id'}
    for dtype in ('object', 'category'):
        yield f'id of text {dtype}', text.astype(dtype), {'sdtype': 'id'}
    for dtype in ('int8', 'int64', 'float64', 'bool'):
        yield f'unknown {dtype}', whole.astype(dtype), {'sdtype': 'unknown', 'pii': True}


REPRESENTATIONS = {name: (values, about) for name, values, about in list_representations()}


def fit_and_sample(make, **columns):
    """Fit a table of columns, each with its description, under an odd index and odd names."""
    described = {name: about for name, (_, about) in columns.items()} | {' a#1 ': NUMBER, '': FLAG}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': described}}})
    table = pd.DataFrame({name: values for name, (values, _) in columns.items()})
    table.insert(0, '', [True, False] * (NUM_ROWS // 2))
    table[' a#1 '] = range(NUM_ROWS)
    synthesizer = make(metadata)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'t': table.set_index(table.index[::-1] + 5)})
    return synthesizer.sample(40)['t']


def make_ours(metadata):
    return ClustMixSynthesizer(metadata, epsilon=500.0)


@pytest.fixture(scope='module')
def theirs():
    return fit_and_sample(GaussianCopulaSynthesizer, **REPRESENTATIONS)


@pytest.fixture(scope='module')
def ours():
    return fit_and_sample(make_ours, **REPRESENTATIONS)


def test_columns_come_back_in_the_order_and_under_the_index_of_sdv(ours, theirs):
    assert list(ours.columns) == list(theirs.columns)
    assert ours.index.equals(theirs.index)


@pytest.mark.parametrize('name', REPRESENTATIONS)
def test_a_column_comes_back_as_that_of_sdv_does(ours, theirs, name):
    assert str(ours[name].dtype) == str(theirs[name].dtype)
    kinds = [{type(value) for value in each[name].dropna()} for each in (ours, theirs)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize('missing', [False, True])
def test_the_dtype_decides_whether_an_integer_may_be_missing(missing):
    """Adding a missing value to a column of ``Int64`` changes no dtype, to one of NumPy it does."""
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'x': NUMBER, 'y': NUMBER}}}})
    x = pd.Series(range(NUM_ROWS), dtype='Int64')
    x = x.mask(x == 7) if missing else x
    synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0)
    synthesizer.fit({'t': pd.DataFrame({'x': x, 'y': range(NUM_ROWS)})})
    domain = synthesizer.preprocessor.describe()

    assert (domain['x'].nullable, domain['y'].nullable) == (None, False)
    assert (domain['x'].step, domain['y'].step) == (1.0, 1.0)
    assert list(map(str, synthesizer.sample(9)['t'].dtypes)) == ['Int64', 'int64']


@pytest.mark.filterwarnings('error::RuntimeWarning')
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'int8', 'uint64', 'float64'])
def test_nothing_overflows_on_the_way(dtype):
    """RDT counts the decimals of a column by multiplying it by a power of ten."""
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in 'iu' else np.finfo(dtype)
    column = pd.Series([limits.min, limits.max] * (NUM_ROWS // 2)).astype(dtype)
    sampled = fit_and_sample(make_ours, x=(column, NUMBER))['x']

    assert sampled.dtype == dtype
    assert np.isfinite(sampled.astype(float)).all()


def test_what_is_not_modelled_is_never_memorised():
    rng = np.random.default_rng(4)
    secrets = [f'secret-{number}' for number in rng.integers(0, 5, NUM_ROWS)]
    kinds = {
        'id': {'sdtype': 'id'},
        'city': {'sdtype': 'city', 'pii': True},
        'unknown': {'sdtype': 'unknown', 'pii': True},
        'note': {'sdtype': 'categorical'},
        'zip': {'sdtype': 'id'},
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': kinds | {'n': NUMBER}}}})
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
