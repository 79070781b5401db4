import numpy as np
import pytest

from sdv_threea.maths.positive import bound_eigenvalues


def test_eigenvalues_are_bounded_and_vectors_stay(rng):
    matrix = rng.normal(size=(5, 5))
    symmetric = (matrix + matrix.T) / 2
    values, vectors = np.linalg.eigh(symmetric)

    found = bound_eigenvalues(matrix, -0.5, 1.0)

    assert found == pytest.approx((vectors * np.clip(values, -0.5, 1.0)) @ vectors.T)
    assert np.linalg.eigvalsh(found).min() == pytest.approx(max(values.min(), -0.5))


def test_matrices_within_the_bounds_stay(rng):
    root = rng.normal(size=(4, 4))

    assert bound_eigenvalues(root @ root.T, 0.0) == pytest.approx(root @ root.T)
    assert bound_eigenvalues(np.zeros((0, 0)), 0.1).shape == (0, 0)


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
