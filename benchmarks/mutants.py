"""Break the package in one place at a time, and see whether the tests of that room notice.

Each mutant changes one line that a proof leans on, in a copy of the tree. The tests of its room run
until one fails. A mutant that no test notices is *missed*. ``mutants.txt`` lists files, and what
is put in the place of what. To compare the tests of two trees, run
the script in each: ``python benchmarks/mutants.py --only rows/clipping --tests rows``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: The tests that guard a room, the quickest first.
TESTS = {
    'privacy': 'privacy proofs audit/test_contributions.py',
    'rows': 'joint/test_interactions.py rows privacy audit/test_contributions.py',
    'statistics': 'audit/test_contributions.py',
    'accounting': 'accounting privacy/test_spending.py rows/test_statistics.py '
    'joint/test_interactions.py relational/test_degrees.py audit/test_contributions.py',
    'rows/units': 'rows/units relational/test_membership.py relational/test_transitions.py '
    'relational/test_databases.py relational/test_degrees.py',
    'rows/intake': 'rows/intake fuzz',
    'describe': 'describe audit/test_contributions.py',
    'relational': 'relational',
    '': 'relational/test_membership.py rows/units relational',
}


def list_mutants() -> Iterator[tuple[str, str, str]]:
    """Return the file of each mutant, what stands there once, and what is put in its place."""
    name = ''
    for line in Path(__file__).with_suffix('.txt').read_text('utf-8').splitlines():
        if line.startswith(' '):
            old, new = line.strip().split(' -> ')
            yield name, old, new
        else:
            name = line


def list_tests(tree: Path, name: str, folders: list[str] | None) -> list[str]:
    """Return the tests to run for a file: those that are named like it first."""
    room, _, module = name.removesuffix('.py').rpartition('/')
    own = f'tests/{room}/test_{module}.py'
    paths = [f'tests/{each}' for each in folders or TESTS[room].split()]
    return [own, *paths] if folders is None and (tree / own).exists() else paths


class First:
    """Tells through a pipe which test fails first."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell of a test that fails."""
        if report.failed:
            os.write(self.pipe, report.nodeid.encode())


def run_tests(tree: Path, path: str) -> str:
    """Return the first test that fails in a tree, or nothing; in a fork, which imports it anew."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        for output in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), output)
        os.chdir(tree)
        sys.path[0] = str(tree)
        # What waits for interrupts may fail on a busy machine.
        options = ['-xq', '-p', 'no:cacheprovider', '-W', 'ignore', '-k', 'not interrupt']
        ended = pytest.main([*options, path], plugins=[First(writing)])
        if ended > 1:
            os.write(writing, f'pytest: {ended!r}'.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        return told.read()


def main() -> None:
    """Try the mutants, and print the test that catches each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', default='', help='part of the name of a file, or of a line')
    parser.add_argument('--tests', nargs='*', help='folders of tests; by default those of the room')
    given, missed = parser.parse_args(), 0
    # Loaded once: no test asks for these anew.
    os.environ['OMP_NUM_THREADS'] = '1'
    for package in ('pandas', 'rdt', 'sdmetrics', 'torch'):
        import_module(package)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, 'tree')
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns('.venv*', 'build', '.*_cache'))
        for name, old, new in list_mutants():
            if given.only not in f'{name} {old}':
                continue
            path = tree / 'sdv_threea' / name
            text = path.read_text('utf-8')
            assert text.count(old) == 1, f'{old!r} occurs {text.count(old)} times in {name}'
            path.write_text(text.replace(old, new), 'utf-8')
            told = (run_tests(tree, each) for each in list_tests(tree, name, given.tests))
            caught = next(filter(None, told), '')
            path.write_text(text, 'utf-8')
            missed += not caught
            print(f'{name} | {old} -> {new} | {caught or "MISSED"}', flush=True)
    print(f'{missed} missed')


if __name__ == '__main__':
    main()
