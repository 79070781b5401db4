"""A library that tells of the cell at hand, planted wherever private rows are touched.

It warns, logs, prints and raises with the cell in the message, the cause, the context and the
notes; nothing of it is heard.
"""

import io
import logging
import sys
import traceback
import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import Inequality, SingleTableProgrammableConstraint

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

dask_frames = pytest.importorskip('dask.dataframe', reason='Dask is not installed')
distributed = pytest.importorskip('distributed', reason='Dask is not installed')

SECRET = 'secret-4711'

COLUMNS = {
    'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'name': 'categorical',
    'low': 'numerical',
    'high': 'numerical',
}


def make_table(settings):
    rows = np.arange(60)
    # A text that is no date is replaced if the user wants that, and else refused.
    day = SECRET if settings else '2020-01-06'
    return pd.DataFrame(
        {
            'day': [day, '2020-02-05', *['2020-01-05', '2020-02-05'] * 29],
            'name': [SECRET, 'cold', 'flu', *['hiv', 'cold', 'flu'] * 19],
            'low': rows,
            'high': rows + 1.5,
        }
    )


def make_single(**settings):
    terms = {'epsilon': 50.0, 'accept': ('verbatim', 'unit')}
    synthesizer = ClustMixSynthesizer(describe(COLUMNS, 'child'), **terms, **settings)
    synthesizer.add_constraints([Inequality('low', 'high')])
    return synthesizer, {'child': make_table(settings)}


def make_related(**settings):
    tables = {'parent': {'key': 'id'}, 'child': {'parent': 'id', **COLUMNS}}
    metadata = describe_tables(tables, ('child', 'parent', 'parent', 'key'))
    keys = [f'{SECRET}-{row}' for row in range(60)]
    data = {
        'parent': pd.DataFrame({'key': keys}),
        'child': make_table(settings).assign(parent=keys),
    }
    accept = 'verbatim', 'unit'
    return ClustMixMultiTableSynthesizer(metadata, epsilon=50.0, accept=accept, **settings), data


def fit(synthesizer, data):
    synthesizer.fit(data)


def validate(synthesizer, data):
    synthesizer.validate(data)


def fit_by_hand(synthesizer, data):
    synthesizer.fit_processed_data(synthesizer.preprocess(data))


STORAGES = pd.DataFrame, pd.Series, pd.Index, np.ndarray, pd.api.extensions.ExtensionArray


def holds_secret(given):
    """Whether the secret is in what a function is given."""
    for each in given:
        if isinstance(each, STORAGES):
            cells = np.asarray(each, dtype=object).ravel().tolist()
        else:
            cells = list(each) if isinstance(each, list | tuple) else [each]
        if any(isinstance(cell, str) and SECRET in cell for cell in cells):
            return True
        if any(isinstance(cell, pd.DataFrame) and holds_secret([cell]) for cell in cells):
            return True
    return False


def tell():
    """Warn, log and print, as libraries do."""
    warnings.warn(f'odd: {SECRET}', stacklevel=2)
    warnings.warn(f'odd: {SECRET}', FutureWarning, stacklevel=2)
    logging.getLogger('library').error('odd: %s', SECRET)
    logging.getLogger('distributed.worker').critical('odd: %s', SECRET)
    sys.stdout.write(SECRET)
    sys.stderr.write(SECRET)


def fail():
    """Raise with the cell in all places."""
    error = type(f'Error_{SECRET}', (ValueError,), {})(SECRET)
    error.add_note(SECRET)
    try:
        raise KeyError(SECRET)
    except KeyError as cause:
        raise error from cause


class Plant:
    """A library function that tells of the secret when it is given it.

    Args:
        whole: The function.
        how: Whether it fails, too.
    """

    def __init__(self, whole, how):
        self.whole, self.how, self.times, self.busy = whole, how, 0, False

    def __call__(self, *given, **named):
        if not self.busy:
            self.busy = True
            try:
                if holds_secret(given):
                    self.times += 1
                    self.how()
            finally:
                self.busy = False
        return self.whole(*given, **named)

    def as_method(self):
        return lambda *given, **named: self(*given, **named)


@pytest.fixture
def heard(caplog, capsys):
    """All that is said while a function runs: warnings, logs, prints, and its error."""
    caplog.set_level(logging.DEBUG)

    def listen(function, *given):
        said = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                function(*given)
            except Exception as error:
                stream = io.StringIO()
                traceback.print_exception(error, file=stream)
                said += [stream.getvalue(), *walk(error)]
            said += [str(each.message) for each in caught]
        printed = capsys.readouterr()
        return ' '.join([*said, caplog.text, printed.out, printed.err])

    return listen


