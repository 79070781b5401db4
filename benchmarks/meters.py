"""What work costs: seconds, seconds of the processor, and memory above what was there before."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATUS = Path('/proc/self/status')
CLEAR = Path('/proc/self/clear_refs')

#: Units of ``ru_maxrss`` in a MiB: KiB, but bytes on macOS.
UNITS = 2**20 if sys.platform == 'darwin' else 2**10


@contextmanager
def measured(name: str, into: dict[str, float]) -> Iterator[None]:
    """Measure what happens inside.

    The peak is that of resident memory, less what was resident at the start. Linux forgets earlier
    peaks when told to; elsewhere an earlier and higher peak hides a later one, which then counts 0.

    Args:
        name: What is measured: the names of the figures start with it.
        into: Is given ``<name>_seconds``, ``<name>_cpu_seconds`` and ``<name>_peak_mib``.

    Yields:
        Nothing.
    """
    release_freed_memory()
    before = forget_peak()
    cpu, start = time.process_time(), time.perf_counter()
    yield
    into[f'{name}_seconds'] = time.perf_counter() - start
    into[f'{name}_cpu_seconds'] = time.process_time() - cpu
    into[f'{name}_peak_mib'] = max(read_peak() - before, 0.0)


def release_freed_memory() -> None:
    """Hand memory back that was freed, lest its reuse looks like no use at all."""
    gc.collect()
    if sys.platform == 'linux':
        ctypes.CDLL(None).malloc_trim(0)


def forget_peak() -> float:
    """Forget earlier peaks where the system can; return what is resident, in MiB."""
    try:
        CLEAR.write_text('5')
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNITS
    return _read_status('VmRSS')


def read_peak() -> float:
    """Read the peak of resident memory, in MiB."""
    if STATUS.exists():
        return _read_status('VmHWM')
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNITS


def _read_status(field: str, status: Path = STATUS) -> float:
    return read_field(status.read_text(), field)


def read_field(status: str, field: str) -> float:
    """Read a field of ``/proc/<pid>/status``, in MiB."""
    (line,) = (line for line in status.splitlines() if line.startswith(f'{field}:'))
    return int(line.split()[1]) / 1024


class TreeWatch(threading.Thread):
    """Watches the memory of this process and of all that it started, until it is stopped.

    Memory that processes share counts in each of them: the sum is never below what is in use.

    Args:
        interval: Seconds between two looks.
    """

    def __init__(self, interval: float = 0.1) -> None:
        super().__init__(daemon=True)
        self.peak_mib = self.own_peak_mib = self.child_peak_mib = 0.0
        self._interval = interval
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look again and again."""
        import psutil

        me = psutil.Process()
        while not self._stopped.wait(self._interval):
            children = [_resident(child) for child in me.children(recursive=True)]
            own = _resident(me)
            self.own_peak_mib = max(self.own_peak_mib, own)
            self.child_peak_mib = max(self.child_peak_mib, *children, 0.0)
            self.peak_mib = max(self.peak_mib, own + sum(children))

    def __enter__(self) -> TreeWatch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()


def _resident(process: Any) -> float:
    """What a process holds, in MiB: nothing if it has just ended."""
    import psutil

    try:
        return process.memory_info().rss / 2**20
    except psutil.Error:
        return 0.0
