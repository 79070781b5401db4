"""A table with every kind of column, storage and missing value that SDV knows; object graphs."""

import pickle
import random
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np
import pandas as pd
import pytest
from chance import by_size
from described import describe

from sdv_threea import pipeline
from sdv_threea.release import Release
from sdv_threea.synthesizers import single_table

#: Column by column: what the metadata says.
COLUMNS = {
    'key': 'id',
    'whole': 'numerical',
    'whole_missing': 'numerical',
    'int16': 'numerical',
    'real': 'numerical',
    'float32': 'numerical',
    'cents': 'numerical',
    'constant': 'numerical',
    'letter': 'categorical',
    'letter_missing': 'categorical',
    'code': 'categorical',
    'code_missing': 'categorical',
    'category': 'categorical',
    'string': 'categorical',
    'many': 'categorical',
    'flag': 'boolean',
    'flag_missing': 'boolean',
    'boolean': 'boolean',
    'level': 'ordinal',
    'text_date': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'iso_date': 'datetime',
    'iso_moment': 'datetime',
    'offset_date': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'},
    'number_date': {'sdtype': 'datetime', 'datetime_format': '%Y%m%d'},
    'moment': 'datetime',
    'second': 'datetime',
    'zoned': 'datetime',
    'reference': {'sdtype': 'id', 'regex_format': 'R-[0-9]{4}'},
    'plain_id': 'id',
    'number_id': 'id',
    'email': {'sdtype': 'email', 'pii': True},
    'city': {'sdtype': 'city', 'pii': True},
    'unknown': 'unknown',
}

#: Columns of every kind, and of most storages: a fit of all there are takes ten times as long.
SOME = [
    'key', 'whole', 'real', 'cents', 'constant', 'letter', 'letter_missing', 'code_missing', 'many',
    'flag_missing', 'text_date', 'zoned', 'reference', 'email',
]  # fmt: skip

NAME = 'people'


def make_table(num_rows, seed):
    rng = np.random.default_rng(seed)

    def drop(values):
        column = pd.Series(values)
        column = column.astype(object) if column.dtype == bool else column
        return column.mask(rng.random(num_rows) < 0.1)

    start = pd.Timestamp('2021-01-01')
    days = pd.Series(start + pd.to_timedelta(rng.integers(0, 700, num_rows), unit='D'))
    seconds = pd.Series(start + pd.to_timedelta(rng.integers(0, 6 * 10**7, num_rows), unit='s'))
    return pd.DataFrame(
        {
            'key': [f'secret-key-{row}' for row in range(num_rows)],
            'whole': rng.integers(0, 90, num_rows),
            'whole_missing': drop(rng.integers(0, 90, num_rows)),
            'int16': drop(rng.integers(0, 90, num_rows)).astype('Int16'),
            'real': rng.normal(size=num_rows),
            'float32': drop(rng.normal(size=num_rows).round(2)).astype('float32'),
            'cents': drop(rng.gamma(2, 10, num_rows).round(2)),
            'constant': 5,
            'letter': rng.choice(list('abc'), num_rows),
            'letter_missing': drop(rng.choice(list('abc'), num_rows)),
            'code': rng.integers(1, 4, num_rows),
            'code_missing': drop(rng.integers(1, 4, num_rows)),
            'category': pd.Categorical(rng.choice(['x', 'y'], num_rows)),
            'string': pd.array(rng.choice(['x', 'y'], num_rows), dtype='string'),
            'many': [f'secret-value-{value}' for value in rng.integers(0, num_rows, num_rows)],
            'flag': rng.random(num_rows) < 0.5,
            'flag_missing': drop(rng.random(num_rows) < 0.5),
            'boolean': drop(rng.random(num_rows) < 0.5).astype('boolean'),
            'level': rng.integers(1, 6, num_rows),
            'text_date': drop(days.dt.strftime('%d/%m/%Y')),
            'iso_date': days.dt.strftime('%Y-%m-%d'),
            'iso_moment': drop(seconds.dt.strftime('%Y-%m-%d %H:%M:%S')),
            'offset_date': seconds.dt.strftime('%Y-%m-%d %H:%M:%S+0000'),
            'number_date': days.dt.strftime('%Y%m%d').astype(int),
            'moment': drop(seconds),
            'second': seconds.astype('datetime64[s]'),
            'zoned': drop(seconds.dt.tz_localize('UTC').dt.tz_convert('Europe/Paris')),
            'reference': [f'R-{number}' for number in rng.integers(0, 9, num_rows)],
            'plain_id': [f'secret-id-{number}' for number in rng.integers(0, 9, num_rows)],
            'number_id': rng.integers(0, 9, num_rows),
            'email': [f'secret{row}@example.com' for row in range(num_rows)],
            'city': rng.choice(['secret-city-1', 'secret-city-2'], num_rows),
            'unknown': rng.integers(0, 9, num_rows),
        }
    )


