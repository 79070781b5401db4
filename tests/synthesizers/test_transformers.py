"""Transformers that a user puts before the codes of a synthesizer, or is refused."""

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from rdt.transformers import (
    AnonymizedFaker,
    BinaryEncoder,
    ClusterBasedNormalizer,
    FloatFormatter,
    GaussianNormalizer,
    LabelEncoder,
    LogitScaler,
    LogScaler,
    OneHotEncoder,
    OptimizedTimestampEncoder,
    OrderedLabelEncoder,
    OrderedUniformEncoder,
    UniformEncoder,
    UnixTimestampEncoder,
)
from rdt.transformers.base import BaseTransformer
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.sampling import Condition

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.encoding.encoders import NumberEncoder
from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.synthesizers import single_table

NAME = 't'


class Cubed(BaseTransformer):
    """A user's own: it falls."""

    INPUT_SDTYPE = 'numerical'
    ACTS_RECORD_BY_RECORD = True

    def _fit(self, data):
        pass

    def _transform(self, data):
        return -np.cbrt(data)

    def _reverse_transform(self, data):
        return (-data) ** 3


class Undeclared(Cubed):
    ACTS_RECORD_BY_RECORD = False


class Talkative(Cubed):
    def _transform(self, data):
        if (data == 7_654_321.0).any():
            raise ValueError(f'{data.max()} is private')
        return data


def build_table(rng, size=1500):
    days = pd.to_timedelta(rng.integers(0, 900, size), 'D')
    return pd.DataFrame(
        {
            'income': np.where(rng.random(size) < 0.1, np.nan, rng.lognormal(8, 1, size).round(2)),
            'count': np.exp(rng.normal(5, 1, size)).astype(int) + 1,
            'share': rng.beta(2, 5, size),
            'size': rng.choice(['S', 'M', 'L'], size),
            'flag': rng.random(size) < 0.4,
            'day': (pd.Timestamp('2020-01-01') + days).strftime('%d.%m.%Y'),
            'moment': pd.Timestamp('2020-01-01') + days + pd.to_timedelta(7, 's'),
        }
    )


COLUMNS = {
    'income': {'sdtype': 'numerical'},
    'count': {'sdtype': 'numerical'},
    'share': {'sdtype': 'numerical'},
    'size': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
    'moment': {'sdtype': 'datetime'},
}


def choose():
    return {
        'income': LogScaler(),
        'count': LogScaler(),
        'share': LogitScaler(),
        'size': OrderedLabelEncoder(order=['S', 'M', 'L']),
        'flag': BinaryEncoder(),
        'day': OptimizedTimestampEncoder(),
        'moment': UnixTimestampEncoder(),
    }


def make(table, steps, facts=None, **options):
    columns = {name: each | (facts or {}).get(name, {}) for name, each in COLUMNS.items()}
    synthesizer = ClustMixSynthesizer(describe(columns), **{'epsilon': 20.0, **options})
    synthesizer.auto_assign_transformers({NAME: table})
    if steps:
        synthesizer.update_transformers(steps)
    return synthesizer


@pytest.fixture(scope='module')
def table():
    return build_table(np.random.default_rng(3))


@pytest.fixture(scope='module')
def fitted(table):
    synthesizer = make(table, choose())
    synthesizer.fit({NAME: table})
    return synthesizer


def test_samples_are_as_the_user_stored_the_table(fitted, table):
    sampled = fitted.sample(1000)[NAME]
    assert sampled.dtypes.to_dict() == table.dtypes.to_dict()
    assert (sampled['count'] >= 1).all() and sampled['income'].min() > 0
    assert sampled['share'].between(0, 1).all()
    assert sampled['day'].str.fullmatch(r'\d\d\.\d\d\.20\d\d').all()
    assert set(sampled['size']) == {'S', 'M', 'L'}
    for name in ('income', 'count', 'share'):
        ranks = np.searchsorted(np.sort(table[name].dropna()), sampled[name].dropna())
        # A Kolmogorov-Smirnov distance of 0.2 between 900 and 1,350 rows is 5 deviations out.
        share = np.arange(1, len(ranks) + 1) / len(ranks)
        assert np.abs(np.sort(ranks) / table[name].notna().sum() - share).max() < 0.2


def test_conditions_are_met_through_the_transformers(fitted):
    known = {'count': 100, 'size': 'M', 'flag': True, 'moment': pd.Timestamp('2021-05-05 00:00:07')}
    for name, value in known.items():
        sampled = fitted.sample_from_conditions([Condition({name: value}, 5)])[NAME]
        assert sampled[name].tolist() == [value] * 5
    missing = fitted.sample_from_conditions([Condition({'income': None}, 5)])[NAME]
    assert missing['income'].isna().all()
    with pytest.raises(ValueError, match=r"'size' other than \['S', 'M', 'L'\]"):
        fitted.sample_from_conditions([Condition({'size': 'XL'}, 5)])


