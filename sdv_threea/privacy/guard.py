"""A guard around all code that touches private rows: nothing a library says of them gets out.

Libraries warn, log, print and raise with the cell at hand in the message. Inside :func:`guarded`
all of that is dropped, in this thread alone; an error is replaced by one that shows no value.

Nothing of the process is swapped when a thread enters or leaves. The first entry puts streams,
hooks and one method of loggers behind a question, for good: is the thread that asks inside?
"""

from __future__ import annotations

import io
import logging
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial, wraps
from operator import attrgetter
from types import ModuleType
from typing import Any, cast
from weakref import ReferenceType, ref

#: Marks the method of loggers that is muted.
MARK = 'is_muted'


class UnreadableRowsError(Exception):
    """Private rows cannot be read: the message is ours, and shows no value.

    This is the one error that leaves :func:`guarded` as it is.
    """


def guarded() -> AbstractContextManager[None]:
    """Run code that touches private rows without letting anything out but what it returns.

    To be entered at once, by ``with``, and in the thread that runs the code.

    Formal guarantees:
        * warnings, log records and what is printed by Python code of this thread inside are
          dropped, whatever the filters, handlers and streams of the process are, and whatever
          other threads put in their place meanwhile
        * no other thread is silenced, and what one has put in place stays there
        * an interrupt, wherever it comes, leaves nothing silent
        * an error raised inside leaves as an error whose message, cause, context and notes show no
          value; of its type no more than the built-in one is told

    Not covered are threads that code inside starts or hands work to, unless they are inside by
    themselves; streams and handlers that a library saved before; and what native code prints.

    Returns:
        What to enter.

    Raises:
        UnreadableRowsError: With the message it was raised with inside, or in place of an error of
            a library.
        MemoryError: In place of one that tells how many rows there are.
        KeyboardInterrupt, SystemExit: In place of those, without what they tell.
    """
    if not _HERE:
        _install()
    leave = partial(_leave)
    held = (*(each for each in _HERE.held if each() is not None), ref(leave))
    return cast(AbstractContextManager[None], _Guard(partial(setattr, _HERE, 'held', held), leave))


class _Guard:
    """Enters and leaves by functions of C, between which and the block no interrupt comes.

    While the block runs, the interpreter holds ``leave``, and nothing else does: a thread is inside
    for as long as that lives, also if an interrupt comes where the block ends.
    """

    __enter__ = property(attrgetter('enter'))
    __exit__ = property(attrgetter('leave'))

    def __init__(self, enter: Callable[[], None], leave: Callable[..., None]) -> None:
        self.enter, self.leave = enter, leave


class _Here(threading.local):
    """This thread: true while it is inside."""

    held: tuple[ReferenceType[Callable[..., None]], ...] = ()

    def __bool__(self) -> bool:
        return any(each() is not None for each in self.held)


_HERE = _Here()


def _leave(_: object, error: BaseException | None, __: object) -> None:
    """End a block, and replace the error that it ends with."""
    if error is None or isinstance(error, GeneratorExit):
        return
    failed = _replace(error)
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


class _Nowhere(io.TextIOBase):
    """A stream that forgets what is written to it, and cannot be closed."""

    def write(self, text: str) -> int:
        return len(text)

    def close(self) -> None:
        pass


_NOWHERE = _Nowhere()


class _Muted:
    """A stream or a hook that does nothing in threads that are inside."""

    whole: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(_NOWHERE if _HERE else self.whole, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return None if _HERE else self.whole(*given, **named)


class _Mute:
    """An attribute of a module that is muted, whoever sets it; outside nobody sees the difference.

    C code does not ask here, but takes what lies in the dictionary of the module: what is muted.
    """

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    def __get__(self, module: ModuleType, _: type) -> Any:
        try:
            found = vars(module)[self.name]
        except KeyError as error:
            raise AttributeError(*error.args) from None
        return found.whole if isinstance(found, _Muted) and not _HERE else found

    def __set__(self, module: ModuleType, value: Any) -> None:
        muted = _Muted()
        muted.whole = value
        vars(module)[self.name] = value if value is None or isinstance(value, _Muted) else muted

    def __delete__(self, module: ModuleType) -> None:
        del vars(module)[self.name]

    def mute(self, module: ModuleType) -> None:
        """Mute what was set before this was an attribute."""
        found, muted = vars(module), _Muted()
        if not isinstance(found[self.name], _Muted | None):
            # Nothing is called here, so that no other thread sets another value in between.
            muted.whole = found[self.name]
            found[self.name] = muted


class _Sys(ModuleType):
    """What Python's own code and libraries print to."""

    stdout, stderr, __stdout__, __stderr__ = _Mute(), _Mute(), _Mute(), _Mute()
    unraisablehook = _Mute()


class _Warnings(ModuleType):
    """What shows warnings, and what records them."""

    showwarning, _showwarnmsg_impl = _Mute(), _Mute()


class _Asking(type):
    """Classes of which all others are subclasses inside, and none outside."""

    def __subclasscheck__(cls, _: type) -> bool:
        return bool(_HERE)


class SaidInside(Warning, metaclass=_Asking):
    """The category of all warnings that come up inside: libraries may copy filters of it."""


#: Keeps warnings inside from becoming errors.
_IGNORED = ('ignore', None, SaidInside, None, 0)


def _install() -> None:
    """Put all that can be heard behind the question whether a thread is inside."""
    for module, kind in ((sys, _Sys), (warnings, _Warnings)):
        if not isinstance(module, kind):
            module.__class__ = kind
        for each in vars(kind).values():
            if isinstance(each, _Mute):
                each.mute(module)
    if not hasattr(logging.Logger.handle, MARK):
        logging.Logger.handle = _mute_logger(logging.Logger.handle)  # type: ignore[method-assign]
    # Filters that were set later come first, so it goes before them once more.
    filters = cast(list[Any], warnings.filters)
    if not filters or filters[0] is not _IGNORED:
        filters.insert(0, _IGNORED)


def _mute_logger(handle: Callable[[logging.Logger, logging.LogRecord], None]) -> Any:
    """Let a method of loggers drop records in threads that are inside."""

    @wraps(handle)
    def mute(logger: logging.Logger, record: logging.LogRecord) -> None:
        if not _HERE:
            handle(logger, record)

    setattr(mute, MARK, True)
    return mute
