"""Break the package in one place at a time, and see whether the tests of that room notice.

Each mutant changes one line that a proof leans on, in a copy of the tree. The tests of its room run
until one fails. A mutant that no test notices is *missed*. ``mutants.txt`` lists files, and what
is put in the place of what. To compare the tests of two trees, run
the script in each: ``python benchmarks/mutants.py --only privacy/clipping --tests privacy``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: The tests that guard a room, the quickest first.
TESTS = {
    'privacy': 'privacy proofs audit',
    'statistics': 'privacy audit',
    'accounting': 'accounting privacy',
    'units': 'units relational',
    'intake': 'intake fuzz',
    'describe': 'describe audit',
    'relational': 'relational',
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


def run_tests(tree: Path, folders: list[str]) -> str:
    """Return the first test that fails in a tree, or nothing."""
    command = [sys.executable, '-m', 'pytest', '-xq', '-p', 'no:cacheprovider', '-W', 'ignore']
    paths = [f'tests/{each}' for each in folders]
    told = subprocess.run([*command, *paths], cwd=tree, capture_output=True, text=True)
    found = re.search(r'^(?:FAILED|ERROR) (\S+)', told.stdout, re.MULTILINE)
    return found[1] if found else '' if told.returncode == 0 else told.stdout[-200:]


def main() -> None:
    """Try the mutants, and print the test that catches each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', default='', help='part of the name of a file, or of a line')
    parser.add_argument('--tests', nargs='*', help='folders of tests; by default those of the room')
    given, missed = parser.parse_args(), 0
    os.environ['OMP_NUM_THREADS'] = '1'
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
            caught = run_tests(tree, given.tests or TESTS[name.split('/')[0]].split())
            path.write_text(text, 'utf-8')
            missed += not caught
            print(f'{name} | {old} -> {new} | {caught or "MISSED"}', flush=True)
    print(f'{missed} missed')


if __name__ == '__main__':
    main()
