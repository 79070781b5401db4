"""What cannot be sampled is said; threads that sample one synthesizer get rows of their own."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import Inequality, SingleTableProgrammableConstraint
from sdv.errors import SamplingError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.storage.processing import IdGenerator
from sdv_threea.synthesizers.turns import in_turn


class Rare(SingleTableProgrammableConstraint):
    """Holds for as many rows as the test lets it."""

    least = 0

    def get_updated_metadata(self, metadata):
        return metadata

    def transform(self, data):
        return data

    def reverse_transform(self, transformed_data):
        return transformed_data

    def is_valid(self, synthetic_data):
        return synthetic_data['x'] >= self.least


@pytest.fixture
def constrained(monkeypatch):
    synthesizer = ClustMixSynthesizer(describe({'x': 'numerical'}, 'people'), epsilon=50.0)
    synthesizer.add_constraints([Rare()])
    synthesizer.fit({'people': pd.DataFrame({'x': range(1000)})})

    def demand(least):
        monkeypatch.setattr(Rare, 'least', least)
        return synthesizer

    return demand


SAID = r"of 100 rows were sampled: in 3 tries, .* constraints \['Rare'\]"


@pytest.mark.parametrize('batch_size', [None, 10])
def test_a_constraint_that_no_row_meets_is_an_error(constrained, tmp_path, batch_size):
    """SDV returned an empty table without a word, and so did the folder of Parquet files."""
    synthesizer = constrained(10**6)
    with pytest.raises(SamplingError, match=f'^0 {SAID}'):
        synthesizer.sample(100, batch_size=batch_size, max_tries_per_batch=3)
    how = {'rows_per_file': batch_size or 100, 'max_tries_per_batch': 3, 'show_progress': False}
    with pytest.raises(SamplingError, match=f'^0 {SAID}'):
        synthesizer.sample_to_parquet(100, tmp_path / 'folder', **how)
    assert list(tmp_path.iterdir()) == []


def test_a_constraint_that_few_rows_meet_is_a_warning(constrained, tmp_path):
    synthesizer = constrained(975)
    with pytest.warns(UserWarning, match=SAID):
        rows = synthesizer.sample(100, max_tries_per_batch=3)['people']
    assert 0 < len(rows) < 100
    synthesizer.reset_sampling()
    how = {'max_tries_per_batch': 3, 'show_progress': False}
    with pytest.warns(UserWarning, match=SAID):
        paths = synthesizer.sample_to_parquet(100, tmp_path / 'folder', **how)
    assert 0 < len(pd.read_parquet(paths[0].parent)) < 100


def test_one_that_all_rows_meet_is_not(constrained, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert len(constrained(0).sample(40)['people']) == 40
        constrained(0).sample_to_parquet(100, tmp_path / 'folder', show_progress=False)


class No:
    def is_valid(self, rows):
        return pd.Series(False, rows.index)


@pytest.fixture(scope='module')
def database():
    child = {'key': 'id', 'x': 'numerical'}
    tables = {'parent': child | {'y': 'numerical'}, 'child': child}
    metadata = describe_tables(tables, ('child', 'key', 'parent', 'key'))
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=50.0)
    synthesizer.add_constraints([Inequality('x', 'y', table_name='parent')])
    rows = np.arange(200)
    synthesizer.fit(
        {
            'parent': pd.DataFrame({'key': rows, 'x': rows, 'y': rows + 1}),
            'child': pd.DataFrame({'key': rows // 2, 'x': rows}),
        }
    )
    return synthesizer


@pytest.mark.parametrize('table', ['parent', 'child'])
def test_so_it_is_in_a_database(database, monkeypatch, table):
    constraints = database._table_synthesizers[table].preprocessor.constraints
    monkeypatch.setattr(constraints, 'adopted', [No()])
    with pytest.raises(SamplingError, match=rf"^0 of [0-9]+ rows of '{table}' .*\['No'\]"):
        database.sample_scale(1.0)


def read_slowly(generator):
    time.sleep(0.005)
    return generator.__dict__['_made']


def test_threads_get_rows_and_ids_of_their_own(database, monkeypatch):
    # However threads are switched: what was made is read long before it is counted on.
    slow = property(read_slowly, lambda generator, made: generator.__dict__.update(_made=made))
    monkeypatch.setattr(IdGenerator, '_made', slow, raising=False)
    columns = {'key': 'id', 'text_key': 'id', 'x': 'numerical', 'y': 'numerical'}
    keys = {'primary_key': 'key', 'alternate_keys': ['text_key']}
    metadata = describe(columns, 'people', **keys)
    synthesizer = ClustMixSynthesizer(metadata, epsilon=50.0)
    rows = np.arange(500)
    people = {'key': rows, 'text_key': [f't{row}' for row in rows], 'x': rows, 'y': rows % 7}
    synthesizer.fit({'people': pd.DataFrame(people)})
    expected = pd.concat([synthesizer.sample(2000)['people'] for _ in range(8)])
    synthesizer.reset_sampling()

    found, errors = [], []

    def sample():
        try:
            found.append(synthesizer.sample(2000)['people'])
            database.sample_scale(0.2)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=sample) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    together = pd.concat(found)
    assert errors == []
    assert together['key'].is_unique
    assert together['text_key'].is_unique
    assert sorted(together['key']) == sorted(expected['key'])


class Waiting:
    """Something whose turn one thread has, until it is told to end it."""

    def __init__(self):
        self.inside, self.ends = threading.Event(), threading.Event()

    @in_turn
    def stay(self):
        self.inside.set()
        self.ends.wait()

    @in_turn
    def pass_by(self):
        pass


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='there are no forks')
def test_a_child_does_not_wait_for_a_thread_that_is_not_in_it():
    waiting = Waiting()
    thread = threading.Thread(target=waiting.stay)
    thread.start()
    waiting.inside.wait()
    child = os.fork()
    if not child:
        try:
            signal.alarm(20)
            waiting.pass_by()
            os._exit(0)
        finally:
            os._exit(1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    waiting.ends.set()
    thread.join()

    assert ended == 0
