"""What ``docs/scaling.md`` says: costs, targets, formulas, and the errors of noise by size.

python benchmarks/cost.py --page
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import cost
import numpy as np
import out_of_core
import pandas as pd
import passes
import stages
from cost import COPULA, METHODS, MST, OURS
from pages import (
    DOCS,
    pick,
    write_digits,
    write_failure,
    write_in_units,
    write_page,
    write_picture,
    write_table,
)
from pictures import draw_cost
from scipy.optimize import nnls

from sdv_threea.estimate import expected_error
from sdv_threea.pipeline import MOST_READ
from sdv_threea.privacy.rows import CHUNK_CELLS, KEPT_BYTES, LEAST_ROWS

#: What names a method on the page, and what is shown of it in a series.
NAMES = {OURS: f'**{OURS}**', COPULA: f'{COPULA}, *no privacy*', MST: MST}
SHOWN = {
    'fit': 'fit_seconds',
    'later fit': 'refit_seconds',
    'sample': 'sample_seconds',
    'MiB': 'fit_peak_mib',
}

#: What is varied in each series.
VARIED = {'rows': 'rows', 'columns': 'columns', 'categories': 'values', 'epsilon': 'epsilon'}

#: Targets: ten times the rows or columns may take this many times the seconds; and others.
LINEAR = 11.0
SECONDS, FIRST_SECONDS, MEMORY_MIB, TIMES_THE_FLOOR = 60.0, 2.0, 3 * 1024, 5.0

#: What the formulas are fitted to: smaller tables. They have to predict the larger ones.
MOST_ROWS, MOST_COLUMNS, FITTED = 1_000_000, 300, ('rows', 'columns')

#: Classes of the tables: with more groups than that, there are centroids.
CLASSES = 2

#: Rows up to those of the internet, and how many workers share them.
INTERNET, WORKERS = (10**9, 10**10, 10**12), (1, 100, 10_000)

#: The table of errors; delta is at most this over the number of rows.
ROWS, COLUMNS, DELTA_TIMES_ROWS = (10**4, 10**6, 10**8, 10**10, 10**12), (15, 100, 1_000), 0.01

#: Units from small to large: of short times in seconds, of long ones, and of MiB.
SHORT = {'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1.0}
LONG = {'s': 1, 'min': 60, 'h': 3600, 'days': 86400, 'years': 365 * 86400}
BYTES = {'bytes': 2.0**-20, 'KiB': 2.0**-10, 'MiB': 1.0}

#: How many there are of what is paid for.
AMOUNTS = {
    'a fit': '1',
    'a cell of the table': '`n m`',
    'a cell that centroids see': '`min(n, 2²⁰) m`, if a class has several components',
    'a product of two scores': '`n m²`',
    'a released moment': '`G (m + 1) (m + 2) / 2`',
    'a step of a matrix inverse': '`G m³`',
    'a cell that is kept': '`min(n m, 2²⁸)`',
    'a cell of a chunk': '`min(n m, 2²⁰)`, or 2¹³ rows',
}
Amounts = dict[str, float]

#: What is to be reached, its measure, and whether it is reached.
Target = tuple[str, str, bool]


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


def write_series(runs: pd.DataFrame, series: str, floor: float) -> str:
    """Write a series: a row per size, and the costs of each method beside each other.

    Where rows are varied, the seconds of our later fits are compared with those of the floor, which
    are given for a row.
    """
    own, varied = pick(runs, series=series), VARIED[series]
    methods = [method for method in METHODS if (own['method'] == method).any()]
    parts = [(m, part) for m in methods for part in SHOWN if m == OURS or part != 'later fit']
    header, rows = [varied, *(f'{NAMES[method]}: {part}' for method, part in parts)], []
    for size in sorted(own[varied].unique()):
        same = pick(own, **{varied: size})
        row = ['∞' if math.isinf(size) else f'{size:,.0f}' if size >= 10 else f'{size:g}']
        for method, part in parts:
            cell = write_cell(pick(same, method=method), SHOWN[part])
            row.append(cell + (write_times(same, method) if part == 'fit' else ''))
        if series == 'rows':
            seconds = pick(same, method=OURS)['refit_seconds'].median()
            row.append(f'{seconds / size / floor:,.0f}')
        rows.append(row)
    if series == 'rows':
        header.append(f'{NAMES[OURS]}: times the floor')
    return write_table(header, rows)


def write_adult(runs: pd.DataFrame) -> str:
    """Write Adult and isolet: a row per method, and how many times the time of ours it took."""
    fields = ['import_seconds', 'fit_seconds', 'refit_seconds', 'sample_seconds']
    fields += ['fit_cpu_seconds', 'fit_peak_mib']
    rows = []
    for series, title in (('adult', 'Adult'), ('isolet', 'isolet')):
        same = pick(runs, series=series)
        for method in METHODS:
            own = pick(same, method=method)
            if len(own):
                cells = [write_cell(own, each) for each in fields]
                cells[1] += write_times(same, method)
                rows.append([title, NAMES[method], *cells])
    header = ['table', 'method', 'import', 'fit', 'later fit', 'sample', 'CPU of the fit', 'MiB']
    return write_table(header, rows)


def read_floor(found: pd.DataFrame) -> pd.DataFrame:
    """Read what each pass takes, and how many times the floor that is, a row of the table each."""
    noise = (found['pass'] == 'noise') & (found['size'] == 200_000) & (found['scale'] == 2**16)
    found = found[(found['scale'] == 0) | noise]
    (base,) = pick(found, **{'pass': passes.FLOOR})['seconds']
    times = (found['seconds'] / base).where(found['scale'] == 0)
    return found.assign(each=found['seconds'] / found['size'], times=times)


def write_floor(floor: pd.DataFrame) -> str:
    """Write what each pass takes, and how many times the floor that is."""
    rows = [
        [
            row['pass'],
            f'{row["size"]:,} {"draws" if row["scale"] else "rows"}',
            f'{1000 * row["seconds"]:.1f} ms',
            f'{1e9 * row["each"]:.0f} ns',
            '' if row['scale'] else f'{row["times"]:.1f}',
        ]
        for row in floor.to_dict('records')
    ]
    return write_table(['pass', 'over', 'takes', 'each', 'times the floor'], rows)


def write_shares(booked: pd.DataFrame, part: str) -> str:
    """Write where the time goes, by stage or by kind: a row of each, a column per table."""
    title = booked['table'] + booked.apply(' {rows:,} × {columns:,}'.format_map, axis=1)
    seconds = booked.assign(title=title).pivot_table('seconds', part, 'title', 'sum', fill_value=0)
    seconds = seconds[list(title.unique())]
    order = seconds.sum(axis=1).sort_values(ascending=False).index
    names = list(dict.fromkeys(booked['stage'])) if part == 'stage' else list(order)
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
        row = [f'{run["rows"]:,}', f'{run["workers"]}{", one killed" if run["killed"] else ""}']
        if pd.isna(run['fit_seconds']):
            row.append(f'failed: {run["note"]}')
        else:
            row += [f'{run["parquet_mib"]:,.0f} MiB', f'{run["fit_seconds"]:,.0f} s']
            row += [f'{run["rows"] / run["fit_seconds"]:,.0f}', f'{run["peak_mib"]:,.0f} MiB']
            row += [f'{run["worker_peak_mib"]:,.0f} MiB', f'{run["lost_workers"]:.0f}']
        if pd.notna(run['sampled_rows']):
            row += [f'{run["sampled_rows"]:,.0f}', f'{run["sample_seconds"]:,.0f} s']
            row += [f'{run["sample_peak_mib"]:,.0f} MiB']
        rows.append([*row, *[''] * (len(header) - len(row))])
    return write_table(header, rows)


def list_targets(
    runs: pd.DataFrame, floor: pd.DataFrame, booked: pd.DataFrame, large: pd.DataFrame
) -> Iterator[Target]:
    """List what a fit should cost, what it does, and whether that is good enough."""
    yield from list_ratios(pick(runs, series='adult'))
    yield from list_growth(pick(runs, method=OURS))
    for row in floor[floor['times'] > 1].to_dict('records'):
        text = f'{row["pass"]}: within {TIMES_THE_FLOOR:.0f} times the floor'
        yield text, f'{row["times"]:.1f} times', row['times'] <= TIMES_THE_FLOOR
    for table, own in booked.groupby(['table', 'rows', 'columns'], sort=False):
        kinds = own.groupby('kind')['seconds'].sum()
        share = kinds.get('noise', 0.0) / kinds.sum()
        text = '{}, {:,} × {:,}: noise takes less than other work'.format(*table)
        yield text, f'{share:.0%}', kinds.idxmax() != 'noise'
    yield from list_out_of_core(large)


def list_ratios(adult: pd.DataFrame) -> Iterator[Target]:
    """Look at Adult's costs, by themselves and beside those of the peers in the same run."""
    medians = adult.groupby('method')[list(SHOWN.values())].median()
    ours, copula, mst = (medians.loc[method] for method in METHODS)
    text = f'Adult, first fit: under {FIRST_SECONDS:.0f} seconds'
    yield text, f'{ours["fit_seconds"]:.2f} s', ours['fit_seconds'] < FIRST_SECONDS
    fits = {'first fit': ours['fit_seconds'], 'later fits': ours['refit_seconds']}
    for words, seconds in fits.items():
        times = copula['fit_seconds'] / seconds
        yield f"Adult, {words}: 1/5 of {COPULA}'s seconds", f'1/{times:.1f}', times >= 5
    for words, seconds in fits.items():
        times = mst['fit_seconds'] / seconds
        yield f'Adult, {words}: 100 times faster than {MST}', f'{times:.0f} times', times >= 100
    times = copula['sample_seconds'] / ours['sample_seconds']
    yield f'Adult, sampling: as fast as {COPULA}', f'{times:.1f} times as fast', times >= 1


