import numpy as np
import pytest

from sdv_threea.maths.shrinkage import precision_weight, shrunk_effects, stein_factor


@pytest.mark.parametrize(
    ('values', 'scale', 'factor'),
    [([3.0, 4.0], 0.0, 1.0), ([3.0, 4.0], 10.0, 0.0), ([0.0, 0.0], 0.0, 0.0), ([], 1.0, 0.0)],
)
def test_stein_factor_at_its_ends(values, scale, factor):
    assert stein_factor(np.array(values), scale) == factor


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


# Options


def test_releases_weigh_by_their_precision():
    assert [precision_weight(*each) for each in ((1, 2), (1, 0), (0, 1), (0, 0))] == [0.8, 0, 1, 1]


def test_doubt_takes_its_standard_deviations_of_noise_off_the_evidence():
    """Ten values of 1, noise of a half: the evidence is 7.5; of noise alone it is 0 +- 1.1."""
    variance = (7.5 - 1.5 * np.sqrt(20) / 4) / 10

    effects = shrunk_effects(np.ones(10), np.ones(10), np.full(10, 0.25), doubt=1.5)

    assert effects == pytest.approx(np.full(10, variance / (variance + 0.25)))


@pytest.mark.parametrize('unit', [1e-60, 1e-20, 1e20, 1e60])
def test_effects_do_not_depend_on_the_unit_of_values_and_gains(rng, unit):
    values, gains = rng.normal(0, 3, 20), rng.uniform(0.1, 1, 20)
    effects = shrunk_effects(values, gains, np.ones(20), 1.0)
    with np.errstate(over='raise', divide='raise', invalid='raise'):
        scaled = shrunk_effects(values * unit, gains * unit, np.full(20, unit**2), 1.0)

    assert effects.any()
    assert scaled == pytest.approx(effects, rel=1e-9)
