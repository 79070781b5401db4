"""A guard around all code that touches private rows: nothing a library says of them gets out.

Libraries warn, log, print and raise with the cell at hand in the message. Inside :func:`guarded`
all of that is taken in and dropped; an error is replaced by one that shows no value.
"""

from __future__ import annotations

import io
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock
from typing import Any

#: Above every level of a log record.
SILENT = sys.maxsize

#: Where Python's own code and libraries print to.
STREAMS = ('stdout', 'stderr', '__stdout__', '__stderr__')


class UnreadableRowsError(Exception):
    """Private rows cannot be read: the message is ours, and shows no value.

    This is the one error that leaves :func:`guarded` as it is.
    """


@contextmanager
def guarded() -> Iterator[None]:
    """Run code that touches private rows without letting anything out but what it returns.

    While any thread is inside, the whole process is silent: libraries warn through globals.

    Formal guarantees:
        * warnings, log records and what is printed by Python code inside are dropped, whatever the
          filters, handlers and streams of the process are; they are in force again afterwards
        * an error raised inside leaves as an error whose message, cause, context and notes show no
          value; of its type no more than the built-in one is told

    Yields:
        Nothing.

    Raises:
        UnreadableRowsError: With the message it was raised with inside, or in place of an error of
            a library.
        MemoryError: In place of one that tells how many rows there are.
        KeyboardInterrupt, SystemExit: In place of those, without what they tell.
    """
    failed: BaseException | None = None
    with _SILENCE:
        try:
            yield
        except GeneratorExit:
            raise
        except BaseException as error:
            failed = _replace(error)
    if failed is None:
        return
    try:
        raise failed
    finally:
        # Python has just put the error that was raised inside here, with its message.
        failed.__context__ = None


def _replace(error: BaseException) -> BaseException:
    """Make the error that stands for one that was raised inside."""
    if type(error) is UnreadableRowsError:
        return UnreadableRowsError(*error.args)
    if isinstance(error, KeyboardInterrupt):
        return KeyboardInterrupt()
    if isinstance(error, SystemExit):
        return SystemExit(1)
    if isinstance(error, MemoryError):
        return MemoryError('There is not enough memory to read the private rows.')
    # A library may name a type of its own after a cell.
    kind = next(each for each in type(error).__mro__ if each.__module__ == 'builtins')
    return UnreadableRowsError(
        f'Reading the private rows failed with a {kind.__name__}, whose message is kept back '
        'because it may show values. Try the same on rows that are not private.'
    )


class _Silence(AbstractContextManager[None]):
    """Silence of the process, shared by all threads that ask for it."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._undo = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._begin()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._undo.close()

    def _begin(self) -> None:
        with ExitStack() as undo:
            # Recorded and forgotten: a library may set filters of its own.
            undo.enter_context(warnings.catch_warnings(record=True))
            warnings.simplefilter('ignore')
            undo.callback(logging.disable, logging.root.manager.disable)
            logging.disable(SILENT)
            for name in STREAMS:
                undo.callback(setattr, sys, name, getattr(sys, name))
                setattr(sys, name, _Nowhere())
            undo.callback(setattr, sys, 'unraisablehook', sys.unraisablehook)
            sys.unraisablehook = _ignore
            self._undo = undo.pop_all()


class _Nowhere(io.TextIOBase):
    """A stream that forgets what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


def _ignore(_: Any) -> None:
    """Drop an error that Python cannot raise, such as one of a finalizer."""


_SILENCE = _Silence()
