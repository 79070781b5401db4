"""A table full of rules, constraints of every kind on it, and two that are not of SDV."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers.sampling import open_sampler

NAME = 'people'

COUNTRIES = {'Bern': 'CH', 'Basel': 'CH', 'Lyon': 'FR', 'Paris': 'FR', 'Rome': None}
ZONES = {'CH': 1, 'FR': 2, None: 3}

DATE = {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}
NUMBERS = ['low', 'middle', 'high', 'known', 'later', 'salary', 'yes', 'unsorted']
COLUMNS = {
    'start': DATE,
    'end': DATE,
    'moment': {'sdtype': 'datetime'},
    'deadline': {'sdtype': 'datetime'},
    **dict.fromkeys(NUMBERS, {'sdtype': 'numerical'}),
    **dict.fromkeys(['city', 'country', 'zone', 'no', 'answer'], {'sdtype': 'categorical'}),
    'maybe': {'sdtype': 'boolean'},
    'email': {'sdtype': 'email'},
}

#: Constraints of every kind, by name, and the columns of a table that they are tried on.
CONSTRAINTS = {
    'dates in text': (lambda: [Inequality('start', 'end')], ['start', 'end', 'answer']),
    'strict dates': (
        lambda: [Inequality('moment', 'deadline', strict_boundaries=True)],
        ['moment', 'deadline', 'answer'],
    ),
    'numbers': (lambda: [Inequality('low', 'high')], ['low', 'high', 'answer']),
    'missing numbers': (lambda: [Inequality('known', 'later')], ['known', 'later', 'answer']),
    'range': (lambda: [Range('low', 'middle', 'high')], ['low', 'middle', 'high', 'answer']),
    'increments': (lambda: [FixedIncrements('salary', 500)], ['salary', 'low', 'answer']),
    'flags': (
        lambda: [OneHotEncoding(['yes', 'no', 'maybe'])],
        ['yes', 'no', 'maybe', 'low', 'answer'],
    ),
    'flags as a category': (
        lambda: [OneHotEncoding(['yes', 'no', 'maybe'], learning_strategy='categorical')],
        ['yes', 'no', 'maybe', 'answer'],
    ),
    'combinations': (
        lambda: [FixedCombinations(['city', 'country'])],
        ['city', 'country', 'low', 'answer'],
    ),
    'combinations that share a column': (
        lambda: [FixedCombinations(['zone', 'country']), FixedCombinations(['country', 'city'])],
        ['city', 'country', 'zone', 'answer'],
    ),
    'a chain': (
        lambda: [Inequality('low', 'middle', strict_boundaries=True), Inequality('middle', 'high')],
        ['low', 'middle', 'high', 'answer'],
    ),
    'a chain, closed': (
        lambda: [Inequality('middle', 'high'), Range('low', 'middle', 'high')],
        ['low', 'middle', 'high', 'answer'],
    ),
    'everything': (
        lambda: [
            FixedCombinations(['city', 'country']), Inequality('start', 'end'),
            Inequality('known', 'later'), OneHotEncoding(['yes', 'no', 'maybe']),
            FixedIncrements('salary', 500), Range('low', 'middle', 'high'),
        ],
        list(COLUMNS),
    ),
}  # fmt: skip


def make_table(num_rows, seed=0):
    rng = np.random.default_rng(seed)
    start = pd.Timestamp('2019-12-01') + pd.to_timedelta(rng.integers(0, 900, num_rows), unit='D')
    end = start + pd.to_timedelta(rng.geometric(0.1, num_rows), unit='D')
    moment = start + pd.to_timedelta(rng.integers(0, 80_000, num_rows), unit='s')
    low = rng.integers(18, 60, num_rows)
    middle = low + rng.integers(1, 9, num_rows)
    known = rng.normal(50, 10, num_rows).round(2)
    luck, pattern = rng.random(num_rows), rng.random(num_rows)
    city = pd.Series(rng.choice(list(COUNTRIES), num_rows, p=[0.35, 0.25, 0.2, 0.1, 0.1]))
    flag = rng.choice(3, num_rows, p=[0.5, 0.3, 0.2])
    return pd.DataFrame(
        {
            'start': start.strftime('%d.%m.%Y'),
            'end': end.strftime('%d.%m.%Y'),
            'moment': moment,
            'deadline': moment + pd.to_timedelta(rng.geometric(1e-4, num_rows), unit='s'),
            'low': low,
            'middle': middle,
            'high': middle + rng.geometric(0.05, num_rows),
            'known': pd.Series(known).mask(pattern < 0.2),
            'later': pd.Series((known + rng.gamma(2, 5, num_rows)).round(2)).mask(
                (pattern < 0.1) | (pattern > 0.7)
            ),
            'salary': 500 * rng.integers(4, 20, num_rows),
            'yes': (flag == 0).astype(int),
            'unsorted': rng.normal(size=num_rows),
            'city': city,
            'country': city.map(COUNTRIES),
            'zone': city.map(COUNTRIES).map(ZONES),
            'no': (flag == 1).astype(int),
            'answer': np.where((low < 40) ^ (luck < 0.1), 'old', 'young'),
            'maybe': flag == 2,
            'email': 'secret@example.com',
        }
    )


class EvenLow(SingleTableProgrammableConstraint):
    """A rule of one's own."""

    def get_updated_metadata(self, metadata):
        return metadata

    def is_valid(self, data):
        return data['low'] % 2 == 0


class BelowLargest(EvenLow):
    """A rule that is learned."""

    def __init__(self, number):
        self.number = number

    def fit(self, data, metadata):
        self.largest = data[self.number].max()

    def is_valid(self, data):
        return data[self.number] < self.largest


@pytest.fixture(scope='session')
def make():
    return make_table


@pytest.fixture(scope='session')
def table():
    return make_table(3_000)


@pytest.fixture
def metadata(build_metadata):
    return build_metadata(COLUMNS)


@pytest.fixture
def describe(build_metadata):
    """Describe some of the columns."""
    return lambda names: build_metadata({name: COLUMNS[name] for name in names})


@pytest.fixture
def fit(describe, table, without_pairs):
    def fit_synthesizer(constraints, data=table, epsilon=math.inf, target=None, **settings):
        synthesizer = ClustMixSynthesizer(
            describe(data), epsilon=epsilon, target_column=target, **settings
        )
        synthesizer.add_constraints(constraints)
        synthesizer.fit({NAME: data})
        return synthesizer

    return fit_synthesizer


@pytest.fixture(params=[name for name in CONSTRAINTS if name != 'everything'])
def kind(request):
    """Constraints of one kind, made anew at every call, and the columns to try them on."""
    return CONSTRAINTS[request.param]


@pytest.fixture
def everything():
    """Constraints of every kind together, on all columns."""
    make, _ = CONSTRAINTS['everything']
    return make()


@pytest.fixture(scope='session')
def even_low():
    return EvenLow


@pytest.fixture(scope='session')
def below_largest():
    return BelowLargest


@pytest.fixture(scope='session')
def count_rejected():
    """Draw rows once, and count those that break a constraint: SDV would draw them again."""

    def count(synthesizer, num_rows=1_000):
        sampler = replace(open_sampler(synthesizer), rng=np.random.default_rng(7))
        found = len(sampler.draw(num_rows))
        synthesizer.reset_sampling()
        return num_rows - found

    return count
