"""Constants that were chosen by measurement are fields, each with its reason, and each is read."""

import ast
import inspect
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from sdv_threea.constants import Evidence
from sdv_threea.settings import Constants, Settings

PACKAGE = Path(__file__).parents[1] / 'sdv_threea'
ROOMS = {field.name: getattr(Constants(), field.name) for field in fields(Constants)}
SOURCES = {path: path.read_text('utf-8') for path in PACKAGE.rglob('*.py')}


@pytest.mark.parametrize('room', ROOMS)
def test_every_constant_says_why_it_is_what_it_is(room):
    constants = ROOMS[room]
    classes = [own for own in type(constants).__mro__ if is_dataclass(own)]
    texts = '\n'.join(own.__doc__ for own in reversed(classes))
    documented = re.findall(r'^ {8}(\w+): ', texts, re.M)

    assert is_dataclass(constants)
    homes = 'sdv_threea.constants', f'sdv_threea.{room}.{room}_constants'
    assert type(constants).__module__ in homes
    assert documented == [field.name for field in fields(constants)]
    with pytest.raises(AttributeError):
        constants.other = 1


@pytest.mark.parametrize('room', ROOMS)
def test_every_constant_is_read(room):
    text = '\n'.join(text for path, text in SOURCES.items() if path.name != 'constants.py')
    text += inspect.getsource(Evidence.clear_of_noise)

    for field in fields(ROOMS[room]):
        assert re.search(rf'\.{field.name}\b', text), field.name


def test_no_default_argument_is_a_constant():
    """A caller that forgot to pass a constant on would move nothing."""
    for path, text in SOURCES.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
                written = ' '.join(map(ast.unparse, defaults))
                assert 'Constants' not in written, f'{path.name}: {node.name}'


def test_constants_are_passed_down_from_the_settings():
    settings = Settings()
    moved = replace(settings.constants.encoding, most_classes=1)

    assert settings.constants == Constants()
    assert replace(settings.constants, encoding=moved) != settings.constants
