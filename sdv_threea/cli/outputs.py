"""Outputs of a command: complete or absent files, lines, and a progress bar."""

import gzip
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path

import click

from sdv_threea.atomic import replacing_all
from sdv_threea.cli.refusals import RefusedError
from sdv_threea.names import printable

#: The factor between units of file size.
THOUSAND = 1000


#: The files of Adult in the package, and their names as outputs.
ADULT = {
    'adult.csv': 'adult_train.csv.gz',
    'adult_test.csv': 'adult_test.csv.gz',
    'adult.json': 'metadata.json',
}

#: Number of characters reserved for the name of a step.
NAME_WIDTH = 30


@contextmanager
def staged(
    paths: Iterable[Path], *, force: bool, inputs: Iterable[Path] = (), private: bool = False
) -> Iterator[dict[Path, Path]]:
    """Reserve output files before the work; they appear after it."""
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
    """Check output files before slow work; ``inputs`` are read, and never replaced."""
    read = {path.resolve() for path in inputs}
    if len(set(places)) < len(places):
        raise RefusedError(f"'{places[0]}' cannot hold two outputs: give them different names.")
    for place in places:
        if place.resolve() in read:
            raise RefusedError(f"'{place}' is an input, and is not replaced: choose another name.")
        if place.is_dir():
            raise RefusedError(f"'{place}' is a folder: give the name of a file.")
        if place.exists() and not force:
            raise RefusedError(
                f"'{place}' exists: choose another name, or replace it with --force."
            )
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


def write_adult(folder: Path, *, force: bool) -> None:
    """Write Adult: rows to fit, rows to test on, and metadata without ranges or values."""
    source = files('sdv_threea.datasets') / 'adult'
    places = {folder / name: source / stored for name, stored in ADULT.items()}
    with staged(places, force=force) as drafts:
        for place, stored in places.items():
            held = stored.read_bytes()
            drafts[place].write_bytes(gzip.decompress(held) if place.suffix == '.csv' else held)


@contextmanager
def steps(count: int, *, timed: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a progress bar of ``count`` steps if the output goes to a terminal.

    If ``timed``, each step gets a line with its seconds in place of the bar. A duration reveals
    roughly how many rows there are, so show these lines only to people who may know that number.
    """
    with _clock() if timed else _bar(count) as step:
        yield step


@contextmanager
def _bar(count: int) -> Iterator[Callable[[str], None]]:
    bar = click.progressbar(
        length=count,
        label=' ' * NAME_WIDTH,
        show_pos=True,
        show_eta=False,
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    )
    begun = 0

    def begin(name: str) -> None:
        nonlocal begun
        bar.label = f'{name:<{NAME_WIDTH}}'
        bar.update(1 if begun else 0)
        begun += 1
        bar.render_progress()

    with bar:
        yield begin
        bar.update(1)


@contextmanager
def _clock() -> Iterator[Callable[[str], None]]:
    begun: list[float] = []

    def end() -> None:
        if begun:
            click.echo(f' {time.perf_counter() - begun.pop():.1f} s', err=True)

    def begin(name: str) -> None:
        end()
        if name:
            click.echo(f'{name}:', err=True, nl=False)
            begun.append(time.perf_counter())

    try:
        yield begin
    finally:
        end()
