"""What a fit costs: seconds and memory against rows, columns, categories and epsilon.

    python benchmarks/cost.py --small               # minutes
    python benchmarks/cost.py                       # two hours, most of it the peers'
    python benchmarks/cost.py --only rows --methods ClustMix --again

Each measurement is a process of its own, from the import on: it makes the table, fits, fits once
more (the first fit loads and compiles what all later ones use), and samples. Everybody is given the
same table; categories are turned into objects for the peers, before the clock starts. Every run is
a row of ``benchmarks/results/cost.csv``, written as soon as it is done; what is there is not run
again. Where a method takes too long or too much memory, larger tables of the series are not tried.
``python benchmarks/tabulate_cost.py`` makes pictures and the figures of ``docs/scaling.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from cost_jobs import COPULA, METHODS, MST, OURS, SERIES, Job, list_jobs
from processes import Ended, run, tell_failure
from rows import append

RESULTS = Path(__file__).parent / 'results' / 'cost.csv'
DATA = Path('../shared/data')

KEY = ['series', 'method', 'rows', 'columns', 'values', 'epsilon', 'repeat']
PARTS = ['fit', 'refit', 'sample']
COSTS = [f'{part}_{cost}' for part in PARTS for cost in ('seconds', 'cpu_seconds', 'peak_mib')]
FIELDS = [*KEY, 'import_seconds', 'input_mib', *COSTS, 'sampled_rows', 'groups', 'note']

DELTA = 1e-6

#: A second fit is made after a first one of at most so many seconds; and the rows to sample.
SHORT, MOST_SAMPLED = {OURS: 300, COPULA: 20}, 1_000_000


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true', help='a run of minutes')
    parser.add_argument('--only', nargs='+', choices=SERIES, default=list(SERIES))
    parser.add_argument('--methods', nargs='+', choices=METHODS, default=METHODS)
    parser.add_argument('--again', action='store_true', help='run what is there once more')
    parser.add_argument('--timeout', type=float, default=1200, help='seconds for one run')
    parser.add_argument('--memory', type=float, default=14, help='GiB that a run may take')
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--results', type=Path, default=RESULTS)
    parser.add_argument('--environments', type=Path, help="where those of the peers' lie")
    parser.add_argument('--job', type=json.loads, help=argparse.SUPPRESS)
    return parser.parse_args()


def list_asked(arguments: argparse.Namespace) -> list[Job]:
    """List all that is asked for, but for what there is no data for."""
    names = list(arguments.only)
    if 'isolet' in names and not (arguments.data / 'isolet').is_dir():
        print(f'isolet: not in {arguments.data}, skipped')
        names.remove('isolet')
    return list(list_jobs(names, arguments.methods, small=arguments.small))


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


def measure(job: Job, arguments: argparse.Namespace) -> Job:
    """Measure one method on one table, in this process."""
    warnings.simplefilter('ignore')
    start = time.perf_counter()
    import sdv_threea.synthesizers.single_table  # noqa: F401 (its seconds are measured)

    figures: dict[str, Any] = {'import_seconds': time.perf_counter() - start}
    table, metadata, target = load_table(job, arguments.data)
    figures['input_mib'] = table.memory_usage(deep=True).sum() / 2**20
    shape = {'rows': len(table), 'columns': table.shape[1]}
    if shape != {name: job[name] for name in shape}:
        raise ValueError(f'the table has another shape than the job: {shape}')
    if job['method'] == OURS:
        return figures | measure_synthesizer(job, table, metadata, target)
    from made import as_objects

    if job['method'] == COPULA:
        return figures | measure_synthesizer(job, as_objects(table), metadata, target)
    return figures | measure_mst(job, as_objects(table), metadata, target, arguments)


def measure_synthesizer(job: Job, table: pd.DataFrame, metadata: Any, target: str) -> Job:
    """Measure a synthesizer of SDV: the first fit, a later one, then the sampling."""
    from meters import measured

    figures: dict[str, Any] = {'sampled_rows': min(len(table), MOST_SAMPLED)}
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
    if job['method'] == OURS:
        figures['groups'] = synthesizer._model.mixture.weights.size
    with measured('sample', figures):
        synthesizer.sample(num_rows=figures['sampled_rows'])
    return figures


def measure_mst(
    job: Job, table: pd.DataFrame, metadata: Any, target: str, arguments: argparse.Namespace
) -> Job:
    """Measure dpmm's MST in its own environment; the peak of memory is that of its process."""
    from peers import PEERS, run_peer
    from peers.environments import FOLDER
    from tables import Split, state_facts

    split = Split(job['series'], target, table, table[:0], metadata, numeric=False)
    terms = {name: job[name] for name in ('epsilon',)} | {'delta': DELTA, 'seed': 0}
    place = arguments.environments or FOLDER
    facts = state_facts(table, metadata)
    _, figures = run_peer(
        *PEERS[MST], split, facts, timeout=arguments.timeout, folder=place, **terms
    )
    costs = {name: figures[name] for name in ('fit_seconds', 'sample_seconds')}
    return costs | {'fit_peak_mib': figures['peak_mib'], 'sampled_rows': len(table)}


def run_job(job: Job, arguments: argparse.Namespace) -> Job:
    """Run a job in a process of its own; one that fails or takes too much says so in its note."""
    command = [sys.executable, __file__, '--job', json.dumps(job), '--data', str(arguments.data)]
    command += ['--timeout', str(arguments.timeout)]
    if arguments.environments:
        command += ['--environments', str(arguments.environments.resolve())]
    # A peer stops itself; making its environment is not counted.
    limit = arguments.timeout + (2400 if job['method'] == MST else 60)
    try:
        done = run(command, limit, arguments.memory)
    except Ended as why:
        return {'note': str(why)}
    if done.returncode:
        return {'note': tell_failure(done)}
    return json.loads(done.stdout.strip().splitlines()[-1])


def name_run(run: Any) -> tuple[str, ...]:
    """What identifies a run, in the words of the file of results."""
    return tuple(f'{run[k]:g}' if isinstance(run[k], int | float) else str(run[k]) for k in KEY)


def read_done(arguments: argparse.Namespace) -> dict[tuple[str, ...], str]:
    """Read what is there, and how it ended; forget first what is to be run again."""
    if not arguments.results.exists():
        return {}
    runs = pd.read_csv(arguments.results)
    if arguments.again:
        asked = {name_run(job) for job in list_asked(arguments)}
        kept = [name_run(run) not in asked for run in runs.to_dict('records')]
        runs = runs[kept]
        runs.to_csv(arguments.results, index=False)
    notes = runs['note'].fillna('')
    return {name_run(run): note for run, note in zip(runs.to_dict('records'), notes, strict=True)}


def main() -> None:
    """Run what is missing, and append it to the results."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    arguments = parse_arguments()
    if arguments.job is not None:
        print('\n' + json.dumps(measure(arguments.job, arguments)))
        return
    done = read_done(arguments)
    given_up: set[tuple[str, str]] = set()
    for job in list_asked(arguments):
        group = job['series'], job['method']
        note = done.get(name_run(job))
        if note is None:
            given = {'note': 'not tried: a smaller table failed'}
            result = given if group in given_up else run_job(job, arguments)
            append(arguments.results, FIELDS, job | result)
            note = result.get('note', '')
            shown = note or f'fit {result["fit_seconds"]:.2f} s'
            print(*(f'{name} {job[name]},' for name in KEY), shown, flush=True)
        if note and job['series'] in ('rows', 'columns', 'categories'):
            given_up.add(group)


if __name__ == '__main__':
    main()
