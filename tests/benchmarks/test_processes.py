"""Processes of benchmarks end in time, with all that they started."""

from __future__ import annotations

import os
import sys
import time

import pytest

#: Holds 256 MiB, and sleeps beside a child whose number it writes into a file.
SLEEPER = """
import subprocess, sys, time
command = [sys.executable, '-c', 'import time; time.sleep(60)']
child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
open(sys.argv[1], 'w').write(str(child.pid))
held = bytearray(2**28)
time.sleep(60)
"""


@pytest.fixture(scope='module')
def processes(load_script):
    with load_script('processes') as module:
        yield module


@pytest.mark.parametrize(
    ('timeout', 'memory', 'said'),
    [(3.0, 14.0, 'timed out after 3 s'), (50.0, 0.1, 'out of memory')],
)
def test_what_takes_too_long_or_too_much_is_ended_with_its_children(
    processes, tmp_path, timeout, memory, said
):
    written = tmp_path / 'child'
    with pytest.raises(processes.Ended, match=said):
        processes.run([sys.executable, '-c', SLEEPER, str(written)], timeout, memory)

    assert is_gone(int(written.read_text()))


def is_gone(pid):
    """Wait for the end of a process that was killed; who inherits it may let it be a zombie."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            with open(f'/proc/{pid}/stat') as stat:
                if stat.read().rpartition(')')[2].split()[0] == 'Z':
                    return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    return False


def test_what_ends_by_itself_tells_how(processes):
    done = processes.run([sys.executable, '-c', 'print("so far")'], 60)
    assert (done.returncode, done.stdout) == (0, 'so far\n')

    failed = processes.run([sys.executable, '-c', 'print("so far"); raise ValueError("why")'], 60)
    assert failed.returncode == 1
    assert processes.tell_failure(failed) == 'ValueError: why'
    quiet = processes.run([sys.executable, '-c', 'raise SystemExit(3)'], 60)
    assert processes.tell_failure(quiet) == 'ended with status 3'
