"""Sequences: ClustMix beside PAR without privacy, on transactions, stays and made vital signs.

    python benchmarks/sequences.py --repeats 1                 # half an hour, most of it PAR's
    python benchmarks/sequences.py --setups stays --methods ClustMix --repeats 1       # minutes
    python benchmarks/sequences.py --setups vitals --methods ClustMix --epsilons 8 --repeats 1 \
        --results /tmp/sequences.csv                           # a minute

A third of the sequences is held out. What is measured, of samples of as many sequences:

* *lengths* and *gaps*: one minus the distance (KS) of their distributions.
* *lag 1* and *lag 2*: the dependence between a row and the row one or two before it, compared with
  the real one: correlations of numbers, and how often a category is the same, beyond chance. 1 is
  all of it, 0 none.
* *order*: the share of sequences in which the index never falls.
* *next*: the R2 of a model that predicts the numbers of the next row, trained on samples and tested
  on the sequences held out; *next, real* is trained on the real sequences.
"""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from numpy.typing import NDArray
from pages import DOCS, write_epsilon, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from scipy.stats import ks_2samp
from sdv.metadata import Metadata
from sklearn.metrics import r2_score

OURS, PAR, SHUFFLED = 'ClustMix', 'PAR', 'real rows, shuffled in each sequence'
METHODS = [SHUFFLED, PAR, OURS]
FIGURES = ['lengths', 'gaps', 'lag 1', 'lag 2', 'order', 'next', 'next, real', 'seconds']

#: The share of sequences held out, and the number of made patients.
HELD_OUT, PATIENTS = 1 / 3, 900

#: Hours between two measurements of a patient, with their probabilities.
HOURS, CHANCES = (1, 2, 4, 8, 24), (0.3, 0.2, 0.3, 0.1, 0.1)

WARDS = ('general', 'ICU', 'surgery')


@dataclass(frozen=True)
class Setup:
    """A table of sequences: its key and index, and the columns that do not vary in a sequence."""

    load: Callable[[Path, int], pd.DataFrame]
    key: str
    index: str
    sdtypes: dict[str, str]
    context: tuple[str, ...] = ()

    @property
    def metadata(self) -> Metadata:
        """The metadata, without ranges and values."""
        columns = {name: {'sdtype': sdtype} for name, sdtype in self.sdtypes.items()}
        keys = {'sequence_key': self.key, 'sequence_index': self.index}
        return Metadata.load_from_dict({'tables': {'rows': {'columns': columns, **keys}}})

    def list_columns(self, *sdtypes: str) -> list[str]:
        """List the columns that vary in a sequence, except its index."""
        others = (self.key, self.index, *self.context)
        return [name for name, own in self.sdtypes.items() if own in sdtypes and name not in others]


def load_transactions(data: Path, seed: int) -> pd.DataFrame:
    """Read berka's transactions with the frequency of the account's statements."""
    rows, accounts = (
        pd.read_csv(data / 'berka' / f'{each}.csv.gz') for each in ('trans', 'account')
    )
    rows = rows.merge(accounts[['account_id', 'frequency']], on='account_id')
    return rows.assign(date=pd.to_datetime(rows['date']))[list(BERKA)]


def load_stays(data: Path, seed: int) -> pd.DataFrame:
    """Read the stays of patients of Diabetes130, numbered in time; most patients have only one."""
    folder = data / 'diabetes130_rel'
    rows, patients = (
        pd.read_csv(folder / f'{each}.csv.gz', low_memory=False)
        for each in ('encounter', 'patient')
    )
    return rows.merge(patients, on='patient_nbr')[list(STAYS)]


