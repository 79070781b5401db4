"""The blocks of the README run as they stand in an empty folder, and its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from sdv_threea.cli.commands import main

ROOT = Path(__file__).parents[1]
README = (ROOT / 'README.md').read_text('utf-8')

BLOCKS = re.findall(r'^```python\n(.*?)^```', README, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r'^\$ sdv-threea (.*)$', README, re.MULTILINE)


@pytest.mark.filterwarnings('ignore::UserWarning')
def test_blocks_run_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(block, names)

    assert len(BLOCKS) == 2
    assert len(names['synthetic']) == len(names['adult'])
    assert list(names['rows']) == list(names['adult'])


def test_commands_run_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        done = CliRunner().invoke(main, shlex.split(command))
        assert done.exit_code == 0, done.stderr

    assert len(COMMANDS) == 3
    assert len((tmp_path / 'synthetic.csv').read_text('utf-8').splitlines()) == 30_001


def test_links_lead_somewhere():
    links = [link for link in re.findall(r'\]\(([^)]+)\)', README) if '://' not in link]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link.partition('#')[0]).exists()] == []


def test_it_has_one_small_table_of_results():
    shown = README.partition('## What is promised')[0]
    assert len(re.findall(r'^\| ---', shown, re.M)) == 1
    rows = re.findall(r'^\| (?!table|---).*$', shown, re.M)
    assert len(rows) == 6 and rows[-1].startswith('| *seconds to fit adult*')


def test_it_is_read_in_a_minute():
    text = re.sub(
        r'```.*?```|<!--.*?-->|\|.*', '', README.partition('## Licence')[0], flags=re.DOTALL
    )
    # Adults read 240 words a minute.
    assert len(text.split()) < 300
