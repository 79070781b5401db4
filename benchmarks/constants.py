"""What the constants of the algorithm are worth: one at a time is moved, over tables and budgets.

    python benchmarks/constants.py                      # hours, and it can be resumed
    python benchmarks/constants.py --tables compas german_credit --epsilons 1
    python benchmarks/constants.py --constants --repeats 16      # more of all as they are
    python benchmarks/constants.py --tabulate           # only writes docs/constants.md anew

What is measured is the AUC of a release's own labels: the chances of the classes that it gives real
records which were not fitted. They are a part of the training part, cut off before: defaults are
settled by these figures, and the test part must not decide. That takes a fit, and neither samples
nor a model of them. Ranges and categories are public here; how they are estimated is not what is
looked at.
"""

from __future__ import annotations

import argparse
import math
import os
import warnings
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
from methods import public_facts
from pages import fill, write_table
from rows import append
from scores import macro_auc
from tables import DATA, PROBLEMS, Split, hold_out, load_split

from sdv_threea import ClustMixSynthesizer, settings
from sdv_threea.encoding.transformers import encode

RESULTS = Path(__file__).parent / 'results' / 'constants.csv'
PAGE = Path(__file__).parents[1] / 'docs' / 'constants.md'
KEY = ['table', 'constant', 'value', 'epsilon', 'repeat']
FIELDS = [*KEY, 'AUC']

#: In place of a constant, where all are as they are.
NONE = 'none'

#: Where each constant lives, and the values that are tried in place of its own. Shares of the
#: budget are constants of ``settings``.
CONSTANTS: dict[str, tuple[float, ...]] = {
    'settings.describe': (0.15, 0.35),
    'settings.columns': (0.06, 0.24),
    'settings.classes': (0.25, 0.6),
    'settings.moments': (0.01, 0.1),
    'settings.labels': (0.08, 0.25),
    'approximate.cells.LEAST_CELLS': (2, 8),
    'approximate.cells.MOST_CELLS': (32, 128),
    'approximate.cells.LEAST_ENTROPY': (0.03, 0.3),
    'approximate.tilts.RAKING_ROUNDS': (0, 6),
    'approximate.tilts.LIKELY': (0.1, 3),
    'approximate.tilts.SUBTLE': (0.02, 0.3),
    'approximate.tilts.GIVE_OR_TAKE': (0.01, 0.5),
    'approximate.tilts.DOUBT': (0, 1.5),
    'approximate.tilts.CERTAIN': (2, 3.5),
    'approximate.tilts.LEAST_LEFT': (0, 0.5),
    'approximate.histograms.FALSE_SHARE': (0.05, 0.5),
    'adapt.evidence.PRIOR_RECORDS': (1, 100),
    'adapt.evidence.LARGEST_EVIDENCE': (2, 8),
    'adapt.labels.STEPS': (1, 5),
    'adapt.labels.SPREAD': (1, 4),
    'adapt.labels.MOST_SPREAD': (0.25, 1),
    'adapt.labels.START_SPREAD': (0.3, 3),
    'adapt.labels.SMOOTHING': (0.01, 0.2),
    'adapt.labels.UNCLIPPED': (0.75, 0.97),
    'adapt.labels.LEAST_CURVATURE': (0.005, 0.08),
}

#: Tables with classes that are fitted in seconds.
TABLES = [
    'adult',
    'default_credit',
    'creditcard_fraud',
    'covtype_compact',
    'epileptic_seizure',
    'compas',
    'telco_churn',
    'german_credit',
    'mushroom',
]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tables', nargs='+', choices=list(PROBLEMS), default=TABLES)
    parser.add_argument('--constants', nargs='*', choices=list(CONSTANTS), default=list(CONSTANTS))
    parser.add_argument('--epsilons', nargs='+', type=float, default=[1, 8])
    parser.add_argument('--repeats', type=int, default=5, help='runs of each kind (default: 5)')
    parser.add_argument('--data', type=Path, default=DATA)
    parser.add_argument('--tabulate', action='store_true', help='write the page, and run nothing')
    return parser.parse_args()


def measure(split: Split, epsilon: float, constant: str, value: float) -> float:
    """Fit with a constant of this value; score the labels on the part that was held out."""
    with warnings.catch_warnings(), moved(constant, value):
        warnings.simplefilter('ignore')
        synthesizer = ClustMixSynthesizer(
            public_facts(split),
            epsilon=epsilon,
            delta=1e-5,
            target_column=split.target,
            public_metadata=True,
        )
        synthesizer.fit({split.table_name: split.train})
    return score_labels(synthesizer._model, split.test)


