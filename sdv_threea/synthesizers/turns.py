"""Locks for synthesizers: one thread at a time, and no traces of failed fits.

Made-up ids continue from sample to sample, so two samples at once would repeat ids. Two fits at
once would undo each other.
"""

import os
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from threading import Lock, RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from sdv_threea.storage.files import get_version
from sdv_threea.synthesizers.disclosing import warn_of_release
from sdv_threea.synthesizers.progress import hide_row_counts

P = ParamSpec('P')
Result = TypeVar('Result')

#: Attribute that marks a synthesizer during an attempt.
MARK = '_undoing'

#: Attributes that stay after an error: the user's own objects, constants, and the number of fits.
KEPT = ('_input_metadata', '_num_releases', '_settings', 'kernel')

#: A lock by synthesizer, kept apart because locks cannot be copied or saved.
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_door = Lock()


def in_turn(
    method: Callable[Concatenate[Any, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """Return the method with a lock: one thread at a time runs such methods of an object."""

    @wraps(method)
    def wait(self: Any, /, *given: P.args, **named: P.kwargs) -> Result:
        with _door:
            lock = _locks.setdefault(self, RLock())
        with lock:
            return method(self, *given, **named)

    return wait


def _renew() -> None:
    """Free all locks in a forked process, which lacks the threads that held them."""
    global _locks, _door
    _locks, _door = WeakKeyDictionary(), Lock()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_renew)


def forget(synthesizer: Any) -> None:
    """Forget the last fit, except for the number of fits begun."""
    synthesizer.__dict__ |= {'_made_with': get_version(), **deepcopy(synthesizer.UNFITTED)}


def attempted(
    method: Callable[Concatenate[Any, P], None],
) -> Callable[Concatenate[Any, P], None]:
    """Return a method that fits its synthesizer, or leaves it unfitted after an error.

    The synthesizer first forgets its last fit. All warnings come after the fit, when an error can
    no longer undo it, because users may turn warnings into errors. Attempts run one at a time; an
    attempt inside another is a part of it. The method must leave nothing private behind.

    Formal guarantees:
        * after an error, the synthesizer is as it was before its first fit, except for the number
          of fits begun: nothing of an unfinished release is kept
        * the event log does not contain the number of private rows
    """

    @in_turn
    @wraps(method)
    def attempt(self: Any, /, *given: P.args, **named: P.kwargs) -> None:
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
            self.__dict__ = before | kept  # a single step, which no interrupt can split
            raise
        warn_of_release(self)

    return attempt
