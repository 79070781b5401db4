"""The commands: fit, sample, statement and report, from files to files."""

import json
import re

import pandas as pd
from sdv.utils import load_synthesizer

CODES = ('admission_type', 'discharge_disposition', 'admission_source')


def test_a_fit_writes_a_synthesizer_and_its_statement(fitted):
    synthesizer = load_synthesizer(str(fitted / 'adult.pkl'))

    assert (synthesizer.epsilon, synthesizer.delta) == (4.0, 1e-5)
    assert synthesizer.target_column == 'income'
    written = (fitted / 'adult.pkl.statement.txt').read_text()
    assert written == f'{synthesizer.get_privacy_statement()}\n'


def test_the_statement_is_printed_as_text_and_as_json(fitted, call):
    text = call('statement', fitted / 'adult.pkl')
    plain = call('statement', fitted / 'adult.pkl', '--json')

    assert (text.exit_code, plain.exit_code) == (0, 0)
    assert '(4, 1e-05)-differential privacy for one row added or removed' in text.stdout
    facts = json.loads(plain.stdout)
    assert (facts['epsilon'], facts['guarantee']) == (4.0, 'end_to_end')
    statement = load_synthesizer(str(fitted / 'adult.pkl')).get_privacy_statement()
    assert facts == json.loads(json.dumps(statement.to_dict()))


def test_a_database_is_a_folder(hospital, call, tmp_path, list_files, fit_options):
    options = fit_options(
        hospital,
        **{
            '--epsilon': 3,
            '--target': 'encounter.readmitted',
            '--privacy-unit': 'patient',
            '--out': tmp_path / 'hospital.pkl',
        },
    )
    public = [each for table in CODES for each in ('--public-table', table)]
    assert call('fit', hospital / 'tables', *options, *public).exit_code == 0
    assert load_synthesizer(str(tmp_path / 'hospital.pkl')).target_column == {
        'encounter': 'readmitted'
    }

    out = tmp_path / 'synthetic'
    parts = call('sample', tmp_path / 'hospital.pkl', '--rows-per-file', 9, '--out', out)
    assert (parts.exit_code, out.exists()) == (2, False)
    assert '--rows-per-file is for one table' in parts.stderr
    drawn = call('sample', tmp_path / 'hospital.pkl', '--scale', 0.5, '--out', out)
    assert drawn.exit_code == 0
    assert list_files(out) == sorted(f'{name}.csv' for name in ('patient', 'encounter', *CODES))
    patients, encounters = (pd.read_csv(out / f'{name}.csv') for name in ('patient', 'encounter'))
    assert 500 < len(patients) < 1000
    assert set(encounters['patient_nbr']) <= set(patients['patient_nbr'])

    page = tmp_path / 'page.html'
    compared = call(
        'report', '--real', hospital / 'tables', '--synthetic', out, '--table', 'patient',
        '--metadata', hospital / 'metadata.json', '--synthesizer', tmp_path / 'hospital.pkl',
        '--out', page,
    )  # fmt: skip
    assert compared.exit_code == 0
    assert 'patient: one row of &#x27;patient&#x27; with every row' in page.read_text('utf-8')

    whole, aside = tmp_path / 'whole.json', tmp_path / 'aside'
    assert call('sample', tmp_path / 'hospital.pkl', '--scale', 0.3, '--out', aside).exit_code == 0
    compared = call(
        'report', '--real', hospital / 'tables', '--synthetic', out,
        '--metadata', hospital / 'metadata.json', '--synthesizer', tmp_path / 'hospital.pkl',
        '--test', aside, '--target', 'encounter.readmitted', '--out', whole,
    )  # fmt: skip
    assert (compared.exit_code, compared.stderr.count('\n')) == (0, 1), compared.stderr
    told = json.loads(whole.read_text('utf-8'))
    assert 0.4 < told['scores']['Cardinality'] <= 1
    assert 0.4 < told['scores']['AUC of encounter.readmitted, real'] < 1
    assert told['statement']['tables']['admission_type'].startswith('public')


def test_the_report_shows_what_was_given_to_it(fitted, call, tmp_path):
    synthetic, page = tmp_path / 'synthetic.csv', tmp_path / 'page.html'
    call('sample', fitted / 'adult.pkl', '--rows', 3000, '--out', synthetic)
    options = [
        '--real', fitted / 'train.csv', '--synthetic', synthetic,
        '--metadata', fitted / 'metadata.json', '--out', page,
    ]  # fmt: skip
    assert call('report', *options).exit_code == 0
    short = page.read_text('utf-8')
    assert 'no synthesizer with a privacy statement was given' in short
    assert 'Not measured' in short

    more = ['--test', fitted / 'test.csv', '--target', 'income', '--title', 'My <page>']
    told = call('report', *options, *more, '--synthesizer', fitted / 'adult.pkl', '--force')
    assert told.exit_code == 0
    full = page.read_text('utf-8')
    assert '<h1>My &lt;page&gt;</h1>' in full
    assert 'can hardly tell' in full
    score = re.search(
        r'AUC of models that predict income.*?<td data-name="synthetic">([\d.]+)', full
    )
    assert 0.7 < float(score[1]) < 0.95


def test_the_program_runs_by_itself(adult, tmp_path, list_files, fit_options, run_anew):
    """Each command runs in a process of its own, as a user would run it."""

    def run(*arguments):
        module = "runpy.run_module('sdv_threea.cli', run_name='__main__')"
        return run_anew(f'import os, runpy; os.chdir({str(tmp_path)!r}); {module}', *arguments)

    options = fit_options(adult, **{'--target': 'income', '--out': 'adult.pkl'})
    fitted = run('fit', adult / 'train.csv', *options)
    assert (fitted.returncode, fitted.stdout) == (0, '')
    assert fitted.stderr.startswith('Warning: This release has lost some of the table: ')
    sampled = run('sample', 'adult.pkl', '--rows', 10, '--out', 'synthetic.csv')
    assert sampled.returncode == 0
    assert re.fullmatch(r'Wrote synthetic\.csv \([\d.]+ kB\)\.\n', sampled.stderr)
    assert list_files(tmp_path) == ['adult.pkl', 'adult.pkl.statement.txt', 'synthetic.csv']
