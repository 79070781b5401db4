"""A folder of Parquet files: a part at a time in memory, and whole or not at all."""

import errno
import gc
import shutil
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import Domain, Number
from sdv_threea.storage.files import write_folder
from sdv_threea.storage.table_storage import StoredColumns

STORAGE = StoredColumns(
    {'x': {'sdtype': 'numerical'}},
    {'x': np.dtype('int64')},
    Domain((Number(name='x', low=0.0, high=9.0, step=1.0),)),
)


class Sampler:
    """Samples rows, notes how many, and stops at one of the calls."""

    def __init__(self, stop=None, last=None):
        self.sizes, self.stop, self.last = [], stop, last

    def __call__(self, size):
        if len(self.sizes) == self.last:
            raise self.stop
        self.sizes.append(size)
        return pd.DataFrame({'x': np.arange(size) % 10})


def write(sample, num_rows, folder, rows_per_file, *, show_progress=False):
    return write_folder(
        sample, num_rows, folder, rows_per_file, STORAGE, show_progress=show_progress
    )


def test_one_part_at_a_time_is_in_memory(tmp_path):
    alive = []

    def sample(size):
        gc.collect()
        assert [each() for each in alive if each() is not None] == []
        rows = pd.DataFrame({'x': np.arange(size)})
        alive.append(weakref.ref(rows))
        return rows

    write(sample, 30, tmp_path / 'rows', 8)

    assert len(alive) == 4


@pytest.mark.parametrize('name', ['file', 'full', 'full/old'])
def test_what_is_there_is_not_touched_and_nothing_is_sampled(tmp_path, name):
    (tmp_path / 'full').mkdir()
    for path in (tmp_path / 'file', tmp_path / 'full' / 'old'):
        path.write_text('old')
    before, sample = sorted(tmp_path.rglob('*')), Sampler()
    with pytest.raises(FileExistsError, match=f'choose another folder, or empty it.*{name}'):
        write(sample, 5, tmp_path / name, 5)

    assert sample.sizes == []
    assert sorted(tmp_path.rglob('*')) == before


def test_more_than_the_disk_holds_is_refused_at_once(tmp_path):
    sampler = Sampler()
    with pytest.raises(OSError, match=r'would take [0-9,.]+ GB or more') as caught:
        write(sampler, 2**62, tmp_path / 'out', 10**6)
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


def test_so_it_is_as_soon_as_one_file_tells_how_large_all_will_be(tmp_path, monkeypatch):
    written = []
    usage = SimpleNamespace(free=10_000)
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usage)

    def sample(size):
        written.append(size)
        return Sampler()(size)

    with pytest.raises(OSError, match='ask for fewer'):
        write(sample, 1000, tmp_path / 'out', 10)
    assert written == [10]
    assert list(tmp_path.iterdir()) == []
    usage.free = 10**9
    assert len(write(sample, 1000, tmp_path / 'out', 100)) == 10
