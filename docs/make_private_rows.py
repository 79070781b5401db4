"""Write the list of ``docs/lab/private_rows.md``: which modules touch private rows.

    python docs/make_private_rows.py

A module *reads* rows if its code runs inside :func:`~sdv_threea.rows.guard.guarded` in one of
:data:`READERS`, which are cases of ``tests/golden``; it *holds* them if it only imports something
that holds rows.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from make_privacy import fill, write_table

import sdv_threea
from sdv_threea.rows import guard

PACKAGE = Path(sdv_threea.__file__).parent
PAGE = Path(__file__).parent / 'lab' / 'private_rows.md'
CASES = Path(__file__).parents[1] / 'tests' / 'golden'

#: Cases that read rows in different ways.
READERS = (
    'clusters',
    'numerical target',
    'no target',
    'a kernel',
    'coerced cells',
    'constraint several',
    'database, diamond',
    'database, target',
)

#: What holds private rows, or reads them, by module.
HANDLES = {
    'rows.guard': {'guarded'},
    'rows.chunks': {'Rows', 'chunk_arrays', 'chunk_table'},
    'rows.sums': {'Summed', 'take'},
    'storage.reading': {'PrivateTable', 'as_plain', 'take_table'},
    'rows.units.membership': {'Database'},
}


def name_module(path: str | Path) -> str:
    """Name a module by its path in the package."""
    return Path(path).relative_to(PACKAGE).as_posix()


def list_holding() -> set[str]:
    """List the modules that import something that holds or reads private rows, or define it."""
    found = {f'{name.replace(".", "/")}.py' for name in HANDLES}
    for path in PACKAGE.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            if isinstance(node, ast.ImportFrom) and node.module:
                held = HANDLES.get(node.module.removeprefix('sdv_threea.'), set())
                if held & {alias.name for alias in node.names}:
                    found.add(name_module(path))
    return found


@contextlib.contextmanager
def watch_reading() -> Iterator[set[str]]:
    """Yield the modules whose functions begin inside the guard, in this thread and this block."""
    files: set[str] = set()

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == 'call' and guard._HERE:
            files.add(frame.f_code.co_filename)

    found: set[str] = set()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(None)
        found |= {name_module(each) for each in files if Path(each).is_relative_to(PACKAGE)}


def list_reading(cases: dict[str, Any]) -> set[str]:
    """List the modules whose code reads private rows in some cases of ``tests/golden``."""
    reading: set[str] = set()
    for case in cases.values():
        synthesizer = case.make()
        with watch_reading() as found, contextlib.redirect_stderr(io.StringIO()):
            case.fit(synthesizer, case.tables)
        reading |= found
    return reading


def tell(modules: set[str]) -> str:
    """Return a table of modules and their lines."""
    lines = {name: len((PACKAGE / name).read_text('utf-8').splitlines()) for name in modules}
    rows = [(f'`{name}`', f'{lines[name]}') for name in sorted(lines)]
    return write_table(('module', 'lines'), [*rows, ('all', f'{sum(lines.values()):,}')])


def main(list_cases: Callable[[], dict[str, Any]]) -> None:
    """Run the cases and write the page."""
    warnings.simplefilter('ignore')
    cases = list_cases()
    reading = list_reading({name: cases[name] for name in READERS})
    parts = {'reading': tell(reading), 'holding': tell(list_holding() - reading)}
    PAGE.write_text(fill(PAGE.read_text('utf-8'), parts), 'utf-8')


if __name__ == '__main__':
    sys.path.insert(0, str(CASES))
    from cases import list_cases

    main(list_cases)
