"""A child that is forked after a fit goes on, or says why it cannot: it never hangs."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing, os, sys, time, warnings
import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sdv_threea import ClustMixSynthesizer

warnings.simplefilter('ignore')
LIMIT = 60

def kernel(one, other):
    import jax.numpy as jnp
    return 1 + jnp.exp(one @ other.T / one.shape[1])

def make(kernel):
    columns = {'x': {'sdtype': 'numerical'}, 'c': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    how = {'epsilon': 10.0, 'target_column': 'c', 'kernel': kernel}
    return ClustMixSynthesizer(metadata, **how)

def fit(synthesizer):
    rows = np.arange(400)
    table = pd.DataFrame({'x': rows, 'c': np.where(rows % 3, 'a', 'b')})
    synthesizer.fit({'people': table})
    return synthesizer

def tell(name, work):
    try:
        work()
        print(name, 'done', flush=True)
    except Exception as error:
        print(name, error, flush=True)

def fork(name, work):
    child = multiprocessing.get_context('fork').Process(target=tell, args=(name, work))
    child.start()
    child.join(LIMIT)
    if child.is_alive():
        child.kill()
        print(name, 'hangs', flush=True)

def spawned():
    tell('spawn', lambda: fit(make(kernel)).sample(5))

if __name__ == '__main__':
    if sys.argv[1] == 'ours':
        parent = fit(make(kernel))
        fork('sample', lambda: parent.sample(5))
        fork('same', lambda: fit(parent))
    else:
        import jax.numpy
        jax.numpy.ones(3).sum().block_until_ready()
    fork('new', lambda: fit(make(kernel)))
    fork('plain', lambda: fit(make(None)).sample(5))
    if sys.argv[1] == 'ours':
        child = multiprocessing.get_context('spawn').Process(target=spawned)
        child.start()
        child.join()
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='there are no forks')
@pytest.mark.parametrize('begun', ['ours', 'theirs'])
def test_a_child_never_hangs(tmp_path, begun, run_anew):
    if begun == 'ours':  # a child that is spawned has to find the program in a file
        (tmp_path / 'program.py').write_text(PROGRAM)
        command = [sys.executable, str(tmp_path / 'program.py'), begun]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=400)
    else:
        done = run_anew(PROGRAM, begun)
    told = dict(line.split(' ', 1) for line in done.stdout.splitlines())

    assert told.pop('plain') == 'done'
    refused = {'new', 'same'} & told.keys()
    for name in refused:
        assert 'kernel needs JAX' in told[name]
        assert "get_context('spawn')" in told.pop(name)
    assert refused == ({'new', 'same'} if begun == 'ours' else {'new'})
    assert told == ({'sample': 'done', 'spawn': 'done'} if begun == 'ours' else {})
