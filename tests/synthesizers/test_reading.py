"""Private tables that are not in memory: the release is the same, and nothing of them is told."""

import os
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.cag import Inequality
from sdv.errors import InvalidDataError, InvalidDataTypeError

from sdv_threea.synthesizers import single_table
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

dask_frames = pytest.importorskip('dask.dataframe', reason='Dask is not installed')
distributed = pytest.importorskip('distributed', reason='Dask is not installed')

COLUMNS = {
    'age': 'numerical',
    'amount': 'numerical',
    'born': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'town': 'categorical',
    'member': 'boolean',
    'label': 'categorical',
}


def make_table(num_rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.random(num_rows) < 0.4
    return pd.DataFrame(
        {
            'age': rng.integers(18, 90, num_rows),
            'amount': np.where(rng.random(num_rows) < 0.1, np.nan, rng.lognormal(3 + label, 1)),
            'born': rng.choice(pd.date_range('1960', '2000').strftime('%Y-%m-%d'), num_rows),
            'town': rng.choice(['Ulm', 'Bonn', 'Jena', None], num_rows, p=[0.5, 0.3, 0.1, 0.1]),
            'member': rng.random(num_rows) < 0.5,
            'label': np.where(label, 'yes', 'no'),
        }
    )


def make(columns=None, **arguments):
    arguments = {'epsilon': 5.0, 'target_column': 'label', **arguments}
    return ClustMixSynthesizer(describe(columns or COLUMNS), **arguments)


def split(table, npartitions=3):
    return dask_frames.from_pandas(table, npartitions=npartitions, sort=False)


def fit_and_sample(data, **arguments):
    synthesizer = make(**arguments)
    synthesizer.fit({'t': data})
    assert not any('dask' in type(each).__module__ for each in vars(synthesizer).values())
    return synthesizer.sample(500)['t'], synthesizer.get_privacy_statement()


def assert_same(one, other):
    """Compare rows and statements; Dask stores texts in its own way."""
    rows = (each.astype(object).where(each.notna(), None) for each in (one[0], other[0]))
    pd.testing.assert_frame_equal(*rows)
    assert one[1] == other[1]


def test_a_dask_dataframe_and_files_give_the_release_of_the_same_table(fixed, tmp_path):
    table = make_table()
    table.to_parquet(tmp_path / 'whole.parquet')
    split(table).to_parquet(str(tmp_path / 'parts'))
    empty = split(table.iloc[:0], 1)
    expected = fit_and_sample(table)
    for data in (
        split(table, 5),
        dask_frames.concat([empty, split(table), empty]),
        tmp_path / 'whole.parquet',
        str(tmp_path / 'parts'),
    ):
        assert_same(fit_and_sample(data), expected)


def test_constraints_are_checked_part_by_part(without_pairs):
    table = make_table(600)[['age', 'amount']].assign(older=lambda rows: rows['age'] + 1)
    synthesizer = make(dict.fromkeys(table, 'numerical'), target_column=None)
    synthesizer.add_constraints([Inequality('age', 'older')])
    synthesizer.fit({'t': split(table)})
    sampled = synthesizer.sample(200)['t']
    assert (sampled['age'] <= sampled['older']).all()

    table.loc[599, 'older'] = 0
    with pytest.raises(Exception, match="Rows of the table break the constraint 'Inequality'"):
        synthesizer.fit({'t': split(table)})


def test_parts_are_preprocessed_when_they_are_read(fixed, tmp_path):
    table = make_table()
    split(table).to_parquet(str(tmp_path))
    expected = fit_and_sample(table)
    for data in (split(table), tmp_path):
        synthesizer = make()
        processed = synthesizer.preprocess({'t': data})
        assert isinstance(processed['t'], dask_frames.DataFrame)
        whole = make().preprocess({'t': table})['t']
        found = processed['t'].compute().reset_index(drop=True)
        pd.testing.assert_frame_equal(found, whole.astype(found.dtypes))
        synthesizer.fit_processed_data(processed)
        assert_same((synthesizer.sample(500)['t'], synthesizer.get_privacy_statement()), expected)
    with pytest.raises(InvalidDataError, match='no rows'):
        synthesizer.fit_processed_data({'t': split(whole[:0], 1)})
    with pytest.raises(InvalidDataError, match='town'):
        synthesizer.preprocess({'t': split(table)[['age']]})


def test_parts_that_no_category_can_hold_are_preprocessed():
    """Pandas compares texts of categories up to their first NUL, so such categories are refused."""
    cells = ['a\0b', 'a\0c', 'x']
    synthesizer, table = make(), make_table(600).assign(town=cells * 200)
    synthesizer.fit_processed_data(synthesizer.preprocess({'t': split(table)}))
    assert set(synthesizer.sample(300)['t']['town']) == set(cells)


def test_what_is_no_table_is_refused(tmp_path):
    synthesizer, frame = make(), split(make_table(60))

    with pytest.raises(InvalidDataError, match='no parquet files'):
        synthesizer.fit({'t': tmp_path / 'nothing'})
    with pytest.raises(InvalidDataTypeError, match='exactly one table'):
        synthesizer.fit({'t': frame['age']})
    synthesizer.validate({'t': frame})


def test_without_dask_paths_are_refused_with_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'dask.dataframe', None)
    with pytest.raises(ImportError, match='sdv-threea.dask'):
        make().fit({'t': Path(tmp_path)})


@pytest.fixture(scope='module')
def cluster():
    """Two workers in processes of their own, which keep what they log."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def kill_one(client):
    """Kill a worker, as a machine that goes down would."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def test_a_killed_worker_is_survived(fixed, cluster, monkeypatch):
    table = make_table()
    expected = fit_and_sample(table)
    killed = []

    def kill(stage):
        if stage == 'approximate':
            killed.append(stage)
            kill_one(cluster)

    monkeypatch.setattr(single_table, 'release', lambda *given: fixed(*given[:3], kill))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        assert_same(fit_and_sample(split(table, 6)), expected)
    assert killed == ['approximate']
