"""Several tables at once: ClustMix beside HMA without privacy, on four databases.

    python benchmarks/relational.py --repeats 1                # an hour, most of it HMA's
    python benchmarks/relational.py --setups 'chinook, 2 tables' --epsilons 3 --repeats 1 \
        --methods ClustMix --results /tmp/relational.csv       # a minute

Each run is a process of its own that loads, fits, samples as many rows, and scores; its peak of
memory is read after sampling. Where something is to be predicted, 30 % of the units are held out,
anew in each repeat: LightGBM learns to predict from joined synthetic tables and is tested on those.
Quality is SDMetrics' with all pairs counted, but it leaves out what concerns public tables alone,
which are copied; ``quality of all tables`` does not. With public metadata, ClustMix is told what
may be public: ranges, categories and nullability, those of the units held out included, and the
least and the largest number of rows that refer to one row. The least number is
also stated alone.
"""

from __future__ import annotations

import itertools
import math
import resource
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
from databases import SETUPS, Parts, Setup, Tables, bound_children, load, state_facts
from pages import DOCS, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from sdmetrics.reports import DiagnosticReport, QualityReport

from sdv_threea.errors import ACCEPTABLE

OURS, PUBLIC, HMA = 'ClustMix', 'ClustMix, public metadata', 'HMA'
CHILDREN = 'ClustMix, least numbers of children stated'
METHODS = [HMA, OURS, CHILDREN, PUBLIC]

PROPERTIES = {
    'Column Shapes': 'shapes',
    'Column Pair Trends': 'pairs',
    'Cardinality': 'cardinality',
    'Intertable Trends': 'inter-table',
}
SCORES = ['quality', *PROPERTIES.values(), 'diagnostic']

#: What the page shows: the setups, with the budgets.
SHOWN = {
    'berka, by account': (3.0, math.inf),
    'berka, 5 tables': (3.0, math.inf),
    'diabetes130_rel': (1.0, 3.0, math.inf),
    'diabetes130_rel, 2 tables': (3.0, math.inf),
    'diabetes130_rel, 2 tables, 1,000 patients': (3.0, math.inf),
    'chinook, 2 tables': (3.0, math.inf),
    'northwind, 2 tables': (3.0, math.inf),
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs: ours everywhere, HMA once where it accepts the tables."""
    for name, method in itertools.product(options.setups, METHODS):
        if method not in options.methods or (method == HMA and SETUPS[name].tables is None):
            continue
        epsilons, repeats = options.epsilons, range(options.repeats)
        if method == HMA:
            epsilons, repeats = [math.inf], range(1)
        yield from grid(setup=[name], method=[method], epsilon=epsilons, repeat=repeats)


def make_synthesizer(job: Job, setup: Setup, parts: Parts, delta: float) -> Any:
    """Make a fresh synthesizer; only what is used is imported, for its memory's sake."""
    if job['method'] == HMA:
        from sdv.multi_table import HMASynthesizer

        return HMASynthesizer(parts.metadata, verbose=False)
    from sdv_threea import ClustMixMultiTableSynthesizer

    public, bounds = job['method'] == PUBLIC, {}
    if job['method'] in (PUBLIC, CHILDREN):
        bounds = bound_children(parts.train, parts.metadata, setup.public)
    if job['method'] == CHILDREN:
        del bounds['max_children']
    return ClustMixMultiTableSynthesizer(
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


def measure(job: Job, options: Options) -> Row:
    """Fit, sample and score one synthesizer; the peak of memory is that until sampling is done."""
    warnings.simplefilter('ignore')
    setup = SETUPS[job['setup']]
    parts = load(setup, options.data, job['repeat'])
    if job['method'] == PUBLIC:
        parts = state_facts(parts)
    synthesizer = make_synthesizer(job, setup, parts, options.delta)
    start = time.perf_counter()
    synthesizer.fit(parts.train)
    fitted = time.perf_counter()
    synthetic = synthesizer.sample_scale(1.0)
    costs = {
        'fit seconds': fitted - start,
        'sample seconds': time.perf_counter() - fitted,
        'peak MB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    promise = {'unit': setup.unit, 'delta': options.delta} if job['method'] != HMA else {}
    scores = measure_likeness(parts, synthetic, setup.public)
    return {**promise, **scores, **measure_usefulness(setup, parts, synthetic), **costs}


def measure_likeness(parts: Parts, synthetic: Tables, public: tuple[str, ...]) -> Row:
    """Run SDMetrics' quality and diagnostic reports on all tables."""
    quality, diagnostic = QualityReport(), DiagnosticReport()
    quality.real_correlation_threshold = quality.real_association_threshold = 0.0
    for report in (quality, diagnostic):
        # The reports turn dates into timestamps where they find them.
        copies = ({n: t.copy() for n, t in each.items()} for each in (parts.train, synthetic))
        report.generate(*copies, parts.metadata.to_dict(), verbose=False)
    likeness = {short: score_private(quality, name, public) for name, short in PROPERTIES.items()}
    return {
        'quality': pd.Series(likeness).mean(),
        **likeness,
        'diagnostic': diagnostic.get_score(),
        'quality of all tables': quality.get_score(),
    }


def score_private(report: QualityReport, name: str, public: tuple[str, ...]) -> float:
    """The mean score of a property over what does not concern public tables alone."""
    details = report.get_details(name)
    named = details[[each for each in details if each.endswith('Table')]]
    return float(details['Score'][~named.isin(public).all(axis=1)].mean())


def measure_usefulness(setup: Setup, parts: Parts, synthetic: Tables) -> Row:
    """Train on joined synthetic tables, and test on those of the units held out."""
    if setup.join is None or parts.test is None:
        return {}
    from sdv_threea.report import train_synthetic_test_real

    tables = [setup.join(each) for each in (parts.train, synthetic, parts.test)]
    scores = train_synthetic_test_real(*tables, tables[0].columns[-1])['AUC']
    return {'AUC': scores['synthetic'], 'AUC of real data': scores['real']}


def write_medians(runs: pd.DataFrame) -> str:
    """Write the medians, and how they compare with HMA's on the same tables."""
    groups = ['setup', 'method', 'epsilon']
    shown = runs.assign(seconds=runs['fit seconds'] + runs['sample seconds'])
    figures = [*SCORES, 'AUC', 'AUC of real data', 'seconds', 'peak MB']
    medians = shown.groupby(groups)[figures].median()
    header = ['quality', 'of HMA', *figures[1:], 'times faster']
    rows = []
    for setup, method in itertools.product(SHOWN, METHODS):
        for epsilon in (math.inf,) if method == HMA else SHOWN[setup]:
            if (setup, method, epsilon) not in medians.index:
                continue
            row = medians.loc[setup, method, epsilon].copy()
            if pd.isna(row['quality']):
                continue
            hma = (setup, HMA, math.inf)
            theirs = medians.loc[hma] if hma in medians.index else row * math.nan
            row['of HMA'] = row['quality'] / theirs['quality']
            row['times faster'] = theirs['seconds'] / row['seconds']
            name = f'**{method}**, ε = {write_epsilon(epsilon)}'
            name = 'HMA, no privacy' if method == HMA else name
            rows.append([setup, name, *(_write(each, row[each]) for each in header)])
    return write_table(['tables', 'method', *header], rows)


def _write(name: str, value: float) -> str:
    if pd.isna(value):
        return ''
    digits = {'peak MB': 0, 'seconds': 1, 'times faster': 1}.get(name, 3)
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
        DOCS / 'relational.md', {'relational': write_medians(runs)}
    ),
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
