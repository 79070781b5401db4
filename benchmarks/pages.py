"""The one way to write pages: figures between marks, in text that is written by hand."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROOT = Path(__file__).parents[1]
DOCS = ROOT / 'docs'
LAB = DOCS / 'lab'

#: What is shown of a failure, by what its note contains.
FAILURES = {
    'not tried': 'not tried',
    'timed out': 'timed out',
    'nstall': 'not installed',
    'two classes': 'two classes only',
    'emory': 'out of memory',
    'died': 'died',
}


def write_page(page: Path, parts: Mapping[str, str]) -> None:
    """Fill a page anew; its other text stays."""
    page.write_text(fill(page.read_text('utf-8'), parts), encoding='utf-8')


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Put each part between its marks, ``<!-- name -->`` and ``<!-- /name -->``, on own lines."""
    for name, part in parts.items():
        head, start, rest = page.partition(f'<!-- {name} -->\n')
        _, end, tail = rest.partition(f'\n<!-- /{name} -->')
        if not start or not end:
            raise ValueError(f'The page lacks the marks of {name!r}.')
        page = head + start + part + end + tail
    return page


def write_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table of Markdown."""
    header, rows = list(header), list(rows)
    if not rows:
        return 'No results yet.'
    return '\n'.join(f'| {" | ".join(row)} |' for row in (header, ['---'] * len(header), *rows))


def write_picture(figure: go.Figure, name: str) -> None:
    """Write a figure to ``docs/pictures`` as a vector picture, on white: a page may be dark.

    Kaleido draws it (``pip install kaleido==0.2.1``); without it the picture stays as it is.
    """
    from plotly.offline import get_plotlyjs

    try:
        from kaleido.scopes.plotly import PlotlyScope
    except ImportError:
        print(f'{name} stays as it is: Kaleido is not installed')
        return
    figure.update_layout(paper_bgcolor='white', plot_bgcolor='white')
    size = {'width': figure.layout.width, 'height': figure.layout.height}
    with tempfile.TemporaryDirectory() as folder:
        # The Plotly that Kaleido brings is older than the one that made the figure.
        plotly = Path(folder) / 'plotly.min.js'
        plotly.write_text(get_plotlyjs(), encoding='utf-8')
        scope = PlotlyScope(plotlyjs=str(plotly), mathjax=None)
        drawn = scope.transform(figure.to_dict(), format='svg', **size)
    (DOCS / 'pictures' / name).write_bytes(drawn)


def pick(rows: pd.DataFrame, /, **wanted: object) -> pd.DataFrame:
    """Pick the rows that have these values."""
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows


def write_share(value: float) -> str:
    """Write a score between -1 and 1 as .927, a larger one as 1.203; a dash if there is none."""
    value = round(value, 3) + 0.0  # no -.000
    text = f'{value:.3f}' if math.isfinite(value) else '–'
    return text.replace('0.', '.', 1) if abs(value) < 1 else text


def write_epsilon(epsilon: float) -> str:
    """Write an epsilon."""
    return '∞' if math.isinf(epsilon) else f'{epsilon:g}'


def write_digits(value: float) -> str:
    """Write seconds or MiB to about three digits."""
    return f'{value:,.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def write_failure(note: object) -> str:
    """Write in a word why there is no figure."""
    return next((word for sign, word in FAILURES.items() if sign in str(note)), 'failed')
