"""What Dask's workers spill to disk: what of the rows is in it, who can read it, what is left."""

import os
import stat
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea import ClustMixSynthesizer

dask = pytest.importorskip('dask', reason='Dask is not installed')
dask_frames = pytest.importorskip('dask.dataframe', reason='Dask is not installed')
distributed = pytest.importorskip('distributed', reason='Dask is not installed')

pytestmark = pytest.mark.skipif(os.name != 'posix', reason='modes are those of POSIX')

#: In each row once, and too rare to be released: it is seen where rows are.
SECRET = 'secret-4711-'

NUM_ROWS = 600


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """A worker that spills all that it holds."""
    memory = {f'distributed.worker.memory.{each}': 1e-6 for each in ('target', 'spill')}
    folder = tmp_path_factory.mktemp('spilled')
    before = os.umask(0)  # the least careful of users
    try:
        with (
            dask.config.set({**memory, 'temporary-directory': str(folder)}),
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit='4GB'
            ) as workers,
            distributed.Client(workers) as client,
        ):
            ask(client, watch, SECRET.encode())
            yield client, Path(ask(client, find_folder))
    finally:
        os.umask(before)


def find_folder(dask_worker):
    return dask_worker.local_directory


def watch(secret):
    """Note on a worker, from here on, of each file that it spills whether a secret is in it."""
    import zict

    write, zict.spilled = zict.File.__setitem__, []

    def write_and_note(self, key, value):
        parts = value if isinstance(value, list | tuple) else [value]
        zict.spilled.append(secret in b''.join(map(bytes, parts)))
        write(self, key, value)

    zict.File.__setitem__ = write_and_note


def take_notes():
    """Return what was noted on a worker, and begin anew."""
    import zict

    noted, zict.spilled = zict.spilled, []
    return noted


def ask(client, *work):
    (answer,) = client.run(*work).values()
    return answer


def assert_nothing_is_left(folder):
    """Workers forget results that nobody holds a little later."""
    deadline = time.monotonic() + 60
    while any(path.is_file() for path in folder.rglob('*')):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def make_table():
    rows = np.arange(NUM_ROWS)
    return pd.DataFrame({'x': rows % 90, 'code': [f'{SECRET}{row}' for row in rows]})


def fit(data):
    synthesizer = ClustMixSynthesizer(describe({'x': 'numerical', 'code': 'id'}), epsilon=5.0)
    synthesizer.fit({'t': data})
    return synthesizer


def test_others_cannot_open_the_folder_of_a_worker(cluster):
    _, folder = cluster
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_of_a_dask_dataframe_rows_are_spilled_and_nothing_is_left(cluster):
    """The check below would see them."""
    client, folder = cluster
    fit(dask_frames.from_pandas(make_table(), npartitions=3, sort=False))

    assert any(ask(client, take_notes))
    assert_nothing_is_left(folder)


def test_of_files_no_row_is_spilled_and_samples_are_the_same_on_workers(cluster, tmp_path):
    client, folder = cluster
    make_table().to_parquet(tmp_path / 't.parquet')
    ask(client, take_notes)
    synthesizer = fit(tmp_path / 't.parquet')

    spilled = ask(client, take_notes)
    assert spilled  # sums are
    assert not any(spilled)
    assert_nothing_is_left(folder)
    there = client.submit(lambda each: each.sample(50)['t'], synthesizer, pure=False).result()
    pd.testing.assert_frame_equal(there, synthesizer.sample(50)['t'])
