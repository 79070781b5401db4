"""No other module touches private rows than the page for auditors lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LISTED = re.findall(r'^\| `([\w/]+\.py)`', (ROOT / 'docs/lab/private_rows.md').read_text(), re.M)

#: Cases of ``tests/golden`` that read rows in different ways.
CASES = ('clusters', 'numerical target', 'database, diamond')


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('make_private_rows', 'docs') as module:
        yield module


def test_every_module_that_is_listed_is_there_once():
    assert len(LISTED) == len(set(LISTED)) > 40
    assert all((ROOT / 'sdv_threea' / name).exists() for name in LISTED)


def test_no_other_module_imports_what_holds_private_rows(script):
    assert script.list_holding() <= set(LISTED)


@pytest.mark.filterwarnings('ignore')
def test_no_other_module_runs_where_private_rows_are_read(script, load_script):
    with load_script('cases', 'tests/golden') as golden:
        cases = golden.list_cases()
        reading = script.list_reading({name: cases[name] for name in CASES})
    assert len(reading) > 20
    assert reading <= set(LISTED)
