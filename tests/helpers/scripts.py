"""Scripts beside the package, as fixtures of a module."""

import pytest


def script_fixture(name, folder='benchmarks'):
    """A fixture that loads a script."""

    @pytest.fixture(scope='module')
    def script(load_script):
        with load_script(name, folder) as module:
            yield module

    return script
