"""Every door takes epsilon and delta alike: whatever their type, within the range that works."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.estimate import expected_error
from sdv_threea.settings import LARGEST_DELTA, LARGEST_EPSILON, LEAST_DELTA, LEAST_EPSILON, Settings
from sdv_threea.synthesizers.restoring import check_claims

NUM_ROWS = 200


def make_one(**promise):
    columns = {f'x{at}': 'numerical' for at in range(4)} | {'c': 'categorical'}
    return ClustMixSynthesizer(describe(columns, 'people'), accept='noise', **promise)


def make_two(**promise):
    tables = dict.fromkeys(('parent', 'child'), {'key': 'id', 'x': 'numerical'})
    metadata = describe_tables(tables, ('child', 'key', 'parent', 'key'))
    return ClustMixMultiTableSynthesizer(metadata, **promise)


@pytest.fixture(scope='module')
def data():
    rng = np.random.default_rng(3)
    numbers = {f'x{at}': rng.normal(0, 1e9, NUM_ROWS) for at in range(4)}
    people = pd.DataFrame({**numbers, 'c': rng.choice(list('ab'), NUM_ROWS)})
    rows = pd.DataFrame({'key': np.arange(NUM_ROWS), 'x': numbers['x0']})
    return {'people': people}, {'parent': rows, 'child': rows.assign(key=rows['key'] // 2)}


#: The kinds are those of ``data``. Without noise no delta is spent: one will do.
CORNERS = [
    (epsilon, delta, kind)
    for epsilon in (LEAST_EPSILON, LARGEST_EPSILON, np.inf)
    for delta in (LEAST_DELTA, math.nextafter(LARGEST_DELTA, 0))
    for kind in (0, 1)
    if epsilon < np.inf or delta == LEAST_DELTA
]


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize(('epsilon', 'delta', 'kind'), CORNERS)
def test_every_corner_of_the_range_works(data, epsilon, delta, kind):
    synthesizer = (make_one, make_two)[kind](epsilon=epsilon, delta=delta)
    synthesizer.fit(data[kind])
    check_claims(synthesizer.get_privacy_statement(), modelled=True)
    for table in synthesizer.sample(5, ('people', 'parent')[kind]).values():
        numbers = table.filter(like='x').astype(float)
        assert np.isfinite(numbers).to_numpy().all()


@pytest.mark.parametrize(
    'promise', [{'epsilon': 1e308}, {'delta': 5e-324}, {'delta': 0.01}], ids=str
)
def test_beyond_it_nothing_begins(promise):
    (name,) = promise
    for make in (make_one, make_two):
        with pytest.raises(SynthesizerInputError, match=f'{name} must be from'):
            make(**promise)
    with pytest.raises(ValueError, match=f'{name} must be from'):
        expected_error(1000, 5, **{'epsilon': 1.0, **promise})


@pytest.mark.parametrize('kind', [np.float16, np.float32, np.longdouble, Fraction])
def test_a_promise_is_of_pythons_floats_at_every_door(data, kind):
    given = {'epsilon': kind(8), 'delta': kind(2.0**-14)}
    exact = {'epsilon': 8.0, 'delta': 2.0**-14}
    for at, make in enumerate((make_one, make_two)):
        found = make(**given)
        found.fit(data[at])
        statement = found.get_privacy_statement()
        assert {type(statement.epsilon), type(statement.delta), type(statement.mu)} == {float}
        budget = Settings(**exact).budget(thresholds=True)
        assert statement.mu == pytest.approx(budget.mu, rel=1e-3)
    assert str(expected_error(1000, 5, **given)) == str(expected_error(1000, 5, **exact))
