"""Ours beside each private peer and baseline, on the tables where it ends."""

from __future__ import annotations

import math

import pandas as pd
from medians import PUBLIC, RIVALS, list_tables, look_up, named, normalise, short
from pages import write_table


def list_shared(cells: pd.DataFrame, rival: str, epsilon: float) -> list[str]:
    """List the tables on which both a rival and ours have a score at a budget."""
    methods = (rival, PUBLIC)
    return [
        table
        for table in list_tables(cells)
        if not any(math.isnan(look_up(cells, table, m, epsilon, 'score')) for m in methods)
    ]


def write_pair(cells: pd.DataFrame, rival: str, epsilon: float) -> str:
    """Write the mean normalised utility of a rival and of ours, over how many tables.

    What is worse than guessing counts as guessing, as R2 can be as low as it likes.
    """
    tables = list_shared(cells, rival, epsilon)
    if not tables:
        return '–'
    theirs, ours = (
        sum(max(0.0, normalise(cells, table, method, epsilon)) for table in tables) / len(tables)
        for method in (rival, PUBLIC)
    )
    return f'{short(theirs)} to {short(ours)} ({len(tables)})'


def write_rivals(cells: pd.DataFrame) -> str:
    """Write how each rival compares with ours at each finite budget, on the tables they share."""
    budgets = [each for each in sorted(cells.index.unique('epsilon')) if math.isfinite(each)]
    rows = [
        [rival, *(write_pair(cells, rival, epsilon) for epsilon in budgets)]
        for rival in RIVALS
        if any(list_shared(cells, rival, epsilon) for epsilon in budgets)
    ]
    return write_table(['method', *(f'ε = {named(each)}' for each in budgets)], rows)
