"""The progress of a command: a bar on a terminal, or the seconds of each step."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Number of characters reserved for the name of a step.
NAME_WIDTH = 30


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
