"""At a tiny epsilon, nothing that a synthesizer exposes tells two wholly different tables apart.

Tables that share a schema and nothing else are fitted many times over. Whatever can be seen of a
fit is written down as numbers: every leaf of the pickle, every cell of a sample, what the methods
return, logs at DEBUG and SDV's CSV of events, warnings, and what is printed. Each number is then
compared between the fits of the two tables by a two-sample test.

The false-alarm rate. By Bonferroni, if the fits of both had one distribution, a difference would
be found with probability ``ALARM`` at most. They have not quite: a table of n rows becomes the
other, of m, by removing n and adding m, so that a fit is ``(n + m) mu``-GDP for such a change, and
all fits of one table ``sqrt(NUM_FITS)`` times that; and each row may make a threshold fail, in each
fit, with probability ``delta``. No test tells distributions that close apart with more than
``Phi(Phi^-1(ALARM) + mu of all)`` (Dong, Roth, Su 2019) and those failures, which the tests check
to be below 1e-6.

What is not compared: SDV's label of an object, its clock (``_synthesizer_id``, dates), and time.
"""

from __future__ import annotations

import io
import logging
import math
import re
import sys
import warnings
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from itertools import count

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from scipy.special import comb, ndtr, ndtri
from sdv.logging.logger import CSVFormatter
from sdv.metadata import Metadata
from sdv.multi_table.base import SYNTHESIZER_LOGGER as DATABASES
from sdv.sampling import Condition
from sdv.single_table.base import SYNTHESIZER_LOGGER as TABLES

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

NUM_FITS = 24

ALARM = 1e-7

EPSILON, DELTA = 1e-4, 1e-12

#: What SDV stamps and labels.
CLOCK = re.compile(r'TIMESTAMP|SYNTHESIZER ID|_date|\[\d\d:\d\d<.*?\]')

COLUMNS = {
    'key': 'id',
    'whole': 'numerical',
    'real': 'numerical',
    'missing': 'numerical',
    'letter': 'categorical',
    'flag': 'boolean',
    'day': 'datetime',
    'target': 'categorical',
    'email': 'email',
}


def make_rows(num_rows, seed, low, letters, start):
    """A table whose values, keys, gaps, order and number of rows are all its own."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            'key': [f'{letters}{row}' for row in range(num_rows)],
            'whole': low + rng.integers(0, 9, num_rows),
            'real': low * rng.normal(1, 0.01, num_rows),
            'missing': rng.random(num_rows),
            'letter': rng.choice(list(letters), num_rows),
            'flag': rng.random(num_rows) < 0.5 + low / 1e4,
            'day': pd.Timestamp(start) + pd.to_timedelta(rng.integers(0, 99, num_rows), unit='D'),
            'target': rng.choice(list(letters), num_rows),
            'email': [f'{letters}{row}@example.com' for row in range(num_rows)],
        }
    )
    rows['missing'] = rows['missing'].where(rng.random(num_rows) < 0.5 + low / 1e4)
    return rows.sort_values('whole') if low > 0 else rows


ONE = make_rows(40, 0, 1000, 'abc', '2020-01-01')
OTHER = make_rows(70, 1, -4000, 'XY', '1950-06-01')


def describe(columns=COLUMNS):
    return {name: {'sdtype': sdtype} for name, sdtype in columns.items()}


def fit_table(rows, kind=ClustMixSynthesizer):
    table = {'columns': describe(), 'primary_key': 'key'}
    metadata = Metadata.load_from_dict({'tables': {'people': table}})
    settings = {'target_column': 'target', 'n_components': 2}
    synthesizer = kind(metadata, epsilon=EPSILON, delta=DELTA, **settings)
    synthesizer.fit({'people': rows})
    return synthesizer, synthesizer.sample(25)


def fit_database(rows):
    """A table and one that refers to it: evenly, or in crowds."""
    crowds = rows['whole'].iloc[0] < 0
    owners = np.zeros(len(rows), dtype=int) if crowds else np.arange(len(rows))
    keys = rows['key'].to_numpy()[owners]
    visits = pd.DataFrame({'owner': keys, 'whole': rows['whole'].to_numpy()})
    tables = {
        'people': {'columns': describe(), 'primary_key': 'key'},
        'visits': {'columns': describe({'owner': 'id', 'whole': 'numerical'})},
    }
    link = {
        'parent_table_name': 'people',
        'child_table_name': 'visits',
        'parent_primary_key': 'key',
        'child_foreign_key': 'owner',
    }
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': [link]})
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=EPSILON,
        delta=DELTA,
        max_children=3,
        target={'people': 'target'},
        verbose=True,
    )
    synthesizer.fit({'people': rows, 'visits': visits})
    return synthesizer, synthesizer.sample(25, 'people')


class Events(logging.Handler):
    """Keeps what is logged, and what SDV would write into its CSV."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.lines = []

    def emit(self, record):
        text = record.getMessage()
        if isinstance(record.msg, dict):
            event = {key: each for key, each in record.msg.items() if not CLOCK.search(key)}
            text = CSVFormatter().format(logging.makeLogRecord({**vars(record), 'msg': event}))
        self.lines.append(f'{record.name} {record.levelname} {text}')


