"""Features of rows are those of the kernel, and their sums are exact in any order."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt import exact
from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.exact import LARGEST_SCORE, as_points, as_scores, relu_features
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS


def setting(kernel, columns=5, size=128):
    rng = np.random.default_rng(0)
    features = kernel_features(rng.normal(size=(size, columns)), kernel)
    points = as_points(rng.integers(-1000, 1000, size=(700, columns)))
    # Rows that are landmarks, or opposite, zero and far: where square roots cancel.
    points[:3] = np.outer([1, -1, 0], features.landmarks[0])
    points[3:5] = as_points(np.full((2, columns), LARGEST_SCORE))
    points[4] *= -1
    return points, features


@pytest.mark.parametrize('kernel', [ReluNtk(), ReluNtk(0), ReluNtk(1, 1.0), ReluNtk(4, 0.5)])
@pytest.mark.parametrize('columns', [1, 2, 5, 90])
def test_features_are_those_of_the_kernel(kernel, columns):
    points, features = setting(kernel, columns)

    quick = relu_features(points, kernel, features)

    with float64():
        slow = np.asarray(features(jnp.asarray(points)))
    # Far below the grid of 2**-12 that they are rounded to; but where square roots cancel, half of
    # the digits of single precision are lost: on a line, everywhere.
    np.testing.assert_allclose(quick[5:], slow[5:], atol=4e-3 if columns == 1 else 4e-5)
    np.testing.assert_allclose(quick, slow, atol=4e-3)


def test_sums_are_exact_whatever_their_order(monkeypatch):
    points, features = setting(ReluNtk())
    seen = relu_features(points, features.kernel, features)

    class InAnyOrder:
        """A product of matrices whose terms are added in another order, in whole numbers."""

        def __matmul__(self, other):
            return matmul(self.array, other)

    def matmul(first, second, out=None):
        (one, first_unit), (other, second_unit) = whole(first), whole(second)
        sums = one.astype(object) @ other.astype(object)
        assert np.abs(sums).max() < 2**53
        product = sums.astype(float) * first_unit * second_unit
        if out is not None:
            out[...] = product
        return product

    def whole(array):
        unit = 1 / SCORE_UNITS if np.abs(array).max() <= LARGEST_SCORE / SCORE_UNITS else 1.0
        numbers = array / unit
        np.testing.assert_array_equal(numbers, np.rint(numbers))
        return numbers.astype(np.int64), unit

    monkeypatch.setattr(np, 'matmul', matmul)
    prepare = exact._prepare

    def prepare_reordered(*arguments):
        prepared = prepare(*arguments)
        reordered = InAnyOrder()
        reordered.array = prepared.projection
        return prepared._replace(projection=reordered)

    monkeypatch.setattr(exact, '_prepare', prepare_reordered)

    np.testing.assert_array_equal(relu_features(points, features.kernel, features), seen)


def test_no_sum_leaves_the_whole_numbers_that_floats_hold():
    # The largest that can occur: every product at its bound, all of one sign.
    for size in (1, 100, 128, 129, 5000):
        features = kernel_features(np.ones((3, 2)), ReluNtk())
        features = dataclasses.replace(
            features,
            landmarks=np.ones((size, 2)),
            projection=np.full((size, 2), np.nextafter(2.0, 0)),
        )
        prepared = exact._prepare(features.kernel, features)
        largest = np.abs(prepared.projection).max()
        assert largest == np.rint(largest)
        assert size * int(largest) * 2**exact.KERNEL_BITS < 2**53


def test_too_many_columns_for_exact_products_are_refused():
    features = kernel_features(np.ones((3, 2)), ReluNtk())

    with pytest.raises(OverflowError, match='too many columns'):
        relu_features(np.empty((0, 2**23)), features.kernel, features)


def test_points_and_scores_are_two_names_of_the_same():
    scores = np.array([[0, -1, LARGEST_SCORE], [5, 700, -LARGEST_SCORE]])

    np.testing.assert_array_equal(as_scores(as_points(scores)), scores)
    np.testing.assert_array_equal(
        as_points(scores[:1, 1:]), [[-1 / SCORE_UNITS, LARGEST_SCORE / SCORE_UNITS]]
    )


def test_scores_out_of_reach_are_cut():
    far = np.array([[2**62, -(2**63)]])

    np.testing.assert_array_equal(as_scores(as_points(far)), [[LARGEST_SCORE, -LARGEST_SCORE]])
    np.testing.assert_array_equal(as_scores(np.array([[1e300]])), [[LARGEST_SCORE]])


def test_a_row_that_overflows_warns_of_nothing():
    points, features = setting(ReluNtk())
    wild = dataclasses.replace(features, kernel=ReluNtk(3, 1e15))

    with np.errstate(all='raise'):
        features = relu_features(points, wild.kernel, wild)

    assert features.shape == (700, 32)
