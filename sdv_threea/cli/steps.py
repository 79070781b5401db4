"""The progress bar of a command, which is only shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Number of characters reserved for the name of a step.
NAME_WIDTH = 30


@contextmanager
def steps(count: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar of ``count`` steps if the output goes to a terminal.

    Yields:
        A function to call with the name of each step at its beginning.
    """
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
