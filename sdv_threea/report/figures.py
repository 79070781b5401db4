"""The style of the pictures that Plotly draws for notebooks and documentation."""

from __future__ import annotations

import plotly.graph_objects as go

from sdv_threea.pages.plots import INK, RULE


def styled(figure: go.Figure, *, height: int) -> go.Figure:
    """Give a figure the style of the page; height in pixels."""
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
