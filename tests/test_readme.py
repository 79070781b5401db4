"""The examples of the README run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import plotly.graph_objects as go
import pytest

from sdv_threea.datasets import load_adult

README = (Path(__file__).parents[1] / 'README.md').read_text('utf-8')

BLOCKS = re.findall(r'^```python\n(.*?)^```', README, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope='module')
def names():
    """What the first example leaves behind, which the others may use."""
    adult, adult_test, metadata = load_adult()
    names = {'adult': adult, 'adult_test': adult_test, 'metadata': metadata}
    exec(BLOCKS[0], names)
    return names


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize('block', BLOCKS[1:])
def test_examples_run(names, block, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(go.Figure, 'show', lambda figure: shown.append(figure))
    monkeypatch.chdir(tmp_path)
    exec(block, dict(names))
    assert len(shown) == block.count('.show()')
    written = re.findall(r"(?:save_html\(|folder=|to_parquet\()'(.*?)/?'", block)
    assert {path.name for path in tmp_path.iterdir()} == set(written)