def make_vitals(data: Path, seed: int) -> pd.DataFrame:
    """Make patients: a pulse that returns to the patient's mean, wards that seldom change."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(3, 25, size=PATIENTS)
    sex, age = rng.choice(['f', 'm'], PATIENTS), rng.integers(18, 90, PATIENTS)
    means = 70 + 8 * rng.standard_normal(PATIENTS) + 4 * (sex == 'f')
    times = np.datetime64('2024-01-01') + rng.integers(0, 300 * 24, PATIENTS) * np.timedelta64(
        1, 'h'
    )
    pulse, ward = means.copy(), rng.choice(WARDS, PATIENTS, p=(0.5, 0.3, 0.2))
    parts = []
    for step in range(int(lengths.max())):
        moved = rng.random(PATIENTS) < 0.1 * (step > 0)
        ward = np.where(moved, rng.choice(WARDS, PATIENTS), ward)
        times = times + (step > 0) * rng.choice(HOURS, PATIENTS, p=CHANCES) * np.timedelta64(1, 'h')
        noise = rng.standard_normal((3, PATIENTS))
        pulse = means + 0.8 * (pulse - means) + 2.0 * (ward == 'ICU') + 4 * noise[0]
        row = {
            'patient': np.arange(PATIENTS),
            'sex': sex,
            'age': age,
            'time': times,
            'ward': ward,
            'pulse': np.rint(pulse).astype(int),
            'pressure': np.rint(120 + 0.6 * (pulse - 70) + 6 * noise[1]).astype(int),
            'temperature': np.round(36.8 + 0.5 * (ward == 'ICU') + 0.3 * noise[2], 1),
        }
        parts.append(pd.DataFrame(row)[step < lengths])
    return pd.concat(parts).sort_values(['patient', 'time'], kind='stable', ignore_index=True)


BERKA = {
    'account_id': 'id',
    'frequency': 'categorical',
    'date': 'datetime',
    'type': 'categorical',
    'operation': 'categorical',
    'k_symbol': 'categorical',
    'amount': 'numerical',
    'balance': 'numerical',
}
STAYS = {
    'patient_nbr': 'id',
    'gender': 'categorical',
    'encounter_id': 'numerical',
    'age': 'categorical',
    'discharge_disposition_id': 'categorical',
    'readmitted': 'categorical',
    'time_in_hospital': 'numerical',
    'num_medications': 'numerical',
}
VITALS = {
    'patient': 'id',
    'sex': 'categorical',
    'age': 'numerical',
    'time': 'datetime',
    'ward': 'categorical',
    'pulse': 'numerical',
    'pressure': 'numerical',
    'temperature': 'numerical',
}
SETUPS = {
    'vitals': Setup(make_vitals, 'patient', 'time', VITALS, ('sex', 'age')),
    'transactions': Setup(load_transactions, 'account_id', 'date', BERKA, ('frequency',)),
    'stays': Setup(load_stays, 'patient_nbr', 'encounter_id', STAYS, ('gender',)),
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs: ours at each epsilon, the others once."""
    for name, method in itertools.product(options.setups, options.methods):
        epsilons = options.epsilons if method == OURS else [math.inf]
        repeats = range(options.repeats if method == OURS else 1)
        yield from grid(setup=[name], method=[method], epsilon=epsilons, repeat=repeats)


def measure(job: Job, options: Options) -> Row:
    """Fit, sample as many sequences, and measure them."""
    warnings.simplefilter('ignore')
    setup = SETUPS[job['setup']]
    rows = setup.load(options.data, job['repeat'])
    keys = rows[setup.key].unique()
    held_out = np.random.default_rng(job['repeat']).permutation(keys)[: int(HELD_OUT * len(keys))]
    test = rows[setup.key].isin(held_out)
    train, test = rows[~test].reset_index(drop=True), rows[test].reset_index(drop=True)
    start = time.perf_counter()
    made = make_sequences(job, setup, train, options)
    seconds = time.perf_counter() - start
    return {**measure_sequences(setup, train, made, test), 'seconds': seconds}


