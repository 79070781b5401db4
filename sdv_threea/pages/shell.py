"""Write a page of HTML with its style and its search, and a picture in SVG, as one file each."""

from dataclasses import dataclass
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
    """A picture that needs no library to be shown.

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
