import numpy as np
import pytest

from sdv_threea.shrinkage import shrunk_effects, stein_factor


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_stein_factor_by_hand():
    assert stein_factor(np.array([3.0, 4.0]), 1.0) == pytest.approx(1 - 2 / 25)


@pytest.mark.parametrize(
    ('values', 'scale', 'factor'),
    [([3.0, 4.0], 0.0, 1.0), ([3.0, 4.0], 10.0, 0.0), ([0.0, 0.0], 0.0, 0.0), ([], 1.0, 0.0)],
)
def test_stein_factor_at_its_ends(values, scale, factor):
    assert stein_factor(np.array(values), scale) == factor


def test_stein_factor_reduces_the_error_of_any_signal(rng):
    for length in (0.0, 1.0, 30.0):
        signal = np.full(50, length / np.sqrt(50))
        noisy = signal + rng.normal(size=(300, 50))
        shrunk = np.stack([row * stein_factor(row, 1.0) for row in noisy])
        assert np.square(shrunk - signal).mean() < np.square(noisy - signal).mean()


def test_with_equal_gains_effects_are_shrunk_by_the_stein_factor(rng):
    values = rng.normal(0, 3, 40)

    effects = shrunk_effects(values, np.full(40, 5.0), np.full(40, 4.0))

    assert effects == pytest.approx(values / 5 * stein_factor(values, 2.0))


def test_without_noise_effects_are_exact_and_where_nothing_is_gained_zero():
    gains = np.array([1.0, 0.5, 1e-3, 0.0])
    values = gains * np.array([0.4, -0.9, 0.7, 0.3])

    with np.errstate(all='raise'):
        effects = shrunk_effects(values, gains, np.zeros(4))

    assert effects == pytest.approx([0.4, -0.9, 0.7, 0.0])


def test_effects_below_the_noise_vanish_and_none_are_made_of_huge_noise(rng):
    small = shrunk_effects(rng.normal(0, 0.5, 30), np.ones(30), np.ones(30))
    huge = shrunk_effects(np.full(30, 1e4), np.ones(30), np.full(30, 1e6))

    assert (small == 0).all()
    assert huge == pytest.approx(np.full(30, 1e4 / (1 + 1e6)))


def test_shrunk_effects_beat_raw_ones_none_at_all_and_one_factor_for_all(rng):
    gains = np.repeat([1.0, 0.3, 0.01], 200)
    variances = np.full(600, 0.04)
    effects = rng.normal(0, 0.3, (20, 600))
    values = gains * effects + rng.normal(0, 0.2, effects.shape)

    def error(estimates):
        return np.square(estimates - effects).mean()

    shrunk = np.stack([shrunk_effects(row, gains, variances) for row in values])
    uniform = np.stack([row / gains * stein_factor(row, 0.2) for row in values])
    assert error(shrunk) < 0.8 * error(np.zeros_like(effects))
    assert error(shrunk) < 0.01 * error(values / gains)
    assert error(shrunk) < 0.01 * error(uniform)


def test_nothing_has_no_effects():
    assert shrunk_effects(np.zeros(0), np.zeros(0), np.zeros(0)).shape == (0,)
