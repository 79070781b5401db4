"""A library that warns, logs, prints and raises with the cell at hand, and a guard around it."""

import contextlib
import io
import logging
import os
import subprocess
import sys
import threading
import warnings

import pytest
from sklearn.utils.parallel import Parallel, delayed

from sdv_threea.rows import guard
from sdv_threea.rows.guard import UnreadableRowsError, guarded

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


@pytest.mark.filterwarnings('error')
def test_scikit_learn_hands_filters_of_warnings_to_its_threads():
    """It took them apart, and stumbled over one that was not as usual."""
    with guarded():
        pass
    calls = [delayed(warnings.warn)('theirs') for _ in range(2)]
    with pytest.raises(UserWarning, match='theirs'):
        Parallel(n_jobs=2, backend='threading')(calls)


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


NAMES = ('stdout', 'stderr', '__stdout__', '__stderr__', 'unraisablehook')


def read_state():
    return [getattr(sys, name) for name in NAMES], logging.root.manager.disable


def test_all_is_as_it_was_afterwards_even_after_an_error_or_one_in_the_other(heard):
    before = read_state()
    with pytest.raises(UnreadableRowsError), guarded(), guarded():
        raise ValueError

    assert read_state() == before
    tell_print()
    tell_warning()
    assert heard().count(SECRET) == 5


class Beside:
    """A thread that is inside, waits until it is told to go on, and says all that can be said."""

    def __enter__(self):
        self.inside, self.goes_on, self.errors = threading.Event(), threading.Event(), []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        self.inside.wait()
        return self

    def run(self):
        try:
            with guarded():
                self.inside.set()
                self.goes_on.wait()
                for tell in (tell_warning, tell_log, tell_print, tell_finalizer):
                    tell()
        except BaseException as error:
            self.errors.append(error)

    def say(self):
        self.goes_on.set()
        self.thread.join()
        assert self.errors == []

    def __exit__(self, *_):
        self.goes_on.set()
        self.thread.join()


def test_what_another_thread_redirects_and_records_meanwhile_does_not_hear_what_is_said_inside():
    logged, unraised, hook = [], [], sys.unraisablehook
    handler = logging.Handler()
    handler.emit = logged.append
    try:
        with (
            Beside() as beside,
            warnings.catch_warnings(record=True) as warned,
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            logging.root.addHandler(handler)
            sys.unraisablehook = unraised.append
            warnings.simplefilter('always')
            beside.say()
            assert (warned, logged, unraised, out.getvalue() + err.getvalue()) == ([], [], [], '')

            tell_warning()
            sys.stdout.write(SECRET)
            sys.stderr.write(SECRET)
            logging.critical(SECRET)
            tell_finalizer()
            assert len(warned) == 3
            assert len(logged) == len(unraised) == 1
            assert out.getvalue() + err.getvalue() == 2 * SECRET
    finally:
        sys.unraisablehook = hook
        logging.root.removeHandler(handler)


def test_what_other_threads_put_in_place_meanwhile_hears_them_and_stays(heard):
    """Neither are they silenced, nor is what they set undone when a block ends."""
    stream, original = io.StringIO(), sys.stdout

    def set_up():
        assert sys.stdout is original
        sys.stdout = stream
        print('theirs')  # noqa: T201
        logging.critical('theirs')
        warnings.warn('theirs', stacklevel=2)

    try:
        with guarded():
            thread = threading.Thread(target=set_up)
            thread.start()
            thread.join()
            tell_print()
            tell_warning()
        assert sys.stdout is stream
    finally:
        sys.stdout = original
    said = heard()

    assert stream.getvalue() == 'theirs\n'
    assert SECRET not in said
    assert said.count('theirs') == 2


def test_what_a_library_redirects_inside_is_back_afterwards():
    original = sys.stdout
    with guarded(), contextlib.redirect_stdout(io.StringIO()) as captured:
        tell_print()

    assert sys.stdout is original
    assert captured.getvalue() == ''


def test_an_interrupt_between_any_two_steps_leaves_nothing_silent():
    """Also while its traceback is kept, as a notebook keeps the last one."""
    kept = []

    def stop_at(step):
        left = iter(range(step))

        def trace(frame, event, _):
            if frame.f_globals is not vars(guard):
                return None
            frame.f_trace_opcodes = True
            if event == 'opcode' and next(left, None) is None:
                raise KeyboardInterrupt
            return trace

        return trace

    def interrupt(step):
        traced = sys.gettrace()
        sys.settrace(stop_at(step))
        try:
            with guarded(), guarded():
                pass
        except KeyboardInterrupt as error:
            kept.append(error)
            return True
        finally:
            sys.settrace(traced)
        return False

    before, step = read_state(), 0
    while interrupt(step):
        assert not guard._HERE, step
        assert read_state() == before
        step += 1
    assert step > 100


INTERRUPTED = """
import signal, sys
from sdv_threea.rows import guard

signal.signal(signal.SIGALRM, signal.default_int_handler)
kept, stuck, times = None, 0, 400
for number in range(times):
    signal.setitimer(signal.ITIMER_REAL, 0.0005 + number % 97 * 1e-6)
    try:
        while True:
            with guard.guarded():
                pass
    except KeyboardInterrupt as error:
        kept = error
    stuck += bool(guard._HERE)
print(times, stuck)
"""


@pytest.mark.skipif(sys.platform == 'win32', reason='there is no such signal')
def test_interrupts_while_blocks_begin_and_end_leave_nothing_silent():
    done = subprocess.run(
        [sys.executable, '-c', INTERRUPTED], capture_output=True, text=True, check=True, timeout=60
    )

    assert (done.stdout, done.stderr) == ('400 0\n', '')


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='there are no forks')
@pytest.mark.parametrize('forks_inside', [False, True])
def test_a_child_is_silent_only_if_it_was_forked_inside(forks_inside):
    """Another thread that is inside at the moment is not in the child."""
    with Beside(), guarded() if forks_inside else contextlib.nullcontext():
        child = os.fork()
        if not child:
            try:
                os._exit(10 + bool(guard._HERE))
            finally:
                os._exit(1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 10 + forks_inside


def test_a_process_that_was_guarded_ends_without_a_word():
    program = 'import sys; from sdv_threea.rows.guard import guarded\nwith guarded(): print(1)'
    done = subprocess.run(
        [sys.executable, '-X', 'dev', '-c', program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout + done.stderr == ''
