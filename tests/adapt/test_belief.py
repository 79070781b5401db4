"""A step by a noisy slope is the normal posterior, and Newton's where nothing is noise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from sdv_threea.adapt.belief import TINY, gain, update


def make_problem(seed, size=4):
    rng = np.random.default_rng(seed)
    curvature, prior = (root @ root.T for root in rng.normal(size=(2, size, size + 3)))
    return 50 * curvature, prior, rng.normal(0, 30, size)


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.0, 0.1, 3.0, 300.0]))
def test_a_step_is_the_normal_posterior(seed, scale):
    """Condition the joint normal of way and slope on the slope, by its precision matrix."""
    curvature, prior, slope = make_problem(seed)
    size = len(slope)
    noise = curvature + (scale**2 + TINY) * np.eye(size)
    across = prior @ curvature
    joint = np.block([[prior, across], [across.T, curvature @ prior @ curvature + noise]])
    # In the precision of the joint law, the block of the ways is the precision given the slope.
    precision = np.linalg.inv(joint)
    posterior = np.linalg.inv(precision[:size, :size])
    mean = -posterior @ precision[:size, size:] @ slope

    found = update(curvature, slope, scale, prior)

    tolerance = {'rtol': 1e-5, 'atol': 1e-7 * np.abs(prior).max()}
    np.testing.assert_allclose(found[0], mean, **tolerance)
    np.testing.assert_allclose(found[1], posterior, **tolerance)


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.0, 3.0, 300.0]))
def test_likelihoods_of_two_beliefs_compare_as_those_of_normals(seed, scale):
    curvature, prior, slope = make_problem(seed)
    root, expected = np.linalg.cholesky(2 * prior), []
    for belief in (prior, prior + 2 * prior, prior + 18 * prior):
        law = curvature @ belief @ curvature + curvature + (scale**2 + TINY) * np.eye(len(slope))
        expected.append(multivariate_normal(cov=(law + law.T) / 2).logpdf(slope))
    found = gain(curvature, slope, scale, prior, root, (1.0, 3.0))
    np.testing.assert_allclose(
        found, np.diff(expected, prepend=0)[1:].cumsum(), rtol=1e-6, atol=1e-6
    )


def test_what_is_believed_to_be_zero_stays_so_and_nothing_is_fine():
    curvature, prior, slope = make_problem(0)
    prior[:, 2] = prior[2] = 0.0
    found = update(curvature, slope, 1.0, prior)
    assert found[0][2] == 0 and not found[1][2].any()
    nothing = update(np.zeros((3, 3)), np.zeros(3), 0.0, np.eye(3))
    assert not nothing[0].any()
    np.testing.assert_array_equal(nothing[1], np.eye(3))


def test_many_records_that_hardly_vary_need_no_noise():
    """Large curvatures of low rank are singular but for rounding."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(300, 3))
        step, posterior = update(1e8 * root @ root.T, 1e6 * root @ np.ones(3), 0.0, np.eye(300))
        assert np.isfinite(step).all() and np.isfinite(posterior).all()
