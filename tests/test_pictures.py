"""The scripts that draw the pictures of the documentation, on less data."""

import sys
from pathlib import Path

import pandas as pd
import pytest

DOCS = Path(__file__).parents[1] / 'docs'


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    yield __import__
    sys.modules.pop('budgets', None)


def test_the_runs_behind_the_budgets_are_complete_and_drawn(script):
    budgets = script('budgets')
    runs = pd.read_csv(budgets.RUNS)
    expected = len(budgets.SIZES) * len(budgets.EPSILONS) * budgets.REPEATS
    assert len(runs.drop_duplicates(['rows', 'repeat', 'epsilon'])) == len(runs) == expected

    lines = {trace.name: trace for trace in budgets.draw_budgets().data}
    largest = lines[f'{budgets.SIZES[-1]:,} rows']
    shown = runs[(runs['rows'] == budgets.SIZES[-1]) & (runs['epsilon'] == 1.0)]['AUC'].median()
    assert dict(zip(largest.x, largest.y, strict=True))[1.0] == shown
