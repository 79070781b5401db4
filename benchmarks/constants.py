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
from dataclasses import replace
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
from methods import public_facts
from pages import fill, write_table
from rows import append
from scores import macro_auc
from tables import DATA, PROBLEMS, Split, hold_out, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.encoding.transformers import encode
from sdv_threea.settings import Settings

RESULTS = Path(__file__).parent / 'results' / 'constants.csv'
PAGE = Path(__file__).parents[1] / 'docs' / 'constants.md'
KEY = ['table', 'constant', 'value', 'epsilon', 'repeat']
FIELDS = [*KEY, 'AUC']

#: In place of a constant, where all are as they are.
NONE = 'none'

#: The constants, as paths of fields of :class:`sdv_threea.constants.Constants`, and the values that
#: are tried in place of their own. Shares of the budget are named ``shares``.
CONSTANTS: dict[str, tuple[float, ...]] = {
    'shares.describe': (0.15, 0.35),
    'shares.columns': (0.06, 0.24),
    'shares.classes': (0.25, 0.6),
    'shares.moments': (0.01, 0.1),
    'shares.labels': (0.08, 0.25),
    'approximate.least_bins': (2, 8),
    'approximate.most_bins': (32, 128),
    'approximate.least_entropy': (0.03, 0.3),
    'approximate.raking_rounds': (0, 6),
    'approximate.likely_departure': (0.1, 3),
    'approximate.likely_sampled_departure': (0.02, 0.3),
    'approximate.departure_spread': (0.01, 0.5),
    'approximate.departure_doubt': (0, 1.5),
    'approximate.certain_departure': (2, 3.5),
    'approximate.least_left': (0, 0.5),
    'approximate.false_share': (0.05, 0.5),
    'adapt.prior_records': (1, 100),
    'adapt.largest_evidence': (2, 8),
    'adapt.label_steps': (1, 5),
    'adapt.weight_spread': (1, 4),
    'adapt.most_weight_spread': (0.25, 1),
    'adapt.start_weight_spread': (0.3, 3),
    'adapt.smoothing': (0.01, 0.2),
    'adapt.unclipped_slopes': (0.75, 0.97),
    'adapt.least_curvature': (0.005, 0.08),
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
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = ClustMixSynthesizer(
            public_facts(split),
            epsilon=epsilon,
            delta=1e-5,
            target_column=split.target,
            public_metadata=True,
        )
        if constant != NONE:
            synthesizer._settings = moved(synthesizer._settings, constant, value)
        synthesizer.fit({split.table_name: split.train})
    return score_labels(synthesizer._model, split.test)


def find(constant: str) -> float:
    """Return what a constant is."""
    settings = Settings()
    room, _, name = constant.partition('.')
    if room == 'shares':
        return settings.shares[name]
    return float(attrgetter(constant)(settings.constants))


def moved(settings: Settings, constant: str, value: float) -> Settings:
    """Return settings in which a constant has another value."""
    room, _, name = constant.partition('.')
    if room == 'shares':
        return replace(settings, shares={**settings.shares, name: value})
    return replace(settings, constants=_replaced(settings.constants, constant, value))


def _replaced(fields: Any, path: str, value: float) -> Any:
    name, _, rest = path.partition('.')
    own = getattr(fields, name)
    return replace(fields, **{name: _replaced(own, rest, value) if rest else type(own)(value)})


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
