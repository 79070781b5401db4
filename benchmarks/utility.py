"""Utility per unit of privacy: every method on every table at every budget.

    python benchmarks/utility.py --methods ours baselines           # hours
    python benchmarks/utility.py --methods ablations --epsilons 1 --repeats 3
    python benchmarks/utility.py --methods peers sdv --epsilons 1 8 inf --repeats 1
    python benchmarks/utility.py --tables compas --epsilons 1 --repeats 1      # a minute

Each run fits on the training part, samples as many rows, trains LightGBM on them and scores it
on the real test part, which nothing else sees. Methods run in processes of their
own; one that fails or takes too long is a row that says so. ``utility_page.py`` makes
``docs/lab/benchmark.md`` and the table of the README of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module

from methods import ABLATIONS, BASELINES, METHODS, NOT_PRIVATE, OURS, PRIVATE_PEERS, Terms, applies
from runner import Benchmark, Job, Options, Row, grid
from scores import score_as_sdv, score_models, score_quality
from tables import PROBLEMS, load_split

#: The real training part, in place of a synthetic table.
REAL = 'real data'

GROUPS = {
    'ours': list(OURS),
    'ablations': list(ABLATIONS),
    'baselines': list(BASELINES),
    'peers': list(PRIVATE_PEERS),
    'sdv': list(NOT_PRIVATE),
}

#: The tables of the benchmark.
TABLES = list(PROBLEMS)[:15]

#: Seconds of the limit that are for scoring, and not for a peer.
SCORING = 300

#: Quality of all pairs takes longer than all else: it is measured on the first repeats.
QUALITY_REPEATS = 1

COSTS = ['fit_seconds', 'sample_seconds']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs, those of real data first."""
    names = [GROUPS.get(each, [each]) for each in options.methods]
    for table in options.tables:
        if not (options.data / PROBLEMS[table].table).is_dir():
            print(f'{table}: not in {options.data}, skipped')
            continue
        yield {'table': table, 'method': REAL, 'epsilon': math.inf, 'repeat': 0}
        for method in (name for group in names for name in group):
            epsilons = [each for each in options.epsilons if applies(method, each)]
            repeats = range(1 if method in NOT_PRIVATE else options.repeats)
            yield from grid(table=[table], method=[method], epsilon=epsilons, repeat=repeats)


def measure(job: Job, options: Options) -> Row:
    """Run a method once and score it."""
    split = load_split(job['table'], options.data)
    if job['method'] == REAL:
        return score_models(split, split.train)
    timeout = max(options.timeout - SCORING, 1)
    terms = Terms(job['epsilon'], options.delta, job['repeat'], timeout)
    synthetic, costs = METHODS[job['method']](split, terms)
    scores = score_models(split, synthetic) | score_as_sdv(split, synthetic)
    if job['repeat'] < QUALITY_REPEATS:
        scores |= score_quality(split, synthetic)
    return scores | {name: costs[name] for name in COSTS}


BENCHMARK = Benchmark(
    name='utility',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': TABLES,
        'methods': ['ours'],
        'epsilons': [0.5, 1.0, 3.0, 8.0, math.inf],
        'repeats': 5,
        'delta': 1e-5,
        'timeout': 900.0 + SCORING,
    },
    choices={'tables': PROBLEMS, 'methods': [*GROUPS, *METHODS]},
    write_pages=lambda runs: import_module('utility_page').write_all(runs),
    process='group',
    group=['table', 'method'],
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
