import numpy as np
import pytest
from scipy.optimize import minimize

from sdv_threea.maths.simplex import project_to_simplex


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
