"""The example notebooks run from top to bottom, and hold no output of a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip('nbformat')
nbclient = pytest.importorskip('nbclient')
pytest.importorskip('ipykernel')

FOLDER = Path(__file__).parents[2] / 'examples' / 'notebooks'
NOTEBOOKS = sorted(FOLDER.glob('*.ipynb'))

#: What each of them writes.
WRITTEN = {
    'one_table': {'report.html', 'datasheet.html', 'adult.csv', 'croissant.json'},
    'database': {'report.html', 'datasheet.html'},
    'choosing_epsilon': set(),
}


def test_there_are_three():
    assert {path.stem for path in NOTEBOOKS} == set(WRITTEN)


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_saved_without_output(path):
    """Outputs hold scores of real rows."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get('outputs')
        assert cell.get('execution_count') is None


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join([str(root), os.environ.get('PYTHONPATH', '')]))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={'metadata': {'path': str(tmp_path)}}
    )
    client.execute()

    assert {each.name for each in tmp_path.iterdir()} == WRITTEN[path.stem]
    shown = [output for cell in notebook.cells for output in cell.get('outputs', [])]
    html = [each['data']['text/html'] for each in shown if 'text/html' in each.get('data', {})]
    assert html
    assert not any('Traceback' in str(each) for each in shown)
