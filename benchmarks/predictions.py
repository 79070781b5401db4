"""What formulas say of tables of any size, beside what was measured of some."""

from __future__ import annotations

import math

import pandas as pd
from pages import write_table
from sizes import Size, fit_formulas, list_points

from sdv_threea.estimate import expected_error

#: Rows up to those of the internet, and how many workers share them.
INTERNET = (10**9, 10**10, 10**12)
WORKERS = (1, 100, 10_000)

#: The table of errors, and the promise.
ROWS, COLUMNS, EPSILONS = (10**4, 10**6, 10**8, 10**10, 10**12), (15, 100, 1_000), (1.0,)

#: A delta well below one over the number of rows.
DELTA_TIMES_ROWS = 0.01

#: Units from small to large: seconds, and bytes of a MiB.
SECONDS = {'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1.0}
BYTES = {'bytes': 2.0**-20, 'KiB': 2.0**-10, 'MiB': 1.0}

#: Seconds in what is told of long fits.
LONG = {'s': 1, 'min': 60, 'h': 3600, 'days': 86400, 'years': 365 * 86400}


def in_units(value: float, units: dict[str, float]) -> str:
    """Write a value in the largest unit of which it is at least one."""
    if not value:
        return '0'
    fitting = [unit for unit in units if value >= units[unit]] or list(units)[:1]
    shown = value / units[fitting[-1]]
    return f'{shown:,.0f} {fitting[-1]}' if shown >= 100 else f'{shown:.2g} {fitting[-1]}'


def write_formulas(cost: pd.DataFrame) -> str:
    """Write what one of each kind costs, in seconds and in memory."""
    points = _read_points(cost)
    if points.empty:
        return write_table([], [])
    seconds, memory = (formula.costs for formula in fit_formulas(points))
    amounts = {
        'a fit': '1',
        'a cell of the table': '`n m`',
        'a cell that centroids see': '`min(n, 2²⁰) m`, if a class has several cells',
        'a product of two scores': '`n m²`',
        'a released moment': '`G (m + 1) (m + 2) / 2`',
        'a step of a matrix inverse': '`G m³`',
        'a cell that is kept': '`min(n m, 2²⁸)`',
        'a cell of a chunk': '`min(n m, 2²⁰)`, or 2¹³ rows',
    }
    rows = [
        [
            kind,
            amount,
            in_units(seconds[kind], SECONDS) if kind in seconds else '',
            in_units(memory[kind], BYTES) if kind in memory else '',
        ]
        for kind, amount in amounts.items()
    ]
    return write_table(['what', 'how many', 'takes', 'holds'], rows)


def write_checks(cost: pd.DataFrame) -> str:
    """Write what the formulas predict beside what was measured."""
    points = _read_points(cost)
    if points.empty:
        return write_table([], [])
    seconds, memory = fit_formulas(points)
    rows = []
    for point in points.to_dict('records'):
        size: Size = point['size']
        predicted = seconds(size.work()), memory(size.room())
        measured = point['seconds'], point['mib']
        cells = [f'{point["series"]}', f'{size.rows:,}', f'{size.columns:,}', str(size.groups)]
        for said, found in zip(predicted, measured, strict=True):
            cells += [f'{said:,.2f}', f'{found:,.2f}', f'{said / found:.2f}']
        rows.append([*cells, 'fitted' if point['fitted'] else '**predicted**'])
    header = ['series', 'rows', 'columns', 'groups', 'seconds: formula', 'measured', 'ratio']
    return write_table([*header, 'MiB: formula', 'measured', 'ratio', 'point'], rows)


def find_row_cost(cost: pd.DataFrame, runs: pd.DataFrame) -> tuple[float, float, str]:
    """Find the seconds of a fit and of each of its rows, and where they come from.

    From the smallest fit out of core, if there is one, less what a fit takes whatever its rows;
    else from the formula.
    """
    points = _read_points(cost)
    if points.empty:
        return math.nan, math.nan, ''
    formula, _ = fit_formulas(points)
    start = formula(Size(0, 15, 8).work())
    slope = formula(Size(10**6, 15, 8).work()) - start
    if len(runs):
        done = runs[runs['fit_seconds'].notna() & (runs['workers'] == 1)].sort_values('rows')
        if len(done):
            least = done.iloc[0]
            slope = max(float(least['fit_seconds']) - start, 0.0) / float(least['rows']) * 10**6
            return start, slope / 10**6, f'the fit to {least["rows"]:,.0f} rows out of core'
    return start, slope / 10**6, 'the formula'


def write_scale(cost: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Write the seconds of Adult's shape out of core: predicted and measured, then predicted."""
    start, each, source = find_row_cost(cost, runs)
    if math.isnan(start):
        return write_table([], [])
    rows = []
    done = runs[runs['fit_seconds'].notna() & (runs['killed'] == 0)] if len(runs) else runs
    for run in done.to_dict('records'):
        said = start + run['rows'] * each / run['workers']
        found = f'{run["fit_seconds"]:,.0f} s'
        told = f'{said:,.0f} s'
        rows.append([f'{run["rows"]:,}', str(run['workers']), told, found])
    for size in INTERNET:
        for workers in WORKERS:
            said = start + size * each / workers
            rows.append([f'{size:,}', f'{workers:,}', in_units(said, LONG), ''])
    head = f'One row takes {in_units(each, SECONDS)} of a worker, by {source}.\n\n'
    return head + write_table(['rows', 'workers', 'formula', 'measured'], rows)


def write_errors() -> str:
    """Write the errors of the noise at all sizes: of the mechanism, no data is read."""
    rows = []
    for epsilon in EPSILONS:
        for columns in COLUMNS:
            for size in ROWS:
                delta = min(1e-6, DELTA_TIMES_ROWS / size)
                errors = expected_error(size, columns, epsilon, delta, num_classes=2)
                rows.append(
                    [
                        f'{columns:,}',
                        f'{size:,}',
                        f'{errors.count:,.0f}',
                        f'{errors.share:.1e}',
                        f'{0.5 / math.sqrt(size):.1e}',
                        f'{errors.class_difference:.1e}',
                        f'{errors.correlation:.1e}',
                        f'{errors.category_rows:,.0f}',
                    ]
                )
    header = ['columns', 'rows', 'a count', 'a share', 'sampling of a share']
    header += ['a difference of classes', 'a correlation', 'rows of a value that is seen']
    return write_table(header, rows)


def _read_points(cost: pd.DataFrame) -> pd.DataFrame:
    """Read the measured points; none where too few of them fit a formula."""
    points = list_points(cost) if len(cost) else cost
    return points if len(points) and points['fitted'].any() else pd.DataFrame()