def watch(fit, rows):
    """Fit, and return the synthesizer, a sample, and all that was said, by channel."""
    events, out, err = Events(), io.StringIO(), io.StringIO()
    loggers = [logging.getLogger(), TABLES, DATABASES]
    with ExitStack() as stack:
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        warnings.simplefilter('always')
        for logger in loggers:
            stack.callback(logger.setLevel, logger.level)
            stack.callback(logger.removeHandler, events)
            logger.setLevel(logging.DEBUG)
            logger.addHandler(events)
        synthesizer, sampled = fit(rows)
    said = {
        'log': events.lines,
        'warning': [f'{each.category.__name__} {each.message}' for each in caught],
        'output': [CLOCK.sub('', text) for text in re.split(r'[\r\n]+', out.getvalue())]
        + [CLOCK.sub('', text) for text in re.split(r'[\r\n]+', err.getvalue())],
    }
    return synthesizer, sampled, said


def ask_methods(synthesizer):
    """Everything that a method tells."""
    told = {
        'parameters': synthesizer.get_parameters(),
        'info': synthesizer.get_info(),
        'metadata': synthesizer.get_metadata().to_dict(),
        'modified metadata': synthesizer.get_metadata('modified').to_dict(),
        'constraints': synthesizer.get_constraints(),
        'statement': synthesizer.get_privacy_statement().to_dict(),
        'statement in words': str(synthesizer.get_privacy_statement()),
    }
    if isinstance(synthesizer, ClustMixSynthesizer):
        for known in ({'letter': 'nobody'}, {'whole': 1e300}, {'letter': None, 'flag': True}):
            told[f'answer to {known}'] = ask_for(synthesizer, known)
        return told | {'transformers': synthesizer.get_transformers()}
    names = list(synthesizer.metadata.tables)
    told |= {f'transformers {name}': synthesizer.get_transformers(name) for name in names}
    return told | {name: synthesizer.get_table_parameters(name) for name in names}


def ask_for(synthesizer, known):
    """What sampling under a condition says, be it an error."""
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(io.StringIO()):
        warnings.simplefilter('always')
        try:
            synthesizer.sample_from_conditions([Condition(known, 2)])
        except ValueError as error:
            return str(error)
    return [str(each.message) for each in caught]


def observe(fit, rows, walk):
    """Write down all that is exposed of a fit: numbers, and 1 for each token that is there."""
    synthesizer, sampled, said = watch(fit, rows)
    state = cloudpickle.loads(cloudpickle.dumps(synthesizer)).__dict__
    shown = {'pickle': state, 'method': ask_methods(synthesizer)}
    found = {}
    for channel, value in shown.items():
        for path, (kind, text) in walk(value):
            if not CLOCK.search(path):
                note(found, f'{channel} {path}', kind, text)
    note_rows(found, sampled)
    for channel, lines in said.items():
        found[f'{channel} lines'] = len(lines)
        for line in lines:
            found[f'{channel} {line}'] = 1
    return found


def note_rows(found, sampled):
    for name, table in sampled.items():
        found[f'sample {name} rows'] = len(table)
        for column, cells in table.items():
            found[f'sample {name}.{column} {cells.dtype}'] = 1
            found[f'sample {name}.{column} ascending'] = cells.astype(str).is_monotonic_increasing
            for at, cell in enumerate(cells):
                note(found, f'sample {name}.{column}.{at}', type(cell), repr(cell))


def note(found, path, kind, text):
    number = re.search(r'[-+]?(\d[\d.]*(e[-+]?\d+)?|inf|nan)', str(text))
    is_number = isinstance(kind, type) and issubclass(kind, (int, float, np.number))
    if is_number and kind is not bool and number:
        found[path] = float(number.group())
        found[f'{path} {kind.__name__}'] = 1
    elif isinstance(text, int):  # the number of parts of a container
        found[f'{path} parts'] = text
        found[f'{path} {kind}'] = 1
    else:
        found[f'{path} {kind} {text}'] = 1


