"""A fit takes no more memory for more rows, beyond the table that it is given."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer, cost, pipeline
from sdv_threea.privacy import rows
from sdv_threea.release import Release
from sdv_threea.storage import memory

COLUMNS = {
    'amount': {'sdtype': 'numerical'},
    'age': {'sdtype': 'numerical'},
    'label': {'sdtype': 'categorical'},
}
FEW, MANY = 8_000, 48_000


def measure_peak(metadata, num_rows):
    """The bytes that a fit takes at most, beyond those of the table."""
    rng = np.random.default_rng(7)
    label = rng.random(num_rows) < 0.4
    table = pd.DataFrame(
        {
            'amount': rng.normal(label, 2.0),
            'age': rng.integers(18, 90, num_rows),
            'label': pd.Categorical(np.where(label, 'yes', 'no')),
        }
    )
    terms = {'epsilon': 30.0, 'delta': 1e-7, 'n_components': 1, 'target_column': 'label'}
    synthesizer = ClustMixSynthesizer(metadata, **terms)
    tracemalloc.start()
    try:
        synthesizer.fit({'people': table})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_not_even_one_column_is_copied_as_a_whole(monkeypatch, build_metadata):
    monkeypatch.setattr(rows, 'CHUNK_CELLS', 2**13)
    monkeypatch.setattr(rows, 'KEPT_BYTES', 2**14)
    metadata = build_metadata(COLUMNS)
    measure_peak(metadata, 1000)  # fills the caches of all later fits

    copied = np.dtype(float).itemsize * MANY
    assert measure_peak(metadata, MANY) < measure_peak(metadata, FEW) + copied


TIGHT = {'n_components': 1000, 'memory_limit': 0.4002}


@pytest.mark.parametrize('how', [TIGHT, {'memory_limit': 0.1}], ids=str)
def test_a_fit_that_does_not_go_into_memory_is_refused_before_a_row_is_read(build_metadata, how):
    synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), **how)
    with pytest.raises(MemoryError, match=r'would take about [0-9,.]+ GB.*memory_limit'):
        synthesizer.fit({'people': None})


@pytest.mark.parametrize('number', [1001, 10**6, 10**9])
def test_more_components_than_can_be_told_apart_are_refused_at_birth(build_metadata, number):
    with pytest.raises(SynthesizerInputError, match=r"'auto' or a whole number from 1 to 1,000"):
        ClustMixSynthesizer(build_metadata(COLUMNS), n_components=number)


def test_a_class_has_no_more_components_than_records(build_metadata):
    """What it has is as released, so that nothing else of the private rows is told by it."""
    synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), epsilon=1e6, n_components=900)
    rows = np.arange(30)
    table = {'amount': rows / 2, 'age': rows % 90, 'label': np.where(rows % 3, 'a', 'b')}
    synthesizer.fit({'people': pd.DataFrame(table)})

    assert synthesizer._model.mixture.weights.shape == (1, 30)
    assert len(synthesizer.sample(50)['people']) == 50


def test_an_argument_says_otherwise(build_metadata, monkeypatch):
    monkeypatch.setattr(memory, 'find_memory', lambda: 1e8)
    table = pd.DataFrame({'amount': [1.0, 2.0], 'age': [1, 2], 'label': ['a', 'b']})
    for limit in (None, 16):
        synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), memory_limit=limit)
        if limit is None:
            with pytest.raises(MemoryError):
                synthesizer.fit({'people': table})
        else:
            synthesizer.fit({'people': table})
    for wrong in (0, -1, 'all', True):
        with pytest.raises(SynthesizerInputError, match='memory_limit'):
            ClustMixSynthesizer(build_metadata(COLUMNS), memory_limit=wrong)


def test_what_a_fit_is_expected_to_take_is_about_what_was_measured():
    """Peaks of resident memory, in GB, as measured."""
    shapes = (1500, 1, 1), (5000, 1, 1), (5000, 2, 1), (101, 1, 500)
    for shape, measured in zip(shapes, (0.84, 2.9, 3.6, 0.6), strict=True):
        assert 0.7 < cost.expect_memory(*shape) / 1e9 / measured < 1.4


@pytest.fixture
def fitted(build_metadata):
    synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), epsilon=50.0)
    rows = np.arange(300)
    table = {'amount': rows / 2, 'age': rows % 90, 'label': np.where(rows % 3, 'a', 'b')}
    synthesizer.fit({'people': pd.DataFrame(table)})
    return synthesizer


def test_rows_that_do_not_fit_into_memory_are_refused_at_once(fitted, count_draws):
    with pytest.raises(MemoryError, match=r'rows take [0-9,.]+ GB or more, .* sample_to_parquet'):
        fitted.sample(2**62)
    assert count_draws == []


@pytest.mark.parametrize('limit', [1e-6, 1.0])
def test_the_same_argument_is_for_samples_too_and_may_be_set_later(fitted, monkeypatch, limit):
    """A release that somebody else has made is sampled on another machine."""
    monkeypatch.setattr(memory, 'find_memory', lambda: 1e-6 if limit == 1.0 else 1e12)
    monkeypatch.setattr(fitted, 'memory_limit', limit)
    if limit == 1.0:
        assert len(fitted.sample(300)['people']) == 300
    else:
        with pytest.raises(MemoryError, match='may take 0.0 GB.*memory_limit'):
            fitted.sample(300)
    monkeypatch.setattr(fitted, 'memory_limit', 'much')
    with pytest.raises(SynthesizerInputError, match='memory_limit must be a number above 0'):
        fitted.sample(3)


def test_it_is_no_part_of_a_release(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr(fitted, 'memory_limit', 1e6)
    fitted.save_release(tmp_path / 'a.release')

    assert ClustMixSynthesizer.load_release(tmp_path / 'a.release').memory_limit is None


KEY = {'sdtype': 'id'}
LINK = {
    'parent_table_name': 'parent',
    'child_table_name': 'child',
    'parent_primary_key': 'key',
    'child_foreign_key': 'parent_key',
}


def test_of_a_database_a_fit_and_a_sample_are_refused_alike():
    tables = {
        'parent': {'columns': {'key': KEY, 'x': COLUMNS['age']}, 'primary_key': 'key'},
        'child': {'columns': {'parent_key': KEY, 'y': COLUMNS['age']}},
    }
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': [LINK]})
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=10.0, memory_limit=0.1)
    rows = np.arange(100)
    parent = pd.DataFrame({'key': rows, 'x': rows})
    data = {'parent': parent, 'child': pd.DataFrame({'parent_key': rows // 2, 'y': rows})}
    with pytest.raises(MemoryError, match='memory_limit'):
        synthesizer.fit(data)
    assert synthesizer.num_releases == 0
    synthesizer.memory_limit = None
    synthesizer.fit(data)

    synthesizer.memory_limit = 1.0
    for ask in (
        lambda: synthesizer.sample_scale(1e8),
        lambda: synthesizer.sample(10**9, 'parent'),
    ):
        with pytest.raises(MemoryError, match='rows take [0-9,.]+ GB or more'):
            ask()
    assert set(synthesizer.sample_scale(1.0)) == {'parent', 'child'}


def make_error():
    """Make NumPy's own error, which takes other arguments than Python's."""
    try:
        np.empty(2**55)
    except MemoryError as error:
        return error


@pytest.mark.parametrize('error', [MemoryError(), make_error()], ids=['Python', 'NumPy'])
def test_an_error_for_memory_reaches_the_user_as_such(fitted, monkeypatch, error):
    """SDV made one of the same type with its own message, which NumPy's type does not take."""

    def fail(*_):
        raise error

    monkeypatch.setattr(Release, 'sample', fail)
    with pytest.raises(MemoryError, match='sample_to_parquet'):
        fitted.sample(30)
    with pytest.raises(MemoryError):
        fitted.sample_to_parquet(30, 'unused', show_progress=False)
    monkeypatch.setattr(pipeline, 'release', fail)
    with pytest.raises(MemoryError):
        fitted.fit({'people': pd.DataFrame({'amount': [1.0], 'age': [1], 'label': ['a']})})
