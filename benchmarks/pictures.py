"""The pictures of pages: utility against epsilon, costs against sizes, questions against values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from cost import COPULA, MST, OURS
from methods import NOT_PRIVATE
from numpy.typing import NDArray
from pages import pick, write_epsilon
from plotly.subplots import make_subplots
from utility import REAL

from sdv_threea.pages.plots import INK, REAL_COLOR, RULE, SYNTHETIC_COLOR
from sdv_threea.report.figures import styled

#: The width of all pictures; the height of a table's, and how many stand side by side.
WIDTH, HEIGHT, COLUMNS = 760, 190, 3

#: Color and symbol of each method, ours first: a family has a color, an algorithm a symbol.
DPMM, SMARTNOISE, BASELINE, SDV = '#c2621b', '#7048a8', INK, '#6b7785'
MARKS = {
    'ClustMix': (SYNTHETIC_COLOR, 'circle'),
    'ClustMix, public metadata': (SYNTHETIC_COLOR, 'circle'),
    'naive histograms': (BASELINE, 'cross-thin'),
    'random mixing': (BASELINE, 'x-thin'),
    'dpmm MST': (DPMM, 'square'),
    'dpmm AIM': (DPMM, 'diamond'),
    'dpmm PrivBayes': (DPMM, 'triangle-up'),
    'smartnoise MST': (SMARTNOISE, 'square-open'),
    'smartnoise PATE-CTGAN': (SMARTNOISE, 'star-triangle-up-open'),
    'smartnoise DP-CTGAN': (SMARTNOISE, 'star-open'),
    'GaussianCopula': (SDV, 'hourglass-open'),
    'CTGAN': (SDV, 'hexagon-open'),
    'TVAE': (SDV, 'pentagon-open'),
}
DEFAULT, PUBLIC, *OTHERS = MARKS
RIVALS = [name for name in OTHERS if name not in NOT_PRIVATE]

#: The lines of costs: which method, what of it is drawn, and how.
LINES = {
    f'{OURS}, later fits': (OURS, 'refit', 'solid'),
    f'{OURS}, first fit': (OURS, 'fit', 'dot'),
    f'{COPULA}, no privacy': (COPULA, 'fit', 'solid'),
    MST: (MST, 'fit', 'solid'),
}
PANELS = {'seconds to fit': 'seconds', 'memory of the fit, MiB': 'peak_mib'}

#: Colors of the methods of a question, ours first.
COLORS = (SYNTHETIC_COLOR, '#c2621b', '#7048a8', '#2f7d4f', '#b8336a', INK, '#6b7785')


class Panel(NamedTuple):
    """Utility on a table: what guessing and real data reach, and each method by budget."""

    title: str
    floor: float
    real: float
    scores: Mapping[str, Sequence[float]]


def finish(figure: go.Figure, height: int, left: int, bottom: int, **legend: Any) -> go.Figure:
    """Give a figure its size, with the legend below."""
    figure = styled(figure, height=height)
    figure.update_annotations(font={'size': 12, 'color': INK})
    below = {'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'}
    margin = {'l': left, 'r': 8, 't': 24, 'b': bottom}
    return figure.update_layout(width=WIDTH, margin=margin, showlegend=True, legend=below | legend)


def draw_utility(panels: list[Panel], budgets: list[float]) -> go.Figure:
    """Draw ours as lines, all others as points and real data as a rule, table by table.

    What is worse than guessing is drawn at the bottom.
    """
    rows = math.ceil(len(panels) / COLUMNS)
    figure = make_subplots(
        rows,
        COLUMNS,
        subplot_titles=[panel.title for panel in panels],
        vertical_spacing=min(56 / (HEIGHT * rows), 1 / rows),
        horizontal_spacing=0.065,
    )
    shown: set[str] = set()
    for at, panel in enumerate(panels):
        _draw_panel(figure, panel, budgets, (at // COLUMNS + 1, at % COLUMNS + 1), shown)
    bottom = 20 * math.ceil(len(shown) / 3) + 34
    legend = {'entrywidth': 168, 'tracegroupgap': 0, 'font': {'size': 11}}
    return finish(figure, HEIGHT * rows + bottom, 30, bottom, **legend)


def _draw_panel(
    figure: go.Figure, panel: Panel, budgets: list[float], at: tuple[int, int], shown: set[str]
) -> None:
    """Draw a table into its place; ``shown`` are the methods that are in the legend already."""
    places = [-0.45, len(budgets) - 0.55]
    line = {'color': REAL_COLOR, 'width': 2, 'dash': 'dot'}
    traces = [go.Scatter(x=places, y=[panel.real] * 2, name=REAL, mode='lines', line=line)]
    traces += [_draw_method(panel, name) for name in reversed(MARKS)]
    highest = panel.floor
    for trace in traces:
        seen = [value for value in trace.y if pd.notna(value)]
        if not seen:
            continue
        highest = max(highest, *seen)
        trace.update(legendgroup=trace.name, showlegend=trace.name not in shown)
        trace.update(legendrank=[REAL, *MARKS].index(trace.name.removesuffix(', no privacy')))
        shown.add(trace.name)
        figure.add_trace(trace, *at)
    rim = 0.06 * (highest - panel.floor)
    figure.update_yaxes(range=[panel.floor - rim, highest + rim], nticks=6, row=at[0], col=at[1])
    labels = [('ε = ' if each == budgets[0] else '') + write_epsilon(each) for each in budgets]
    ticks = {'tickvals': list(range(len(budgets))), 'ticktext': labels, 'range': places}
    figure.update_xaxes(**ticks, linecolor=RULE, row=at[0], col=at[1])


def _draw_method(panel: Panel, name: str) -> go.Scatter:
    color, symbol = MARKS[name]
    # Points of others stand side by side; what is run at infinity alone belongs there.
    shift = 0.0 if name not in RIVALS else 0.06 * (RIVALS.index(name) - (len(RIVALS) - 1) / 2)
    look: dict[str, Any] = {'mode': 'markers'}
    if name in (DEFAULT, PUBLIC):
        dash = 'solid' if name == DEFAULT else 'dash'
        look = {'mode': 'lines+markers', 'line': {'color': color, 'width': 1.8, 'dash': dash}}
    fill, thin = 'white' if name == PUBLIC else color, {'width': 1.5, 'color': color}
    scores = panel.scores[name]
    return go.Scatter(
        x=[at + shift for at in range(len(scores))],
        y=[max(score, panel.floor) if pd.notna(score) else None for score in scores],
        name=f'{name}, no privacy' if name in NOT_PRIVATE else name,
        marker={'color': fill, 'symbol': symbol, 'size': 7, 'line': thin},
        cliponaxis=False,
        **look,
    )


def _add_line(
    figure: go.Figure, at: int, name: str, x: Sequence[Any], y: Sequence[Any], **look: Any
) -> None:
    """Add a line to a panel; the first panel names it in the legend."""
    line = go.Scatter(x=x, y=y, name=name, legendgroup=name, showlegend=at == 1)
    line.update(mode='lines+markers', marker_size=7, line_width=1.8)
    line.update(line_color=look['marker']['color'], **look)
    figure.add_trace(line, 1, at)


def draw_cost(runs: pd.DataFrame, varied: str, title: str) -> go.Figure:
    """Draw a series, a line per method: seconds at the left, memory at the right."""
    figure = make_subplots(1, 2, subplot_titles=list(PANELS), horizontal_spacing=0.1)
    for at, panel in enumerate(PANELS.values(), start=1):
        for name, (method, part, dash) in LINES.items():
            own = pick(runs, method=method).sort_values(varied)
            figures = own[f'{part}_{panel}']
            if part == 'refit':  # a long fit is done once
                figures = figures.fillna(own[f'fit_{panel}'])
            color, symbol = MARKS[method]
            marker, line = {'color': color, 'symbol': symbol}, {'dash': dash}
            if figures.notna().any():
                sizes = own[varied].tolist()
                _add_line(figure, at, name, sizes, figures.tolist(), line=line, marker=marker)
    figure = finish(figure, 330, 40, 84)
    figure.update_xaxes(type='log', title={'text': title, 'font': {'size': 12}}, dtick=1)
    return figure.update_yaxes(type='log', dtick=1)


def draw_question(
    labels: list[str], panels: Mapping[str, Mapping[str, NDArray[Any]]], title: str
) -> go.Figure:
    """Draw normalised utility against values: a panel per budget, a line per method."""
    figure = make_subplots(1, len(panels), subplot_titles=list(panels), shared_yaxes=True)
    # Kinds have no order that a line could follow.
    mode = 'lines+markers' if labels[0][0].isdigit() else 'markers'
    for at, lines in enumerate(panels.values(), start=1):
        for (name, scores), color in zip(lines.items(), (REAL_COLOR, *COLORS), strict=False):
            line = {'dash': 'dot' if name == REAL else 'solid'}
            look = {'mode': 'lines' if name == REAL else mode, 'line': line}
            _add_line(figure, at, name, labels, scores, marker={'color': color}, **look)
    figure = finish(figure, 300, 36, 96)
    figure.update_xaxes(type='category')
    return figure.update_xaxes(title={'text': title, 'font': {'size': 11}}, col=2)
