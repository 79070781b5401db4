"""No other module touches private rows than the page for auditors lists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PAGE = (ROOT / 'docs/lab/private_rows.md').read_text('utf-8')

LISTED = re.findall(r'^\| `([\w/]+\.py)`', PAGE, re.M)

#: The most lines of the room of rows, and of functions outside that run on rows. Only the second
#: is to change, down to nothing.
MOST_IN_ROOM, MOST_OUTSIDE = 3_500, 750

#: Cases of ``benchmarks/golden`` that read rows in different ways.
CASES = ('clusters', 'numerical target', 'database, diamond')


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('make_private_rows', 'docs') as module:
        yield module


def test_every_module_that_is_listed_is_there_once():
    assert len(LISTED) == len(set(LISTED)) > 40
    assert all((ROOT / 'sdv_threea' / name).exists() for name in LISTED)


def test_the_room_is_small_and_what_is_outside_does_not_grow():
    modules = (ROOT / 'sdv_threea/rows').rglob('*.py')
    assert sum(len(each.read_text('utf-8').splitlines()) for each in modules) <= MOST_IN_ROOM
    outside = re.search(r'^\| all \|  \| ([\d,]+) \|', PAGE, re.M)
    assert int(outside[1].replace(',', '')) <= MOST_OUTSIDE


def test_no_other_module_imports_what_holds_private_rows(script):
    assert script.list_holding() <= set(LISTED)


@pytest.mark.filterwarnings('ignore')
def test_no_other_module_runs_where_private_rows_are_read(script, load_script):
    with load_script('cases', 'benchmarks/golden') as golden:
        cases = golden.list_cases()
        reading = script.list_reading({name: cases[name] for name in CASES})
    assert len(reading) > 20
    assert set(reading) <= set(LISTED)
