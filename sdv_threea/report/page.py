"""One HTML page about a release that opens anywhere, offline: promise, usefulness, likeness."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Protocol

import pandas as pd
import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from sdv_threea.report.figures import draw_budget, draw_distribution, draw_pairs
from sdv_threea.report.quality import Quality

#: How many columns are drawn, the worst matches first.
NUM_COLUMNS = 6

UNKNOWN = 'Not known here: the page was made without a privacy statement.'
UNTRAINED = 'Not measured: it takes real rows that were kept aside.'


class Statement(Protocol):
    """A privacy statement, as told by the synthesizer."""

    def to_dict(self) -> dict[str, Any]:
        """Return ``epsilon``, ``delta``, ``guarantee``, ``neighbors``, ``receipts`` and more."""
        ...


def write_page(
    path: str | Path,
    *,
    title: str,
    quality: Quality,
    statement: Statement | None = None,
    utility: pd.DataFrame | None = None,
) -> None:
    """Write the report of one release as a single HTML file.

    The page compares with the real data, which is a disclosure outside the guarantee: its scores
    and shares are not private, and it says so at the top. No record is in it, only
    scores and shares of rows.

    Args:
        path: Where to write it; an existing file is replaced.
        title: Its heading.
        quality: Result of :func:`~sdv_threea.report.quality.measure_quality`.
        statement: What is promised, of one table or of a database, if it is known.
        utility: Table of :func:`~sdv_threea.report.utility.train_synthetic_test_real`, if models
            were trained.

    Raises:
        OSError: If the file cannot be written.
    """
    facts = statement.to_dict() if statement else {}
    receipts = _list_receipts(facts)
    template = Template(files('sdv_threea.report').joinpath('page.html').read_text('utf-8'))
    page = template.substitute(
        title=escape(title),
        plotly=get_plotlyjs(),
        cards=''.join([*_privacy_cards(facts), *_score_cards(utility, quality)]),
        statement=_facts(facts) if facts else UNKNOWN,
        budget=_figure(draw_budget(receipts)) if facts else '',
        receipts=_receipts(receipts),
        utility=UNTRAINED if utility is None else _table(utility),
        columns=''.join(_column_figures(quality)),
        pairs=_figure(draw_pairs(quality.column_pairs)),
    )
    Path(path).write_text(page, encoding='utf-8')


def _list_receipts(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The receipts of one table; or those of a database, which come by the units they are about."""
    receipts = facts.get('receipts', [])
    if isinstance(receipts, list):
        return receipts
    return [{**each, 'unit': unit} for unit, several in receipts.items() for each in several]


def _privacy_cards(facts: dict[str, Any]) -> list[str]:
    if not facts:
        return []
    neighbors = f'neighbours: {_words(facts["neighbors"])}'
    guarantee = f'guarantee: {_words(facts["guarantee"])}' if 'guarantee' in facts else ''
    return [
        _card('ε', f'{facts["epsilon"]:g}', guarantee),
        _card('δ', f'{facts["delta"]:g}', neighbors),
    ]


def _score_cards(utility: pd.DataFrame | None, quality: Quality) -> list[str]:
    likeness = _card(
        'quality',
        f'{quality.overall:.3f}',
        f'shapes {quality.shapes:.3f}, pairs {quality.pairs:.3f}, valid {quality.diagnostic:.3f}',
    )
    if utility is None:
        return [likeness]
    score = utility.columns[0]
    real, synthetic = utility[score]
    note = f'{real:.3f} when trained on the real data'
    return [_card(score, f'{synthetic:.3f}', note), likeness]


def _facts(facts: dict[str, Any]) -> str:
    """What is promised, in words; the numbers are on the cards and in the receipts."""
    told = {name: fact for name, fact in facts.items() if isinstance(fact, str | list)}
    told.pop('receipts', None)
    if 'tables' in facts:
        told['tables'] = [f'{table}: {unit}' for table, unit in facts['tables'].items()]
    rows = [
        f'<dt>{escape(_words(name))}</dt><dd>{"<br>".join(map(escape, _lines(fact)))}</dd>'
        for name, fact in told.items()
    ]
    return f'<dl>{"".join(rows)}</dl>'


def _lines(fact: str | list[str]) -> list[str]:
    return [_words(fact)] if isinstance(fact, str) else fact


def _words(text: object) -> str:
    return str(text).replace('_', ' ')


def _card(name: object, value: str, note: str) -> str:
    return (
        f'<div class="card"><span>{escape(str(name))}</span>'
        f'<strong>{escape(value)}</strong><small>{escape(note)}</small></div>'
    )


def _column_figures(quality: Quality) -> list[str]:
    worst = quality.columns.sort_values('Score', kind='stable').head(NUM_COLUMNS)
    return [
        f'<figure><figcaption><b>{escape(str(column))}</b> match {score:.3f}</figcaption>'
        f'{_figure(draw_distribution(quality.distributions[column]))}</figure>'
        for column, score in zip(worst['Column'], worst['Score'], strict=True)
    ]


def _receipts(receipts: Sequence[dict[str, Any]]) -> str:
    table = pd.DataFrame(receipts).rename(columns=_words)
    return _table(table.set_index('stage')) if receipts else ''


def _table(table: pd.DataFrame) -> str:
    """Pandas escapes the text itself; columns that say nothing in any row are left out."""
    told = table.loc[:, [not table[column].isin(['']).all() for column in table]]
    html = told.rename_axis(None).to_html(float_format=_number, border=0, justify='left')
    return f'<div class="scroll">{html}</div>'


def _number(value: float) -> str:
    return f'{value:,.0f}' if abs(value) >= 1000 else f'{value:#.4g}'


def _figure(figure: go.Figure) -> str:
    html: str = to_html(
        figure,
        include_plotlyjs=False,
        full_html=False,
        default_height=f'{figure.layout.height}px',
        config={'displayModeBar': False, 'responsive': True},
    )
    return html
