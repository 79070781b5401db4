"""Draws utility against epsilon, a small picture per table."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from medians import (
    DEFAULT,
    METHODS,
    PUBLIC,
    REAL,
    RIVALS,
    is_regression,
    list_tables,
    look_up,
    named,
    titled,
)
from methods import NOT_PRIVATE
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from sdv_threea.report.figures import INK, REAL_COLOR, RULE, SYNTHETIC_COLOR, styled

WIDTH, HEIGHT, COLUMNS = 760, 190, 3

#: Color and symbol of each method: a family has a color, an algorithm a symbol.
DPMM, SMARTNOISE, BASELINE, SDV = '#c2621b', '#7048a8', INK, '#6b7785'
MARKS = {
    DEFAULT: (SYNTHETIC_COLOR, 'circle'),
    PUBLIC: (SYNTHETIC_COLOR, 'circle'),
    'naive histograms': (BASELINE, 'cross-thin'),
    'random mixing': (BASELINE, 'x-thin'),
    'dpmm MST': (DPMM, 'square'),
    'dpmm AIM': (DPMM, 'diamond'),
    'dpmm PrivBayes': (DPMM, 'triangle-up'),
    'smartnoise MST': (SMARTNOISE, 'square-open'),
    'smartnoise AIM': (SMARTNOISE, 'diamond-open'),
    'smartnoise PATE-CTGAN': (SMARTNOISE, 'star-triangle-up-open'),
    'smartnoise DP-CTGAN': (SMARTNOISE, 'star-open'),
    'GaussianCopula': (SDV, 'hourglass-open'),
    'CTGAN': (SDV, 'hexagon-open'),
    'TVAE': (SDV, 'pentagon-open'),
}


def draw_utility(cells: pd.DataFrame) -> go.Figure:
    """Draw ours as lines, all others as points and real data as a rule, table by table.

    Args:
        cells: Medians, of :func:`medians.read_cells`.

    Returns:
        A picture per table; what is worse than guessing is drawn at the bottom.
    """
    tables = list_tables(cells)
    rows = math.ceil(len(tables) / COLUMNS)
    titles = [titled(cells, table) for table in tables]
    figure = make_subplots(
        rows,
        COLUMNS,
        subplot_titles=titles,
        vertical_spacing=min(56 / (HEIGHT * rows), 1 / rows),
        horizontal_spacing=0.065,
    )
    shown: set[str] = set()
    for at, table in enumerate(tables):
        _draw_table(figure, cells, table, (at // COLUMNS + 1, at % COLUMNS + 1), shown)
    legend = 20 * math.ceil(len(shown) / 3) + 34
    figure = styled(figure, height=HEIGHT * rows + legend)
    figure.update_annotations(font={'size': 12, 'color': INK})
    bottom = {'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'}
    figure.update_layout(
        width=WIDTH,
        margin={'l': 30, 'r': 8, 't': 24, 'b': legend},
        showlegend=True,
        legend=bottom | {'entrywidth': 168, 'tracegroupgap': 0, 'font': {'size': 11}},
    )
    return figure


def write_picture(figure: go.Figure, path: Path) -> None:
    """Write a figure as a vector picture, on white: a page may be dark."""
    from kaleido.scopes.plotly import PlotlyScope

    figure.update_layout(paper_bgcolor='white', plot_bgcolor='white')
    size = {'width': figure.layout.width, 'height': figure.layout.height}
    path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The Plotly that Kaleido brings is older than the one that made the figure.
        plotly = Path(folder) / 'plotly.min.js'
        plotly.write_text(get_plotlyjs(), encoding='utf-8')
        scope = PlotlyScope(plotlyjs=str(plotly), mathjax=None)
        path.write_bytes(scope.transform(figure.to_dict(), format='svg', **size))


def _draw_table(
    figure: go.Figure, cells: pd.DataFrame, table: str, at: tuple[int, int], shown: set[str]
) -> None:
    """Draw a table into its place; ``shown`` are the methods that are in the legend already."""
    budgets = sorted(cells.index.unique('epsilon'))
    floor = 0.0 if is_regression(cells, table) else 0.5
    real = look_up(cells, table, REAL, math.inf, 'score')
    places = [-0.45, len(budgets) - 0.55]
    line = {'color': REAL_COLOR, 'width': 2, 'dash': 'dot'}
    traces = [go.Scatter(x=places, y=[real, real], name=REAL, mode='lines', line=line)]
    traces += [_trace(cells, table, name, budgets, floor) for name in reversed(METHODS)]
    highest = floor
    for trace in traces:
        seen = [value for value in trace.y if pd.notna(value)]
        if not seen:
            continue
        highest = max(highest, *seen)
        trace.update(legendgroup=trace.name, showlegend=trace.name not in shown)
        trace.update(legendrank=[REAL, *METHODS].index(trace.name.removesuffix(', no privacy')))
        shown.add(trace.name)
        figure.add_trace(trace, *at)
    rim = 0.06 * (highest - floor)
    figure.update_yaxes(range=[floor - rim, highest + rim], nticks=6, row=at[0], col=at[1])
    labels = [('ε = ' if each == budgets[0] else '') + named(each) for each in budgets]
    ticks = {'tickvals': list(range(len(budgets))), 'ticktext': labels, 'range': places}
    figure.update_xaxes(**ticks, linecolor=RULE, row=at[0], col=at[1])


def _trace(
    cells: pd.DataFrame, table: str, name: str, budgets: list[float], floor: float
) -> go.Scatter:
    color, symbol = MARKS.get(name, (SDV, 'circle'))
    # Points of others stand side by side; what is run at infinity alone belongs there.
    shift = 0.0 if name not in RIVALS else 0.06 * (RIVALS.index(name) - (len(RIVALS) - 1) / 2)
    scores = cells['score'].reindex([(table, name, epsilon) for epsilon in budgets])
    thin = {'width': 1.5, 'color': color}
    extra: dict[str, Any] = {'mode': 'markers'}
    if name in (DEFAULT, PUBLIC):
        dash = 'solid' if name == DEFAULT else 'dash'
        extra = {'mode': 'lines+markers', 'line': {'color': color, 'width': 1.8, 'dash': dash}}
    return go.Scatter(
        x=[at + shift for at in range(len(budgets))],
        y=[max(score, floor) if pd.notna(score) else None for score in scores],
        name=f'{name}, no privacy' if name in NOT_PRIVATE else name,
        marker={
            'color': 'white' if name == PUBLIC else color,
            'symbol': symbol,
            'size': 7,
            'line': thin,
        },
        cliponaxis=False,
        **extra,
    )
