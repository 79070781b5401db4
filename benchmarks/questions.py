"""What the paper of 3A leaves open, measured on tables whose law is known.

    python benchmarks/questions.py                                   # about twenty minutes
    pip install kaleido==0.2.1 && python benchmarks/questions.py --draw

The weight of the density against the classifier's loss, clusters, the number of columns,
covariances, numerical targets: each is varied by itself, at several budgets. Every run is a row of
``benchmarks/results/questions.csv``; what is there is not run again. ``--draw`` makes the pictures
and the tables of ``docs/questions.md`` of them.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from generated import clusters, columns, covariance, make_split, regression
from methods import METHODS, Method, Terms, clustmix
from rows import append

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.constants import Constants
from sdv_threea.report import train_synthetic_test_real
from sdv_threea.settings import SHARES

RESULTS = Path(__file__).parent / 'results' / 'questions.csv'
EPSILONS = (1.0, 8.0, math.inf)
DELTA = 1e-5
REPEATS = 3
FIELDS = ['question', 'value', 'method', 'epsilon', 'repeat', 'score', 'real', 'seconds']


def trusting(trust: float) -> Method:
    """Make our synthesizer with another share of the covariances inside a class.

    Labels are as drawn: adapted ones add up what columns tell one by one, whatever is kept.
    """
    constants = Constants(anonymize=AnonymizeConstants(trust=trust))
    return clustmix(n_components=1, shares=SHARES | {'labels': 0.0}, constants=constants)


@dataclass(frozen=True)
class Question:
    """One property that is varied, and the methods that may mind.

    Args:
        title: The question, in words.
        varied: The values of what is varied.
        draw: Makes the law of a table of a value.
        methods: By name; of the value as well, if it is a setting of the method.
        axis: What the values are.
        numeric: Whether the target is a number.
    """

    title: str
    varied: tuple
    draw: Callable
    methods: dict[str, Callable[[Any], Method]]
    axis: str
    numeric: bool = False


def always(*names: str) -> dict[str, Callable[[Any], Method]]:
    """Take methods of the benchmark, whatever the value."""
    return {name: lambda _, name=name: METHODS[name] for name in names}


#: How far apart the clusters are where they are neither separate nor one: deviations.
OVERLAPPING = 2.5

QUESTIONS = {
    'alpha': Question(
        'Adapt: the density (alpha = 1) against the loss of a classifier (alpha = 0)',
        (0.0, 0.25, 0.5, 0.75, 1.0),
        lambda _: clusters(OVERLAPPING),
        {
            f'adapt {share:.2f} of the budget': (
                lambda alpha, share=share: clustmix(
                    n_components=4, alpha=alpha, shares=_with_adapt(share)
                )
            )
            for share in (0.03, 0.2)
        },
        'alpha',
    ),
    'clusters': Question(
        'Clusters: what each A gains where there are some',
        (0.0, OVERLAPPING, 6.0),
        clusters,
        always(
            'ClustMix',
            '1 component',
            '4 components',
            '4 components, no Adapt',
            'no classes',
            'naive histograms',
            'random mixing',
        ),
        'distance of clusters from the centre, deviations',
    ),
    'columns': Question(
        'Dimension: two classes, always two deviations apart',
        (2, 5, 10, 20, 50, 100, 200),
        columns,
        always('ClustMix', 'naive histograms', 'random mixing'),
        'columns',
    ),
    'covariance': Question(
        'Covariance: how classes differ, and how much of their covariance is kept',
        ('isotropic', 'diagonal', 'full'),
        covariance,
        {
            'none kept': lambda _: trusting(0.0),
            'half kept': lambda _: trusting(0.5),
            'all kept': lambda _: trusting(1.0),
            **always('4 components', 'naive histograms'),
        },
        'how the covariances of the classes differ',
    ),
    'regression': Question(
        'Regression: what a numerical target depends on',
        ('linear', 'curves', 'products'),
        regression,
        always('ClustMix', '1 component', '4 components', 'naive histograms'),
        'what the target is of the columns',
        numeric=True,
    ),
}


def _with_adapt(share: float) -> dict[str, float]:
    from sdv_threea.settings import SHARES

    return SHARES | {'adapt': share}


def list_runs(names: list[str], repeats: int) -> Iterator[dict[str, Any]]:
    """List the runs that are not among the results."""
    done = set()
    if RESULTS.exists():
        rows = pd.read_csv(RESULTS)
        done = set(zip(*(rows[key].map(str) for key in FIELDS[:5]), strict=True))
    for name in names:
        question = QUESTIONS[name]
        for value in question.varied:
            for repeat in range(repeats):
                for method in question.methods:
                    for epsilon in EPSILONS:
                        key = (name, value, method, epsilon, repeat)
                        if tuple(map(str, key)) not in done:
                            yield dict(zip(FIELDS, key, strict=False))


def measure(run: dict[str, Any]) -> dict[str, Any]:
    """Fit on a fresh table, and score a model trained on the sampled rows beside the real one."""
    question = QUESTIONS[run['question']]
    law = question.draw(run['value'])
    split = make_split(run['question'], law, run['repeat'], numeric=question.numeric)
    method = question.methods[run['method']](run['value'])
    start = time.perf_counter()
    synthetic, _ = method(split, Terms(run['epsilon'], DELTA, run['repeat'], 900))
    seconds = time.perf_counter() - start
    scores = train_synthetic_test_real(split.train, synthetic, split.test, split.target)
    field = 'R2' if question.numeric else 'AUC'
    score, real = (round(scores.loc[row, field], 5) for row in ('synthetic', 'real'))
    return run | {'score': score, 'real': real, 'seconds': round(seconds, 2)}


def main() -> None:
    """Run what is missing, or make pictures of what is there."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--questions', nargs='+', choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument('--repeats', type=int, default=REPEATS)
    parser.add_argument('--draw', action='store_true', help='make docs/questions.md')
    arguments = parser.parse_args()
    if arguments.draw:
        from answers import write_answers

        write_answers(QUESTIONS, pd.read_csv(RESULTS))
        return
    for run in list(list_runs(arguments.questions, arguments.repeats)):
        row = measure(run)
        append(RESULTS, FIELDS, row | {'value': str(row['value'])})
        print(*row.values(), flush=True)


if __name__ == '__main__':
    main()
