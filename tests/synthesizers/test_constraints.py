"""Constraints hold in what is sampled, keep what they tie together, and bring nothing private."""

from __future__ import annotations

import math

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    ProgrammableConstraint,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import RefitWarning, SynthesizerInputError
from sdv.sampling import Condition
from sdv.utils import load_constraints

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.release import Release
from sdv_threea.synthesizers import single_table

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


@pytest.fixture(scope='module')
def table():
    return make_table(3_000)


@pytest.fixture
def metadata(build_metadata):
    return build_metadata(COLUMNS)


@pytest.fixture
def fit(build_metadata, table):
    def fit_synthesizer(constraints, data=table, epsilon=math.inf, target=None):
        metadata = build_metadata({name: COLUMNS[name] for name in data})
        synthesizer = ClustMixSynthesizer(
            metadata, epsilon=epsilon, target_column=target, n_components=1
        )
        synthesizer.add_constraints(constraints)
        synthesizer.fit({NAME: data})
        return synthesizer

    return fit_synthesizer


def count_rejected(synthesizer, num_rows=1_000):
    """Draw rows once, and count those that break a constraint: SDV would draw them again."""
    synthesizer._set_random_state(7)
    drawn = synthesizer._data_processor.reverse_transform(synthesizer._sample(num_rows))
    synthesizer.reset_sampling()
    return num_rows - len(synthesizer.reverse_transform_constraints(drawn))


def assert_valid(constraints, real, sampled, metadata):
    """Ask SDV, with constraints that know the real rows."""
    for constraint in constraints:
        constraint.fit(real, metadata)
        assert constraint.is_valid(sampled).all(), constraint


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
            FixedCombinations(['city', 'country']),
            Inequality('start', 'end'),
            Inequality('known', 'later'),
            OneHotEncoding(['yes', 'no', 'maybe']),
            FixedIncrements('salary', 500),
            Range('low', 'middle', 'high'),
        ],
        list(COLUMNS),
    ),
}


@pytest.mark.filterwarnings('ignore:No value of the columns')
@pytest.mark.parametrize('epsilon', [1.0, math.inf])
@pytest.mark.parametrize('name', CONSTRAINTS)
def test_sampled_rows_obey_and_none_is_rejected(name, epsilon, fit, table, build_metadata):
    make, columns = CONSTRAINTS[name]
    data = table[columns]
    synthesizer = fit(make(), data, epsilon, target='answer')
    sampled = synthesizer.sample(400)[NAME]

    assert count_rejected(synthesizer) == 0
    assert len(sampled) == 400
    assert list(sampled.columns) == columns
    synthesizer.validate_constraints(sampled)
    metadata = build_metadata({column: COLUMNS[column] for column in columns})
    assert_valid(make(), data, sampled, metadata)
    assert 'the constraints' in synthesizer.get_privacy_statement().public


def test_combinations_come_as_often_as_in_the_table(fit, table):
    synthesizer = fit(CONSTRAINTS['combinations'][0](), table[['city', 'country', 'low']])
    sampled = synthesizer.sample(6_000)[NAME]
    shares = [
        rows.fillna({'country': 'none'}).groupby(['city', 'country']).size() / len(rows)
        for rows in (table, sampled)
    ]

    assert set(shares[1].index) <= set(shares[0].index)
    assert shares[0].sub(shares[1], fill_value=0).abs().max() < 0.04


def test_what_columns_have_to_do_with_each_other_is_kept(fit, table):
    columns = CONSTRAINTS['everything'][1]
    sampled = fit(CONSTRAINTS['everything'][0](), target='answer').sample(4_000)[NAME]

    def correlate(rows, one, other):
        return rows[one].corr(rows[other])

    assert columns == list(sampled)
    for pair in [('low', 'middle'), ('low', 'high'), ('known', 'later')]:
        assert abs(correlate(table, *pair) - correlate(sampled, *pair)) < 0.1
    for name in ['low', 'middle', 'high', 'known', 'later']:
        assert abs(table[name].mean() - sampled[name].mean()) < 0.15 * table[name].std()
        assert abs(table[name].isna().mean() - sampled[name].isna().mean()) < 0.04
    both = [(rows['known'].isna() & rows['later'].isna()).mean() for rows in (table, sampled)]
    assert abs(both[0] - both[1]) < 0.04
    young = [rows.groupby('answer')['middle'].mean() for rows in (table, sampled)]
    assert young[0].sub(young[1]).abs().max() < 2


