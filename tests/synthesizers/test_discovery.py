"""What everybody who imports SDV pays for this plug-in: a few small modules."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest


def is_installed():
    try:
        return bool(version('sdv-threea'))
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not is_installed(), reason='SDV finds plug-ins by their installation: pip install --editable .'
)

#: Hides the plug-ins of SDV, as if none were installed.
WITHOUT_PLUG_INS = """
from importlib import metadata
find = metadata.entry_points
metadata.entry_points = lambda **terms: [] if terms.get('group') == 'sdv_modules' else find(**terms)
"""

#: NumPy's names of types are ours to load where NumPy itself does not, which is before version 2.
LIST_MODULES = 'import numpy.typing, sdv, sys; print(*sys.modules, sep="\\n")'


def list_modules(program):
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ''
    return set(done.stdout.split())


@pytest.fixture(scope='module')
def added():
    """The modules that are loaded with SDV, because the plug-in is installed."""
    return list_modules(LIST_MODULES) - list_modules(WITHOUT_PLUG_INS + LIST_MODULES)


def is_ours(name):
    return name.split('.')[0] == 'sdv_threea'


def test_importing_sdv_loads_the_plug_in(added):
    assert 'sdv_threea.synthesizers.single_table' in added


def test_importing_sdv_loads_nothing_else_that_it_would_not_load(added):
    assert [name for name in added if not is_ours(name) and 'editable' not in name] == []


def test_importing_sdv_does_not_load_the_pipeline(added):
    assert 'sdv_threea.pipeline' not in added
    adapting = {name for name in added if name.startswith('sdv_threea.adapt')}
    assert adapting <= {'sdv_threea.adapt', 'sdv_threea.adapt.constants'}


def test_the_pipeline_is_loaded_by_the_first_fit():
    program = """
import sys
import warnings
import pandas
from sdv.metadata import Metadata
from sdv.single_table import ClustMixSynthesizer
warnings.simplefilter('ignore')
columns = {'columns': {'x': {'sdtype': 'numerical'}}}
synthesizer = ClustMixSynthesizer(Metadata.load_from_dict({'tables': {'t': columns}}))
assert 'sdv_threea.pipeline' not in sys.modules
synthesizer.fit({'t': pandas.DataFrame({'x': range(50)})})
assert 'sdv_threea.pipeline' in sys.modules
assert 'jax' not in sys.modules
print(len(synthesizer.sample(3)['t']))
"""
    assert list_modules(program) == {'3'}
