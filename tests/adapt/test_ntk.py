"""The closed form is neural-tangents' kernel, for public points and for private rows."""

import pickle

import numpy as np
import pytest

from sdv_threea.adapt.ntk import ReluNtk

FIRST = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
SECOND = np.array([[0.5, -1.0, 2.0], [0.0, 0.0, 0.0], [-3.0, 1.0, 0.125]])

# neural-tangents 0.6.5, float64: k(FIRST, SECOND); keys are (depth, bias_std).
GOLDEN = {
    (1, 0.1): [
        [7.030000000000003, 0.07989029089914444, 0.2839262551899401],
        [0.2609913563676702, 0.06452705113157259, -0.48055370841868006],
    ],
    (2, 0.1): [
        [10.560000000000006, 0.18239368310049658, 2.1797523917104473],
        [1.2743182118829437, 0.1437099712360337, 0.9643407534378211],
    ],
    (3, 0.1): [
        [14.10000000000001, 0.3063232185031489, 4.092264351728632],
        [2.303427536571049, 0.23935798614355822, 2.416608513588397],
    ],
    (2, 0.5): [
        [12.000000000000007, 1.658820890283042, 3.0987443662069376],
        [2.2281711692528336, 1.5056843500908847, 1.6918621880949218],
    ],
}


@pytest.mark.parametrize('depth, bias_std', GOLDEN)
def test_the_closed_form_equals_neural_tangents_committed_values(depth, bias_std):
    values = ReluNtk(depth, bias_std)(FIRST, SECOND)

    np.testing.assert_allclose(values, GOLDEN[depth, bias_std], rtol=1e-6)


@pytest.mark.parametrize('depth', [0, 1, 2, 3, 5])
def test_the_closed_form_equals_neural_tangents_here_and_now(depth, stax_kernel):
    rng = np.random.default_rng(depth)
    first, second = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    second[0] = first[0]

    values = ReluNtk(depth, bias_std=0.1)(first, second)

    np.testing.assert_allclose(values, stax_kernel(depth)(first, second), rtol=1e-6)


@pytest.mark.parametrize('depth', [0, 1, 2, 4])
def test_values_of_rows_are_those_of_points_in_single_precision(depth):
    points = np.random.default_rng(depth).normal(size=(9, 5))
    points[1], points[2], points[3] = points[0], -points[0], 0

    rows = ReluNtk(depth).of_rows(points[:4], points)

    assert rows.dtype == np.float32
    # Where points coincide, roots cancel half of the digits of single precision.
    np.testing.assert_allclose(rows, ReluNtk(depth)(points[:4], points), rtol=2e-3)
    np.testing.assert_allclose(rows[:, 4:], ReluNtk(depth)(points[:4], points[4:]), rtol=1e-5)


def test_values_are_finite_where_points_coincide_are_opposite_or_zero():
    points = np.array([[1.0, 2.0], [1.0, 2.0], [-1.0, -2.0], [0.0, 0.0], [1e-9, 0.0]])

    with np.errstate(all='raise', under='ignore'):
        values = ReluNtk(3)(points, points)
        rows = ReluNtk(3).of_rows(points, points)

    assert np.isfinite(values).all() and np.isfinite(rows).all()


def test_equal_kernels_are_one_kernel_and_survive_pickling():
    assert ReluNtk() == pickle.loads(pickle.dumps(ReluNtk())) != ReluNtk(3)
