"""The plan of the house: imports go down, heavy guests stay in their rooms, files stay small."""

import ast
import re
from functools import cache
from types import FunctionType

import pytest
from house import FILES, FLOORS, OUTSIDE, PACKAGE, list_nodes, name_place, name_room, parse, unparse

import sdv_threea

#: Who may import what, anywhere in a file.
GUESTS = {
    'click': {'cli'},
    'sdv': {
        'cli',
        'synthesizers',
        'conditions',
        'constraints',
        'guesses',
        'metadata',
        'storage',
        'transforms',
        'report',
        'datasets',
    },
    'rdt': {'encoding', 'storage', 'synthesizers', 'transforms', 'report', 'datasets'},
    'faker': {'synthesizers'},
    'sdmetrics': {'storage', 'synthesizers', 'report', 'datasets'},
    'dask': {'rows', 'storage'},
    'jax': {'adapt'},
    'neural_tangents': {'adapt'},
    'opendp': set(),  # an oracle of the tests
    'pyarrow': {'storage'},
    'anonymeter': {'report'},
    'lightgbm': {'report'},
    'plotly': {'report'},
}

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_METHODS = 21


@cache
def list_imports(path):
    """The dotted names of all modules that a file imports, wherever in it."""
    names = []
    for node in list_nodes(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path.name} has a relative import'
            names += [node.module, *(f'{node.module}.{alias.name}' for alias in node.names)]
    return names


def list_imported_rooms(path):
    modules = [tuple(name.split('.')) for name in list_imports(path)]
    return {
        name_place(parts[1:]) for parts in modules if parts[0] == 'sdv_threea' and len(parts) > 1
    }


def find_floor(room):
    return next(level for level, rooms in enumerate(FLOORS) if room in rooms)


def test_every_room_is_on_the_plan():
    assert {name_room(path) for path in FILES} <= set.union(OUTSIDE, *FLOORS)


def test_imports_only_go_down():
    for path in (path for path in FILES if name_room(path) not in OUTSIDE):
        room = name_room(path)
        for other in list_imported_rooms(path) - {room}:
            assert other not in OUTSIDE, f'{path} imports {other}'
            assert find_floor(other) > find_floor(room), f'{path} imports {other}'


def test_what_sees_rows_knows_only_accounting_and_the_graph_of_tables():
    for path in (PACKAGE / 'rows').rglob('*.py'):
        assert list_imported_rooms(path) <= {'rows', 'accounting', 'schema'}, path.name


def test_what_fits_and_samples_imports_no_helper():
    """Report, audit and metadata helpers are for the command line and the call without metadata."""
    helpers = {'report', 'audit', 'metadata'}
    for path in FILES:
        if name_room(path) not in {'cli', *helpers} and path.stem != 'one_call':
            assert not list_imported_rooms(path) & helpers, path


def test_the_data_knows_nothing_of_the_house():
    for path in (PACKAGE / 'datasets').rglob('*.py'):
        assert list_imported_rooms(path) <= {'datasets'}


def test_guests_stay_in_their_rooms():
    for path in FILES:
        for guest in {name.split('.')[0] for name in list_imports(path)} & set(GUESTS):
            assert name_room(path) in GUESTS[guest], f'{path} imports {guest}'


def test_files_functions_and_classes_are_small():
    for path in FILES:
        assert len(path.read_text('utf-8').splitlines()) <= MAX_FILE_LINES, path
        for node in list_nodes(path):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[ast.get_docstring(node) is not None :]
                lines = node.end_lineno - body[0].lineno + 1 if body else 0
                assert lines <= MAX_FUNCTION_LINES, f'{path}: {node.name} has {lines} lines'
            elif isinstance(node, ast.ClassDef):
                methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
                assert len(methods) <= MAX_METHODS, f'{path}: {node.name} has {len(methods)}'


#: The most calls that get a bundle of arguments under one name (``f(*known)``), which hides from
#: readers and from the type checker what is passed. This number is only to fall.
MOST_BUNDLES = 111


