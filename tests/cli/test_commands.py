from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer
from sdv.utils import load_synthesizer

from sdv_threea.cli import saved

CODES = ('admission_type', 'discharge_disposition', 'admission_source')


def files(folder):
    return sorted(path.name for path in folder.rglob('*') if path.is_file())


def fit_options(folder, **others):
    options = {'--metadata': folder / 'metadata.json', '--epsilon': 4} | others
    return [each for option in options.items() for each in option]


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


def test_no_privacy_is_written_as_json_that_others_can_read(adult, call, tmp_path):
    out, statement = tmp_path / 'out.pkl', tmp_path / 'statement.json'
    options = fit_options(adult, **{'--epsilon': 'inf', '--statement': statement, '--out': out})
    assert call('fit', adult / 'train.csv', *options).exit_code == 0

    facts = json.loads(statement.read_text(), parse_constant=pytest.fail)
    assert facts['epsilon'] == 'inf'
    assert files(tmp_path) == ['out.pkl', 'statement.json']


def test_samples_have_the_rows_and_columns_asked_for(fitted, call, tmp_path):
    out = tmp_path / 'synthetic.csv.gz'
    assert call('sample', fitted / 'adult.pkl', '--rows', 500, '--out', out).exit_code == 0

    real, synthetic = pd.read_csv(fitted / 'train.csv'), pd.read_csv(out)
    assert synthetic.shape == (500, real.shape[1])
    assert list(synthetic) == list(real)
    assert set(synthetic['income']) == set(real['income'])
    assert pd.api.types.is_integer_dtype(synthetic['age'])


def test_batches_are_other_rows_and_add_up(fitted, call, tmp_path, monkeypatch):
    monkeypatch.setattr(saved, 'BATCH', 200)
    call('sample', fitted / 'adult.pkl', '--rows', 450, '--out', tmp_path / 'a.csv')
    rows = pd.read_csv(tmp_path / 'a.csv')

    assert len(rows) == 450
    assert not rows[:200].reset_index(drop=True).equals(rows[200:400].reset_index(drop=True))


def test_no_rows_are_a_line_of_names(fitted, call, tmp_path):
    assert (
        call('sample', fitted / 'adult.pkl', '--rows', 0, '--out', tmp_path / 'a.csv').exit_code
        == 0
    )
    assert pd.read_csv(tmp_path / 'a.csv').shape == (0, 15)


