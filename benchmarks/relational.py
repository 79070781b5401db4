"""Several tables at once: ClustMix beside HMA without privacy, on four databases.

    python benchmarks/relational.py --tables berka diabetes130_rel --epsilons 1 3 8 inf --repeats 3
    python benchmarks/relational.py --public

Each run is a process of its own that loads, fits, samples as many rows, and scores; its peak of
memory is read after sampling. Where something is to be predicted, 30 % of the units are held out,
anew in each repeat: LightGBM learns to predict from joined synthetic tables and is tested on those.
Quality is SDMetrics' with all pairs counted, but it leaves out what concerns public tables alone,
which are copied; ``quality of all tables`` does not. With ``--public``, ClustMix is run once more,
told what may be public: ranges, categories and nullability, those of the units held out included,
and the least and the largest number of rows that refer to one row. Runs in
``benchmarks/results/relational.csv`` are not run again, so that a benchmark that was stopped goes
on; ``--again`` repeats those that failed. Medians are printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from databases import SETUPS, Parts, Setup, Tables, bound_children, load, state_facts
from sdmetrics.reports import DiagnosticReport, QualityReport

RESULTS = Path(__file__).parent / 'results' / 'relational.csv'
OURS, PUBLIC, HMA = 'ClustMix', 'ClustMix, public metadata', 'HMA'
KEY = ['setup', 'method', 'epsilon', 'repeat']
PROPERTIES = {
    'Column Shapes': 'shapes',
    'Column Pair Trends': 'pairs',
    'Cardinality': 'cardinality',
    'Intertable Trends': 'inter-table',
}
VALIDITY = {
    'Data Validity': 'validity',
    'Data Structure': 'structure',
    'Relationship Validity': 'references',
}
SCORES = ['quality', *PROPERTIES.values(), 'diagnostic']
COSTS = ['fit seconds', 'sample seconds', 'peak MB']
COLUMNS = [
    *KEY,
    'unit',
    'delta',
    *SCORES,
    *VALIDITY.values(),
    'quality of all tables',
    'AUC',
    'AUC of real data',
    *COSTS,
    'error',
]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    databases = list(dict.fromkeys(setup.database for setup in SETUPS.values()))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tables', nargs='+', default=databases, choices=databases)
    parser.add_argument('--epsilons', nargs='+', type=float, default=[1.0, 3.0, 8.0, math.inf])
    parser.add_argument('--delta', type=float, default=1e-6)
    parser.add_argument('--repeats', type=int, default=3, help='runs of ClustMix (default: 3)')
    parser.add_argument('--hma-repeats', type=int, default=1, help='runs of HMA (default: 1)')
    parser.add_argument('--timeout', type=float, default=900.0, help='seconds (default: 900)')
    parser.add_argument('--memory', type=float, default=8.0, help='GB of a run (default: 8)')
    parser.add_argument('--public', action='store_true', help='state what may be public, too')
    parser.add_argument('--again', action='store_true', help='repeat the runs that failed')
    parser.add_argument('--data', type=Path, default=Path('../shared/data'))
    parser.add_argument('--job', type=json.loads, help=argparse.SUPPRESS)
    return parser.parse_args()


def list_jobs(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """List the runs: ours everywhere, HMA where it accepts the tables."""
    for name, setup in SETUPS.items():
        if setup.database not in arguments.tables:
            continue
        hma_repeats = 0 if setup.tables is None else arguments.hma_repeats
        for repeat in range(hma_repeats):
            yield {'setup': name, 'method': HMA, 'epsilon': math.inf, 'repeat': repeat}
        ours = (OURS, PUBLIC) if arguments.public else (OURS,)
        for method, epsilon in itertools.product(ours, arguments.epsilons):
            for repeat in range(arguments.repeats):
                yield {'setup': name, 'method': method, 'epsilon': epsilon, 'repeat': repeat}


def run_job(job: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """Run one job in a process of its own, and say why if it fails."""
    command = [sys.executable, __file__, '--job', json.dumps(job), '--data', str(arguments.data)]
    command += ['--delta', str(arguments.delta), '--memory', str(arguments.memory)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=arguments.timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return {**job, 'error': f'not done after {arguments.timeout:g} seconds'}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f'exit status {done.returncode}']
        return {**job, 'error': lines[-1][:200]}
    return {**job, **json.loads(done.stdout.splitlines()[-1])}


def make_synthesizer(job: dict[str, Any], setup: Setup, parts: Parts, delta: float) -> Any:
    """Make a fresh synthesizer; only what is used is imported, for its memory's sake."""
    if job['method'] == HMA:
        from sdv.multi_table import HMASynthesizer

        return HMASynthesizer(parts.metadata, verbose=False)
    from sdv_threea import ClustMixMultiTableSynthesizer

    public = job['method'] == PUBLIC
    return ClustMixMultiTableSynthesizer(
        parts.metadata,
        epsilon=job['epsilon'],
        delta=delta,
        privacy_unit=setup.unit,
        public_tables=setup.public,
        target=dict(setup.targets),
        public_metadata=public,
        **(bound_children(parts.train, parts.metadata, setup.public) if public else {}),
    )


