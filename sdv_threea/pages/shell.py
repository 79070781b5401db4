"""The frame of a page: one HTML file with its style and its search, and nothing from a network."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template

from sdv_threea.atomic import replacing
from sdv_threea.errors import InputError
from sdv_threea.pages.fragments import escape

#: The endings of the name of a page.
SUFFIXES = ('.html', '.htm')


def write_page(path: str | Path, title: str, *sections: str, private: bool = True) -> None:
    """Write sections of HTML as one file that opens offline in any browser, whole or not at all.

    Empty sections are left out. Only its owner may read a new page that is made of ``private``
    rows.
    """
    check_suffix(path)
    with replacing(path, private=private) as draft:
        draft.write_text(make_page(title, *sections), encoding='utf-8')


def make_page(title: str, *sections: str) -> str:
    """Return sections as one HTML page."""
    template = Template(files('sdv_threea.pages').joinpath('page.html').read_text('utf-8'))
    return template.substitute(title=escape(title), body='\n\n'.join(filter(None, sections)))


def check_suffix(path: str | Path) -> None:
    """Raise ``ValueError`` if a path does not end in ``.html`` or ``.htm``."""
    suffix = Path(path).suffix
    if suffix.lower() not in SUFFIXES:
        raise InputError(
            f'The page is written as HTML, so its path must end in .html, got {suffix!r}. For a '
            'PDF, open it in a browser and print it.'
        )
