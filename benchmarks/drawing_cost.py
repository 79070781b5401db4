"""Draws seconds and memory of a fit against what is varied, on logarithmic axes."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from cost_jobs import COPULA, MST, OURS
from drawing import MARKS
from medians import DEFAULT
from plotly.subplots import make_subplots

from sdv_threea.report.figures import INK, styled

WIDTH, HEIGHT = 760, 330

#: The lines: which method, what of it is drawn, and how.
FIRST, LATER = f'{OURS}, first fit', f'{OURS}, later fits'
LINES = {
    LATER: (OURS, 'refit', 'solid'),
    FIRST: (OURS, 'fit', 'dot'),
    f'{COPULA}, no privacy': (COPULA, 'fit', 'solid'),
    MST: (MST, 'fit', 'solid'),
}
PANELS = {'seconds to fit': 'seconds', 'memory of the fit, MiB': 'peak_mib'}


def draw_cost(runs: pd.DataFrame, varied: str, title: str) -> go.Figure:
    """Draw a series, a line per method: seconds at the left, memory at the right.

    Args:
        runs: The rows of the series.
        varied: The column that is varied.
        title: What that is called.

    Returns:
        The picture.
    """
    figure = make_subplots(1, 2, subplot_titles=list(PANELS), horizontal_spacing=0.1)
    for at, cost in enumerate(PANELS.values(), start=1):
        for name, (method, part, dash) in LINES.items():
            own = runs[runs['method'] == method].sort_values(varied)
            figures = own[f'{part}_{cost}']
            if part == 'refit':  # a long fit is done once
                figures = figures.fillna(own[f'fit_{cost}'])
            if figures.notna().any():
                trace = _draw_line(own[varied], figures, name, method, dash)
                figure.add_trace(trace.update(showlegend=at == 1), 1, at)
    figure = styled(figure, height=HEIGHT)
    figure.update_annotations(font={'size': 12, 'color': INK})
    figure.update_xaxes(type='log', title={'text': title, 'font': {'size': 12}}, dtick=1)
    figure.update_yaxes(type='log', dtick=1)
    legend = {'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'}
    figure.update_layout(
        width=WIDTH,
        margin={'l': 40, 'r': 8, 't': 24, 'b': 84},
        showlegend=True,
        legend=legend,
    )
    return figure


def _draw_line(
    places: pd.Series, figures: pd.Series, name: str, method: str, dash: str
) -> go.Scatter:
    color, symbol = MARKS[DEFAULT if method == OURS else method]
    return go.Scatter(
        x=places.tolist(),
        y=figures.tolist(),
        name=name,
        legendgroup=name,
        mode='lines+markers',
        line={'color': color, 'width': 1.8, 'dash': dash},
        marker={'color': color, 'symbol': symbol, 'size': 7},
    )
