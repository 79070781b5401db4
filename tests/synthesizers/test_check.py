"""The check before a fit: a table of what comes out, and stops with the line that goes on."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import FixedIncrements, Inequality
from sdv.errors import SynthesizerInputError

from sdv_threea import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
    ClustMixSynthesizer,
    pipeline,
)
from sdv_threea.datasets import load_hospital
from sdv_threea.describe.size import release_size
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.planning.shares import Known
from sdv_threea.planning.targets import take_last
from sdv_threea.privacy.spending import Spending
from sdv_threea.synthesizers.check import Check

NUMBER, CATEGORY, DAY = {'sdtype': 'numerical'}, {'sdtype': 'categorical'}, {'sdtype': 'datetime'}
STAYS = {
    'encounter': {'sdtype': 'id'},
    'age': NUMBER,
    'sex': CATEGORY,
    'admission_date': CATEGORY,
    'discharge': DAY,
    'city': {'sdtype': 'city', 'pii': True},
    'postcode': {'sdtype': 'postcode', 'pii': False},
    'latitude': {'sdtype': 'latitude', 'pii': False},
    'remark': {'sdtype': 'text'},
}


def make(columns, *, primary_key=None, **settings):
    keys = {'primary_key': primary_key} if primary_key else {}
    return ClustMixSynthesizer(describe(columns, 'stays', **keys), **{'epsilon': 1.0} | settings)


def list_kinds(checked):
    return [stop.kind for stop in checked.stops]


@pytest.fixture(scope='module')
def checked():
    return make(STAYS, primary_key='encounter').check()


def test_every_column_has_an_outcome_a_resolution_and_what_changes_it(checked):
    found = checked.to_frame().set_index('name')

    assert checked.stops == checked.notes == ()
    assert found['outcome'].to_dict() == {
        'encounter': 'key', 'age': 'learned', 'sex': 'learned', 'admission_date': 'likely empty',
        'discharge': 'learned', 'city': 'personal: made up', 'postcode': 'learned',
        'latitude': 'learned', 'remark': 'made up',
    }  # fmt: skip
    assert found.loc['latitude', 'sdtype'] == 'numerical'
    assert found.loc['sex', 'resolution'].startswith('values of ')
    assert found.loc['age', 'resolution'].startswith('± ')
    assert 'datetime' in found.loc['admission_date', 'advice']
    assert found.loc['city', 'advice'] == 'pii: False learns it'


def test_the_row_count_and_a_larger_epsilon_change_the_resolution():
    shares = [
        make({'age': NUMBER}, epsilon=epsilon).check(4000).columns[0].resolution
        for epsilon in (1.0, 4.0)
    ]
    assert shares[0] != shares[1]
    assert all(each.endswith('%)') for each in shares)
    with pytest.raises(ValueError, match='num_rows must be a whole number'):
        make({'age': NUMBER}).check(0)


@pytest.mark.parametrize(
    ('columns', 'settings', 'kind'),
    [
        ({'age': NUMBER, 'notes': CATEGORY}, {}, 'verbatim'),
        ({'age': NUMBER, 'patient_name': CATEGORY}, {}, 'verbatim'),
        ({'age': NUMBER, 'Email': CATEGORY}, {}, 'verbatim'),
        ({'age': NUMBER, 'patient_nbr': {'sdtype': 'id'}}, {}, 'unit'),
        ({'x': {'sdtype': 'unknown'}, 'city': {'sdtype': 'city'}}, {}, 'made_up'),
        ({'age': NUMBER, 'sex': CATEGORY}, {'epsilon': 0.01}, 'noise'),
    ],
)
def test_a_fit_that_is_wrong_or_worthless_stops_with_the_line_that_goes_on(columns, settings, kind):
    checked = make(columns, **settings).check(2000)

    assert list_kinds(checked) == [kind]
    with pytest.raises(SynthesizerInputError, match=rf"To go on: accept=\['{kind}'\]\.$"):
        checked.demand(())
    checked.demand(make(columns, accept=kind).accept)


@pytest.mark.parametrize(
    'column',
    [
        {'product_name': CATEGORY},
        {'title': CATEGORY},
        {'name': {'sdtype': 'name', 'pii': False}},
        {'name': {'sdtype': 'name'}},
        {'note': {'sdtype': 'categorical', 'range_values': ['a', 'b']}},
    ],
)
def test_things_stated_values_and_what_the_user_calls_harmless_stop_nothing(column):
    assert make({'age': NUMBER, **column}, public_metadata=True).check().stops == ()


def test_a_target_is_learned_whatever_its_name():
    assert make({'age': NUMBER, 'note': CATEGORY}, target_column='note').check().stops == ()


def test_ranges_that_a_constraint_excludes_stop_a_fit():
    columns = {
        'low': NUMBER | {'range_min': 50, 'range_max': 60},
        'high': NUMBER | {'range_min': 0, 'range_max': 40},
        'step': NUMBER | {'range_min': 1, 'range_max': 4},
    }
    made = make(columns, public_metadata=True)
    assert made.check().stops == ()
    made.add_constraints([Inequality('low', 'high'), FixedIncrements('step', 5)])
    (stop,) = made.check().stops
    assert (stop.kind, set(stop.columns)) == ('ranges', {'low', 'high', 'step'})

    open_ended = make({'low': DAY, 'high': DAY})
    open_ended.add_constraints([Inequality('low', 'high')])
    advice = open_ended.check().to_frame()['advice']
    assert advice.str.contains('a difference is added').sum() == 1


def test_a_database_is_checked_table_by_table():
    _, metadata = load_hospital()
    public = ['admission_type', 'discharge_disposition', 'admission_source']
    made = ClustMixMultiTableSynthesizer(
        metadata, epsilon=1.0, privacy_unit='patient', public_tables=public
    )
    checked = made.check()

    assert isinstance(checked, Check)
    assert checked.stops == ()
    assert set(checked.to_frame()['table']) == set(metadata.tables)
    assert {each.outcome for each in checked.columns if each.table in public} == {'public: copied'}
    learned = [each.resolution for each in checked.columns if each.outcome == 'learned']
    assert learned
    assert all(each.startswith(('± ', 'values of ')) for each in learned)


def test_the_check_depends_on_no_row():
    table = pd.DataFrame({'age': [1.0, 2.0] * 30})
    made = make({'age': NUMBER})
    before = made.check()
    made.preprocess({'stays': table})
    assert made.check() == before


def test_sequences_are_checked_as_two_tables_and_what_is_accepted_is_passed_on():
    metadata = describe(
        {'patient': 'id', 'notes': CATEGORY, 'hr': NUMBER}, 'stays', sequence_key='patient'
    )
    assert list_kinds(ClustMixSequentialSynthesizer(metadata).check()) == ['verbatim']
    accepted = ClustMixSequentialSynthesizer(metadata, accept='verbatim', ledger='people.ledger')
    accepted.check().demand(accepted.accept)
    assert accepted.get_parameters()['ledger'] == 'people.ledger'


def test_high_cardinality_and_an_order_are_used_as_what_they_say():
    columns = {
        'age': NUMBER,
        'grade': {'sdtype': 'ordinal'},
        'code': CATEGORY | {'high_cardinality': True},
    }
    stated, open_ = (make(columns, public_metadata=public) for public in (True, False))

    advice = stated.check().to_frame().set_index('name')['advice']
    assert advice['code'] == 'many values: rare ones are lost'
    assert advice['grade'] == 'values in their order, if public'
    # Values that are too many to list are no classes.
    settings, kinds = stated.settings, (stated, open_)
    domains = [each.preprocessor.derive().derived for each in kinds]
    known = Known(settings, settings.budget(thresholds=True))
    assert [take_last(each, known).target for each in domains] == [None, 'code']


def count_rows(rows, **terms):
    """Release the number of rows without the noise that the receipt states."""
    (_, scale), receipt = release_size(rows, **terms)
    return (60.0, scale), receipt


def test_a_fit_of_too_few_rows_stops_before_it_spends_the_main_budget(rng):
    table = pd.DataFrame({'age': rng.normal(size=60), 'sex': rng.choice(['f', 'm'], 60)})
    columns = {'age': NUMBER, 'sex': CATEGORY}
    made, spent = make(columns, epsilon=0.1), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, 'release_size', count_rows)
        keep = Spending._keep
        patch.setattr(Spending, '_keep', lambda *given: (spent.append(1), keep(*given))[1])
        with pytest.raises(SynthesizerInputError, match='the rest was not spent'):
            made.fit({'stays': table})
    assert len(spent) == 1
    make(columns, epsilon=0.1, accept='noise').fit({'stays': table})


def test_a_table_whose_rows_refer_to_two_units_is_named():
    tables = {
        'account': {'id': 'id', 'kind': CATEGORY},
        'transfer': {'sender': 'id', 'receiver': 'id', 'amount': NUMBER},
    }
    ends = (('transfer', each, 'account', 'id') for each in ('sender', 'receiver'))
    metadata = describe_tables(tables, *ends)
    (note,) = ClustMixMultiTableSynthesizer(metadata, privacy_unit='account').check().notes

    assert note.startswith("Rows of 'transfer' that refer to several units are protected with")
    assert note.endswith('and not with the others.')


def test_a_line_for_each_table_says_before_a_fit_how_far_off_its_shares_will_be():
    rng = np.random.default_rng(0)
    owners = rng.integers(0, 4000, 8000)
    tables = {
        'patient': pd.DataFrame({'id': range(4000), 'age': rng.integers(0, 99, 4000)}),
        'stay': pd.DataFrame({'patient': owners, 'days': rng.integers(1, 30, 8000)}),
    }
    parts = {'patient': {'id': 'id', 'age': NUMBER}, 'stay': {'patient': 'id', 'days': NUMBER}}
    metadata = describe_tables(parts, ('stay', 'patient', 'patient', 'id'))
    made = ClustMixMultiTableSynthesizer(
        metadata, epsilon=1.0, privacy_unit='patient', accept=ACCEPTABLE, verbose=False
    )
    notes = made.check().forecasts
    made.fit(tables)

    assert len(notes) == 2
    for name, note in zip(tables, notes, strict=True):
        model = made._model.tables[name]
        found = re.search(r"'(\w+)' are off by about 1 % if ([\d,]+) units", note)
        assert found[1] == name
        each = model.rows_per_unit or 1
        noise = model.noise * model.released.num_rows / each
        assert int(found[2].replace(',', '')) / 100 == pytest.approx(noise, rel=0.25)
    told = made._model.ledgers['patient'].receipts
    counted = next(each for each in told if each.statistic == 'magnitudes')
    # Six deviations of a count of magnitudes at their largest usual share; here they have .05.
    few = int(re.search(r'fewer than (\d+), the table may', notes[1])[1])
    assert few == pytest.approx(6 * counted.noise_scale * math.sqrt(0.05 / 0.5), rel=0.25)
    assert 'the table may' not in notes[0]
    assert made.check().forecasts == ()
