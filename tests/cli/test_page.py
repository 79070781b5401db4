"""The commands on the page about the command line run, in their order."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / 'docs' / 'command_line.md'

# A command goes on in the next line after a backslash.
TEXT = PAGE.read_text('utf-8').replace('\\\n', '')
COMMANDS = re.findall(r'^\$ sdv-threea (.*)$', TEXT, re.MULTILINE)


@pytest.fixture
def workplace(adult, hospital, tmp_path, monkeypatch):
    """Make a folder with the files that the page names."""
    shutil.copy(adult / 'train.csv', tmp_path / 'adult.csv')
    shutil.copy(adult / 'metadata.json', tmp_path / 'adult.json')
    shutil.copytree(hospital / 'tables', tmp_path / 'hospital')
    shutil.copy(hospital / 'metadata.json', tmp_path / 'hospital.json')
    rules = [
        {
            'class_name': 'FixedCombinations',
            'parameters': {'column_names': ['workclass', 'occupation']},
        }
    ]
    (tmp_path / 'adult_dictionary.csv').write_text('name,type,range\nage,integer,17-90\n')
    (tmp_path / 'rules.json').write_text(json.dumps(rules))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_on_the_page_work(workplace, call):
    assert len(COMMANDS) == 16
    for command in COMMANDS:
        done = call(*shlex.split(command))
        assert done.exit_code == 0, done.stderr

    assert (workplace / 'synthetic.csv').is_file()
    assert '"range_max": 90' in (workplace / 'adult_stated.json').read_text('utf-8')
    assert 'capital_gain' in (workplace / 'to_fill_in.csv').read_text('utf-8')
    assert (workplace / 'report.html').is_file()
    assert (workplace / 'datasheet.html').is_file()
    assert '# Datasheet: adult' in (workplace / 'datasheet.md').read_text('utf-8')
    assert len(list((workplace / 'synthetic_parts').iterdir())) == 3
    assert (workplace / 'synthetic' / 'encounter.csv').is_file()
