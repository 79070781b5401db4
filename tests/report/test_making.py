"""The report in one call: tables, targets, errors, and no value of a few rows in it."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables

from sdv_threea.report import make_report
from sdv_threea.report.inputs import refuse_fitted

#: Values that only a few real rows hold. None of them may be in a report.
SECRETS = ('Jane Doe', 'person-0', '123.456789', '1957-03-04', '04.03.1957')


@pytest.fixture
def metadata():
    columns = {
        'key': {'sdtype': 'id'},
        'born': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
        'group': {'sdtype': 'categorical'},
        'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3]},
        'cost': {'sdtype': 'numerical'},
        'flag': {'sdtype': 'boolean'},
    }
    return describe(columns, 'people')


def make_people(rng, size=400):
    cost = rng.gamma(2, 100, size)
    born = pd.Timestamp('1950-01-01') + pd.to_timedelta(rng.integers(0, 20_000, size), 'D')
    people = pd.DataFrame(
        {
            'key': [f'person-{row}' for row in range(size)],
            'born': born.strftime('%d.%m.%Y'),
            'group': np.where(cost + rng.normal(0, 30, size) > 200, 'high', 'low'),
            'grade': np.digitize(cost, [100, 200]) + 1,
            'cost': cost,
            'flag': pd.array(cost > 150, dtype='boolean'),
        }
    )
    people.loc[5:30, ['born', 'cost', 'flag']] = None
    return people


@pytest.fixture
def parts():
    """Make real, synthetic and test rows."""
    rng = np.random.default_rng(8)
    real, synthetic, test = (make_people(rng) for _ in range(3))
    real.loc[0, ['group', 'cost', 'born']] = ['Jane Doe', 123.456789, '04.03.1957']
    return real, synthetic, test


def test_no_cell_of_a_real_row_is_in_the_page_or_in_the_json(parts, metadata, tmp_path):
    real, synthetic, test = parts
    report = make_report(real, synthetic, metadata, test=test, target='group')
    report.save_html(tmp_path / 'page.html')
    report.save_json(tmp_path / 'page.json')

    for name in ('page.html', 'page.json'):
        text = (tmp_path / name).read_text('utf-8')
        assert 'born' in text
        assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize(
    ('target', 'score', 'curves'),
    [
        ('group', 'AUC', ['ROC', 'precision and recall', 'calibration']),
        ('grade', 'AUC', ['ROC', 'precision and recall', 'calibration']),
        ('cost', 'R2', ['predicted and real']),
        ('born', 'R2', ['predicted and real']),
    ],
)
def test_one_call_measures_everything(parts, metadata, tmp_path, target, score, curves):
    real, synthetic, test = parts
    report = make_report(real, {'people': synthetic}, metadata, test=test, target=target)

    told = report.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert list(dict.fromkeys(point['curve'] for point in told['utility'][target]['curves'])) == (
        curves
    )
    for name in ('quality', 'diagnostic', f'{score} of {target}, synthetic'):
        assert np.isfinite(report.scores[name])
    assert 0 < report.scores['baseline protection, people'] <= 1
    report.save_html(tmp_path / 'page.html', title='A & B')
    page = (tmp_path / 'page.html').read_text('utf-8')
    for shown in (
        '<h1>A &amp; B</h1>',
        f'Predicting {target}',
        'born',
        curves[0],
        'checks by SDMetrics',
    ):
        assert shown in page


def test_what_cannot_be_tested_is_refused_before_anything_is_measured(parts, metadata):
    real, synthetic, test = parts
    for more, complaint in (
        ({'target': 'group'}, "pass them as 'test'"),
        ({'test': test}, "on the rows of 'test': pass 'target'"),
        ({'test': test, 'target': 'key'}, r"choose one of \['born', 'group'"),
        ({'test': test.drop(columns='cost'), 'target': 'group'}, r"test table .* \['cost'\]"),
    ):
        with pytest.raises(ValueError, match=complaint):
            make_report(real, synthetic, metadata, **more)


def make_database(rng):
    rows = rng.integers(0, 200, 900)
    orders = pd.DataFrame({'of': rows, 'price': rng.normal(rows % 2 * 3, 1), 'odd': rows % 2})
    people = pd.DataFrame({'id': range(200), 'group': np.where(np.arange(200) % 2, 'odd', 'even')})
    return {'people': people, 'orders': orders}


@pytest.fixture
def database():
    tables = {
        'people': {'id': 'id', 'group': 'categorical'},
        'orders': {'of': 'id', 'price': 'numerical', 'odd': 'categorical'},
    }
    return describe_tables(tables, ('orders', 'of', 'people', 'id'))


def test_a_database_is_measured_between_its_tables_too(database, tmp_path):
    rng = np.random.default_rng(5)
    real, synthetic, test = (make_database(rng) for _ in range(3))
    synthesizer = SimpleNamespace(
        metadata=database, privacy_unit='people', public_tables=(), target={'orders': 'odd'}
    )
    report = make_report(
        real, synthetic, database, synthesizer=synthesizer, test={'orders': test['orders']}
    )
    shuffled = synthetic['orders'].assign(of=rng.permutation(synthetic['orders']['of']))
    worse = make_report(real, {**synthetic, 'orders': shuffled}, database)

    assert list(report.utility) == ['orders.odd']
    assert report.scores['AUC of orders.odd, synthetic'] > 0.9
    assert report.scores['Intertable Trends'] > worse.scores['Intertable Trends'] + 0.1
    trends = report.quality.details['Intertable Trends']
    assert trends['Chance'].mean() == pytest.approx(worse.scores['Intertable Trends'], abs=0.06)
    assert report.scores['Cardinality'] == worse.scores['Cardinality'] > 0.8
    copied = SimpleNamespace(public_tables=('people',))
    assert set(make_report(real, synthetic, database, synthesizer=copied).fidelity.impossible) == {
        'orders'
    }
    report.save_html(tmp_path / 'page.html')
    page = (tmp_path / 'page.html').read_text('utf-8')
    for shown in (
        'orders per people',
        'orders.odd by people.group',
        'unit of privacy',
        'refers to people',
    ):
        assert shown in page
    with pytest.raises(ValueError, match="in which table 'target' is"):
        make_report(real, synthetic, database, test=test, target='odd')


COLUMNS = {
    'key': {'sdtype': 'id'},
    'cost': {'sdtype': 'numerical'},
    'group': {'sdtype': 'categorical'},
}


def make_rows(rng, size=600):
    return pd.DataFrame(
        {
            'key': rng.permutation(size),
            'cost': rng.normal(size=size).round(3),
            'group': rng.choice(['a', 'b'], size),
        }
    )


@pytest.mark.parametrize('share', [0.3, 1.0])
def test_fitted_rows_are_found_by_their_content(rng, share):
    """Neither their order, nor their index, nor their keys matter."""
    real = make_rows(rng)
    fitted = real.sample(frac=share, random_state=1).assign(key=0)
    test = pd.concat([fitted, make_rows(rng, 600 - len(fitted))])

    with pytest.raises(ValueError, match=r'\d+% of the test rows .* were fitted'):
        refuse_fitted(real, test, COLUMNS, 'people')


def test_the_training_table_itself_is_refused_even_if_all_rows_are_alike(rng):
    real = pd.DataFrame({'key': range(60), 'cost': 1.0, 'group': ['a', 'b'] * 30})

    with pytest.raises(ValueError, match='were fitted'):
        refuse_fitted(real, real, COLUMNS, 'people')
    refuse_fitted(real, real.head(20), COLUMNS, 'people')


def test_other_rows_pass_however_often_rows_are_equal_by_chance(rng):
    for decimals in (0, 1, 3):
        real, test = (make_rows(rng).round({'cost': decimals}) for _ in range(2))
        refuse_fitted(real, test, COLUMNS, 'people')
