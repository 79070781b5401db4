"""The stages of 3A on a table of two columns: computed by the pipeline, and drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots
from scipy.special import ndtr
from sklearn.datasets import make_moons

from sdv_threea import pipeline
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.transformers import encode
from sdv_threea.pages.plots import INK, RULE
from sdv_threea.release import Release
from sdv_threea.report import train_synthetic_test_real
from sdv_threea.report.figures import styled
from sdv_threea.settings import Settings

NUM_ROWS, NUM_TEST_ROWS, NUM_DRAWN = 10_000, 10_000, 700
EPSILONS = (math.inf, 8.0, 1.0)
DELTA = 1e-6

#: Components per class: more than the default, which is at most four, to have something to look at.
COMPONENTS = 12

#: All of it is public here, so that the whole budget goes into what is drawn.
DOMAIN = Domain(
    (
        Number(name='x', low=-1.5, high=2.5, step=0.0, nullable=False),
        Number(name='y', low=-1.2, high=1.7, step=0.0, nullable=False),
        Category(name='moon', values=('upper', 'lower'), nullable=False),
    ),
    target='moon',
)

#: In how many squares each way rows are counted, and from where to where.
SQUARES = 12
ENDS = {'x': (-1.5, 2.5), 'y': (-1.2, 1.7)}

COLORS = {'upper': '#0b7285', 'lower': '#c2621b'}
FAINT = '#e1e6eb'

#: What the picture shows of the two columns, and the points at which chances are asked for.
RANGES, GRID = ((-1.45, 2.45), (-1.15, 1.65)), 160
PLACES = tuple(np.linspace(*each, GRID) for each in RANGES)

STAGES = ('private rows', 'approximate', 'adapt', 'anonymize')


@dataclass(frozen=True)
class Stages:
    """What the pipeline did: centroids, chances of the first class, and rows.

    Shapes: centroids, in units of the columns, (C, K, 2); chances on a grid, (GRID, GRID).
    ``auc`` is what a classifier learns from the drawn rows, and ``error`` the share of them that
    would have to move.
    """

    centroids: NDArray[np.float64]
    chances: NDArray[np.float64]
    drawn: pd.DataFrame
    auc: float
    error: float


def make_table(num_rows: int, seed: int) -> pd.DataFrame:
    """Make two interleaving half moons."""
    points, labels = make_moons(num_rows, noise=0.12, random_state=seed)
    table = pd.DataFrame(points, columns=['x', 'y'])
    return table.assign(moon=np.array(['upper', 'lower'], dtype=object)[labels])


def run_stages(table: pd.DataFrame, test: pd.DataFrame, epsilon: float) -> Stages:
    """Release the table, and watch the centroids on their way through the pipeline."""
    seen = {}
    partition = pipeline._partition

    def watch(density, encoded, run):  # noqa: ANN001, ANN202 (as the function it is)
        seen.update(density=density, centroids=partition(density, encoded, run))
        return seen['centroids']

    settings = Settings(epsilon=epsilon, delta=DELTA, n_components=COMPONENTS)
    with patch.object(pipeline, '_partition', watch):
        released = pipeline.release(table, DOMAIN, settings)
    drawn = released.sample(len(table), np.random.default_rng(0))
    scores = train_synthetic_test_real(table, drawn, test, 'moon')
    return Stages(
        _place(seen['centroids'], seen['density'], released),
        find_chances(released),
        drawn,
        float(scores.loc['synthetic', 'AUC']),
        find_error(drawn, test),
    )


def find_error(drawn: pd.DataFrame, test: pd.DataFrame) -> float:
    """Return the distance of total variation to other real rows, in squares of each moon."""
    grids = [_count_squares(rows) / len(rows) for rows in (drawn, test)]
    return float(np.abs(grids[0] - grids[1]).sum() / 2)


def _count_squares(rows: pd.DataFrame) -> NDArray[np.float64]:
    classes = (rows['moon'] == 'upper').to_numpy(float)
    # What is beyond the ends is in the last squares.
    x, y = rows['x'].clip(*ENDS['x']), rows['y'].clip(*ENDS['y'])
    points = np.column_stack([x, y, classes])
    counts, _ = np.histogramdd(points, [SQUARES, SQUARES, 2], [ENDS['x'], ENDS['y'], (0, 1)])
    return np.asarray(counts)


def find_chances(released: Release) -> NDArray[np.float64]:
    """Ask the model of the labels how likely the first class is, on the grid of the picture."""
    x, y = np.meshgrid(*PLACES)
    places = pd.DataFrame({'x': x.ravel(), 'y': y.ravel()})
    names = [transformer.name for transformer in released.transformers]
    places['moon'] = DOMAIN['moon'].values[0]  # noqa: PD011 (not pandas)
    codes = encode(places[names], released.transformers)[:, released.scored]
    return released.labels.chances(codes)[:, 0].reshape(x.shape)


def draw_stages() -> go.Figure:
    """Draw the stages at several epsilons, a row each."""
    table, test = make_table(NUM_ROWS, 0), make_table(NUM_TEST_ROWS, 1)
    figure = make_subplots(
        len(EPSILONS), len(STAGES), column_titles=STAGES, horizontal_spacing=0.012,
        vertical_spacing=0.02, shared_xaxes=True, shared_yaxes=True,
    )  # fmt: skip
    for row, epsilon in enumerate(EPSILONS, start=1):
        stages = run_stages(table, test, epsilon)
        _add_rows(figure, table, (row, 1))
        _add_rows(figure, table, (row, 2), FAINT)
        _add_centroids(figure, stages.centroids, (row, 2))
        _add_chances(figure, stages.chances, (row, 3))
        _add_rows(figure, stages.drawn, (row, 4))
        _label(figure, row, epsilon, stages)
    figure = styled(figure, height=170 * len(EPSILONS) + 40)
    figure.update_layout(width=760, margin={'l': 44, 'r': 4, 't': 28, 'b': 4})
    figure.update_annotations(font={'size': 13, 'color': INK})
    axes = {'showticklabels': False, 'ticks': '', 'showline': True, 'mirror': True}
    axes |= {'linecolor': RULE, 'showgrid': False}
    figure.update_xaxes(range=RANGES[0], **axes)
    return figure.update_yaxes(range=RANGES[1], **axes)


def _place(
    centroids: NDArray[np.int64], density: pipeline.Density, released: Release
) -> NDArray[np.float64]:
    """Translate pooled normal scores back into values of the columns."""
    quantiles = ndtr(centroids / SCORE_UNITS)
    edges = [released.transformers[at].edges for at in (0, 1)]
    # The first code is the missing value, which has no bin.
    columns = [
        np.interp(quantiles[..., at], density.pooled.cuts[at][0][1:], edges[at]) for at in (0, 1)
    ]
    return np.stack(columns, axis=-1)


def _add_rows(
    figure: go.Figure, table: pd.DataFrame, place: tuple[int, int], color: str | None = None
) -> None:
    rows = table.head(NUM_DRAWN)
    colors = color or rows['moon'].map(COLORS)
    marker = {'size': 2.6, 'color': colors, 'opacity': 1 if color else 0.6}
    points = go.Scatter(x=rows['x'], y=rows['y'], mode='markers', marker=marker)
    figure.add_trace(points, *place)


def _add_centroids(
    figure: go.Figure, centroids: NDArray[np.float64], place: tuple[int, int]
) -> None:
    for own, color in zip(centroids, COLORS.values(), strict=True):
        marker = {'size': 8, 'color': color, 'line': {'color': 'white', 'width': 1}}
        figure.add_trace(
            go.Scatter(x=own[:, 0], y=own[:, 1], mode='markers', marker=marker), *place
        )


def _add_chances(figure: go.Figure, chances: NDArray[np.float64], place: tuple[int, int]) -> None:
    upper, lower = COLORS.values()
    colors = [[0, lower], [0.5, 'white'], [1, upper]]
    scale = {'colorscale': colors, 'zmin': 0, 'zmax': 1, 'showscale': False}
    figure.add_trace(go.Heatmap(x=PLACES[0], y=PLACES[1], z=chances, **scale), *place)


def _label(figure: go.Figure, row: int, epsilon: float, stages: Stages) -> None:
    name = 'ε = ∞' if math.isinf(epsilon) else f'ε = {epsilon:g}'
    axis = (row - 1) * len(STAGES) + 1
    figure.add_annotation(
        text=name, textangle=-90, x=-0.035, xref='paper', xanchor='right', showarrow=False,
        y=0.25, yref=f'y{axis if axis > 1 else ""} domain', yanchor='bottom',
    )  # fmt: skip
    last = row * len(STAGES)
    told = f'AUC {stages.auc:.3f}, {stages.error:.0%} off'
    figure.add_annotation(
        text=told, x=0.03, xref=f'x{last} domain', xanchor='left', showarrow=False,
        y=0.02, yref=f'y{last} domain', yanchor='bottom',
    )  # fmt: skip
