"""The pictures of the page: the budget by stage, one column at a time, and all pairs of columns.

In go receipts, shares of rows or scores; out come figures of Plotly in one style. Real data is
grey and synthetic data is teal in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_threea.report.distributions import Distribution

REAL_COLOR = '#9aa5b1'
SYNTHETIC_COLOR = '#0b7285'
INK = '#1f2933'
RULE = '#e4e7eb'

#: The most characters of a name at an axis; longer ones are shortened.
LONGEST_LABEL = 22


def draw_budget(receipts: Sequence[dict[str, Any]]) -> go.Figure:
    """Draw each stage's share of the privacy loss: the sum of its ``mu ** 2``, as these add up.

    Args:
        receipts: Dictionaries with ``stage``, ``mu`` and ``charged``.

    Returns:
        One bar per stage in the order of the receipts, in percent; a sentence where nothing finite
        was charged.
    """
    shares = _stage_shares(receipts)
    if shares.empty:
        return _say('No noise was added, so nothing was charged.')
    bars = go.Bar(
        x=shares,
        y=shares.index.map(_label),
        orientation='h',
        marker_color=SYNTHETIC_COLOR,
        text=[f'{share:.0%}' for share in shares],
        textposition='outside',
        cliponaxis=False,
        hovertemplate='%{y}: %{x:.1%}<extra></extra>',
    )
    figure = styled(go.Figure(bars), height=36 * len(shares) + 40)
    figure.update_xaxes(visible=False, range=[0, 1.1 * shares.max()])
    return figure.update_yaxes(autorange='reversed', showgrid=False)


def draw_distribution(distribution: Distribution) -> go.Figure:
    """Draw the real and the synthetic shares of one column on top of each other.

    Args:
        distribution: The shares. Bins are drawn as steps, levels as pairs of bars.

    Returns:
        Two traces, ``real`` and ``synthetic``, in percent of the rows.
    """
    draw = _draw_steps if distribution.binned else _draw_bars
    figure = go.Figure(
        [
            draw(distribution.labels, distribution.real, 'real', REAL_COLOR),
            draw(distribution.labels, distribution.synthetic, 'synthetic', SYNTHETIC_COLOR),
        ]
    )
    figure = styled(figure, height=260)
    if distribution.binned:
        return figure.update_yaxes(tickformat='.3~%', rangemode='tozero')
    figure.update_yaxes(autorange='reversed', showgrid=False, **ticks(distribution.labels))
    return figure.update_xaxes(tickformat='.3~%', showgrid=True, gridcolor=RULE)


def draw_pairs(column_pairs: pd.DataFrame) -> go.Figure:
    """Draw how well the relation of every two columns is kept.

    Args:
        column_pairs: ``Column 1``, ``Column 2`` and ``Score`` (0 to 1; NaN where undefined).

    Returns:
        A symmetric heat map, darker where the match is worse. Without pairs, a sentence.
    """
    if column_pairs.empty:
        return _say('There are no two columns to compare.')
    names = list(dict.fromkeys([*column_pairs['Column 1'], *column_pairs['Column 2']]))
    position = {name: index for index, name in enumerate(names)}
    scores = np.full((len(names), len(names)), np.nan)
    pairs = column_pairs[['Column 1', 'Column 2', 'Score']].itertuples(index=False)
    for first, second, score in pairs:
        scores[position[first], position[second]] = scores[position[second], position[first]] = (
            score
        )
    heat = go.Heatmap(
        z=scores,
        text=[[f'{_label(a)} and {_label(b)}' for a in names] for b in names],
        zmin=0,
        zmax=1,
        xgap=2,
        ygap=2,
        colorscale=[[0, '#7a1f2b'], [0.5, '#e8a87c'], [0.8, '#f7e7d3'], [1, '#e3f2f4']],
        colorbar={'thickness': 10, 'outlinewidth': 0, 'tickformat': '.1f'},
        hovertemplate='%{text}: %{z:.3f}<extra></extra>',
        hoverongaps=False,
    )
    figure = styled(go.Figure(heat), height=26 * len(names) + 120)
    figure.update_xaxes(tickangle=-60, showgrid=False, **ticks(names))
    return figure.update_yaxes(autorange='reversed', showgrid=False, **ticks(names))


def styled(figure: go.Figure, *, height: int) -> go.Figure:
    """Give a figure the look of the page; height in pixels."""
    figure.update_layout(
        template='none',
        height=height,
        margin={'l': 8, 'r': 8, 't': 8, 'b': 8},
        showlegend=False,
        bargap=0.35,
        hovermode='closest',
        paper_bgcolor='rgba(0,0,0,0)',
        plot_bgcolor='rgba(0,0,0,0)',
        font={'family': 'system-ui, sans-serif', 'size': 12, 'color': INK},
    )
    figure.update_xaxes(automargin=True, zeroline=False, showgrid=False, fixedrange=True)
    return figure.update_yaxes(
        automargin=True, zeroline=False, gridcolor=RULE, fixedrange=True, ticklabelstandoff=6
    )


def ticks(names: Iterable[object]) -> dict[str, Any]:
    """Return labels for the positions 0, 1, ... of an axis.

    Positions are used because two different names may look alike once they are shortened.
    """
    labels = [_label(name) for name in names]
    return {'tickvals': list(range(len(labels))), 'ticktext': labels}


def _stage_shares(receipts: Sequence[dict[str, Any]]) -> pd.Series:
    """Compute the share of each stage in the sum of ``mu ** 2`` of all receipts that count."""
    costs: dict[str, float] = {}
    for each in receipts:
        if each['charged'] and np.isfinite(each['mu']):
            costs[each['stage']] = costs.get(each['stage'], 0.0) + each['mu'] ** 2
    shares = pd.Series(costs, dtype=float)
    return shares / shares.sum()


def _draw_steps(labels: pd.Index, shares: Any, name: str, color: str) -> go.Scatter:
    return go.Scatter(
        x=labels,
        y=shares,
        name=name,
        mode='lines',
        line={'shape': 'hvh', 'color': color, 'width': 2},
        fill='tozeroy' if name == 'real' else 'none',
        hovertemplate='%{y:.1%}',
    )


def _draw_bars(labels: pd.Index, shares: Any, name: str, color: str) -> go.Bar:
    return go.Bar(
        x=shares,
        y=np.arange(len(labels)),
        name=name,
        orientation='h',
        marker_color=color,
        hovertemplate='%{x:.1%}',
    )


def _say(sentence: str) -> go.Figure:
    """Draw a sentence in the place of a picture."""
    figure = styled(go.Figure(), height=80)
    figure.add_annotation(text=sentence, showarrow=False, x=0.5, y=0.5, xref='paper', yref='paper')
    figure.update_xaxes(visible=False)
    return figure.update_yaxes(visible=False)


def _label(text: object) -> str:
    """Shorten and escape a name for an axis: Plotly reads some HTML in its labels."""
    words = str(text)
    short = words if len(words) <= LONGEST_LABEL else words[: LONGEST_LABEL - 1] + '…'
    return escape(short)
