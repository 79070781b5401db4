import numpy as np
import pytest

from sdv_threea.maths.smoothing import smooth


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


def test_about_as_many_records_remain(rng):
    truth = 2_000 * np.exp(-np.square((np.arange(50) - 18) / 6) / 2)
    noisy = truth + rng.normal(0, 50, (100, 50))
    off = [smooth(row, 50.0).sum() - row.sum() for row in noisy]

    assert np.abs(off).mean() < 50 * np.sqrt(50)
