"""What ``docs/lab/benchmark.md`` and the README say of the results of ``utility.py``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from methods import ABLATIONS, BASELINES, NOT_PRIVATE, OURS, PRIVATE_PEERS
from pages import (
    DOCS,
    LAB,
    ROOT,
    write_epsilon,
    write_failure,
    write_page,
    write_picture,
    write_share,
    write_table,
)
from pictures import draw_utility
from tables import PROBLEMS
from utility import COSTS, REAL

DEFAULT, PUBLIC = OURS
UNNAMED = 'no target named'
RIVALS = [*BASELINES, *PRIVATE_PEERS]
METHODS = [*OURS, *RIVALS, *NOT_PRIVATE]

#: Classification tables with more than 10,000 rows; normalised utility is averaged over these.
LARGE = ['adult', 'census_kdd', 'default_credit', 'diabetes130', 'diabetes130_died']
LARGE += ['creditcard_fraud', 'covtype_compact', 'epileptic_seizure']

#: What the README shows: tables of several kinds that peers were run on, and the methods that a
#: reader may have heard of. The page has all of them.
SHOWN = ['adult', 'default_credit', 'covtype_compact', 'compas', 'telco_churn']
KNOWN = [DEFAULT, 'naive histograms', 'dpmm MST', 'smartnoise MST', 'GaussianCopula']

#: What the picture shows.
DRAWN = [REAL, DEFAULT, PUBLIC, 'naive histograms', 'dpmm MST', 'smartnoise MST']


def sum_up(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum the runs up by table, method and epsilon: medians, spreads and failures.

    A normalised score is measured by that of real data: 0 is guessing, 1 as good.
    """
    runs = runs.assign(note=runs['note'].where(runs['score'].isna()).astype(object))
    groups = runs.groupby(['table', 'method', 'epsilon'])
    medians = groups[['score', 'AUC', 'R2', 'quality', 'as SDV', *COSTS]].median()
    medians['runs'], medians['done'] = groups.size(), groups['score'].count()
    medians['low'], medians['high'] = groups['score'].min(), groups['score'].max()
    medians['note'] = groups['note'].first()
    chance = medians['R2'].isna().groupby('table').all() * 0.5
    real = medians['score'].reindex(pd.MultiIndex.from_product([chance.index, [REAL], [math.inf]]))
    best = real.droplevel([1, 2]) - chance
    medians['normalised'] = medians['score'].sub(chance, level='table').div(best, level='table')
    return medians


def list_tables(medians: pd.DataFrame, numeric: bool | None = None) -> list[str]:
    """List the tables with results, large classification tables first and regression last."""
    seen = medians['R2'].notna().groupby('table').any()
    by_kind = sorted(seen.index, key=list(PROBLEMS).index)
    by_kind.sort(key=lambda table: (seen[table], table not in LARGE))
    return [table for table in by_kind if numeric in (None, seen[table])]


def is_regression(medians: pd.DataFrame, table: str) -> bool:
    """Whether the target of a table is a number."""
    return bool(medians.loc[table]['R2'].notna().any())


def list_budgets(medians: pd.DataFrame) -> list[float]:
    """List the epsilons."""
    return sorted(medians.index.unique('epsilon'))


def list_methods(medians: pd.DataFrame, methods: Iterable[str], epsilon: float) -> list[str]:
    """List the methods that were run at a budget; those without privacy always are."""
    seen = {key[1:] for key in medians.index}
    return [name for name in methods if (name, place(name, epsilon)) in seen]


def place(method: str, epsilon: float) -> float:
    """Say at which epsilon the rows of a method are: what knows no privacy is at infinity."""
    return math.inf if method in (REAL, *NOT_PRIVATE) else epsilon


def find(medians: pd.DataFrame, table: str, method: str, epsilon: float) -> pd.Series | None:
    """Find the medians of a method on a table; none where it was not run."""
    key = (table, method, place(method, epsilon))
    return medians.loc[key] if key in medians.index else None


def look_up(
    medians: pd.DataFrame, table: str, method: str, epsilon: float, field: str = 'score'
) -> Any:
    """Look a figure up; NaN where there is none."""
    cell = find(medians, table, method, epsilon)
    return math.nan if cell is None else cell[field]


def average(medians: pd.DataFrame, method: str, epsilon: float, most: float = math.inf) -> float:
    """Average normalised utility over all large tables, each counted up to a largest value.

    NaN where one is missing.
    """
    found = [look_up(medians, table, method, epsilon, 'normalised') for table in LARGE]
    return float(np.minimum(found, most).mean())