def list_growth(runs: pd.DataFrame) -> Iterator[Target]:
    """Compare later fits to ten times the rows or columns; then look at many columns."""
    for series in ('rows', 'columns'):
        own = pick(runs, series=series)
        seconds = own['refit_seconds'].fillna(own['fit_seconds'])
        taken = dict(zip(own[series], seconds, strict=True))
        for size in sorted(taken):
            if 10 * size in taken:
                times = taken[10 * size] / taken[size]
                text = f'{size:,} to {10 * size:,} {series}: at most {LINEAR:.0f} times the seconds'
                yield text, f'{times:.1f} times', times <= LINEAR
    for name, series, columns in (('isolet', 'isolet', 618), ('made table', 'columns', 1_000)):
        seconds = pick(runs, series=series, columns=columns)['fit_seconds'].median()
        text = f'{name} of {columns:,} columns: fitted in a minute'
        yield text, f'{seconds:.0f} s', seconds < SECONDS


def list_out_of_core(runs: pd.DataFrame) -> Iterator[Target]:
    """Look at the largest table out of core: memory, speed-up, and an accident."""
    own = runs[(runs['rows'] == runs['rows'].max()) & runs['fit_seconds'].notna()]
    for run in own.to_dict('records'):
        rows, peak, lost = run['rows'], run['peak_mib'], run['lost_workers']
        if run['killed']:
            text = f'{rows:,} rows: a killed worker is survived'
            yield text, f'{lost:.0f} lost, {run["fit_seconds"]:,.0f} s', lost >= 1
        else:
            text = f'{rows:,} rows, workers: {run["workers"]}: under 3 GiB in all'
            yield text, f'{peak:,.0f} MiB', peak < MEMORY_MIB
    seconds = pick(own, killed=0).set_index('workers')['fit_seconds']
    times = seconds[1] / seconds[2]
    yield 'two workers are faster than one', f'{times:.2f} times', times > 1


