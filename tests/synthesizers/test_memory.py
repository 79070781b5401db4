"""What does not go into memory is refused before a row is read."""

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixSynthesizer, cost, pipeline
from sdv_threea.release import Release

COLUMNS = {
    'amount': {'sdtype': 'numerical'},
    'age': {'sdtype': 'numerical'},
    'label': {'sdtype': 'categorical'},
}


def test_a_fit_that_does_not_go_into_memory_is_refused_before_a_row_is_read(build_metadata):
    synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), memory_limit=0.1)
    with pytest.raises(MemoryError, match=r'would take about [0-9,.]+ GB.*memory_limit'):
        synthesizer.fit({'people': None})


@pytest.mark.parametrize('number', [1001, 10**6, 10**9])
def test_more_components_than_can_be_told_apart_are_refused_at_birth(build_metadata, number):
    with pytest.raises(SynthesizerInputError, match=r"'auto' or a whole number from 1 to 1,000"):
        ClustMixSynthesizer(build_metadata(COLUMNS), n_components=number)


def test_an_argument_says_otherwise(build_metadata, monkeypatch):
    monkeypatch.setattr(cost, 'find_memory', lambda: 1e8)
    table = pd.DataFrame({'amount': [1.0, 2.0], 'age': [1, 2], 'label': ['a', 'b']})
    for limit in (None, 16):
        terms = {'memory_limit': limit, 'accept': 'noise'}
        synthesizer = ClustMixSynthesizer(build_metadata(COLUMNS), **terms)
        if limit is None:
            with pytest.raises(MemoryError):
                synthesizer.fit({'people': table})
        else:
            synthesizer.fit({'people': table})
    for wrong in (0, -1, 'all', True):
        with pytest.raises(SynthesizerInputError, match='memory_limit'):
            ClustMixSynthesizer(build_metadata(COLUMNS), memory_limit=wrong)


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
    monkeypatch.setattr(cost, 'find_memory', lambda: 1e-6 if limit == 1.0 else 1e12)
    monkeypatch.setattr(fitted, 'memory_limit', limit)
    if limit == 1.0:
        assert len(fitted.sample(300)['people']) == 300
    else:
        with pytest.raises(MemoryError, match='may take only 0.0 GB.*memory_limit'):
            fitted.sample(300)
    monkeypatch.setattr(fitted, 'memory_limit', 'much')
    with pytest.raises(SynthesizerInputError, match='memory_limit must be a number above 0'):
        fitted.sample(3)


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
