"""The same checks on SDV's ``GaussianCopulaSynthesizer`` and on ours, side by side.

Every test runs once per class, and is one behaviour, named by its function. Two markers say where
the classes part:

* ``differs(theirs, ours, why)``: on purpose, and the test holds each to its own behaviour;
* ``sdv_fails(why)``: SDV has a known bug, and ours works. SDV is expected to fail, strictly: the
  day it is repaired, the test says so.

``docs/make_conformance.py`` runs the suite on both classes and writes what it finds to
``docs/lab/conformance.md``. Without ``CONFORMANCE=both`` pytest runs it on our class alone.
"""

import os
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_threea import ClustMixSynthesizer

NAME = 'people'

NUM_ROWS = 800

CLASSES = {'GaussianCopula': GaussianCopulaSynthesizer, 'ClustMix': ClustMixSynthesizer}

#: The classes that are asked. SDV's own changes with a version of SDV, and with no change of ours.
ASKED = list(CLASSES) if os.environ.get('CONFORMANCE') == 'both' else ['ClustMix']

#: Enough for tables of this size to come back recognisably.
SETTINGS = {'GaussianCopula': {}, 'ClustMix': {'epsilon': 5.0, 'delta': 1e-5, 'accept': 'noise'}}

COLUMNS = {
    'key': {'sdtype': 'id'},
    'age': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'score': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'team': {'sdtype': 'categorical'},
    'level': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4]},
    'member': {'sdtype': 'boolean'},
    'joined': {'sdtype': 'datetime'},
    'born': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
    'email': {'sdtype': 'email', 'pii': True},
}


def pytest_configure(config):
    config.addinivalue_line('markers', 'differs(theirs, ours, why): the classes part on purpose')
    config.addinivalue_line('markers', 'sdv_fails(why): a bug of SDV, where ours works')


def pytest_collection_modifyitems(items):
    for item in items:
        bug, parameters = item.get_closest_marker('sdv_fails'), getattr(item, 'callspec', None)
        if bug and parameters.params['make'] == 'GaussianCopula':
            item.add_marker(pytest.mark.xfail(strict=True, reason=bug.args[0]))


def make_people(num_rows=NUM_ROWS, seed=0):
    """A table with a column of each kind; income grows with age, and members live in Bern."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, num_rows)
    member = rng.random(num_rows) < 0.4
    day = pd.to_timedelta(rng.integers(0, 700, num_rows), unit='D')
    return pd.DataFrame(
        {
            'key': rng.permutation(10 * num_rows)[:num_rows],
            'age': age,
            'income': (rng.gamma(9, 2, num_rows) * age / 20).round(2),
            'score': pd.Series(rng.normal(0, 1, num_rows)).mask(rng.random(num_rows) < 0.2),
            'city': np.where(member, 'Bern', rng.choice(['Basel', 'Chur'], num_rows)),
            'team': pd.Series(rng.choice(['red', 'blue'], num_rows)).mask(
                rng.random(num_rows) < 0.2
            ),
            'level': rng.choice([1, 2, 3, 4], num_rows, p=[0.4, 0.3, 0.2, 0.1]),
            'member': member,
            'joined': pd.Timestamp('2020-01-01') + day,
            'born': (pd.Timestamp('1970-01-01') + day[::-1]).strftime('%d.%m.%Y'),
            'email': [f'private{row}@example.com' for row in range(num_rows)],
        }
    )


def describe(columns, primary_key=None):
    """Metadata of one table."""
    table = {'columns': columns} | ({'primary_key': primary_key} if primary_key else {})
    return Metadata.load_from_dict({'tables': {NAME: table}})


@pytest.fixture(scope='session', params=ASKED)
def make(request):
    """Make a synthesizer: the class, with its settings, to be called with the metadata."""
    return partial(CLASSES[request.param], **SETTINGS[request.param])


@pytest.fixture(scope='session')
def private(make):
    """Whether it is ours that is tested."""
    return make.func is ClustMixSynthesizer


@pytest.fixture(scope='session')
def people():
    return make_people()


@pytest.fixture(scope='session')
def few():
    """Some of the people, for checks that do not depend on how many there are."""
    return make_people(150, seed=4)


@pytest.fixture
def people_metadata():
    return describe(COLUMNS, 'key')


@pytest.fixture(scope='session')
def build_metadata():
    return describe


@pytest.fixture(scope='session')
def fitted(make, people):
    """One fit that many tests sample from, and that none changes."""
    synthesizer = make(describe(COLUMNS, 'key'))
    synthesizer.fit({NAME: people})
    return synthesizer


@pytest.fixture(scope='session')
def sampled(fitted):
    return fitted.sample(NUM_ROWS)[NAME]


@pytest.fixture(scope='session')
def small():
    """A table for tests that need a fit of their own."""
    rng = np.random.default_rng(1)
    return pd.DataFrame({'x': rng.integers(0, 50, 300), 'letter': rng.choice(list('ab'), 300)})


@pytest.fixture
def small_metadata():
    return describe({'x': {'sdtype': 'numerical'}, 'letter': {'sdtype': 'categorical'}})
