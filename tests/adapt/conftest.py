"""The oracle: neural-tangents' own kernel, where it is installed."""

import pytest

from sdv_threea.adapt.kernels import as_kernel


@pytest.fixture
def stax_kernel():
    """Make the kernel of a ReLU network with neural-tangents."""
    stax = pytest.importorskip(
        'neural_tangents', reason='neural-tangents wants an old JAX: its own environment'
    ).stax

    def make(depth):
        dense = stax.Dense(1, W_std=2**0.5, b_std=0.1)
        return as_kernel(stax.serial(*[dense, stax.Relu()] * depth, dense)[2])

    return make
