"""Signals that end a command: it ends as after an interrupt, and leaves no file half-written."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

#: The signals, as far as the system has them. The exit code is ``SHELL`` plus the signal's number.
NAMES, SHELL = ('SIGTERM', 'SIGHUP'), 128


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let signals that would end the process raise ``SystemExit``, so that it tidies up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    # Signals that are ignored, as by nohup, stay ignored.
    numbers = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    before = {number: signal.signal(number, _stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _: object) -> NoReturn:
    raise SystemExit(SHELL + number)
