"""The plan of the house: imports go down, heavy guests stay in their rooms, files stay small."""

import ast
import re
from pathlib import Path
from types import FunctionType

import pytest

import sdv_threea

PACKAGE = Path(__file__).parents[1] / 'sdv_threea'

#: From the roof to the ground. Rooms on one floor never import each other.
FLOORS = (
    {'cli', 'transformers'},
    {'synthesizers'},
    {'conditions'},
    {'transforms'},
    {'constraints', 'metadata', 'report'},
    {'guesses', 'storage'},
    {'relational', 'estimate'},
    {'pipeline'},
    {'approximate/stage', 'adapt/stage', 'paper'},
    {'planning', 'release'},
    {'settings', 'sampling'},
    {'datasheet', 'audit', 'adapt', 'losses'},
    {'joint'},
    {'approximate'},
    {'encoding'},
    {'describe'},
    {'statistics'},
    {'domain', 'privacy', 'pages'},
    {'cost', 'maths', 'rows', 'warning'},
    {'accounting', 'arrays', 'atomic', 'constants', 'errors', 'names', 'schema'},
)

#: Rooms outside the house proper: the front door, which leads upstairs, and the data beside it.
OUTSIDE = {'__init__', 'datasets'}

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

FILES = sorted(PACKAGE.rglob('*.py'))


def name_room(path):
    return name_place(path.relative_to(PACKAGE).with_suffix('').parts)


def name_place(parts):
    """Name a room; the stage of a room, which runs its parts, is a place of its own."""
    return '/'.join(parts[:2]) if parts[1:2] == ('stage',) else parts[0]


def list_imports(path):
    """The dotted names of all modules that a file imports, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
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


def identify(path):
    return str(path.relative_to(PACKAGE))


def test_every_room_is_on_the_plan():
    assert {name_room(path) for path in FILES} <= set.union(OUTSIDE, *FLOORS)


@pytest.mark.parametrize(
    'path', [path for path in FILES if name_room(path) not in OUTSIDE], ids=identify
)
def test_imports_only_go_down(path):
    room = name_room(path)
    for other in list_imported_rooms(path) - {room}:
        assert other not in OUTSIDE, f'{path.name} imports {other}'
        assert find_floor(other) > find_floor(room), f'{path.name} imports {other}'


def test_what_sees_rows_knows_only_accounting_and_the_graph_of_tables():
    for path in (PACKAGE / 'rows').rglob('*.py'):
        assert list_imported_rooms(path) <= {'rows', 'accounting', 'schema'}, path.name


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_what_fits_and_samples_imports_no_helper(path):
    """Report, audit and metadata helpers are for the command line and the call without metadata."""
    helpers = {'report', 'audit', 'metadata'}
    if name_room(path) not in {'cli', *helpers} and path.stem != 'one_call':
        assert not list_imported_rooms(path) & helpers


def test_the_data_knows_nothing_of_the_house():
    for path in (PACKAGE / 'datasets').rglob('*.py'):
        assert list_imported_rooms(path) <= {'datasets'}


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_guests_stay_in_their_rooms(path):
    for guest in {name.split('.')[0] for name in list_imports(path)} & set(GUESTS):
        assert name_room(path) in GUESTS[guest], f'{path.name} imports {guest}'


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_files_and_functions_are_small(path):
    text = path.read_text('utf-8')
    assert len(text.splitlines()) <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[ast.get_docstring(node) is not None :]
            lines = node.end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= MAX_FUNCTION_LINES, f'{node.name} has {lines} lines'


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_no_class_has_many_methods(path):
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            assert len(methods) <= MAX_METHODS, f'{node.name} has {len(methods)} methods'


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_base_classes_of_sdv_are_met_by_synthesizers_alone(path):
    """What the synthesizers hold knows nothing of whom it is held by."""
    bases = {'sdv.single_table.base', 'sdv.multi_table.base'}
    if bases & set(list_imports(path)):
        assert name_room(path) == 'synthesizers'


@pytest.mark.parametrize('path', FILES, ids=identify)
def test_nothing_is_seeded_here_and_no_generator_is_global(path):
    """Seeds come by argument; without one, fresh entropy."""
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ''
        assert not called.startswith('random.'), called
        if called.startswith('np.random.'):
            assert called in {'np.random.default_rng', 'np.random.Generator'}, called
            assert not any(isinstance(seed, ast.Constant) for seed in node.args), 'a fixed seed'


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


@pytest.mark.parametrize('path', ROOMS, ids=identify)
def test_a_room_names_all_its_modules_and_no_other(path):
    room = '.'.join(path.relative_to(PACKAGE.parent).parent.parts)
    text = ast.get_docstring(ast.parse(path.read_text('utf-8')))
    named = re.findall(rf':mod:`~{room}\.(\w+)`', text.partition('\n* ')[2])
    modules = {each.stem for each in path.parent.glob('*.py')} - {'__init__', '__main__'}

    assert sorted(named) == sorted(modules)


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
