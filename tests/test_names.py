"""Names of tables are names of files: none leads out of a folder or talks to a terminal."""

import json
from pathlib import Path, PureWindowsPath

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from described import describe, describe_tables
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.cli.commands import main
from sdv_threea.names import check_table_names, printable
from sdv_threea.report import make_report

HOSTILE = (
    '', ' ', '.', '..', '../up', 'a/b', '/tmp/absolute', 'a\\b', '..\\up', 'C:', 'c:table',
    'nul', 'CON', 'com1', 'Lpt9.old', 'aux .x', 'a\0b', 'a\x1b[2Jb', 'a\nb', 'a\rb', '\x9b1m',
    'a\u202egnp', 'a\u2028b', '\ud800', 'a\x07', 'a\u200fb', 'a\u061cb',
)  # fmt: skip
ROWS = pd.DataFrame({'x': np.arange(100)})


def describe_one(name):
    return describe({'x': 'numerical'}, name)


def describe_two(name):
    tables = dict.fromkeys(('parent', name), {'key': 'id', 'x': 'numerical'})
    return describe_tables(tables, (name, 'key', 'parent', 'key'))


@pytest.mark.parametrize('name', HOSTILE, ids=ascii)
def test_hostile_names_are_refused_before_anything_is_read(name, tmp_path):
    with pytest.raises(ValueError, match='choose another name') as caught:
        check_table_names(['good', name])
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()
    for make, metadata in (
        (ClustMixSynthesizer, describe_one(name)),
        (ClustMixMultiTableSynthesizer, describe_two(name)),
    ):
        with pytest.raises(SynthesizerInputError, match='choose another name'):
            make(metadata)
    with pytest.raises(ValueError, match='choose another name'):
        make_report(ROWS, ROWS, describe_one(name))


@pytest.mark.parametrize(
    'name', ['people', 'my table', 'Größe', '人', 'a.b', '.hidden', 'console', '-x', 'ab:c', '👩‍⚕️']
)
def test_usual_names_are_not(name):
    check_table_names([name])
    assert Path(f'folder/{name}.csv').parent == Path('folder')
    assert PureWindowsPath(f'folder/{name}.csv').parent == PureWindowsPath('folder')
    assert printable(name) == name


@pytest.fixture
def call():
    return lambda *arguments: CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.parametrize('away', ['../private', 'absolute'])
def test_the_command_line_neither_reads_nor_writes_outside_its_folders(call, tmp_path, away):
    """A synthesizer of a database once wrote over the private table, by ``--force``."""
    name = str(tmp_path / 'private') if away == 'absolute' else away
    (tmp_path / 'in').mkdir()
    source = tmp_path / 'private.csv'
    source.write_text('key,x\n0,1\n')
    (tmp_path / 'in' / 'parent.csv').write_text('key,x\n0,1\n')
    (tmp_path / 'metadata.json').write_text(json.dumps(describe_two(name).to_dict()))
    before = source.read_bytes()
    settings = '--metadata', tmp_path / 'metadata.json', '--epsilon', 1
    out = '--out', tmp_path / 'out.pkl'
    compared = '--real', tmp_path / 'in', '--synthetic', tmp_path / 'in', *settings[:2]
    for done in (
        call('fit', tmp_path / 'in', *settings, *out),
        call('audit', tmp_path / 'in', *settings),
        call('report', *compared, '--out', tmp_path / 'page.html'),
    ):
        assert (done.exit_code, 'leads to another folder' in done.stderr) == (2, True)
    assert source.read_bytes() == before
    assert not (tmp_path / 'out.pkl').exists()


@pytest.fixture(scope='module')
def renamed():
    """Make fitted synthesizers whose table was given a hostile name since, as an attacker may."""
    one = ClustMixSynthesizer(describe_one('people'), accept='noise')
    one.fit({'people': ROWS})
    many = ClustMixMultiTableSynthesizer(describe_two('child'))
    keyed = ROWS.assign(key=np.arange(100))
    many.fit({'parent': keyed, 'child': keyed})
    for synthesizer, name in ((one, 'people'), (many, 'child')):
        tables = synthesizer.metadata.tables
        tables['../up'] = tables.pop(name)
    one._table_name = '../up'
    return one, many


def test_what_is_sampled_stays_in_its_folder(renamed, call, tmp_path):
    for synthesizer, size in zip(renamed, (['--rows', 5], []), strict=True):
        folder = tmp_path / 'folder'
        with pytest.raises(ValueError, match='leads to another folder'):
            synthesizer.sample(5, output_folder_path=str(folder))
        synthesizer.save(tmp_path / 'saved.pkl')
        done = call('sample', tmp_path / 'saved.pkl', *size, '--out', tmp_path / 'out.csv')
        assert (done.exit_code, 'leads to another folder' in done.stderr) == (2, True)
        assert [path.name for path in tmp_path.iterdir()] == ['saved.pkl']


def test_what_is_printed_moves_no_cursor(call, tmp_path):
    name = 'a\x1b[2J'
    metadata = {'tables': {'people': {'columns': {name: {'sdtype': 'numerical'}}}}}
    (tmp_path / 'metadata.json').write_text(json.dumps(metadata))
    (tmp_path / 'people.csv').write_text(f'{name}\nword\n')
    done = call(
        'fit', tmp_path / 'people.csv', '--metadata', tmp_path / 'metadata.json',
        '--epsilon', 1, '--out', tmp_path / 'out.pkl',
    )  # fmt: skip
    assert done.exit_code == 2
    assert '\x1b' not in done.output
    assert '\\x1b[2J' in done.output
