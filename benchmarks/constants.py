"""What the constants of the algorithm are worth: one at a time is moved, over tables and budgets.

    python benchmarks/constants.py                               # hours
    python benchmarks/constants.py --tables compas german_credit --epsilons 1
    python benchmarks/constants.py --constants --repeats 16      # more of all as they are

What is measured is the AUC of a release's own labels: the chances of the classes that it gives real
records which were not fitted. They are a part of the training part, cut off before: defaults are
settled by these figures, and the test part must not decide. That takes a fit, and neither samples
nor a model of them. Ranges and categories are public here; how they are estimated is not what is
looked at. The table of ``docs/lab/constants.md`` is made of the results.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from operator import attrgetter
from typing import Any

import pandas as pd
from methods import public_facts
from pages import LAB, pick, write_page, write_table
from runner import Benchmark, Job, Options, Row
from scores import macro_auc
from tables import hold_out, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.encoding.encoders import encode
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.rows.codes import label
from sdv_threea.settings import Settings

#: In place of a constant, where all are as they are.
NONE = 'none'

#: The constants, as paths of fields of :class:`sdv_threea.constants.Constants`, and the values that
#: are tried in place of their own. Shares of the budget are named ``shares``.
CONSTANTS: dict[str, tuple[float, ...]] = {
    'shares.describe': (0.15, 0.35),
    'shares.columns': (0.06, 0.24),
    'shares.classes': (0.25, 0.6),
    'shares.moments': (0.01, 0.1),
    'shares.adapt': (0.08, 0.25),
    'approximate.least_bins': (2, 8),
    'approximate.clip': (0.5, 3),
    'adapt.sure_odds': (2, 8),
    'adapt.steps': (1, 5),
    'adapt.overconfidence': (0.005, 0.08),
    'adapt.unclipped_slopes': (0.75, 0.97),
}

#: Tables with classes that are fitted in seconds.
TABLES = ['adult', 'default_credit', 'creditcard_fraud', 'covtype_compact', 'epileptic_seizure']
TABLES += ['compas', 'telco_churn', 'german_credit', 'mushroom']


def list_jobs(options: Options) -> Iterator[Job]:
    """List the fits: all as it is, then one constant after another."""
    tried = [(each, float(value)) for each in options.constants for value in CONSTANTS[each]]
    for table, epsilon in product(options.tables, options.epsilons):
        for (constant, value), repeat in product([(NONE, 0.0), *tried], range(options.repeats)):
            kind = {'table': table, 'constant': constant, 'value': value}
            yield kind | {'epsilon': epsilon, 'repeat': repeat}


def measure(job: Job, options: Options) -> Row:
    """Fit with a constant of this value; score the labels on the part that was held out."""
    split = hold_out(load_split(job['table'], options.data))
    synthesizer = ClustMixSynthesizer(
        public_facts(split),
        epsilon=job['epsilon'],
        delta=1e-5,
        target_column=split.target,
        public_metadata=True,
        accept=ACCEPTABLE,
    )
    if job['constant'] != NONE:
        synthesizer._settings = moved(synthesizer._settings, job['constant'], job['value'])
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({split.table_name: split.train})
    return {'AUC': score_labels(synthesizer._model, split.test)}


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


def score_labels(release: Any, records: pd.DataFrame) -> float:
    """Score the chances that a release gives the classes of real records: the AUC."""
    names = [transformer.name for transformer in release.transformers]
    codes = encode(records[names], release.transformers)
    chances = release.adapted.chances(codes[:, release.scored])
    return macro_auc(
        pd.Series(label(codes, release.classes.target, release.classes.of_code)),
        pd.DataFrame(chances),
    )


def compare(rows: pd.DataFrame) -> pd.DataFrame:
    """Compare mean AUCs with those of the constants as they are: a row per table and budget."""
    found = (
        rows.groupby(['table', 'constant', 'value', 'epsilon'])['AUC']
        .agg(['mean', 'sem'])
        .reset_index()
    )
    as_it_is = found[found['constant'] == NONE].drop(columns=['constant', 'value'])
    changes = found[found['constant'] != NONE]
    changes = changes.merge(as_it_is, on=['table', 'epsilon'], suffixes=('', '_own'))
    changes['change'] = changes['mean'] - changes['mean_own']
    changes['variance'] = changes['sem'] ** 2 + changes['sem_own'] ** 2
    return changes


def write_changes(rows: pd.DataFrame) -> str:
    """Write how far the mean AUC moves with each constant, and how well that is known."""
    changes = compare(rows)
    budgets = sorted(changes['epsilon'].unique())
    lines = []
    for constant, value in ((each, value) for each in CONSTANTS for value in CONSTANTS[each]):
        moves = pick(changes, constant=constant, value=value)
        if not moves.empty:
            found = [_sum_up(pick(moves, epsilon=epsilon)) for epsilon in budgets]
            lines.append([f'`{constant}`', f'{find(constant):g}', f'{value:g}', *found])
    titles = [f'AUC, worst and best table, ε = {epsilon:g}' for epsilon in budgets]
    return write_table(['constant', 'is', 'moved to', *titles], lines)


def _sum_up(moves: pd.DataFrame) -> str:
    if moves.empty:
        return ''
    error = math.sqrt(moves['variance'].sum(skipna=False)) / len(moves)  # of one run: nobody knows
    changes = moves.set_index('table')['change']
    worst, best = (f'{name} {changes[name]:+.3f}' for name in (changes.idxmin(), changes.idxmax()))
    return f'{changes.mean():+.4f} ± {error:.4f}, {worst}, {best}'


BENCHMARK = Benchmark(
    name='constants',
    list_jobs=list_jobs,
    measure=measure,
    options={'tables': TABLES, 'constants': list(CONSTANTS), 'epsilons': [1.0, 8.0], 'repeats': 5},
    write_pages=lambda runs: write_page(LAB / 'constants.md', {'constants': write_changes(runs)}),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