@pytest.mark.parametrize('target', ['low', 'middle', 'high'])
def test_a_target_may_be_ordered(fit, table, target):
    data = table[['low', 'middle', 'high', 'unsorted']]
    synthesizer = fit([Range('low', 'middle', 'high')], data, target=target)
    sampled = synthesizer.sample(500)[NAME]

    assert synthesizer._model.domain.names[1] == target
    assert count_rejected(synthesizer) == 0
    assert abs(sampled[target].mean() - table[target].mean()) < 0.2 * table[target].std()


def test_a_target_may_be_part_of_a_combination_or_a_flag(fit, table):
    data = table[['city', 'country', 'yes', 'no', 'maybe']]
    synthesizer = fit([FixedCombinations(['city', 'country'])], data, target='country')
    sampled = synthesizer.sample(300)[NAME]
    assert set(zip(sampled['city'], sampled['country'].fillna(''), strict=True)) <= set(
        zip(table['city'], table['country'].fillna(''), strict=True)
    )

    synthesizer = fit([OneHotEncoding(['yes', 'no', 'maybe'])], data, target='yes')
    sampled = synthesizer.sample(300)[NAME]
    assert (sampled[['yes', 'no', 'maybe']].astype(int).sum(axis=1) == 1).all()


def test_constraints_that_cannot_be_built_in_together_are_met_by_rejection(fit, table):
    constraints = [OneHotEncoding(['yes', 'no', 'maybe']), FixedCombinations(['no', 'maybe'])]
    synthesizer = fit(constraints, table[['yes', 'no', 'maybe', 'low']])
    sampled = synthesizer.sample(300)[NAME]

    assert len(sampled) == 300
    assert not (sampled['no'].eq(1) & sampled['maybe']).any()
    synthesizer.validate_constraints(sampled)


def test_dates_in_different_formats_are_compared_as_sdv_does(build_metadata, table):
    columns = {
        'start': DATE,
        'stop': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M'},
    }
    start = pd.to_datetime(table['start'], format='%d.%m.%Y')
    data = table[['start']].assign(stop=(start + pd.Timedelta('5h')).dt.strftime('%Y-%m-%d %H:%M'))
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=math.inf)
    synthesizer.add_constraints([Inequality('start', 'stop')])
    synthesizer.fit({NAME: data})

    assert synthesizer._model.domain.names == ('start', 'stop')
    synthesizer.validate_constraints(synthesizer.sample(100)[NAME])


def test_known_increments_spare_the_search_for_a_granularity(fit, table):
    synthesizer = fit([FixedIncrements('salary', 500)], table[['salary', 'low']], epsilon=20.0)

    assert synthesizer._model.domain['salary'].step == 500


def test_public_bounds_and_nullability_spare_questions(build_metadata, table):
    bounds = {'range_min': 0, 'range_max': 400, 'decimal_places': 0, 'range_is_nullable': False}
    columns = dict.fromkeys(['low', 'high'], {'sdtype': 'numerical', **bounds})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), public_metadata=True)
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.fit({NAME: table[['low', 'high']]})
    sampled = synthesizer.sample(500)[NAME]

    assert synthesizer._model.domain.names == ('low', 'low#high')
    asked = {each.released for each in synthesizer.get_privacy_statement().receipts}
    assert not any('missing values' in each or 'granularity' in each for each in asked)
    assert sampled['high'].between(0, 400).all()


class EvenLow(SingleTableProgrammableConstraint):
    def get_updated_metadata(self, metadata):
        return metadata

    def is_valid(self, data):
        return data['low'] % 2 == 0


class TenTimes(EvenLow):
    """A rule that chance never meets: it takes the round trip."""

    def __init__(self, number, result):
        self.number = number
        self.result = result

    def is_valid(self, data):
        return data[self.result] == 10 * data[self.number]

    def transform(self, data):
        return data.drop(columns=self.result)

    def reverse_transform(self, data):
        return data.assign(**{self.result: 10 * data[self.number]})


