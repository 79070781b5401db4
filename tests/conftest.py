"""Scripts beside the package, loaded as if they were run, and hostile input."""

import importlib
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from chance import draw_from, silent
from entropy import Entropy
from hypothesis import settings

from sdv_threea.settings import Settings

ROOT = Path(__file__).parents[1]

#: No test is timed, as a busy machine breaks no law, and none is of chance.
settings.register_profile('untimed', deadline=None, derandomize=True)
settings.load_profile('untimed')

ENTROPY = Entropy()
ENTROPY.install()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Begin each test with the same entropy in each run, whatever ran before."""
    ENTROPY.begin(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    """Make what several tests share from the same entropy, whichever of them is first."""
    if fixturedef.scope == 'function':
        return (yield)
    with ENTROPY.of(fixturedef.argname):
        return (yield)


#: Reads programs, and runs each in a fork. Such a process is as new as one that Python starts, but
#: for the packages that are loaded: no test asks for these, and loading them takes seconds.
FORKING = """
import json, os, sys
import pandas, rdt, sdmetrics, torch
assert not {'sdv', 'sdv_threea', 'dask', 'jax', 'lightgbm'} & set(sys.modules)
for line in sys.stdin:
    program, arguments, *outputs = json.loads(line)
    child = os.fork()
    if not child:
        for number, output in enumerate(outputs, start=1):
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), number)
        sys.argv[1:] = arguments
        exec(compile(program, '<string>', 'exec'), {'__name__': '__main__'})
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextmanager
def importing_from(folder):
    """Import from a folder; what was imported from there is gone afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], '__file__', None)).startswith(str(folder)):
                del sys.modules[name]


@pytest.fixture(scope='session')
def load_script():
    """Load a script that finds its neighbours; they are gone afterwards."""

    @contextmanager
    def load(name, folder='benchmarks'):
        with importing_from(ROOT / folder):
            yield importlib.import_module(name)

    return load


@pytest.fixture(scope='session')
def hostile():
    """Load a module of hostile input by its name; they are gone afterwards."""
    with importing_from(ROOT / 'tests' / 'fuzz'):
        yield lambda name: importlib.import_module(f'hostile.{name}')


@pytest.fixture(scope='session')
def forking():
    """Start the process that runs programs in forks of itself."""
    command = [sys.executable, '-c', FORKING]
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def run_anew(request, tmp_path):
    """Run a program in a process that has loaded neither SDV nor this package."""

    def run(program, *arguments):
        if sys.platform == 'win32':
            command = [sys.executable, '-c', program, *map(str, arguments)]
            return subprocess.run(command, capture_output=True, text=True)
        process = request.getfixturevalue('forking')
        outputs = [tmp_path / 'stdout', tmp_path / 'stderr']
        task = [program, list(map(str, arguments)), *map(str, outputs)]
        print(json.dumps(task), file=process.stdin, flush=True)
        code = int(process.stdout.readline())
        texts = [output.read_text('utf-8') for output in outputs]
        for output in outputs:
            output.unlink()
        return subprocess.CompletedProcess(program, code, *texts)

    return run


@pytest.fixture
def silence():
    return silent


@pytest.fixture
def gaussian():
    return draw_from(np.random.default_rng(11))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def without_pairs(monkeypatch):
    """Fits as if the noise of pairs of columns were too large: a class is one Gaussian."""
    monkeypatch.setattr(Settings, 'counts_pairs', False)
