"""Two columns at once, on a coarse grid: real and synthetic side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from sdv_threea.report.distributions import FEWEST, Places, place_rows
from sdv_threea.report.figures import INK, SYNTHETIC_COLOR, styled, ticks

#: Most bins of a number or a date.
NUM_BINS = 12

HEIGHT = 280


@dataclass(frozen=True, kw_only=True, eq=False)
class JointDistribution:
    """Shares of the rows in each cell of a grid. Not private.

    Args:
        labels: Names of the rows and of the columns of the grid, or the centres of their bins.
        binned: Whether the rows, and the columns, are points on an axis.
        real: Shares of the real rows, shape (rows, columns). Cells of fewer than five rows are 0.
        synthetic: Shares of the synthetic rows, shape (rows, columns).
    """

    labels: tuple[pd.Index, pd.Index]
    binned: tuple[bool, bool]
    real: NDArray[np.float64]
    synthetic: NDArray[np.float64]


def compare_joint(
    real: pd.DataFrame, synthetic: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]
) -> JointDistribution:
    """Share out the rows of both tables over the same grid.

    Args:
        real: The real table.
        synthetic: Its synthetic counterpart.
        columns: What SDV metadata says about the two columns: the rows and the columns of the grid.

    Returns:
        At most twelve bins, or nine levels, each way. A row where a number is missing is in no
        cell.
    """
    places = [place_rows(real[name], synthetic[name], columns[name], NUM_BINS) for name in columns]
    counts = _count([each.real for each in places], places)
    told = _count([each.synthetic for each in places], places)
    return JointDistribution(
        labels=(places[0].labels, places[1].labels),
        binned=(places[0].binned, places[1].binned),
        real=np.where(counts >= FEWEST, counts, 0) / max(len(real), 1),
        synthetic=told / max(len(synthetic), 1),
    )


def draw_joint(joint: JointDistribution) -> go.Figure:
    """Draw two grids, real and synthetic, in the same colours.

    Args:
        joint: Shares of the rows; the colour grows with their square root.

    Returns:
        The second column across, the first one up.
    """
    figure = make_subplots(
        1, 2, subplot_titles=['real', 'synthetic'], shared_yaxes=True, horizontal_spacing=0.05
    )
    (y, up), (x, across) = (
        _axis(labels, binned) for labels, binned in zip(joint.labels, joint.binned, strict=True)
    )
    for column, shares in enumerate((joint.real, joint.synthetic), start=1):
        heat = go.Heatmap(
            x=x,
            y=y,
            z=np.sqrt(shares),
            customdata=shares,
            coloraxis='coloraxis',
            hovertemplate='%{customdata:.1%} of the rows<extra></extra>',
        )
        figure.add_trace(heat, row=1, col=column)
    figure = styled(figure, height=HEIGHT)
    figure.update_annotations(font={'size': 13, 'color': INK})
    figure.update_xaxes(**across)
    figure.update_yaxes(showgrid=False, autorange=None if joint.binned[0] else 'reversed', **up)
    return figure.update_layout(
        margin={'l': 8, 'r': 8, 't': 28, 'b': 8},
        coloraxis={
            'colorscale': [[0, '#f7f9fb'], [0.5, '#7cc4cf'], [1, SYNTHETIC_COLOR]],
            'cmin': 0,
            'showscale': False,
        },
    )


def _count(chosen: list[NDArray[np.intp]], places: list[Places]) -> NDArray[np.int64]:
    counts = np.zeros([len(each.labels) for each in places], dtype=np.int64)
    inside = np.all([each >= 0 for each in chosen], axis=0)
    np.add.at(counts, tuple(each[inside] for each in chosen), 1)
    return counts


def _axis(labels: pd.Index, binned: bool) -> tuple[Any, dict[str, Any]]:
    """Bins lie where their centres are, levels at 0, 1, ..."""
    return (labels, {}) if binned else (list(range(len(labels))), ticks(labels))
