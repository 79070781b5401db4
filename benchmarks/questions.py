"""What the paper of 3A leaves open, measured on tables whose law is known.

    python benchmarks/questions.py                                   # about twenty minutes
    python benchmarks/questions.py --questions clusters --repeats 1

The weight of the density against the classifier's loss, clusters, the number of columns,
covariances, numerical targets: each is varied by itself, at several budgets. The tables and the
pictures of ``docs/questions.md`` are made of the results.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from generated import Draw, clusters, columns, covariance, make_split, regression
from methods import METHODS, Method, Terms, clustmix
from pages import DOCS, pick, write_epsilon, write_page, write_picture, write_share, write_table
from pictures import draw_question
from runner import Benchmark, Job, Options, Row, grid
from utility import REAL

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.constants import Constants
from sdv_threea.report import train_synthetic_test_real
from sdv_threea.settings import SHARES

EPSILONS = (1.0, 8.0, math.inf)
DELTA = 1e-5

#: Seconds that a method may take, where it keeps to a limit.
TIMEOUT = 900

#: How far apart the clusters are where they are neither separate nor one: deviations.
OVERLAPPING = 2.5


@dataclass(frozen=True)
class Question:
    """One property that is varied, and the methods that may mind.

    Args:
        varied: The values of what is varied.
        draw: Makes the law of a table of a value.
        methods: By name; of the value as well, if it is a setting of the method.
        axis: What the values are.
        numeric: Whether the target is a number.
    """

    varied: tuple
    draw: Callable[..., Draw]
    methods: dict[str, Callable[..., Method]]
    axis: str
    numeric: bool = False


def always(*names: str) -> dict[str, Callable[..., Method]]:
    """Take methods of the benchmark, whatever the value."""
    return {name: lambda _, name=name: METHODS[name] for name in names}


def adapting(share: float) -> Callable[[float], Method]:
    """Make our synthesizer with a share of the budget for its labels, by its alpha."""
    shares = SHARES | {'adapt': share}
    return lambda alpha: clustmix(n_components=4, alpha=alpha, shares=shares)


def trusting(trust: float) -> Callable[[str], Method]:
    """Make our synthesizer with another share of the covariances inside a class.

    Labels are as drawn: adapted ones do not follow from the mixture, whatever is kept of it.
    """
    constants = Constants(anonymize=AnonymizeConstants(trust=trust))
    shares = SHARES | {'adapt': 0.0}
    return lambda _: clustmix(n_components=1, shares=shares, constants=constants)


QUESTIONS = {
    'alpha': Question(
        (0.0, 0.25, 0.5, 0.75, 1.0),
        lambda _: clusters(OVERLAPPING),
        {f'adapt {share:.2f} of the budget': adapting(share) for share in (0.03, 0.2)},
        'alpha',
    ),
    'clusters': Question(
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
        (2, 5, 10, 20, 50, 100, 200),
        columns,
        always('ClustMix', 'naive histograms', 'random mixing'),
        'columns',
    ),
    'covariance': Question(
        ('isotropic', 'diagonal', 'full'),
        covariance,
        {
            'none kept': trusting(0.0),
            'half kept': trusting(0.5),
            'all kept': trusting(1.0),
            **always('4 components', 'naive histograms'),
        },
        'how the covariances of the classes differ',
    ),
    'regression': Question(
        ('linear', 'curves', 'products'),
        regression,
        always('ClustMix', '1 component', '4 components', 'naive histograms'),
        'what the target is of the columns',
        numeric=True,
    ),
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the runs, question by question."""
    for name in options.questions:
        for value in QUESTIONS[name].varied:
            yield from grid(
                question=[name],
                value=[str(value)],
                method=QUESTIONS[name].methods,
                epsilon=EPSILONS,
                repeat=range(options.repeats),
            )


def measure(job: Job, options: Options) -> Row:
    """Fit on a fresh table, and score a model trained on the sampled rows beside the real one."""
    question = QUESTIONS[job['question']]
    (value,) = (each for each in question.varied if str(each) == job['value'])
    law = question.draw(value)
    split = make_split(job['question'], law, job['repeat'], options.rows, numeric=question.numeric)
    start = time.perf_counter()
    method = question.methods[job['method']](value)
    synthetic, _ = method(split, Terms(job['epsilon'], DELTA, job['repeat'], TIMEOUT))
    seconds = time.perf_counter() - start
    scores = train_synthetic_test_real(split.train, synthetic, split.test, split.target)
    found = scores['R2' if question.numeric else 'AUC']
    return {'score': found['synthetic'], 'real': found['real'], 'seconds': seconds}


def find_medians(runs: pd.DataFrame, question: Question, field: str = 'score') -> list[float]:
    """Look up the median of a field of some runs at each value; NaN where there is none."""
    medians = runs.groupby(runs['value'].map(str))[field].median()
    return medians.reindex(list(map(str, question.varied))).tolist()


def write_medians(question: Question, runs: pd.DataFrame) -> str:
    """Write the medians: a row per method and budget, a column per value."""
    rows = [[f'**{REAL}**', '', *map(write_share, find_medians(runs, question, 'real'))]]
    for epsilon, method in product(sorted(runs['epsilon'].unique()), question.methods):
        own = pick(runs, method=method, epsilon=epsilon)
        scores = map(write_share, find_medians(own, question))
        rows.append([method, write_epsilon(epsilon), *scores])
    return write_table(['method', 'ε', *map(str, question.varied)], rows)


def draw(question: Question, runs: pd.DataFrame) -> go.Figure:
    """Draw normalised utility against value: a panel per budget, a line per method."""
    chance = 0.0 if question.numeric else 0.5
    best, panels = np.array(find_medians(runs, question, 'real')) - chance, {}
    for epsilon in sorted(runs['epsilon'].unique()):
        lines = {REAL: np.ones(len(best))}
        for method in question.methods:
            own = pick(runs, method=method, epsilon=epsilon)
            lines[method] = (np.array(find_medians(own, question)) - chance) / best
        panels[f'ε = {write_epsilon(epsilon)}'] = lines
    return draw_question(list(map(str, question.varied)), panels, question.axis)


def write_pages(runs: pd.DataFrame) -> None:
    """Write the tables of the page, and its pictures."""
    own = {name: runs[runs['question'] == name] for name in QUESTIONS}
    parts = {name: write_medians(question, own[name]) for name, question in QUESTIONS.items()}
    write_page(DOCS / 'questions.md', parts)
    for name, question in QUESTIONS.items():
        write_picture(draw(question, own[name]), f'question_{name}.svg')


BENCHMARK = Benchmark(
    name='questions',
    list_jobs=list_jobs,
    measure=measure,
    options={'questions': list(QUESTIONS), 'repeats': 3, 'rows': 10_000},
    write_pages=write_pages,
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
