"""Ids that are made up, a million at a time: of the kinds that SDV makes, and distinct."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from described import describe
from rdt.transformers import AnonymizedFaker, RegexGenerator
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.storage.processing import IdGenerator, make_ids

TEXTS = 52**6


def fit(generator, name='key'):
    generator.fit(pd.DataFrame({name: [1, 2, 3]}), name)
    generator.reset_randomization()
    return generator


def make(generator, num_rows, name='key'):
    return generator.reverse_transform(pd.DataFrame({'row': np.zeros(num_rows)}))[name]


def choose(dtype, **about):
    """What SDV chooses for ids that are the key of their table, and for others."""
    metadata = describe(
        {'key': {'sdtype': 'id', **about}, 'other': {'sdtype': 'id', **about}}, primary_key='key'
    )
    processor = DataProcessor(
        metadata._convert_to_single_table(), id_columns_use_old_behavior=['key', 'other']
    )
    processor.prepare_for_fitting(
        pd.DataFrame({name: pd.Series([1, 2, 3]).astype(dtype) for name in ('key', 'other')})
    )
    return processor._hyper_transformer.field_transformers


@pytest.mark.parametrize(('dtype', 'text'), [('int64', False), ('float64', False), ('str', True)])
def test_plain_ids_of_sdv_are_made_here(dtype, text):
    chosen = choose(dtype)
    key, other = make_ids(chosen['key']), make_ids(chosen['other'])

    assert (key.text, key.unique, other.unique) == (text, True, False)
    theirs, ours = (make(fit(each), 300) for each in (chosen['key'], key))
    assert pd.api.types.infer_dtype(ours) == pd.api.types.infer_dtype(theirs)
    if text:
        assert all(re.fullmatch('sdv-id-[A-Za-z]{6}', each) for each in [*ours, *theirs])
    else:
        assert ours.between(0, 2**24).all() and theirs.between(0, 2**24).all()


def test_what_is_more_than_a_plain_id_stays_with_sdv():
    assert type(make_ids(choose('str', regex_format='[A-Z]{4}')['key'])) is RegexGenerator
    assert type(make_ids(choose('int8')['key'])) is AnonymizedFaker
    for own in (AnonymizedFaker('address', 'city'), AnonymizedFaker(), None):
        assert make_ids(own) is own


@pytest.mark.parametrize('num_ids', [2, 7, 1000, 2**24 + 1, TEXTS])
def test_ids_are_distinct_from_draw_to_draw(num_ids):
    generator = fit(IdGenerator(num_ids))
    drawn = np.concatenate([make(generator, size) for size in (1, 500, 1999)])

    assert len(set(drawn)) == 2500
    # All that there are come first; larger numbers only once they are used up.
    assert (np.sort(drawn)[: min(num_ids, 2500)] < num_ids).all()


def test_ids_come_back_once_sampling_is_reset_and_go_on_once_saved():
    for generator in (IdGenerator(), IdGenerator(TEXTS, text=True), IdGenerator(9, unique=False)):
        first, second = (
            make(fit(generator), 20) if not at else make(generator, 20) for at in (0, 1)
        )
        loaded = pickle.loads(pickle.dumps(generator))
        assert make(loaded, 20).tolist() == make(generator, 20).tolist()
        generator.reset_randomization()
        assert make(generator, 20).tolist() == first.tolist()
        assert first.tolist() != second.tolist()


@pytest.mark.parametrize('regex', [r'\d{1000000}', '[a-z]{1,500}', '((a{1,20}){1,20}){1,20}'])
@pytest.mark.parametrize('kind', [ClustMixSynthesizer, ClustMixMultiTableSynthesizer])
def test_formats_that_explode_are_refused_before_anything_is_made_of_them(kind, regex):
    metadata = describe({'key': {'sdtype': 'id', 'regex_format': regex}, 'x': 'numerical'})
    with pytest.raises(SynthesizerInputError, match='repeats too much'):
        kind(metadata)


@pytest.mark.parametrize('dtype', ['Int64', 'boolean', 'datetime64[ns]'])
def test_a_made_up_column_of_any_dtype_is_sampled(dtype):
    """The budget is spent by then: an error would lose the release."""
    cells = pd.Series([1, 0, 1] * 20).astype(dtype)
    table = pd.DataFrame({'lat': cells, 'n': range(60)})
    metadata = describe({'lat': 'latitude', 'n': 'numerical'})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=5.0)
    synthesizer.fit({'t': table})
    sampled = synthesizer.sample(4)['t']['lat']

    assert len(sampled) == 4
    assert sampled.dtype == ('object' if dtype == 'boolean' else dtype)
