"""One thread at a time may fit, change, sample or save a synthesizer.

Made-up ids are counted on from sample to sample, so two samples at once would repeat ids. Two fits
at once would undo each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from threading import Lock, RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Given = ParamSpec('Given')
Result = TypeVar('Result')

#: A lock by synthesizer; kept apart, as locks cannot be copied or saved.
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_door = Lock()


def in_turn(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """Let one thread at a time into those methods of an object that have this decorator."""

    @wraps(method)
    def wait(self: Any, /, *given: Given.args, **named: Given.kwargs) -> Result:
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
