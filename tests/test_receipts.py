"""What real fits have on their ledgers: registered statistics, their sensitivities and shares."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import sensitivities
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.approximate.marginals import clip_radius
from sdv_threea.datasets import load_adult, load_hospital
from sdv_threea.describe.questions import find_blanks
from sdv_threea.planning.shares import Known
from sdv_threea.planning.targets import guess_target, take_last
from sdv_threea.relational.table_plans import plan_tables
from sdv_threea.settings import Settings
from sdv_threea.statistics.registry import PARTS, REGISTRY, name_part

CODES = ['admission_type', 'discharge_disposition', 'admission_source']

#: Fits of one table.
FITS = {
    'all blanks asked': {'target_column': 'income'},
    'one row replaced': {'target_column': 'income', 'neighbors': 'replace_one'},
    'public metadata': {'target_column': 'income', 'public_metadata': True},
    'no target': {},
    # So much that triples are sure to be counted.
    'pairs of columns': {'epsilon': 400.0, 'alpha': 1},
    'the density alone': {'target_column': 'income', 'alpha': 1},
    'pairs and labels': {'target_column': 'income', 'epsilon': 40.0},
    'a category aside': {'epsilon': 40.0},
    'columns counted twice': {'epsilon': 0.05},
    # At smaller budgets the first look at the number may be the last.
    'a number as the target': {'target_column': 'age', 'epsilon': 400.0},
    'a number replaced': {
        'target_column': 'age',
        'epsilon': 12.0,
        'neighbors': 'replace_one',
    },  # as noisy as 8 is otherwise
    'records mixed': {'target_column': 'income', 'mixing': 'clusters'},
}
#: Those in which pairs of columns may be counted.
PAIRED = {
    'pairs of columns',
    'the density alone',
    'pairs and labels',
    'a category aside',
    'columns counted twice',
}
UNITS = {
    'units': {'neighbors': 'add_remove'},
    'units replaced': {'neighbors': 'replace_one'},
    'units alike': {'neighbors': 'replace_one', 'epsilon': 12.0},
}


#: Receipts of rows that are released with the row before them.
BEFORE = 'given the row before'


class Fit(NamedTuple):
    """A fit of a table, alone or of several: what is known of it, and its receipts."""

    receipts: tuple
    facts: object
    settings: object
    plan: tuple = ()


def fit(synthesizer, data):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(data)
    return synthesizer


def fit_unpaired(synthesizer, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Settings, 'counts_pairs', False)
        return fit(synthesizer, data)


def take_facts(blanks, release, settings, rows_per_unit=1, given=0):
    model = getattr(release.adapted, 'expectation', release.adapted)
    together = model.interplay if model else None
    return sensitivities.Facts(
        asked={name: len(columns) for name, columns in blanks.items()},
        width=len(release.scored),
        radius=clip_radius(release.scores.variances, settings.constants.approximate.clip),
        feature_radius=together.features.radius if together else 0,
        replaced=settings.neighbors == 'replace_one',
        rows_per_unit=rows_per_unit,
        given=given,
    )


@pytest.fixture(scope='module')
def single():
    """Fits of a part of Adult, with a column of decimals beside its own."""
    adult, _, metadata = load_adult()
    adult = adult.head(2000).assign(ratio=adult['fnlwgt'] / 7)
    # What two columns say of it together, neither says alone: a triple that is counted.
    adult['either'] = np.where((adult['sex'] == 'Male') ^ (adult['age'] > 37), 'yes', 'no')
    # The number of each of 40 kinds: a category that has one, inside an interval.
    kinds = np.random.default_rng(0).integers(0, 40, len(adult))
    adult['kind'] = np.char.add('kind ', kinds.astype(str)).astype(object)
    adult['rate'] = np.random.default_rng(1).uniform(0, 100, 40).round(3)[kinds]
    # A number that is the sum of two others.
    adult['years'] = adult['age'] + adult['hours_per_week']
    fits = {}
    for name, settings in FITS.items():
        public = 'public_metadata' in settings
        facts = (load_adult(public_metadata=True)[-1] if public else metadata).to_dict()
        columns = facts['tables']['adult']['columns']
        columns |= {each: {'sdtype': 'numerical'} for each in ('years', 'rate')}
        columns['ratio'] = {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 1e6}
        # A target that nobody names must have few values: that of the last column has, or has not.
        last = ['kind', 'either'] if name == 'a category aside' else ['either', 'kind']
        columns |= dict.fromkeys(last, {'sdtype': 'categorical'})
        made = ClustMixSynthesizer(
            Metadata.load_from_dict(facts), **{'epsilon': 4.0, 'accept': 'noise', **settings}
        )
        # So that labels have features, whose radius the release then tells.
        adapt = replace(made._settings.constants.adapt, doubt=-1e9)
        constants = replace(made._settings.constants, adapt=adapt)
        made._settings = replace(made._settings, constants=constants)
        if name in PAIRED or 'mixing' in settings:
            fit(made, {'adult': adult})
        else:
            fit_unpaired(made, {'adult': adult})
        derived = made.preprocessor.derive().derived
        drowned = name == 'columns counted twice'
        planned_by = Known(made.settings, made.settings.budget(thresholds=True))
        derived = guess_target(derived, planned_by, drowned=drowned)
        if name == 'a category aside':
            derived = take_last(derived, planned_by)
        known = take_facts(find_blanks(derived), made._model, made.settings)
        receipts = made.get_privacy_statement().receipts
        plan = made.get_privacy_statement().plan
        fits[name] = Fit(receipts, known, made.settings, plan)
    return fits


@pytest.fixture(scope='module')
def units():
    """Fits of a part of Hospital, where stays need not hang off a patient; by table."""
    tables, metadata = load_hospital()
    tables['patient'] = tables['patient'].head(1500)
    kept = tables['encounter']['patient_nbr'].isin(tables['patient']['patient_nbr'])
    tables['encounter'] = tables['encounter'][kept].astype({'patient_nbr': 'Int64'})
    fits = {}
    for name, settings in UNITS.items():
        made = ClustMixMultiTableSynthesizer(
            metadata,
            privacy_unit='patient',
            public_tables=CODES,
            **{'epsilon': 50.0, 'accept': 'noise', **settings},
        )
        # Rows come from Gaussians; or pairs of columns are counted, and those with the row before
        # are not.
        if 'epsilon' in settings:
            for table in ('patient', 'encounter'):
                made.set_table_parameters(table, {'alpha': 1.0})
            fit(made, tables)
        else:
            fit_unpaired(made, tables)
        model, synthesizers = made._model, made._table_synthesizers
        domains = {each: synthesizers[each].preprocessor.derive().derived for each in model.tables}
        num_rows = {each: len(table) for each, table in tables.items()}
        plans = plan_tables(model.schema, domains, num_rows, model.children)
        (receipts,) = made.get_privacy_statement().receipts.values()
        for table, released in model.tables.items():
            bound = released.rows_per_unit
            own = tuple(each for each in receipts if each.released.startswith(f'{table}: '))
            domain, chosen = plans[table].domain, synthesizers[table].settings
            blanks = find_blanks(domain)
            for kind, each in enumerate((released, released.following)):
                theirs = tuple(one for one in own if (BEFORE in one.released) == kind)
                if each is not None:
                    given = len(each.layout.context)
                    known = take_facts(blanks, each.released, chosen, bound, given)
                    fits[name, table, kind] = Fit(theirs, known, chosen)
    return fits


def test_every_receipt_is_a_row_of_the_table_and_has_its_sensitivity(single, units):
    for done in [*single.values(), *units.values()]:
        assert done.receipts
        for receipt in done.receipts:
            kind = REGISTRY[receipt.statistic]
            expected = sensitivities.expect(kind, done.facts, receipt.sensitivity)
            assert receipt.sensitivity == pytest.approx(expected, rel=1e-9), receipt


def test_no_row_of_the_table_is_made_up(single, units):
    fits = [*single.values(), *units.values()]
    released = {receipt.statistic for done in fits for receipt in done.receipts}
    # References between units are in none of these tables: tests/relational/test_degrees.py.
    assert released | {'links', 'repeats'} == set(REGISTRY) == set(sensitivities.FORMULAS)


@pytest.mark.parametrize('name', FITS)
def test_the_plan_says_what_the_ledger_has_paid(single, name):
    done = single[name]
    budget = done.settings.budget(thresholds=any(each.delta for each in done.receipts))
    assert sum(each.mu**2 for each in done.receipts) == pytest.approx(budget.mu**2)
    lines = [re.fullmatch(r' *([\d.]+)%  (.*?)(:.*)?', line) for line in done.plan]
    told = {line[2]: float(line[1]) for line in lines if line}
    assert sum(told.values()) == pytest.approx(100, abs=0.4)
    parts = {part: PARTS[part] for part in PARTS if name_part(part) in told}
    joint = 'pairs', 'functions', 'columns', 'columns again'
    for names in (joint, *((part,) for part in parts if part not in joint)):
        kinds = {kind.name for part in names for kind in parts.get(part, ())}
        paid = sum(each.mu**2 for each in done.receipts if each.statistic in kinds)
        said = sum(told.get(name_part(part), 0.0) for part in names)
        assert said == pytest.approx(100 * paid / budget.mu**2, abs=0.2), names


def test_some_fits_look_at_several_rows_of_a_unit(units):
    """Or the test of sensitivities would not see the factor."""
    assert max(done.facts.rows_per_unit for done in units.values()) > 1


def test_the_noise_is_the_sensitivity_over_the_price(single):
    for done in single.values():
        for receipt in done.receipts:
            exact = receipt.sensitivity / receipt.mu
            assert exact < receipt.noise_scale < exact * (1 + 1e-4)


@pytest.mark.parametrize('settings', UNITS)
def test_tables_pay_by_their_columns_and_for_what_concerns_units_first(units, settings):
    costs = {}
    own = {(table, at): done for (name, table, at), done in units.items() if name == settings}
    for (table, _), done in own.items():
        for receipt in done.receipts:
            kind = REGISTRY[receipt.statistic]
            kind = kind.share if kind.about_units else 'rows'
            costs[table, kind] = costs.get((table, kind), 0.0) + receipt.mu**2
    whole = sum(cost for (table, _), cost in costs.items() if table == 'encounter')
    assert costs['encounter', 'magnitudes'] / whole == pytest.approx(0.05)
    assert costs['encounter', 'agreement'] / whole == pytest.approx(0.05)
    assert costs['encounter', 'orphans'] / whole == pytest.approx(0.01)
    # Of a patient two columns and the number of stays; of a stay ten columns and three references.
    assert whole / costs['patient', 'rows'] == pytest.approx((1 + 10 + 3) / (1 + 2 + 1))
    budget = done.settings.budget(thresholds=True)
    assert costs['patient', 'rows'] + whole == pytest.approx(budget.mu**2)
