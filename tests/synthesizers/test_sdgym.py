"""Our entrant of SDGym: by itself, as SDGym calls it, and inside SDGym where that can be had."""

import sys
from types import SimpleNamespace

import pytest

from sdv_threea.synthesizers.sdgym import (
    get_trained_synthesizer,
    make_sdgym_synthesizer,
    sample_from_synthesizer,
)


def use_stand_in(monkeypatch):
    """Put a stand-in for SDGym in place, which keeps what it is given."""
    stand_in = SimpleNamespace(create_single_table_synthesizer=lambda *given: given)
    monkeypatch.setitem(sys.modules, 'sdgym', stand_in)


COLUMNS = {
    'age': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
}

METADATA = {
    'a table by name': {'tables': {'people': {'columns': COLUMNS}}},
    'one table': {'columns': COLUMNS},
    'one table, with its version': {'columns': COLUMNS, 'METADATA_SPEC_VERSION': 'V2'},
}


@pytest.mark.parametrize('metadata', METADATA.values(), ids=METADATA)
def test_the_functions_train_and_sample_as_sdgym_calls_them(small_table, metadata):
    synthesizer = get_trained_synthesizer(small_table, metadata, epsilon=5.0)
    sampled = sample_from_synthesizer(synthesizer, 25)

    assert synthesizer.get_parameters()['epsilon'] == 5.0
    assert sampled.shape == (25, 3)
    assert list(sampled.columns) == list(small_table.columns)


def test_settings_reach_the_synthesizer_through_sdgym(monkeypatch, small_table):
    use_stand_in(monkeypatch)
    name, train, sample = make_sdgym_synthesizer('Mine', epsilon=7.0, target_column='city')
    synthesizer = train(small_table, METADATA['one table'])

    assert name == 'Mine'
    assert synthesizer.get_parameters()['epsilon'] == 7.0
    assert synthesizer.get_parameters()['target_column'] == 'city'
    assert len(sample(synthesizer, 5)) == 5


def test_a_setting_that_does_not_exist_is_refused_before_the_benchmark(monkeypatch):
    use_stand_in(monkeypatch)
    with pytest.raises(TypeError, match='epsilom'):
        make_sdgym_synthesizer(epsilom=1.0)


def test_without_sdgym_the_error_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sdgym', None)
    with pytest.raises(ImportError, match='needs SDGym, in a version that works with'):
        make_sdgym_synthesizer()
