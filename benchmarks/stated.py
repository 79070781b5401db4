"""Whether stating public facts ever hurts: ranges, values, nullability.

    python benchmarks/stated.py                                     # a quarter of an hour
    python benchmarks/stated.py --tables titanic --epsilons 1       # half a minute

Each run fits a table whose metadata states nothing, or some of what is public, and samples as many
rows. LightGBM is trained on them and scored on real rows, and the distribution of each column is
compared with the real one. ``wide`` states ranges whose upper ends lie three widths farther
out. The table of ``docs/lab/losses.md`` is made of the results.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from methods import public_facts
from pages import DOCS, pick, write_page, write_share, write_table
from runner import Benchmark, Job, Options, Row, grid
from scipy.stats import mannwhitneyu
from scores import score_models
from sdmetrics.single_column import KSComplement, TVComplement
from sdv.metadata import Metadata
from sklearn.model_selection import train_test_split
from tables import PROBLEMS, Split, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.errors import ACCEPTABLE

NOTHING = 'nothing'

#: What is stated, and the entries of the metadata that say it.
STATED = {
    NOTHING: (),
    'ranges': ('range_min', 'range_max'),
    'all': ('range_min', 'range_max', 'range_values', 'range_is_nullable'),
    'wide': ('range_min', 'range_max'),
}

#: How far the upper end of a wide range lies above the largest value, in widths of the real range.
WIDE = 3

#: A difference is beyond chance if a rank test finds it in one of this many comparisons by chance.
ONE_IN = 1000

#: A made table whose target is a skewed whole number.
MADE = 'skewed'


def make_skewed(num_rows: int = 5_967) -> Split:
    """Make a table whose target is a skewed whole number from 1 to about 29."""
    rng = np.random.default_rng(0)
    age = np.clip(rng.gamma(9, 1.1, num_rows).round(), 1, 29)
    size = (1 - np.exp(-age / 6)) * np.exp(rng.normal(0, 0.2, num_rows))
    table = pd.DataFrame(
        {
            'sex': np.where(age < 7, 'I', rng.choice(['M', 'F'], num_rows)),
            **{
                f'size_{power}': (size**power * np.exp(rng.normal(0, 0.1, num_rows))).round(4)
                for power in (1, 2, 3)
            },
            'age': age,
        }
    )
    columns = {name: {'sdtype': 'numerical'} for name in table} | {'sex': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {MADE: {'columns': columns}}})
    train, test = train_test_split(table, test_size=0.3, random_state=0)
    train, test = train.reset_index(drop=True), test.reset_index(drop=True)
    return Split(MADE, 'age', train, test, metadata, numeric=True)


def state(split: Split, stated: str) -> Metadata:
    """State a part of the facts of a table."""
    whole, facts = public_facts(split).to_dict(), split.metadata.to_dict()
    for name, about in facts['tables'][split.table_name]['columns'].items():
        own: dict[str, Any] = whole['tables'][split.table_name]['columns'][name]
        about |= {each: own[each] for each in STATED[stated] if each in own}
        if stated == 'wide' and 'range_max' in about:
            about['range_max'] += WIDE * (about['range_max'] - about['range_min'])
    return Metadata.load_from_dict(facts)


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    yield from grid(
        repeat=range(options.repeats),
        table=options.tables,
        epsilon=options.epsilons,
        stated=options.stated,
    )


def measure(job: Job, options: Options) -> Row:
    """Fit once, and score the rows."""
    split = make_skewed() if job['table'] == MADE else load_split(job['table'], options.data)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = ClustMixSynthesizer(
            state(split, job['stated']),
            epsilon=job['epsilon'],
            delta=options.delta,
            target_column=split.target,
            public_metadata=True,
            accept=ACCEPTABLE,
        )
        synthesizer.fit({split.table_name: split.train})
        (synthetic,) = synthesizer.sample(num_rows=len(split.train)).values()
    return {'score': score_models(split, synthetic)['score'], 'shapes': shape(split, synthetic)}


def shape(split: Split, synthetic: pd.DataFrame) -> float:
    """How much columns are distributed as the real ones: the mean over columns, 1 if exactly."""
    columns = split.metadata.to_dict()['tables'][split.table_name]['columns']
    kinds = {'numerical': KSComplement}
    found = [
        kinds.get(about['sdtype'], TVComplement).compute(split.train[name], synthetic[name])
        for name, about in columns.items()
        if synthetic[name].notna().any()
    ]
    return float(np.sum(found)) / len(columns)


def write_runs(runs: pd.DataFrame) -> str:
    """Write medians by table and budget; in bold what is worse beyond chance if it is stated."""
    rows = []
    for (table, epsilon), own in runs.groupby(['table', 'epsilon'], sort=False):
        cells = []
        for measured in ('score', 'shapes'):
            unstated = pick(own, stated=NOTHING)[measured]
            for stated in STATED:
                values = pick(own, stated=stated)[measured]
                worse = mannwhitneyu(values, unstated, alternative='less').pvalue < 1 / ONE_IN
                text = write_share(values.median())
                cells.append(f'**{text}**' if worse else text)
        rows.append([table, f'{epsilon:g}', *cells])
    named = [f'{what}{each}' for what in ('', 'columns, ') for each in STATED]
    return write_table(['table', 'ε', *named], rows)


BENCHMARK = Benchmark(
    name='stated',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': ['titanic', 'pima_diabetes', 'german_credit', 'compas', MADE],
        'stated': list(STATED),
        'epsilons': [0.5, 1.0, 3.0, 8.0],
        'repeats': 7,
        'delta': 1e-5,
    },
    choices={'tables': [*PROBLEMS, MADE]},
    write_pages=lambda runs: write_page(DOCS / 'lab' / 'losses.md', {'stated': write_runs(runs)}),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