def make_metadata(columns, primary_key=None, name=NAME):
    return describe(columns, name, **({'primary_key': primary_key} if primary_key else {}))


@pytest.fixture(scope='session')
def build_table():
    return make_table


@pytest.fixture(scope='session')
def build_metadata():
    return make_metadata


@pytest.fixture(scope='session')
def mixed_columns():
    return COLUMNS


@pytest.fixture(scope='session')
def mixed_table():
    return make_table(1_000, seed=0)


@pytest.fixture
def mixed_metadata():
    return make_metadata(COLUMNS, primary_key='key')


@pytest.fixture(scope='session')
def some_table():
    return make_table(600, seed=0)[SOME]


@pytest.fixture
def some_metadata():
    return make_metadata({name: COLUMNS[name] for name in SOME}, primary_key='key')


@pytest.fixture
def small_table():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            'age': rng.integers(18, 90, 300),
            'income': rng.gamma(2, 10, 300).round(2),
            'city': rng.choice(['Bern', 'Basel'], 300),
        }
    )


@pytest.fixture
def small_metadata():
    return describe({'age': 'numerical', 'income': 'numerical', 'city': 'categorical'}, NAME)


@pytest.fixture
def fixed(monkeypatch):
    """Hold the noise and the draws of fits of one table fixed."""

    def release(*arguments):
        return pipeline.release(*arguments, noise=by_size, rng=np.random.default_rng(2))

    monkeypatch.setattr(single_table, 'release', release)
    return release


@pytest.fixture
def count_draws(monkeypatch):
    """List how many rows each draw from a release was asked for."""
    draws = []

    def watch(draw):
        def count(self, num_rows, *others):
            draws.append(num_rows)
            return draw(self, num_rows, *others)

        return count

    monkeypatch.setattr(Release, 'sample', watch(Release.sample))
    return draws


#: SDV's label of an object and its clock; nothing of the rows.
LABELS = {'_synthesizer_id', '_creation_date', '_fitted_date'}


def walk_graph(value, path='', seen=None):
    """Yield ``(path, leaf)`` for everything that can be reached from an object."""
    seen = {} if seen is None else seen
    if isinstance(value, (str, bytes, int, float, complex, type(None), type, np.generic)):
        yield path, (type(value), repr(value))
        return
    if id(value) in seen:
        return
    seen[id(value)] = value  # kept, or another object could get its id
    parts = list(dismantle(value))
    yield path, (type(value), len(parts))
    for name, part in parts:
        yield from walk_graph(part, f'{path}.{name}', seen)


def dismantle(value):
    """List the parts of an object by name."""
    for kinds, parts in PARTS:
        if isinstance(value, kinds):
            return parts(value)
    return [('type', type(value))]


def list_attributes(value):
    return list_items(getattr(value, '__dict__', {}))


def list_items(value):
    return [(f'[{key!r}]', item) for key, item in value.items() if key not in LABELS]


PARTS = (
    ((pd.DataFrame, pd.Series, pd.Index), lambda each: [('rows', pickle.dumps(each))]),
    (np.ndarray, lambda each: [('type', str(each.dtype)), ('items', each.tolist())]),
    (np.random.RandomState, lambda each: [('state', each.get_state(legacy=False))]),
    (np.random.Generator, lambda each: [('state', each.bit_generator.state)]),
    (random.Random, lambda each: [('state', each.getstate())]),
    (Mapping, list_items),
    ((set, frozenset), lambda each: list(enumerate(sorted(each, key=repr)))),
    ((list, tuple), lambda each: list(enumerate(each))),
    (np.dtype, lambda each: [('type', str(each))]),
    (pd.api.extensions.ExtensionDtype, lambda each: [('type', pickle.dumps(each))]),
    (FunctionType | BuiltinFunctionType, lambda each: [('name', each.__qualname__)]),
    (MethodType, lambda each: [('name', each.__qualname__), ('self', each.__self__)]),
    (ModuleType, lambda each: [('name', each.__name__)]),
    (object, list_attributes),
)


def compare_graphs(one, other):
    """List the paths at which two objects differ."""
    first, second = dict(walk_graph(one)), dict(walk_graph(other))
    return sorted(
        path for path in first.keys() | second.keys() if first.get(path) != second.get(path)
    )


@pytest.fixture(scope='session')
def walk():
    return walk_graph


@pytest.fixture(scope='session')
def compare():
    return compare_graphs
