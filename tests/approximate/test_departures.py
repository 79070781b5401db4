from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.departures import (
    OPEN,
    contrasts,
    likely_departures,
    noise_variances,
    rake,
    shrunk_departure,
)

CONSTANTS = ApproximateConstants()
rake = partial(rake, rounds=CONSTANTS.raking_rounds)
likely_departures = partial(likely_departures, constants=CONSTANTS)
shrunk_departure = partial(shrunk_departure, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def in_natural_order(num_bins):
    """All bins but that of the missing value."""
    return np.arange(num_bins) > 0


def keep(departure, expected, scale, in_order, *, sampled=False):
    """Keep what counts with noise of this scale tell of a departure: a density, or evidence."""
    variances = noise_variances(expected, scale, sampled=sampled)
    prior = likely_departures(1.0, variances, scale) if sampled else OPEN
    return shrunk_departure(departure, expected, variances, in_order, prior)


@pytest.mark.parametrize('ordered', [False, True])
@pytest.mark.parametrize('size', [1, 2, 3, 9, 12])
def test_without_noise_a_departure_is_kept(rng, ordered, size):
    departure = rng.normal(0, 10, size)

    found = keep(departure, rng.uniform(0, 50, size), 0.0, in_natural_order(size) & ordered)

    assert np.array_equal(found, departure)


@pytest.mark.parametrize('ordered', [False, True])
def test_of_a_sample_chance_departures_are_dropped_and_clear_ones_kept(rng, ordered):
    """Without any noise: what sampling explains says nothing of other records."""
    expected = np.full(64, 10.0)
    step = np.repeat([8.0, -8.0], 32)
    errors = np.zeros((2, 2))
    for _ in range(50):
        for at, truth in enumerate((0 * step, step)):
            departure = rng.poisson(expected + truth) - expected
            found = keep(departure, expected, 0.0, in_natural_order(64) & ordered, sampled=True)
            errors[at] += np.square(found - truth).mean(), np.square(departure - truth).mean()

    assert errors[0, 0] < 0.05 * errors[0, 1]
    assert errors[1, 0] < (0.4 if ordered else 0.9) * errors[1, 1]


@pytest.mark.parametrize('ordered', [False, True])
@pytest.mark.parametrize('size', [2, 3, 5, 9, 12, 64])
def test_with_hardly_any_noise_a_departure_is_hardly_changed(rng, ordered, size):
    departure, expected = rng.normal(0, 10, size), rng.uniform(1, 50, size)
    departure -= departure.mean()

    found = keep(departure, expected, 1e-6, in_natural_order(size) & ordered)

    assert found == pytest.approx(departure, abs=1e-6)


@pytest.mark.parametrize('scale', [1e-3, 3.0, 1e9])
@pytest.mark.parametrize('size', [1, 2, 3, 6, 17, 64])
def test_departures_of_ordered_columns_move_mass_and_make_none(rng, scale, size):
    for _ in range(20):
        expected = rng.uniform(0, 50, size) * (rng.random(size) < 0.7)
        departure = rng.normal(0, 20, size)

        found = keep(departure, expected, scale, in_natural_order(size))

        assert found.shape == (size,)
        assert (found[expected == 0] == 0).all()
        if expected[1:].any():
            assert found.sum() == pytest.approx(0, abs=1e-9 * max(scale, 100))


def test_where_nothing_is_expected_in_order_nothing_is_kept_there():
    expected, departure = np.array([60.0, 0, 0, 40]), np.array([-20.0, 3, 4, 20])

    found = keep(departure, expected, 1e-3, np.array([False, True, True, False]))

    assert found == pytest.approx([-20, 0, 0, 20], abs=1e-3)


def test_a_coarse_step_is_found_in_noise_that_drowns_each_of_its_bins(rng):
    expected = np.append(0.0, np.full(64, 100.0))
    step = np.append(0.0, np.repeat([-8.0, 8.0], 32))
    noise = rng.normal(0, 10, (100, 65))
    in_order = in_natural_order(65)

    found = np.stack([keep(step + row, expected, 10.0, in_order) for row in noise])
    apart = np.stack([keep(step + row, expected, 10.0, in_order & False) for row in noise])

    assert np.square(found - step).mean() < 0.1 * np.square(noise).mean()
    assert np.square(found - step).mean() < 0.2 * np.square(apart - step).mean()


def test_a_bin_outside_the_order_departs_by_itself_and_the_others_make_room(rng):
    expected = np.append(300.0, np.full(32, 20.0))
    departure = np.append(-150.0, np.full(32, 150 / 32)) + rng.normal(0, 3, 33)

    found = keep(departure, expected, 3.0, in_natural_order(33))

    assert found[0] == pytest.approx(-150, abs=10)
    assert found[1:] == pytest.approx(np.full(32, -found[0] / 32), abs=3)


def test_a_category_that_stands_out_from_noise_stays_even_if_all_others_are_noise(rng):
    expected, spike = np.full(512, 100.0), np.zeros(512)
    spike[20] = 60.0
    noise = rng.normal(0, 10, (50, 512))

    found = np.stack(
        [keep(spike + row, expected, 10.0, np.zeros(512, dtype=bool)) for row in noise]
    )

    assert found[:, 20].mean() > 0.6 * 60
    assert np.abs(np.delete(found, 20, axis=1)).mean() < 0.05 * np.abs(noise).mean()


@pytest.mark.parametrize('ordered', [False, True])
def test_departures_are_relative_where_little_is_expected_little_is_kept(rng, ordered):
    """Equal shares more and less, in bins of much and of little: the noise is alike in all."""
    expected = np.append(0.0, np.tile([400.0, 400.0, 4.0, 4.0], 8))
    truth = expected * np.append(0, np.tile([0.3, -0.3], 16))
    noise = rng.normal(0, 10, (100, 33))
    in_order = in_natural_order(33) & ordered

    found = np.stack([keep(truth + row, expected, 10.0, in_order) for row in noise])

    thin = expected == 4
    assert found[:, expected == 400].mean(axis=0) == pytest.approx(truth[expected == 400], rel=0.1)
    assert np.abs(found[:, thin]).mean() < 0.2 * np.abs(noise[:, thin]).mean()


# What is likely


def test_classes_depart_from_the_whole_the_less_the_more_of_it_they_are(rng):
    totals = np.array([700.0, 200.0, 100.0])
    apart = rng.normal(0, 1, (200_000, 3))

    from_the_whole = apart - (apart @ (totals / totals.sum()))[:, None]

    assert contrasts(totals) == pytest.approx(from_the_whole.var(axis=0), rel=0.02)
    assert contrasts(np.array([5.0, 5.0])) == pytest.approx([0.5, 0.5])
    assert contrasts(np.array([5.0])) == pytest.approx([0])


def test_departures_are_likely_as_far_as_the_mechanism_hides_them():
    expected = np.full(4, 100.0)
    scales = np.array([0.0, 1.0, 10.0, 1e3])
    found = [
        likely_departures(0.5, noise_variances(expected, scale, sampled=True), scale).likely
        for scale in scales
    ]

    hidden = np.array([0, 1 / 101, 1 / 2, 1])
    assert found == pytest.approx(
        0.5 * (hidden + CONSTANTS.likely_sampled_departure * (1 - hidden)), rel=1e-3
    )


@pytest.mark.parametrize('ordered', [False, True])
def test_subtle_departures_that_only_sampling_hides_are_kept_in_part(rng, ordered):
    """A column of few codes, a class of few records: too few to tell how far it departs."""
    expected = np.full(4, 10.0)
    truth = expected * rng.choice([-0.3, 0.3], (2000, 2)).repeat(2, axis=1) * [1, -1, 1, -1]
    departures = rng.poisson(expected + truth) - expected
    in_order = np.full(4, ordered)

    found = np.stack([keep(row, expected, 0.0, in_order, sampled=True) for row in departures])

    error = np.square(found - truth).mean()
    assert error < 0.7 * np.square(truth).mean()
    assert error < 0.6 * np.square(departures - truth).mean()


# Raking


def test_raked_classes_add_up_to_the_whole_and_keep_their_odds(rng):
    histograms = rng.dirichlet(np.ones(6), size=3)
    totals, shares = np.array([50.0, 300.0, 20.0]), rng.dirichlet(np.full(6, 20.0))

    raked = rake(histograms, totals, shares)

    assert raked.sum(axis=1) == pytest.approx(np.ones(3))
    before = np.abs(totals @ histograms / totals.sum() - shares).sum()
    assert np.abs(totals @ raked / totals.sum() - shares).sum() < 0.05 * before
    # Iterative proportional fitting changes no odds ratio.
    ratios = [
        table[:, 1:] * table[:1, :1] / (table[:1, 1:] * table[:, :1])
        for table in (histograms, raked)
    ]
    assert ratios[0] == pytest.approx(ratios[1])


def test_raking_survives_bins_that_one_side_lacks():
    histograms = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

    raked = rake(histograms, np.array([10.0, 10.0]), np.array([0.0, 0.5, 0.5]))

    assert np.isfinite(raked).all()
    assert raked.sum(axis=1) == pytest.approx([1, 1])


def test_departures_that_are_not_shrunk_are_taken_at_their_word(rng):
    departure, expected = np.array([0.0, 3.0, -1.0, -2.0]), np.full(4, 5.0)
    in_order = np.array([False, True, True, True])

    found = shrunk_departure(
        departure,
        expected,
        np.full(4, 1e4),
        in_order,
        OPEN,
        constants=replace(CONSTANTS, shrink=False),
    )

    assert found == pytest.approx(departure)
    assert np.abs(keep(departure, expected, 100.0, in_order)).max() < 0.1
