"""Laws of the noise, added up one by one, and the script behind the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest


@dataclass(frozen=True)
class Law:
    """The discrete Gaussian of a scale, by its points: what is left out is below 1e-40."""

    scale: float
    points: np.ndarray
    chances: np.ndarray

    def beyond(self, bar):
        """The chance of a draw above a bar."""
        return float(self.chances[self.points > bar].sum())

    def up_to(self, bars):
        """The chances of draws at most as large as each bar."""
        sums = np.concatenate([[0.0], np.cumsum(self.chances)])
        return sums[np.searchsorted(self.points, bars, side='right')]


def add_up(scale, reach=14.0):
    points = np.arange(-int(reach * scale) - 1, int(reach * scale) + 2)
    weights = np.exp(-((points / scale) ** 2) / 2)
    return Law(scale, points, weights / weights.sum())


def excess(ours, theirs, epsilon):
    """The smallest delta at which one law is within ``epsilon`` of another, and the other of it."""
    factor = np.exp(epsilon)
    return max(
        np.maximum(ours - factor * theirs, 0).sum(), np.maximum(theirs - factor * ours, 0).sum()
    )


@pytest.fixture(scope='session')
def law():
    return add_up


@pytest.fixture(scope='session')
def find_delta():
    return excess


@pytest.fixture(scope='session')
def script(load_script):
    with load_script('make_proofs', 'docs') as module:
        yield module
