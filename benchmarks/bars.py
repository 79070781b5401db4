"""Bars of quality: rows of tables that their owner would believe, with defaults and at epsilon 1.

    make bars                     # or: PYTHONPATH=benchmarks pytest benchmarks/bars.py

Each bar is a test that looks at several fits. A change for the worse fails it, and chance does now
and then, so no bar is part of ``make test``. Run them after a change of what is fitted or drawn.
Real tables are read from ``../shared/data``; a bar whose table is missing there is skipped.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from databases import SETUPS, load
from sdv.cag import FixedCombinations
from sdv.evaluation import evaluate_quality, run_diagnostic
from sdv.metadata import Metadata
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import r2_score, roc_auc_score
from together import COUNTS, make_counts, make_wide, make_wide_domain

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.datasets import load_adult, load_hospital
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.encoders import encode
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings

SHARED = Path(__file__).parents[2] / 'shared' / 'data'
FITS = 3


def need(name):
    """Skip the bar if a data set is not here."""
    if not (SHARED / name).is_dir():
        pytest.skip('the data folder is not here')


def draw(name, target=None, epsilon=1.0, times=FITS, without=()):
    """Yield a real table and sampled rows of it, of several fits, some columns left out."""
    need(name)
    real = pd.read_csv(SHARED / name / f'{name}.csv.gz')
    facts = Metadata.load_from_json(SHARED / name / 'metadata.json').to_dict()
    for column in without:
        del facts['tables'][name]['columns'][column]
    real, metadata = real.drop(columns=list(without)), Metadata.load_from_dict(facts)
    for _ in range(times):
        terms = {'epsilon': epsilon, 'target_column': target, 'accept': ACCEPTABLE}
        synthesizer = ClustMixSynthesizer(metadata, **terms)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', UserWarning)
            synthesizer.fit({name: real})
        yield real, next(iter(synthesizer.sample(5_000).values()))


def test_services_agree_on_whether_there_is_an_internet_and_a_phone():
    """Beside a target, where labels leave little budget: it was a fifth of the rows."""
    shares = []
    for _, rows in draw('telco_churn', 'Churn'):
        without = rows['InternetService'] == 'No'
        services = [name for name in rows if (rows[name] == 'No internet service').any()]
        assert len(services) == 6
        wrong = (rows['MultipleLines'] == 'No phone service') != (rows['PhoneService'] == 'No')
        for name in services:
            wrong |= (rows[name] == 'No internet service') != without
        shares.append(wrong.mean())

    assert np.median(shares) < 0.12


def test_a_group_of_ages_is_that_of_the_age():
    """Of the real rows 2 % say otherwise: those of 25 years."""
    shares = []
    for _, rows in draw('compas', 'two_year_recid', times=5):
        young, old = rows['age'] < 25, rows['age'] > 45
        groups = np.select([young, old], ['Less than 25', 'Greater than 45'], '25 - 45')
        shares.append((rows['age_cat'] != groups).mean())

    assert np.median(shares) < 0.1


def test_limits_are_in_ten_thousands():
    shares = [(rows['limit_bal'] % 10_000 == 0).mean() for _, rows in draw('default_credit')]

    assert np.median(shares) > 0.99


def test_amounts_are_as_round_as_people_pay():
    """Half of them are multiples of ten; a fifth was, where all were drawn as whole numbers."""
    off = []
    for real, rows in draw('default_credit'):
        for name in (f'pay_amt{month}' for month in range(1, 7)):
            paid = [table.loc[table[name] > 0, name] for table in (real, rows)]
            for step in (10, 100, 1000):
                shares = [(amounts % step == 0).mean() for amounts in paid]
                off.append(abs(shares[1] - shares[0]))

    assert np.mean(off) < 0.06


def test_what_few_people_have_is_in_the_rows_though_no_range_is_stated():
    """159 of 32,561 gained 99,999, and 85 work 99 hours: ranges ended at 16,000 and at 80."""
    train, _, metadata = load_adult()
    ends = []
    for _ in range(FITS):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, target_column='income')
        synthesizer.fit({'adult': train})
        rows = synthesizer.sample(20_000)['adult']
        ends.append(rows[['capital_gain', 'hours_per_week']].max())

    gains, hours = np.median(ends, axis=0)
    assert 30_000 < gains <= 99_999
    assert 90 <= hours <= 99


@pytest.mark.parametrize('alpha', [0.5, 1])
def test_missing_values_zeros_and_heavy_numbers_go_with_other_columns_as_they_do(alpha):
    """Who has no occupation has no employer; who earns more gained more; clerks work 40 hours."""
    train, _, metadata = load_adult(public_metadata=True)
    synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, alpha=alpha, public_metadata=True)
    synthesizer.fit({'adult': train})
    looks = []
    for rows in (train, synthesizer.sample(20_000)['adult']):
        gained = (rows['capital_gain'] == 0).groupby(rows['income']).mean()
        alone = rows['workclass'].isin(['Self-emp-inc', 'Self-emp-not-inc'])
        usual = (rows['hours_per_week'] == 40).groupby(alone).mean()
        looks.append([rows['workclass'].isna().mean(), *gained, *usual])

    unpaired = rows['workclass'].isna() != rows['occupation'].isna()
    assert unpaired.mean() < 0.015
    assert np.allclose(*looks, atol=0.06)


def test_amounts_of_the_bank_do_not_share_a_bin():
    """Noise hides most payments of 243 accounts; one fit of five had all in one bin of 96."""
    need('berka')
    setup = SETUPS['berka, by client']
    parts, spreads = load(setup, SHARED, 0), []
    for _ in range(12):
        synthesizer = ClustMixMultiTableSynthesizer(
            parts.metadata,
            epsilon=3.0,
            privacy_unit=setup.unit,
            public_tables=setup.public,
            accept=ACCEPTABLE,
        )
        synthesizer.fit(parts.train)
        amounts = synthesizer.sample_scale(1.0)['trans']['amount']
        spreads.append(amounts.quantile(0.9) - amounts.quantile(0.1))

    assert min(spreads) > 1_000  # of the real ones 28,000


def test_the_density_scores_well_where_users_of_sdv_look():
    """Ranges and categories are estimated privately; at `alpha=1` the density is all there is."""
    train, _, metadata = load_adult()
    scores = []
    for _ in range(FITS):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, delta=1e-5, alpha=1)
        synthesizer.fit({'adult': train})
        sampled = synthesizer.sample(len(train))
        scores.append(
            evaluate_quality({'adult': train}, sampled, metadata, verbose=False).get_score()
        )

    assert np.median(scores) > 0.95


def test_a_class_is_as_frequent_as_in_the_data():
    """All columns say how large it is. By a single count of them it was off by .04."""
    misses = []
    for real, rows in draw('german_credit', 'class', times=20):
        misses.append((rows['class'] == 'bad').mean() - (real['class'] == 'bad').mean())

    assert np.abs(misses).mean() < 0.025


def test_without_noise_no_bill_is_drawn_over_and_over():
    ((real, rows),) = draw('default_credit', epsilon=np.inf, times=1)
    for name in (f'bill_amt{month}' for month in range(1, 7)):
        shares = [table[name].value_counts(normalize=True) for table in (real, rows)]
        known = shares[0].reindex(shares[1].index).fillna(0)
        chance = np.sqrt(known * (1 - known) / len(rows))
        assert (shares[1] - known - 4 * chance).max() < 0.006, name


def test_a_few_rows_say_what_the_last_category_follows_from_if_nobody_names_a_target():
    """Noise drowns pairs of 400 rows; before, a model learned nothing of the samples."""
    train, test, metadata = load_adult(public_metadata=True)
    learned = ['age', 'education_num', 'hours_per_week', 'capital_gain', 'marital_status']
    found = []
    for _ in range(7):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, public_metadata=True)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', UserWarning)
            synthesizer.fit({'adult': train.sample(400, random_state=0)})
        both = pd.concat([synthesizer.sample(5_000)['adult'], test], ignore_index=True)
        features = pd.get_dummies(both[learned], dtype=float)
        rich = both['income'] == '>50K'
        model = HistGradientBoostingClassifier(random_state=0).fit(features[:5_000], rich[:5_000])
        chances = model.predict_proba(features[5_000:])[:, 1]
        found.append(roc_auc_score(rich[5_000:], chances))

    assert np.median(found) > 0.58


def test_how_many_bikes_are_rented_follows_from_the_rest_though_nobody_names_it():
    """Hours of a working day are not those of others: no pair of columns says so. R2 was .5."""
    columns = ['yr', 'mnth', 'hr', 'weekday', 'workingday', 'temp', 'hum', 'weathersit']
    found = []
    # How many of them are registered, and how many not, adds up to it.
    for real, rows in draw('bike_sharing', without=['dteday', 'casual', 'registered']):
        both = pd.concat([rows, real], ignore_index=True)[columns]
        both = both.apply(lambda own: pd.factorize(own, sort=True)[0])
        model = HistGradientBoostingRegressor(random_state=0).fit(both[:5_000], rows['cnt'])
        found.append(r2_score(real['cnt'], model.predict(both[5_000:])))

    assert np.median(found) > 0.7


def test_what_a_number_follows_from_together_comes_back_though_nobody_names_it():
    """Of the hour alone, and of whether it is a working day alone, next to nothing follows."""
    table, found = make_counts(16_000), []
    for alpha in (0.5, 1) * 7:
        released = release(table, Domain(COUNTS), Settings(delta=1e-5, alpha=alpha))
        rows = released.sample(8_000, np.random.default_rng(0))
        means = [each.groupby(['hour', 'works'])['lent'].mean() for each in (table, rows)]
        found.append(float((means[0] - means[1]).abs().mean()))

    adapted, alone = np.array(found).reshape(7, 2).T
    assert np.median(adapted) < 8
    assert np.median(adapted / alone) < 0.5


def test_many_columns_tell_the_label_together_though_nobody_names_it():
    """Each tells little, and no pair of them more."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(8_000, 12))
    table = pd.DataFrame(x, columns=[f'x{at}' for at in range(12)])
    table['kind'] = rng.choice(['k', 'l'], 8_000).astype(object)
    table['label'] = np.where(x.sum(axis=1) / 2 + rng.logistic(size=8_000) > 0, 'yes', 'no')
    numbers = (Number(name=f'x{at}', low=-5.0, high=5.0, nullable=False) for at in range(12))
    values = {'kind': ('k', 'l'), 'label': ('no', 'yes')}
    others = (Category(name=name, values=own, nullable=False) for name, own in values.items())
    domain, told = Domain((*numbers, *others)), []
    for alpha in (0.5, 1):
        released = release(table, domain, Settings(delta=1e-5, alpha=alpha))
        rows = released.sample(8_000, np.random.default_rng(0))
        sums = rows.iloc[:, :12].sum(axis=1)
        told.append(roc_auc_score(rows['label'] == 'yes', sums))

    assert told[0] > told[1] + 0.03


