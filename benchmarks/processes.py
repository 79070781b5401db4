"""Processes with a limit of time and memory, which end with all that they started."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meters import read_field

#: Seconds between two looks at the clock and at the memory.
INTERVAL = 0.5


class Ended(Exception):
    """A process took too long or too much, and was ended; the message says which, in short."""


def run(
    command: Sequence[str], timeout: float, memory: float = math.inf, **terms: Any
) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, or end it and its group, whatever interrupts it.

    Args:
        command: The program and its arguments.
        timeout: Seconds that it may take.
        memory: GiB that it may hold itself, where the system tells.
        **terms: What else :class:`subprocess.Popen` is to be told.

    Returns:
        How it ended, and all that it wrote.

    Raises:
        Ended: If it reached a limit.
    """
    start = time.monotonic()
    pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
    with subprocess.Popen(
        command, **pipes, errors='replace', start_new_session=True, **terms
    ) as process:
        try:
            while True:
                try:
                    written = process.communicate(timeout=INTERVAL)
                    return subprocess.CompletedProcess(command, process.returncode, *written)
                except subprocess.TimeoutExpired:
                    _check(process.pid, time.monotonic() - start, timeout, memory)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise


def tell_failure(done: subprocess.CompletedProcess[str]) -> str:
    """Say in a short line why a process failed: its last one."""
    lines = done.stderr.strip().splitlines() or [f'ended with status {done.returncode}']
    return lines[-1].strip()[:160]


def _check(pid: int, seconds: float, timeout: float, memory: float) -> None:
    if seconds > timeout:
        raise Ended(f'timed out after {timeout:g} s')
    if _read_resident(pid) > memory * 1024:
        raise Ended(f'out of memory: more than {memory:g} GiB')


def _read_resident(pid: int) -> float:
    """Read what a process holds, in MiB; nothing where that cannot be told."""
    try:
        return read_field(Path(f'/proc/{pid}/status').read_text(), 'VmRSS')
    except (OSError, ValueError):
        return 0.0
