"""Fill ``docs/scaling.md`` with the measured figures, and draw its pictures.

    pip install kaleido==0.2.1 && python benchmarks/tabulate_cost.py

Without Kaleido the pictures stay as they are. The figures come from ``cost.csv``, ``floor.csv``,
``stages.csv``, ``stages_before.csv`` and ``out_of_core.csv`` in ``benchmarks/results/``; what was
not run is left out.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from cost_jobs import COPULA, METHODS, MST, OURS
from drawing import write_picture
from drawing_cost import draw_cost
from floor import FLOOR
from pages import fill, write_table
from predictions import write_checks, write_errors, write_formulas, write_scale
from targets import write_targets

RESULTS = Path(__file__).parent / 'results'
DOCS = Path(__file__).parents[1] / 'docs'
TABLES = ('cost', 'floor', 'stages', 'stages_before', 'out_of_core')

#: What names a method on the page.
NAMES = {OURS: f'**{OURS}**', COPULA: f'{COPULA}, *no privacy*', MST: MST}

#: What is varied in each series.
VARIED = {'rows': 'rows', 'columns': 'columns', 'categories': 'values', 'epsilon': 'epsilon'}

#: What is shown of a failure, by what its note contains.
FAILURES = {'not tried': '–', 'timed out': 'timed out', 'emory': 'out of memory'}


def read(name: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Read a file of results; nothing if it was not run."""
    path = folder / f'{name}.csv'
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def short(value: float) -> str:
    """Write seconds or MiB to about three digits."""
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def write_cell(runs: pd.DataFrame, field: str) -> str:
    """Write the median of some runs, or what kept them from one."""
    if runs.empty:
        return ''
    if runs['fit_seconds'].isna().all():
        note = str(runs['note'].iloc[0])
        return next((word for sign, word in FAILURES.items() if sign in note), 'failed')
    value = runs[field].median()
    return '' if pd.isna(value) else short(value)


def write_series(runs: pd.DataFrame, series: str, floor: pd.DataFrame) -> str:
    """Write a series: a row per size, and the costs of each method beside each other.

    Where rows are varied, the seconds of our later fits are compared with the floor for as many.
    """
    if runs.empty:
        return write_table([], [])
    own, varied = runs[runs['series'] == series], VARIED[series]
    shown = {
        OURS: ('fit', 'refit', 'sample', 'fit_peak'),
        COPULA: ('fit', 'sample', 'fit_peak'),
        MST: ('fit', 'sample', 'fit_peak'),
    }
    methods = [method for method in METHODS if (own['method'] == method).any()]
    words = {'fit': 'fit', 'refit': 'later fit', 'sample': 'sample', 'fit_peak': 'MiB'}
    header = [varied, *(f'{NAMES[m]}: {words[part]}' for m in methods for part in shown[m])]
    rows = []
    for size in sorted(own[varied].unique()):
        same = own[own[varied] == size]
        row = ['∞' if math.isinf(size) else f'{size:,.0f}' if size >= 10 else f'{size:g}']
        for method in methods:
            found = same[same['method'] == method]
            fit, *others = (
                write_cell(found, f'{part}_mib' if part == 'fit_peak' else f'{part}_seconds')
                for part in shown[method]
            )
            row += [fit + write_times(same, method), *others]
        rows.append([*row, *write_floors(same, floor)])
    if rows and len(rows[0]) > len(header):
        header.append(f'{NAMES[OURS]}: times the floor')
    return write_table(header, rows)


def write_floors(runs: pd.DataFrame, floor: pd.DataFrame) -> list[str]:
    """Write how many times the floor our later fits took, if it is that of their table."""
    if floor.empty or (runs['series'] != 'rows').any():
        return []
    (base,) = floor[floor['pass'] == FLOOR].to_dict('records')
    own = runs[runs['method'] == OURS]
    times = (own['refit_seconds'] / own['rows']).median() / (base['seconds'] / base['rows'])
    return ['' if pd.isna(times) else f'{times:,.0f}']


def write_times(runs: pd.DataFrame, method: str) -> str:
    """Write how many times the seconds of our later fits a peer took; nothing if unknown."""
    fits = runs.groupby('method')[['fit_seconds', 'refit_seconds']].median()
    if method == OURS or not {method, OURS} <= set(fits.index):
        return ''
    ours = fits.loc[OURS, 'refit_seconds']
    times = fits.loc[method, 'fit_seconds'] / (
        fits.loc[OURS, 'fit_seconds'] if ours != ours else ours
    )
    return '' if pd.isna(times) else f' ({times:,.0f} ×)' if times >= 10 else f' ({times:.1f} ×)'


def write_adult(runs: pd.DataFrame) -> str:
    """Write Adult and isolet: a row per method, and how many times the time of ours it took."""
    if runs.empty:
        return write_table([], [])
    header = ['table', 'method', 'import', 'fit', 'later fit', 'sample', 'CPU of the fit', 'MiB']
    fields = ['import_seconds', 'fit_seconds', 'refit_seconds', 'sample_seconds']
    fields += ['fit_cpu_seconds', 'fit_peak_mib']
    rows = []
    for series, title in (('adult', 'Adult'), ('isolet', 'isolet')):
        same = runs[runs['series'] == series]
        for method in METHODS:
            own = same[same['method'] == method]
            if len(own):
                cells = [write_cell(own, each) for each in fields]
                cells[1] += write_times(same, method)
                rows.append([title, NAMES[method], *cells])
    return write_table(header, rows)


