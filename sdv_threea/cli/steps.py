"""Progress, where somebody is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Characters kept free for the name of a step.
WIDTH = 30


@contextmanager
def steps(count: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on the terminal; nothing, if the output goes elsewhere.

    Args:
        count: The number of steps.

    Yields:
        A function to call with the name of each step as it begins.
    """
    bar = click.progressbar(
        length=count,
        label=' ' * WIDTH,
        show_pos=True,
        show_eta=False,
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    )
    begun = 0

    def begin(name: str) -> None:
        nonlocal begun
        bar.label = f'{name:<{WIDTH}}'
        bar.update(1 if begun else 0)
        begun += 1
        bar.render_progress()

    with bar:
        yield begin
        bar.update(1)
