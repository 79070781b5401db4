"""Several tables at once: what ClustMix keeps between them, beside HMA and two baselines.

    python benchmarks/relational.py --repeats 1                # half an hour, most of it HMA's
    python benchmarks/relational.py --setups chinook --epsilons 3 --repeats 1 \
        --methods ClustMix --results /tmp/relational.csv       # seconds

Each run is a process of its own that loads, fits, samples as many rows, and measures; its peak of
memory is read after sampling. ``benchmarks/between.py`` has the measures, and
``benchmarks/database_rules.py`` rules that real rows keep. Where something is to be predicted, 30 %
of the units are held out, anew in each repeat: LightGBM learns to predict from joined synthetic
tables and is tested on those. With public metadata, ClustMix is told what may be public: ranges,
categories and nullability, those of the units held out included, and the least and the largest
number of rows that refer to one row.

Of the baselines, one is the real tables with their keys shuffled: all rows are right, and none is
with its unit. The second is the units held out: samples that keep more repeat chance. The third
releases each table by itself, one row of each unit where there is noise, for the same budget
together, and deals the keys at random.
"""

from __future__ import annotations

import itertools
import math
import resource
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from between import measure_between
from database_rules import measure_rules
from databases import SETUPS, Parts, Setup, Tables, bound_children, load, state_facts
from pages import DOCS, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from sdv.metadata import Metadata
from views import View

from sdv_threea.errors import ACCEPTABLE

OURS, PUBLIC, HMA = 'ClustMix', 'ClustMix, public metadata', 'HMA'
ALONE, SHUFFLED = 'tables alone, keys at random', 'real tables, keys shuffled'
OTHERS = 'real tables, other units'
METHODS = [SHUFFLED, OTHERS, ALONE, HMA, OURS, PUBLIC]

#: The methods without noise.
PLAIN = (SHUFFLED, OTHERS, HMA)

