"""Synthesizers that were saved by another version."""

import warnings

import pandas as pd
import pytest
from sdv.errors import SDVVersionWarning, VersionError
from sdv.utils import load_synthesizer

from sdv_threea import ClustMixSynthesizer
from sdv_threea.storage.version import UNKNOWN, get_version


@pytest.fixture(scope='module')
def save_as_of(build_metadata, tmp_path_factory):
    """Save a synthesizer as another version of the package would have."""
    synthesizer = ClustMixSynthesizer(build_metadata({'x': {'sdtype': 'numerical'}}), epsilon=5.0)
    synthesizer.fit({'people': pd.DataFrame({'x': range(100)})})

    def save(made_with):
        path = tmp_path_factory.mktemp('saved') / 'synthesizer.pkl'
        synthesizer._made_with = made_with
        synthesizer.save(path)
        return path

    return save


needs_installation = pytest.mark.skipif(
    get_version() == UNKNOWN, reason='the version of a checkout that is not installed is unknown'
)


@needs_installation
def test_a_file_of_a_newer_version_is_not_loaded(save_as_of):
    with pytest.raises(VersionError, match=r'made with sdv-threea 999\.0'):
        load_synthesizer(save_as_of('999.0'))


@needs_installation
def test_a_file_of_an_older_version_is_loaded_with_a_warning(save_as_of):
    with pytest.warns(SDVVersionWarning, match=r'made with sdv-threea 0\.0\.1'):
        loaded = load_synthesizer(save_as_of('0.0.1'))
    assert len(loaded.sample(3)['people']) == 3


def test_a_file_of_this_version_is_loaded_without_a_word(save_as_of):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert len(load_synthesizer(save_as_of(get_version())).sample(3)['people']) == 3
