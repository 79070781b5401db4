"""Rows that can exist: how far marginals are off, and how many rows contradict themselves.

    python benchmarks/marginals.py                                # an hour; with peers, a day
    python benchmarks/marginals.py --tables census_kdd --methods 'pairs of columns' --repeats 2
    python benchmarks/marginals.py --tables adult compas --epsilons 1 --methods ours --repeats 1

The density is that of pairs of columns alone, at ``alpha=1``, or that of correlations alone, as it
is where noise would drown pairs; with a target, it is one of these or the other for all values of
``alpha``; with none named, and the default of ``alpha``, the last column stands for it. Ranges and
categories are public. Marginals, impossible rows and the classifier that tells real rows from
synthetic ones are those of ``likeness.py``. Relations are known of Adult, of telco_churn, and of a
table that is made of columns that follow from others (``dependencies.py``). PrivMRF's four coded
tables are fitted as in its protocol: all rows, public domains, its budgets. Tables of
``docs/lab/marginals.md`` and ``docs/lab/alpha.md`` are made of the results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from dependencies import count_breaks, make_split
from likeness import count_impossible, measure_marginals, tell_apart
from methods import BASELINES, NOT_PRIVATE, PRIVATE_PEERS, UNPAIRED, Method, Terms, clustmix
from pages import LAB, pick, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from scores import score_models
from tables import PROBLEMS, Split, load_coded, load_split

#: The weights of the density whose trade is shown.
ALPHAS = {f'target, α = {alpha:g}': alpha for alpha in (1.0, 0.75, 0.5, 0.25, 0.0)}

#: Ours without a target; what is shown of it is compared with all others.
PAIRS = 'pairs of columns'

#: Other real rows: the test part, or the fitted rows drawn again where there is none.
REAL = 'other real rows'

OURS: dict[str, Method] = {
    PAIRS: clustmix(public=True, target=False, alpha=1.0),
    'no target named': clustmix(public=True, target=False),
    'correlations alone': clustmix(public=True, target=False, constants=UNPAIRED),
    **{name: clustmix(public=True, alpha=alpha) for name, alpha in ALPHAS.items()},
}
OTHERS = ('naive histograms', 'dpmm MST', 'dpmm AIM', 'GaussianCopula')
METHODS = (
    OURS
    | {name: (BASELINES | PRIVATE_PEERS | NOT_PRIVATE)[name] for name in OTHERS}
    | {REAL: lambda split, _: (draw_real(split), {})}
)

#: What stands on the page of relations and of marginals; all weights are on one of their own.
SHOWN = [name for name in METHODS if ALPHAS.get(name, 1) in (0.5, 1)]

#: The table of columns that follow from others; nothing is predicted in it.
MADE = 'dependencies'
BUDGETS = [1.0, 8.0, math.inf]

#: PrivMRF's tables and budgets, and what a published rerun of its authors' code found, as the mean
#: distance of marginals of three columns (houyuwushang/private-de, docs/EXTERNAL_BASELINES.md).
PROTOCOL = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2]
PUBLISHED = {
    'privmrf adult': [0.127128, 0.108537, 0.087550, 0.044208, 0.039715, 0.034298],
    'privmrf br2000': [0.094177, 0.076708, 0.051233, 0.027523, 0.020164, 0.016800],
    'privmrf acs': [0.013551, 0.009944, 0.005253, 0.004023, 0.002472, 0.001722],
    'privmrf nltcs': [0.018216, 0.015241, 0.007356, 0.004853, 0.003026, 0.002435],
}
DEFAULT_TABLES = ['adult', 'telco_churn', 'default_credit', 'compas', MADE, *PUBLISHED]

DELTA = 1e-5

#: The figures of all tables; what is neither of them nor known of a run is a relation.
KNOWN = ['table', 'method', 'epsilon', 'repeat', 'fit_seconds', 'score', 'note']
LIKENESS = ['1-way', '2-way', '3-way', 'impossible pairs', 'impossible triples', 'told apart']

#: What columns of telco_churn say where there is no internet, and no phone.
NO_INTERNET, NO_PHONE = 'No internet service', 'No phone service'

#: Who is married to someone of the same household.
SPOUSES = ['Husband', 'Wife']
MARRIED = ['Married-civ-spouse', 'Married-AF-spouse']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits: those of peers and of what knows no budget once."""
    for table, method in ((t, m) for t in options.tables for m in list_methods(options.methods)):
        if table in (MADE, *PUBLISHED) and method in ALPHAS:
            continue
        budgets = PROTOCOL if table in PUBLISHED else BUDGETS
        budgets = [each for each in budgets if each in options.epsilons]
        if method in (REAL, *NOT_PRIVATE):
            budgets = [math.inf]
        elif method in PRIVATE_PEERS:
            budgets = [each for each in budgets if math.isfinite(each)]
        repeats = options.repeats if method in (*OURS, *BASELINES) else 1
        yield from grid(table=[table], method=[method], epsilon=budgets, repeat=range(repeats))


