"""With equal noisy answers, nothing that a synthesizer exposes tells two different tables apart.

Tables that share a schema and nothing else are fitted, the second one with the answers of the
first: see :mod:`sdv_threea.audit.doors`. All that can be seen of the two fits has to be the same:
every leaf of the pickle, every cell of a sample, what the methods return, logs at DEBUG and SDV's
events, warnings, and what is printed.
"""

import io
import logging
import sys
import warnings
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.multi_table.base import SYNTHESIZER_LOGGER as DATABASES
from sdv.sampling import Condition
from sdv.single_table.base import SYNTHESIZER_LOGGER as TABLES

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.audit import measure_mu

#: So small that no value of a column is found: one that is must be in both tables.
EPSILON = 1e-4

COLUMNS = {
    'key': 'id', 'whole': 'numerical', 'real': 'numerical', 'missing': 'numerical',
    'letter': 'categorical', 'flag': 'boolean', 'day': 'datetime', 'target': 'categorical',
    'email': 'email',
}  # fmt: skip


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


def fit_table(rows, kind=ClustMixSynthesizer):
    metadata = describe(COLUMNS, 'people', primary_key='key')
    synthesizer = kind(metadata, epsilon=EPSILON, accept='noise', target_column='target')
    synthesizer.fit({'people': rows})
    synthesizer.told = [ask_methods(synthesizer), synthesizer.sample(25)]
    synthesizer.told += [
        ask_for(synthesizer, known)
        for known in ({'letter': 'nobody'}, {'whole': 1e300}, {'letter': None, 'flag': True})
    ]
    return synthesizer


def fit_database(rows):
    """A table and one that refers to it: evenly, or in crowds."""
    crowds = rows['whole'].iloc[0] < 0
    owners = np.zeros(len(rows), dtype=int) if crowds else np.arange(len(rows))
    keys = rows['key'].to_numpy()[owners]
    visits = pd.DataFrame({'owner': keys, 'whole': rows['whole'].to_numpy()})
    tables = {'people': COLUMNS, 'visits': {'owner': 'id', 'whole': 'numerical'}}
    metadata = describe_tables(tables, ('visits', 'owner', 'people', 'key'))
    terms = {'max_children': 3, 'target': {'people': 'target'}}
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=EPSILON, **terms)
    synthesizer.fit({'people': rows, 'visits': visits})
    names = list(tables)
    synthesizer.told = [ask_methods(synthesizer), synthesizer.sample(25, 'people')]
    synthesizer.told += [synthesizer.get_table_parameters(name) for name in names]
    synthesizer.told += [synthesizer.get_transformers(name) for name in names]
    return synthesizer


def ask_methods(synthesizer):
    """Everything that a method tells of a table, and of many."""
    return {
        'parameters': synthesizer.get_parameters(),
        'info': synthesizer.get_info(),
        'metadata': synthesizer.get_metadata().to_dict(),
        'modified metadata': synthesizer.get_metadata('modified').to_dict(),
        'constraints': synthesizer.get_constraints(),
        'statement': synthesizer.get_privacy_statement().to_dict(),
        'statement in words': str(synthesizer.get_privacy_statement()),
        'losses': synthesizer.get_losses(),
    }


def ask_for(synthesizer, known):
    """What sampling under a condition says, be it an error."""
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(io.StringIO()):
        warnings.simplefilter('always')
        try:
            return synthesizer.sample_from_conditions([Condition(known, 2)])
        except ValueError as error:
            return [str(error), *(str(each.message) for each in caught)]


@pytest.fixture
def logged(caplog):
    """Log all that can be logged."""
    for name in ('', 'some.library', TABLES.name, DATABASES.name):
        caplog.set_level(logging.DEBUG, logger=name)


@pytest.mark.parametrize('fit', [fit_table, fit_database])
def test_two_tables_cannot_be_told_apart_by_equal_answers(fit, logged):
    result = measure_mu(fit, ONE, OTHER)

    assert result.leaks == ()
    assert result.mu > 0


class Leaky(ClustMixSynthesizer):
    """A synthesizer that gives its table away in every channel."""

    def fit(self, data):
        super().fit(data)
        (rows,) = data.values()
        self._num_private_rows = len(rows)
        self._data_processor._hyper_transformer.field_transformers['email'].random_seed = len(rows)
        self.__dict__['locales'] = ['en_US'] if rows['letter'].iloc[0] in 'abc' else ['de_DE']
        logging.getLogger('some.library').debug('%d logged', len(rows))
        warnings.warn(f'a large value: {rows["whole"].max()}', stacklevel=2)
        sys.stdout.write(f'fitted {len(rows)} rows')

    def sample(self, num_rows):
        return {
            name: rows.assign(whole=rows['whole'] + 0.5 * (self._num_private_rows == len(ONE)))
            for name, rows in super().sample(num_rows).items()
        }


def test_what_is_leaked_is_found(logged):
    leaks = measure_mu(lambda rows: fit_table(rows, Leaky), ONE, OTHER).leaks

    for place in ('_num_private_rows', 'random_seed', 'parameters.locales', 'told[1].people'):
        assert any(place in leak for leak in leaks), place
    heard = ' '.join(leak for leak in leaks if '.messages' in leak)
    assert heard
