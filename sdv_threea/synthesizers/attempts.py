"""Fits that fail or are interrupted: nothing of them is left but that they were begun."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from sdv_threea.synthesizers.logs import hide_row_counts
from sdv_threea.synthesizers.turns import in_turn

Given = ParamSpec('Given')

#: Marks a synthesizer while what is done to it can be undone.
MARK = '_undoing'

#: What stays as it is: what is the user's own or never changes, and how many fits were begun.
KEPT = ('_input_metadata', '_num_releases', '_settings', 'kernel')


def attempted(
    method: Callable[Concatenate[Any, Given], None],
) -> Callable[Concatenate[Any, Given], None]:
    """Make a method an attempt to fit its synthesizer, of which one runs at a time.

    The synthesizer forgets its last fit first. It warns of the new one when that can no longer be
    lost, so that a warning may be an error. An attempt inside another is a part of that one.

    Formal guarantees:
        * after an error, the synthesizer is as it was before its first fit, but for the number of
          fits begun: of a release that was not finished, nothing is kept
        * the log of events has no number of private rows

    Args:
        method: A method of a synthesizer that has ``_forget`` and ``_warn_of_release``. What it
            leaves in the synthesizer must not be private.

    Returns:
        The attempt.
    """

    @in_turn
    @wraps(method)
    def attempt(self: Any, /, *given: Given.args, **named: Given.kwargs) -> None:
        if MARK in self.__dict__:
            method(self, *given, **named)
            return
        self._forget()
        before = deepcopy({name: it for name, it in self.__dict__.items() if name not in KEPT})
        try:
            self.__dict__[MARK] = True
            with hide_row_counts(self._synthesizer_id):
                method(self, *given, **named)
            del self.__dict__[MARK]
        except BaseException:
            kept = {name: it for name, it in self.__dict__.items() if name in KEPT}
            self.__dict__ = before | kept  # in one step, which no interrupt can divide
            raise
        self._warn_of_release()

    return attempt