class BelowLargest(EvenLow):
    """A rule that is learned."""

    def __init__(self, number):
        self.number = number

    def fit(self, data, metadata):
        self.largest = data[self.number].max()

    def is_valid(self, data):
        return data[self.number] < self.largest


def test_a_constraint_of_ones_own_and_others(fit, table):
    even = table[table['low'] % 2 == 0][['low', 'high', 'answer']]
    synthesizer = fit([EvenLow(), Inequality('low', 'high')], even)
    sampled = synthesizer.sample(60)[NAME]

    assert (sampled['low'] % 2 == 0).all()
    assert (sampled['low'] <= sampled['high']).all()
    assert [type(each) for each in synthesizer.get_constraints()] == [EvenLow, Inequality]


def test_rows_that_break_a_constraint_of_ones_own_take_its_round_trip(fit, table):
    data = table[['low', 'middle']].assign(salary=10 * table['low'])
    synthesizer = fit([TenTimes('low', 'salary'), Inequality('low', 'middle')], data)
    sampled = synthesizer.sample(200)[NAME]

    assert (sampled['salary'] == 10 * sampled['low']).all()
    assert (sampled['low'] <= sampled['middle']).all()
    assert sampled['salary'].dtype == table['salary'].dtype
    assert count_rejected(synthesizer) == 0


def test_a_constraint_learns_from_synthetic_rows(fit, table):
    constraint = BelowLargest('low')
    constraint.fit(pd.DataFrame({'low': [7_777]}), None)
    synthesizer = fit([constraint], table[['low', 'answer']], epsilon=5.0)
    (learned,) = synthesizer.get_constraints()

    assert constraint.largest == 7_777
    assert 18 < learned.largest < 100
    assert (synthesizer.sample(200)[NAME]['low'] < learned.largest).all()
    with pytest.warns(RefitWarning):
        synthesizer.fit({NAME: table[['low', 'answer']]})
    assert len(synthesizer.sample(20)[NAME]) == 20


def test_drawing_rows_to_learn_from_leaves_no_trace(fit, table):
    with_email = table[['low', 'email']]
    synthesizer = fit([BelowLargest('low')], with_email)
    sampled = synthesizer.sample(5)[NAME]
    synthesizer.reset_sampling()

    pd.testing.assert_frame_equal(synthesizer.sample(5)[NAME], sampled)


def test_a_constraint_that_cannot_learn_from_synthetic_rows_says_so(fit, table):
    class Careful(BelowLargest):
        def fit(self, data, metadata):
            raise ValueError('no')

        def is_valid(self, data):
            return data['low'] > 0

    with pytest.warns(UserWarning, match=r"'Careful' cannot be fitted on synthetic rows"):
        synthesizer = fit([Careful('low')], table[['low', 'answer']])
    assert len(synthesizer.sample(5)[NAME]) == 5


class Secretive(EvenLow):
    """Code whose errors show what it has seen."""

    def __init__(self, method):
        self.method = method

    def complain(self, method, data):
        if method == self.method:
            raise ValueError(f'secret {data["low"].max()}')

    def validate_input_data(self, data):
        self.seen = data['low'].max()
        self.complain('validate_input_data', data)

    def is_valid(self, data):
        self.complain('is_valid', data)
        return data['low'] < (50 if self.method == 'rows' else 1_000)


@pytest.mark.parametrize(
    ('method', 'expected'),
    [
        ('validate_input_data', "Rows of the table break the constraint 'Secretive'"),
        ('rows', "Rows of the table break the constraint 'Secretive'"),
        ('is_valid', "The constraint 'Secretive' fails on the table"),
    ],
)
def test_errors_of_constraints_show_nothing(fit, table, method, expected):
    data = table[['low', 'answer']].assign(low=777)
    with pytest.raises(ConstraintNotMetError, match=expected) as caught:
        fit([Secretive(method)], data)

    assert '777' not in str(caught.value)
    assert caught.value.__context__ is None


def test_nothing_that_a_constraint_has_seen_is_kept(fit, table):
    synthesizer = fit([Secretive('nothing')], table[['low', 'answer']])

    assert not hasattr(synthesizer.get_constraints()[0], 'seen')


