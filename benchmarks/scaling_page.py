"""What ``docs/lab/scaling.md`` says: costs by size, and the seconds and the errors of noise.

python benchmarks/cost.py --page
"""

from __future__ import annotations

import math
from itertools import product

import cost
import noise
import out_of_core
import pandas as pd
from cost import COPULA, METHODS, MST, OURS
from pages import (
    DOCS,
    pick,
    write_digits,
    write_epsilon,
    write_failure,
    write_page,
    write_picture,
    write_table,
)
from pictures import draw_cost

from sdv_threea.estimate import expected_error

#: What names a method on the page, and what is shown of it in a series.
NAMES = {OURS: f'**{OURS}**', COPULA: f'{COPULA}, *no privacy*', MST: MST}
SHOWN = {
    'fit': 'fit_seconds',
    'later fit': 'refit_seconds',
    'sample': 'sample_seconds',
    'MiB': 'fit_peak_mib',
}

#: The series of whole tables, as they are; they are shown together.
WHOLE = ['adult', 'isolet']

#: What is varied in each series that is shown.
VARIED = {
    'adult': 'series',
    'rows': 'rows',
    'columns': 'columns',
    'categories': 'values',
    'epsilon': 'epsilon',
}

#: What is shown of fits out of core.
OUT_OF_CORE = {
    'rows': 'rows',
    'workers': 'workers',
    'lost_workers': 'of them killed',
    'parquet_mib': 'parquet, MiB',
    'fit_seconds': 'fit, s',
    'speed': 'rows a second',
    'peak_mib': 'all processes, MiB',
    'worker_peak_mib': 'a worker, MiB',
    'sampled_rows': 'rows sampled',
    'sample_seconds': 'sampling, s',
    'sample_peak_mib': 'all processes while sampling, MiB',
}

#: The table of errors; delta is at most this over the number of rows.
ROWS, COLUMNS, DELTA_TIMES_ROWS = (10**4, 10**6, 10**8, 10**10, 10**12), (15, 100, 1_000), 0.01

#: The scale of the noise whose seconds are shown.
SCALE = 2**16 + 1


def write_cell(runs: pd.DataFrame, field: str) -> str:
    """Write the median of some runs, or what kept them from one."""
    if len(runs) and runs['fit_seconds'].isna().all():
        return write_failure(runs['note'].iloc[0]).replace('not tried', '–')
    values = runs[field].dropna()
    return write_digits(values.median()) if len(values) else ''


def write_times(runs: pd.DataFrame, method: str) -> str:
    """Write how many times the seconds of our later fits a peer took; nothing if unknown."""
    fits = runs.groupby('method')[['fit_seconds', 'refit_seconds']].median()
    if method == OURS or not {method, OURS} <= set(fits.index):
        return ''
    ours = fits.loc[OURS, 'refit_seconds']
    ours = fits.loc[OURS, 'fit_seconds'] if math.isnan(ours) else ours
    times = fits.loc[method, 'fit_seconds'] / ours
    return '' if pd.isna(times) else f' ({times:,.0f} ×)' if times >= 10 else f' ({times:.1f} ×)'


def write_size(size: float | str) -> str:
    """Write what is varied: a number, or the name of a table."""
    if isinstance(size, str):
        return size
    return write_epsilon(size) if size < 10 or math.isinf(size) else f'{size:,.0f}'


def write_series(runs: pd.DataFrame, series: str) -> str:
    """Write a series: a row per size, and the costs of each method beside each other."""
    varied = VARIED[series]
    own = runs[runs['series'].isin(WHOLE)] if varied == 'series' else pick(runs, series=series)
    methods = [method for method in METHODS if (own['method'] == method).any()]
    parts = [(m, part) for m in methods for part in SHOWN if m == OURS or part != 'later fit']
    rows = []
    for size in sorted(own[varied].unique()):
        same = pick(own, **{varied: size})
        row = [write_size(size)]
        for method, part in parts:
            cell = write_cell(pick(same, method=method), SHOWN[part])
            row.append(cell + (write_times(same, method) if part == 'fit' else ''))
        rows.append(row)
    return write_table(
        [
            'table' if varied == 'series' else varied,
            *(f'{NAMES[method]}: {part}' for method, part in parts),
        ],
        rows,
    )


def write_completed(runs: pd.DataFrame) -> str:
    """Write how long it takes to complete rows, no two of which are alike."""
    (seconds,) = pick(runs, series='adult', method=OURS)[['complete_seconds']].median()
    given = ' and '.join(f'`{name}`' for name in cost.GIVEN)
    return (
        f'{cost.ASKED:,} different pairs of {given} are completed to rows of Adult in '
        f'{write_digits(seconds)} seconds (`sample_remaining_columns`).'
    )


def write_out_of_core(runs: pd.DataFrame) -> str:
    """Write the fits out of core, and how much faster two workers are."""
    shown = runs.assign(speed=runs['rows'] / runs['fit_seconds'])[list(OUT_OF_CORE)]
    rows = shown.map(lambda value: '' if pd.isna(value) else f'{value:,.0f}').to_numpy()
    return write_table(OUT_OF_CORE.values(), rows)


def write_noise(runs: pd.DataFrame) -> str:
    """Write what a draw takes: a row for each number of draws, a column for each sampler."""
    seconds = pick(runs, scale=SCALE).pivot_table('seconds', 'draws', 'sampler')[[*noise.SAMPLERS]]
    each = 1e9 * seconds.div(seconds.index, axis=0)
    rows = ([f'{draws:,}', *map('{:,.0f}'.format, row)] for draws, row in each.iterrows())
    return write_table(['draws in a call', *each], rows)


def write_errors() -> str:
    """Write the errors of the noise at all sizes: of the mechanism, no data is read."""
    rows = []
    for columns, size in product(COLUMNS, ROWS):
        delta = min(1e-6, DELTA_TIMES_ROWS / size)
        errors = expected_error(size, columns, 1.0, delta, num_classes=2)
        shares = errors.share, 0.5 / math.sqrt(size), errors.class_difference, errors.correlation
        row = [f'{columns:,}', f'{size:,}', f'{errors.count:,.0f}']
        rows.append([*row, *(f'{each:.1e}' for each in shares), f'{errors.category_rows:,.0f}'])
    header = ['columns', 'rows', 'a count', 'a share', 'sampling of a share']
    header += ['a difference of classes', 'a correlation', 'rows of a value that is seen']
    return write_table(header, rows)


def list_parts() -> dict[str, str]:
    """Write all that stands between the marks of the page."""
    runs = cost.BENCHMARK.read()
    return {
        **{series: write_series(runs, series) for series in VARIED},
        'completed': write_completed(runs),
        'out_of_core': write_out_of_core(out_of_core.BENCHMARK.read()),
        'noise': write_noise(noise.BENCHMARK.read()),
        'errors': write_errors(),
    }


def write_all() -> None:
    """Fill the page, and draw its pictures."""
    write_page(DOCS / 'lab' / 'scaling.md', list_parts())
    titles = {'rows': 'rows of Adult', 'columns': 'columns of a made table of 10,000 rows'}
    for series, title in titles.items():
        runs = pick(cost.BENCHMARK.read(), series=series)
        write_picture(draw_cost(runs, series, title), f'cost_{series}.svg')
