"""Rows that can exist: how far marginals are off, and how many rows contradict themselves.

    python benchmarks/marginals.py                                # ten minutes
    python benchmarks/marginals.py --tables adult compas --epsilons 1 --repeats 1

The density is that of pairs of columns, or that of correlations alone, as it is where noise would
drown pairs; with a target, it is that of pairs at ``alpha=1``. Ranges and categories are public. A
marginal is the joint distribution of one, two or three columns, numbers in 32 intervals of equal
width; the distance is total variation, and its mean over all sets of columns, or over 300 of them,
is shown. Relations are known of Adult, of telco_churn, and of a table that is made of columns that
follow from others (``dependencies.py``). The tables of ``docs/benchmark.md`` are made of the
results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from dependencies import count_breaks, make_split
from methods import Method, Terms, clustmix
from numpy.typing import NDArray
from pages import DOCS, pick, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from scores import score_models
from tables import PROBLEMS, Split, load_split

METHODS: dict[str, Method] = {
    'pairs of columns': clustmix(public=True, target=False),
    'correlations alone': clustmix(public=True, target=False, n_components=1),
    'target, α = 1': clustmix(public=True, alpha=1.0),
    'target, α = 0.5': clustmix(public=True),
}

#: The table of columns that follow from others; nothing is predicted in it.
MADE = 'dependencies'
TABLES = (*PROBLEMS, MADE)

#: Intervals of a number, and the most sets of columns that are looked at.
NUM_INTERVALS, MOST_SETS = 32, 300

DELTA = 1e-5

#: What columns of telco_churn say where there is no internet.
NO_INTERNET = 'No internet service'

#: Who is married to someone of the same household.
SPOUSES = ['Husband', 'Wife']
MARRIED = ['Married-civ-spouse', 'Married-AF-spouse']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    repeats = range(options.repeats)
    found = {'table': options.tables, 'method': options.methods, 'epsilon': options.epsilons}
    for job in grid(**found, repeat=repeats):
        if job['table'] != MADE or 'target' not in job['method']:
            yield job


def measure(job: Job, options: Options) -> Row:
    """Fit, and look at as many synthetic rows as there are real ones."""
    made = job['table'] == MADE
    split = make_split() if made else load_split(job['table'], options.data)
    terms = Terms(job['epsilon'], DELTA, job['repeat'], options.timeout)
    synthetic, _ = METHODS[job['method']](split, terms)
    distances = measure_marginals(split.train, synthetic)
    found: Row = {f'{size}-way': distance for size, distance in distances.items()}
    if job['table'] in RELATIONS:
        found |= RELATIONS[job['table']](split.train, synthetic)
    return found if made else found | {'score': _score(split, synthetic)}


def measure_marginals(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[int, float]:
    """Measure the mean distance of marginals of one, two and three columns."""
    codes = [_encode(real[name], synthetic[name]) for name in real]
    rng = np.random.default_rng(0)
    means = {}
    for size in (1, 2, 3):
        sets = list(combinations(range(len(codes)), size))
        if len(sets) > MOST_SETS:
            chosen = rng.choice(len(sets), MOST_SETS, replace=False)
            sets = [sets[at] for at in chosen]
        means[size] = float(np.mean([_distance([codes[at] for at in each]) for each in sets]))
    return means


def count_contradictions(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Count the rows of Adult that contradict themselves, as shares.

    Returns:
        The share of rows whose ``education`` has another number, that of husbands who are female,
        and that of husbands and wives who are not married.
    """
    numbers = dict(zip(real['education'], real['education_num'], strict=True))
    wrong = synthetic['education'].map(numbers) != synthetic['education_num']
    relationship = synthetic['relationship']
    husbands, spouses = relationship == 'Husband', relationship.isin(SPOUSES)
    unmarried = ~synthetic['marital_status'].isin(MARRIED)
    return {
        'other education': float(wrong.mean()),
        'female husbands': float((synthetic['sex'][husbands] == 'Female').mean()),
        'unmarried spouses': float(unmarried[spouses].mean()),
    }


