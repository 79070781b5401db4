"""Pieces of the HTML page: cards, tables, figures and sections.

In go names, numbers, tables and figures; out comes HTML. All text is escaped but for arguments that
are called ``html``, ``lead`` or ``parts``, which are HTML already.
"""

from __future__ import annotations

from html import escape

import pandas as pd
import plotly.graph_objects as go
from plotly.io import to_html

#: A score below this is drawn as a warning.
LOW = 0.5


def words(text: object) -> str:
    """Replace the underscores of a name by spaces."""
    return str(text).replace('_', ' ')


def card(name: object, value: str, note: str) -> str:
    """Return a card: a number under its name, and a note below."""
    return (
        f'<div class="card"><span>{escape(str(name))}</span>'
        f'<strong>{escape(value)}</strong><small>{escape(note)}</small></div>'
    )


def panel(html: str, caption: str = '') -> str:
    """Return a white box around HTML, under a caption."""
    said = f'<p class="caption">{escape(caption)}</p>' if caption else ''
    return f'<div class="panel">{said}{html}</div>'


def picture(drawn: go.Figure, name: object, note: str) -> str:
    """Return a figure under its name and a note."""
    caption = f'<figcaption><b>{escape(str(name))}</b> {escape(note)}</figcaption>'
    return f'<figure>{caption}{figure(drawn)}</figure>'


def section(title: str, lead: str, *parts: str) -> str:
    """Return a heading, a paragraph, and what is below it."""
    return '\n'.join([f'<h2>{escape(title)}</h2>', f'<p>{lead}</p>', *parts])


def tabulate(data: pd.DataFrame) -> str:
    """Return a table in a box that scrolls; columns without a value in any row are left out."""
    # Pandas escapes the text itself.
    told = data.loc[:, [not data[column].isin(['']).all() for column in data]]
    told = told.dropna(axis=1, how='all').rename_axis(None)
    html = told.to_html(float_format=number, border=0, justify='left', na_rep='')
    return f'<div class="scroll">{html}</div>'


def number(value: float) -> str:
    """Spell a number with four digits, or without decimals if it is large."""
    return f'{value:,.0f}' if abs(value) >= 1000 else f'{value:#.4g}'


def figure(drawn: go.Figure, least: int = 0) -> str:
    """Return a figure as wide as its place, but at least ``least`` pixels, else it scrolls."""
    html: str = to_html(
        drawn,
        include_plotlyjs=False,
        full_html=False,
        default_height=f'{drawn.layout.height}px',
        config={'displayModeBar': False, 'responsive': True},
    )
    least = drawn.layout.width or least
    return f'<div class="scroll"><div style="min-width:{least}px">{html}</div></div>'


def bars(scores: pd.Series) -> str:
    """Return a list of scores between 0 and 1 in their order: name, bar and number of each."""
    rows = [
        f'<li{" class=low" if score < LOW else ""}><span>{escape(str(name))}</span>'
        f'<i><i style="width:{score:.1%}"></i></i><b>{score:.3f}</b></li>'
        for name, score in scores.items()
    ]
    return f'<ol class="bars">{"".join(rows)}</ol>'