@pytest.mark.parametrize(
    'constraint',
    [
        Inequality('high', 'low'),
        Range('low', 'high', 'middle'),
        OneHotEncoding(['yes', 'no']),
        FixedIncrements('low', 10),
    ],
    ids=repr,
)
def test_rows_that_break_a_constraint_are_refused(fit, table, constraint):
    data = table[['low', 'middle', 'high', 'yes', 'no']].assign(low=777)
    data['middle'] = data['high'] = 888
    name = type(constraint).__name__
    with pytest.raises(ConstraintNotMetError, match=f"break the constraint '{name}'") as caught:
        fit([constraint], data)

    assert '777' not in str(caught.value)


def test_constraints_that_cannot_be_met_are_refused_and_none_is_added(metadata):
    class Forgetful(BelowLargest):
        def __init__(self, number):
            self.hidden = number

    class ManyTables(ProgrammableConstraint):
        pass

    synthesizer = ClustMixSynthesizer(metadata)
    for broken, error, expected in [
        (OneHotEncoding(['email', 'no']), SynthesizerInputError, r"\['email'\].*made up"),
        (Forgetful('low'), SynthesizerInputError, "'Forgetful' has a 'fit'"),
        (ManyTables(), SynthesizerInputError, 'not compatible with the single table'),
        (Inequality('low', 'nowhere'), ConstraintNotMetError, 'nowhere'),
        (FixedCombinations(['low', 'city']), ConstraintNotMetError, "'low'.*incompatible sdtype"),
    ]:
        with pytest.raises(error, match=expected):
            synthesizer.add_constraints([Inequality('low', 'high'), broken])
        assert synthesizer.get_constraints() == []
    with pytest.raises(ValueError, match='must be a list'):
        synthesizer.add_constraints(Inequality('low', 'high'))


def test_constraints_can_be_added_one_after_the_other(fit, table):
    data = table[['low', 'middle', 'high']]
    synthesizer = fit([Inequality('low', 'middle')], data, epsilon=5.0)
    with pytest.warns(RefitWarning, match='please refit'):
        synthesizer.add_constraints([Inequality('middle', 'high')])
    with pytest.warns(RefitWarning, match='their costs add up'):
        synthesizer.fit({NAME: data})

    assert len(synthesizer.get_constraints()) == 2
    assert synthesizer._model.domain.names[0] == 'low'
    assert synthesizer._model.domain.names[1:3] == ('low#middle', 'middle#high')


@pytest.fixture
def count_draws(monkeypatch):
    """Count how often rows are drawn from a release."""
    draws, sample = [], Release.sample

    def count(self, num_rows, *settings):
        draws.append(num_rows)
        return sample(self, num_rows, *settings)

    monkeypatch.setattr(Release, 'sample', count)
    return draws


@pytest.mark.parametrize(
    ('condition', 'other', 'expected'),
    [
        ({'country': 'FR'}, 'city', {'Lyon', 'Paris'}),
        ({'country': None}, 'city', {'Rome'}),
        ({'city': 'Bern', 'answer': 'old'}, 'country', {'CH'}),
        ({'yes': 1}, 'maybe', {False}),
        ({'yes': 0, 'no': 0}, 'maybe', {True}),
        ({'maybe': True}, 'no', {0}),
    ],
)
def test_conditions_on_what_constraints_replaced_are_drawn(
    fit, count_draws, condition, other, expected
):
    synthesizer = fit(CONSTRAINTS['everything'][0](), target='answer')
    sampled = synthesizer.sample_from_conditions([Condition(condition, num_rows=300)])[NAME]

    assert count_draws == [300]
    assert set(sampled[other]) == expected
    for name, value in condition.items():
        assert (sampled[name].isna() if value is None else sampled[name] == value).all()


def test_conditions_on_missing_numbers_are_drawn(fit, table, count_draws):
    synthesizer = fit([Inequality('known', 'later')], table[['known', 'later', 'answer']])
    sampled = synthesizer.sample_from_conditions([Condition({'later': None}, num_rows=900)])[NAME]
    real = table[table['later'].isna()]

    assert count_draws == [900]
    assert sampled['later'].isna().all()
    assert abs(sampled['known'].isna().mean() - real['known'].isna().mean()) < 0.08


