"""Fits that are interrupted: nothing of them is left but that they were begun."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

#: What stays as it is: what is the user's own or never changes, and how many fits were begun.
KEPT = ('_input_metadata', '_num_releases', '_settings', 'kernel')


@contextmanager
def undoing(synthesizer: Any) -> Iterator[None]:
    """Undo what is done to a synthesizer meanwhile if it ends in an error or an interrupt.

    Formal guarantees:
        * after an error, the synthesizer is what it was, but for the number of fits begun: of a
          release that was not finished, nothing is kept

    Args:
        synthesizer: The synthesizer; it must not hold private rows.

    Yields:
        Nothing.
    """
    state = synthesizer.__dict__
    before = deepcopy({name: value for name, value in state.items() if name not in KEPT})
    try:
        yield
    except BaseException:
        for name in set(state) - set(KEPT):
            del state[name]
        state.update(before)
        raise
