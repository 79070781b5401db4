"""What is saved is whole, or what was there before is as it was; what is damaged is not loaded."""

import errno
import os
import pickle
import warnings

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.errors import SynthesizerInputError, VersionError
from sdv.single_table import GaussianCopulaSynthesizer
from sdv.utils import load_synthesizer

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.storage.files import UNKNOWN, get_version


def fit_one():
    synthesizer = ClustMixSynthesizer(describe({'x': 'numerical'}, 'people'), epsilon=10.0)
    synthesizer.fit({'people': pd.DataFrame({'x': range(100)})})
    return synthesizer


def fit_many():
    tables = {
        'parent': {'key': 'id', 'x': 'numerical'},
        'child': {'parent_key': 'id', 'y': 'numerical'},
    }
    metadata = describe_tables(tables, ('child', 'parent_key', 'parent', 'key'))
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=10.0)
    rows = np.arange(100)
    synthesizer.fit(
        {
            'parent': pd.DataFrame({'key': rows, 'x': rows}),
            'child': pd.DataFrame({'parent_key': rows // 2, 'y': rows}),
        }
    )
    return synthesizer


@pytest.fixture(scope='module', params=[fit_one, fit_many], ids=['one table', 'many tables'])
def fitted(request):
    return request.param()


@pytest.fixture
def path(fitted, tmp_path):
    """Where an older synthesizer was saved."""
    path = tmp_path / 'synthesizer.pkl'
    fitted.save(path)
    return path


def copy(synthesizer):
    """Copy what is pickled: the user's own metadata is not."""
    return cloudpickle.loads(cloudpickle.dumps(synthesizer))


def list_files(path):
    return [each.name for each in path.parent.iterdir()]


def test_what_is_saved_can_be_loaded_by_us_and_by_sdv(fitted, path, compare):
    for loaded in (type(fitted).load(path), load_synthesizer(path), type(fitted).load(str(path))):
        assert compare(loaded.__getstate__(), copy(fitted).__getstate__()) == []
    assert list_files(path) == ['synthesizer.pkl']


@pytest.mark.parametrize('stop', [KeyboardInterrupt, MemoryError, OSError(errno.ENOSPC, 'full')])
def test_an_error_while_saving_leaves_the_old_file(fitted, path, monkeypatch, stop):
    old = path.read_bytes()

    def write_half(synthesizer, output):
        output.write(b'half')
        raise stop

    monkeypatch.setattr(cloudpickle, 'dump', write_half)
    with pytest.raises(type(stop) if isinstance(stop, OSError) else stop):
        fitted.save(path)

    assert path.read_bytes() == old
    assert list_files(path) == ['synthesizer.pkl']


def test_nor_does_an_error_leave_a_new_file(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'fsync', lambda _: (_ for _ in ()).throw(OSError(errno.EIO, 'broken')))
    with pytest.raises(OSError, match=r'broken.*unchanged') as caught:
        fitted.save(tmp_path / 'synthesizer.pkl')

    assert (caught.value.errno, caught.value.filename) == (
        errno.EIO,
        str(tmp_path / 'synthesizer.pkl'),
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('share', [0.0, 0.01, 0.5, 0.99, 1.0])
def test_a_truncated_file_is_refused(fitted, path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: min(int(share * len(whole)), len(whole) - 1)])

    with pytest.raises(SynthesizerInputError, match=r"synthesizer.pkl' is damaged, or no synth"):
        type(fitted).load(path)
    with pytest.raises((EOFError, pickle.UnpicklingError)):
        load_synthesizer(path)


@pytest.mark.parametrize('load', ['ours', 'theirs'])
def test_a_flipped_bit_is_noticed(fitted, path, compare, load):
    """Of 150 once, 85 were loaded, and most of those were sampled from."""
    whole, rng = path.read_bytes(), np.random.default_rng(5)
    expected, harmless = copy(fitted).__getstate__(), 0
    for place in rng.integers(0, 8 * len(whole), 50).tolist():
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            loaded = (type(fitted).load if load == 'ours' else load_synthesizer)(path)
        except Exception as error:
            assert load == 'theirs' or isinstance(error, SynthesizerInputError)
        else:
            harmless += 1  # in what pickle does not need
            assert compare(loaded.__getstate__(), expected) == []
    assert harmless < 4


@pytest.mark.parametrize(
    'content',
    [b'a text', b'\x80', pickle.dumps({'a': 1}), pickle.dumps(None), b'cnowhere\nThing\n.'],
)
def test_a_foreign_file_is_refused(fitted, path, content):
    path.write_bytes(content)
    with pytest.raises(SynthesizerInputError, match=r"synthesizer.pkl' (is damaged|holds no)"):
        type(fitted).load(path)


def test_a_synthesizer_of_another_kind_is_refused(fitted, path):
    other = ({ClustMixSynthesizer, ClustMixMultiTableSynthesizer} - {type(fitted)}).pop()
    with pytest.raises(
        SynthesizerInputError, match=f'holds no {other.__name__}, but {type(fitted).__name__}'
    ):
        other.load(path)


def test_a_synthesizer_of_sdv_is_refused(tmp_path):
    metadata = describe({'x': 'numerical'}, 'people')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        GaussianCopulaSynthesizer(metadata).save(tmp_path / 'theirs.pkl')
    with pytest.raises(SynthesizerInputError, match='but GaussianCopulaSynthesizer'):
        ClustMixSynthesizer.load(tmp_path / 'theirs.pkl')


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
