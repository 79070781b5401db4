"""What a release loses, and whether it says so.

    python benchmarks/losses.py                                     # three minutes
    python benchmarks/losses.py --tables titanic --epsilons 1       # seconds

Each run fits a table with private metadata, samples as many rows, and looks for losses: columns
that become constant or empty, classes of the target and categories that vanish, numbers that are
cut off, and numbers that are absurd. A loss is silent if the table that ``get_losses`` makes of
released numbers says nothing of it. The table of ``docs/lab/losses.md`` is made of the results.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from pages import DOCS, pick, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from scipy.special import ndtri
from sdv.metadata import Metadata
from tables import PROBLEMS, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.settings import Settings

#: A category, or a part of a column, is missed from this share of the rows on.
MISSED = 0.02

#: A column is cut off if more than this share of its rows lies beyond what is sampled.
CUT = 0.1

SMALL = [
    'titanic',
    'pima_diabetes',
    'breast_cancer',
    'german_credit',
    'compas',
    'telco_churn',
    'mushroom',
    'bike_sharing',
]
KINDS = ('empty', 'constant', 'class', 'category', 'cut', 'absurd')

#: What this file counted by table, at the budgets below, of the version before losses were told and
#: columns beside a heavy zero were looked for (three fits each): all of them were silent.
BEFORE = {
    'titanic': (6.3, 4.3, 2.3, 0.7),
    'pima_diabetes': (9.0, 8.0, 6.3, 2.7),
    'breast_cancer': (31.0, 30.0, 30.0, 30.0),
    'german_credit': (19.7, 17.3, 15.7, 10.0),
    'compas': (8.0, 4.0, 0.0, 0.0),
    'telco_churn': (4.3, 1.0, 0.0, 0.0),
    'mushroom': (12.7, 10.3, 1.3, 0.0),
    'bike_sharing': (1.0, 0.3, 0.0, 0.0),
    'sparse 300': (7.0, 7.0, 6.3, 5.3),
    'sparse 4,000': (5.3, 3.7, 0.7, 0.0),
    'sparse 12,000': (2.3, 0.3, 0.0, 0.0),
}
EPSILONS = (0.5, 1.0, 3.0, 8.0)


class Loss(NamedTuple):
    """Something that the real rows have, and the sampled ones do not, or the other way round."""

    column: str
    kind: str


def make_sparse(num_rows: int, seed: int = 0) -> tuple[pd.DataFrame, Metadata]:
    """Make a table of columns that are hard to find: zeros, heavy tails, rare values."""
    rng = np.random.default_rng(seed)
    ill = rng.random(num_rows) < 0.2
    some, few = rng.random(num_rows) < np.where(ill, 0.5, 0.15), rng.random(num_rows) < 0.05
    table = pd.DataFrame(
        {
            'ill': np.where(ill, 'yes', 'no'),
            'age': rng.normal(55, 15, num_rows).clip(18, 95).round(),
            'level': np.exp(rng.normal(1.5, 1.2, num_rows)).round(2),
            'paid': np.where(some, np.exp(rng.normal(6, 1.5, num_rows)).round(), 0.0),
            'stays': np.where(few, rng.geometric(0.2, num_rows), 0).astype(float),
            'marker': rng.normal(0, 4, num_rows) * np.where(ill, 2, 1),
            'ward': rng.choice(list('abcdefgh'), num_rows, p=np.arange(8, 0, -1) / 36),
        }
    )
    sdtypes = {name: {'sdtype': 'numerical'} for name in table}
    sdtypes |= {name: {'sdtype': 'categorical'} for name in ('ill', 'ward')}
    return table, Metadata.load_from_dict({'tables': {'sparse': {'columns': sdtypes}}})


#: Made tables, and how many rows they have.
MADE = {'sparse 300': 300, 'sparse 4,000': 4_000, 'sparse 12,000': 12_000}


def load(name: str, options: Options) -> tuple[pd.DataFrame, Metadata, str]:
    """Load or make a table; return it with its metadata and its target."""
    if name in MADE:
        return *make_sparse(MADE[name]), 'ill'
    split = load_split(name, options.data)
    return split.train, split.metadata, split.target


def find_losses(
    real: pd.DataFrame, synthetic: pd.DataFrame, metadata: Metadata, target: str
) -> list[Loss]:
    """Find what the synthetic rows have lost of the real ones: the worst loss of each column."""
    columns = next(iter(metadata.to_dict()['tables'].values()))['columns']
    found = []
    for name, about in columns.items():
        one, two = real[name].dropna(), synthetic[name].dropna()
        shares = one.astype(str).value_counts(normalize=True)
        varied = len(shares) > 1 and shares.iloc[0] <= 1 - MISSED
        if not len(one):
            continue
        number = about['sdtype'] == 'numerical'
        missed = set(shares.index[shares >= MISSED]) - set(two.astype(str))
        if not len(two):
            found.append(Loss(name, 'empty'))
        elif missed and not number and name == target:
            found.append(Loss(name, 'class'))
        elif varied and len(set(two)) == 1 and len(two) == len(synthetic):
            found.append(Loss(name, 'constant'))
        elif missed and not number:
            found.append(Loss(name, 'category'))
        elif number:
            kind = _compare_ranges(one, two)
            found += [Loss(name, kind)] if kind else []
    return found


def _compare_ranges(real: pd.Series, synthetic: pd.Series) -> str:
    """Return what is wrong with the range of sampled numbers: a kind of loss, or nothing."""
    low, high = float(synthetic.min()), float(synthetic.max())
    over = max(high - float(real.max()), float(real.min()) - low)
    if over > float(real.max() - real.min()):
        return 'absurd'
    return 'cut' if float(((real < low) | (real > high)).mean()) > CUT else ''


def count_out_of_reach(real: pd.DataFrame, metadata: Metadata, epsilon: float, delta: float) -> int:
    """Count the categories that no threshold on noisy counts would find whole.

    They have a value that is missed, although too few rows have it to be found in half of the fits
    if the whole budget went to finding it, and these rows had common values in other columns.
    """
    columns = next(iter(metadata.to_dict()['tables'].values()))['columns']
    names = [name for name, about in columns.items() if about['sdtype'] == 'categorical']
    budget = Settings(epsilon=epsilon, delta=delta).budget(thresholds=True)
    sure = -float(ndtri(budget.threshold_part / max(len(names), 1)))
    least = 1 + sure / budget.mu
    rows = [real[name].value_counts() for name in names]
    return sum(bool(((own >= MISSED * own.sum()) & (own < least)).any()) for own in rows)


def list_silent(losses: list[Loss], said: pd.DataFrame | None) -> list[Loss]:
    """List the losses of which what is said of the release says nothing."""
    if said is None:
        return losses
    most = said['at_most']
    return [loss for loss in losses if not most.get(loss.column, 0.0) >= MISSED]


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits."""
    return grid(table=options.tables, epsilon=options.epsilons, repeat=range(options.repeats))


