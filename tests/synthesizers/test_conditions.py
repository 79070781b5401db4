"""Conditional sampling through SDV's interface: met by the model, not by rejection."""

import math

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_threea import ClustMixSynthesizer
from sdv_threea.release import Release
from sdv_threea.settings import Settings

NAME = 'people'

#: What noise makes of columns does not matter here, nor how their ranges are found.
SETTINGS = {'epsilon': math.inf, 'delta': 1e-5, 'public_metadata': True}

COLUMNS = {
    'key': {'sdtype': 'id'},
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 79},
    'wage': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'member': {'sdtype': 'boolean'},
    'joined': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2020-01-01',
        'range_max': '2022-06-18',
    },
    'email': {'sdtype': 'email', 'pii': True},
}


def make_people(num_rows=3_000):
    rng = np.random.default_rng(7)
    age = rng.integers(18, 80, num_rows)
    member = rng.random(num_rows) < (age - 10) / 100
    return pd.DataFrame(
        {
            'key': range(num_rows),
            'age': age,
            'wage': pd.Series(rng.normal(10 + age, 20)).mask(rng.random(num_rows) < 0.15),
            'city': rng.choice(['Bern', 'Basel', 'Chur'], num_rows, p=[0.6, 0.35, 0.05]),
            'member': member,
            'joined': (
                pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 900, num_rows), 'D')
            ).strftime('%Y-%m-%d'),
            'email': [f'private{row}@x.org' for row in range(num_rows)],
        }
    )


@pytest.fixture(scope='module')
def people(build_metadata):
    synthesizer = ClustMixSynthesizer(
        build_metadata(COLUMNS, 'key'), target_column='member', **SETTINGS
    )
    synthesizer.fit({NAME: make_people()})
    return synthesizer


@pytest.fixture(scope='module')
def mixed(build_metadata, mixed_columns, mixed_table):
    synthesizer = ClustMixSynthesizer(build_metadata(mixed_columns, 'key'), **SETTINGS)
    with pytest.MonkeyPatch.context() as patch:  # without a chain for each list of columns
        patch.setattr(Settings, 'counts_pairs', False)
        synthesizer.fit({NAME: mixed_table})
    return synthesizer


def sample_one(synthesizer, values, num_rows=10, **options):
    return synthesizer.sample_from_conditions([Condition(values, num_rows)], **options)[NAME]


MODELLED = [
    'whole', 'whole_missing', 'int16', 'real', 'float32', 'cents', 'constant', 'letter',
    'letter_missing', 'code', 'code_missing', 'category', 'string', 'many', 'flag', 'flag_missing',
    'boolean', 'level', 'text_date', 'iso_date', 'iso_moment', 'offset_date', 'number_date',
    'moment', 'second', 'zoned',
]  # fmt: skip


def test_known_columns_of_every_storage_come_back_as_they_were(mixed):
    known = mixed.sample(1_000)[NAME][MODELLED]

    rows = mixed.sample_remaining_columns(known)[NAME]

    for name in MODELLED:
        assert list(rows[name].isna()) == list(known[name].isna())
        own = rows[name].dropna().astype(object)
        assert list(own) == list(known[name].dropna().astype(object)), name
        assert rows[name].dtype == known[name].dtype


@pytest.mark.parametrize(
    ('values', 'expected'),
    [
        ({'age': 44.0}, 44), ({'wage': 0}, 0.0), ({'wage': 55.123456789}, 55.123456789),
        ({'wage': -0.0}, 0.0), ({'member': 1}, True), ({'member': np.bool_(False)}, False),
        ({'city': np.str_('Chur')}, 'Chur'),
    ],
)  # fmt: skip
def test_values_may_be_of_another_type_that_is_equal(people, values, expected):
    (name,) = values

    assert list(sample_one(people, values, 4)[name]) == [expected] * 4


def test_the_improbable_is_drawn_at_once(people, count_draws):
    values = {'age': 79, 'wage': 1.5, 'city': 'Chur', 'member': False, 'joined': '2020-01-01'}

    rows = sample_one(people, values, 7)

    assert count_draws == [7]
    assert all(list(rows[name]) == [value] * 7 for name, value in values.items())


def test_no_known_rows_give_no_rows(people):
    assert len(people.sample_remaining_columns(pd.DataFrame({'city': []}))[NAME]) == 0


