"""The ledger of a data set: fits are counted before they spend, and none goes beyond the limit."""

import math
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from described import describe

from sdv_threea import BudgetLedger, ClustMixSynthesizer
from sdv_threea.errors import InputError
from sdv_threea.settings import Settings

ONE = Settings(epsilon=1.0, delta=1e-6)


@pytest.fixture
def ledger(tmp_path):
    return BudgetLedger(tmp_path / 'people.ledger')


def record(ledger, settings=ONE, unit='one row', thresholds=True):
    return ledger.record(settings, unit, 'ClustMixSynthesizer', thresholds=thresholds)


@pytest.mark.parametrize('thresholds', [True, False])
def test_one_fit_costs_its_epsilon_and_a_limit_may_be_spent_to_the_last(ledger, thresholds):
    ledger.limit(1.0, 1e-6)
    told = record(ledger, thresholds=thresholds)

    assert told.epsilon == pytest.approx(1.0, rel=1e-6)
    assert str(told).endswith('differential privacy for one row, of 1 that may be spent')
    with pytest.raises(InputError, match='its limit is 1 at delta=1e-06. Nothing was spent'):
        record(ledger, Settings(epsilon=0.01, delta=1e-6))
    assert ledger.total().fits == 1  # what is refused is not counted


def test_fits_compose_and_the_limit_is_kept_by_many_at_once(ledger):
    ledger.limit(3.0, 1e-5)

    def attempt(_):
        try:
            return record(ledger, Settings(epsilon=0.5, delta=1e-6)).fits
        except InputError:
            return None

    with ThreadPoolExecutor(8) as pool:
        fits = [each for each in pool.map(attempt, range(60)) if each]
    assert sorted(fits) == list(range(1, len(fits) + 1))
    assert 6 < len(fits) < 60  # more than by adding up epsilons
    assert ledger.total().epsilon <= 3.0
    assert ledger.fits()['epsilon'].tolist() == [0.5] * len(fits)


def test_fits_of_other_units_and_neighbours_and_without_a_guarantee_do_not_add_up(ledger):
    record(ledger)
    with pytest.raises(InputError, match="unit='one row'"):
        record(ledger, unit="one row of 'people' with its rows in other tables")
    with pytest.raises(InputError, match="neighbors='add_remove'"):
        record(ledger, Settings(epsilon=1.0, neighbors='replace_one'))
    assert math.isinf(record(ledger, Settings(epsilon=math.inf)).epsilon)
    assert 'promise nothing' in str(ledger.total())


def test_files_that_are_no_ledgers_stay_as_they_are(ledger, tmp_path):
    with pytest.raises(InputError, match='There is no ledger'):
        ledger.total()
    (tmp_path / 'notes.txt').write_text('not a database, but a text of some length' * 99)
    with pytest.raises(InputError, match='Nothing was spent'):
        record(BudgetLedger(tmp_path / 'notes.txt'))
    with pytest.raises(InputError, match='unable to open'):
        record(BudgetLedger(tmp_path / 'no folder' / 'people.ledger'))
    with pytest.raises(InputError, match='A limit needs'):
        ledger.limit(-1.0, 1e-6)


def test_a_fit_is_counted_before_it_spends_and_its_statement_shows_the_total(ledger, monkeypatch):
    metadata = describe({'x': 'boolean'})
    table = {'t': pd.DataFrame({'x': [True, False] * 20})}
    made = ClustMixSynthesizer(metadata, epsilon=1.0, ledger=ledger.path)
    with monkeypatch.context() as patch:
        patch.setattr('sdv_threea.synthesizers.single_table.release', lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            made.fit(table)
    assert ledger.total().fits == 1  # a fit that was killed counts
    made.fit(table)

    statement = made.get_privacy_statement()
    assert statement.to_dict()['recorded']['fits'] == 2
    assert 'ledger    2 fits begun, according to people.ledger: (1.' in str(statement)
    ledger.limit(1.0, 1e-6)
    with pytest.raises(InputError, match='Nothing was spent'):
        made.fit(table)
    assert made.num_releases == 2