def test_a_fit_with_transformers_is_a_function_of_the_release(fitted, table, compare):
    """Two wholly different tables, and one release in place of what each would have released."""
    other = build_table(np.random.default_rng(8), 700)
    other['income'] = other['income'] * 7 + 3
    states = []
    for rows in (table, other):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single_table, 'release', lambda *_: fitted._model)
            synthesizer = make(table, choose())
            synthesizer.fit({NAME: rows})
        states.append((synthesizer.preprocessor.derivations, synthesizer.get_transformers()))
    assert compare(*states) == []


def test_values_that_a_transformer_cannot_take_are_refused_without_showing_them(table):
    rows = table.assign(count=table['count'].where(table.index != 5, -7_654_321))
    refused = r"'count' has values .* LogScaler\(\) cannot take"
    with pytest.raises(InvalidDataError, match=refused) as caught:
        make(table, choose()).fit({NAME: rows})
    assert '7654321' not in repr(caught.value.errors)
    rows = table.assign(size=table['size'].where(table.index != 5, 'secret'))
    with pytest.raises(InvalidDataError, match="'size' has values") as caught:
        make(table, choose()).fit({NAME: rows})
    assert 'secret' not in str(caught.value)


def test_an_error_of_a_transformer_shows_no_value(table):
    synthesizer = make(table, {'count': Talkative()})
    with pytest.raises(UnreadableRowsError, match="'Talkative' of the column 'count' fails") as e:
        synthesizer.fit({NAME: table.assign(count=7_654_321)})
    assert '7654321' not in str(e.value)
    assert (e.value.__cause__, e.value.__context__) == (None, None)


@pytest.mark.parametrize(
    ('name', 'transformer', 'reason'),
    [
        ('income', ClusterBasedNormalizer(), 'learns how the values of a column are distributed'),
        ('income', GaussianNormalizer(), 'learns how the values of a column are distributed'),
        ('size', UniformEncoder(), 'learns how frequent each value is'),
        ('size', OrderedUniformEncoder(order=['S', 'M', 'L']), 'learns how frequent'),
        ('size', OneHotEncoder(), 'makes a column for each value'),
        ('size', AnonymizedFaker(), 'makes values up'),
        ('income', Undeclared(), 'ACTS_RECORD_BY_RECORD = True'),
        ('income', FloatFormatter(learn_rounding_scheme=True), 'learns decimals'),
        ('income', FloatFormatter(enforce_min_max_values=True), 'learns a range'),
        ('day', UnixTimestampEncoder(enforce_min_max_values=True), 'learns a range'),
        ('count', FloatFormatter(computer_representation='Int64'), 'State the range'),
        ('size', LabelEncoder(add_noise=True), 'draws a random number for each row'),
        ('size', LabelEncoder(), 'needs a public list of values'),
        ('income', NumberEncoder(np.array([0.0, 1.0])), 'public_metadata=True'),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, BaseTransformer) else '',
)
def test_a_transformer_that_is_not_local_is_refused_with_the_reason(
    table, name, transformer, reason
):
    synthesizer = make(table, {})
    before = synthesizer.get_transformers()
    with pytest.raises(SynthesizerInputError, match=reason):
        synthesizer.update_transformers({name: transformer})
    assert synthesizer.get_transformers() == before


def test_a_target_of_categories_stays_one(table):
    synthesizer = make(table, {}, target_column='flag')
    with pytest.raises(SynthesizerInputError, match="'flag' is the target"):
        synthesizer.update_transformers({'flag': BinaryEncoder()})


def test_the_transformer_of_the_user_is_left_unfitted(table):
    own = LogScaler()
    synthesizer = make(table, {'count': own})
    assert synthesizer.get_transformers()['count'] is own
    synthesizer.fit({NAME: table})
    assert own.columns is None
    synthesizer.fit({NAME: table})
    assert synthesizer.get_transformers()['count'].columns == ['count']


def test_transformers_can_be_chosen_for_a_table_of_many(table):
    tables = {
        'person': pd.DataFrame({'key': range(400), 'age': np.arange(400) % 70}),
        'order': table.iloc[:400].assign(person=range(400)),
    }
    described = {'person': {'key': 'id', 'age': 'numerical'}, 'order': COLUMNS | {'person': 'id'}}
    metadata = describe_tables(described, ('order', 'person', 'person', 'key'))
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=50.0)
    synthesizer.auto_assign_transformers(tables)
    synthesizer.update_transformers('order', {'income': LogScaler(), 'share': LogitScaler()})
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale()['order']
    assert (sampled['income'].dropna() > 0).all() and sampled['share'].between(0, 1).all()
    found = synthesizer.get_transformers('order')
    assert (type(found['income']), type(found['share'])) == (LogScaler, LogitScaler)
