"""How many units have how many rows: a unit counts once, and noise makes up no large units."""

import math

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays

from sdv_threea.accounting import Budget
from sdv_threea.privacy import door as doors
from sdv_threea.relational.magnitudes import (
    FIRST,
    MIDDLES,
    count_rows,
    expect_counts,
    release_magnitudes,
)
from sdv_threea.rows.units.membership import LEFT_OUT

BUDGET = Budget(5.0, 1e-6)
FREE = Budget(math.inf, 1e-6)


def release(rows, budget=FREE, most=None, noise=silent, num_units=math.inf):
    """Release the magnitudes of units with the given numbers of rows."""
    units = np.random.default_rng(0).permutation(np.repeat(np.arange(len(rows)), rows))
    rows = chunk_arrays(count_rows(units))
    return release_magnitudes(rows, most, budget, noise, num_units)


@pytest.fixture
def catch(monkeypatch):
    """Return the exact values that go into the mechanism."""

    def catch(units, budget=BUDGET):
        found = []
        real = doors.add_noise
        with monkeypatch.context() as patch:
            patch.setattr(
                doors,
                'add_noise',
                lambda exact, **terms: found.append(exact) or real(exact, **terms),
            )
            rows = chunk_arrays(count_rows(units))
            _, receipt = release_magnitudes(rows, None, budget, silent)
        return found[0], receipt

    return catch


def test_magnitudes_are_exact_where_numbers_are_small_and_then_two_to_an_octave():
    assert FIRST[:8].tolist() == [1, 2, 3, 4, 6, 8, 12, 16]
    assert MIDDLES[:6].tolist() == [1.0, 2.0, 3.0, 4.5, 6.5, 9.5]


def test_without_noise_the_units_of_each_magnitude_are_counted():
    found, _ = release([1, 1, 5, 3, 0, 7, 4])

    assert found.counts[:6].tolist() == [2, 0, 1, 2, 1, 0]
    assert found.count(2)[0] == 2 + 2 * 4
    assert found.beyond(4) == (2 * 0.5 + 2.5, 0.0)


def test_rows_that_are_left_out_are_not_counted():
    units = np.array([LEFT_OUT, LEFT_OUT, 3, 3, 8])

    assert count_rows(units).rows.tolist() == [2, 1]


@pytest.mark.parametrize('many', [1, 7, 1000, 100_000])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_a_unit_moves_the_counts_by_one_whatever_its_rows(catch, many, neighbors):
    others = np.repeat(np.arange(50), 2)
    budget = Budget(5.0, 1e-6, neighbors=neighbors)
    with_it, receipt = catch(np.append(others, np.full(many, 99)), budget)
    instead, _ = catch(np.append(others, [98]), budget)
    without, _ = catch(others, budget)

    assert np.linalg.norm(with_it - without) == 1
    assert receipt.sensitivity == (1 if neighbors == 'add_remove' else math.sqrt(2))
    assert np.linalg.norm(with_it - instead) <= math.sqrt(2)


def test_magnitudes_that_nobody_can_have_are_left_out():
    rows = [1] * 500 + [2] * 400
    noise = lambda size, scale: np.full(size, int(scale * 9))  # noqa: E731
    found, _ = release(rows, BUDGET, most=2, noise=noise)

    assert (found.counts[FIRST > 2] == 0).all()
    assert found.counts[1] > 400


def test_counts_that_noise_masks_are_expected_ones(noise):
    """Of 60 units half have thirty rows, three times the noise of a count; or none has any."""
    budget, sizes = Budget(0.5, 1e-6, share=0.5), {30: [], 0: []}
    for rows, found in sizes.items():
        for seed in range(40):
            magnitudes, receipt = release([rows] * 30, budget, noise=noise(seed), num_units=60.0)
            found.append(magnitudes.count(10**4)[0])
    assert receipt.noise_scale > 9
    assert 300 < np.median(sizes[30]) < 2000
    assert np.median(sizes[0]) < 0.7 * np.median(sizes[30])
    assert min(sizes[0] + sizes[30]) > 20
    assert max(sizes[0] + sizes[30]) < 60 * 100


def test_large_units_do_not_vanish_where_small_ones_alone_exceed_the_noise(noise):
    """Of 440 units 100 have 40 to 238 rows: 20 of a magnitude, less than twice the noise."""
    rows = [1] * 340 + [*range(40, 240, 2)]
    found = []
    for seed in range(60):
        magnitudes, receipt = release(rows, Budget(0.35, 1e-6), noise=noise(seed), num_units=450.0)
        found.append(magnitudes.count(10**4)[0] / sum(rows))

    assert receipt.noise_scale > 11
    assert (np.array(found) < 0.2).mean() < 0.5
    assert 0.5 < np.median(found) < 1.5