@pytest.fixture
def people(tmp_path):
    """A table with columns of every kind, each with gaps but the key, and its metadata."""
    rng, size = np.random.default_rng(0), 2000
    born = pd.Timestamp('1950-01-01') + pd.to_timedelta(rng.integers(0, 20_000, size), 'D')
    table = pd.DataFrame(
        {
            'key': [f'k{row:05d}' for row in range(size)],
            'born': born.strftime('%d.%m.%Y'),
            'smoker': rng.choice(['true', 'false'], size),
            'grade': rng.integers(1, 6, size).astype(str),
            'cost': rng.gamma(2, 100, size).round(2).astype(str),
            'email': [f'p{row}@example.org' for row in range(size)],
        }
    )
    gaps = rng.random(table.shape) < 0.05
    gaps[:, 0] = False
    table.mask(gaps).to_csv(tmp_path / 'people.csv', index=False)
    columns = {
        'key': {'sdtype': 'id', 'regex_format': 'k[0-9]{5}'},
        'born': {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'},
        'smoker': {'sdtype': 'boolean'},
        'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4, 5]},
        'cost': {'sdtype': 'numerical'},
        'email': {'sdtype': 'email', 'pii': True},
    }
    metadata = {'tables': {'people': {'columns': columns, 'primary_key': 'key'}}}
    metadata |= {'relationships': [], 'METADATA_SPEC_VERSION': 'V2'}
    (tmp_path / 'metadata.json').write_text(json.dumps(metadata))
    return tmp_path


def test_columns_of_every_kind_go_there_and_back(people, call, monkeypatch):
    monkeypatch.setattr(saved, 'BATCH', 400)
    monkeypatch.chdir(people)
    assert (
        call(
            'fit', 'people.csv', *fit_options(people, **{'--epsilon': 'inf', '--out': 'p.pkl'})
        ).exit_code
        == 0
    )
    assert call('sample', 'p.pkl', '--rows', 1000, '--out', 'synthetic.csv').exit_code == 0

    drawn = pd.read_csv('synthetic.csv', dtype=str)
    assert drawn['key'].is_unique
    assert drawn['key'].str.fullmatch('k[0-9]{5}').all()
    born = pd.to_datetime(drawn['born'].dropna(), format='%d.%m.%Y')
    assert born.dt.year.between(1949, 2005).all()
    assert set(drawn['smoker'].dropna()) == {'True', 'False'}
    assert set(drawn['grade'].dropna()) == set('12345')
    assert drawn['cost'].astype(float).between(0, 2000).sum() > 800
    assert not set(drawn['email']) & set(pd.read_csv('people.csv')['email'].dropna())

    compared = call(
        'report', '--real', 'people.csv', '--synthetic', 'synthetic.csv', '--test', 'people.csv',
        '--metadata', 'metadata.json', '--target', 'grade', '--out', 'page.html',
    )  # fmt: skip
    assert (compared.exit_code, compared.stderr) == (0, '')


def test_what_is_public_is_taken_from_the_metadata(adult, call, tmp_path):
    """Values that are listed as numbers are found in the texts of a CSV file."""
    metadata = json.loads((adult / 'metadata.json').read_text())
    metadata['tables']['adult']['columns']['education_num'] = {
        'sdtype': 'ordinal',
        'range_values': list(range(1, 17)),
    }
    (tmp_path / 'metadata.json').write_text(json.dumps(metadata))
    options = fit_options(tmp_path, **{'--out': tmp_path / 'out.pkl'})
    done = call('fit', adult / 'train.csv', *options, '--public-metadata')

    assert (done.exit_code, done.stderr) == (0, '')
    sampled = load_synthesizer(str(tmp_path / 'out.pkl')).sample(500)['adult']
    assert set(sampled['education_num']) <= set(range(1, 17))


def test_a_database_is_a_folder(hospital, call, tmp_path):
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
    assert load_synthesizer(str(tmp_path / 'hospital.pkl')).target == {'encounter': 'readmitted'}

    out = tmp_path / 'synthetic'
    parts = call('sample', tmp_path / 'hospital.pkl', '--rows-per-file', 9, '--out', out)
    assert (parts.exit_code, out.exists()) == (2, False)
    assert '--rows-per-file is for one table' in parts.stderr
    drawn = call('sample', tmp_path / 'hospital.pkl', '--scale', 0.5, '--out', out)
    assert drawn.exit_code == 0
    assert files(out) == sorted(f'{name}.csv' for name in ('patient', 'encounter', *CODES))
    patients, encounters = (pd.read_csv(out / f'{name}.csv') for name in ('patient', 'encounter'))
    assert 3000 < len(patients) < 5000
    assert set(encounters['patient_nbr']) <= set(patients['patient_nbr'])

    page = tmp_path / 'page.html'
    compared = call(
        'report', '--real', hospital / 'tables', '--synthetic', out, '--table', 'patient',
        '--metadata', hospital / 'metadata.json', '--synthesizer', tmp_path / 'hospital.pkl',
        '--out', page,
    )  # fmt: skip
    assert compared.exit_code == 0
    assert 'patient: one row of &#x27;patient&#x27; with every row' in page.read_text('utf-8')

    whole = tmp_path / 'whole.json'
    compared = call(
        'report', '--real', hospital / 'tables', '--synthetic', out,
        '--metadata', hospital / 'metadata.json', '--synthesizer', tmp_path / 'hospital.pkl',
        '--test', hospital / 'tables', '--target', 'encounter.readmitted', '--out', whole,
    )  # fmt: skip
    assert (compared.exit_code, compared.stderr) == (0, '')
    told = json.loads(whole.read_text('utf-8'))
    assert 0.5 < told['scores']['Cardinality'] <= 1
    assert 0.5 < told['scores']['AUC of encounter.readmitted, real'] < 1
    assert told['statement']['tables']['admission_type'].startswith('public')


def test_a_table_is_sampled_into_several_files(fitted, call, tmp_path):
    done = call(
        'sample', fitted / 'adult.pkl', '--rows', 50, '--rows-per-file', 20,
        '--out', tmp_path / 'parts',
    )  # fmt: skip
    expected = load_synthesizer(str(fitted / 'adult.pkl')).sample(50, batch_size=20)['adult']

    assert (done.exit_code, done.stdout, done.stderr) == (0, '', '')
    assert files(tmp_path / 'parts') == [f'part-0000{number}.parquet' for number in range(3)]
    found = pd.read_parquet(tmp_path / 'parts').astype(object)
    assert found.equals(expected.astype(object))


def test_the_report_shows_what_was_given_to_it(fitted, call, tmp_path):
    synthetic, page = tmp_path / 'synthetic.csv', tmp_path / 'page.html'
    call('sample', fitted / 'adult.pkl', '--rows', 3000, '--out', synthetic)
    options = [
        '--real', fitted / 'train.csv', '--synthetic', synthetic,
        '--metadata', fitted / 'metadata.json', '--out', page,
    ]  # fmt: skip
    assert call('report', *options).exit_code == 0
    short = page.read_text('utf-8')
    assert 'made without a privacy statement' in short
    assert 'Not measured' in short

    more = ['--test', fitted / 'test.csv', '--target', 'income', '--title', 'My <page>']
    told = call('report', *options, *more, '--synthesizer', fitted / 'adult.pkl', '--force')
    assert told.exit_code == 0
    full = page.read_text('utf-8')
    assert '<h1>My &lt;page&gt;</h1>' in full
    assert 'guarantee: end to end' in full
    score = re.search(r'<span>AUC</span><strong>([\d.]+)</strong>', full)
    assert 0.7 < float(score[1]) < 0.95


REFUSED = {
    'an epsilon that promises nothing': ({'--epsilon': -1}, 'epsilon must be above 0'),
    'a target that is no column': ({'--target': 'wages'}, "'wages' is not a column"),
    'a unit of one table': ({'--privacy-unit': 'adult'}, '--privacy-unit: only for databases'),
    'metadata that is none': ({'--metadata': 'train.csv'}, 'is not metadata'),
    'an output that exists': ({'--out': 'train.csv.gz'}, '--force'),
    'a statement over the synthesizer': ({'--statement': 'new.pkl'}, 'two outputs'),
    'a statement in no folder': ({'--statement': 'no/where/a.txt'}, 'no folder'),
}


@pytest.mark.parametrize(('options', 'complaint'), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_before_anything_is_read(
    adult, call, tmp_path, monkeypatch, options, complaint
):
    (tmp_path / 'train.csv').write_text('age\nSECRET\n')
    (tmp_path / 'train.csv.gz').touch()
    monkeypatch.setattr('sdv_threea.cli.commands.read_table', lambda *_, **__: pytest.fail('read'))
    monkeypatch.chdir(tmp_path)
    done = call('fit', 'train.csv', *fit_options(adult, **{'--out': 'new.pkl'} | options))

    assert (done.exit_code, done.stdout) == (2, '')
    assert complaint in done.stderr
    assert done.stderr.count('\n') == 1
    assert files(tmp_path) == ['train.csv', 'train.csv.gz']


def test_data_that_does_not_match_is_refused_and_leaves_nothing(adult, call, tmp_path):
    table = pd.read_csv(adult / 'train.csv').drop(columns='income')
    table.to_csv(tmp_path / 'train.csv', index=False)
    done = call('fit', tmp_path / 'train.csv', *fit_options(adult, **{'--out': tmp_path / 'a.pkl'}))

    assert done.exit_code == 2
    assert done.stderr == (
        "Error: The provided data does not match the metadata: The columns ['income'] of the "
        'metadata are not in the table.\n'
    )
    assert files(tmp_path) == ['train.csv']


def test_an_error_of_unknown_origin_shows_no_value(adult, call, tmp_path, monkeypatch):
    def fail(self, data):
        try:
            raise KeyError('SECRET of the cause')
        except KeyError:
            raise RuntimeError('SECRET') from None

    monkeypatch.setattr('sdv_threea.synthesizers.ClustMixSynthesizer.fit', fail)
    options = fit_options(adult, **{'--out': tmp_path / 'a.pkl'})
    done = call('fit', adult / 'train.csv', *options)

    assert done.exit_code == 1
    assert re.fullmatch(
        r'Error: RuntimeError at cli/test_commands\.py, line \d+\. Its message .*\n', done.stderr
    )
    assert files(tmp_path) == []


def test_a_full_disk_is_told_and_leaves_nothing(fitted, call, tmp_path, monkeypatch):
    def fail(table, path):
        path.write_text('half a table')
        raise OSError(28, 'No space left on device', str(path))

    monkeypatch.setattr('sdv_threea.cli.commands.write_table', fail)
    done = call('sample', fitted / 'adult.pkl', '--rows', 5, '--out', tmp_path / 'a.csv')

    assert done.exit_code == 1
    assert 'No space left on device' in done.stderr
    assert files(tmp_path) == []


def test_warnings_of_ours_are_one_line_and_those_of_others_are_not_shown(
    adult, call, tmp_path, monkeypatch
):
    from sdv_threea.cli import tables

    read = tables.read_table

    def read_and_warn(*arguments, **options):
        warnings.warn('SECRET of another library', UserWarning, stacklevel=1)
        return read(*arguments, **options)

    monkeypatch.setattr('sdv_threea.cli.commands.read_table', read_and_warn)
    options = fit_options(adult, **{'--delta': 0.1, '--out': tmp_path / 'a.pkl'})
    done = call('fit', adult / 'train.csv', *options)

    assert done.exit_code == 0
    assert done.stderr.startswith('Warning: delta=0.1 is at or above')
    assert done.stderr.count('\n') == 1


@pytest.mark.parametrize(
    ('arguments', 'complaint'),
    [
        (['statement', 'train.csv'], 'damaged, or no synthesizer'),
        (['sample', 'adult.pkl', '--out', 'a.csv'], '--rows'),
        (['sample', 'adult.pkl', '--out', 'a.csv', '--scale', '1'], '--rows'),
        (['sample', 'adult.pkl', '--out', 'a.xlsx', '--rows', '1'], 'not a kind of table'),
        (['sample', 'adult.pkl', '--out', 'adult.pkl', '--rows', '1'], 'not a kind of table'),
        (['sample', 'adult.pkl', '--out', 'a', '--rows-per-file', '9'], '--rows'),
        (
            ['sample', 'adult.pkl', '--out', 'adult.pkl', '--rows', '1', '--rows-per-file', '9'],
            "'adult.pkl': There is something already",
        ),
    ],
)
def test_synthesizers_are_asked_for_what_they_have(fitted, call, monkeypatch, arguments, complaint):
    monkeypatch.chdir(fitted)
    before = files(fitted)
    done = call(*arguments)

    assert done.exit_code == 2
    assert complaint in done.stderr
    assert files(fitted) == before


def test_a_synthesizer_of_others_is_refused(call, tmp_path):
    described = {'tables': {'t': {'columns': {'x': {'sdtype': 'numerical'}}}}}
    other = GaussianCopulaSynthesizer(Metadata.load_from_dict(described))
    other.fit({'t': pd.DataFrame({'x': [1.0, 2.0]})})
    other.save(str(tmp_path / 'other.pkl'))
    done = call('statement', tmp_path / 'other.pkl')

    assert done.exit_code == 2
    assert 'is not a synthesizer that sdv-threea saved' in done.stderr


def test_a_report_says_what_it_cannot_compare_or_predict(hospital, fitted, call, tmp_path):
    options = ['--real', hospital / 'tables', '--synthetic', hospital / 'tables']
    options += ['--metadata', hospital / 'metadata.json', '--out', tmp_path / 'page.html']
    for more, complaint in (
        (['--table', 'doctor'], "'doctor' is not in the metadata"),
        (['--table', 'patient', '--target', 'race'], 'go together'),
        (
            ['--table', 'patient', '--test', hospital / 'tables', '--target', 'patient_nbr'],
            'predict',
        ),
    ):
        done = call('report', *options, *more)
        assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr
    assert files(tmp_path) == []


def test_wrong_usage_is_told_by_click(call):
    assert call('fit').exit_code == 2
    assert call('fit', 'no such file').exit_code == 2
    assert 'Usage' in call('--help').stdout
    for command in ('fit', 'sample', 'report', 'statement'):
        assert 'Options' in call(command, '--help').stdout


def test_the_program_runs_by_itself(adult, tmp_path):
    """From files to files in processes of their own, as a user would."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, '-m', 'sdv_threea.cli', *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    options = fit_options(adult, **{'--target': 'income', '--out': 'adult.pkl'})
    fitted = run('fit', adult / 'train.csv', *options)
    assert (fitted.returncode, fitted.stdout, fitted.stderr) == (0, '', '')
    sampled = run('sample', 'adult.pkl', '--rows', 10, '--out', 'synthetic.csv')
    assert (sampled.returncode, sampled.stderr) == (0, '')
    assert files(tmp_path) == ['adult.pkl', 'adult.pkl.statement.txt', 'synthetic.csv']
