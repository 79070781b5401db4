"""The pictures of pages: utility against epsilon, and costs against sizes."""

from __future__ import annotations

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from cost import COPULA, MST, OURS

from sdv_threea.pages.plots import INK, REAL_COLOR, SYNTHETIC_COLOR
from sdv_threea.report.epsilons import styled

#: The width of all pictures; the height of a row of tables, and how many stand side by side.
WIDTH, HEIGHT, COLUMNS = 760, 190, 3

#: The colors of lines, ours first.
COLORS = (SYNTHETIC_COLOR, '#8fb8de', INK, '#c2621b', '#7048a8', '#6b7785')

#: The lines of costs: which method, and what of it is drawn.
LINES = {
    f'{OURS}, later fits': (OURS, 'refit'),
    f'{OURS}, first fit': (OURS, 'fit'),
    f'{COPULA}, no privacy': (COPULA, 'fit'),
    MST: (MST, 'fit'),
}
PANELS = {'seconds to fit': 'seconds', 'memory of the fit, MiB': 'peak_mib'}


def draw_utility(scores: pd.DataFrame, real: str) -> go.Figure:
    """Draw utility against epsilon: a panel per table, a line per method.

    Args:
        scores: ``table``, ``method``, ``ε`` and ``score``, in the order in which they are shown;
            a panel starts at the score of guessing.
        real: The method that stands for real data, drawn as a dotted line.
    """
    methods = [name for name in scores['method'].unique() if name != real]
    figure = px.line(
        scores,
        x='ε',
        y='score',
        color='method',
        markers=True,
        facet_col='table',
        facet_col_wrap=COLUMNS,
        facet_row_spacing=0.06,
        facet_col_spacing=0.065,
        color_discrete_map=dict(zip(methods, COLORS, strict=False)) | {real: REAL_COLOR},
    )
    figure.for_each_trace(
        lambda line: line.update(line_dash='dot', mode='lines'), selector={'name': real}
    )
    figure.update_yaxes(matches=None, showticklabels=True, nticks=6, title=None)
    figure.update_xaxes(type='category', showticklabels=True, title=None)
    return finish(figure, HEIGHT * -(-scores['table'].nunique() // COLUMNS) + 80)


def draw_cost(runs: pd.DataFrame, varied: str, title: str) -> go.Figure:
    """Draw a series, a line per method: seconds at the left, memory at the right."""
    points = []
    for panel, figure in PANELS.items():
        for line, (method, part) in LINES.items():
            own = runs[runs['method'] == method].sort_values(varied)
            found = own[f'{part}_{figure}'].fillna(own[f'fit_{figure}'])  # a long fit is done once
            points.append(pd.DataFrame({'size': own[varied], 'line': line, 'is': found}))
            points[-1]['panel'] = panel
    figure = px.line(
        pd.concat(points).dropna(),
        x='size',
        y='is',
        color='line',
        markers=True,
        facet_col='panel',
        facet_col_spacing=0.1,
        log_x=True,
        log_y=True,
        color_discrete_sequence=COLORS,
    )
    figure.update_xaxes(title={'text': title, 'font': {'size': 12}}, dtick=1)
    figure.update_yaxes(matches=None, showticklabels=True, title=None, dtick=1)
    return finish(figure, 330)


def finish(figure: go.Figure, height: int) -> go.Figure:
    """Give a figure its size, with what panels are above them and the legend below."""
    figure.for_each_annotation(lambda each: each.update(text=each.text.partition('=')[2]))
    figure = styled(figure, height=height)
    figure.update_annotations(font={'size': 12, 'color': INK})
    below = {'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'}
    margin = {'l': 40, 'r': 8, 't': 24, 'b': 84}
    return figure.update_layout(
        width=WIDTH, margin=margin, showlegend=True, legend=below | {'title': None}
    )