def measure(job: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """Fit, sample and score one synthesizer; the peak of memory is that until sampling is done."""
    most = int(arguments.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    setup = SETUPS[job['setup']]
    parts = load(setup, arguments.data, job['repeat'])
    if job['method'] == PUBLIC:
        parts = state_facts(parts)
    synthesizer = make_synthesizer(job, setup, parts, arguments.delta)
    start = time.perf_counter()
    synthesizer.fit(parts.train)
    fitted = time.perf_counter()
    synthetic = synthesizer.sample_scale(1.0)
    costs = {
        'fit seconds': fitted - start,
        'sample seconds': time.perf_counter() - fitted,
        'peak MB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    promise = {'unit': setup.unit, 'delta': arguments.delta} if job['method'] != HMA else {}
    scores = measure_likeness(parts, synthetic, setup.public)
    return {**promise, **scores, **measure_usefulness(setup, parts, synthetic), **costs}


def measure_likeness(parts: Parts, synthetic: Tables, public: tuple[str, ...]) -> dict[str, float]:
    """Run SDMetrics' quality and diagnostic reports on all tables."""
    quality, diagnostic = QualityReport(), DiagnosticReport()
    quality.real_correlation_threshold = quality.real_association_threshold = 0.0
    for report in (quality, diagnostic):
        # The reports turn dates into timestamps where they find them.
        copies = ({n: t.copy() for n, t in each.items()} for each in (parts.train, synthetic))
        report.generate(*copies, parts.metadata.to_dict(), verbose=False)
    valid = diagnostic.get_properties().set_index('Property')['Score']
    likeness = {short: score_private(quality, name, public) for name, short in PROPERTIES.items()}
    return {
        'quality': pd.Series(likeness).mean(),
        **likeness,
        'diagnostic': diagnostic.get_score(),
        **{short: valid[name] for name, short in VALIDITY.items()},
        'quality of all tables': quality.get_score(),
    }


def score_private(report: QualityReport, name: str, public: tuple[str, ...]) -> float:
    """The mean score of a property over what does not concern public tables alone."""
    details = report.get_details(name)
    named = details[[each for each in details if each.endswith('Table')]]
    return float(details['Score'][~named.isin(public).all(axis=1)].mean())


def measure_usefulness(setup: Setup, parts: Parts, synthetic: Tables) -> dict[str, float]:
    """Train on joined synthetic tables, and test on those of the units held out."""
    if setup.join is None or parts.test is None:
        return {}
    from sdv_threea.report import train_synthetic_test_real

    tables = [setup.join(each) for each in (parts.train, synthetic, parts.test)]
    target = tables[0].columns[-1]
    scores = train_synthetic_test_real(*tables, target)['AUC']
    return {'AUC': scores['synthetic'], 'AUC of real data': scores['real']}


def run_all(arguments: argparse.Namespace) -> pd.DataFrame:
    """Run what has not been run, and write each run down at once."""
    table = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=COLUMNS)
    if arguments.again:
        table = table[table['error'].isna()]
    RESULTS.parent.mkdir(exist_ok=True)
    for job in list_jobs(arguments):
        if (table[KEY] == pd.Series(job)[KEY]).all(axis=1).any():
            continue
        run = run_job(job, arguments)
        print(*(f'{name} {run[name]},' for name in KEY), summarize(run), flush=True)
        row = pd.DataFrame([run], columns=COLUMNS)
        table = row if table.empty else pd.concat([table, row], ignore_index=True)
        table.to_csv(RESULTS, index=False, float_format='%.6g')
    return table


def summarize(run: dict[str, Any]) -> str:
    """Say in one line how a run went."""
    if 'error' in run:
        return run['error']
    return f'quality {run["quality"]:.3f}, fit {run["fit seconds"]:.1f} s'


def print_markdown(table: pd.DataFrame) -> None:
    """Print the medians, and how they compare with HMA's on the same tables."""
    groups = ['setup', 'method', 'epsilon']
    ranks = {name: rank for rank, name in enumerate([*SETUPS, HMA, OURS, PUBLIC])}
    table = table.sort_values(groups, key=lambda names: names.replace(ranks).astype(float))
    shown = table.assign(seconds=table['fit seconds'] + table['sample seconds'])
    printed = [*SCORES, 'AUC', 'AUC of real data', 'seconds', 'peak MB']
    medians = shown.groupby(groups, sort=False)[printed].median()
    setups, methods = (medians.index.get_level_values(each) for each in groups[:2])
    hma = medians[methods == HMA].droplevel(groups[1:])
    medians.insert(1, 'of HMA', medians['quality'] / setups.map(hma['quality']))
    medians['times faster'] = setups.map(hma['seconds']) / medians['seconds']
    print('|', ' | '.join(['tables', 'method', *medians]), '|')
    print('|' + '---|' * (len(medians.columns) + 2))
    for (setup, method, epsilon), row in medians.iterrows():
        name = 'HMA, no privacy' if method == HMA else f'**{method}**, ε = {_tell(epsilon)}'
        print('|', ' | '.join([setup, name, *(_write(*cell) for cell in row.items())]), '|')
    for run in table[table['error'].notna()].itertuples():
        print(f'\n{run.setup}, {run.method}, ε = {_tell(run.epsilon)}: {run.error}')


def _tell(epsilon: float) -> str:
    return '∞' if math.isinf(epsilon) else f'{epsilon:g}'


def _write(name: str, value: float) -> str:
    if pd.isna(value):
        return ''
    if name == 'peak MB':
        return f'{value:.0f}'
    return f'{value:.1f}' if name in ('seconds', 'times faster') else f'{value:.3f}'


def main() -> None:
    """Run what is asked for, or a single job for the process that asked for it."""
    warnings.simplefilter('ignore')
    arguments = parse_arguments()
    if arguments.job is not None:
        print(json.dumps(measure(arguments.job, arguments)))
        return
    table = run_all(arguments)
    databases = table['setup'].map({name: setup.database for name, setup in SETUPS.items()})
    asked = databases.isin(arguments.tables)
    asked &= table['epsilon'].isin(arguments.epsilons) | (table['method'] == HMA)
    print()
    print_markdown(table[asked])


if __name__ == '__main__':
    main()