def test_adults_education_and_its_number_stay_together():
    adult, _, metadata = load_adult()
    metadata.update_column('education_num', 'adult', sdtype='categorical')
    settings = {'epsilon': 1.0, 'delta': 1e-5, 'target_column': 'income'}
    synthesizer = ClustMixSynthesizer(metadata, **settings)
    synthesizer.add_constraints([FixedCombinations(['education', 'education_num'])])
    synthesizer.fit({'adult': adult})
    sampled = synthesizer.sample(5_000)['adult']
    pairs = [
        rows.groupby(['education', 'education_num']).size() / len(rows) for rows in (adult, sampled)
    ]

    assert set(pairs[1].index) <= set(pairs[0].index)
    assert len(pairs[1]) >= 12
    assert pairs[0].sub(pairs[1], fill_value=0).abs().max() < 0.05
    rich = [
        (rows['income'] == '>50K').groupby(rows['education']).mean() for rows in (adult, sampled)
    ]
    assert rich[1]['Bachelors'] > rich[1]['HS-grad'] + 0.1


def test_what_many_columns_tell_of_a_class_is_not_lost_in_the_noise_of_each():
    rng = np.random.default_rng(41)
    scores = []
    # Fits have .84 with a standard deviation of .03.
    for _ in range(16):
        table, others = make_wide(rng, 1_000), make_wide(rng, 3_000)
        settings = Settings(epsilon=4.0, delta=1e-5)
        released = release(table, make_wide_domain(table), settings, rng=rng)
        codes = encode(
            others[[transformer.name for transformer in released.transformers]],
            released.transformers,
        )
        chances = released.adapted.chances(codes[:, released.scored])
        scores.append(roc_auc_score(others['target'] == 'yes', chances[:, 1]))

    assert np.mean(scores) > 0.82