@pytest.mark.parametrize(
    ('values', 'expected'),
    [
        ({'city': 'Paris'}, r"'city' other than \['Basel', 'Bern', 'Chur'\]"),
        ({'city': None}, r"'city' other than \["),
        ({'age': 17}, "'age' other than those from 18 to 79"),
        ({'age': 44.5}, "'age' other than those"),
        ({'age': np.nan}, "'age' other than those"),
        ({'wage': 1e9}, r"'wage' other than those from .* \(or a missing one\)"),
        ({'wage': np.inf}, "condition on 'wage' cannot be read as numerical"),
        ({'joined': '1999-01-01'}, "'joined' other than those from 2020-01-01 to 2022-06-18"),
        ({'joined': 'soon'}, "'joined' other than those"),
        ({'age': 'forty'}, "condition on 'age' cannot be read as numerical"),
    ],
    ids=str,
)
def test_what_was_not_released_is_refused_and_the_choice_is_named(
    people, count_draws, values, expected
):
    with pytest.raises(ValueError, match=expected) as caught:
        sample_one(people, values)

    assert count_draws == []
    assert 'Paris' not in str(caught.value)
    assert 'forty' not in str(caught.value)
    assert caught.value.__context__ is None or 'forty' not in str(caught.value.__context__)


def test_values_that_never_occur_together_are_told(build_metadata):
    table = pd.DataFrame({'kind': list('ab') * 300, 'same': list('ab') * 300})
    columns = dict.fromkeys(table, {'sdtype': 'categorical'})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), target_column='kind', **SETTINGS)
    synthesizer.fit({NAME: table})

    with pytest.raises(ValueError, match=r"1 of 1.*\['kind', 'same'\].*never together"):
        sample_one(synthesizer, {'kind': 'a', 'same': 'b'}, 1)


@pytest.mark.parametrize('alpha', [0.5, 1])
@pytest.mark.parametrize('target', ['z', 'y', None])
def test_a_number_between_released_cells_stands_for_its_neighbours(build_metadata, target, alpha):
    """Noise leaves gaps in a range; none was asked for by name, so no row is refused."""
    rng = np.random.default_rng(0)
    low = rng.random(600) < 0.5
    table = pd.DataFrame({'x': np.where(low, 1, 9), 'y': np.where(low, 'low', 'high')})
    table['z'] = table['y']  # each class of a category has cells of its own
    columns = {'x': {'sdtype': 'numerical'}} | dict.fromkeys('yz', {'sdtype': 'categorical'})
    told = SETTINGS | {'alpha': alpha, 'target_column': target}
    synthesizer = ClustMixSynthesizer(build_metadata(columns), **told)
    synthesizer.fit({NAME: table})

    rows = synthesizer.sample_remaining_columns(pd.DataFrame({'x': [3] * 60 + [8] * 60}))[NAME]

    assert list(rows['x']) == [3] * 60 + [8] * 60
    assert (rows['y'][:60] == 'low').mean() > 0.8
    assert (rows['y'][60:] == 'high').mean() > 0.8


def test_sentinels_can_be_asked_for_and_numbers_before_them_cannot(build_metadata):
    table = pd.DataFrame({'x': [1, 2, 3, 999] * 150})
    synthesizer = ClustMixSynthesizer(build_metadata({'x': {'sdtype': 'numerical'}}), **SETTINGS)
    synthesizer.fit({NAME: table})

    assert list(sample_one(synthesizer, {'x': 999}, 5)['x']) == [999] * 5
    with pytest.raises(
        ValueError, match=r"value of 'x' other than those from 1 to 3 and \[999\]\."
    ):
        sample_one(synthesizer, {'x': 50}, 5)


@pytest.mark.parametrize(
    'how',
    [{}, {'mixing': 'clusters'}, {'target_column': 'u'}],
    ids=['pairs', 'mixture', 'labels'],
)
def test_many_conditions_are_drawn_at_once(build_metadata, monkeypatch, how):
    """Each took a call, or three: 20,000 of them took an hour."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'x': rng.integers(0, 300, 2_000), 'u': rng.choice(list('ab'), 2_000)})
    table['y'] = table['x'] // 10 + rng.integers(0, 3, 2_000)
    kinds = {'x': 'numerical', 'y': 'numerical', 'u': 'categorical'}
    metadata = build_metadata({name: {'sdtype': kind} for name, kind in kinds.items()})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0, **how)
    synthesizer.fit({'people': table})
    calls = []
    whole = Release.sample
    monkeypatch.setattr(Release, 'sample', lambda *given: calls.append(1) or whole(*given))
    known = pd.DataFrame({'x': np.arange(900) % 290, 'u': np.repeat(['a', 'b', 'a'], 300)})

    rows = synthesizer.sample_remaining_columns(known)['people']

    assert rows['x'].tolist() == known['x'].tolist() and rows['u'].tolist() == known['u'].tolist()
    assert len(calls) == 1
    assert np.corrcoef(rows['x'], rows['y'])[0, 1] > 0.9
