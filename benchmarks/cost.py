"""What a fit costs: seconds and memory against rows, columns, categories and epsilon.

    python benchmarks/cost.py                       # two hours, most of it the peers'
    python benchmarks/cost.py --series rows --methods ClustMix --again all
    python benchmarks/cost.py --series adult --methods ClustMix --results /tmp/cost.csv   # a minute

Each measurement is a process of its own: it makes the table, fits, fits once
more (the first fit loads and compiles what all later ones use), and samples. Everybody is given the
same table; categories are turned into objects for the peers, before the clock starts. Where a
method takes too long or too much memory, larger tables of the series are not tried.
``scaling_page.py`` makes ``docs/lab/scaling.md`` of these results and those of ``out_of_core.py``
and ``noise.py``.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
from runner import Benchmark, Job, Options, Row, measured

OURS, COPULA, MST = 'ClustMix', 'GaussianCopula', 'dpmm MST'

#: The methods: ours comes first, and the slowest peer last.
METHODS = [OURS, COPULA, MST]

DELTA = 1e-6

#: Jobs are on the official training part of Adult, unless a series says otherwise; ``values`` is
#: that of the categories of a made table.
ADULT: Job = {'rows': 32_561, 'columns': 15, 'values': 0, 'epsilon': 1.0, 'repeat': 0}

#: What each series varies.
SERIES: dict[str, list[Job]] = {
    'adult': [{'repeat': repeat} for repeat in range(3)],
    'rows': [{'rows': rows} for rows in (10_000, 100_000, 1_000_000, 10_000_000)],
    'columns': [
        {'rows': 10_000, 'columns': columns, 'values': 5}
        for columns in (10, 30, 100, 300, 1_000, 5_000)
    ],
    'categories': [
        {'rows': 100_000, 'columns': 20, 'values': values} for values in (2, 10, 100, 1_000)
    ],
    'epsilon': [{'epsilon': epsilon} for epsilon in (0.5, 1.0, 3.0, 8.0, math.inf)],
    'isolet': [{'rows': 3_119, 'columns': 618}],
}

#: A second fit is made after a first one of at most this many seconds; and the rows to sample.
SHORT, MOST_SAMPLED = {OURS: 300, COPULA: 20}, 1_000_000

#: Rows of Adult to be completed, no two alike: two columns of each are given.
ASKED, GIVEN = 20_000, ['age', 'fnlwgt']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the measurements, method by method: what takes longest comes last."""
    for method in METHODS:
        for series in options.series:
            for varied in SERIES[series]:
                job = {'series': series, 'method': method} | ADULT | varied
                if method in options.methods and applies(job):
                    yield job


def applies(job: Job) -> bool:
    """Whether a job is for its method: peers are asked for less."""
    if job['method'] == OURS:
        return True
    slow = job['method'] == MST and (job['repeat'] or job['series'] == 'categories')
    return not slow and job['series'] != 'epsilon' and job['rows'] <= 1_000_000


def load_table(job: Job, data: Path) -> tuple[pd.DataFrame, Any, str]:
    """Make or read the table of a job: the rows, the metadata and the target."""
    from made import load_official, make_table, resample_adult, shrink
    from tables import load_split

    if job['series'] == 'isolet':
        split = load_split('isolet', data)
        table = pd.concat([split.train, split.test], ignore_index=True)
        return shrink(table), split.metadata, split.target
    if job['values']:
        numbers = job['series'] == 'columns'
        return (*make_table(job['rows'], job['columns'], job['values'], numbers), 'y')
    if job['series'] == 'rows':
        return (*resample_adult(job['rows']), 'income')
    return (*load_official(), 'income')


def make_synthesizer(job: Job, metadata: Any, target: str) -> Any:
    """Make a fresh synthesizer; only what is used is imported."""
    if job['method'] == COPULA:
        from sdv.single_table import GaussianCopulaSynthesizer

        return GaussianCopulaSynthesizer(metadata)
    from sdv_threea import ClustMixSynthesizer

    return ClustMixSynthesizer(metadata, epsilon=job['epsilon'], delta=DELTA, target_column=target)


def measure(job: Job, options: Options) -> Row:
    """Measure one method on one table, in this process."""
    warnings.simplefilter('ignore')
    table, metadata, target = load_table(job, options.data)
    if table.shape != (job['rows'], job['columns']):
        raise ValueError(f'the table has another shape than the job: {table.shape}')
    if job['method'] != OURS:
        from made import as_objects

        table = as_objects(table)
    if job['method'] == MST:
        return measure_mst(job, table, metadata, target, options.timeout)
    return measure_synthesizer(job, table, metadata, target)


def measure_synthesizer(job: Job, table: pd.DataFrame, metadata: Any, target: str) -> Row:
    """Measure a synthesizer of SDV: the first fit, a later one, then the sampling."""
    figures: Row = {'sampled_rows': min(len(table), MOST_SAMPLED)}
    tables = {next(iter(metadata.tables)): table}
    synthesizer = make_synthesizer(job, metadata, target)
    with measured('fit', figures):
        synthesizer.fit(tables)
    if figures['fit_seconds'] <= SHORT[job['method']]:
        if job['method'] == OURS:
            # Whether the first fit had cells to adapt, and compiled, is up to its noise.
            make_synthesizer(job, metadata, target).fit(tables)
        synthesizer = make_synthesizer(job, metadata, target)
        with measured('refit', figures):
            synthesizer.fit(tables)
    with measured('sample', figures):
        synthesizer.sample(num_rows=figures['sampled_rows'])
    if (job['series'], job['method']) == ('adult', OURS):
        (sampled,) = synthesizer.sample(2 * ASKED).values()
        asked = sampled[GIVEN].drop_duplicates().head(ASKED)
        with measured('complete', figures):
            (completed,) = synthesizer.sample_remaining_columns(asked).values()
        if len(completed) != ASKED:
            raise ValueError(f'{len(completed)} rows were completed, and not {ASKED}')
    return figures


def measure_mst(job: Job, table: pd.DataFrame, metadata: Any, target: str, timeout: float) -> Row:
    """Measure dpmm's MST in its own environment; the peak of memory is that of its process."""
    from methods import METHODS as ALL_METHODS
    from methods import Terms
    from tables import Split

    split = Split(job['series'], target, table, table[:0], metadata, numeric=False)
    _, figures = ALL_METHODS[MST](split, Terms(job['epsilon'], DELTA, 0, timeout))
    costs = {name: figures[name] for name in ('fit_seconds', 'sample_seconds')}
    return costs | {'fit_peak_mib': figures['peak_mib'], 'sampled_rows': len(table)}


BENCHMARK = Benchmark(
    name='cost',
    list_jobs=list_jobs,
    measure=measure,
    options={'series': list(SERIES), 'methods': METHODS, 'timeout': 1200.0},
    write_pages=lambda _: import_module('scaling_page').write_all(),
    process='job',
    group=['series', 'method'],
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
