"""What everybody who imports SDV pays for this plug-in: a few small modules."""

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


@pytest.fixture
def list_modules(run_anew):
    """Return what a program prints; what SDV loads in any case may be loaded before."""

    def list_(program):
        done = run_anew(program)
        assert (done.returncode, done.stderr) == (0, '')
        return set(done.stdout.split())

    return list_


@pytest.fixture
def added(list_modules):
    """The modules that are loaded with SDV, because the plug-in is installed."""
    return list_modules(LIST_MODULES) - list_modules(WITHOUT_PLUG_INS + LIST_MODULES)


def is_ours(name):
    return name.split('.')[0] == 'sdv_threea'


def test_importing_sdv_loads_the_plug_in_and_neither_the_pipeline_nor_other_packages(added):
    assert 'sdv_threea.synthesizers.single_table' in added
    assert [name for name in added if not is_ours(name) and 'editable' not in name] == []
    assert 'sdv_threea.pipeline' not in added
    adapting = {name for name in added if name.startswith('sdv_threea.adapt')}
    assert adapting <= {'sdv_threea.adapt'}


def test_the_pipeline_is_loaded_by_the_first_fit(list_modules):
    program = """
import sys
import warnings
import pandas
from sdv.metadata import Metadata
from sdv.single_table import ClustMixSynthesizer
warnings.simplefilter('ignore')
columns = {'columns': {'x': {'sdtype': 'numerical'}}}
metadata = Metadata.load_from_dict({'tables': {'t': columns}})
synthesizer = ClustMixSynthesizer(metadata, accept='noise')
assert 'sdv_threea.pipeline' not in sys.modules
synthesizer.fit({'t': pandas.DataFrame({'x': range(50)})})
assert 'sdv_threea.pipeline' in sys.modules
assert 'jax' not in sys.modules
print(len(synthesizer.sample(3)['t']))
"""
    assert list_modules(program) == {'3'}