def test_conditions_on_ordered_numbers_are_met(fit, table):
    close = table['unsorted'] + 50
    data = table[['low', 'high', 'answer']]
    data = data.assign(known=close, later=close + table['unsorted'].abs() / 10)
    synthesizer = fit([Inequality('low', 'high'), Inequality('known', 'later')], data)
    for name, value in [('low', 45), ('high', 45), ('known', 50.3), ('later', 50.3)]:
        condition = Condition({name: value}, num_rows=20)
        sampled = synthesizer.sample_from_conditions([condition])[NAME]
        assert len(sampled) == 20
        assert sampled[name].eq(value).all()
        synthesizer.validate_constraints(sampled)


def test_conditions_that_no_released_combination_meets_are_refused(fit, table):
    synthesizer = fit([FixedCombinations(['city', 'country'])], table[['city', 'country', 'low']])
    with pytest.raises(
        ValueError, match=r"\['city#country'\] that were released, but never together"
    ):
        synthesizer.sample_from_conditions([Condition({'city': 'Bern', 'country': 'FR'}, 1)])

    known = pd.DataFrame({'city': ['Bern', 'Lyon'], 'country': ['FR', 'FR']})
    with pytest.warns(UserWarning, match='Only some of the conditions can be met'):
        sampled = synthesizer.sample_remaining_columns(known)[NAME]
    assert sampled[['city', 'country']].to_numpy().tolist() == [['Lyon', 'FR']]


def test_the_modified_metadata_describes_what_is_modelled(metadata, table):
    synthesizer = ClustMixSynthesizer(metadata)
    before = synthesizer.get_metadata('modified').to_dict()
    synthesizer.add_constraints(CONSTRAINTS['everything'][0]())
    processed = synthesizer.preprocess({NAME: table})[NAME]
    modified = synthesizer.get_metadata('modified').tables[NAME].columns

    assert before == synthesizer.get_metadata('original').to_dict() == metadata.to_dict()
    assert set(processed.columns) == set(modified) - {'email'}
    assert modified['city#country'] == {'sdtype': 'categorical'}
    assert modified['start#end'] == {'sdtype': 'numerical'}
    assert modified['start']['sdtype'] == 'datetime'
    assert 'country' not in modified


def test_preprocessing_and_fitting_by_hand(metadata, table):
    synthesizer = ClustMixSynthesizer(metadata, epsilon=math.inf)
    synthesizer.add_constraints(CONSTRAINTS['everything'][0]())
    synthesizer.fit_processed_data(synthesizer.preprocess({NAME: table}))

    synthesizer.validate_constraints(synthesizer.sample(50)[NAME])


def test_a_name_that_is_taken_is_not_taken_again(build_metadata, table):
    columns = {name: COLUMNS[name] for name in ('low', 'high')}
    columns |= {'low#high': COLUMNS['unsorted'], 'low#high.missing': COLUMNS['city']}
    data = table[['low', 'high']].assign(**{'low#high': 1.5, 'low#high.missing': 'x'})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=math.inf)
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.fit({NAME: data})
    sampled = synthesizer.sample(20)[NAME]

    assert (sampled['low#high'] == 1.5).all()
    assert (sampled['low'] <= sampled['high']).all()


def test_saved_and_loaded_constraints_hold(fit, table, tmp_path):
    columns = ['city', 'country', 'low', 'high']
    synthesizer = fit([FixedCombinations(columns[:2]), Inequality('low', 'high')], table[columns])
    loaded = cloudpickle.loads(cloudpickle.dumps(synthesizer))
    sampled = synthesizer.sample(100)[NAME]
    loaded.validate_constraints(sampled)
    pd.testing.assert_frame_equal(loaded.sample(100)[NAME], sampled)

    synthesizer.get_constraints(tmp_path / 'constraints.json')
    again = fit(load_constraints(tmp_path / 'constraints.json'), table[columns])
    again.validate_constraints(again.sample(100)[NAME])


def test_validating_rows_that_hold_unreleased_combinations(fit, table):
    data = table[['city', 'country', 'low']]
    synthesizer = fit([FixedCombinations(['city', 'country'])], data, epsilon=1.0)
    synthesizer.validate({NAME: data.assign(country='another')})