def count_denials(_: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Count the rows of telco_churn of which columns disagree on whether there is an internet."""
    without = synthetic['InternetService'] == 'No'
    services = [name for name in synthetic if (synthetic[name] == NO_INTERNET).any()]
    denied = [(synthetic[name] == NO_INTERNET) != without for name in services]
    return {'internet or not': float(np.any(denied, axis=0).mean())}


#: What counts the rows that break known relations, by table.
RELATIONS = {'adult': count_contradictions, 'telco_churn': count_denials, MADE: count_breaks}


def _encode(real: pd.Series, synthetic: pd.Series) -> list[NDArray[np.int64]]:
    """Encode a column of both tables: intervals of numbers, categories, 0 for missing values."""
    if pd.api.types.is_numeric_dtype(real) and not pd.api.types.is_bool_dtype(real):
        tables = [table.astype(float).to_numpy() for table in (real, synthetic)]
        cuts = np.linspace(np.nanmin(tables[0]), np.nanmax(tables[0]), NUM_INTERVALS + 1)[1:-1]
        codes = [np.searchsorted(cuts, values, side='right') + 1 for values in tables]
        return [np.where(np.isnan(each), 0, own) for each, own in zip(tables, codes, strict=True)]
    values = pd.concat([real, synthetic]).astype(object)
    codes = pd.factorize(values.where(values.notna(), None).map(str))[0].astype(np.int64)
    return [codes[: len(real)], codes[len(real) :]]


def _distance(columns: Sequence[Sequence[NDArray[np.int64]]]) -> float:
    """Return the total variation between the joint distributions of columns of two tables."""
    joined = [np.zeros(len(table), dtype=np.int64) for table in columns[0]]
    for column in columns:
        size = 1 + max(int(codes.max(initial=0)) for codes in column)
        joined = [each * size + codes for each, codes in zip(joined, column, strict=True)]
    values, places = np.unique(np.concatenate(joined), return_inverse=True)
    parts = np.split(places, [len(joined[0])])
    shares = [np.bincount(part, minlength=len(values)) / len(part) for part in parts]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _score(split: Split, synthetic: pd.DataFrame) -> float:
    """Return the AUC or R2 of a model that is trained on synthetic rows."""
    return float(score_models(split, synthetic)['score'])


def write_marginals(runs: pd.DataFrame) -> str:
    """Write the medians of distances: a row for each table, budget and method."""
    distances = ['1-way', '2-way', '3-way']
    lines = []
    for job in grid(table=TABLES, epsilon=sorted(runs['epsilon'].unique()), method=METHODS):
        found = pick(runs, **job)
        if found.empty:
            continue
        medians = found[[*distances, 'score']].median()
        score = '' if math.isnan(medians['score']) else f'{medians["score"]:.3f}'
        shown = (f'{medians[name]:.4f}' for name in distances)
        lines.append([job['table'], show_epsilon(job['epsilon']), job['method'], *shown, score])
    return write_table(['table', 'ε', 'density', *distances, 'AUC or R²'], lines)


def write_relations(runs: pd.DataFrame) -> str:
    """Write the medians of rows that break a relation: a row for each, a column for each fit."""
    known = ['table', 'method', 'epsilon', 'repeat', '1-way', '2-way', '3-way', 'score']
    fits = list(grid(method=METHODS, epsilon=sorted(runs['epsilon'].unique())))
    lines = []
    for table in RELATIONS:
        own = pick(runs, table=table).dropna(axis=1, how='all')
        for relation in own.columns.drop(known, errors='ignore'):
            shown = [_show_share(pick(own, **fit)[relation].median()) for fit in fits]
            lines.append([table, relation, *shown])
    names = [f'{fit["method"]}, ε = {show_epsilon(fit["epsilon"])}' for fit in fits]
    return write_table(['table', 'relation', *names], lines)


def show_epsilon(epsilon: float) -> str:
    """Show an epsilon."""
    return '∞' if math.isinf(epsilon) else f'{epsilon:g}'


def _show_share(share: Any) -> str:
    return '' if math.isnan(share) else f'{share:.2%}'


BENCHMARK = Benchmark(
    name='marginals',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': ['adult', 'telco_churn', MADE],
        'methods': list(METHODS),
        'epsilons': [1.0, 8.0, math.inf],
        'repeats': 3,
    },
    choices={'tables': TABLES},
    write_pages=lambda runs: write_page(
        DOCS / 'benchmark.md',
        {'marginals': write_marginals(runs), 'relations': write_relations(runs)},
    ),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