def count_work(rows: int, columns: int, groups: int) -> Amounts:
    """Count how much there is to do in a fit, by kind."""
    sought = min(rows, MOST_READ) if groups > CLASSES else 0
    return {
        'a fit': 1,
        'a cell of the table': rows * columns,
        'a cell that centroids see': sought * columns,
        'a product of two scores': rows * columns**2,
        'a step of a matrix inverse': groups * columns**3,
    }


def count_room(rows: int, columns: int, groups: int) -> Amounts:
    """Count how much there is to hold in a fit, by kind."""
    return {
        'a fit': 1,
        'a cell that is kept': min(rows * columns, KEPT_BYTES),
        'a cell of a chunk': min(rows * columns, max(CHUNK_CELLS, LEAST_ROWS * columns)),
        'a released moment': groups * (columns + 1) * (columns + 2) / 2,
    }


def fit_costs(amounts: list[Amounts], measured: pd.Series) -> Amounts:
    """Fit what one of each kind costs, never less than nothing, to what some fits cost."""
    matrix = pd.DataFrame(amounts, dtype=float)
    # What counts is the relative error: each point is measured in units of its own cost.
    relative = matrix.to_numpy() / measured.to_numpy()[:, None]
    scale = relative.max(axis=0)
    costs, _ = nnls(relative / scale, np.ones(len(measured)))
    return dict(zip(matrix, costs / scale, strict=True))


