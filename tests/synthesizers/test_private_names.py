"""The private names of SDV and RDT that we rely on: the list is complete, and it is checked."""

import ast
import importlib
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
import rdt
import sdv
from sdv.single_table.base import BaseSynthesizer

import sdv_threea
from sdv_threea.synthesizers.private_names import (
    ELSEWHERE,
    OVERRIDDEN,
    USED,
    WORKING,
    check_private_names,
)

PACKAGE = Path(sdv_threea.__file__).parent
HOSTS = [Path(each.__file__).parent for each in (sdv, rdt)]

#: The rooms that SDV and RDT may be imported in.
ROOMS = (
    'cli', 'conditions', 'constraints', 'datasets', 'encoding', 'metadata', 'report', 'storage',
    'synthesizers', 'transforms',
)  # fmt: skip


def read_names(owners):
    """The names of a list, without parameters, by owner."""
    return {
        owner.replace(':', '.'): {name.partition('(')[0] for name in names}
        for owner, names in owners.items()
    }


LISTED = set.union(*read_names(OVERRIDDEN).values(), *read_names(USED).values())
OWNED = read_names(OVERRIDDEN)


def find_private(text):
    """The private names that a text of a library defines or uses."""
    return set(re.findall(r'(?:\.|\bdef |\bclass |^ {4})(_(?!_)\w+)', text, flags=re.MULTILINE))


@pytest.fixture(scope='module')
def private():
    """All private names of SDV and RDT."""
    files = [path for folder in HOSTS for path in folder.rglob('*.py')]
    return set.union(*(find_private(path.read_text('utf-8')) for path in files))


def list_hosts(cls):
    """The classes of SDV and RDT that a class of ours, or one that is made of it, stands on."""
    bases = {base for base in cls.__mro__ if base.__module__.partition('.')[0] in ('sdv', 'rdt')}
    return bases.union(*map(list_hosts, cls.__subclasses__()))


def find_private_of(cls):
    modules = {base.__module__ for base in list_hosts(cls)}
    return set().union(*(find_private(Path(find_spec(m).origin).read_text()) for m in modules))


def walk_files():
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob('*.py')):
            yield path, ast.parse(path.read_text('utf-8'))


def walk_classes():
    """All classes of ours that stand on one of SDV or RDT, and how they are written."""
    parsed = list(walk_files())
    modules = [
        '.'.join(path.relative_to(PACKAGE.parent).with_suffix('').parts) for path, _ in parsed
    ]
    loaded = [importlib.import_module(m.removesuffix('.__init__')) for m in modules]
    for module, (_, tree) in zip(loaded, parsed, strict=True):
        for node in ast.walk(tree):
            cls = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
            if cls is not None and list_hosts(cls):
                yield cls, node


def is_own(node):
    """Whether an attribute is of the object itself."""
    return ast.unparse(node.value) in ('self', 'cls', 'super()', 'type(self)')


def list_used(node):
    """The attributes of the object itself that a class uses, defines or declares."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and is_own(each):
            yield each.attr
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            yield each.name
        if isinstance(each, ast.Assign | ast.AnnAssign):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            yield from (target.id for target in targets)


def list_relied_on(private):
    """All private names of SDV and RDT that we use."""
    for cls, node in walk_classes():
        yield from set(list_used(node)) & find_private_of(cls)
    for _, tree in walk_files():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and not is_own(node):
                yield from {node.attr} & private
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from {node.value} & private
            if isinstance(node, ast.ImportFrom) and node.module.startswith(('sdv.', 'rdt.')):
                names = {alias.name for alias in node.names}
                private_module = '._' in node.module
                yield from names if private_module else {n for n in names if n.startswith('_')}


def test_the_names_that_we_rely_on_are_those_on_the_list(private):
    assert set(list_relied_on(private)) == LISTED


def test_of_other_libraries_no_private_name_is_used_but_these():
    trees = [ast.parse(path.read_text('utf-8')) for path in PACKAGE.rglob('*.py')]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not is_own(node)}
    own = {node.attr for node in nodes if isinstance(node, ast.Attribute) and is_own(node)}
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    private = {name for name in used if name.startswith('_') and not name.startswith('__')}
    # That of named tuples is public.
    assert private - own - defined - LISTED <= {*ELSEWHERE, '_asdict'}
    sources = [path.read_text('utf-8') for path in PACKAGE.rglob('*.py')]
    assert all(sum(name in source for source in sources) > 1 for name in ELSEWHERE)


def test_what_we_override_is_listed_with_the_class_that_has_it():
    overridden = 0
    for cls, node in walk_classes():
        for name in set(list_used(node)) & set(vars(cls)):
            owners = [base for base in cls.__mro__[1:] if name in vars(base)]
            owners = [base for base in owners if base in list_hosts(cls)]
            if owners and name.startswith('_') and not name.startswith('__'):
                paths = {f'{base.__module__}.{base.__name__}' for base in owners}
                assert any(name in OWNED.get(path, ()) for path in paths), (cls, name)
                overridden += 1
    assert overridden > 10


@pytest.mark.parametrize(
    ('owner', 'name'),
    [
        (owner, name.partition('(')[0])
        for owner, names in OVERRIDDEN.items()
        for name in names
        if '(' in name
    ],
)
def test_a_method_that_is_renamed_is_an_error_that_names_it_and_what_works(
    monkeypatch, owner, name
):
    module, _, cls = owner.partition(':')
    monkeypatch.delattr(getattr(importlib.import_module(module), cls), name)
    with pytest.raises(ImportError) as caught:
        check_private_names()
    assert f'{owner}.{name}(' in str(caught.value)
    assert f"'sdv=={WORKING['sdv'][-1]}'" in str(caught.value)


def test_a_method_with_another_parameter_is_an_error(monkeypatch):
    monkeypatch.setattr(BaseSynthesizer, '_preprocess', lambda self, table_data, rows: None)
    with pytest.raises(ImportError, match=r'_preprocess\(self, table_data, rows\)'):
        check_private_names()


def test_types_of_parameters_are_none_of_our_business(monkeypatch):
    def _preprocess(self, table_data: list) -> None: ...

    monkeypatch.setattr(BaseSynthesizer, '_preprocess', _preprocess)
    check_private_names()


def test_a_method_that_is_called_no_more_is_an_error(monkeypatch):
    monkeypatch.setattr(BaseSynthesizer, 'preprocess', lambda self, data: data)
    with pytest.raises(ImportError, match=r'_preprocess is not used \(RDT learns'):
        check_private_names()


def test_a_module_that_is_gone_is_an_error(monkeypatch):
    monkeypatch.setitem(importlib.sys.modules, 'sdv.cag._errors', None)
    with pytest.raises(ImportError, match=r'sdv.cag._errors.ConstraintNotMetError is not used'):
        check_private_names()


def test_the_installed_versions_are_among_those_that_are_said_to_work():
    for name, working in WORKING.items():
        assert version(name) in working