def list_methods(names: list[str]) -> list[str]:
    """List methods by their names; ``ours`` are all of ours."""
    return [each for name in names for each in (OURS if name == 'ours' else [name])]


def measure(job: Job, options: Options) -> Row:
    """Fit, and look at as many synthetic rows as there are real ones."""
    split = load(job['table'], options)
    terms = Terms(job['epsilon'], DELTA, job['repeat'], options.timeout)
    synthetic, costs = METHODS[job['method']](split, terms)
    facts = split.metadata.tables[split.table_name].columns
    categories = [name for name, about in facts.items() if about['sdtype'] == 'categorical']
    found: Row = {'fit_seconds': costs.get('fit_seconds', 0.0)}
    found |= measure_marginals(split.train, synthetic)
    found |= count_impossible(split.train, synthetic, categories)
    found |= tell_apart(split.train, synthetic)
    if split.name in RELATIONS:
        found |= RELATIONS[split.name](split.train, synthetic)
    if split.name in PROBLEMS and job['method'] != REAL:  # these are what models are scored on
        found['score'] = score_models(split, synthetic)['score']
    return found


def load(name: str, options: Options) -> Split:
    """Load or make a table."""
    if name == MADE:
        return make_split()
    return (load_coded if name in PUBLISHED else load_split)(name, options.data)


def draw_real(split: Split) -> pd.DataFrame:
    """Return other real rows."""
    drawn = split.train.sample(len(split.train), replace=True, random_state=0)
    return split.test if len(split.test) else drawn.reset_index(drop=True)


def count_contradictions(real: pd.DataFrame, synthetic: pd.DataFrame) -> Row:
    """Count the rows of Adult that contradict themselves, as shares.

    Returns:
        The share of rows whose ``education`` has another number, that of husbands who are female,
        that of husbands and wives who are not married, and that of rows that have either a class of
        work or an occupation.
    """
    numbers = dict(zip(real['education'], real['education_num'], strict=True))
    wrong = synthetic['education'].map(numbers) != synthetic['education_num']
    relationship = synthetic['relationship']
    husbands, spouses = relationship == 'Husband', relationship.isin(SPOUSES)
    unmarried = ~synthetic['marital_status'].isin(MARRIED)
    alone = synthetic['workclass'].isna() != synthetic['occupation'].isna()
    return {
        'other education': float(wrong.mean()),
        'female husbands': float((synthetic['sex'][husbands] == 'Female').mean()),
        'unmarried spouses': float(unmarried[spouses].mean()),
        'work or occupation alone': float(alone.mean()),
    }


def count_denials(_: pd.DataFrame, synthetic: pd.DataFrame) -> Row:
    """Count the rows of telco_churn of which columns disagree on whether there is an internet."""
    without = synthetic['InternetService'] == 'No'
    services = [name for name in synthetic if (synthetic[name] == NO_INTERNET).any()]
    denied = [(synthetic[name] == NO_INTERNET) != without for name in services]
    phones = (synthetic['MultipleLines'] == NO_PHONE) != (synthetic['PhoneService'] == 'No')
    return {
        'internet or not': float(np.any(denied, axis=0).mean()),
        'phone or not': float(phones.mean()),
    }


def count_other_groups(real: pd.DataFrame, synthetic: pd.DataFrame) -> Row:
    """Count the rows of census_kdd of which an occupation, or an industry, is in another group."""
    found = {}
    for name in ('occupation', 'industry'):
        own, group = f'detailed_{name}_recode', f'major_{name}_code'
        says = dict(zip(real[own], real[group], strict=True))
        found[f'other group of {name}'] = float(
            (synthetic[own].map(says) != synthetic[group]).mean()
        )
    return found