def home(constant: str) -> tuple[dict[str, Any], str]:
    """Find where a constant lives, and its name there."""
    module, _, name = constant.rpartition('.')
    if module == 'settings':
        return settings.SHARES, name
    return vars(import_module(f'sdv_threea.{module}')), name


def find(constant: str) -> float:
    """Find what a constant is."""
    names, name = home(constant)
    return float(names[name])


def moved(constant: str, value: float) -> AbstractContextManager[object]:
    """Give a constant another value for a while."""
    if constant == NONE:
        return nullcontext()
    names, name = home(constant)
    return patch.dict(names, {name: type(names[name])(value)})


def score_labels(release: object, records: pd.DataFrame) -> float:
    """Score the chances that a release gives the classes of real records: the AUC."""
    codes = encode(
        records[[transformer.name for transformer in release.transformers]], release.transformers
    )
    chances = release.labels.chances(codes[:, release.scored])
    return macro_auc(pd.Series(release.classes.label(codes)), pd.DataFrame(chances))


def run(arguments: argparse.Namespace) -> None:
    """Run what is missing, and append it to the results."""
    done = set()
    if RESULTS.exists():
        done = set(pd.read_csv(RESULTS, keep_default_na=False)[KEY].itertuples(False, None))
    tried = [(each, float(value)) for each in arguments.constants for value in CONSTANTS[each]]
    for table in arguments.tables:
        split = hold_out(load_split(table, arguments.data))
        for epsilon in arguments.epsilons:
            for (constant, value), repeat in product(
                [(NONE, 0.0), *tried], range(arguments.repeats)
            ):
                key = (table, constant, value, epsilon, repeat)
                if key not in done:
                    score = measure(split, epsilon, constant, value)
                    append(RESULTS, FIELDS, dict(zip(FIELDS, (*key, score), strict=True)))
                    print(f'{table}, {constant} {value:g}, epsilon {epsilon:g}: {score:.4f}')


def tabulate(rows: pd.DataFrame) -> str:
    """Tabulate how far the mean AUC moves with each constant, and how well that is known."""
    changes = compare(rows)
    budgets = sorted(changes['epsilon'].unique())
    lines = []
    for constant, tried in CONSTANTS.items():
        for value in tried:
            moves = changes[(changes['constant'] == constant) & (changes['value'] == value)]
            if not moves.empty:
                of_budgets = [_sum_up(moves[moves['epsilon'] == epsilon]) for epsilon in budgets]
                lines.append([f'`{constant}`', f'{find(constant):g}', f'{value:g}', *of_budgets])
    titles = [f'AUC, worst and best table, ε = {epsilon:g}' for epsilon in budgets]
    return write_table(['constant', 'is', 'moved to', *titles], lines)


def compare(rows: pd.DataFrame) -> pd.DataFrame:
    """Compare mean AUCs with those of the constants as they are: a row per table and budget."""
    found = rows.groupby(KEY[:-1])['AUC'].agg(['mean', 'sem']).reset_index()
    as_it_is = found[found['constant'] == NONE].drop(columns=['constant', 'value'])
    moved = found[found['constant'] != NONE]
    moved = moved.merge(as_it_is, on=['table', 'epsilon'], suffixes=('', '_own'))
    moved['change'] = moved['mean'] - moved['mean_own']
    moved['variance'] = moved['sem'] ** 2 + moved['sem_own'] ** 2
    return moved


def _sum_up(moves: pd.DataFrame) -> str:
    if moves.empty:
        return ''
    error = math.sqrt(moves['variance'].sum(skipna=False)) / len(moves)  # of one run: nobody knows
    changes = moves.set_index('table')['change']
    worst, best = (f'{name} {changes[name]:+.3f}' for name in (changes.idxmin(), changes.idxmax()))
    return f'{changes.mean():+.4f} ± {error:.4f}, {worst}, {best}'


def main() -> None:
    """Run what is missing, and write what the results say."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    arguments = parse_arguments()
    if not arguments.tabulate:
        run(arguments)
    table = tabulate(pd.read_csv(RESULTS, keep_default_na=False))
    PAGE.write_text(fill(PAGE.read_text('utf-8'), {'constants': table}), 'utf-8')


if __name__ == '__main__':
    main()
