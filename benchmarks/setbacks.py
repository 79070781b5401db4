"""Where more of something made our samples worse: a larger epsilon, or more components."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pandas as pd
from medians import DEFAULT, list_tables, named, short, titled
from methods import OURS
from pages import write_table

#: A mean is clearly below another by more than so many standard errors of their difference.
CLEARLY = 2.0


class Step(NamedTuple):
    """Two kinds of runs on a table, of which the second should be no worse."""

    before: tuple[str, str, float]
    after: tuple[str, str, float]


def list_budget_steps(cells: pd.DataFrame) -> list[Step]:
    """List the steps of ours from each epsilon to the next larger one."""
    steps = []
    for table in list_tables(cells):
        for method in OURS:
            budgets = sorted(e for t, m, e in cells.index if (t, m) == (table, method))
            keys = [(table, method, epsilon) for epsilon in budgets]
            steps += [Step(*pair) for pair in pairwise(keys)]
    return _repeated(cells, steps)


def list_component_steps(cells: pd.DataFrame) -> list[Step]:
    """List the steps from one component for each class to as many as are chosen by default."""
    ones = [key for key in cells.index if key[1] == '1 component']
    steps = [Step(one, (one[0], DEFAULT, one[2])) for one in ones]
    return _repeated(cells, [step for step in steps if step.after in cells.index])


def compare_means(cells: pd.DataFrame, step: Step) -> tuple[float, float]:
    """Tell by how much a step changes the mean score, and the standard error of the change."""
    before, after = cells.loc[step.before], cells.loc[step.after]
    return after['mean'] - before['mean'], math.hypot(before['error'], after['error'])


def list_setbacks(cells: pd.DataFrame, steps: list[Step]) -> Iterator[list[str]]:
    """List the steps that are clearly for the worse, as rows of a table."""
    for step in steps:
        change, error = compare_means(cells, step)
        if change < -CLEARLY * error:
            (table, old, low), (_, new, high) = step
            at = f'{new}, ε = {named(low)} to {named(high)}' if old == new else f'ε = {named(high)}'
            yield [titled(cells, table), at, short(change), short(error)]


def write_setbacks(cells: pd.DataFrame, steps: list[Step]) -> str:
    """Write how many steps are clearly for the worse, and which."""
    rows = list(list_setbacks(cells, steps))
    text = f'{len(rows)} of {len(steps)}'
    header = ['table', 'where', 'change of the mean', 'its standard error']
    return f'{text}:\n\n{write_table(header, rows)}' if rows else f'{text}.'


def _repeated(cells: pd.DataFrame, steps: list[Step]) -> list[Step]:
    """Keep the steps both of whose ends have repeats: others have no standard error."""
    return [step for step in steps if all(cells.loc[end, 'done'] > 1 for end in step)]