def predict(costs: Amounts, amounts: Amounts) -> float:
    """Predict what a fit costs."""
    return sum(costs[kind] * amount for kind, amount in amounts.items())


def list_points(runs: pd.DataFrame) -> pd.DataFrame:
    """List what was measured of ours, with what there is to do: one repeat of each.

    Of the second fit, where there was one: the first loads and compiles.
    """
    own = pick(runs, method=OURS, repeat=0)
    own = own[own['series'].isin([*FITTED, 'adult', 'isolet']) & own['fit_seconds'].notna()].copy()
    own['seconds'] = own['refit_seconds'].fillna(own['fit_seconds'])
    own['mib'] = own['refit_peak_mib'].fillna(own['fit_peak_mib'])
    sizes = own[['rows', 'columns', 'groups']].astype(int).to_numpy().tolist()
    own['work'] = [count_work(*size) for size in sizes]
    own['room'] = [count_room(*size) for size in sizes]
    small = (own['rows'] <= MOST_ROWS) & (own['columns'] <= MOST_COLUMNS)
    own['fitted'] = small & own['series'].isin(FITTED)
    return own.sort_values(['series', 'rows', 'columns'], kind='stable')


def fit_formulas(points: pd.DataFrame) -> tuple[Amounts, Amounts]:
    """Fit the costs in seconds and in MiB to the smaller points."""
    used = points[points['fitted']]
    return fit_costs([*used['work']], used['seconds']), fit_costs([*used['room']], used['mib'])


def write_formulas(seconds: Amounts, memory: Amounts) -> str:
    """Write what one of each kind costs, in seconds and in memory."""
    costs = ((seconds, SHORT), (memory, BYTES))
    rows = [
        [kind, many, *(write_in_units(c[kind], u) if kind in c else '' for c, u in costs)]
        for kind, many in AMOUNTS.items()
    ]
    return write_table(['what', 'how many', 'takes', 'holds'], rows)


def write_checks(points: pd.DataFrame, seconds: Amounts, memory: Amounts) -> str:
    """Write what the formulas predict beside what was measured."""
    rows = []
    for point in points.to_dict('records'):
        cells = [point['series'], f'{point["rows"]:,}', f'{point["columns"]:,}']
        cells.append(f'{point["groups"]:.0f}')
        for costs, amounts, found in ((seconds, 'work', 'seconds'), (memory, 'room', 'mib')):
            said, found = predict(costs, point[amounts]), point[found]
            cells += [f'{said:,.2f}', f'{found:,.2f}', f'{said / found:.2f}']
        rows.append([*cells, 'fitted' if point['fitted'] else '**predicted**'])
    header = ['series', 'rows', 'columns', 'groups', 'seconds: formula', 'measured', 'ratio']
    return write_table([*header, 'MiB: formula', 'measured', 'ratio', 'point'], rows)


