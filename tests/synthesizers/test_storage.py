from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdv.data_processing.numerical_formatter import NumericalFormatter

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.synthesizers.storage import choose_dtype, choose_dtypes, declare, make_proxy

KINDS = {
    'number': {'sdtype': 'numerical'},
    'category': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'date': {'sdtype': 'datetime'},
    'id': {'sdtype': 'id'},
    'email': {'sdtype': 'email'},
}


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize(
    ('with_missing', 'without'),
    [
        (pd.Series([1, None]), pd.Series([1, 2])),
        (pd.Series([1, 2], dtype='int8'), pd.Series([1, 2])),
        (pd.Series([1, None], dtype='Int64'), pd.Series([1, 2], dtype='Int64')),
        (pd.Series(pd.Categorical(['a'])), pd.Series(pd.Categorical(['b', 'c']))),
    ],
)
def test_values_and_missing_values_do_not_change_what_is_declared(kind, with_missing, without):
    assert declare(with_missing.dtype, KINDS[kind]) == declare(without.dtype, KINDS[kind])


@pytest.mark.parametrize('kind', ['category', 'flag', 'id', 'email'])
def test_a_missing_boolean_does_not_change_what_is_declared(kind):
    assert declare(np.dtype(bool), KINDS[kind]) == declare(np.dtype(object), KINDS[kind])


@pytest.mark.parametrize(
    'dtype', ['Int8', 'Float32', 'boolean', 'string', 'float32', 'datetime64[s]']
)
@pytest.mark.parametrize('column', [Number(name='x', nullable=True), Category(name='x')])
def test_what_the_user_chose_comes_back(dtype, column):
    dtype = pd.Series([], dtype=dtype).dtype
    declared = declare(dtype, KINDS['number' if isinstance(column, Number) else 'category'])

    assert choose_dtype(column, declared) == dtype


def test_categories_are_the_released_ones():
    private = pd.CategoricalDtype(['secret'], ordered=True)
    declared = declare(private, KINDS['category'])

    assert declared.categories is None
    chosen = choose_dtype(Category(name='x', values=('a', 'b')), declared)
    assert chosen == pd.CategoricalDtype(['a', 'b'], ordered=True)


@pytest.mark.parametrize(
    ('column', 'expected'),
    [
        (Number(name='x', step=1.0, nullable=False), 'int64'),
        (Number(name='x', step=500.0, nullable=False), 'int64'),
        (Number(name='x', step=1.0, nullable=True), 'float64'),
        (Number(name='x', step=0.1, nullable=False), 'float64'),
        (Number(name='x', step=0.0, nullable=False), 'float64'),
        (Number(name='x', step=1.0, nullable=False, high=1e18), 'float64'),
        (Number(name='x'), 'float64'),
        (Category(name='x', values=(False, True), nullable=False), 'bool'),
        (Category(name='x', values=(False, True), nullable=True), 'object'),
        (Category(name='x', values=(1, 2), nullable=False), 'int64'),
        (Category(name='x', values=(1, 2), nullable=True), 'float64'),
        (Category(name='x', values=(1, 2.5), nullable=False), 'float64'),
        (Category(name='x', values=(1, 'a'), nullable=False), 'object'),
        (Category(name='x', values=(), nullable=True), 'object'),
    ],
)
def test_what_pandas_chose_is_decided_by_the_release(column, expected):
    assert choose_dtype(column, None) == expected


@pytest.mark.parametrize(('nullable', 'expected'), [(False, 'int64'), (True, 'float64')])
def test_dates_that_were_numbers(nullable, expected):
    declared = declare(np.dtype('float64'), KINDS['date'])

    assert choose_dtype(Number(name='x', nullable=nullable), declared) == expected


def test_all_columns_have_a_dtype_in_order():
    dtypes = choose_dtypes(KINDS, {'id': np.dtype('int64')}, Domain((Number(name='number'),)))

    assert list(dtypes) == list(KINDS)
    assert (dtypes['id'], dtypes['number'], dtypes['email']) == ('int64', 'float64', 'object')


@pytest.mark.parametrize(
    ('dtype', 'low', 'step', 'digits'),
    [
        ('float64', 0.07, 0.01, 2),
        ('float64', 123_456.0, 1e-4, 4),
        ('float64', -3.0, 1.0, 0),
        ('float64', 0.0, 0.0, None),
        ('float64', 123_456.0, 0.0, None),
        ('float32', -0.5, 0.5, 1),
        ('int64', -3.0, 1.0, 0),
        ('Int8', -3.0, 0.5, 0),
    ],
)
def test_sdv_learns_range_and_rounding_from_the_proxy(dtype, low, step, digits):
    domain = Domain((Number(name='x', low=low, high=low + 7, step=step),))
    proxy = make_proxy({'x': pd.Series([], dtype=dtype).dtype}, domain)
    formatter = NumericalFormatter(enforce_rounding=True, enforce_min_max_values=True)
    formatter.learn_format(proxy['x'])

    assert proxy['x'].dtype == dtype
    assert (formatter._min_value, formatter._max_value) == (low, low + 7)
    assert formatter._rounding_digits == digits


@pytest.mark.parametrize(
    'dtype',
    ['int64', 'bool', 'object', 'boolean', 'Int8', 'string', 'float32', 'datetime64[s]',
     'datetime64[ns, Asia/Tokyo]', pd.CategoricalDtype(['a'])],
)  # fmt: skip
def test_the_proxy_has_every_dtype(dtype):
    proxy = make_proxy({'x': dtype, 'y': dtype}, Domain((Category(name='x'),)))

    assert proxy.shape == (3, 2)
    assert (proxy.dtypes == dtype).all()
