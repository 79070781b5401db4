"""What synthetic rows disclose: SDMetrics' privacy scores, and a membership attack.

    python benchmarks/disclosure.py --small    # minutes: one table, few shadows, nothing is kept
    python benchmarks/disclosure.py            # about half an hour: what docs/disclosure.md shows

Every run is a row of ``benchmarks/results/disclosure.csv``, written as soon as it is done; what is
there is not run again, so the benchmark can be stopped and resumed. At the end the table between
the markers of ``docs/disclosure.md`` is made of the rows. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from attack import FALSE_ALARMS, attack, choose_targets
from pages import fill, write_table
from rows import append
from scipy.special import ndtr, ndtri
from sdmetrics.single_table import (
    DCRBaselineProtection,
    DCROverfittingProtection,
    DisclosureProtection,
)
from sdv.metadata import Metadata
from tables import DATA, load_split

from sdv_threea import ClustMixSynthesizer
from sdv_threea.accounting import mu_from_epsilon

RESULTS = Path(__file__).parent / 'results' / 'disclosure.csv'
PAGE = Path(__file__).parents[1] / 'docs' / 'disclosure.md'

DELTA = 1e-5

#: Private rows, at most, and as many that are held out: a record of few weighs more.
ROWS = 1_000

NUM_TARGETS = 10

#: Shadows to learn from and to be judged on. CTGAN takes long: it gets fewer, and a third of the
#: epochs that are its default.
SHADOWS, SHADOWS_OF_CTGAN = (60, 30), (20, 10)
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
    ('ClustMix', 1.0),
    ('ClustMix', 8.0),
    ('ClustMix', math.inf),
    ('GaussianCopula', math.inf),
    ('CTGAN', math.inf),
]

KEY = ['table', 'method', 'epsilon', 'part']
SETTINGS = ['rows', 'epochs', 'targets', 'shadows', 'judged']
METRICS = ['DCR baseline', 'DCR overfitting', 'disclosure']
ATTACK = ['AUC', 'AUC low', 'AUC high', 'detected', 'detected low', 'detected high']
FIELDS = [*KEY, *SETTINGS, *METRICS, *ATTACK, 'seconds']


@dataclass(frozen=True)
class Problem:
    """A table in two halves: what synthesizers see, and as many rows of others."""

    name: str
    target: str
    metadata: Metadata
    private: pd.DataFrame
    others: pd.DataFrame

    @classmethod
    def load(cls, name: str, data: Path) -> Problem:
        """Load a table and deal its rows, whatever its official parts."""
        split = load_split(name, data)
        rows = pd.concat([split.train, split.test]).sample(frac=1, random_state=0)
        half = min(len(rows) // 2, ROWS)
        parts = rows[:half], rows[half : 2 * half]
        return cls(name, split.target, split.metadata, *(p.reset_index(drop=True) for p in parts))


def synthesize(
    problem: Problem, method: str, epsilon: float, epochs: int, rows: pd.DataFrame
) -> pd.DataFrame:
    """Fit rows, and sample as many as there are of others, so that their number tells nothing."""
    from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer

    if method == 'the rows themselves':
        return rows
    if method == 'rows of others':
        return problem.others
    if method == 'ClustMix':
        budget = {'epsilon': epsilon, 'delta': DELTA}
        synthesizer = ClustMixSynthesizer(problem.metadata, target_column=problem.target, **budget)
    elif method == 'CTGAN':
        synthesizer = CTGANSynthesizer(problem.metadata, epochs=epochs)
    else:
        synthesizer = GaussianCopulaSynthesizer(problem.metadata)
    name = next(iter(problem.metadata.tables))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({name: rows})
        return synthesizer.sample(num_rows=len(problem.others))[name]


def measure_scores(problem: Problem, method: str, epsilon: float) -> dict[str, Any]:
    """Fit once and take the privacy scores of SDMetrics."""
    epochs = EPOCHS if method == 'CTGAN' else 0
    synthetic = synthesize(problem, method, epsilon, epochs, problem.private)
    facts = next(iter(problem.metadata.to_dict()['tables'].values()))
    named = {'metadata': facts, 'table_name': problem.name}
    known = KNOWN[problem.name]
    numbers = [name for name in known if facts['columns'][name]['sdtype'] == 'numerical']
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        near = DCRBaselineProtection.compute(problem.private, synthetic, **named)
        nearer = DCROverfittingProtection.compute(
            problem.private, synthetic, problem.others, **named
        )
        guessed = DisclosureProtection.compute(
            problem.private, synthetic, known, [problem.target], continuous_column_names=numbers
        )
    scores = dict(zip(METRICS, (near, nearer, guessed), strict=True))
    return {'rows': len(problem.private), 'epochs': epochs, **scores}


def measure_attack(
    problem: Problem, method: str, epsilon: float, shadows: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Attack the records that stand out most."""
    epochs = EPOCHS if method == 'CTGAN' else 0
    learned, judged = shadows or (SHADOWS_OF_CTGAN if method == 'CTGAN' else SHADOWS)
    run = partial(synthesize, problem, method, epsilon, epochs)
    targets = choose_targets(problem.private, NUM_TARGETS)
    return {
        'rows': len(problem.private),
        'epochs': epochs,
        'targets': NUM_TARGETS,
        'shadows': learned,
        'judged': judged,
        **attack(run, problem.private, targets, (learned, judged), seed=0),
    }


