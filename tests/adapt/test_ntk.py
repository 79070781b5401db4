"""The closed form is neural-tangents' kernel, and its slopes are right and finite."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sdv_threea.adapt.ntk import ReluNtk

FIRST = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
SECOND = np.array([[0.5, -1.0, 2.0], [0.0, 0.0, 0.0], [-3.0, 1.0, 0.125]])

# neural-tangents 0.6.5, float64: k(FIRST, SECOND), then the gradient of its sum in FIRST, whose
# first point coincides with the first of SECOND; keys are (depth, bias_std).
GOLDEN = {
    (1, 0.1): (
        [
            [7.030000000000003, 0.07989029089914444, 0.2839262551899401],
            [0.2609913563676702, 0.06452705113157259, -0.48055370841868006],
        ],
        [
            [-0.5990988578485317, -1.1288023543744972, 3.2465797385294066],
            [0.4195427843066916, -0.4998851990904094, 0.9447244809886468],
        ],
    ),
    (2, 0.1): (
        [
            [10.560000000000006, 0.18239368310049658, 2.1797523917104473],
            [1.2743182118829437, 0.1437099712360337, 0.9643407534378211],
        ],
        [
            [0.06528609974758287, -2.1994286269086425, 5.278121235468013],
            [1.6080301953957086, -0.13932144314166217, 0.13700030768472737],
        ],
    ),
    (3, 0.1): (
        [
            [14.10000000000001, 0.3063232185031489, 4.092264351728632],
            [2.303427536571049, 0.23935798614355822, 2.416608513588397],
        ],
        [
            [0.678506297910046, -3.2644225649703236, 7.339494366829495],
            [2.8591239953664793, 0.14561856043423066, -0.6007809186065257],
        ],
    ),
    (2, 0.5): (
        [
            [12.000000000000007, 1.658820890283042, 3.0987443662069376],
            [2.2281711692528336, 1.5056843500908847, 1.6918621880949218],
        ],
        [
            [-0.05105133777326343, -2.242208517766324, 5.480749292690608],
            [1.6480676359935091, -0.06638794177475177, 0.17992013839341015],
        ],
    ),
}


def values_and_slope(kernel, first, second):
    values, pull = kernel.with_slope(first, second)
    np.testing.assert_array_equal(values, kernel(first, second))
    return values, pull(np.ones_like(values))


@pytest.mark.parametrize('depth, bias_std', GOLDEN)
def test_the_closed_form_equals_neural_tangents_committed_values(depth, bias_std):
    values, slope = values_and_slope(ReluNtk(depth, bias_std), FIRST, SECOND)

    golden_values, golden_slope = GOLDEN[depth, bias_std]
    np.testing.assert_allclose(values, golden_values, rtol=1e-6)
    np.testing.assert_allclose(slope, golden_slope, rtol=1e-6)


@pytest.mark.parametrize('depth', [0, 1, 2, 3, 5])
def test_the_closed_form_equals_neural_tangents_here_and_now(depth, stax_kernel):
    rng = np.random.default_rng(depth)
    first, second = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    second[0] = first[0]

    values, slope = values_and_slope(ReluNtk(depth), first, second)
    oracle_values, oracle_slope = values_and_slope(stax_kernel(depth), first, second)

    np.testing.assert_allclose(values, oracle_values, rtol=1e-6)
    np.testing.assert_allclose(slope, oracle_slope, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize('depth', [0, 1, 2, 4])
def test_slopes_match_finite_differences(depth):
    kernel, weights = ReluNtk(depth), np.random.default_rng(0).normal(size=(2, 2))
    slope = kernel.with_slope(FIRST, SECOND[1:])[1](weights)

    for index in np.ndindex(FIRST.shape):
        shift = np.zeros_like(FIRST)
        shift[index] = 1e-6
        rise = kernel(FIRST + shift, SECOND[1:]) - kernel(FIRST - shift, SECOND[1:])
        assert slope[index] == pytest.approx(np.sum(weights * rise) / 2e-6, rel=1e-6)


def test_slopes_are_finite_where_points_coincide_are_opposite_or_zero():
    points = np.array([[1.0, 2.0], [1.0, 2.0], [-1.0, -2.0], [0.0, 0.0], [1e-9, 0.0]])

    _, slope = values_and_slope(ReluNtk(3), points, points)

    assert np.isfinite(slope).all()


def test_the_kernel_is_symmetric_and_positive_definite():
    points = np.random.default_rng(0).normal(size=(30, 4))

    values = ReluNtk()(points, points)

    np.testing.assert_allclose(values, values.T, rtol=1e-12)
    assert np.linalg.eigvalsh(values).min() > 0


def test_equal_kernels_are_one_kernel_and_survive_pickling():
    assert ReluNtk() == pickle.loads(pickle.dumps(ReluNtk())) != ReluNtk(3)
