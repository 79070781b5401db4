"""Datasheets: made of a fitted synthesizer alone, complete, and readable by people and machines."""

import hashlib
import json
import math
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe
from sdv.errors import NotFittedError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer, pipeline
from sdv_threea.datasets import load_hospital
from sdv_threea.datasheet.sections import ASKED, UNSAID
from sdv_threea.synthesizers import single_table

SECRETS = ('Jane Doe', '8.123456', '1901-02-03')


COLUMNS = {
    'key': {'sdtype': 'id'},
    'born': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'group': {'sdtype': 'categorical'},
    'cost': {'sdtype': 'numerical'},
    '<b>|`': {'sdtype': 'categorical'},
}


def make_people(rows=3000):
    rng = np.random.default_rng(5)
    people = pd.DataFrame(
        {
            'key': range(rows),
            'born': (
                pd.Timestamp('1950-01-01') + pd.to_timedelta(rng.integers(9000, size=rows), 'D')
            ).strftime('%Y-%m-%d'),
            'group': rng.choice(['low', 'middle', 'high'], rows),
            'cost': rng.gamma(2, 100, rows).round(),
            '<b>|`': rng.choice(['<i>', '|'], rows),
        }
    )
    people.loc[0, ['born', 'group', 'cost']] = ['1901-02-03', 'Jane Doe', 8.123456]
    return people


def fit(rows=3000, **settings):
    metadata = describe(COLUMNS, 'people')
    metadata.tables['people'].primary_key = 'key'
    told = {'epsilon': 4.0, 'target_column': 'group'} | settings
    synthesizer = ClustMixSynthesizer(metadata, **told)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'people': make_people(rows)})
    return synthesizer


@pytest.fixture(scope='module')
def fitted():
    return fit()


@pytest.fixture(scope='module')
def hospital():
    tables, metadata = load_hospital()
    codes = ['admission_type', 'discharge_disposition', 'admission_source']
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata, epsilon=3.0, privacy_unit='patient', public_tables=codes
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(tables)
    return synthesizer


def write(sheet, folder):
    """All that a datasheet writes, by the kind of file."""
    sheet.save_html(folder / 'sheet.html')
    sheet.save_markdown(folder / 'sheet.md')
    sheet.save_croissant(folder / 'sheet.json')
    return {path.suffix: path.read_text('utf-8') for path in folder.glob('sheet.*')}


def test_a_datasheet_needs_no_row_and_shows_none(fitted, tmp_path):
    """A loaded synthesizer has released numbers and public facts alone."""
    fitted.save(tmp_path / 'people.pkl')
    loaded = ClustMixSynthesizer.load(tmp_path / 'people.pkl')
    written = write(loaded.datasheet(), tmp_path)

    assert written == write(fitted.datasheet(), tmp_path)
    for text in [*written.values(), fitted._repr_html_()]:
        assert [secret for secret in SECRETS if secret in text] == []


def test_all_questions_are_there_and_unanswered_ones_are_marked(fitted, tmp_path):
    """Those of docs/nist.md and of Datasheets for Datasets."""
    told = {name: f'What is said of {name}' for name in ASKED}
    full, empty = fitted.datasheet(**told).to_markdown(), fitted.datasheet().to_markdown()

    for wanted in (
        'right in at most', '(4, 1e-06)-differential privacy for one row added or removed',
        'Two tables are neighbours', 'one row', 'column names, types, formats and keys',
        'What was lost', 'A value of a category occurs in samples if', 'Where the budget went',
        'Suited for', 'Not for', 'How to cite', 'Appendix: the ledger', 'sdv-threea',
        'training models that predict group',
    ):  # fmt: skip
        assert wanted in full
    assert [name for name in ASKED if name != 'description' and told[name] not in full] == []
    assert UNSAID in empty
    assert UNSAID not in full
    for receipt in fitted.get_privacy_statement().receipts:
        assert receipt.released in full


def test_each_column_says_what_samples_show_and_the_error_to_expect(fitted):
    (table,) = fitted.datasheet().facts.tables
    columns = {column.name: column for column in table.columns}

    assert table.keys == ('key',)
    assert columns['key'].known == 'nothing was read of it'
    assert columns['group'].shown == 'high, low, middle'
    assert columns['group'].known == 'released with noise'
    assert re.fullmatch(r'19\d\d-\d\d-\d\d to 19\d\d-\d\d-\d\d', columns['born'].shown)
    # Dates are counted in more bins than there are groups.
    assert 0 < columns['group'].error < columns['born'].error < 1


