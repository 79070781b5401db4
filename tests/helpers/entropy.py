"""Chance that is the same in each run of a test: a test that passed does not fail by chance."""

import secrets
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from sdv_threea.privacy import discrete

_make_generator = np.random.default_rng


class Entropy:
    """What tests have in place of the entropy of the system: numbers that a name determines."""

    def __init__(self):
        self.begin('')

    def begin(self, name):
        self._rng = _make_generator(list(name.encode()))
        self._keys = _make_generator(list(f'keys of {name}'.encode()))

    @contextmanager
    def of(self, name):
        """Have the numbers of a name, and go on with those from before."""
        before = self._rng, self._keys
        self.begin(name)
        try:
            yield
        finally:
            self._rng, self._keys = before

    def install(self):
        """Let noise and keys come from here, and generators that are made without a seed.

        Names of drafts still come from the system: two processes must not draw the same.
        """
        draw = secrets.token_bytes
        secrets.token_hex = lambda size: draw(size).hex()
        secrets.token_bytes = self._draw_key
        discrete.os = SimpleNamespace(urandom=self._draw_bytes)
        discrete.secrets = SimpleNamespace(randbits=self._draw_bits)
        np.random.default_rng = self._seed

    def _draw_bytes(self, size):
        return self._rng.bytes(size)

    def _draw_key(self, size):
        return self._keys.bytes(size)

    def _draw_bits(self, bits):
        return int.from_bytes(self._rng.bytes(-(-bits // 8))) >> -bits % 8

    def _seed(self, seed=None):
        return _make_generator(int(self._rng.integers(2**63)) if seed is None else seed)
