"""What a fit should cost, what it does, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from cost_jobs import COPULA, MST, OURS
from floor import FLOOR
from pages import write_table

#: What is to be reached, its measure, and whether it is reached.
Target = tuple[str, str, bool]

#: Ten times the rows, or the columns, may take so many times the seconds.
LINEAR = 11.0
SECONDS, FIRST_SECONDS, MEMORY_MIB, TIMES_THE_FLOOR = 60.0, 2.0, 3 * 1024, 5.0


def median(runs: pd.DataFrame, series: str, method: str, field: str, **size: float) -> float:
    """Look up the median of a figure; NaN where it was not measured."""
    own = runs[(runs['series'] == series) & (runs['method'] == method)]
    for name, value in size.items():
        own = own[own[name] == value]
    return float(own[field].median())


def list_ratios(cost: pd.DataFrame) -> Iterator[Target]:
    """Look at Adult's costs, by themselves and beside those of the peers in the same run."""
    ours = {
        part: median(cost, 'adult', OURS, f'{part}_seconds') for part in ('fit', 'refit', 'sample')
    }
    copula = {part: median(cost, 'adult', COPULA, f'{part}_seconds') for part in ('fit', 'sample')}
    mst = median(cost, 'adult', MST, 'fit_seconds')
    text = f'Adult, first fit: under {FIRST_SECONDS:.0f} seconds'
    yield text, f'{ours["fit"]:.2f} s', ours['fit'] < FIRST_SECONDS
    for part, words in (('fit', 'first fit'), ('refit', 'later fits')):
        share = ours[part] / copula['fit']
        yield f"Adult, {words}: 1/5 of {COPULA}'s seconds", f'1/{1 / share:.1f}', share <= 0.2
    for part, words in (('fit', 'first fit'), ('refit', 'later fits')):
        times = mst / ours[part]
        yield f'Adult, {words}: 100 times faster than {MST}', f'{times:.0f} times', times >= 100
    times = copula['sample'] / ours['sample']
    yield f'Adult, sampling: as fast as {COPULA}', f'{times:.1f} times as fast', times >= 1


def list_growth(cost: pd.DataFrame) -> Iterator[Target]:
    """Compare later fits to ten times the rows or columns; the first compiles."""
    for series, varied in (('rows', 'rows'), ('columns', 'columns')):
        own = cost[(cost['series'] == series) & (cost['method'] == OURS)]
        seconds = own['refit_seconds'].fillna(own['fit_seconds'])
        taken = dict(zip(own[varied], seconds, strict=True))
        for size in sorted(taken):
            if 10 * size in taken:
                times = taken[10 * size] / taken[size]
                name = f'{size:,} to {10 * size:,} {varied}: at most {LINEAR:.0f} times the seconds'
                yield name, f'{times:.1f} times', times <= LINEAR


def list_wide(cost: pd.DataFrame) -> Iterator[Target]:
    """Look at tables of many columns: the first fit, compilation and all."""
    for name, series, columns in (('isolet', 'isolet', 618), ('made table', 'columns', 1_000)):
        seconds = median(cost, series, OURS, 'fit_seconds', columns=columns)
        text = f'{name} of {columns:,} columns: fitted in a minute'
        yield text, f'{seconds:.0f} s', seconds < SECONDS


def list_floor(floor: pd.DataFrame, stages: pd.DataFrame) -> Iterator[Target]:
    """Compare the statistics with the floor, and noise with all other work."""
    for row in floor.to_dict('records'):
        if pd.notna(row['times_the_floor']) and row['pass'] != FLOOR:
            times = row['times_the_floor']
            text = f'{row["pass"]}: within {TIMES_THE_FLOOR:.0f} times the floor'
            yield text, f'{times:.1f} times', times <= TIMES_THE_FLOOR
    for table, own in stages.groupby(['table', 'rows', 'columns'], sort=False):
        kinds = own.groupby('kind')['seconds'].sum()
        share = kinds.get('noise', 0.0) / kinds.sum()
        text = '{}, {:,} × {:,}: noise takes less than other work'.format(*table)
        yield text, f'{share:.0%}', kinds.idxmax() != 'noise'


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
    seconds = own[own['killed'] == 0].set_index('workers')['fit_seconds']
    if {1, 2} <= set(seconds.index):
        times = seconds[1] / seconds[2]
        yield 'two workers are faster than one', f'{times:.2f} times', times > 1


def write_targets(results: dict[str, pd.DataFrame]) -> str:
    """Write what is to be reached, what is, and whether it is enough."""
    targets: list[Target] = []
    if len(results['cost']):
        for check in (list_ratios, list_growth, list_wide):
            targets += check(results['cost'])
    if len(results['floor']):
        targets += list_floor(results['floor'], results['stages'])
    if len(results['out_of_core']):
        targets += list_out_of_core(results['out_of_core'])
    rows = [
        [text, found, 'yes' if reached else '**no**']
        for text, found, reached in targets
        if 'nan' not in found
    ]
    return write_table(['target', 'measured', 'reached'], rows)
