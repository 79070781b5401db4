"""What synthetic rows disclose: SDMetrics' privacy scores, and a membership attack.

    python benchmarks/disclosure.py            # about half an hour
    python benchmarks/disclosure.py --tables german_credit --methods ClustMix --shadows 10 6 \
        --results /tmp/disclosure.csv          # minutes

Fits see one half of a table; the other half are rows of others. Seconds are those of the processor.
The table of ``docs/lab/disclosure.md`` is made of the results.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd
from attack import FALSE_ALARMS, attack, choose_targets
from pages import DOCS, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row
from scipy.special import ndtr, ndtri
from sdmetrics.single_table import (
    DCRBaselineProtection,
    DCROverfittingProtection,
    DisclosureProtection,
)
from tables import Split, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.accounting import mu_from_epsilon
from sdv_threea.errors import ACCEPTABLE

OURS, CTGAN = 'ClustMix', 'CTGAN'
DELTA = 1e-5

#: Private rows, at most, and as many that are held out: a record of few weighs more.
ROWS = 1_000

NUM_TARGETS = 10

#: Shadows to learn from and to be judged on. CTGAN takes long: it gets a third of them, and a third
#: of the epochs that are its default.
SHADOWS = [60, 30]
EPOCHS = 100

#: What an attacker is taken to know of a record; the target of the table is what it wants to know.
KNOWN = {
    'adult': ['age', 'race', 'sex', 'marital_status', 'native_country'],
    'compas': ['age', 'race', 'sex', 'juv_fel_count'],
    'german_credit': ['age', 'personal_status_sex', 'housing', 'job'],
}

#: Methods with their budgets; those without privacy, and the controls, have none.
RUNS = [
    ('the rows themselves', math.inf),
    ('rows of others', math.inf),
    (OURS, 1.0),
    (OURS, 8.0),
    (OURS, math.inf),
    ('GaussianCopula', math.inf),
    (CTGAN, math.inf),
]

METRICS = ['DCR baseline', 'DCR overfitting', 'disclosure']


def load_halves(name: str, data: Path) -> Split:
    """Load a table and deal its rows: what synthesizers see, and as many rows of others."""
    split = load_split(name, data)
    rows = pd.concat([split.train, split.test]).sample(frac=1, random_state=0)
    half = min(len(rows) // 2, ROWS)
    train, test = rows[:half], rows[half : 2 * half]
    return replace(split, train=train.reset_index(drop=True), test=test.reset_index(drop=True))


def synthesize(split: Split, method: str, epsilon: float, rows: pd.DataFrame) -> pd.DataFrame:
    """Fit rows, and sample as many as there are of others, so that their number is no clue."""
    from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer

    if method == 'the rows themselves':
        return rows
    if method == 'rows of others':
        return split.test
    if method == OURS:
        terms = {'epsilon': epsilon, 'delta': DELTA, 'target_column': split.target}
        synthesizer = ClustMixSynthesizer(split.metadata, accept=ACCEPTABLE, **terms)
    elif method == CTGAN:
        synthesizer = CTGANSynthesizer(split.metadata, epochs=EPOCHS)
    else:
        synthesizer = GaussianCopulaSynthesizer(split.metadata)
    synthesizer.fit({split.table_name: rows})
    return synthesizer.sample(num_rows=len(split.test))[split.table_name]


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs: the quick ones first."""
    for (method, epsilon), table, part in product(RUNS, options.tables, ('scores', 'attack')):
        if method in options.methods:
            yield {'table': table, 'method': method, 'epsilon': epsilon, 'part': part}


def measure(job: Job, options: Options) -> Row:
    """Score one fit, or attack many."""
    split, start = load_halves(job['table'], options.data), time.process_time()
    run = partial(synthesize, split, job['method'], job['epsilon'])
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        if job['part'] == 'scores':
            row = score(split, run(split.train))
        else:
            learned, judged = (
                num // 3 if job['method'] == CTGAN else num for num in options.shadows
            )
            targets = choose_targets(split.train, NUM_TARGETS)
            row = {'targets': NUM_TARGETS, 'shadows': learned, 'judged': judged}
            row |= attack(run, split.train, targets, (learned, judged), seed=0)
    sizes = {'rows': len(split.train), 'epochs': EPOCHS if job['method'] == CTGAN else 0}
    return sizes | row | {'seconds': time.process_time() - start}


def score(split: Split, synthetic: pd.DataFrame) -> Row:
    """Take the privacy scores of SDMetrics."""
    facts = split.metadata.to_dict()['tables'][split.table_name]
    named = {'metadata': facts, 'table_name': split.name}
    known, real = KNOWN[split.name], split.train
    numbers = [name for name in known if facts['columns'][name]['sdtype'] == 'numerical']
    near = DCRBaselineProtection.compute(real, synthetic, **named)
    nearer = DCROverfittingProtection.compute(real, synthetic, split.test, **named)
    guessed = DisclosureProtection.compute(
        real, synthetic, known, [split.target], continuous_column_names=numbers
    )
    return dict(zip(METRICS, (near, nearer, guessed), strict=True))


def bound(epsilon: float) -> tuple[float, float]:
    """The most that any attack can do: its AUC, and what it detects at the rate of false alarms.

    A release that is ``mu``-GDP is at best as telling as one normal draw of mean 0 or ``mu`` (Dong,
    Roth, Su 2019). Averages over targets obey it too, as the curve is concave.
    """
    mu = mu_from_epsilon(epsilon, DELTA)
    return float(ndtr(mu / math.sqrt(2))), float(ndtr(ndtri(FALSE_ALARMS) + mu))


def write_runs(runs: pd.DataFrame) -> str:
    """Write what was measured, a row per table and method of which both parts are there."""
    header = ['table', 'method', 'ε', *METRICS, 'AUC', 'limit', 'found', 'limit']
    rows, cells = [], runs.set_index(['table', 'method', 'epsilon', 'part']).sort_index()
    for table in KNOWN:
        for method, epsilon in RUNS:
            keys = [(table, method, epsilon, part) for part in ('scores', 'attack')]
            if any(key not in cells.index for key in keys):
                continue
            scores, found = (cells.loc[key] for key in keys)
            private = method == OURS and math.isfinite(epsilon)
            limits = [f'{limit:.2f}' for limit in bound(epsilon)] if private else ['', '']
            auc, detected = (
                f'{found[name]:.2f} ({found[f"{name} low"]:.2f} to {found[f"{name} high"]:.2f})'
                for name in ('AUC', 'detected')
            )
            metrics = [f'{scores[name]:.2f}' if pd.notna(scores[name]) else '–' for name in METRICS]
            shown = [table, method, write_epsilon(epsilon) if method == OURS else '', *metrics]
            rows.append([*shown, auc, limits[0], detected, limits[1]])
    return write_table(header, rows)


BENCHMARK = Benchmark(
    name='disclosure',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': list(KNOWN),
        'methods': list(dict.fromkeys(method for method, _ in RUNS)),
        'shadows': SHADOWS,
    },
    write_pages=lambda runs: write_page(
        DOCS / 'lab' / 'disclosure.md', {'disclosure': write_runs(runs)}
    ),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
