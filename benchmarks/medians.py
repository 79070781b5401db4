"""Sums the runs of the benchmark up: medians by table, method and epsilon, and how to read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from methods import BASELINES, NOT_PRIVATE, OURS, PRIVATE_PEERS
from tables import PROBLEMS
from utility import COSTS

REAL, (DEFAULT, PUBLIC) = 'real data', OURS
RIVALS = [*BASELINES, *PRIVATE_PEERS]
METHODS = [*OURS, *RIVALS, *NOT_PRIVATE]

#: Classification tables with more than 10,000 rows; normalised utility is averaged over these.
LARGE = [
    'adult',
    'census_kdd',
    'default_credit',
    'diabetes130',
    'diabetes130_died',
    'creditcard_fraud',
    'covtype_compact',
    'epileptic_seizure',
]


def read_cells(path: Path) -> pd.DataFrame:
    """Read the runs, and sum them up by table, method and epsilon: medians, means and failures."""
    runs = pd.read_csv(path)
    runs['note'] = runs['note'].where(runs['score'].isna()).astype(object)
    groups = runs.groupby(['table', 'method', 'epsilon'])
    cells = groups[['score', 'AUC', 'R2', 'quality', *COSTS]].median()
    cells['runs'], cells['done'] = groups.size(), groups['score'].count()
    cells['low'], cells['high'] = groups['score'].min(), groups['score'].max()
    cells['mean'], cells['error'] = groups['score'].mean(), groups['score'].sem()
    cells['note'] = groups['note'].first()
    return cells


def list_tables(cells: pd.DataFrame, numeric: bool | None = None) -> list[str]:
    """List the tables with results, large classification tables first and regression last."""
    seen = cells['R2'].notna().groupby('table').any()
    by_kind = sorted(seen.index, key=list(PROBLEMS).index)
    by_kind.sort(key=lambda table: (seen[table], table not in LARGE))
    return [table for table in by_kind if numeric in (None, seen[table])]


def is_regression(cells: pd.DataFrame, table: str) -> bool:
    """Whether the target of a table is a number."""
    return bool(cells.loc[table]['R2'].notna().any())


def list_methods(cells: pd.DataFrame, methods: Iterable[str], epsilon: float) -> list[str]:
    """List the methods that were run at a budget; those without privacy always are."""
    seen = {key[1:] for key in cells.index}
    return [name for name in methods if (name, place(name, epsilon)) in seen]


def place(method: str, epsilon: float) -> float:
    """Say at which epsilon the rows of a method are: what knows no privacy is at infinity."""
    return math.inf if method in (REAL, *NOT_PRIVATE) else epsilon


def find(cells: pd.DataFrame, table: str, method: str, epsilon: float) -> pd.Series | None:
    """Find the medians of a method on a table; none where it was not run."""
    key = (table, method, place(method, epsilon))
    return cells.loc[key] if key in cells.index else None


def look_up(cells: pd.DataFrame, table: str, method: str, epsilon: float, field: str) -> Any:
    """Look a figure up; NaN where there is none."""
    cell = find(cells, table, method, epsilon)
    return math.nan if cell is None else cell[field]


def normalise(cells: pd.DataFrame, table: str, method: str, epsilon: float) -> float:
    """Measure a score by that of real data: 0 is guessing, 1 as good."""
    chance = 0.0 if is_regression(cells, table) else 0.5
    best = look_up(cells, table, REAL, math.inf, 'score') - chance
    return (look_up(cells, table, method, epsilon, 'score') - chance) / best if best else math.nan


def average(cells: pd.DataFrame, method: str, epsilon: float, most: float = math.inf) -> float:
    """Average normalised utility, at most so much of a table, over all large tables.

    NaN where one is missing.
    """
    if any(table not in cells.index.unique('table') for table in LARGE):
        return math.nan
    found = (normalise(cells, table, method, epsilon) for table in LARGE)
    return float(sum(np.minimum(each, most) for each in found)) / len(LARGE)


def short(value: float) -> str:
    """Write a score, as .927."""
    value = round(value, 3) + 0.0
    text = f'{value:.3f}' if math.isfinite(value) else '–'
    return text.replace('0.', '.', 1) if abs(value) < 1 else text


def named(epsilon: float) -> str:
    """Write an epsilon."""
    return '∞' if math.isinf(epsilon) else f'{epsilon:g}'


def titled(cells: pd.DataFrame, table: str) -> str:
    """Name a table and its score."""
    return f'{table} ({"R2" if is_regression(cells, table) else "AUC"})'