def spot(data, **secret):
    """Give one record a combination of its own, of values that others have too, or have not."""
    data = data.copy()
    for name, value in secret.items():
        data.loc[data.index[0], name] = value
    return data


def test_a_rare_combination_does_not_leave(fit, table):
    data = spot(table[['city', 'country', 'low']], city='secret-city', country='secret-country')
    data = spot(data.iloc[::-1], city='Bern', country='FR')
    constraint = FixedCombinations(['city', 'country'])
    synthesizer = fit([constraint], data, epsilon=5.0)
    sampled = synthesizer.sample(3_000)[NAME]

    assert b'secret' not in cloudpickle.dumps(synthesizer)
    assert ('Bern', 'FR') not in set(zip(sampled['city'], sampled['country'], strict=True))
    assert ('Bern', 'FR') not in synthesizer._model.domain['city#country'].values  # noqa: PD011
    assert b'Basel' in cloudpickle.dumps(synthesizer)
    assert constraint._combinations is None


def test_what_a_constraint_learned_elsewhere_is_left_behind(metadata, table):
    constraints = [FixedCombinations(['city', 'country']), Inequality('low', 'high')]
    for constraint in constraints:
        constraint.fit(spot(table, city='secret-city', high=98_765), metadata)
    synthesizer = ClustMixSynthesizer(metadata)
    synthesizer.add_constraints(constraints)
    kept = cloudpickle.dumps(synthesizer)

    assert b'secret-city' not in kept
    assert b'secret-city' in cloudpickle.dumps(constraints)
    assert synthesizer.get_constraints()[1]._formatters[NAME]['high']._max_value != 98_765
    constraints[0].fit(spot(table, city='another-secret'), metadata)
    assert b'another-secret' not in cloudpickle.dumps(synthesizer)


def make_other_table():
    """Wholly other rows: ranges, combinations, differences and missing values."""
    other = make_table(2_000, seed=1)
    for name in ('low', 'middle', 'high'):
        other[name] = 3 * other[name] - 1_000
    other['city'] = other['city'].str.upper().mask(other.index % 7 == 0)
    other['country'] = other['country'].str.lower()
    other['known'], other['later'] = other['known'].fillna(-5.0), other['later'] + 9_000.0
    other['start'] = '24.12.1990'
    other['salary'] = other['salary'] - 500_000
    return other


def test_a_fitted_synthesizer_is_a_function_of_the_release(fit, table, compare):
    constraints = [*CONSTRAINTS['everything'][0](), EvenLow(), BelowLargest('unsorted')]
    tables = [each[each['low'] % 2 == 0] for each in (table, make_other_table())]
    model = fit(constraints, tables[0])._model

    def fit_constant(data):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single_table, 'release', lambda *_: model)
            return fit(constraints, data)

    one, other = map(fit_constant, tables)
    assert compare(one.__getstate__(), other.__getstate__()) == []
    loaded = [cloudpickle.loads(cloudpickle.dumps(each)) for each in (one, other)]
    assert compare(*loaded) == []
    pd.testing.assert_frame_equal(one.sample(90)[NAME], other.sample(90)[NAME])
    assert compare(one.__getstate__(), other.__getstate__()) == []


def test_adults_education_and_its_number_stay_together():
    adult, _, metadata = load_adult()
    metadata.update_column('education_num', 'adult', sdtype='categorical')
    settings = {'epsilon': 1.0, 'delta': 1e-5, 'target_column': 'income', 'n_components': 1}
    synthesizer = ClustMixSynthesizer(metadata, **settings)
    synthesizer.add_constraints([FixedCombinations(['education', 'education_num'])])
    synthesizer.fit({'adult': adult})
    sampled = synthesizer.sample(5_000)['adult']
    pairs = [
        rows.groupby(['education', 'education_num']).size() / len(rows) for rows in (adult, sampled)
    ]

    assert set(pairs[1].index) <= set(pairs[0].index)
    assert len(pairs[1]) >= 12
    assert pairs[0].sub(pairs[1], fill_value=0).abs().max() < 0.05
    rich = [
        (rows['income'] == '>50K').groupby(rows['education']).mean() for rows in (adult, sampled)
    ]
    assert rich[1]['Bachelors'] > rich[1]['HS-grad'] + 0.1
