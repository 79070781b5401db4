"""Write the lists of ``docs/lab/private_rows.md``: which code touches private rows.

    python docs/make_private_rows.py

A function *reads* rows if it runs inside :func:`~sdv_threea.rows.guard.guarded` in one of
:data:`READERS`, which are cases of ``benchmarks/golden``; a module
*holds* them if it only imports something that holds rows.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any

from make_privacy import fill, write_table
from sdv.metadata import Metadata

import sdv_threea
from sdv_threea import ClustMixSynthesizer
from sdv_threea.rows import guard

PACKAGE = Path(sdv_threea.__file__).parent
PAGE = Path(__file__).parent / 'lab' / 'private_rows.md'
#: Where all of it is to be.
ROOM = 'rows/'

CASES = Path(__file__).parents[1] / 'benchmarks' / 'golden'

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
    'rows.chunks': {'Rows', 'chunk_table', 'hold'},
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
def watch_reading() -> Iterator[dict[str, dict[str, int]]]:
    """Yield, by module, the functions that begin inside the guard, in this thread and this block.

    Each has the number of the line that it begins at.
    """
    codes: set[CodeType] = set()

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == 'call' and guard._HERE:
            codes.add(frame.f_code)

    found: dict[str, dict[str, int]] = {}
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(None)
        for code in codes:
            if Path(code.co_filename).is_relative_to(PACKAGE):
                own = found.setdefault(name_module(code.co_filename), {})
                own[code.co_qualname] = code.co_firstlineno


def list_reading(cases: dict[str, Any]) -> dict[str, dict[str, int]]:
    """List, by module, the functions that read rows in some cases of ``benchmarks/golden``."""
    reading: dict[str, dict[str, int]] = {}
    for case in cases.values():
        synthesizer = case.make()
        with watch_reading() as found, contextlib.redirect_stderr(io.StringIO()):
            case.fit(synthesizer, case.tables)
        for name, own in found.items():
            reading.setdefault(name, {}).update(own)
    return reading


def give_pseudonyms(case: Any) -> Any:
    """Return a case whose first category has pseudonyms: each fit of it has another key."""
    described = case.make().metadata.to_dict()
    ((_, table),) = described['tables'].items()
    kinds = {name: each['sdtype'] for name, each in table['columns'].items()}
    name = next(name for name, sdtype in kinds.items() if sdtype == 'categorical')
    table['columns'][name] = {'sdtype': 'name'}
    metadata = Metadata.load_from_dict(described)
    return replace(case, make=lambda: ClustMixSynthesizer(metadata, pseudonyms=[name]))


def measure(module: str, functions: dict[str, int]) -> tuple[list[str], int]:
    """Return the names of the functions of a module that are defined there, and their lines."""
    names, lines = [], set[int]()
    for node in ast.walk(ast.parse((PACKAGE / module).read_text('utf-8'))):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            for name, at in functions.items():
                if at == first and name.endswith(node.name):
                    names.append(name.replace('.<locals>', ''))
                    lines |= set(range(first, (node.end_lineno or first) + 1))
    return sorted(names), len(lines)


def tell_room() -> str:
    """Return a table of the modules of the room of rows, and their lines."""
    modules = sorted((PACKAGE / ROOM).rglob('*.py'))
    lines = {name_module(each): len(each.read_text('utf-8').splitlines()) for each in modules}
    rows = [(f'`{name}`', f'{count}') for name, count in lines.items()]
    return write_table(('module', 'lines'), [*rows, ('all', f'{sum(lines.values()):,}')])


def tell_outside(outside: dict[str, tuple[list[str], int]]) -> str:
    """Return a table of the functions that read rows outside of the room, and their lines."""
    rows = [
        (f'`{module}`', ', '.join(f'`{each}`' for each in names), f'{lines}')
        for module, (names, lines) in outside.items()
    ]
    total = sum(lines for _, lines in outside.values())
    return write_table(('module', 'functions', 'lines'), [*rows, ('all', '', f'{total:,}')])


def main(list_cases: Callable[[], dict[str, Any]]) -> None:
    """Run the cases and write the page."""
    warnings.simplefilter('ignore')
    cases = list_cases()
    readers = {name: cases[name] for name in READERS}
    reading = list_reading(readers | {'pseudonyms': give_pseudonyms(cases['no target'])})
    others = sorted(each for each in list_holding() | set(reading) if not each.startswith(ROOM))
    measured = {each: measure(each, reading.get(each, {})) for each in others}
    outside = {each: found for each, found in measured.items() if found[0]}
    holding = [(f'`{each}`',) for each in others if each not in outside]
    parts = {
        'room': tell_room(),
        'outside': tell_outside(outside),
        'holding': write_table(('module',), holding),
    }
    PAGE.write_text(fill(PAGE.read_text('utf-8'), parts), 'utf-8')


if __name__ == '__main__':
    sys.path[:0] = [str(CASES), str(CASES.parent), str(CASES.parents[1] / 'tests/helpers')]
    from cases import list_cases

    main(list_cases)
