"""Messages speak of options; errors whose messages are public are shown, and no other."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from sdv_threea.cli.commands import main
from sdv_threea.cli.refusals import RefusedError, name_options
from sdv_threea.cli.saved import _read_pseudonyms, _read_sentinels

SAID = {
    "state them, and set public_metadata=True; it's known": (
        "state them, and set --public-metadata; it's known"
    ),
    'found at epsilon=4, and of 30 at epsilon=0.5.': 'found at --epsilon 4, and of 30 at '
    '--epsilon 0.5.',
    "say invalid_cells='coerce'.": 'say --invalid-cells coerce.',
    'delta must be from 1e-50': '--delta must be from 1e-50',
    "'privacy_unit', and name what is public by 'public_tables'.": (
        "'privacy_unit', and name what is public by --public-table."
    ),
    "Column 'epsilon' of 'delta' has the target 'targets'.": (
        "Column 'epsilon' of 'delta' has the target 'targets'."
    ),
    'a larger epsilon': 'a larger epsilon',
    'get_losses() says more.': '`sdv-threea losses` says more.',
    "To go on: accept=['made_up', 'unit'].": 'To go on: --accept made_up --accept unit.',
}


@pytest.mark.parametrize(('message', 'expected'), SAID.items())
def test_arguments_become_options_and_names_of_users_stay(message, expected):
    assert name_options(message, main.commands['fit'].params) == expected


def test_losses_are_printed_as_text_and_as_json(fitted, call):
    text = call('losses', fitted / 'adult.pkl')
    plain = call('losses', fitted / 'adult.pkl', '--json')
    assert (text.exit_code, plain.exit_code) == (0, 0)
    listed = json.loads(plain.stdout)
    assert [line.split()[0] for line in text.stdout.splitlines()] == [
        each['column'] for each in listed
    ]
    assert {'loss', 'share', 'at_least', 'at_most', 'shown'} <= set(listed[0])


def test_help_and_errors_of_arguments_load_no_library(adult, tmp_path):
    """SDV alone takes seconds to load."""
    metadata = str(adult / 'metadata.json')
    given = ['fit', str(adult / 'train.csv'), '--metadata', metadata, '--out', 'x.pkl']
    commands = [
        ['--help'], ['fit', '--help'], ['fit', 'nowhere.csv'], [*given, '--epsilon', 'inf'], given,
        [*given, '--epsilon', '1', '--target', 'wages'],
        ['sample', metadata, '--out', 'a.xlsx', '--rows', '1'],
        ['report', '--real', metadata, '--synthetic', metadata, '--metadata', metadata, '--out',
         'page.pdf'],
    ]  # fmt: skip
    program = f"""
import sys
from click.testing import CliRunner
from sdv_threea.cli.commands import main
for command in {commands!r}:
    done = CliRunner().invoke(main, command)
    assert done.exit_code == (0 if '--help' in command else 2), (command, done.output)
assert not {{'sdv', 'pandas', 'numpy', 'torch'}} & set(sys.modules)
"""
    done = subprocess.run(
        [sys.executable, '-c', program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


COLUMNS = {
    'age': {'sdtype': 'numerical'},
    'size': {'sdtype': 'numerical'},
    'until': {'sdtype': 'datetime'},
}


def test_a_sentinel_is_of_its_column_or_of_all_numbers():
    stated = ('age=999', '-9', 'until=9999-12-31')

    assert _read_sentinels(stated, COLUMNS) == {
        'age': [999.0, -9.0], 'size': [-9.0], 'until': ['9999-12-31'],
    }  # fmt: skip


@pytest.mark.parametrize('given', ['age=x', 'nothing=9', 'x'])
def test_what_is_no_sentinel_is_refused(given):
    with pytest.raises(RefusedError, match='--sentinel'):
        _read_sentinels((given,), COLUMNS)


TABLES = {
    'visits': {'columns': {'doctor': {'sdtype': 'name'}, 'nurse': {'sdtype': 'name'}}},
    'wards': {'columns': {'head': {'sdtype': 'name'}}},
}


def test_a_column_of_pseudonyms_may_have_a_number_or_a_word():
    stated = ('visits.doctor=300', 'visits.nurse', 'wards.head=doctor')

    assert _read_pseudonyms(stated, TABLES) == {
        'visits': {'doctor': 300, 'nurse': None}, 'wards': {'head': 'doctor'},
    }  # fmt: skip


def test_an_unknown_column_of_pseudonyms_is_refused():
    with pytest.raises(RefusedError, match='--pseudonyms'):
        _read_pseudonyms(('visits.nobody',), TABLES)


TEXTS = {name: {'sdtype': 'categorical'} for name in ('price', 'share')}


@pytest.fixture
def files(tmp_path):
    rng, size = np.random.default_rng(0), 1_000
    prices = [f'${each:,.2f}' for each in rng.gamma(2, 500, size)]
    shares = [f'{each} %' for each in rng.integers(0, 100, size)]
    pd.DataFrame({'price': prices, 'share': shares}).to_csv(tmp_path / 'shop.csv', index=False)
    described = {'tables': {'shop': {'columns': TEXTS}}, 'relationships': []}
    parameters = {'column_name': 'share', 'suffix': ' %', 'places': 0}
    rules = [{'class_name': 'NumberTexts', 'parameters': parameters}]
    (tmp_path / 'shop.json').write_text(json.dumps(described))
    (tmp_path / 'rules.json').write_text(json.dumps(rules))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.filterwarnings('ignore')
def test_both_ways_to_declare_them_last_through_a_release_file(files):
    known = '--metadata', files / 'shop.json', '--epsilon', 9, '--number-text', 'price=$1,234.50'
    rules, out = ('--constraints', files / 'rules.json'), files / 'shop.release'
    fitted = run('fit', files / 'shop.csv', *known, *rules, '--out', out)
    assert fitted.exit_code == 0, fitted.output
    assert run('sample', out, '--rows', 50, '--out', files / 'new.csv').exit_code == 0

    new = pd.read_csv(files / 'new.csv')
    assert new['price'].dropna().str.fullmatch(r'-?\$[\d,]+\.\d\d').all()
    assert new['share'].dropna().str.fullmatch(r'-?\d+ %').all()
    assert new.notna().mean().min() > 0.5


def test_the_check_knows_them_and_others_are_refused(files):
    known = 'check', '--metadata', files / 'shop.json', '--epsilon', 1, '--number-text'
    told = run(*known, 'price=$1,234.50').output.splitlines()
    assert '±' in told[1]
    assert '±' not in told[2]
    assert "'prize' is not a column" in run(*known, 'prize=$1').output
    assert "'dollars' is no number" in run(*known, 'price=dollars').output
