"""Kernels of users are called as they want to be, bad ones are refused, JAX stays as it was."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.kernels import UserKernel, as_kernel

POINTS = np.random.default_rng(0).normal(size=(5, 3))


def laplace(first, second):
    return jnp.exp(-jnp.sum(jnp.abs(first[:, None] - second[None]), axis=-1))


def test_a_function_with_a_mode_is_called_as_stax_kernels_are():
    def stax_like(first, second=None, get=None):
        assert get == 'ntk'
        return first @ second.T + 1

    kernel = as_kernel(stax_like)

    np.testing.assert_allclose(kernel(POINTS, POINTS), POINTS @ POINTS.T + 1)


def test_a_plain_function_is_evaluated_in_double_precision():
    before = dict(jax.config.values)
    first, second = POINTS[:2], POINTS[2:]

    values = as_kernel(laplace)(first, second)
    rows = UserKernel(laplace).of_rows(second, first)

    expected = np.exp(-np.abs(first[:, None] - second[None]).sum(axis=-1))
    np.testing.assert_allclose(values, expected, rtol=1e-14)
    np.testing.assert_allclose(rows, expected.T, rtol=1e-14)
    assert dict(jax.config.values) == before
    assert jnp.ones(1).dtype == jnp.float32


def test_a_kernel_is_computed_on_the_default_device():
    # Two CPUs of XLA's stand in for a CPU and a GPU.
    program = """
import jax
from sdv_threea.adapt import kernels
from test_kernels import POINTS, laplace
for device in jax.devices():
    with jax.default_device(device), kernels.float64():
        assert kernels._evaluate(laplace, POINTS, POINTS).devices() == {device}
        assert kernels._map_rows(laplace, POINTS, POINTS).devices() == {device}
assert len(jax.devices()) == 2
"""
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    flags = {'XLA_FLAGS': '--xla_force_host_platform_device_count=2', 'PYTHONPATH': paths}
    subprocess.run([sys.executable, '-c', program], env=os.environ | flags, check=True)


@pytest.mark.parametrize(
    'kernel, problem',
    [
        (lambda first, second: jnp.ones(3), 'with shape'),
        (lambda first, second: first @ second.T * jnp.nan, 'not finite'),
        (lambda first, second: first @ second[:, ::-1].T - 9 * jnp.sum(first, 1)[:, None], 'symm'),
        (lambda first, second: -(first @ second.T), 'not positive'),
        (lambda first, second: np.asarray(first) @ np.asarray(second).T, 'failed with'),
        (lambda first: first, 'failed with TypeError'),
    ],
    ids=['shape', 'finite', 'symmetric', 'positive', 'numpy', 'arguments'],
)
def test_what_is_no_kernel_is_refused_with_advice(kernel, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        as_kernel(kernel)
    assert 'kernel=None' in str(caught.value)
