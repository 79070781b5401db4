"""A guard around all code that touches private rows: libraries cannot show a private cell.

Libraries may warn, log, print and raise with cells in the message. Inside :func:`guarded` such
messages are dropped in this thread, and errors are replaced. Streams, hooks and loggers are wrapped
once, for good. The wrappers check whether the current thread is inside, so entering and leaving
changes no global state.
"""

import io
import logging
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial, wraps
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, cast
from weakref import ReferenceType, ref

#: The methods of loggers that are muted.
_MUTED: list[Callable[..., Any]] = []


class UnreadableRowsError(Exception):
    """Private rows cannot be read. The message shows no value, so :func:`guarded` lets it pass."""


def guarded() -> AbstractContextManager[None]:
    """Return a context manager in which code on private rows can output only what it returns.

    Enter the context at once, by ``with``, in the thread that runs the code.

    Formal guarantees:
        * warnings, log records and prints of Python code in this thread are dropped inside,
          whatever filters, handlers and streams the process has, and whatever other threads set
          meanwhile
        * no other thread is silenced, and what another thread has set stays in place
        * an interrupt, at any point, leaves nothing silent
        * an error raised inside leaves as an error whose message, cause, context and notes show no
          value; only the built-in base class of its type is shown

    Not covered: threads that are started or used inside, unless they enter the context themselves;
    streams and handlers that a library saved before; output of native code. An error of a library
    becomes :class:`UnreadableRowsError`; memory errors, interrupts and exits lose their messages.
    """
    if not _HERE:
        _install()
    leave = partial(_leave)
    held = (*(each for each in _HERE.held if each() is not None), ref(leave))
    return cast(AbstractContextManager[None], _Guard(partial(setattr, _HERE, 'held', held), leave))


class _Guard:
    """A context manager of C functions, so that no interrupt comes between them and the block.

    While the block runs, only the interpreter holds ``leave``. The thread is inside while ``leave``
    is alive, so an interrupt at the end of the block cannot leave the thread muted.
    """

    __enter__ = property(attrgetter('enter'))
    __exit__ = property(attrgetter('leave'))

    def __init__(self, enter: Callable[[], None], leave: Callable[..., None]) -> None:
        self.enter, self.leave = enter, leave


class _Here(threading.local):
    """True while this thread is inside."""

    held: tuple[ReferenceType[Callable[..., None]], ...] = ()

    def __bool__(self) -> bool:
        return any(each() is not None for each in self.held)


_HERE = _Here()


def _leave(_: object, error: BaseException | None, __: object) -> None:
    if error is None or isinstance(error, GeneratorExit):
        return
    failed = _replace(error)
    try:
        raise failed
    finally:
        # Python has set the context to the original error, whose message may show a value.
        failed.__context__ = None


def _replace(error: BaseException) -> BaseException:
    if type(error) is UnreadableRowsError:
        return UnreadableRowsError(*error.args)
    if isinstance(error, KeyboardInterrupt):
        return KeyboardInterrupt()
    if isinstance(error, SystemExit):
        return SystemExit(1)
    if isinstance(error, MemoryError):
        return MemoryError('There is not enough memory to read the private rows.')
    # A library may name an error type after a cell.
    kind = next(each for each in type(error).__mro__ if each.__module__ == 'builtins')
    return UnreadableRowsError(
        f'Reading the private rows failed with a {kind.__name__}, whose message is kept back '
        'because it may show values. Try the same on rows that are not private.'
    )


class _Nowhere(io.TextIOBase):
    """A stream that drops all output and cannot be closed."""

    def write(self, text: str) -> int:
        return len(text)

    def close(self) -> None:
        pass


_NOWHERE = _Nowhere()


class _Muted:
    """A stream or hook that does nothing in threads that are inside."""

    whole: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(_NOWHERE if _HERE else self.whole, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return None if _HERE else self.whole(*given, **named)


class _Mute:
    """A module attribute that stays muted, whoever sets it, and looks unchanged from outside.

    C code bypasses this descriptor and takes the entry of the module's dictionary, which is muted.
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
        """Mute the value that was set before this descriptor was installed."""
        found, muted = vars(module), _Muted()
        if not isinstance(found[self.name], _Muted | None):
            # Without a call here, no other thread can set another value in between.
            muted.whole = found[self.name]
            found[self.name] = muted


class _Module(ModuleType):
    """A module with a replaced class; pickled by its name, as cloudpickle pickles any module."""

    def __reduce__(self) -> Any:
        return import_module, (self.__name__,)


class _Sys(_Module):
    stdout, stderr, __stdout__, __stderr__ = _Mute(), _Mute(), _Mute(), _Mute()
    unraisablehook = _Mute()


class _Warnings(_Module):
    showwarning, _showwarnmsg_impl = _Mute(), _Mute()


class _Asking(type):
    """A metaclass: every class is a subclass of its classes inside the guard, and none outside."""

    def __subclasscheck__(cls, _: type) -> bool:
        return bool(_HERE)


class SaidInside(Warning, metaclass=_Asking):
    """The category of every warning raised inside. Libraries may copy filters of this category."""


#: Keeps warnings raised inside from becoming errors.
_IGNORED = ('ignore', None, SaidInside, None, 0)


def _install() -> None:
    for module, kind in ((sys, _Sys), (warnings, _Warnings)):
        if not isinstance(module, kind):
            module.__class__ = kind
        for each in vars(kind).values():
            if isinstance(each, _Mute):
                each.mute(module)
    _mute_loggers()
    _ignore_first()


def _mute_loggers() -> None:
    """Mute the methods of loggers, even if other code has replaced them since."""
    for name, answer in (('handle', None), ('isEnabledFor', False)):
        method = getattr(logging.Logger, name)
        if method not in _MUTED:
            _MUTED.append(_mute_method(method, answer))
            setattr(logging.Logger, name, _MUTED[-1])


def _ignore_first() -> None:
    """Put the filter before all others: Python uses the first filter that matches."""
    filters = cast(list[Any], warnings.filters)
    if filters and filters[0] is _IGNORED:
        return
    filters.insert(0, _IGNORED)
    for at in range(len(filters) - 1, 0, -1):
        if filters[at] is _IGNORED:
            del filters[at]


def _mute_method(method: Callable[..., Any], answer: Any) -> Any:
    """Make a method of loggers return ``answer`` at once in threads that are inside."""

    @wraps(method)
    def mute(*given: Any, **named: Any) -> Any:
        return answer if _HERE else method(*given, **named)

    return mute