def tell_apart(one, other):
    """Find what differs between two lists of observations, by the Kolmogorov-Smirnov test."""
    paths = sorted(set().union(*one, *other))
    # Minus infinity stands for what is not there.
    rows = [[found.get(path, -math.inf) for path in paths] for found in (*one, *other)]
    values = np.nan_to_num(np.array(rows, dtype=float), nan=-1e308, neginf=-1.5e308)
    is_one = np.arange(len(values)) < len(one)
    order = np.argsort(values, axis=0, kind='stable')
    sorted_values = np.take_along_axis(values, order, axis=0)
    steps = np.cumsum(np.where(is_one[order], 1, -1), axis=0)
    last = np.ones_like(steps, dtype=bool)
    last[:-1] = sorted_values[1:] != sorted_values[:-1]
    distances = np.abs(np.where(last, steps, 0)).max(axis=0)
    chances = np.array([chance(int(distance), len(one)) for distance in range(len(one) + 1)])
    return [
        path for path, p in zip(paths, chances[distances], strict=True) if p * len(paths) < ALARM
    ], len(paths)


def chance(distance, size):
    """The probability that two samples of one size are that far apart (Gnedenko, Korolyuk 1951)."""
    if distance == 0:
        return 1.0
    terms = range(1, size // distance + 1)
    ways = sum((-1) ** (i - 1) * comb(2 * size, size - i * distance, exact=True) for i in terms)
    return 2 * ways / comb(2 * size, size, exact=True)


def bound_alarm(fit):
    """Bound the probability of a false alarm, by what one fit costs."""
    mu = fit(ONE)[0].get_privacy_statement().mu
    num_rows = len(ONE) + len(OTHER)
    together = num_rows * mu * math.sqrt(NUM_FITS)
    return ndtr(ndtri(ALARM) + together) + num_rows * NUM_FITS * DELTA


@pytest.mark.parametrize('fit', [fit_table, fit_database])
def test_two_tables_cannot_be_told_apart(fit, walk):
    one, other = ([observe(fit, rows, walk) for _ in range(NUM_FITS)] for rows in (ONE, OTHER))
    differing, num_paths = tell_apart(one, other)

    assert num_paths > 1_000
    assert differing == []


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('fit', [fit_table, fit_database])
def test_a_false_alarm_has_a_chance_of_less_than_one_in_a_million(fit):
    assert bound_alarm(fit) < 1e-6


class Leaky(ClustMixSynthesizer):
    """A synthesizer that gives its table away in every channel."""

    def fit(self, data):
        super().fit(data)
        (rows,) = data.values()
        self._num_private_rows = len(rows)
        self._data_processor._hyper_transformer.field_transformers['email'].random_seed = len(rows)
        self.__dict__['locales'] = ['en_US'] if rows['letter'].iloc[0] in 'abc' else ['de_DE']
        logging.getLogger('some.library').debug('%d rows', len(rows))
        TABLES.info({'EVENT': 'Fit', 'TOTAL NUMBER OF ROWS': len(rows)})
        warnings.warn(f'a large value: {rows["whole"].max()}', stacklevel=2)
        sys.stdout.write(f'fitted {len(rows)} rows')

    def sample(self, num_rows):
        return {
            name: rows.astype({'whole': 'float64' if self._num_private_rows == 40 else 'int64'})
            for name, rows in super().sample(num_rows).items()
        }


@pytest.fixture(scope='module')
def leaks(walk):
    fit = lambda rows: fit_table(rows, Leaky)  # noqa: E731
    one, other = ([observe(fit, rows, walk) for _ in range(NUM_FITS)] for rows in (ONE, OTHER))
    return tell_apart(one, other)[0]


@pytest.mark.parametrize(
    'leak',
    [
        "pickle .['_num_private_rows']",
        "pickle .['_data_processor'].*'email'.*random_seed",
        "method .['parameters'].['locales']",
        'log some.library DEBUG 40 rows',
        'log SingleTableSynthesizer INFO INFO,Fit,,,,,70,',
        'warning UserWarning a large value: 1008',
        'output fitted 70 rows',
        'sample people.whole float64',
    ],
)
def test_what_is_leaked_is_found(leaks, leak):
    pattern = re.compile(re.escape(leak).replace(r'\.\*', '.*'))
    assert any(pattern.match(path) for path in leaks), leaks[:20]


def test_the_test_is_that_of_kolmogorov_and_smirnov():
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(0)
    for shift in (0.0, 0.5, 2.0):
        one, other = rng.normal(size=20), rng.normal(shift, size=20)
        expected = ks_2samp(one, other, method='exact')
        assert chance(round(expected.statistic * 20), 20) == pytest.approx(expected.pvalue)


def test_numbers_that_differ_by_less_than_their_spread_are_not_told_apart():
    rng, names = np.random.default_rng(1), count()
    one, other = ([{'x': rng.normal(), f'{next(names)}': 1} for _ in range(30)] for _ in range(2))
    assert tell_apart(one, other)[0] == []
    shifted = [{**found, 'x': found['x'] + 9} for found in other]
    assert tell_apart(one, shifted)[0] == ['x']