def test_the_expected_error_of_a_column_is_what_its_noise_makes_at_most(monkeypatch):
    """The mean error of samples of four fits, against the one that is told."""
    noise = draw_from(np.random.default_rng(0))
    monkeypatch.setattr(single_table, 'release', partial(pipeline.release, noise=noise))
    known = {'group': {'sdtype': 'categorical'}, 'cost': {'sdtype': 'numerical'}}
    metadata = describe(known, 'people')
    people = make_people()[['group', 'cost']]
    told, errors = [], []
    for _ in range(4):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=0.5)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            synthesizer.fit({'people': people})
        (table,) = synthesizer.datasheet().facts.tables
        told.append(table.columns[0].error)
        sampled = synthesizer.sample(20_000)['people']['group']
        shares = [each.value_counts(normalize=True) for each in (people['group'], sampled)]
        errors.append(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
    # Smoothing makes two fifths of it: 0.008 of 0.020.
    assert np.mean(told) / 10 < np.mean(errors) < np.mean(told)


def test_markup_in_names_is_shown_and_not_read(fitted, tmp_path):
    written = write(fitted.datasheet(title='<script>alert(1)</script>'), tmp_path)

    assert '<script>alert' not in written['.html']
    assert '<td data-name="samples show">&lt;i&gt;, |</td>' in written['.html']
    assert '\\<b\\>\\|\\`' in written['.md']
    rows = [line for line in written['.md'].splitlines() if '| categorical |' in line]
    assert {len(re.findall(r'(?<!\\)\|', row)) for row in rows} == {6}


def test_a_release_that_promises_nothing_is_not_called_publishable(tmp_path):
    for settings in ({'epsilon': math.inf}, {'guarantee': 'paper'}):
        text = fit(300, **settings).datasheet().to_markdown()
        assert 'publish neither' in text
        assert 'It may be published' not in text
        assert 'can hardly tell' not in text


def test_a_database_is_described_table_by_table(hospital, tmp_path):
    sheet = hospital.datasheet()
    text = write(sheet, tmp_path)['.md']

    assert "one row of 'patient' with every row that can be reached from it" in text
    assert 'public: copied' in text
    for name in hospital.metadata.tables:
        assert f'Composition: {name}'.replace('_', '\\_') in text
    sizes = {table.name: table.num_rows for table in sheet.facts.tables}
    assert 6000 < sizes['patient'] < 10_000
    assert 'encounter: ' in hospital._repr_html_()


def test_what_has_no_place_is_refused_and_so_is_what_was_not_fitted(fitted):
    with pytest.raises(ValueError, match=r"no fields \['licence'\]"):
        fitted.datasheet(licence='MIT')
    unfitted = ClustMixSynthesizer(fitted.metadata, epsilon=2.0)
    with pytest.raises(NotFittedError, match='asking for its datasheet'):
        unfitted.datasheet()
    assert 'not fitted; epsilon=2' in unfitted._repr_html_()
    assert repr(unfitted) == '<ClustMixSynthesizer(epsilon=2, delta=1e-06), not fitted>'
    assert re.fullmatch(
        r'<ClustMixSynthesizer\(epsilon=.*target_column=.*\), fitted>', repr(fitted)
    )


def test_the_croissant_names_each_column_and_the_file_that_it_is_in(fitted, tmp_path):
    rows = fitted.sample(50)['people']
    rows.to_csv(tmp_path / 'people.csv', index=False)
    told = fitted.datasheet(license='https://example.org/licence', creator='Us').to_croissant(
        [tmp_path / 'people.csv']
    )

    assert json.loads(json.dumps(told)) == told
    assert told['conformsTo'] == 'http://mlcommons.org/croissant/1.0'
    (file,) = told['distribution']
    assert file['sha256'] == hashlib.sha256((tmp_path / 'people.csv').read_bytes()).hexdigest()
    (records,) = told['recordSet']
    assert [field['source']['extract']['column'] for field in records['field']] == list(rows)
    assert {field['source']['fileObject']['@id'] for field in records['field']} == {file['@id']}
    assert told['license'] == 'https://example.org/licence'
    assert 'cite' not in told['citeAs']
    assert 'ε = 4' in told['citeAs']
    with pytest.raises(ValueError, match=r'other\.csv is not a table of this release'):
        fitted.datasheet().to_croissant([tmp_path / 'other.csv'])


def test_mlcroissant_reads_it(fitted, tmp_path):
    """It brings stubs that mypy would read: ``make test`` has it in an environment of its own."""
    mlcroissant = pytest.importorskip('mlcroissant')
    fitted.sample(50)['people'].drop(columns='<b>|`').to_csv(tmp_path / 'people.csv', index=False)
    fitted.datasheet(
        license='https://example.org/l', url='https://example.org', creator='Us'
    ).save_croissant(tmp_path / 'croissant.json', [tmp_path / 'people.csv'])

    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / 'croissant.json'))
    issues = dataset.metadata.ctx.issues
    assert (issues.errors, issues.warnings) == (set(), set())
