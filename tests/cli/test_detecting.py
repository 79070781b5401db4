"""The command ``detect``: names and types alone, unless rows are said to be public."""

import json

import pytest

SECRET = 'secret-cell'


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a private table, whose second line is broken, and a data dictionary."""
    (tmp_path / 'visits.csv').write_text(f'visit_id,age,sex,plan\n"{SECRET},{SECRET}')
    (tmp_path / 'dictionary.csv').write_text(
        'variable,type,range,values,required\nage,integer,0-120,,yes\nsex,code,,1=m; 2=f,yes\n'
    )
    return tmp_path


def read_columns(path, table='visits'):
    return json.loads(path.read_text('utf-8'))['tables'][table]['columns']


def test_names_become_metadata_and_no_row_is_read(folder, call):
    done = call('detect', folder / 'visits.csv', '--out', folder / 'visits.json')

    assert done.exit_code == 0, done.stderr
    assert 'was read, with the names of columns' in done.stdout
    assert 'State by hand' in done.stdout
    assert read_columns(folder / 'visits.json') == {
        'visit_id': {'sdtype': 'id'},
        'age': {'sdtype': 'numerical'},
        'sex': {'sdtype': 'categorical'},
        'plan': {'sdtype': 'unknown', 'pii': True},
    }
    assert 'public-metadata' not in done.stderr
    for text in (done.stdout, done.stderr, (folder / 'visits.json').read_text()):
        assert SECRET not in text


def test_a_data_dictionary_says_more_and_what_is_left_is_printed(folder, call):
    done = call(
        'detect', folder / 'visits.csv', '--dictionary', folder / 'dictionary.csv',
        '--out', folder / 'visits.json', '--table', 'stay',
    )  # fmt: skip

    assert done.exit_code == 0, done.stderr
    columns = read_columns(folder / 'visits.json', 'stay')
    assert list(columns) == ['visit_id', 'age', 'sex', 'plan']
    assert columns['age']['range_max'] == 120
    assert columns['sex'] == {
        'sdtype': 'categorical',
        'range_values': [1, 2],
        'range_is_nullable': False,
    }
    assert '  plan: what it holds\n' in done.stdout
    assert 'sdv-threea fit --public-metadata' in done.stderr
    assert SECRET not in done.output


def test_rows_are_read_if_they_are_said_to_be_public(folder, call):
    sample = folder / 'sample.csv'
    sample.write_text('kind,size\n' + 'red,1\nblue,2\ngreen,3.5\n' * 20)
    private = call('detect', sample)
    public = call('detect', sample, '--public')

    assert 'blue' not in private.output
    assert 'values red, blue, green' in public.stdout
    assert 'size  numerical, 1 to 3.5' in public.stdout
    assert 'declared public, and were all read' in public.stdout


@pytest.mark.parametrize(
    ('arguments', 'expected'),
    [
        ((), 'Give a table, or a --dictionary, or both'),
        (('--dictionary', 'dictionary.csv', '--public'), '--public declares the rows of a table'),
        (('visits.csv', '--out', 'visits.txt'), '--out must end in .json or .csv'),
        (('visits.csv', '--out', 'visits.csv'), 'is an input'),
        (('--dictionary', 'visits.csv'), 'is no data dictionary'),
        (('visits.csv', '--separator', ';'), "looks separated by ','"),
        (('rows.csv',), 'They are not shown, because they may be a row'),
        (('.', '--table', 'x'), '--table is for one table'),
    ],
)
def test_what_cannot_be_is_refused(folder, call, monkeypatch, arguments, expected):
    monkeypatch.chdir(folder)
    (folder / 'rows.csv').write_text(f'{SECRET},41\n')
    done = call('detect', *arguments)

    assert done.exit_code == 2
    assert expected in done.stderr
    assert SECRET not in done.output
