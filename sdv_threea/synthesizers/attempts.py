"""Fits that are interrupted: nothing of them is left but that they were begun."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

#: Marks a synthesizer while what is done to it can be undone.
MARK = '_undoing'

#: What stays as it is: what is the user's own or never changes, and how many fits were begun.
KEPT = ('_input_metadata', '_num_releases', '_settings', 'kernel')


@contextmanager
def undoing(synthesizer: Any) -> Iterator[None]:
    """Undo what is done to a synthesizer meanwhile if it ends in an error or an interrupt.

    Inside another attempt it does nothing: what that one undoes is more.

    Formal guarantees:
        * after an error, the synthesizer is what it was, but for the number of fits begun: of a
          release that was not finished, nothing is kept

    Args:
        synthesizer: The synthesizer; it must not hold private rows.

    Yields:
        Nothing.
    """
    state = synthesizer.__dict__
    if MARK in state:
        yield
        return
    before = deepcopy({name: value for name, value in state.items() if name not in KEPT})
    state[MARK] = True
    try:
        yield
        del state[MARK]
    except BaseException:
        for name in set(state) - set(KEPT):
            del state[name]
        state.update(before)
        raise
