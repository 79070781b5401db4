"""What noisy interactions say: against the textbook's formula, and against noise that is known."""

from __future__ import annotations

import math
from functools import reduce
from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sdv_threea.joint.departures import (
    LEARNT_OWN_PART,
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
    return [*found, LEARNT_OWN_PART * found[0] + (1 - LEARNT_OWN_PART) * shown]


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


def test_estimates_have_no_margins(rng):
    axes = [make_axis(rng, size, ordered=bool(size % 2)) for size in (6, 4, 3)]
    tables = {(0, 1): rng.normal(9, 50.0, (6, 4)), (0, 1, 2): rng.normal(9, 50.0, (6, 4, 3))}

    found = shrink_departures(tables, dict.fromkeys(tables, 20.0), axes, NUM_RECORDS)

    for table in found.values():
        for axis in range(table.ndim):
            assert table.sum(axis=axis) == pytest.approx(0, abs=1e-6)


def test_what_noise_explains_vanishes(rng):
    """Of independent columns next to nothing is left."""
    axes = [make_axis(rng, 12, ordered=True), make_axis(rng, 8)]
    left = []
    for _ in range(20):
        noisy = interact(rng.normal(0, 40.0, (12, 8)))
        found = shrink_departures({(0, 1): noisy}, {(0, 1): 40.0}, axes, NUM_RECORDS)[0, 1]
        left.append(np.square(found).sum() / np.square(noisy).sum())
    assert np.mean(left) < 0.05


def lean(size, turn=0.0):
    """Two columns that lean on each other, the more the further both are from their middles."""
    places = np.linspace(-1, 1, size)
    return NUM_RECORDS / size**2 * 0.6 * np.sin(2 * places[:, None] + turn) * np.sin(2 * places)


def lose(found, truth):
    return float(np.square(found - truth).sum())


@pytest.mark.parametrize('size', [8, 20])
def test_what_is_alike_in_neighbouring_bins_is_told_from_noise(rng, size):
    """An order that means something takes most of the noise away, and counts for little if not."""
    even, losses = np.full(size, 1 / size), []
    for turn in np.linspace(0, 1, 20):
        truth, mixed = interact(lean(size, turn)), rng.permutation(size)
        noise = interact(rng.normal(0, 30.0, (size, size)))
        known = {(0, 1): 30.0}, [Axis(even, True)] * 2, NUM_RECORDS
        unknown = {(0, 1): 30.0}, [Axis(even, False)] * 2, NUM_RECORDS
        smooth = shrink_departures({(0, 1): truth + noise}, *known)[0, 1]
        rough = shrink_departures({(0, 1): truth + noise}, *unknown)[0, 1]
        wrong = shrink_departures({(0, 1): (truth + noise)[mixed]}, *known)[0, 1]
        off = [smooth - truth, rough - truth, wrong - truth[mixed], noise]
        losses.append([np.square(each).sum() for each in off])
    smooth, rough, wrong, raw = np.mean(losses, axis=0)
    assert smooth < 0.6 * rough
    assert rough < raw
    assert wrong < 1.1 * rough


def test_many_tables_tell_together_how_far_tables_depart(rng):
    """Of three flags an interaction is one number: alone it tells little of how large it may be."""
    half = Axis(np.full(2, 0.5), False)
    sign = interact(np.eye(2)[:, :, None] * [1.0, 0.0] + (1 - np.eye(2))[:, :, None] * [0.0, 1.0])
    losses = []
    for _ in range(200):
        truth = 60 * rng.choice([-1, 1]) * sign
        losses.append((truth, truth + interact(rng.normal(0, 25.0, (2, 2, 2)))))
    axes = [half] * 600
    noisy = {(3 * at, 3 * at + 1, 3 * at + 2): own for at, (_, own) in enumerate(losses)}
    together = shrink_departures(noisy, dict.fromkeys(noisy, 25.0), axes, NUM_RECORDS)
    alone = [
        shrink_departures({at: own}, {at: 25.0}, axes, NUM_RECORDS)[at] for at, own in noisy.items()
    ]
    truths = [truth for truth, _ in losses]
    assert sum(map(lose, together.values(), truths)) < 0.95 * sum(map(lose, alone, truths))


def test_bins_that_other_tables_show_to_be_alike_are_told_from_noise(rng):
    """Twelve kinds of three sorts, without an order: the more tables, the better each is known."""
    kind, mine, alone = np.arange(12) % 3, 0.0, 0.0
    axes = [Axis(np.full(12, 1 / 12), False), *[Axis(np.full(6, 1 / 6), False)] * 8]
    for _ in range(10):
        truths = {(0, at): interact(120 * rng.normal(size=(3, 6))[kind]) for at in range(1, 9)}
        noisy = {at: own + interact(rng.normal(0, 60.0, (12, 6))) for at, own in truths.items()}
        found = shrink_departures(noisy, dict.fromkeys(noisy, 60.0), axes, NUM_RECORDS)
        mine += sum(lose(found[at], truths[at]) for at in noisy)
        for at, own in noisy.items():
            alone += lose(
                shrink_departures({at: own}, {at: 60.0}, axes, NUM_RECORDS)[at], truths[at]
            )
    assert mine < 0.6 * alone


@pytest.mark.parametrize('shape', [(1, 1), (1, 6), (6, 1), (4, 1, 3)])
def test_one_bin_has_nothing_to_say_of_other_columns(rng, shape):
    axes = [make_axis(rng, size, ordered=True) for size in shape]
    columns = tuple(range(len(shape)))

    found = shrink_departures({columns: rng.normal(0, 5, shape)}, {columns: 5.0}, axes, 100.0)

    assert found[columns] == pytest.approx(np.zeros(shape))


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('scale', [0.0, 1e-9, 1.0, 1e9])
def test_extreme_tables_stay_finite(rng, scale):
    axes = [Axis(np.array([1.0, 0.0, 0.0]), True), Axis(np.array([0.5, 0.5 - 1e-12, 1e-12]), False)]
    for table in (np.zeros((3, 3)), 1e9 * rng.normal(size=(3, 3))):
        found = shrink_departures({(0, 1): table}, {(0, 1): scale}, axes, NUM_RECORDS)[0, 1]
        assert np.isfinite(found).all()


def test_no_tables_are_no_tables():
    assert shrink_departures({}, {}, [], NUM_RECORDS) == {}
