"""An environment of its own for each family of peers: they pin releases that rule out one another.

An environment is made once and kept, until its pinned requirements change. Which build of a
package is installed (torch comes for the CPU, or with gigabytes for GPUs) is up to how pip is
configured.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from runner import Failed, run_command

HERE = Path(__file__).parent

#: Where environments lie, each in a folder of its family's name; git ignores it.
FOLDER = HERE.parents[1] / '.venv-peers'

#: The families, and the releases of Python that they run on.
FAMILIES = {'dpmm': ((3, 10), (3, 11)), 'smartnoise': ((3, 10), (3, 14))}

#: Seconds after which an installation is given up.
TIMEOUT = 1800

#: What could not be made, and why: tried once a run, and not for every row.
_failed: dict[str, str] = {}


def make_environment(family: str) -> Path:
    """Make the environment of a family, or find it as it was made.

    Args:
        family: Of :data:`FAMILIES`.

    Returns:
        The Python of the environment.

    Raises:
        Failed: If it cannot be made.
    """
    place = FOLDER / family
    requirements = HERE / f'{family}.txt'
    marker = place / 'installed'
    state = hashlib.sha256(requirements.read_bytes()).hexdigest()
    python = place / 'bin' / 'python'
    if marker.exists() and marker.read_text() == state:
        return python
    if family in _failed:
        raise Failed(_failed[family])
    try:
        _run([_find_python(family), '-m', 'venv', '--clear', str(place)])
        _run([str(python), '-m', 'pip', 'install', '--quiet', '--requirement', str(requirements)])
    except Failed as failure:
        _failed[family] = str(failure)
        raise
    marker.write_text(state)
    return python


def _find_python(family: str) -> str:
    """Find a Python that the family runs on: this one, or else the newest that does."""
    oldest, newest = FAMILIES[family]
    if oldest <= sys.version_info[:2] <= newest:
        return sys.executable
    for minor in range(newest[1], oldest[1] - 1, -1):
        found = shutil.which(f'python{newest[0]}.{minor}')
        # A version manager leaves names behind that start nothing.
        if found and not subprocess.run([found, '-c', ''], capture_output=True).returncode:
            return found
    span = ' to '.join(f'{major}.{minor}' for major, minor in (oldest, newest))
    raise Failed(f'{family} needs Python {span}')


def _run(command: list[str]) -> None:
    status, written, errors = run_command(command, TIMEOUT)
    if status:
        # pip ends with advice; what failed is on the line marked as an error.
        lines = (errors or written).strip().splitlines() or ['no message']
        marked = [line for line in lines if line.startswith('ERROR')] or lines
        raise Failed(f'not installed: {marked[-1].strip()}')
