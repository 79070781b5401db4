"""Make ``docs/benchmark.md``, its picture and the table of the README.

    pip install kaleido==0.2.1 && python benchmarks/tabulate_utility.py

Without Kaleido the page is written and the picture stays as it is. All figures come from
``benchmarks/results/utility.csv``, which ``benchmarks/utility.py`` writes; tables, budgets and
methods that were not run are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pandas as pd
from drawing import draw_utility, write_picture
from medians import (
    DEFAULT,
    LARGE,
    METHODS,
    PUBLIC,
    REAL,
    RIVALS,
    average,
    find,
    list_methods,
    list_tables,
    look_up,
    named,
    normalise,
    place,
    read_cells,
    short,
    titled,
)
from methods import ABLATIONS, NOT_PRIVATE, OURS, PRIVATE_PEERS
from pages import fill, write_table
from rivals import write_rivals
from setbacks import list_budget_steps, list_component_steps, write_setbacks
from utility import GROUPS, RESULTS, TABLES

TEMPLATE = Path(__file__).parent / 'page.md'
DOCS = Path(__file__).parents[1] / 'docs'
README = Path(__file__).parents[1] / 'README.md'

#: What the README shows: tables of several kinds that peers were run on.
SHOWN = [
    'adult',
    'default_credit',
    'covtype_compact',
    'creditcard_fraud',
    'diabetes130_died',
    'compas',
    'telco_churn',
]

#: What is shown of a failure, by what its note contains.
FAILURES = {
    'not tried': 'not tried',
    'timed out': 'timed out',
    'nstall': 'not installed',
    'emory': 'out of memory',
    'died': 'died',
}


def write_cell(cell: pd.Series | None, field: str, show: Callable[[float], str]) -> str:
    """Write the figure of a method, or what kept it from one."""
    if cell is None:
        return ''
    if not cell['done']:
        note = str(cell['note'])
        return next((word for sign, word in FAILURES.items() if sign in note), 'failed')
    of = f' ({cell["done"]} of {cell["runs"]})' if cell['done'] < cell['runs'] else ''
    return show(cell[field]) + of if pd.notna(cell[field]) else ''


def compare(
    cells: pd.DataFrame,
    field: str,
    show: Callable[[float], str] = short,
    tables: Iterable[str] = (),
) -> str:
    """Write a figure of all methods at epsilon 1, a row per table: of all, or of some."""
    methods = list_methods(cells, [REAL, *METHODS] if field == 'score' else METHODS, 1)
    rows = []
    for table in tables or list_tables(cells):
        row = [write_cell(find(cells, table, method, 1), field, show) for method in methods]
        figures = [look_up(cells, table, m, 1, field) for m in [*OURS, *RIVALS]]
        best = show(pd.Series(figures, dtype=float).max()) if field == 'score' else None
        for at, method in enumerate(methods):
            if method in (*OURS, *RIVALS) and row[at].split(' ')[0] == best:
                row[at] = f'**{row[at]}**'
        rows.append([titled(cells, table) if field == 'score' else table, *row])
    marks = [f'{m} †' if 'GAN' in m and m in PRIVATE_PEERS else m for m in methods]
    marks = [f'{mark}, *no privacy*' if mark in NOT_PRIVATE else mark for mark in marks]
    return write_table(['table', *marks], rows)


def write_means(cells: pd.DataFrame) -> str:
    """Write the mean normalised utility of every method at every budget."""
    budgets = sorted(cells.index.unique('epsilon'))
    rows = [
        [name, *('–' if place(name, e) != e else short(average(cells, name, e)) for e in budgets)]
        for name in METHODS
        if name in cells.index.unique('method')
    ]
    return write_table(['method', *(f'ε = {named(each)}' for each in budgets)], rows)


def write_normalised(cells: pd.DataFrame, numeric: bool) -> str:
    """Write our normalised utility, a row per table and a column per kind and budget."""
    ours = [key[1:] for key in cells.index if key[1] in OURS]
    kinds = sorted(set(ours), key=lambda kind: (list(OURS).index(kind[0]), kind[1]))
    tables = list_tables(cells, numeric=numeric)
    rows = [[table, *(short(normalise(cells, table, *kind)) for kind in kinds)] for table in tables]
    if not numeric and kinds:
        means = ['**mean**', *(f'**{short(average(cells, *kind))}**' for kind in kinds)]
        capped = ['mean, none above 1', *(short(average(cells, *kind, most=1)) for kind in kinds)]
        at = sum(table in LARGE for table in tables)
        rows[at:at] = [means, capped]
    header = [f'{"p, " if method == PUBLIC else ""}ε = {named(e)}' for method, e in kinds]
    return write_table(['table', *header], rows)


def list_losses(cells: pd.DataFrame) -> Iterator[tuple[str, float, dict[str, float]]]:
    """List what is ahead of our public-metadata variant wherever there is something to compare."""
    for table in list_tables(cells):
        for epsilon in sorted(cells.index.unique('epsilon')):
            rivals = {name: look_up(cells, table, name, epsilon, 'score') for name in RIVALS}
            if (table, PUBLIC, epsilon) in cells.index and any(map(pd.notna, rivals.values())):
                ours = look_up(cells, table, PUBLIC, epsilon, 'score')
                beaten = -math.inf if pd.isna(ours) else ours
                ahead = {name: score for name, score in rivals.items() if score > beaten}
                yield table, epsilon, dict(sorted(ahead.items(), key=lambda pair: -pair[1]))


def write_losses(cells: pd.DataFrame) -> str:
    """Write where a private peer or a baseline is ahead of us."""
    compared = list(list_losses(cells))
    rows = []
    for table, epsilon, ahead in compared:
        cell = cells.loc[(table, PUBLIC, epsilon)] if ahead else None
        if cell is not None:
            spread = f'{short(cell["low"])} to {short(cell["high"])}' if cell['done'] > 1 else ''
            better = ', '.join(f'{name} {short(score)}' for name, score in ahead.items())
            ours = write_cell(cell, 'score', short)
            rows.append([titled(cells, table), named(epsilon), ours, spread, better])
    text = (
        f'Ours stands beside a baseline or private peer at {len(compared)} pairs of table and ε.\n'
    )
    if not rows:
        return text + 'None has a higher median than our public-metadata variant.'
    header = ['table', 'ε', 'ours, public metadata', 'lowest to highest', 'ahead of us']
    text += f'At {len(rows)} of them one has a higher median than our public-metadata variant:\n\n'
    return text + write_table(header, rows)


def write_failures(cells: pd.DataFrame) -> str:
    """Write all that failed, in its own words."""
    failed = cells[cells['done'] < cells['runs']].reset_index()
    failed['note'] = failed['note'].fillna('?').str.replace('|', '/')
    failed['where'] = failed['table'] + ' (ε = ' + failed['epsilon'].map(named) + ')'
    rows = [
        [method, f'`{note}`', ', '.join(group['where'])]
        for (method, note), group in failed.groupby(['method', 'note'])
    ]
    return f'\nWhat failed:\n\n{write_table(["method", "why", "where"], rows)}\n' if rows else ''


def write_ablations(cells: pd.DataFrame, epsilon: float) -> str:
    """Write what replacing each part of ours does to the score, on average and table by table."""
    methods = list_methods(cells, ABLATIONS, epsilon)
    rows, details = [], []
    for name in methods:
        parts = []
        for numeric in (False, True, None):
            tables = list_tables(cells, numeric=numeric)
            changed, default = (
                pd.Series([look_up(cells, table, method, epsilon, 'score') for table in tables])
                for method in (name, DEFAULT)
            )
            parts.append((changed - default).astype(float).dropna())
        means = [short(part.mean()) for part in parts]
        means = [mean if mean[0] in '-–' else f'+{mean}' for mean in means]
        rows.append([name, *means, f'{(parts[-1] > 0).sum()} of {len(parts[-1])}'])
    methods = [REAL, DEFAULT, *methods]
    for table in list_tables(cells):
        found = (write_cell(find(cells, table, m, epsilon), 'score', short) for m in methods)
        details.append([titled(cells, table), *found])
    summary = write_table(['variant', 'AUC', 'R2', 'all tables', 'better on'], rows)
    if not rows:
        return summary
    scores = write_table(['table', *methods], details)
    return f'At ε = {named(epsilon)}:\n\n{summary}\n\nThe medians:\n\n{scores}'


def write_commands(cells: pd.DataFrame) -> str:
    """Write the commands that make these results."""
    lines = []
    for group, names in GROUPS.items():
        found = cells[cells.index.isin(names, level='method')]
        seen = found.index.unique('method')
        if len(found):
            who = (
                group if len(seen) == len(names) else ' '.join(f"'{n}'" for n in names if n in seen)
            )
            budgets = ' '.join(f'{epsilon:g}' for epsilon in sorted(found.index.unique('epsilon')))
            usual = found['runs'].mode().max()  # a table that chance rules may have more
            words = f'--epsilons {budgets} --repeats {usual}'
            lines.append(f'$ python benchmarks/utility.py --methods {who} {words}')
    return '\n'.join(lines)


def write_repeats(cells: pd.DataFrame) -> str:
    """Write how many repeats there are of each method."""
    sizes = cells['runs'].groupby('method').agg(['min', 'max'])
    kinds: dict[str, list[str]] = {}
    for name in [name for name in [*METHODS, *ABLATIONS] if name in sizes.index]:
        low, high = sizes.loc[name]
        kinds.setdefault(f'{low} to {high}' if low < high else f'{low}', []).append(name)
    listed = '; '.join(f'{many} ({"; ".join(who)})' for many, who in kinds.items())
    return f'There are {listed}.'


def write_page(cells: pd.DataFrame) -> str:
    """Write the page."""
    missing = [table for table in TABLES if table not in list_tables(cells)]
    ablated = sorted({key[2] for key in cells.index if key[1] in ABLATIONS}) or [1.0]
    return TEMPLATE.read_text('utf-8').format(
        commands=write_commands(cells),
        repeats=write_repeats(cells),
        missing=f' Without results so far: {", ".join(missing)}.' if missing else '',
        large=len(LARGE),
        tables=len(TABLES),
        utility=compare(cells, 'score'),
        failures=write_failures(cells),
        means=write_means(cells),
        rivals=write_rivals(cells),
        normalised=write_normalised(cells, numeric=False),
        regression=write_normalised(cells, numeric=True),
        losses=write_losses(cells),
        budgets=write_setbacks(cells, list_budget_steps(cells)),
        components=write_setbacks(cells, list_component_steps(cells)),
        quality=compare(cells, 'quality'),
        fit_seconds=compare(cells, 'fit_seconds', '{:.1f}'.format),
        sample_seconds=compare(cells, 'sample_seconds', '{:.1f}'.format),
        peak_mib=compare(cells, 'peak_mib', '{:,.0f}'.format),
        ablations='\n\n'.join(write_ablations(cells, epsilon) for epsilon in ablated),
    )


def write_readme(cells: pd.DataFrame) -> str:
    """Write the table of the README: scores, and what the first of them took to fit."""
    seconds = compare(cells, 'fit_seconds', '{:.1f}'.format, SHOWN[:1]).splitlines()[-1]
    scores = compare(
        cells, 'score', tables=[each for each in SHOWN if each in cells.index.levels[0]]
    )
    _, _, *figures = seconds.split('|')
    return '\n'.join([scores, '|'.join(['', f' *seconds to fit {SHOWN[0]}* ', ' ', *figures])])


def main() -> None:
    """Write the page, the picture and the table of the README."""
    cells = read_cells(RESULTS)
    README.write_text(fill(README.read_text('utf-8'), {'utility': write_readme(cells)}), 'utf-8')
    (DOCS / 'benchmark.md').write_text(write_page(cells), encoding='utf-8')
    try:
        write_picture(draw_utility(cells), DOCS / 'pictures' / 'utility.svg')
    except ModuleNotFoundError as error:
        print(f'The picture is the old one: {error}.')


if __name__ == '__main__':
    main()