def write_name(medians: pd.DataFrame, table: str) -> str:
    """Name a table and its score."""
    return f'{table} ({"R2" if is_regression(medians, table) else "AUC"})'


def write_cell(
    cell: pd.Series | None, field: str = 'score', show: Callable[[float], str] = write_share
) -> str:
    """Write the figure of a method, or what kept it from one."""
    if cell is None:
        return ''
    if not cell['done']:
        return write_failure(cell['note'])
    of = f' ({cell["done"]} of {cell["runs"]})' if cell['done'] < cell['runs'] else ''
    return show(cell[field]) + of if pd.notna(cell[field]) else ''


def compare(
    medians: pd.DataFrame,
    field: str,
    show: Callable[[float], str] = write_share,
    tables: Iterable[str] = (),
    among: Sequence[str] = METHODS,
) -> str:
    """Write a figure of methods at epsilon 1, a row per table: of all, or of some."""
    scores = field == 'score'
    methods = list_methods(medians, [REAL, *among] if scores else among, 1)
    rows = []
    for table in tables or list_tables(medians):
        row = [write_cell(find(medians, table, method, 1), field, show) for method in methods]
        if scores:
            private = [method for method in methods if method in (*OURS, *RIVALS)]
            figures = [look_up(medians, table, method, 1) for method in private]
            best = show(pd.Series(figures, dtype=float).max())
            for at, method in enumerate(methods):
                if method in private and row[at].split(' ')[0] == best:
                    row[at] = f'**{row[at]}**'
        rows.append([write_name(medians, table) if scores else table, *row])
    marks = [f'{m} †' if 'GAN' in m and m in PRIVATE_PEERS else m for m in methods]
    marks = [f'{mark}, *no privacy*' if mark in NOT_PRIVATE else mark for mark in marks]
    return write_table(['table', *marks], rows)


def write_normalised(medians: pd.DataFrame, numeric: bool) -> str:
    """Write our normalised utility, a row per table and a column per kind and budget."""
    ours = {key[1:] for key in medians.index if key[1] in OURS}
    kinds = sorted(ours, key=lambda kind: (list(OURS).index(kind[0]), kind[1]))
    tables = list_tables(medians, numeric=numeric)
    normalised = [[look_up(medians, t, *kind, 'normalised') for kind in kinds] for t in tables]
    rows = [[t, *map(write_share, row)] for t, row in zip(tables, normalised, strict=True)]
    if not numeric and kinds:
        means = ['**mean**', *(f'**{write_share(average(medians, *kind))}**' for kind in kinds)]
        capped = ['mean, none above 1']
        capped += [write_share(average(medians, *kind, most=1)) for kind in kinds]
        at = sum(table in LARGE for table in tables)
        rows[at:at] = [means, capped]
    header = [f'{"p, " if method == PUBLIC else ""}ε = {write_epsilon(e)}' for method, e in kinds]
    return write_table(['table', *header], rows)


def write_rivals(medians: pd.DataFrame) -> str:
    """Write how each rival compares with ours at each finite budget, on the tables they share.

    What is worse than guessing counts as guessing, as R2 can be as low as it likes.
    """
    budgets = [each for each in list_budgets(medians) if math.isfinite(each)]
    normalised = medians['normalised'].clip(lower=0.0).reset_index()
    normalised = normalised.pivot_table('normalised', ['table', 'epsilon'], 'method')
    rows = []
    for rival in (each for each in RIVALS if {each, PUBLIC} <= set(normalised)):
        pairs = normalised[[rival, PUBLIC]].dropna()
        if len(pairs):
            means = pairs.groupby('epsilon').mean().map(write_share)
            texts = means[rival] + ' to ' + means[PUBLIC]
            texts += ' (' + pairs.groupby('epsilon').size().astype(str) + ')'
            rows.append([rival, *texts.reindex(budgets, fill_value='–')])
    return write_table(['method', *(f'ε = {write_epsilon(each)}' for each in budgets)], rows)