#: What counts the rows that break known relations, by table.
RELATIONS = {
    'adult': count_contradictions,
    'census_kdd': count_other_groups,
    'telco_churn': count_denials,
    MADE: count_breaks,
}


def write_marginals(runs: pd.DataFrame) -> str:
    """Write medians: a row for each table, budget and method."""
    lines = []
    for job in grid(table=[*PROBLEMS, MADE], epsilon=BUDGETS, method=SHOWN):
        found = pick(runs, **job)
        if len(found) and pd.notna(found['1-way']).any():
            medians = found[[*LIKENESS, 'score']].median()
            shares = (write_share(medians[name]) for name in LIKENESS[3:5])
            score = [write_figure(medians['told apart'], 3), write_figure(medians['score'], 3)]
            shown = [*(write_figure(medians[name]) for name in LIKENESS[:3]), *shares, *score]
            lines.append([job['table'], write_epsilon(job['epsilon']), job['method'], *shown])
    return write_table(['table', 'ε', 'density', *LIKENESS, 'AUC or R²'], lines)


def write_relations(runs: pd.DataFrame) -> str:
    """Write the medians of rows that break a relation: a column for each method."""
    known, lines = [*KNOWN, *LIKENESS], []
    for table in RELATIONS:
        own = pick(runs, table=table)
        relations = own.dropna(axis=1, how='all').columns.drop(known, errors='ignore')
        for relation, epsilon in product(relations, BUDGETS):
            fits = (pick(own, method=method, epsilon=epsilon)[relation] for method in SHOWN)
            shown = [write_share(fit.median()) for fit in fits]
            lines.append([table, relation, write_epsilon(epsilon), *shown])
    return write_table(['table', 'relation', 'ε', *SHOWN], lines)


def write_protocol(runs: pd.DataFrame) -> str:
    """Write marginals of three columns beside the published rerun, a column for each budget."""
    lines = []
    for table, published in PUBLISHED.items():
        for method in (each for each in SHOWN if each not in NOT_PRIVATE):
            own = pick(runs, table=table, method=method)
            medians = own.groupby('epsilon')['3-way'].median()
            figures = [medians.get(math.inf if method == REAL else e, math.nan) for e in PROTOCOL]
            if np.isfinite(figures).any():
                lines.append([table, method, *map(write_figure, figures)])
        lines.append([table, 'PrivMRF, published', *map(write_figure, published)])
    return write_table(['table', 'method', *(f'ε = {each:g}' for each in PROTOCOL)], lines)


def write_trade(runs: pd.DataFrame, figure: str) -> str:
    """Write the medians of a figure by alpha: a row for each table and budget."""
    lines = []
    for job in grid(table=PROBLEMS, epsilon=BUDGETS[:2]):
        found = [pick(runs, method=name, **job)[figure].median() for name in ALPHAS]
        if np.isfinite(found).all():
            digits = 3 if figure == 'score' else 4
            shown = (write_figure(each, digits) for each in found)
            lines.append([job['table'], write_epsilon(job['epsilon']), *shown])
    return write_table(['table', 'ε', *(f'α = {alpha:g}' for alpha in ALPHAS.values())], lines)


def write_figure(value: float, digits: int = 4) -> str:
    """Write a figure; nothing where there is none."""
    return '' if math.isnan(value) else f'{value:.{digits}f}'.removeprefix('0')


def write_share(share: float) -> str:
    """Write a share in percent; nothing where there is none."""
    return '' if math.isnan(share) else f'{share:.2%}'


def write_pages(runs: pd.DataFrame) -> None:
    """Write the tables of both pages."""
    parts = {'marginals': write_marginals, 'relations': write_relations, 'privmrf': write_protocol}
    write_page(LAB / 'marginals.md', {name: write(runs) for name, write in parts.items()})
    trades = {'alpha_two': '2-way', 'alpha_three': '3-way', 'alpha_score': 'score'}
    write_page(LAB / 'alpha.md', {k: write_trade(runs, v) for k, v in trades.items()})


BENCHMARK = Benchmark(
    name='marginals',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': DEFAULT_TABLES,
        'methods': ['ours', *OTHERS, REAL],
        'epsilons': sorted({*PROTOCOL, *BUDGETS}),
        'repeats': 3,
    },
    choices={'tables': [*PROBLEMS, MADE, *PUBLISHED], 'methods': ['ours', *METHODS]},
    write_pages=write_pages,
    process='group',
    group=['table', 'method'],
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
