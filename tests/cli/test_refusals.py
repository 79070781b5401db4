"""Refusals and failures: one line, no value of a row, and no file left behind."""

import re
import warnings

import pytest

REFUSED = {
    'an epsilon that promises nothing': ({'--epsilon': -1}, '--epsilon must be above 0'),
    'an epsilon that promises nothing at all': ({'--epsilon': 'inf'}, 'use --no-privacy'),
    'an epsilon that is no number': ({'--epsilon': 'nan'}, '--epsilon must be above 0'),
    'a separator of two characters': ({'--separator': ';;'}, '--separator must be one'),
    'an encoding that does not exist': ({'--encoding': 'utf-9'}, "'utf-9' is not known"),
    'an encoding that is no text': ({'--encoding': 'base64'}, "'base64' is not known"),
    'a target that is no column': ({'--target': 'wages'}, "'wages' is not a column"),
    'a unit of one table': ({'--privacy-unit': 'adult'}, '--privacy-unit: only for databases'),
    'metadata that is none': ({'--metadata': 'train.csv'}, 'is not metadata'),
    'an output that exists': ({'--out': 'train.csv.gz'}, '--force'),
    'a statement over the synthesizer': ({'--statement': 'new.pkl'}, 'two outputs'),
    'a statement in no folder': ({'--statement': 'no/where/a.txt'}, 'no folder'),
}


@pytest.mark.parametrize(('options', 'complaint'), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_before_anything_is_read(
    adult, call, tmp_path, monkeypatch, options, complaint, list_files, fit_options
):
    (tmp_path / 'train.csv').write_text('age\nSECRET\n')
    (tmp_path / 'train.csv.gz').touch()
    monkeypatch.setattr(
        'sdv_threea.cli.table_files.read_table', lambda *_, **__: pytest.fail('read')
    )
    monkeypatch.chdir(tmp_path)
    done = call('fit', 'train.csv', *fit_options(adult, **{'--out': 'new.pkl'} | options))

    assert (done.exit_code, done.stdout) == (2, '')
    assert complaint in done.stderr
    assert done.stderr.count('\n') == 1
    assert list_files(tmp_path) == ['train.csv', 'train.csv.gz']


def test_an_error_of_unknown_origin_shows_no_value(
    adult, call, tmp_path, monkeypatch, list_files, fit_options
):
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
        r'Error: RuntimeError at cli/test_refusals\.py, line \d+\. Its message .*\n', done.stderr
    )
    assert list_files(tmp_path) == []


def test_a_full_disk_is_told_and_leaves_nothing(fitted, call, tmp_path, monkeypatch, list_files):
    def fail(table, path, *_, **__):
        path.write_text('half a table')
        raise OSError(28, 'No space left on device', str(path))

    monkeypatch.setattr('sdv_threea.cli.drawing.write_table', fail)
    done = call('sample', fitted / 'adult.pkl', '--rows', 5, '--out', tmp_path / 'a.csv')

    assert done.exit_code == 1
    assert 'No space left on device' in done.stderr
    assert list_files(tmp_path) == []


def test_warnings_of_ours_are_one_line_and_those_of_others_are_not_shown(
    adult, call, tmp_path, monkeypatch, fit_options
):
    from sdv_threea.cli import table_files

    read = table_files.read_table

    def read_and_warn(*arguments, **options):
        warnings.warn('SECRET of another library', UserWarning, stacklevel=1)
        # Of a library in an environment that lies in a checkout of ours, or of SDV.
        for folder in ('sdv_threea', 'sdv'):
            place = f'/home/{folder}/.venv/lib/pandas/io.py'
            warnings.warn_explicit('SECRET of a folder', UserWarning, place, 1)
        return read(*arguments, **options)

    monkeypatch.setattr('sdv_threea.cli.table_files.read_table', read_and_warn)
    options = fit_options(adult, **{'--delta': 0.009, '--out': tmp_path / 'a.pkl'})
    done = call('fit', adult / 'train.csv', *options)

    assert done.exit_code == 0
    # A line each: of the promise, and of what so few rows have lost.
    promise, *others = done.stderr.splitlines()
    assert promise.startswith('Warning: --delta 0.009 is at or above')
    told = ('Warning: This release has lost', '  ', 'Wrote ')
    assert all(line.startswith(told) for line in others)


@pytest.mark.parametrize(
    ('arguments', 'complaint'),
    [
        (['statement', 'train.csv'], 'damaged, or no synthesizer'),
        (['sample', 'adult.pkl', '--out', 'a.csv'], '--rows'),
        (['sample', 'adult.pkl', '--out', 'a.csv', '--scale', '1'], '--rows'),
        (['sample', 'adult.pkl', '--out', 'a.xlsx', '--rows', '1'], 'not a known kind of table'),
        (['sample', 'adult.pkl', '--out', 'adult.pkl', '--rows', '1'], 'not a known kind of table'),
        (['sample', 'adult.pkl', '--out', 'a', '--rows-per-file', '9'], '--rows'),
        (
            ['sample', 'adult.pkl', '--out', 'adult.pkl', '--rows', '1', '--rows-per-file', '9'],
            "'adult.pkl': The place is taken",
        ),
    ],
)
def test_synthesizers_are_asked_for_what_they_have(
    fitted, call, monkeypatch, arguments, complaint, list_files
):
    monkeypatch.chdir(fitted)
    before = list_files(fitted)
    done = call(*arguments)

    assert done.exit_code == 2
    assert complaint in done.stderr
    assert list_files(fitted) == before


def test_a_report_says_what_it_cannot_compare_or_predict(
    hospital, fitted, call, tmp_path, list_files
):
    options = ['--real', hospital / 'tables', '--synthetic', hospital / 'tables']
    options += ['--metadata', hospital / 'metadata.json', '--out', tmp_path / 'page.html']
    for more, complaint in (
        (['--table', 'doctor'], "'doctor' is not in the metadata"),
        (['--table', 'patient', '--target', 'race'], 'go together'),
        (
            ['--table', 'patient', '--test', hospital / 'tables', '--target', 'patient_nbr'],
            'predict',
        ),
        (['--out', tmp_path / 'page.pdf'], 'must end in .html'),
    ):
        done = call('report', *options, *more)
        assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr
    assert list_files(tmp_path) == []
