"""A second fit compiles nothing, whatever the sizes; a fit leaves JAX as it was."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.centroids import Targeted, adapt_centroids
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.rows import chunk_arrays

#: Name of the event that JAX's monitoring reports for each program it compiles.
COMPILED = '/jax/core/compile/backend_compile_duration'


def fit(num_rows=500, columns=5, classes=2, cells=3, kernel=None, neighbors='add_remove'):
    """Adapt centroids to rows whose class is the sign of a product."""
    rng = np.random.default_rng(columns)
    scores = rng.integers(-2 * SCORE_UNITS, 2 * SCORE_UNITS, size=(num_rows, columns))
    labels = rng.integers(classes, size=num_rows)
    scores[:, 0] += SCORE_UNITS * labels
    centroids = rng.integers(-SCORE_UNITS, SCORE_UNITS, size=(classes, cells, columns))
    return centroids, *adapt_centroids(
        chunk_arrays(Targeted(scores, np.eye(classes)[labels])),
        centroids,
        np.repeat(np.eye(classes), cells, axis=0),
        landmarks=rng.integers(-2 * SCORE_UNITS, 2 * SCORE_UNITS, size=(400, columns)),
        alpha=0.1,
        kernel=kernel,
        mu=math.inf,
        neighbors=neighbors,
        noise=lambda size, scale: np.zeros(size, dtype=np.int64),
    )


def linear(first, second):
    return first @ second.T + 1


@pytest.fixture
def compilations():
    """A list that grows by one for every program that JAX compiles."""
    names = []

    def listen(event, duration, **_):
        if event == COMPILED:
            names.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield names
    unregister = getattr(jax.monitoring, 'unregister_event_duration_listener', None)
    if unregister:  # newer JAX
        unregister(listen)


def test_compilations_are_counted(compilations):
    jax.jit(lambda number: number * 17)(1.0)
    assert len(compilations) == 1


def test_a_second_fit_compiles_nothing_whatever_its_sizes(compilations):
    fit()
    compilations.clear()

    fit(num_rows=5000)
    fit(num_rows=3, neighbors='replace_one')
    fit(columns=1, classes=2, cells=8)
    fit(columns=16, classes=5, cells=3)
    fit(columns=2, classes=16, cells=1)

    assert compilations == []


def test_a_second_fit_with_a_kernel_of_the_user_compiles_nothing(compilations):
    fit(kernel=linear)
    compilations.clear()

    fit(num_rows=5000, classes=5, cells=3, kernel=linear)

    assert compilations == []


def test_the_default_kernel_needs_one_program():
    # In a process of its own, to be sure that it is the first.
    program = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import jax
names = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, *_, **__: names.append(event) if event == {COMPILED!r} else None
)
import test_centroids
test_centroids.fit()
print(len(names))
"""
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True
    )
    # And one for each option of XLA's that is tried.
    assert int(done.stdout.splitlines()[-1]) <= 3


@pytest.mark.parametrize('kernel', [None, linear])
def test_centroids_move(kernel):
    before, after, receipt = fit(kernel=kernel)

    assert after.shape == before.shape
    assert after.dtype == np.int64
    assert 1 < np.abs(after - before).max() < 8 * SCORE_UNITS
    assert receipt.stage == 'adapt'


def test_a_fit_leaves_the_settings_of_jax_alone():
    before = dict(jax.config.values)

    fit()
    fit(kernel=linear)

    assert dict(jax.config.values) == before
    assert jnp.ones(1).dtype == jnp.float32


@pytest.mark.parametrize('kernel', [None, linear])
def test_a_fit_runs_on_the_default_device(kernel, tmp_path):
    # Two CPUs of XLA's stand in for a CPU and a GPU: what is computed must all be on the second.
    program = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import jax, numpy as np
from sdv_threea.adapt import inducing, ntk
import test_centroids
used = set()
def watch(module, name):
    program = getattr(module, name)
    def call(*args):
        result = program(*args)
        used.update(*(leaf.devices() for leaf in jax.tree_util.tree_leaves(result)))
        return result
    setattr(module, name, call)
watch(inducing, '_run'), watch(ntk, '_map_rows'), watch(ntk, '_matrix'), watch(ntk, '_try')
first, second = jax.devices()
kernel = test_centroids.linear if {kernel is not None} else None
with jax.default_device(second):
    other = test_centroids.fit(kernel=kernel)[1]
assert used == {{second}}, used
np.testing.assert_array_equal(other, test_centroids.fit(kernel=kernel)[1])
assert used == {{first, second}}
"""
    environment = os.environ | {'XLA_FLAGS': '--xla_force_host_platform_device_count=2'}
    done = subprocess.run(
        [sys.executable, '-c', program], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
