"""Fits that fail or are interrupted: nothing of them is left, but that they were begun."""

import threading
import warnings
from functools import partial

import cloudpickle
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import InvalidDataError, NotFittedError, RefitWarning, SamplingError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer, pipeline
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.relational import databases as relational
from sdv_threea.synthesizers import multi_table, single_table

COLUMNS = {'x': 'numerical', 'c': 'categorical'}

ROWS = pd.DataFrame({'x': range(90), 'c': ['a', 'b', 'c'] * 30})


class One:
    """A synthesizer of one table."""

    data = {'people': ROWS}

    @staticmethod
    def make():
        metadata = describe(COLUMNS, 'people')
        return ClustMixSynthesizer(metadata, epsilon=10.0, target_column='c')

    @staticmethod
    def sample(synthesizer):
        return synthesizer.sample(5)


class Many:
    """A synthesizer of two tables."""

    data = {'a': ROWS.assign(key=range(90)), 'b': ROWS.assign(a_key=range(90))}

    @staticmethod
    def make():
        tables = {'a': COLUMNS | {'key': 'id'}, 'b': COLUMNS | {'a_key': 'id'}}
        metadata = describe_tables(tables, ('b', 'a_key', 'a', 'key'))
        return ClustMixMultiTableSynthesizer(metadata, epsilon=10.0)

    @staticmethod
    def sample(synthesizer):
        return synthesizer.sample_scale(0.1)


class Stopped:
    """Noise that is interrupted at one of the questions."""

    def __init__(self, question, error):
        self.left, self.error = question, error

    def __call__(self, size, scale):
        self.left -= 1
        if self.left < 0:
            raise self.error
        return discrete_gaussian(size, scale)


@pytest.fixture(params=[One, Many])
def kind(request):
    return request.param


def check_unfitted(kind, synthesizer):
    assert synthesizer.get_info()['is_fit'] is False
    with pytest.raises(NotFittedError):
        synthesizer.get_privacy_statement()
    with pytest.raises(SamplingError, match='has not been fitted'):
        kind.sample(synthesizer)


def stop_noise(patch, question, error):
    """Interrupt both pipelines at a question."""
    noise = Stopped(question, error)
    patch.setattr(single_table, 'release', partial(pipeline.release, noise=noise))
    patch.setattr(
        multi_table, 'release_database', partial(relational.release_database, noise=noise)
    )


def stop_learning(patch, _, error):
    """Interrupt SDV's learning of storage, after the release."""

    def stop(*_):
        raise error

    patch.setattr(DataProcessor, 'fit', stop)


STOPS = {
    'the first question': (stop_noise, 0),
    'the third question': (stop_noise, 2),
    'after the release': (stop_learning, 0),
}

ERRORS = [KeyboardInterrupt(), MemoryError(), KeyboardInterrupt()]


@pytest.mark.parametrize(('stop', 'error'), zip(STOPS, ERRORS, strict=True))
def test_a_fit_that_is_stopped_leaves_nothing_but_a_count(kind, compare, stop, error):
    synthesizer, untouched = kind.make(), kind.make()
    interrupt, question = STOPS[stop]
    with pytest.MonkeyPatch.context() as patch:
        interrupt(patch, question, error)
        with pytest.raises(type(error)):
            synthesizer.fit(kind.data)

    check_unfitted(kind, synthesizer)
    assert synthesizer._num_releases == 1
    synthesizer._num_releases = 0
    # Pickled, as that is what is exposed: the user's own metadata is not.
    states = [
        cloudpickle.loads(cloudpickle.dumps(each)).__dict__ for each in (synthesizer, untouched)
    ]
    assert compare(*states) == []


def test_what_was_begun_counts_in_the_next_statement(kind):
    synthesizer = kind.make()
    with pytest.MonkeyPatch.context() as patch:
        stop_noise(patch, 2, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            synthesizer.fit(kind.data)
    with pytest.warns(RefitWarning, match='2 fits of the same rows'):
        synthesizer.fit(kind.data)

    assert synthesizer.get_privacy_statement().fits == 2
    assert 'this was fit 2 of this synthesizer' in str(synthesizer.get_privacy_statement())


def test_a_stopped_fit_forgets_the_one_before(kind):
    synthesizer = kind.make()
    synthesizer.fit(kind.data)
    with pytest.MonkeyPatch.context() as patch:
        stop_noise(patch, 1, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            synthesizer.fit(kind.data)

    check_unfitted(kind, synthesizer)
    assert synthesizer._num_releases == 2


def test_a_table_that_is_refused_costs_nothing(kind):
    synthesizer = kind.make()
    broken = {name: rows.assign(x='text') for name, rows in kind.data.items()}
    with pytest.raises(InvalidDataError):
        synthesizer.fit(broken)

    with warnings.catch_warnings():
        warnings.simplefilter('error', RefitWarning)
        synthesizer.fit(kind.data)
    assert synthesizer.get_privacy_statement().fits == 1


def test_a_warning_of_ours_that_is_an_error_comes_when_the_fit_is_over(kind):
    synthesizer = kind.make()
    synthesizer.fit(kind.data)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(RefitWarning):
            synthesizer.fit(kind.data)

    assert synthesizer.get_privacy_statement().fits == 2
    assert all(len(rows) for rows in kind.sample(synthesizer).values())


def test_threads_that_fit_one_synthesizer_take_turns(kind):
    synthesizer, errors = kind.make(), []

    def fit():
        try:
            synthesizer.fit(kind.data)
            assert kind.sample(synthesizer)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=fit) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert synthesizer.get_privacy_statement().fits == 3
    assert '_undoing' not in vars(synthesizer)
