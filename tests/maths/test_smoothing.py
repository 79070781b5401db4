import numpy as np
import pytest

from sdv_threea.maths.smoothing import smooth


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize('length', [0, 1, 2, 3, 7, 16, 33, 100])
def test_the_less_noise_the_less_is_smoothed(rng, length):
    values = rng.integers(0, 60, length).astype(float)

    assert np.array_equal(smooth(values, 0.0), values)
    assert smooth(values, 1e-6) == pytest.approx(values, abs=1e-3)
    spread = [smooth(values, scale).std() if length else 0.0 for scale in (0.1, 5.0, 50.0, 1e4)]
    assert spread == pytest.approx(sorted(spread, reverse=True), abs=0.2)


@pytest.mark.parametrize('scale', [1e-9, 1.0, 1e9])
@pytest.mark.parametrize('length', [1, 5, 24])
def test_equal_counts_stay_as_they_are(length, scale):
    for count in (0.0, 3.0, -2.0):
        assert smooth(np.full(length, count), scale) == pytest.approx(np.full(length, count))


def test_the_other_way_round_is_the_other_way_round(rng):
    values = rng.normal(40, 20, 37)

    assert smooth(values[::-1], 15.0)[::-1] == pytest.approx(smooth(values, 15.0))


def test_a_step_is_found_in_the_noise(rng):
    """Wherever it is."""
    for start in (32, 27):
        step = np.where(np.arange(64) < start, 40.0, 60.0)
        noisy = step + rng.normal(0, 8, (50, 64))

        smoothed = np.stack([smooth(row, 8.0) for row in noisy])

        assert np.square(smoothed - step).mean() < 0.2 * np.square(noisy - step).mean()


def test_one_heavy_value_stays_and_the_others_become_alike(rng):
    """All details of a resolution shrunk alike left it .4 of what it had beyond its neighbours."""
    truth = np.full(72, 70.0)
    truth[0], truth[40] = 300.0, 450.0
    smoothed = np.stack([smooth(row, 40.0) for row in truth + rng.normal(0, 40, (100, 72))])

    assert smoothed[:, 40].mean() > 380
    assert smoothed[:, 0].mean() > 230
    others = np.delete(smoothed - truth, [0, 1, 39, 40, 41], axis=1)
    assert np.sqrt(np.square(others).mean()) < 0.4 * 40


def test_where_there_is_little_little_varies(rng):
    """The same noise, and values that vary by as much as they are large."""
    truth = np.concatenate([rng.gamma(1, 400, 32), np.zeros(32)])
    smoothed = np.stack([smooth(row, 30.0) for row in truth + rng.normal(0, 30, (100, 64))])
    errors = np.sqrt(np.square(smoothed - truth).mean(axis=0))

    assert errors[40:].mean() < 0.6 * 30
    assert errors[:24].mean() < 30


def test_about_as_many_records_remain(rng):
    truth = 2_000 * np.exp(-np.square((np.arange(50) - 18) / 6) / 2)
    noisy = truth + rng.normal(0, 50, (100, 50))
    off = [smooth(row, 50.0).sum() - row.sum() for row in noisy]

    assert np.abs(off).mean() < 50 * np.sqrt(50)
