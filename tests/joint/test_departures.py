"""What noisy interactions say: against the textbook's formula, and against noise that is known."""

import math
from functools import reduce
from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sdv_threea.joint.departures import (
    LIKENESS,
    OWN_PART,
    SPREADS,
    Axis,
    find_chances,
    shrink_departures,
)

NUM_RECORDS = 20_000.0


def make_axis(rng, size, ordered=False):
    return Axis(rng.dirichlet(np.full(size, 5.0)), ordered)


def centre(size):
    return np.eye(size) - 1 / size


def interact(table):
    """Take the means along each axis off."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def list_covariances(axis, other=None):
    """What departures may be like along a column: of shape (G, G), and without a mean.

    One of them is what another table shows along its first axis, in units of noise.
    """
    size, places = len(axis.shares), np.arange(len(axis.shares))
    likeness = [np.eye(size)]
    if axis.ordered:
        apart = abs(places[:, None] - places)
        likeness += [OWN_PART * np.eye(size) + (1 - OWN_PART) * each**apart for each in LIKENESS]
    lengths = np.diag(np.sqrt(axis.shares / size))
    found = [centre(size) @ lengths @ each @ lengths @ centre(size) for each in likeness]
    if other is None:
        return [*found, found[0]]
    rows, directions = interact(other).reshape(size, -1), math.prod(np.array(other.shape[1:]) - 1)
    values, turn = np.linalg.eigh(rows @ rows.T - directions * centre(size))
    shown = turn @ np.diag(np.maximum(values, 0)) @ turn.T
    shown = shown * np.trace(found[0]) / np.trace(shown)
    return [*found, OWN_PART * found[0] + (1 - OWN_PART) * shown]


def shrink_by_the_formula(tables, scale, axes):
    """The mean of a normal given noisy values of it, with the covariance of all bins at once."""
    logs, means = [], []
    span = reduce(np.kron, [centre(len(axis.shares)) for axis in axes])
    for table, other in zip(tables, tables[::-1], strict=True):
        own_logs, own_means, seen = [], [], span @ table.ravel()
        known = [list_covariances(axes[0], other / scale), *map(list_covariances, axes[1:])]
        for chosen, spread in product(product(*known), SPREADS):
            signal = (spread * NUM_RECORDS) ** 2 * reduce(np.kron, chosen)
            law = signal + scale**2 * span
            own_logs.append(multivariate_normal(cov=law, allow_singular=True).logpdf(seen))
            own_means.append(signal @ np.linalg.pinv(law, rcond=1e-12, hermitian=True) @ seen)
        logs.append(own_logs)
        means.append(own_means)
    chances = find_chances(np.array(logs))
    return np.einsum('tk,tkb->tb', chances, np.array(means))


@pytest.mark.parametrize('sizes', [(2, 3), (5, 4), (3, 2, 4)])
@pytest.mark.parametrize('ordered', [(False, False, False), (True, False, True)])
def test_estimates_are_posterior_means(rng, sizes, ordered):
    """Two tables with a column in common: each shows the other how alike its bins are."""
    axes = [make_axis(rng, size, each) for size, each in zip(sizes, ordered, strict=False)]
    one, other = tuple(range(len(sizes))), (0, *range(len(sizes), 2 * len(sizes) - 1))
    tables = {at: rng.normal(0, 400.0, sizes) for at in (one, other)}

    found = shrink_departures(tables, dict.fromkeys(tables, 150.0), [*axes, *axes[1:]], NUM_RECORDS)

    expected = shrink_by_the_formula(list(tables.values()), 150.0, axes)
    for table, own in zip(found.values(), expected, strict=True):
        assert table.ravel() == pytest.approx(own, abs=0.5)


def test_without_noise_interactions_are_taken_at_their_word(rng):
    axes = [make_axis(rng, 6, ordered=True), make_axis(rng, 4)]
    table = rng.normal(0, 50.0, (6, 4))

    found = shrink_departures({(0, 1): table}, {(0, 1): 0.0}, axes, NUM_RECORDS)

    assert found[0, 1] == pytest.approx(interact(table))
