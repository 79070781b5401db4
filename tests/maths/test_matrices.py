import numpy as np
import pytest
from scipy.optimize import minimize
from threadpoolctl import threadpool_info, threadpool_limits

from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.simplex import project_to_simplex
from sdv_threea.maths.threads import in_one_thread


def test_eigenvalues_are_bounded_and_vectors_stay(rng):
    matrix = rng.normal(size=(5, 5))
    symmetric = (matrix + matrix.T) / 2
    values, vectors = np.linalg.eigh(symmetric)

    found = bound_eigenvalues(matrix, -0.5)

    assert found == pytest.approx((vectors * np.maximum(values, -0.5)) @ vectors.T)
    assert np.linalg.eigvalsh(found).min() == pytest.approx(max(values.min(), -0.5))


def test_no_matrix_within_the_bounds_is_nearer(rng):
    matrix = rng.normal(size=(4, 4))
    symmetric = (matrix + matrix.T) / 2
    found = bound_eigenvalues(symmetric, 0.2)

    for _ in range(200):
        root = rng.normal(size=(4, 4))
        other = found + rng.uniform(0, 0.3) * (root @ root.T) / 4
        assert np.linalg.norm(symmetric - found) <= np.linalg.norm(symmetric - other) + 1e-12


@pytest.mark.parametrize('share', [0.0, 0.3, 1.0])
def test_only_eigenvalues_that_are_too_small_are_looked_for(rng, monkeypatch, share):
    """All eigenvectors of 5,000 columns take a minute."""
    vectors, least = np.linalg.qr(rng.normal(size=(40, 40)))[0], 0.02
    values = np.linspace(0.1, 3.0, 40)
    small = int(40 * share)
    values[:small] = np.linspace(-1.0, 0.01, small)
    matrix = (vectors * values) @ vectors.T
    monkeypatch.setattr(np.linalg, 'eigh', None)

    found = bound_eigenvalues(matrix, least)

    assert found == pytest.approx((vectors * np.maximum(values, least)) @ vectors.T)
    np.linalg.cholesky(found)


def test_the_projection_is_the_nearest_point_of_the_simplex(rng):
    for _ in range(20):
        values, mask = rng.normal(0, 3, 5), np.array([True, True, False, True, True])
        free = values[mask]

        projected = project_to_simplex(values, mask, 2.0)

        oracle = minimize(
            lambda point, free=free: np.square(point - free).sum(),
            np.full(4, 0.5),
            bounds=[(0, None)] * 4,
            constraints={'type': 'eq', 'fun': lambda point: point.sum() - 2.0},
            tol=1e-12,
        )
        assert projected[~mask] == 0
        assert projected[mask] == pytest.approx(oracle.x, abs=1e-5)


def test_points_of_the_simplex_stay_and_an_empty_mask_frees_all():
    values = np.array([0.5, 1.5, 0.0])

    assert project_to_simplex(values, np.ones(3, dtype=bool), 2.0) == pytest.approx(values)
    assert project_to_simplex(values, np.zeros(3, dtype=bool), 2.0) == pytest.approx(values)
    assert project_to_simplex(np.array([-7.0]), np.ones(1, dtype=bool), 3.0) == pytest.approx([3.0])


def test_values_far_above_the_total_are_projected_too():
    values = np.array([1e17, 1e17, -1e17])

    assert project_to_simplex(values, np.ones(3, dtype=bool), 1.0) == pytest.approx([0.5, 0.5, 0])


def count_threads():
    return {each['num_threads'] for each in threadpool_info() if each['user_api'] == 'blas'}


@in_one_thread
def count_inside(*, fail=False):
    if fail:
        raise ValueError
    return count_threads()


def test_matrices_are_multiplied_in_one_thread_inside_and_in_as_many_as_before_afterwards():
    with threadpool_limits(2, user_api='blas'):
        assert count_inside() == {1}
        assert count_threads() == {2}
        with pytest.raises(ValueError):
            count_inside(fail=True)
        assert count_threads() == {2}
