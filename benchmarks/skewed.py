"""What ``LogScaler`` does for skewed columns: their shape, their tails and their range.

    python benchmarks/skewed.py                                     # minutes
    python benchmarks/skewed.py --tables adult --repeats 1 --results /tmp/skewed.csv

Whole tables are fitted at epsilon 1, their ranges private, with and without ``LogScaler`` on the
skewed columns, and with both settings of ``enforce_min_max_values``. Of each column, results are
SDMetrics' ``KSComplement`` (shape) and ``RangeCoverage`` (covered); one minus how far the largest
tenth is from its share, at worst and relative to a tenth (tail); and the share of rows outside the
real range. The table of ``docs/transformers.md`` has the means.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from pages import DOCS, write_page, write_table
from rdt.transformers import LogScaler
from runner import Benchmark, Job, Options, Row, grid
from sdmetrics.single_column import KSComplement, RangeCoverage
from tables import load_split

from sdv_threea import ClustMixSynthesizer

#: The skewed columns, and the constant below all of their possible values.
COLUMNS = {
    'california_housing': {'total_rooms': 0.0, 'population': 0.0, 'households': 0.0},
    'adult': {'fnlwgt': 0.0, 'capital_gain': -1.0},
    'default_credit': {'limit_bal': 0.0, 'pay_amt1': -1.0},
}

#: Where numbers are drawn, and what the setting is then.
RANGES = {'inside': True, 'extrapolated': False}

SCORES = {
    'shape': 'shape',
    'tail': 'shape of the tail',
    'covered': 'range covered',
    'outside': 'outside',
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    repeats = range(options.repeats)
    return grid(table=options.tables, range=RANGES, scaled=(False, True), repeat=repeats)


def measure(job: Job, options: Options) -> list[Row]:
    """Fit a table once, and score its skewed columns."""
    warnings.simplefilter('ignore')
    split, columns = load_split(job['table'], options.data), COLUMNS[job['table']]
    table = {split.table_name: split.train}
    synthesizer = ClustMixSynthesizer(
        split.metadata,
        epsilon=1.0,
        target_column=split.target,
        enforce_min_max_values=RANGES[job['range']],
    )
    synthesizer.auto_assign_transformers(table)
    if job['scaled']:
        steps = {column: LogScaler(constant=low) for column, low in columns.items()}
        synthesizer.update_transformers(steps)
    synthesizer.fit(table)
    sampled = synthesizer.sample(len(split.train))[split.table_name]
    return [{'column': each} | score(split.train[each], sampled[each]) for each in columns]


def score(real: pd.Series, made: pd.Series) -> Row:
    """Score a column: shape, shape of the tail, range covered and share outside the real range."""
    real, made = real.dropna().astype(float), made.dropna().astype(float)
    ends = np.quantile(real, np.linspace(0.9, 1, 101))
    above, wanted = (np.array([(each > end).mean() for end in ends]) for each in (made, real))
    return {
        'shape': KSComplement.compute(real, made),
        'tail': 1 - float(np.abs(above - wanted).max()) / 0.1,
        'covered': RangeCoverage.compute(real, made),
        'outside': float((~made.between(real.min(), real.max())).mean()),
    }


def write_means(runs: pd.DataFrame) -> str:
    """Write the means of each skewed column, without and with ``LogScaler``."""
    means = runs.groupby(['table', 'range', 'column', 'scaled'])[list(SCORES)].mean()
    rows = []
    for table, reach in product(COLUMNS, RANGES):
        for column in COLUMNS[table]:
            without, scaled = (means.loc[table, reach, column, each] for each in (False, True))
            pairs = (f'{without[each]:.3f} → {scaled[each]:.3f}' for each in SCORES)
            rows.append([table, column, reach, *pairs])
    return write_table(['table', 'column', 'range', *SCORES.values()], rows)


BENCHMARK = Benchmark(
    name='skewed',
    list_jobs=list_jobs,
    measure=measure,
    options={'tables': list(COLUMNS), 'repeats': 20},
    write_pages=lambda runs: write_page(DOCS / 'transformers.md', {'skewed': write_means(runs)}),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