#: What the page shows, by heading: a measure of a run.
FIGURES = {
    'kept: owner': 'owner',
    'kept: siblings': 'siblings',
    'kept: public parent': 'public parent',
    'kept: grandparent': 'grandparent',
    'kept: two children': 'two children',
    'const': 'const',
    'dates': 'dates',
    'two-hop': 'two-hop',
    'two-individual': 'two-individual',
    'told apart': 'told apart',
    'cardinality': 'cardinality',
    'AUC': 'AUC',
    'AUC of real data': 'AUC of real data',
    'seconds': 'seconds',
    'peak MB': 'peak MB',
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs: ours everywhere, HMA where it accepts the tables."""
    for name, method in itertools.product(options.setups, METHODS):
        if method not in options.methods or (method == HMA and SETUPS[name].tables is None):
            continue
        if method == OTHERS and SETUPS[name].join is None:
            continue
        epsilons, repeats = options.epsilons, range(options.repeats)
        if method in PLAIN:
            epsilons, repeats = [math.inf], range(1)
        yield from grid(setup=[name], method=[method], epsilon=epsilons, repeat=repeats)


def measure(job: Job, options: Options) -> Row:
    """Fit, sample and measure one synthesizer; the peak of memory is that of fit and sample."""
    warnings.simplefilter('ignore')
    setup = SETUPS[job['setup']]
    parts = load(setup, options.data, job['repeat'])
    if job['method'] == PUBLIC:
        parts = state_facts(parts)
    real = View(parts.train, parts.metadata, setup.unit, setup.public)
    start = time.perf_counter()
    made = make_tables(job, setup, parts, real, options.delta)
    costs = {
        'seconds': time.perf_counter() - start,
        'peak MB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    promise = {} if job['method'] in PLAIN else {'unit': setup.unit, 'delta': options.delta}
    view = View(made, parts.metadata, setup.unit, setup.public, like=real)
    between = measure_between(real, view, job['repeat'])
    if job['method'] == OTHERS:  # they are fewer, so counts say nothing
        between = {name: own for name, own in between.items() if not name.startswith('two-')}
    return {
        **promise,
        **between,
        **measure_rules(setup.database, parts.train, made),
        **measure_usefulness(setup, parts, made),
        **costs,
    }


def make_tables(job: Job, setup: Setup, parts: Parts, real: View, delta: float) -> Tables:
    """Make synthetic tables of the sizes of the real ones; only what is used is imported."""
    if job['method'] == OTHERS and parts.test is not None:
        return parts.test
    if job['method'] == SHUFFLED:
        return shuffle_keys(dict(parts.train), real, job['repeat'])
    if job['method'] == ALONE:
        alone = release_alone(job, setup, parts, real, delta)
        return shuffle_keys(alone, real, job['repeat'])
    if job['method'] == HMA:
        from sdv.multi_table import HMASynthesizer

        synthesizer: Any = HMASynthesizer(parts.metadata, verbose=False)
        synthesizer.fit(parts.train)
        made: Tables = synthesizer.sample_scale(1.0)
        return made
    from sdv_threea import ClustMixMultiTableSynthesizer

    public = job['method'] == PUBLIC
    bounds = bound_children(parts.train, parts.metadata, setup.public) if public else {}
    synthesizer = ClustMixMultiTableSynthesizer(
        parts.metadata,
        epsilon=job['epsilon'],
        delta=delta,
        privacy_unit=setup.unit,
        public_tables=setup.public,
        target=dict(setup.targets),
        public_metadata=public,
        accept=ACCEPTABLE,
        **bounds,
    )
    synthesizer.fit(parts.train)
    sampled: Tables = synthesizer.sample_scale(1.0)
    return sampled


def shuffle_keys(tables: Tables, real: View, seed: int) -> Tables:
    """Deal the keys of private tables at random, with the real numbers of children."""
    rng, shuffled = np.random.default_rng(seed), {}
    for name, table in tables.items():
        links = real.schema.links_of(name) if name in real.schema.private else ()
        keys = {link.columns[0]: rng.permutation(table[link.columns[0]]) for link in links}
        shuffled[name] = table.assign(**keys)
    return shuffled


def release_alone(job: Job, setup: Setup, parts: Parts, real: View, delta: float) -> Tables:
    """Release each private table by itself; keys are copied, to be shuffled."""
    from sdv_threea import ClustMixSynthesizer
    from sdv_threea.accounting import epsilon_from_mu, mu_from_epsilon
    from sdv_threea.rows.units.membership import bound_rows, find_units

    epsilon, made = job['epsilon'], dict(parts.train)
    private, noisy = real.schema.private, math.isfinite(job['epsilon'])
    if noisy:
        mu = mu_from_epsilon(epsilon, delta) / math.sqrt(len(private))
        epsilon = epsilon_from_mu(mu, delta)
    num_rows = {name: len(table) for name, table in parts.train.items()}
    units = find_units(real.schema, num_rows, real.parents)
    for name in private:
        table, described = parts.train[name], parts.metadata.to_dict()['tables'][name]
        keys = [link.columns[0] for link in real.schema.links_of(name)]
        columns = {each: own for each, own in described['columns'].items() if each not in keys}
        if not columns.keys() - {described.get('primary_key')}:
            continue
        metadata = Metadata.load_from_dict({'tables': {name: {**described, 'columns': columns}}})
        rows = bound_rows(units[name], 1 if noisy else None, np.random.default_rng(0))
        terms = {'epsilon': epsilon, 'delta': delta, 'accept': ACCEPTABLE}
        synthesizer = ClustMixSynthesizer(metadata, **terms)
        synthesizer.fit({name: table.loc[rows, list(columns)].reset_index(drop=True)})
        rows = synthesizer.sample(len(table))[name]
        kept = [*keys, *(each for each in [described.get('primary_key')] if each)]
        made[name] = rows.assign(**{each: table[each].to_numpy() for each in kept})
    return made


def measure_usefulness(setup: Setup, parts: Parts, synthetic: Tables) -> Row:
    """Train on joined synthetic tables, and test on those of the units held out."""
    if setup.join is None or parts.test is None or synthetic is parts.test:
        return {}
    from sdv_threea.report import train_synthetic_test_real

    tables = [setup.join(each) for each in (parts.train, synthetic, parts.test)]
    scores = train_synthetic_test_real(*tables, tables[0].columns[-1])['AUC']
    return {'AUC': scores['synthetic'], 'AUC of real data': scores['real']}


def write_medians(runs: pd.DataFrame) -> str:
    """Write the medians of the measures between tables, by setup, method and epsilon."""
    rows = []
    for setup, method, epsilon, medians in _list_medians(runs):
        shown = [_write(name, medians.get(name, math.nan)) for name in FIGURES]
        rows.append([setup, _name(method, epsilon), *shown])
    return write_table(['tables', 'method', *FIGURES.values()], rows)


def write_rules(runs: pd.DataFrame) -> str:
    """Write the shares of rows that keep the rules, a line for each rule of a database."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for setup, method, epsilon, medians in _list_medians(runs):
        for name in (each for each in medians.index if each.startswith('rule: ')):
            if SETUPS[setup].tables is None and pd.notna(medians[name]):
                shown = _write(name, medians[name])
                found.setdefault((setup, name[6:]), {})[_name(method, epsilon)] = shown
    methods = list(dict.fromkeys(method for each in found.values() for method in each))
    rows = [[*rule, *(own.get(each, '') for each in methods)] for rule, own in found.items()]
    return write_table(['tables', 'rule', *methods], rows)


def _list_medians(runs: pd.DataFrame) -> Iterator[tuple[str, str, float, pd.Series]]:
    medians = runs.groupby(['setup', 'method', 'epsilon']).median(numeric_only=True)
    for setup, method in itertools.product(SETUPS, METHODS):
        for epsilon in sorted({each for *own, each in medians.index if own == [setup, method]}):
            yield setup, method, epsilon, medians.loc[(setup, method, epsilon)]


def _name(method: str, epsilon: float) -> str:
    return method if method in PLAIN else f'{method}, ε = {write_epsilon(epsilon)}'


def _write(name: str, value: float) -> str:
    if pd.isna(value):
        return ''
    digits = {'peak MB': 0, 'seconds': 1, 'rule: patients who die twice': 0}.get(name, 2)
    return f'{value:.{digits}f}'


BENCHMARK = Benchmark(
    name='relational',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'setups': list(SETUPS),
        'methods': METHODS,
        'epsilons': [1.0, 3.0, 8.0, math.inf],
        'delta': 1e-6,
        'repeats': 3,
        'memory': 8.0,
    },
    write_pages=lambda runs: write_page(
        DOCS / 'lab' / 'databases.md',
        {'relational': write_medians(runs), 'relational-rules': write_rules(runs)},
    ),
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
