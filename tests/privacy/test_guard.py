"""A library that warns, logs, prints and raises with the cell at hand, and a guard around it."""

from __future__ import annotations

import io
import logging
import sys
import threading
import warnings

import pytest

from sdv_threea.privacy.guard import UnreadableRowsError, guarded

SECRET = 'secret-4711'


class Finalized:
    def __del__(self):
        raise ValueError(SECRET)


def tell_warning():
    warnings.warn(SECRET, stacklevel=2)
    with warnings.catch_warnings():
        warnings.simplefilter('always')
        warnings.warn(SECRET, DeprecationWarning, stacklevel=2)
    warnings.showwarning(SECRET, UserWarning, 'file', 1)


def tell_log():
    logger = logging.getLogger('library')
    logger.setLevel(logging.DEBUG)
    logger.debug(SECRET)
    logger.critical(SECRET)
    logging.warning(SECRET)
    logger.log(10**6, SECRET)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception('failed')


def tell_print():
    sys.stdout.write(SECRET)
    print(SECRET, file=sys.stderr)  # noqa: T201
    sys.__stdout__.write(SECRET)
    sys.__stderr__.write(SECRET)


def tell_finalizer():
    Finalized()


@pytest.fixture
def heard(caplog, capsys, recwarn):
    """Everything that is said."""
    caplog.set_level(logging.DEBUG)

    def read():
        printed = capsys.readouterr()
        warned = [str(each.message) for each in recwarn.list]
        return caplog.text + printed.out + printed.err + str(warned)

    return read


@pytest.mark.parametrize('tell', [tell_warning, tell_log, tell_print, tell_finalizer])
def test_what_a_library_says_is_dropped_inside_and_heard_outside(tell, heard, monkeypatch):
    for name in ('__stdout__', '__stderr__'):
        monkeypatch.setattr(sys, name, sys.stderr)
    monkeypatch.setattr(sys, 'unraisablehook', lambda error: sys.stdout.write(str(error.exc_value)))
    with guarded():
        tell()
    assert SECRET not in heard()

    tell()
    assert SECRET in heard()


@pytest.mark.filterwarnings('error')
def test_warnings_that_are_errors_are_none_inside():
    with guarded():
        tell_warning()


@pytest.mark.parametrize('error', [ValueError, KeyError, UnicodeError, RecursionError, Warning])
def test_an_error_of_a_library_is_replaced(error):
    with pytest.raises(UnreadableRowsError, match=error.__name__) as caught, guarded():
        raise error(SECRET)

    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


@pytest.mark.parametrize('error', [UnreadableRowsError('ours'), KeyboardInterrupt(SECRET)])
def test_our_own_error_and_an_interrupt_come_through_alone(error):
    def fail():
        try:
            raise ValueError(SECRET)
        except ValueError as cause:
            error.add_note(SECRET)
            raise error from cause

    with pytest.raises(type(error)) as caught, guarded():
        fail()

    assert caught.value.args in {('ours',), ()}
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert not hasattr(caught.value, '__notes__')


def test_an_exit_tells_nothing_and_is_still_one():
    with pytest.raises(SystemExit) as caught, guarded():
        sys.exit(SECRET)

    assert caught.value.code == 1


@pytest.mark.parametrize('base', [ValueError, BaseException])
def test_a_library_cannot_tell_a_cell_by_the_name_of_an_error(base):
    with pytest.raises(UnreadableRowsError, match=base.__name__) as caught, guarded():
        raise type(SECRET, (base,), {})

    assert SECRET not in str(caught.value)


def test_a_lack_of_memory_is_told_without_the_number_of_rows():
    with pytest.raises(MemoryError) as caught, guarded():
        raise MemoryError('an array of shape (4711,)')

    assert '4711' not in str(caught.value)


def read_state():
    streams = [getattr(sys, name) for name in ('stdout', 'stderr', '__stdout__', '__stderr__')]
    return streams, logging.root.manager.disable, list(warnings.filters), sys.unraisablehook


def test_all_is_as_it_was_afterwards_even_after_an_error_or_one_in_the_other():
    before = read_state()
    with pytest.raises(UnreadableRowsError), guarded(), guarded():
        raise ValueError

    assert read_state() == before


def test_threads_that_come_and_go_leave_all_as_it_was():
    before, inside, leave = read_state(), threading.Barrier(3), threading.Event()

    def stay(first):
        with guarded():
            inside.wait()
            if not first:
                leave.wait()

    threads = [threading.Thread(target=stay, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    inside.wait()
    threads[0].join()
    assert isinstance(sys.stdout, io.TextIOBase)
    assert logging.root.manager.disable == sys.maxsize
    leave.set()
    threads[1].join()

    assert read_state() == before
