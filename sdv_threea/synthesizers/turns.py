"""Turns: threads that fit, change, sample or save one synthesizer wait for each other.

What is made up is counted on from sample to sample: two that ran at once would count alike, and no
id may come twice. Two fits that ran at once would undo each other.
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

#: A lock by synthesizer. It is no part of the synthesizer, as locks cannot be copied or saved.
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_door = Lock()


def in_turn(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """Let one thread at a time into the methods of an object that are decorated so.

    Args:
        method: A method; it may call others.

    Returns:
        The method, which waits for its turn.
    """

    @wraps(method)
    def wait(self: Any, /, *given: Given.args, **named: Given.kwargs) -> Result:
        with _door:
            lock = _locks.setdefault(self, RLock())
        with lock:
            return method(self, *given, **named)

    return wait


def _renew() -> None:
    """Free all turns in a process that was forked: the threads that had them are not in it."""
    global _locks, _door
    _locks, _door = WeakKeyDictionary(), Lock()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_renew)