def walk(error):
    """List all that an error holds, and what it came from, hidden or not."""
    while error is not None:
        yield from (repr(error), str(error), type(error).__name__, *getattr(error, '__notes__', ()))
        if error.__cause__ is not None:
            yield from walk(error.__cause__)
        error = error.__context__


COERCE = {'invalid_cells': 'coerce'}

#: Functions that are given private cells, and the settings with which they are.
PLANTS = [
    (pd, 'concat', {}), (pd, 'to_datetime', COERCE), (pd.DataFrame, 'rename', {}),
    (pd.DataFrame, 'reset_index', {}), (pd.DataFrame, '__getitem__', {}), (pd.Series, 'isna', {}),
    (np, 'fromiter', {}), (np, 'asarray', COERCE), (Inequality, 'is_valid', {}),
]  # fmt: skip


@pytest.mark.parametrize('how', [tell, fail])
@pytest.mark.parametrize(
    ('owner', 'name', 'settings'), PLANTS, ids=lambda each: getattr(each, '__name__', each)
)
def test_nothing_of_what_a_library_tells_is_heard(owner, name, settings, how, heard, monkeypatch):
    said, asked = '', 0
    for make in (make_single, make_related):
        # What fails ends a fit early; what tells on its way is heard in both steps of one.
        for call in (fit, validate, fit_by_hand) if how is fail else (validate, fit_by_hand):
            synthesizer, data = make(**settings)
            plant = Plant(getattr(owner, name), how)
            with monkeypatch.context() as patch:
                patch.setattr(owner, name, plant.as_method())
                said += heard(call, synthesizer, data)
            asked += plant.times

    assert SECRET not in said
    assert asked, 'a plant that is never asked about the secret proves nothing'


@pytest.mark.parametrize('how', [tell, fail])
def test_a_plant_is_heard_where_there_is_no_guard(how, heard, monkeypatch):
    plant = Plant(pd.factorize, how)
    monkeypatch.setattr(pd, 'factorize', plant)

    assert SECRET in heard(pd.factorize, np.array([SECRET], dtype=object))


class LoudTable(pd.DataFrame):
    """A table of a class of the user's, which tells of its cells whenever it is asked."""

    @property
    def _constructor(self):
        return LoudTable

    def __getitem__(self, key):
        tell()
        return super().__getitem__(key)

    def __len__(self):
        tell()
        return super().__len__()

    @property
    def empty(self):
        tell()
        return super().empty


class Loud(SingleTableProgrammableConstraint):
    """A constraint of the user's that tells of the rows it is shown, and fails."""

    def get_updated_metadata(self, metadata):
        return metadata

    def is_valid(self, data):
        if holds_secret([data]):
            tell()
            fail()
        return pd.Series(True, index=data.index)


@pytest.mark.parametrize('make', [make_single, make_related])
def test_nor_what_a_table_of_another_class_tells(make, heard):
    synthesizer, data = make()
    loud = {name: LoudTable(table) for name, table in data.items()}

    assert SECRET not in heard(fit, synthesizer, loud)


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('call', [fit, validate])
def test_nor_what_a_constraint_of_the_users_tells(call, heard):
    synthesizer, data = make_single()
    synthesizer.add_constraints([Loud()])
    said = heard(call, synthesizer, data)

    assert SECRET not in said
    assert 'Loud' in said


@pytest.mark.parametrize('how', [tell, fail])
def test_nor_on_threads_of_dask(how, heard, monkeypatch):
    synthesizer, data = make_single()
    frame = dask_frames.from_pandas(data['child'], npartitions=3)
    plant = Plant(pd.factorize, how)
    monkeypatch.setattr(pd, 'factorize', plant.as_method())

    assert SECRET not in heard(fit, synthesizer, {'child': frame})
    assert plant.times


def test_nor_in_the_logs_of_workers(heard, tmp_path):
    synthesizer, data = make_single()
    frame = dask_frames.from_pandas(data['child'], npartitions=3)
    frame.to_parquet(str(tmp_path))
    secret = SECRET

    def plant(fails):
        import logging
        import sys
        import warnings

        import pandas as pd
        import pyarrow.parquet as files

        def make_loud(whole):
            def loud(*given, **named):
                warnings.warn(secret, stacklevel=2)
                logging.getLogger('distributed.worker').error(secret)
                sys.stdout.write(secret)
                sys.stderr.write(secret)
                if fails:
                    raise ValueError(secret)
                return whole(*given, **named)

            return loud

        pd.to_datetime = make_loud(pd.to_datetime)
        files.ParquetFile.__init__ = make_loud(files.ParquetFile.__init__)

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        said = ''
        for fails in (False, True):
            client.run(plant, fails)
            for source in (frame, str(tmp_path)):
                said += heard(fit, synthesizer, {'child': source})
                assert synthesizer._fitted is not fails
        said += str(client.get_worker_logs()) + str(client.get_scheduler_logs())

    assert SECRET not in said
