"""The coupling behind the promise: a fitted synthesizer depends on the rows by the release alone.

Two wholly different tables of one schema are fitted, with the same release put in place of what
each would have released. Whatever else SDV, RDT or we had learned from the rows would show as a
difference between the two synthesizers, or between what they sample.
"""

import cloudpickle
import pandas as pd
import pytest

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers import single_table

NAME = 'people'


def tell_private_facts(metadata, table):
    """State ranges and values of this very table, as detection by SDV would."""
    for name, column in metadata.tables[NAME].columns.items():
        if column['sdtype'] == 'numerical':
            column |= {'range_min': float(table[name].min()), 'range_max': float(table[name].max())}
        if column['sdtype'] in ('categorical', 'ordinal'):
            column['range_values'] = list(table[name].dropna().unique())
        column['range_is_nullable'] = bool(table[name].isna().any())


@pytest.fixture(scope='module')
def tables(build_table):
    """Tables of the same dtypes that share no key, no number of rows, no range and no gap."""
    one, other = build_table(700, seed=0), build_table(1_100, seed=1)
    other['key'] = 'other-' + other['key']
    for name in ('whole', 'cents', 'real', 'constant'):
        other[name] = -1_000 - other[name]
    other['real'] = other['real'].mask(other.index % 7 == 0)
    other['whole_missing'] = other['whole_missing'].fillna(3)
    other['letter'] = other['letter'].str.upper().mask(other.index % 5 == 0)
    other['code_missing'] = other['code_missing'].fillna(9)
    other['flag'] = True
    other['flag_missing'] = other['flag_missing'].eq(True).astype(object)
    other['number_id'] = other['number_id'] + 1_000_000
    other['unknown'] = other['unknown'] + 10_000
    other['category'] = pd.Categorical(other['category'].astype(str) + '!')
    other['moment'] = other['moment'] + pd.Timedelta(days=3_000)
    return one, other


@pytest.fixture(scope='module')
def fit(build_metadata, tables, mixed_columns):
    metadata = build_metadata(mixed_columns, 'key')
    model = ClustMixSynthesizer(metadata, epsilon=20.0, target_column='letter')
    model.fit({NAME: tables[0]})

    def fit_constant(table, release=model._model, **settings):
        metadata = build_metadata(mixed_columns, 'key')
        tell_private_facts(metadata, table)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single_table, 'release', lambda *_: release)
            synthesizer = ClustMixSynthesizer(metadata, target_column='letter', **settings)
            synthesizer.fit({NAME: table})
        return synthesizer

    return fit_constant


def test_a_fitted_synthesizer_is_a_function_of_the_release(tables, fit, walk, compare):
    """And so are what is saved of it, and what it samples."""
    fits = [fit(table) for table in tables]
    one, other = (each.__getstate__() for each in fits)
    pickled = [cloudpickle.dumps(each) for each in fits]
    saved = [cloudpickle.loads(each) for each in pickled]

    assert not any(word in pickled[0] for word in (b'secret', b'jax'))
    assert len(dict(walk(one))) > 1_000
    assert compare(one, other) == []
    assert compare(*saved) == []
    for num_rows in (50, 200):
        pd.testing.assert_frame_equal(*(each.sample(num_rows)[NAME] for each in fits))
    assert compare(*(each.__getstate__() for each in fits)) == []


def test_the_comparison_sees_a_difference(tables, fit, compare):
    one, leaky = fit(tables[0]), fit(tables[0], epsilon=2.0)
    assert ".['epsilon']" in compare(one.__getstate__(), leaky.__getstate__())

    before = len(compare(one.__getstate__(), leaky.__getstate__()))
    leaky.preprocessor.storage.dtypes['cents'] = 'float32'
    leaky._data_processor._hyper_transformer.field_transformers['email'].random_seed += 1
    assert len(compare(one.__getstate__(), leaky.__getstate__())) == before + 2
