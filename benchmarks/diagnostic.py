"""SDMetrics' diagnostic on every single table: is each sampled value valid, each column in place?

    python benchmarks/diagnostic.py --repeats 3 --tables adult compas

Reads the tables of ``../shared/data`` (a folder per table: ``<name>.csv.gz`` and ``metadata.json``;
others that are laid out alike will do, see ``--data``). Each is fitted whole, ranges and categories
estimated privately or, with ``--public``, stated; as many rows are sampled. What keeps a score from
1 is printed by column. Every run goes to ``benchmarks/results/diagnostic.csv``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from sdmetrics.reports import DiagnosticReport
from sdv.metadata import Metadata
from tables import DATA, PROBLEMS, load, state_facts

from sdv_threea import ClustMixSynthesizer

RESULTS = Path(__file__).parent / 'results' / 'diagnostic.csv'

#: The columns that are predicted, by table: as they are, no problem made of them.
TARGETS = {
    name: problem.target if problem.label is None else 'readmitted'
    for name, problem in PROBLEMS.items()
    if name == problem.table
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--repeats', type=int, default=1, help='fits per table (default: 1)')
    parser.add_argument('--epsilon', type=float, default=1.0)
    parser.add_argument('--delta', type=float, default=1e-5)
    parser.add_argument('--public', action='store_true', help='state ranges and categories')
    parser.add_argument('--tables', nargs='+', default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument('--data', type=Path, default=DATA)
    return parser.parse_args()


def measure(
    table: pd.DataFrame, metadata: Metadata, settings: dict[str, Any]
) -> tuple[dict[str, float], list[str]]:
    """Fit, sample as many rows, and return the scores and what is wrong with which column."""
    name = metadata._get_single_table_name()
    start = time.perf_counter()
    synthesizer = ClustMixSynthesizer(metadata, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({name: table})
    (synthetic,) = synthesizer.sample(num_rows=len(table)).values()
    seconds = time.perf_counter() - start
    report = DiagnosticReport()
    real = {name: table}
    report.generate(real, {name: synthetic}, metadata.to_dict(), verbose=False)
    properties = dict(report.get_properties()[['Property', 'Score']].to_numpy())
    scores = {'score': report.get_score(), **properties, 'seconds': seconds}
    return scores, list(find_faults(report, table, synthetic))


def find_faults(
    report: DiagnosticReport, table: pd.DataFrame, synthetic: pd.DataFrame
) -> Iterator[str]:
    """Say what keeps a score from 1."""
    details = report.get_details('Data Validity')
    for _, row in details[details['Score'] < 1].iterrows():
        real, sampled = table[row['Column']], synthetic[row['Column']]
        fault = f'{row["Column"]}: {row["Metric"]} {row["Score"]:.5f}'
        if row['Metric'] == 'BoundaryAdherence':
            fault += f' [{real.min()}, {real.max()}] [{sampled.min()}, {sampled.max()}]'
        if sampled.isna().any() and not real.isna().any():
            fault += ', missing values'
        yield fault
    for name, dtype in synthetic.dtypes.astype(str).items():
        if dtype != str(table[name].dtype):
            yield f'{name}: {dtype} instead of {table[name].dtype}'


def main() -> None:
    """Run every table, write every run, print the scores."""
    arguments = parse_arguments()
    settings = {'epsilon': arguments.epsilon, 'delta': arguments.delta}
    runs = []
    for name in arguments.tables:
        if not (arguments.data / name).is_dir():
            print(f'{name}: not in {arguments.data}, skipped')
            continue
        table, metadata = load(name, arguments.data)
        metadata = state_facts(table, metadata) if arguments.public else metadata
        own = settings | {'target_column': TARGETS[name], 'public_metadata': arguments.public}
        for repeat in range(arguments.repeats):
            scores, faults = measure(table, metadata, own)
            runs.append({'table': name, 'public': arguments.public, 'repeat': repeat, **scores})
            print(f'{name}: {scores["score"]:.6f}, {scores["seconds"]:.0f} s', flush=True)
            print(*(f'    {fault}' for fault in faults), sep='\n', end='\n' if faults else '')
    RESULTS.parent.mkdir(exist_ok=True)
    keep(pd.DataFrame(runs)).to_csv(RESULTS, index=False, float_format='%.6f')


def keep(runs: pd.DataFrame) -> pd.DataFrame:
    """Add the runs to those of before, in place of the runs of the same table and kind."""
    if not RESULTS.exists():
        return runs
    before = pd.read_csv(RESULTS)
    same = pd.MultiIndex.from_frame(before[['table', 'public']])
    return pd.concat(
        [before[~same.isin(pd.MultiIndex.from_frame(runs[['table', 'public']]))], runs]
    )


if __name__ == '__main__':
    main()