def list_bundles(node, passed_on=frozenset()):
    """Yield calls with a starred name, except ``*args`` of the function that are passed on."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        own = (node.args.vararg, node.args.kwarg)
        passed_on = passed_on | {each.arg for each in own if each is not None}
    if isinstance(node, ast.Call) and ast.unparse(node.func) != 'zip':
        starred = [each.value for each in node.args if isinstance(each, ast.Starred)]
        starred += [each.value for each in node.keywords if each.arg is None]
        if {each.id for each in starred if isinstance(each, ast.Name)} - passed_on:
            yield node
    for child in ast.iter_child_nodes(node):
        yield from list_bundles(child, passed_on)


def test_calls_say_what_they_pass():
    assert sum(1 for path in FILES for _ in list_bundles(parse(path))) <= MOST_BUNDLES


def test_base_classes_of_sdv_are_met_by_synthesizers_alone():
    """What the synthesizers hold knows nothing of whom it is held by."""
    bases = {'sdv.single_table.base', 'sdv.multi_table.base'}
    meeting = {path for path in FILES if bases & set(list_imports(path))}
    assert {name_room(path) for path in meeting} == {'synthesizers'}


def test_nothing_is_seeded_here_and_no_generator_is_global():
    """Seeds come by argument; without one, fresh entropy."""
    for path in FILES:
        for node in (node for node in list_nodes(path) if isinstance(node, ast.Call)):
            called, at = unparse(node.func), f'{path}:{node.lineno}'
            assert not called.startswith('random.'), at
            if called.startswith('np.random.'):
                assert called in {'np.random.default_rng', 'np.random.Generator'}, at
                assert not any(isinstance(seed, ast.Constant) for seed in node.args), at


@pytest.mark.parametrize('module', ['sdv_threea', 'sdv_threea.synthesizers', 'sdv'])
def test_importing_is_light(run_anew, module):
    """SDV loads its plug-ins at import, so whatever we load is paid by every user of SDV."""
    heavy = {
        'dask',
        'jax',
        'neural_tangents',
        'lightgbm',
        'sdv_threea.report',
        'sdv_threea.audit',
        'sdv_threea.metadata',
        'sdv_threea.paper',
    }
    program = f'import sys, {module}; print(*sys.modules, sep="\\n")'
    done = run_anew(program)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) & heavy == set()


ROOMS = [path for path in FILES if path.name == '__init__.py' and path.parent != PACKAGE]


def test_a_room_names_all_its_modules_and_no_other():
    for path in ROOMS:
        room = '.'.join(path.relative_to(PACKAGE.parent).parent.parts)
        text = ast.get_docstring(parse(path))
        named = re.findall(rf':mod:`~{room}\.(\w+)`', text.partition('\n* ')[2])
        modules = {each.stem for each in path.parent.glob('*.py')} - {'__init__', '__main__'}
        assert sorted(named) == sorted(modules), room


PAGES = ('CONTRIBUTING.md', 'docs/design.md', 'docs/lab/lab_notes.md', 'docs/lab/notation.md')


@pytest.mark.parametrize('page', PAGES)
def test_files_that_pages_name_are_there(page):
    root = PACKAGE.parent
    named = re.findall(r'`(?:sdv_threea/)?((?:\w+/)*\w+\.py)\b', (root / page).read_text('utf-8'))

    assert named
    assert [name for name in named if not any((at / name).exists() for at in (root, PACKAGE))] == []


#: The most methods of ours that a synthesizer may have, over all of its classes.
MAX_METHODS_IN_ALL = 30


@pytest.mark.parametrize('name', ['', 'MultiTable', 'Sequential'])
def test_synthesizers_hold_what_they_do_and_do_not_inherit_it(name):
    """Their methods are those of users and the hooks of SDV; the work is done elsewhere."""
    synthesizer = getattr(sdv_threea, f'ClustMix{name}Synthesizer')
    own = [each for each in synthesizer.__mro__ if each.__module__.startswith('sdv_threea.')]
    kinds = FunctionType | property | classmethod | staticmethod
    found = {
        name: one for each in own for name, one in vars(each).items() if isinstance(one, kinds)
    }
    # One of SDV's that waits for its turn is not ours.
    methods = [name for name, one in found.items() if not _is_of_sdv(one)]
    assert len(methods) <= MAX_METHODS_IN_ALL, sorted(methods)


def _is_of_sdv(method):
    return getattr(method, '__module__', '').startswith('sdv.')


def test_every_module_has_a_name_of_its_own():
    """So a name says which module is meant, wherever it is read."""
    names = [path.stem for path in FILES if not path.stem.startswith('__')]

    assert sorted({name for name in names if names.count(name) > 1}) == []
