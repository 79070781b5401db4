"""What is saved is whole, or what was there before is as it was; what is damaged is not loaded."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import stat
import sys
import warnings
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer
from sdv.utils import load_synthesizer

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

NUMBER, KEY = {'sdtype': 'numerical'}, {'sdtype': 'id'}

LINK = {
    'parent_table_name': 'parent',
    'child_table_name': 'child',
    'parent_primary_key': 'key',
    'child_foreign_key': 'parent_key',
}


def fit_one():
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': {'x': NUMBER}}}})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=10.0)
    synthesizer.fit({'people': pd.DataFrame({'x': range(100)})})
    return synthesizer


def fit_many():
    parent = {'columns': {'key': KEY, 'x': NUMBER}, 'primary_key': 'key'}
    child = {'columns': {'parent_key': KEY, 'y': NUMBER}}
    tables = {'parent': parent, 'child': child}
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': [LINK]})
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
    with pytest.raises(OSError, match=r'broken.*as it was') as caught:
        fitted.save(tmp_path / 'synthesizer.pkl')

    assert (caught.value.errno, caught.value.filename) == (
        errno.EIO,
        str(tmp_path / 'synthesizer.pkl'),
    )
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, sys
from sdv.utils import load_synthesizer
synthesizer = load_synthesizer(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
try:
    synthesizer.save(sys.argv[1])
except OSError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == 'win32', reason='there is no such limit')
def test_a_disk_that_is_full_leaves_the_old_file(path, run_anew):
    old = path.read_bytes()
    said = run_anew(FULL, path).stdout

    assert 'Nothing was saved, and what was there before is as it was' in said
    assert str(path) in said
    assert path.read_bytes() == old
    assert list_files(path) == ['synthesizer.pkl']


@pytest.mark.skipif(not Path('/dev/full').exists(), reason='there is no such device')
def test_a_device_is_written_to_and_not_replaced(fitted):
    with pytest.raises(OSError, match='No space left'):
        fitted.save('/dev/full')

    assert stat.S_ISCHR(os.stat('/dev/full').st_mode)
    fitted.save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


HALF = """
import os, signal, sys
import cloudpickle
from sdv.utils import load_synthesizer
synthesizer = load_synthesizer(sys.argv[1])

def write_half(synthesizer, output):
    text = cloudpickle.dumps(synthesizer)
    output.write(text[: len(text) // 2])
    output.flush()
    os.kill(os.getpid(), signal.SIGKILL)

cloudpickle.dump = write_half
synthesizer.save(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == 'win32', reason='there is no such signal')
def test_a_kill_while_saving_leaves_the_old_file(fitted, path, compare, run_anew):
    old = path.read_bytes()
    assert run_anew(HALF, path).returncode == -signal.SIGKILL

    assert path.read_bytes() == old
    loaded = type(fitted).load(path)
    assert compare(loaded.__getstate__(), copy(fitted).__getstate__()) == []
    (left,) = set(list_files(path)) - {'synthesizer.pkl'}
    assert left.startswith('.')
    assert left.endswith('-synthesizer.pkl')
    assert stat.S_IMODE((path.parent / left).stat().st_mode) == 0o600
    with pytest.raises(SynthesizerInputError, match='is damaged'):
        type(fitted).load(path.parent / left)
    fitted.save(path)
    assert list_files(path) == ['synthesizer.pkl']


def test_links_are_followed_and_modes_are_kept(fitted, path, tmp_path):
    path.chmod(0o640)
    link = tmp_path / 'link.pkl'
    link.symlink_to(path)
    old = path.stat().st_ino
    fitted.save(link)

    assert link.is_symlink()
    assert path.stat().st_ino != old
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_other(fitted, tmp_path):
    (tmp_path / 'other').write_text('')
    fitted.save(tmp_path / 'new.pkl')

    assert (tmp_path / 'new.pkl').stat().st_mode == (tmp_path / 'other').stat().st_mode


def test_a_folder_that_is_not_there_is_named(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match='nowhere'):
        fitted.save(tmp_path / 'nowhere' / 'synthesizer.pkl')


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
    for place in rng.integers(0, 8 * len(whole), 150).tolist():
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
    assert harmless < 10


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
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': {'x': NUMBER}}}})
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        GaussianCopulaSynthesizer(metadata).save(tmp_path / 'theirs.pkl')
    with pytest.raises(SynthesizerInputError, match='but GaussianCopulaSynthesizer'):
        ClustMixSynthesizer.load(tmp_path / 'theirs.pkl')


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match='nowhere.pkl'):
        ClustMixSynthesizer.load(tmp_path / 'nowhere.pkl')


def test_labels_that_see_columns_together_are_saved_with_the_kernel_of_the_user(run_anew, tmp_path):
    """The kernel is a function of this test, which the process that loads does not have."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(4000, 2)).round(3), columns=['x', 'y'])
    table['same'] = np.where(table['x'] * table['y'] > 0, 'yes', 'no')
    columns = {'x': NUMBER, 'y': NUMBER, 'same': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'signs': {'columns': columns}}})

    def kernel(first, second):
        import jax.numpy as jnp

        return jnp.exp(-jnp.sum((first[:, None] - second[None]) ** 2, axis=-1) / 2)

    synthesizer = ClustMixSynthesizer(metadata, epsilon=20.0, target_column='same', kernel=kernel)
    synthesizer.fit({'signs': table})
    synthesizer.save(str(tmp_path / 'signs.pkl'))
    program = """
import sys
from sdv.utils import load_synthesizer
rows = load_synthesizer(sys.argv[1]).sample(3000)['signs']
clear = rows[(rows['x'] * rows['y']).abs() > 0.3]
print(((clear['x'] * clear['y'] > 0) == (clear['same'] == 'yes')).mean())
"""
    done = run_anew(program, tmp_path / 'signs.pkl')

    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.85
