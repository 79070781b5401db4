"""A picture in SVG that notebooks show, pages include and users save."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sdv_threea.atomic import replacing
from sdv_threea.errors import InputError


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
        """Write an SVG file; an existing one is replaced.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If the path does not end in ``.svg``.
        """
        if Path(path).suffix.lower() != '.svg':
            raise InputError(f'A drawing is saved as .svg, got {Path(path).suffix!r}.')
        with replacing(path) as draft:
            draft.write_text(self.svg, encoding='utf-8')