#: The targets of tables, of each kind: two classes, three, seven, and a number.
TARGETS = {
    'bike_sharing': 'cnt',
    'california_housing': 'median_house_value',
    'covtype': 'Cover_Type',
    'diabetes130': 'readmitted',
    'isolet': 'vowel',
    'pima_diabetes': 'outcome',
    'compas': 'two_year_recid',
    'titanic': 'survived',
    'mushroom': 'class',
    'telco_churn': 'Churn',
}

SINGLE = sorted(
    path.parent.name
    for path in SHARED.glob('*/metadata.json')
    if (path.parent / f'{path.parent.name}.csv.gz').exists()
)


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize('epsilon', [1.0, math.inf])
@pytest.mark.parametrize('name', SINGLE)
def test_a_real_table_is_fitted_and_sampled(name, epsilon):
    """A range may end beyond the values by chance; dtypes, categories and keys never fail."""
    table = pd.read_csv(SHARED / name / f'{name}.csv.gz', nrows=2_000)
    metadata = Metadata.load_from_json(SHARED / name / 'metadata.json')
    terms = {'target_column': TARGETS.get(name), 'accept': ACCEPTABLE}
    synthesizer = ClustMixSynthesizer(metadata, epsilon=epsilon, delta=1e-5, **terms)
    synthesizer.fit({name: table})
    sampled = synthesizer.sample(300)

    assert list(sampled[name].columns) == list(table.columns)
    assert len(sampled[name]) == 300
    report = run_diagnostic({name: table}, sampled, metadata, verbose=False)
    assert report.get_score() > 0.97


