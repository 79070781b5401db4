"""How many rows refer to each row of another table: the cardinalities of foreign keys.

In go the real and the synthetic tables and their metadata. Out come, by foreign key, the shares of
the rows with each number of children, and a picture of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from sdv_threea.pages.plots import INK, REAL_COLOR, SYNTHETIC_COLOR
from sdv_threea.report.distributions import Distribution
from sdv_threea.report.figures import styled

#: Edges of bins of counts, from 0 to beyond any number of rows. The fine ones are single counts up
#: to 8, and then each bin is twice as wide as the last. The coarse ones are powers of ten.
FINE = np.concatenate([np.arange(9), 8 * 2 ** np.arange(40) + 1])
COARSE = np.concatenate([[0], 10 ** np.arange(13)])

#: The fine edges are used if no count is larger than this.
MOST_FINE = 64

#: The most pictures side by side, and the height of one in pixels.
MOST_PER_ROW, PICTURE_HEIGHT = 3, 230


def compare_cardinalities(
    real: Mapping[str, pd.DataFrame], synthetic: Mapping[str, pd.DataFrame], metadata: Any
) -> dict[str, Distribution]:
    """Compute which share of the rows of a parent has how many children, for each foreign key.

    Args:
        real: The real tables by name.
        synthetic: Their synthetic counterparts.
        metadata: SDV metadata of them.

    Returns:
        The shares of the real and of the synthetic rows in bins of counts, by the name of the
        foreign key, such as ``'stay per patient'``. Not differentially private.
    """
    compared = {}
    for link, title in _name_links(metadata.relationships):
        counts = [_count(tables, link) for tables in (real, synthetic)]
        edges = _bin_edges(np.concatenate(counts))
        shares = [np.histogram(each, edges)[0] / max(len(each), 1) for each in counts]
        compared[title] = Distribution(
            labels=pd.Index(list(map(_label, edges[:-1], edges[1:]))),
            real=shares[0],
            synthetic=shares[1],
            binned=False,
        )
    return compared


def draw_cardinalities(cardinalities: Mapping[str, Distribution]) -> go.Figure:
    """Draw pairs of bars, real beside synthetic, for each foreign key.

    Args:
        cardinalities: Result of :func:`compare_cardinalities`, not empty.

    Returns:
        A picture for each foreign key, in percent of the parent's rows.
    """
    columns = min(math.ceil(math.sqrt(len(cardinalities))), MOST_PER_ROW)
    rows = math.ceil(len(cardinalities) / columns)
    titles = [escape(title) for title in cardinalities]
    gap = 70 / (PICTURE_HEIGHT * rows)
    figure = make_subplots(rows, columns, subplot_titles=titles, vertical_spacing=gap)
    for at, distribution in enumerate(cardinalities.values()):
        place = {'row': at // columns + 1, 'col': at % columns + 1}
        for name, color in (('real', REAL_COLOR), ('synthetic', SYNTHETIC_COLOR)):
            bars = go.Bar(
                x=distribution.labels,
                y=getattr(distribution, name),
                name=name,
                legendgroup=name,
                showlegend=at == 0,
                marker_color=color,
                hovertemplate='%{x} rows: %{y:.1%}',
            )
            figure.add_trace(bars, **place)
    figure = styled(figure, height=PICTURE_HEIGHT * rows + 50)
    figure.update_annotations(font={'size': 13, 'color': INK})
    figure.update_layout(
        margin={'l': 8, 'r': 8, 't': 28, 'b': 50},
        bargap=0.25,
        showlegend=True,
        legend={'orientation': 'h', 'x': 0.5, 'xanchor': 'center', 'y': 0, 'yref': 'container'},
    )
    figure.update_xaxes(type='category')
    return figure.update_yaxes(tickformat='.0%', rangemode='tozero', nticks=5)


def _name_links(links: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """Name foreign keys by their two tables, and by their columns where two names are the same."""
    names = [f'{link["child_table_name"]} per {link["parent_table_name"]}' for link in links]
    columns = [', '.join(_as_list(link['child_foreign_key'])) for link in links]
    return [
        (link, name if names.count(name) == 1 else f'{name} ({key})')
        for link, name, key in zip(links, names, columns, strict=True)
    ]


def _count(tables: Mapping[str, pd.DataFrame], link: Mapping[str, Any]) -> NDArray[np.int64]:
    """Count the rows of the child that refer to each row of the parent, shape (rows,)."""
    key = _as_list(link['parent_primary_key'])
    references = tables[link['child_table_name']][_as_list(link['child_foreign_key'])]
    counts = references.set_axis(key, axis=1).value_counts().rename('count').reset_index()
    parents = tables[link['parent_table_name']][key]
    found = parents.merge(counts, on=key, how='left')['count'].fillna(0)
    return np.asarray(found, dtype=np.int64)


def _bin_edges(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose edges of bins that cover all counts; a bin does not contain its upper edge."""
    low, high = counts.min(), counts.max()
    edges = FINE if high <= MOST_FINE else COARSE
    return edges[edges.searchsorted(low, 'right') - 1 : edges.searchsorted(high, 'right') + 1]


def _label(low: int, end: int) -> str:
    """Name the bin from ``low`` up to, but without, ``end``."""
    if end - low == 1:
        return f'{low}'
    return f'{low:,}+' if end == 10 * low else f'{low}–{end - 1}'


def _as_list(key: str | list[str]) -> list[str]:
    return [key] if isinstance(key, str) else list(key)
