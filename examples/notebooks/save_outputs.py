"""Run the notebooks and save them with their outputs: all of their tables are public.

    python examples/notebooks/save_outputs.py

It needs nbclient and ipykernel. Progress bars and warnings are not saved, since they name folders
of the machine.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main() -> None:
    """Run each notebook in a folder of its own, from top to bottom."""
    for path in sorted(Path(__file__).parent.glob('*.ipynb')):
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, resources={'metadata': {'path': folder}}).execute()
        for cell in notebook.cells:
            cell.metadata.clear()
            if cell.cell_type == 'code':
                shown = [each for each in cell.outputs if each.get('name') != 'stderr']
                cell.outputs = [each for each in shown if each.get('text', 'some').strip()]
        notebook.metadata.pop('widgets', None)
        nbformat.write(notebook, path)


if __name__ == '__main__':
    main()