def write_scale(costs: Amounts, runs: pd.DataFrame) -> str:
    """Write the seconds of Adult's shape out of core: predicted and measured, then predicted.

    What a row costs comes from the smallest fit out of core, less what a fit takes whatever its
    rows.
    """
    done = pick(runs[runs['fit_seconds'].notna()], killed=0)
    least = pick(done, workers=1).sort_values('rows').iloc[0]
    start = predict(costs, count_work(0, 15, 8))
    each = (least['fit_seconds'] - start) / least['rows']
    rows = []
    for run in done.to_dict('records'):
        said = start + run['rows'] * each / run['workers']
        sizes = [f'{run["rows"]:,}', str(run['workers'])]
        rows.append([*sizes, f'{said:,.0f} s', f'{run["fit_seconds"]:,.0f} s'])
    for size, workers in product(INTERNET, WORKERS):
        said = write_in_units(start + size * each / workers, LONG)
        rows.append([f'{size:,}', f'{workers:,}', said, ''])
    head = (
        f'One row takes {write_in_units(each, SHORT)} of a worker, by the fit to '
        f'{least["rows"]:,.0f} rows out of core.\n\n'
    )
    return head + write_table(['rows', 'workers', 'formula', 'measured'], rows)


def write_errors() -> str:
    """Write the errors of the noise at all sizes: of the mechanism, no data is read."""
    rows = []
    for columns, size in product(COLUMNS, ROWS):
        delta = min(1e-6, DELTA_TIMES_ROWS / size)
        errors = expected_error(size, columns, 1.0, delta, num_classes=CLASSES)
        shares = errors.share, 0.5 / math.sqrt(size), errors.class_difference, errors.correlation
        row = [f'{columns:,}', f'{size:,}', f'{errors.count:,.0f}']
        rows.append([*row, *(f'{each:.1e}' for each in shares), f'{errors.category_rows:,.0f}'])
    header = ['columns', 'rows', 'a count', 'a share', 'sampling of a share']
    header += ['a difference of classes', 'a correlation', 'rows of a value that is seen']
    return write_table(header, rows)


def list_parts() -> dict[str, str]:
    """Write all that stands between the marks of the page."""
    runs, booked, large = (each.BENCHMARK.read() for each in (cost, stages, out_of_core))
    floor = read_floor(passes.BENCHMARK.read())
    targets = list_targets(runs, floor, booked, large)
    rows = ([text, found, 'yes' if reached else '**no**'] for text, found, reached in targets)
    (base,) = pick(floor, **{'pass': passes.FLOOR})['each']
    points = list_points(runs)
    seconds, memory = fit_formulas(points)
    return {
        'targets': write_table(['target', 'measured', 'reached'], rows),
        'adult': write_adult(runs),
        **{series: write_series(runs, series, base) for series in VARIED},
        'floor': write_floor(floor),
        'stages': write_shares(booked, 'stage'),
        'kinds': write_shares(booked, 'kind'),
        'out_of_core': write_out_of_core(large),
        'formulas': write_formulas(seconds, memory),
        'checks': write_checks(points, seconds, memory),
        'scale': write_scale(seconds, large),
        'errors': write_errors(),
    }


def write_all() -> None:
    """Fill the page, and draw its pictures."""
    write_page(DOCS / 'scaling.md', list_parts())
    titles = {'rows': 'rows of Adult', 'columns': 'columns of a made table of 10,000 rows'}
    for series, title in titles.items():
        runs = pick(cost.BENCHMARK.read(), series=series)
        write_picture(draw_cost(runs, series, title), f'cost_{series}.svg')
