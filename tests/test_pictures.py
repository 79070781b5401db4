"""The scripts that draw the pictures of the documentation, on less data."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DOCS = Path(__file__).parents[1] / 'docs'


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    yield __import__
    for name in ('budgets', 'stages'):
        sys.modules.pop(name, None)


def test_the_stages_are_those_of_the_pipeline(script):
    stages = script('stages')
    table, test = stages.make_table(2000, 0), stages.make_table(500, 1)
    seen = stages.run_stages(table, test, math.inf)

    assert seen.centroids.shape == (2, stages.COMPONENTS, 2)
    for own, name in zip(seen.centroids, stages.COLORS, strict=True):
        rows = table.loc[table['moon'] == name, ['x', 'y']].to_numpy()
        gaps = np.linalg.norm(own[:, None] - rows, axis=2).min(axis=1)
        assert np.median(gaps) < 0.1, 'centroids lie among the rows of their class'
    assert seen.chances.shape == (stages.GRID, stages.GRID)
    places = [
        np.abs(each[:, None] - test[name].to_numpy()).argmin(axis=0)
        for each, name in zip(stages.PLACES, 'xy', strict=True)
    ]
    likely = seen.chances[places[1], places[0]] > 0.5
    assert (likely == (test['moon'] == 'upper')).mean() > 0.9, 'colours are those of the classes'
    assert len(seen.drawn) == len(table)
    assert seen.auc > 0.95
    # Rows are hardly off without noise; other rows of the same moons are not, and shifted ones are.
    alike = stages.find_error(stages.make_table(2000, 2), test)
    shifted = test.assign(x=test['x'] + 1)
    assert alike < 0.25 < stages.find_error(shifted, test)
    assert seen.error < alike + 0.2


def test_the_runs_behind_the_budgets_are_complete_and_drawn(script):
    budgets = script('budgets')
    runs = pd.read_csv(budgets.RUNS)
    expected = len(budgets.SIZES) * len(budgets.EPSILONS) * budgets.REPEATS
    assert len(runs.drop_duplicates(['rows', 'repeat', 'epsilon'])) == len(runs) == expected

    lines = {trace.name: trace for trace in budgets.draw_budgets().data}
    largest = lines[f'{budgets.SIZES[-1]:,} rows']
    shown = runs[(runs['rows'] == budgets.SIZES[-1]) & (runs['epsilon'] == 1.0)]['AUC'].median()
    assert dict(zip(largest.x, largest.y, strict=True))[1.0] == shown
