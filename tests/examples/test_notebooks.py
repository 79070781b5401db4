"""The example notebooks run from top to bottom, are saved with outputs, and replace no file."""

import ast
import json
import re
from pathlib import Path

import pytest

from sdv_threea import datasets

FOLDER = Path(__file__).parents[2] / 'examples' / 'notebooks'
NOTEBOOKS = sorted(FOLDER.glob('*.ipynb'))

#: What each of them writes, in a new folder.
WRITTEN = {
    'one_table': {'report.html', 'datasheet.html', 'adult.csv', 'croissant.json'},
    'database': {'report.html', 'datasheet.html'},
    'choosing_epsilon': set(),
}


def read_cells(path):
    """Read the cells of code."""
    notebook = json.loads(path.read_text('utf-8'))
    assert notebook['nbformat'] == 4
    return [cell for cell in notebook['cells'] if cell['cell_type'] == 'code']


def run_cell(cell, names):
    """Run a cell; return what a notebook would show below it."""
    *lines, last = ast.parse(''.join(cell['source'])).body
    if not isinstance(last, ast.Expr):
        lines, last = [*lines, last], ast.Expr(ast.Constant(None))
    exec(compile(ast.Module(lines, []), '<cell>', 'exec'), names)
    return eval(compile(ast.Expression(last.value), '<cell>', 'eval'), names)


def take_fewer(tables):
    """Take some of the patients, with their encounters."""
    patients = tables['patient'].head(1500)
    kept = tables['encounter']['patient_nbr'].isin(patients['patient_nbr'])
    return {**tables, 'patient': patients, 'encounter': tables['encounter'][kept]}


@pytest.fixture
def small_tables(monkeypatch):
    """Load fewer rows of the shipped tables: a notebook runs on any number."""
    adult, hospital = datasets.load_adult, datasets.load_hospital

    def load_adult(**terms):
        train, test, metadata = adult(**terms)
        return train.head(3000), test.head(3000), metadata

    def load_hospital():
        tables, metadata = hospital()
        return take_fewer(tables), metadata

    monkeypatch.setattr(datasets, 'load_adult', load_adult)
    monkeypatch.setattr(datasets, 'load_hospital', load_hospital)


def test_there_are_three_and_all_are_saved_with_outputs():
    """examples/notebooks/save_outputs.py does that; their tables are public."""
    assert {path.stem for path in NOTEBOOKS} == set(WRITTEN)
    for path in NOTEBOOKS:
        cells = read_cells(path)
        told = json.dumps([cell['outputs'] for cell in cells])
        assert sum(bool(cell['outputs']) for cell in cells) > len(cells) / 2
        assert '"error"' not in told
        assert not re.search(r'/(home|tmp|work|usr)/', told)


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch, small_tables):
    monkeypatch.chdir(tmp_path)
    for name in WRITTEN[path.stem]:
        Path(name).write_text('mine')
    names = {}
    shown = [run_cell(cell, names) for cell in read_cells(path)]

    assert all(Path(name).read_text() == 'mine' for name in WRITTEN[path.stem])
    written = {each.name for each in tmp_path.glob('*/*')}
    assert written == WRITTEN[path.stem]
    html = [each._repr_html_() for each in shown if hasattr(each, '_repr_html_')]
    assert html
    assert all(html)
