"""Messages speak of options; errors whose messages are public are shown, and no other."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from sdv_threea.cli.commands import main
from sdv_threea.cli.errors import name_options

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


def test_a_report_names_the_columns_that_are_missing(call, adult, tmp_path):
    short = pd.read_csv(adult / 'train.csv', dtype=str).drop(columns=['age', 'race'])
    short.to_csv(tmp_path / 'short.csv', index=False)
    done = call(
        'report', '--real', adult / 'train.csv', '--synthetic', tmp_path / 'short.csv',
        '--metadata', adult / 'metadata.json', '--out', tmp_path / 'page.html',
    )  # fmt: skip
    assert done.exit_code == 2
    assert "synthetic table 'adult' lacks the columns ['age', 'race']" in done.stderr


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