def write_floor(floor: pd.DataFrame) -> str:
    """Write what each pass takes, and how many times the floor that is."""
    rows = [
        [
            str(row['pass']),
            f'{row["rows"]:,} {"draws" if pd.isna(row["times_the_floor"]) else "rows"}',
            f'{1000 * row["seconds"]:.1f} ms',
            f'{1e9 * row["seconds"] / row["rows"]:.0f} ns',
            '' if pd.isna(row['times_the_floor']) else f'{row["times_the_floor"]:.1f}',
        ]
        for row in floor.to_dict('records')
    ]
    return write_table(['pass', 'over', 'takes', 'each', 'times the floor'], rows)


def write_shares(stages: pd.DataFrame, part: str) -> str:
    """Write where the time goes, by stage or by kind: a row of each, a column per table."""
    if stages.empty:
        return write_table([], [])
    title = stages['table'] + stages.apply(' {rows:,} × {columns:,}'.format_map, axis=1)
    seconds = stages.assign(title=title).pivot_table('seconds', part, 'title', 'sum', fill_value=0)
    seconds = seconds[list(title.unique())]
    order = seconds.sum(axis=1).sort_values(ascending=False).index
    names = list(dict.fromkeys(stages['stage'])) if part == 'stage' else list(order)
    rows = [
        [name, *(f'{v:.2f} s ({v / seconds[t].sum():.0%})' for t, v in seconds.loc[name].items())]
        for name in names
    ]
    rows.append(['**all**', *(f'**{seconds[each].sum():.2f} s**' for each in seconds)])
    return write_table([part, *seconds.columns], rows)


def write_out_of_core(runs: pd.DataFrame) -> str:
    """Write the fits out of core, and how much faster two workers are."""
    header = ['rows', 'workers', 'parquet', 'fit', 'rows a second', 'peak, all processes']
    header += ['a worker', 'workers lost', 'rows sampled', 'sampling', 'peak of sampling']
    rows = []
    for run in runs.to_dict('records'):
        if pd.isna(run['fit_seconds']):
            rows.append([f'{run["rows"]:,}', str(run['workers']), f'failed: {run["note"]}'])
            continue
        row = [
            f'{run["rows"]:,}',
            f'{run["workers"]}, one killed' if run['killed'] else str(run['workers']),
            f'{run["parquet_mib"]:,.0f} MiB',
            f'{run["fit_seconds"]:,.0f} s',
            f'{run["rows"] / run["fit_seconds"]:,.0f}',
            f'{run["peak_mib"]:,.0f} MiB',
            f'{run["worker_peak_mib"]:,.0f} MiB',
            f'{run["lost_workers"]:.0f}',
        ]
        if pd.notna(run['sampled_rows']):
            row += [f'{run["sampled_rows"]:,.0f}', f'{run["sample_seconds"]:,.0f} s']
            row += [f'{run["sample_peak_mib"]:,.0f} MiB']
        rows.append(row)
    return write_table(header, ([*row, *[''] * (len(header) - len(row))] for row in rows))


def write_parts(results: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Write all that stands between the marks of the page."""
    cost, stages, runs = results['cost'], results['stages'], results['out_of_core']
    return {
        'targets': write_targets(results),
        'adult': write_adult(cost),
        **{series: write_series(cost, series, results['floor']) for series in VARIED},
        'floor': write_floor(results['floor']),
        'stages': write_shares(stages, 'stage'),
        'kinds': write_shares(stages, 'kind'),
        'before': write_shares(results['stages_before'], 'kind'),
        'out_of_core': write_out_of_core(runs),
        'formulas': write_formulas(cost),
        'checks': write_checks(cost),
        'scale': write_scale(cost, runs),
        'errors': write_errors(),
    }


def draw(cost: pd.DataFrame, series: Iterable[str], folder: Path) -> None:
    """Draw the series that were run."""
    titles = {'rows': 'rows of Adult', 'columns': 'columns of a made table of 10,000 rows'}
    for name in series:
        own = cost[cost['series'] == name]
        if own['fit_seconds'].notna().any():
            path = folder / f'cost_{name}.svg'
            try:
                write_picture(draw_cost(own, VARIED[name], titles[name]), path)
            except ModuleNotFoundError as error:
                print(f'{path.name} is the old one: {error}.')


def main() -> None:
    """Fill the page, and draw its pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--results', type=Path, default=RESULTS)
    parser.add_argument('--docs', type=Path, default=DOCS)
    arguments = parser.parse_args()
    results = {name: read(name, arguments.results) for name in TABLES}
    page = arguments.docs / 'scaling.md'
    page.write_text(fill(page.read_text('utf-8'), write_parts(results)), 'utf-8')
    if len(results['cost']):
        draw(results['cost'], ('rows', 'columns'), arguments.docs / 'pictures')


if __name__ == '__main__':
    main()
