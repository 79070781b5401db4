"""Makes ``docs/questions.md`` and its pictures of the results of ``benchmarks/questions.py``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from drawing import write_picture
from medians import REAL, named, short
from numpy.typing import NDArray
from pages import write_table
from plotly.subplots import make_subplots

from sdv_threea.report.figures import INK, REAL_COLOR, SYNTHETIC_COLOR, styled

TEMPLATE = Path(__file__).parent / 'questions.md'
DOCS = Path(__file__).parents[1] / 'docs'

WIDTH, HEIGHT = 760, 300

#: What identifies a kind of run.
KIND = ['question', 'value', 'method', 'epsilon']

#: One after the other: colors of the methods, ours first.
COLORS = (SYNTHETIC_COLOR, '#c2621b', '#7048a8', '#2f7d4f', '#b8336a', INK, '#6b7785')


def write_answers(questions: dict[str, Any], runs: pd.DataFrame) -> None:
    """Write the page, and a picture per question if Kaleido is there."""
    repeats = runs.groupby(KIND)['repeat'].nunique()
    least, most = repeats.min(), repeats.max()
    parts = {'repeats': str(most) if least == most else f'{least} to {most}'}
    for name, question in questions.items():
        own = runs[runs['question'] == name]
        parts[name] = write_medians(question, own)
        try:
            write_picture(draw(question, own), DOCS / 'pictures' / f'question_{name}.svg')
        except ImportError:
            print(f'Kaleido is not installed: the picture of {name} stays as it is')
    text = TEMPLATE.read_text('utf-8').format(**parts)
    (DOCS / 'questions.md').write_text(text, 'utf-8')


def find_medians(runs: pd.DataFrame, method: str, epsilon: float, varied: tuple) -> list[float]:
    """Look up the median score of a method at each value; NaN where it was not run."""
    own = runs[(runs['method'] == method) & (runs['epsilon'] == epsilon)]
    medians = own.groupby(own['value'].map(str))['score'].median()
    return [float(medians.get(str(value), math.nan)) for value in varied]


def find_real(runs: pd.DataFrame, varied: tuple) -> list[float]:
    """Look up the median score of real data at each value."""
    medians = runs.groupby(runs['value'].map(str))['real'].median()
    return [float(medians.get(str(value), math.nan)) for value in varied]


def write_medians(question: Any, runs: pd.DataFrame) -> str:
    """Write the medians: a row per method and budget, a column per value."""
    rows = [[f'**{REAL}**', '', *map(short, find_real(runs, question.varied))]]
    for epsilon in sorted(runs['epsilon'].unique()):
        for method in question.methods:
            scores = find_medians(runs, method, epsilon, question.varied)
            rows.append([method, named(epsilon), *map(short, scores)])
    return write_table(['method', 'ε', *map(str, question.varied)], rows)


def draw(question: Any, runs: pd.DataFrame) -> go.Figure:
    """Draw normalised utility against value: a panel per budget, a line per method."""
    budgets = sorted(runs['epsilon'].unique())
    titles = [f'ε = {named(each)}' for each in budgets]
    figure = make_subplots(1, len(budgets), subplot_titles=titles, shared_yaxes=True)
    labels = list(map(str, question.varied))
    chance = 0.0 if question.numeric else 0.5
    best = np.array(find_real(runs, question.varied)) - chance
    for at, epsilon in enumerate(budgets, start=1):
        figure.add_trace(_line(REAL, labels, np.ones(len(best)), REAL_COLOR, at), 1, at)
        for method, color in zip(question.methods, COLORS, strict=False):
            scores = np.array(find_medians(runs, method, epsilon, question.varied)) - chance
            figure.add_trace(_line(method, labels, scores / best, color, at), 1, at)
    figure = styled(figure, height=HEIGHT)
    figure.update_annotations(font={'size': 12, 'color': INK})
    figure.update_xaxes(type='category')
    figure.update_xaxes(title={'text': question.axis, 'font': {'size': 11}}, col=2)
    figure.update_layout(
        width=WIDTH,
        margin={'l': 36, 'r': 8, 't': 24, 'b': 96},
        showlegend=True,
        legend={'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'},
    )
    return figure


def _line(
    name: str, labels: list[str], scores: NDArray[np.float64], color: str, at: int
) -> go.Scatter:
    # Kinds have no order that a line could follow.
    joined = 'lines+markers' if labels[0][0].isdigit() else 'markers'
    return go.Scatter(
        x=labels,
        y=scores,
        name=name,
        legendgroup=name,
        showlegend=at == 1,
        mode='lines' if name == REAL else joined,
        line={'color': color, 'width': 1.8, 'dash': 'dot' if name == REAL else 'solid'},
        marker={'size': 7, 'color': color},
    )
