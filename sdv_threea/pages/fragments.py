"""Pieces of HTML, and the files of a page and of a picture.

Pieces are panels, tables, and lists whose entries unfold and can be searched. Text is escaped,
except for the arguments ``html``, ``lead``, ``parts`` and ``items``, which are HTML already.
"""

import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.errors import InputError
from sdv_threea.names import printable

#: A text with more characters counts as long.
LONG = 30

#: A table with fewer columns than ``FEW``, and no cell longer than ``SHORT``, fits on any screen.
FEW, SHORT = 5, 10


def escape(text: str) -> str:
    """Return HTML that shows a text unchanged; control characters are spelt out."""
    return html.escape(printable(text))


def words(text: object) -> str:
    """Replace the underscores of a name with spaces."""
    return str(text).replace('_', ' ')


def panel(html: str, caption: str = '', heading: str = '') -> str:
    """Return a box around HTML, under a heading and a caption."""
    named = f'<h3>{escape(heading)}</h3>' if heading else ''
    said = f'<p class="caption">{escape(caption)}</p>' if caption else ''
    return f'<div class="panel">{named}{said}{html}</div>'


def split(*parts: str) -> str:
    """Return parts side by side, or one below the other on a narrow screen."""
    return f'<div class="split">{"".join(filter(None, parts))}</div>'


def section(title: str, lead: str, *parts: str) -> str:
    """Return a section: a heading, a lead paragraph, and parts."""
    said = f'<p class="lead">{lead}</p>' if lead else ''
    body = '\n'.join(filter(None, [said, *parts]))
    return f'<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>'


def paragraphs(sentences: Iterable[str]) -> str:
    """Return a paragraph for each sentence."""
    return ''.join(f'<p>{escape(each)}</p>' for each in sentences)


def listed(sentences: Iterable[str]) -> str:
    """Return sentences as a list with bullets."""
    items = ''.join(f'<li>{escape(each)}</li>' for each in sentences)
    return f'<ul class="plain">{items}</ul>'


def facts(told: Mapping[str, Iterable[str]]) -> str:
    """Return a list of names, each with its lines."""
    rows = [
        f'<dt>{escape(words(name))}</dt><dd>{"<br>".join(map(escape, lines))}</dd>'
        for name, lines in told.items()
    ]
    return f'<dl>{"".join(rows)}</dl>'


def tabulate(data: pd.DataFrame, *, name: str, wide: bool = False) -> str:
    """Return a table without empty columns; ``name`` is for readers who cannot see it.

    The index becomes the first column. On a narrow screen a ``wide`` table scrolls; in other tables
    that do not fit, each row becomes a block.
    """
    kept = [column for column in data if not data[column].isin(['', None]).all()]
    told = data[[column for column in kept if data[column].notna().any()]]
    heads = ''.join(f'<th scope="col">{escape(words(each))}</th>' for each in told)
    rows = [
        f'<tr><th scope="row">{escape(str(label))}</th>'
        + ''.join(
            f'<td{_class(value)} data-name="{escape(words(column))}">{_cell(value)}</td>'
            for column, value in zip(told, cells, strict=True)
        )
        + '</tr>'
        for label, *cells in told.itertuples(name=None)
    ]
    longest = told.map(lambda value: len(_cell(value))).max(axis=None) or 0
    short = len(told.columns) < FEW and longest <= SHORT
    kind = 'wide' if wide else 'narrow' if short else 'stack'
    corner = escape(words(told.index.name or ''))
    table = (
        f'<table class="{kind}"><thead><tr><th scope="col">{corner}</th>{heads}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table>'
    )
    # Everything that scrolls must be accessible by keyboard.
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name)}">{table}</div>'
    )


class Html(str):
    """A cell that is HTML already."""


def _class(value: object) -> str:
    return ' class="long"' if not isinstance(value, Html) and len(str(value)) > LONG else ''


def _cell(value: object) -> str:
    if isinstance(value, Html):
        return value
    return escape(number(value) if isinstance(value, float) else str(value))


def number(value: float) -> str:
    """Return a number with four digits, without decimals if it is large, in words if not finite."""
    if math.isnan(value):
        return 'not defined'
    if math.isinf(value):
        return 'infinite' if value > 0 else 'minus infinite'
    return f'{value:,.0f}' if abs(value) >= 1000 else f'{value:#.4g}'


def percent(share: float) -> str:
    """Return a share of rows as a percentage; small shares get more digits."""
    if math.isnan(share):
        return 'not defined'
    if 0 < share < 0.0001:
        return 'less than 0.01%'
    return f'{share:.1%}' if share >= 0.01 or share == 0 else f'{share:.2%}'


def opener(name: str, note: str, html: str, *, shown: bool = False) -> str:
    """Return a line, a name and a note, that unfolds HTML; ``shown`` starts it unfolded."""
    summary = f'<summary><b>{escape(name)}</b><small>{escape(note)}</small></summary>'
    return f'<details{" open" if shown else ""}>{summary}<div class="opened">{html}</div></details>'


def searchable(items: Iterable[str], label: str) -> str:
    """Return lines that unfold, below a field that finds them by name."""
    find = (
        f'<div class="find"><label>{escape(label)} <input type="search"></label>'
        '<output role="status"></output><button type="button">Show all</button></div>'
    )
    return f'<div class="panel">{find}<div class="list">{"".join(items)}</div></div>'


#: The endings of the file name of a page.
SUFFIXES = ('.html', '.htm')


def write_page(path: str | Path, title: str, *sections: str, private: bool = True) -> None:
    """Write sections of HTML as one file that opens offline in any browser, whole or not at all.

    Empty sections are left out. Only its owner can read a new page made from ``private`` rows.
    """
    suffix = Path(path).suffix
    if suffix.lower() not in SUFFIXES:
        raise InputError(
            f'The page is written as HTML, so its path must end in .html, got {suffix!r}. For a '
            'PDF, open it in a browser and print it.'
        )
    with replacing(path, private=private) as draft:
        draft.write_text(make_page(title, *sections), encoding='utf-8')


def make_page(title: str, *sections: str) -> str:
    """Return sections as one HTML page."""
    template = Template(files('sdv_threea.pages').joinpath('page.html').read_text('utf-8'))
    return template.substitute(title=escape(title), body='\n\n'.join(filter(None, sections)))


@dataclass(frozen=True)
class Drawing:
    """A picture that is shown without a library.

    Args:
        svg: An SVG element with a size.
        told: The content in sentences, for readers who cannot see the picture.
    """

    svg: str
    told: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f'{type(self).__name__}({len(self.svg):,} characters of SVG)'

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write an SVG file; an existing one is replaced."""
        if Path(path).suffix.lower() != '.svg':
            raise InputError(f'A drawing is saved as .svg, got {Path(path).suffix!r}.')
        with replacing(path) as draft:
            draft.write_text(self.svg, encoding='utf-8')