def make_sequences(job: Job, setup: Setup, train: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Make as many sequences as there are real ones."""
    number = train[setup.key].nunique()
    if job['method'] == SHUFFLED:
        mixed = train.sample(frac=1, random_state=job['repeat']).sort_values(
            setup.key, kind='stable'
        )
        kept = train.sort_values(setup.key, kind='stable')
        return mixed.assign(**{setup.index: kept[setup.index].to_numpy()})
    if job['method'] == PAR:
        from sdv.sequential import PARSynthesizer

        synthesizer: Any = PARSynthesizer(
            setup.metadata, context_columns=list(setup.context), epochs=options.epochs
        )
        synthesizer.fit({'rows': train})
        return pd.DataFrame(synthesizer.sample_sequences(number)['rows'])
    from sdv_threea import ClustMixSequentialSynthesizer

    ours = ClustMixSequentialSynthesizer(
        setup.metadata,
        context_columns=list(setup.context),
        epsilon=job['epsilon'],
        delta=options.delta,
    )
    ours.fit({'rows': train})
    return ours.sample(number)['rows']


def measure_sequences(
    setup: Setup, train: pd.DataFrame, made: pd.DataFrame, test: pd.DataFrame
) -> Row:
    """Measure what sampled sequences kept: see the module."""
    lengths = [each.groupby(setup.key).size() for each in (train, made)]
    gaps = [_find_gaps(setup, each) for each in (train, made)]
    lags = {}
    for lag in (1, 2):
        real, ours = (_depend(setup, each, lag) for each in (train, made))
        lags[f'lag {lag}'] = float(real @ ours / (real @ real))
    falls = (gaps[1] < 0).groupby(made[setup.key]).any()
    return {
        'lengths': 1 - float(ks_2samp(*lengths).statistic),
        'gaps': 1 - float(ks_2samp(*(each.dropna() for each in gaps)).statistic),
        **lags,
        'order': 1 - float(falls.mean()),
        'next': _predict(setup, made, test, train),
        'next, real': _predict(setup, train, test, train),
    }


def _find_gaps(setup: Setup, rows: pd.DataFrame) -> pd.Series:
    moments = pd.to_datetime(rows[setup.index])
    return moments.groupby(rows[setup.key], sort=False).diff().dt.total_seconds()


def _depend(setup: Setup, rows: pd.DataFrame, lag: int) -> NDArray[np.float64]:
    """Return how a row depends on one before it, a number per column."""
    groups, found = rows.groupby(setup.key, sort=False), []
    for name in setup.list_columns('numerical'):
        found.append(rows[name].corr(groups[name].shift(lag)))
    there = groups.cumcount() >= lag
    for name in setup.list_columns('categorical'):
        column = rows[name].fillna('missing')
        before = column.groupby(rows[setup.key], sort=False).shift(lag)
        chance = float((column.value_counts(normalize=True) ** 2).sum())
        same = float((column == before)[there].mean())
        found.append((same - chance) / (1 - chance) if chance < 1 else 0.0)
    return np.nan_to_num(np.array(found))


def _predict(setup: Setup, rows: pd.DataFrame, test: pd.DataFrame, like: pd.DataFrame) -> float:
    """Return the mean R2 of the next row's numbers, of a model trained on these rows."""
    names = setup.list_columns('categorical')
    values = {name: pd.Index(like[name].dropna().unique()) for name in names}
    numbers, scores = setup.list_columns('numerical'), []
    sides = []
    for each in (rows, test):
        known = each[numbers].astype(float)
        known = known.assign(**{name: own.get_indexer(each[name]) for name, own in values.items()})
        after = each.groupby(setup.key, sort=False)[numbers].shift(-1)
        there = after.notna().all(axis=1)
        sides.append((known[there], after[there]))
    for name in numbers:
        model = LGBMRegressor(n_estimators=60, num_leaves=15, n_jobs=1, verbose=-1)
        model.fit(sides[0][0].to_numpy(), sides[0][1][name])
        scores.append(r2_score(sides[1][1][name], model.predict(sides[1][0].to_numpy())))
    return float(np.mean(scores))


def write_medians(runs: pd.DataFrame) -> str:
    """Write the medians by setup, method and epsilon."""
    medians = runs.groupby(['setup', 'method', 'epsilon'])[FIGURES].median()
    rows = []
    for setup, method in itertools.product(SETUPS, METHODS):
        for epsilon in sorted({each for *own, each in medians.index if own == [setup, method]}):
            name = f'{method}, ε = {write_epsilon(epsilon)}' if method == OURS else method
            shown = [_write(value) for value in medians.loc[(setup, method, epsilon)]]
            rows.append([setup, name, *shown])
    return write_table(['sequences', 'method', *FIGURES], rows)


def _write(value: float) -> str:
    return '' if pd.isna(value) else f'{value:.2f}'


BENCHMARK = Benchmark(
    name='sequences',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'setups': list(SETUPS),
        'methods': METHODS,
        'epsilons': [1.0, 3.0, 8.0, math.inf],
        'delta': 1e-6,
        'repeats': 3,
        'epochs': 128,
    },
    write_pages=lambda runs: write_page(DOCS / 'sequences.md', {'sequences': write_medians(runs)}),
    process='job',
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
