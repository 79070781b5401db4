"""Fits that fail or are interrupted leave nothing except their count."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from sdv_threea.storage.version import get_version
from sdv_threea.synthesizers.disclosing import warn_of_release
from sdv_threea.synthesizers.logs import hide_row_counts
from sdv_threea.synthesizers.turns import in_turn

Given = ParamSpec('Given')

#: Marks a synthesizer during an attempt.
MARK = '_undoing'

#: Attributes that stay after an error: the user's own objects, constants, and the number of fits.
KEPT = ('_input_metadata', '_num_releases', '_settings', 'kernel')


def forget(synthesizer: Any) -> None:
    """Forget the last fit, except for the number of fits begun."""
    synthesizer.__dict__ |= {'_made_with': get_version(), **deepcopy(synthesizer.UNFITTED)}


def attempted(
    method: Callable[Concatenate[Any, Given], None],
) -> Callable[Concatenate[Any, Given], None]:
    """Return a method that fits its synthesizer, or leaves it unfitted after an error.

    The synthesizer first forgets its last fit. The synthesizer warns of the new release at the very
    end, when an error can no longer undo the fit: users may turn warnings into errors. Attempts run
    one at a time; an attempt inside another is a part of it. The method must leave nothing private
    in the synthesizer.

    Formal guarantees:
        * after an error, the synthesizer is as it was before its first fit, except for the number
          of fits begun: nothing of an unfinished release is kept
        * the event log does not contain the number of private rows
    """

    @in_turn
    @wraps(method)
    def attempt(self: Any, /, *given: Given.args, **named: Given.kwargs) -> None:
        if MARK in self.__dict__:
            method(self, *given, **named)
            return
        forget(self)
        before = deepcopy({name: it for name, it in self.__dict__.items() if name not in KEPT})
        try:
            self.__dict__[MARK] = True
            with hide_row_counts(self._synthesizer_id):
                method(self, *given, **named)
            del self.__dict__[MARK]
        except BaseException:
            kept = {name: it for name, it in self.__dict__.items() if name in KEPT}
            self.__dict__ = before | kept  # one step, which no interrupt can split
            raise
        warn_of_release(self)

    return attempt
