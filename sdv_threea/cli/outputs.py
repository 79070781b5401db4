"""Output files of a command: checked and reserved before the work, and complete after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from sdv_threea.atomic import replacing_all
from sdv_threea.cli.errors import RefusedError
from sdv_threea.names import printable

#: The factor between units of file size.
THOUSAND = 1000


@contextmanager
def staged(
    paths: Iterable[Path], *, force: bool, inputs: Iterable[Path] = (), private: bool = False
) -> Iterator[dict[Path, Path]]:
    """Check and reserve output files before the work, and make them appear after it.

    Args:
        paths: The output files. A missing folder is made for them, but not its parent.
        force: Whether existing files may be replaced.
        inputs: Files that are read; they are never replaced.
        private: Whether new files are readable by their owner alone.

    Yields:
        The hidden file to write, by output file. All output files appear if the block ends without
        an exception. Otherwise none appears, and no hidden file or folder stays.

    Raises:
        RefusedError: If an output file exists and may not be replaced, is an input, or has no
            folder.
        OSError: If an output file cannot be written.
    """
    places = list(paths)
    check_places(places, force=force, inputs=inputs)
    made = [folder for folder in {place.parent for place in places} if not folder.exists()]
    try:
        for folder in made:
            folder.mkdir()
        with replacing_all(places, private=private) as drafts:
            yield drafts
        for place in places:
            tell_written(place)
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def check_places(places: list[Path], *, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Check output files before slow work; ``inputs`` are read, and never replaced.

    Raises:
        RefusedError: If one exists and may not be replaced, is an input, or has no folder.
    """
    read = {path.resolve() for path in inputs}
    if len(set(places)) < len(places):
        raise RefusedError(f"'{places[0]}' cannot hold two outputs: give them different names.")
    for place in places:
        if place.resolve() in read:
            raise RefusedError(f"'{place}' is an input, and is not replaced: choose another name.")
        if place.is_dir():
            raise RefusedError(f"'{place}' is a folder: give the name of a file.")
        if place.exists() and not force:
            raise RefusedError(f"'{place}' exists: choose another name, or replace it by --force.")
        if not all(os.access(each, os.W_OK) for each in (place, place.parent) if each.exists()):
            raise RefusedError(f"'{place}' cannot be written: it or its folder is read-only.")
        if not place.parent.parent.is_dir() or place.parent.is_file():
            raise RefusedError(f"There is no folder '{place.parent}' to write '{place.name}' to.")


def tell_written(place: Path) -> None:
    """Report a written file and its size in a line."""
    size = f' ({_say_size(place.stat().st_size)})' if place.is_file() else ''
    click.echo(printable(f'Wrote {place}{size}.'), err=True)


def _say_size(size: float) -> str:
    for unit in ('bytes', 'kB', 'MB'):
        if size < THOUSAND:
            return f'{size:.3g} {unit}'
        size /= THOUSAND
    return f'{size:.3g} GB'