def measure(job: Job, options: Options) -> Row:
    """Fit once, and count what was lost."""
    real, metadata, target = load(job['table'], options)
    name = next(iter(metadata.tables))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        terms = {'epsilon': job['epsilon'], 'delta': options.delta, 'target_column': target}
        synthesizer = ClustMixSynthesizer(metadata, accept=ACCEPTABLE, **terms)
        synthesizer.fit({name: real})
    synthetic = synthesizer.sample(num_rows=len(real))[name]
    losses = find_losses(real, synthetic, metadata, target)
    said = synthesizer.get_losses() if hasattr(synthesizer, 'get_losses') else None
    silent = list_silent(losses, said)
    counted = {kind: sum(loss.kind == kind for loss in losses) for kind in KINDS}
    return {
        'rows': len(real),
        'losses': len(losses),
        'silent': len(silent),
        'out_of_reach': count_out_of_reach(real, metadata, job['epsilon'], options.delta),
        **counted,
        'which': '; '.join(f'{loss.column} {loss.kind}' for loss in losses),
        'unsaid': '; '.join(f'{loss.column} {loss.kind}' for loss in silent),
    }


def write_runs(runs: pd.DataFrame) -> str:
    """Write the losses of each table, and in brackets those of before."""
    rows, sums = [], {epsilon: [0.0, 0.0, 0, 0] for epsilon in EPSILONS}
    for table, before in BEFORE.items():
        cells = []
        for epsilon, once in zip(EPSILONS, before, strict=True):
            own = pick(runs, table=table, epsilon=epsilon)
            if own.empty:
                cells.append('–')
                continue
            cells.append(f'{own["losses"].mean():.1f} ({once:.1f})')
            sums[epsilon][0] += own['losses'].mean()
            sums[epsilon][1] += once
            sums[epsilon][2] += int(own['silent'].sum())
            sums[epsilon][3] += int(own['out_of_reach'].max())
        rows.append([table, *cells])
    rows.append(['all', *(f'{now:.0f} ({once:.0f})' for now, once, *_ in sums.values())])
    rows.append(['out of reach', *(str(each[3]) for each in sums.values())])
    rows.append(['of them silent', *(f'{silent} (all)' for _, _, silent, _ in sums.values())])
    return write_table(['table', *(f'ε = {epsilon:g}' for epsilon in EPSILONS)], rows)


BENCHMARK = Benchmark(
    name='losses',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'tables': [*SMALL, *MADE],
        'epsilons': list(EPSILONS),
        'repeats': 3,
        'delta': 1e-6,
    },
    choices={'tables': [*PROBLEMS, *MADE]},
    write_pages=lambda runs: write_page(DOCS / 'lab' / 'losses.md', {'losses': write_runs(runs)}),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