def test_counts_of_a_common_kind_are_closer_than_the_noisy_ones(noise):
    """Each of 90 units has about nine rows; the noise of a magnitude is six units."""
    rows = np.rint(np.exp(np.random.default_rng(1).normal(2.2, 0.6, 90))).astype(int)
    exact, off = release(rows)[0], []
    for seed in range(30):
        found, receipt = release(
            rows, Budget(1.0, 1e-6, share=0.5), noise=noise(seed), num_units=95.0
        )
        off.append(found.counts - exact.counts)
        size, deviation = found.count(None)
        assert deviation > 0.05 * size

    assert np.sqrt(np.square(off).mean()) < 0.6 * receipt.noise_scale
    assert np.abs(np.array(off) @ MIDDLES).mean() < 0.3 * exact.count(None)[0]


def test_noise_makes_no_long_units_and_the_error_of_the_rows_is_known(noise):
    """The rows of 400 units are geometric, 7 on average; the noise of a magnitude is eight units.

    With log-normal tails alone, a sixth more rows were expected, and errors were five times larger
    than the covariance says.
    """
    rows = np.random.default_rng(5).geometric(1 / 7.2, 400).clip(max=31)
    exact, off, errors = release(rows)[0], [], []
    for seed in range(24):
        found, receipt = release(rows, Budget(0.46, 1e-6), noise=noise(seed), num_units=408.0)
        size, deviation = found.count(None)
        off.append(size / exact.count(None)[0] - 1)
        errors.append(off[-1] * exact.count(None)[0] / deviation)

    assert 7 < receipt.noise_scale < 9
    assert abs(np.mean(off)) < 0.08
    assert np.sqrt(np.square(off).mean()) < 0.2
    assert np.median(np.abs(errors)) < 1.5


def test_large_counts_by_chance_are_no_long_units():
    """These noisy counts of units of at most 31 rows made 267 rows, and 67 % more rows in all."""
    noisy = np.array([57.5, 46.4, 29.8, 70, 50.6, 78.5, 41.8, 30.6, -4.3, 19.2, 3.9, 10.2, -2.1])
    noisy = np.append(noisy, [6.6] + [0.0] * (len(FIRST) - len(noisy) - 1))
    counts, _ = expect_counts(noisy, 8.1, 407.0)

    assert counts @ MIDDLES < 1.35 * 2750
    assert counts[FIRST >= 96].sum() < 1


@pytest.mark.parametrize('num_units', [0.0, 1.0, 60.0, math.inf])
@pytest.mark.parametrize('side', [-1, 0, 1])
def test_expected_counts_are_finite_whatever_the_noise(side, num_units):
    for size in (1, 2, len(FIRST)):
        counts, covariance = expect_counts(np.full(size, 40.0 * side), 10.0, num_units)
        assert np.isfinite(counts).all()
        assert np.isfinite(covariance).all()
        assert counts @ MIDDLES[:size] > 0


def test_nothing_is_expected_beyond_units_of_one_row(noise):
    found = [
        release([1] * 2000, BUDGET, noise=noise(seed), num_units=2000.0)[0].count(10**4)[0]
        for seed in range(40)
    ]

    assert np.median(found) == pytest.approx(2000, rel=0.02)


def test_rows_beyond_a_bound_are_drawn_as_units_have_them():
    found, _ = release([1] * 900 + [10] * 50 + [100] * 50)
    rng = np.random.default_rng(0)
    drawn = found.draw_beyond(3, 100_000, rng)

    assert set(drawn) == {10, 112}
    assert 99_000 < drawn.sum() <= 100_000
    assert (drawn == 10).mean() == pytest.approx(0.5, abs=0.07)
    assert len(found.draw_beyond(3, 0, rng)) == len(found.draw_beyond(500, 100, rng)) == 0


def test_rows_of_units_are_drawn_as_the_counts_say():
    found, _ = release([1] * 30 + [5] * 50 + [0] * 20)
    drawn = found.draw_rows(10_000, np.random.default_rng(0))

    # Nobody else is counted, so the others of ten thousand units have no rows.
    assert (np.diff(drawn) >= 0).all()
    assert set(drawn) == {0, 1, 4, 5}
    assert (drawn == 0).mean() == pytest.approx(0.992, abs=0.005)
    few = found.draw_rows(80, np.random.default_rng(0))
    assert (few == 1).mean() == pytest.approx(30 / 80, abs=0.25)
    assert (few == 0).sum() == 0
    assert release([])[0].draw_rows(3, np.random.default_rng(0)).tolist() == [0, 0, 0]