def test_no_loss_of_adult_is_silent():
    """Of every category and number that samples do not show, the table says as much."""
    adult, _, metadata = load_adult()
    adult = adult.sample(1200, random_state=0).reset_index(drop=True)
    synthesizer = ClustMixSynthesizer(metadata, target_column='income')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'adult': adult})
    sampled, losses = synthesizer.sample(3000)['adult'], synthesizer.get_losses()
    for name, column in adult.items():
        if column.dtype.kind in 'iuf':
            lost = ~column.between(sampled[name].min(), sampled[name].max())
        else:
            lost = ~column.isin(set(sampled[name].dropna()))
        if lost.mean() >= 0.05:
            assert losses.loc[name, 'at_most'] >= 0.02, name


def share_readmitted(stays):
    """The share of stays that are not followed by another, of all and of patients with one."""
    apart = stays['readmitted'] == 'NO'
    alone = ~stays['patient_nbr'].duplicated(keep=False)
    return apart.mean(), apart[alone].mean(), apart[~alone].mean()


def test_the_target_depends_on_how_many_rows_the_owner_has_as_it_does():
    """Stays of patients who come once are rarely followed by another: 77 % are not, for 26 %."""
    tables, metadata = load_hospital()
    codes = ['admission_type', 'discharge_disposition', 'admission_source']
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=20.0,
        privacy_unit='patient',
        public_tables=codes,
        target_column={'encounter': 'readmitted'},
        verbose=False,
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(tables)
    sampled = synthesizer.sample_scale(1.0)['encounter']
    real = share_readmitted(tables['encounter'])
    assert share_readmitted(sampled) == pytest.approx(real, abs=0.08)
