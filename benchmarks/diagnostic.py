"""SDMetrics' diagnostic on every single table: is each sampled value valid, each column in place?

    python benchmarks/diagnostic.py                                     # half an hour
    python benchmarks/diagnostic.py --tables compas --results /tmp/diagnostic.csv

Each table is fitted whole at epsilon 1, ranges and categories estimated privately and then stated;
as many rows are sampled. What keeps a score from 1 is a note of the row, by column.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import pandas as pd
from runner import Benchmark, Job, Options, Row, grid
from sdmetrics.reports import DiagnosticReport
from tables import PROBLEMS, load, state_facts

from sdv_threea import ClustMixSynthesizer

#: The columns that are predicted, by table: as they are, no problem made of them.
TARGETS = {
    name: problem.target if problem.label is None else 'readmitted'
    for name, problem in PROBLEMS.items()
    if name == problem.table
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    return grid(table=options.tables, public=(False, True), repeat=range(options.repeats))


def measure(job: Job, options: Options) -> Row:
    """Fit, sample as many rows, and return the scores and what is wrong with which column."""
    table, metadata = load(job['table'], options.data)
    metadata = state_facts(table, metadata) if job['public'] else metadata
    (name,) = metadata.tables
    start = time.perf_counter()
    synthesizer = ClustMixSynthesizer(
        metadata,
        epsilon=1.0,
        delta=1e-5,
        target_column=TARGETS[job['table']],
        public_metadata=job['public'],
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({name: table})
    (synthetic,) = synthesizer.sample(num_rows=len(table)).values()
    seconds = time.perf_counter() - start
    report = DiagnosticReport()
    report.generate({name: table}, {name: synthetic}, metadata.to_dict(), verbose=False)
    properties = dict(report.get_properties()[['Property', 'Score']].to_numpy())
    faults = '; '.join(find_faults(report, table, synthetic))
    return {'score': report.get_score(), **properties, 'seconds': seconds, 'faults': faults}


def find_faults(
    report: DiagnosticReport, table: pd.DataFrame, synthetic: pd.DataFrame
) -> Iterator[str]:
    """Say what keeps a score from 1."""
    details = report.get_details('Data Validity')
    for row in details[details['Score'] < 1].to_dict('records'):
        yield f'{row["Column"]}: {row["Metric"]} {row["Score"]:.5f}'
    for name, dtype in synthetic.dtypes.astype(str).items():
        if dtype != str(table[name].dtype):
            yield f'{name}: {dtype} instead of {table[name].dtype}'


BENCHMARK = Benchmark(
    name='diagnostic',
    list_jobs=list_jobs,
    measure=measure,
    options={'tables': list(TARGETS), 'repeats': 1},
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