PARTS = {'scores': measure_scores, 'attack': measure_attack}


def list_runs(tables: list[str]) -> Iterator[tuple[str, str, float, str]]:
    """List the runs that are not among the results: the quick ones first."""
    done: set[tuple] = set()
    if RESULTS.exists():
        done = set(pd.read_csv(RESULTS)[KEY].itertuples(index=False, name=None))
    for method, epsilon in RUNS:
        for table in tables:
            for part in PARTS:
                if (table, method, epsilon, part) not in done:
                    yield table, method, epsilon, part


def bound(epsilon: float) -> tuple[float, float]:
    """The most that any attack can do: its AUC, and what it detects at so many false alarms.

    A release that is ``mu``-GDP is at best as telling as one normal draw of mean 0 or ``mu`` (Dong,
    Roth, Su 2019). Averages over targets obey it too, as the curve is concave.
    """
    mu = mu_from_epsilon(epsilon, DELTA)
    return float(ndtr(mu / math.sqrt(2))), float(ndtr(ndtri(FALSE_ALARMS) + mu))


def show_interval(run: pd.Series, name: str) -> str:
    """Write a figure with its interval."""
    return f'{run[name]:.2f} ({run[f"{name} low"]:.2f} to {run[f"{name} high"]:.2f})'


def write_runs(runs: pd.DataFrame) -> str:
    """Write what was measured as a table of Markdown, a row per table and method."""
    header = ['table', 'method', 'ε', *METRICS, 'AUC', 'limit', 'found', 'limit']
    rows = []
    cells = runs.set_index(KEY).sort_index()
    for table in KNOWN:
        for method, epsilon in RUNS:
            parts = {part: (table, method, epsilon, part) for part in PARTS}
            if any(key not in cells.index for key in parts.values()):
                continue
            scores, attacked = (cells.loc[key] for key in parts.values())
            private = method == 'ClustMix' and math.isfinite(epsilon)
            limits = [f'{limit:.2f}' for limit in bound(epsilon)] if private else ['', '']
            auc, detected = (show_interval(attacked, name) for name in ('AUC', 'detected'))
            shown = f'{epsilon:g}'.replace('inf', '∞') if method == 'ClustMix' else ''
            metrics = [f'{scores[name]:.2f}' if pd.notna(scores[name]) else '–' for name in METRICS]
            rows.append([table, method, shown, *metrics, auc, limits[0], detected, limits[1]])
    return write_table(header, rows)


def write_page(runs: pd.DataFrame) -> None:
    """Write the table between its markers, and leave the rest of the page as it is."""
    page = fill(PAGE.read_text('utf-8'), {'disclosure': write_runs(runs)})
    PAGE.write_text(page, encoding='utf-8')


def main() -> None:
    """Run what is missing, append it to the results, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true', help='a run of minutes, which is not kept')
    parser.add_argument('--tables', nargs='+', choices=list(KNOWN), default=list(KNOWN))
    parser.add_argument('--data', type=Path, default=DATA)
    arguments = parser.parse_args()
    if arguments.small:
        problem = Problem.load('german_credit', arguments.data)
        for method, epsilon in RUNS[:-1]:
            scores = measure_scores(problem, method, epsilon)
            scores |= measure_attack(problem, method, epsilon, shadows=(10, 6))
            shown = ', '.join(f'{name} {scores[name]:.2f}' for name in [*METRICS, *ATTACK])
            print(f'{method}, epsilon {epsilon:g}: {shown}', flush=True)
        return
    for table, method, epsilon, part in list_runs(arguments.tables):
        problem = Problem.load(table, arguments.data)
        start = time.process_time()
        measured = PARTS[part](problem, method, epsilon)
        seconds = time.process_time() - start
        key = dict(zip(KEY, (table, method, epsilon, part), strict=True))
        append(RESULTS, FIELDS, {**key, **measured, 'seconds': seconds})
        print(*key.values(), f'{seconds:.0f} s', flush=True)
    write_page(pd.read_csv(RESULTS))


if __name__ == '__main__':
    main()
