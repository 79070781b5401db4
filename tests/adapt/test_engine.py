"""Programs compile once, where the user wants them, and leave the user's settings alone."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from sdv_threea.adapt import engine
from sdv_threea.adapt.engine import float64, padded_size, quick_jit


@pytest.fixture
def fresh_options():
    engine._quick_options.cache_clear()
    yield
    engine._quick_options.cache_clear()


@pytest.mark.parametrize(
    'size, padded', [(1, 16), (16, 16), (17, 64), (64, 64), (65, 256), (1000, 1024)]
)
def test_sizes_are_padded_to_a_few(size, padded):
    assert padded_size(size, 16) == padded


def test_a_quick_program_is_the_same_function():
    def divide(first, second, times):
        return first / second * times

    quick = quick_jit(divide, static_argnums=(2,))

    with float64():
        assert float(quick(1.0, 3.0, 2)) == 2 / 3
    assert float(quick(6.0, 3.0, 4)) == 8.0


def test_options_that_xla_does_not_know_are_left_out(monkeypatch, fresh_options):
    monkeypatch.setattr(engine, 'QUICK', {'xla_no_such_thing': 1, **engine.QUICK})

    assert set(engine._quick_options()) <= set(engine.QUICK) - {'xla_no_such_thing'}
    assert float(quick_jit(jnp.negative)(3.0)) == -3.0


def test_this_xla_knows_the_options(fresh_options):
    assert engine._quick_options() == engine.QUICK


def test_double_precision_ends_with_the_block():
    before = jnp.ones(1).dtype
    with float64():
        assert jnp.ones(1).dtype == jnp.float64
    assert jnp.ones(1).dtype == before == jnp.float32


def test_a_program_runs_on_the_default_device():
    where = quick_jit(lambda number: number + 1)
    for device in jax.devices():
        with jax.default_device(device):
            assert where(1.0).devices() == {device}
