"""The benchmark of utility per unit of privacy: every method on every table at every budget.

    python benchmarks/utility.py --small            # minutes: ours and the baselines, small tables
    python benchmarks/utility.py                    # ours, all tables and budgets, five repeats
    python benchmarks/utility.py --methods peers --epsilons 1 --repeats 1 --timeout 900

Each run fits on the training part, samples as many rows, trains LightGBM and a linear model on them
and scores both on the real test part, which nothing else sees. Every run is a row of
``benchmarks/results/utility.csv``, written as soon as it is done; what is there is not run again,
so the benchmark can be stopped and resumed. A method that fails or takes too long is a row that
says so. ``python benchmarks/tabulate_utility.py`` makes tables and plots of the rows.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pandas as pd
from meters import measured
from methods import ABLATIONS, BASELINES, METHODS, NOT_PRIVATE, OURS, PRIVATE_PEERS, Terms, applies
from rows import append
from scores import score_models, score_quality
from tables import DATA, PROBLEMS, Split, load_split

RESULTS = Path(__file__).parent / 'results' / 'utility.csv'

#: What identifies a run, and what is measured.
KEY = ['table', 'method', 'epsilon', 'repeat']
SCORES = ['score', 'linear score', 'AUC', 'average precision', 'accuracy', 'R2']
QUALITY = ['quality', 'shapes', 'pairs']
COSTS = ['fit_seconds', 'sample_seconds', 'peak_mib']
FIELDS = [*KEY, *SCORES, *QUALITY, *COSTS, 'note']

GROUPS = {
    'ours': list(OURS),
    'ablations': list(ABLATIONS),
    'baselines': list(BASELINES),
    'peers': list(PRIVATE_PEERS),
    'sdv': list(NOT_PRIVATE),
}

#: The tables of the benchmark, and the small ones among them.
TABLES = list(PROBLEMS)[:15]
SMALL = ['compas', 'telco_churn', 'german_credit', 'bike_sharing']

#: Seconds of scoring, on top of what a run may take.
SCORING = 300

#: Quality takes longer than all else, and varies little: it is measured on the first repeats.
QUALITY_REPEATS = 1


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true', help='a run of minutes')
    parser.add_argument('--tables', nargs='+', choices=list(PROBLEMS), default=TABLES)
    parser.add_argument('--methods', nargs='+', choices=[*GROUPS, *METHODS], default=['ours'])
    parser.add_argument('--epsilons', nargs='+', type=float, default=[0.5, 1, 3, 8, math.inf])
    parser.add_argument('--repeats', type=int, default=5, help='runs of each kind (default: 5)')
    parser.add_argument('--delta', type=float, default=1e-5)
    parser.add_argument('--timeout', type=float, default=900, help='seconds for one run')
    parser.add_argument('--data', type=Path, default=DATA)
    arguments = parser.parse_args()
    if arguments.small:
        arguments.tables, arguments.methods = SMALL, ['ours', 'baselines']
        arguments.epsilons, arguments.repeats = [1, 8], 2
    names = [GROUPS.get(each, [each]) for each in arguments.methods]
    arguments.methods = ['real data', *(name for group in names for name in group)]
    return arguments


def list_runs(arguments: argparse.Namespace, table: str, method: str) -> Iterator[tuple]:
    """List the budgets and repeats of a method that are not among the results."""
    if method == 'real data':
        planned = [(math.inf, 0)]
    else:
        budgets = [each for each in arguments.epsilons if applies(method, each)]
        repeats = 1 if method in NOT_PRIVATE else arguments.repeats
        planned = [(epsilon, repeat) for epsilon in budgets for repeat in range(repeats)]
    done = set()
    if RESULTS.exists():
        rows = pd.read_csv(RESULTS)
        rows = rows[(rows['table'] == table) & (rows['method'] == method)]
        done = set(zip(rows['epsilon'], rows['repeat'], strict=True))
    return (each for each in planned if each not in done)


def measure(split: Split, method: str, terms: Terms) -> dict[str, Any]:
    """Run a method once and score it."""
    if method == 'real data':
        return score_models(split, split.train)
    memory: dict[str, float] = {}
    with measured('all', memory):
        synthetic, costs = METHODS[method](split, terms)
    costs = {'peak_mib': memory['all_peak_mib']} | costs
    scores = score_models(split, synthetic)
    if terms.seed < QUALITY_REPEATS:
        scores |= score_quality(split, synthetic)
    return scores | {name: costs[name] for name in COSTS}


def work(connection: Connection, table: str, method: str, runs: list, options: dict) -> None:
    """Do the runs of one method on one table, and send what each gave."""
    split = load_split(table, options['data'])
    for epsilon, repeat in runs:
        terms = Terms(epsilon, options['delta'], repeat, options['timeout'])
        try:
            connection.send(measure(split, method, terms))
        except Exception as error:  # a row says what it was
            connection.send({'note': f'{type(error).__name__}: {error}'.splitlines()[0][:160]})


def run_all(arguments: argparse.Namespace, table: str, method: str, runs: list) -> Iterator[dict]:
    """Do runs in a process of their own, so that one can be stopped and its memory is its own."""
    options = {name: getattr(arguments, name) for name in ('data', 'delta', 'timeout')}
    context = multiprocessing.get_context('spawn')
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(there, table, method, runs, options), daemon=True)
    process.start()
    there.close()
    # Peers stop themselves at the time limit; SDV's have to be done with scoring by then.
    limit = arguments.timeout + (0 if method in NOT_PRIVATE else SCORING)
    for at, _ in enumerate(runs):
        try:
            row = here.recv() if here.poll(limit) else None
        except EOFError:
            row = {'note': 'the process died'}
        yield row or {'note': f'timed out after {arguments.timeout:.0f} s'}
        if row is None or row.get('note') == 'the process died':
            yield from ({'note': 'not tried: an earlier run failed'} for _ in runs[at + 1 :])
            break
    process.kill()
    process.join()


def main() -> None:
    """Run what is missing, and append it to the results."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    arguments = parse_arguments()
    for table in arguments.tables:
        if not (arguments.data / PROBLEMS[table].table).is_dir():
            print(f'{table}: not in {arguments.data}, skipped')
            continue
        for method in arguments.methods:
            runs = list(list_runs(arguments, table, method))
            results = run_all(arguments, table, method, runs) if runs else ()
            for (epsilon, repeat), scores in zip(runs, results, strict=bool(runs)):
                key = dict(zip(KEY, (table, method, epsilon, repeat), strict=True))
                append(RESULTS, FIELDS, key | scores)
                shown = scores.get('note') or f'{scores["score"]:.4f}'
                print(f'{table}, {method}, epsilon {epsilon:g}, {repeat}: {shown}', flush=True)


if __name__ == '__main__':
    main()