def write_losses(medians: pd.DataFrame) -> str:
    """Write where a private peer or a baseline is ahead of our public-metadata variant."""
    compared, rows = 0, []
    for table, epsilon in product(list_tables(medians), list_budgets(medians)):
        ours = find(medians, table, PUBLIC, epsilon)
        if ours is None:
            continue
        rivals = medians['score'].reindex([(table, each, epsilon) for each in RIVALS])
        rivals = rivals.droplevel(['table', 'epsilon']).dropna()
        ahead = rivals if pd.isna(ours['score']) else rivals[rivals > ours['score']]
        compared += len(rivals) > 0
        if len(ahead):
            spread = f'{write_share(ours["low"])} to {write_share(ours["high"])}'
            ahead = ahead.sort_values(ascending=False, kind='stable')
            better = ', '.join(f'{name} {write_share(score)}' for name, score in ahead.items())
            shown = [write_cell(ours), spread if ours['done'] > 1 else '', better]
            rows.append([write_name(medians, table), write_epsilon(epsilon), *shown])
    text = f'Ours stands beside a baseline or private peer at {compared} pairs of table and ε.\n'
    if not rows:
        return text + 'None has a higher median than our public-metadata variant.'
    header = ['table', 'ε', 'ours, public metadata', 'lowest to highest', 'ahead of us']
    text += f'At {len(rows)} of them one has a higher median than our public-metadata variant:\n\n'
    return text + write_table(header, rows)


def write_ablations(medians: pd.DataFrame, epsilon: float) -> str:
    """Write what replacing each part of ours does to the score, on average."""
    methods = list_methods(medians, ABLATIONS, epsilon)
    if not methods:
        return 'No results yet.'
    rows = []
    for name in methods:
        means = []
        for numeric in (False, True, None):
            scores = [
                [look_up(medians, table, method, epsilon) for method in (name, DEFAULT)]
                for table in list_tables(medians, numeric=numeric)
            ]
            changes = pd.Series([new - old for new, old in scores], dtype=float).dropna()
            mean = write_share(changes.mean())
            means.append(mean if mean[0] in '-–' else f'+{mean}')
        rows.append([name, *means, f'{(changes > 0).sum()} of {len(changes)}'])
    summary = write_table(['variant', 'AUC', 'R2', 'all tables', 'better on'], rows)
    return f'At ε = {write_epsilon(epsilon)}:\n\n{summary}'


def write_readme(medians: pd.DataFrame) -> str:
    """Write the table of the README: scores, and what the first of them took to fit."""
    costs = compare(medians, 'fit_seconds', '{:.1f}'.format, SHOWN[:1], KNOWN)
    seconds = costs.splitlines()[-1]
    shown = [each for each in SHOWN if each in medians.index.levels[0]]
    _, _, *figures = seconds.split('|')
    last = '|'.join(['', f' *seconds to fit {SHOWN[0]}* ', ' ', *figures])
    return f'{compare(medians, "score", tables=shown, among=KNOWN)}\n{last}'


def list_parts(medians: pd.DataFrame) -> dict[str, str]:
    """Write all that stands between the marks of the page."""
    return {
        'utility': compare(medians, 'score'),
        'rivals': write_rivals(medians),
        'normalised': write_normalised(medians, numeric=False),
        'regression': write_normalised(medians, numeric=True),
        'losses': write_losses(medians),
        'quality': compare(medians, 'quality'),
        'as_sdv': compare(medians, 'as SDV', tables=SHOWN[:1], among=[*OURS, UNNAMED]),
        'fit_seconds': compare(medians, 'fit_seconds', '{:.1f}'.format),
    }


def write_all(runs: pd.DataFrame) -> None:
    """Write the page, its picture, and the table of the README."""
    medians = sum_up(runs)
    write_page(DOCS / 'lab' / 'benchmark.md', list_parts(medians))
    ablated = sorted({key[2] for key in medians.index if key[1] in ABLATIONS}) or [1.0]
    shown = '\n\n'.join(write_ablations(medians, epsilon) for epsilon in ablated)
    write_page(LAB / 'ablations.md', {'ablations': shown})
    write_page(ROOT / 'README.md', {'utility': write_readme(medians)})
    write_picture(draw(medians), 'utility.svg')


def draw(medians: pd.DataFrame) -> go.Figure:
    """Draw utility against epsilon, a small picture per table; guessing is the least."""
    rows = []
    for method, table, epsilon in product(DRAWN, list_tables(medians), list_budgets(medians)):
        kind = method, math.inf if method == REAL else epsilon
        score = look_up(medians, table, *kind) if place(*kind) == kind[1] else math.nan
        floor = 0.0 if is_regression(medians, table) else 0.5
        shown = max(score, floor) if pd.notna(score) else None
        rows.append([write_name(medians, table), method, write_epsilon(epsilon), shown])
    return draw_utility(pd.DataFrame(rows, columns=['table', 'method', 'ε', 'score']), REAL)
