import numpy as np
import pytest

from sdv_threea.maths.neighbours import smooth_pairs

WIDTHS = [0, 1, 2, 3, 7, 60]


@pytest.fixture
def rng():
    return np.random.default_rng(23)


def add_noise(table, scale, rng):
    """Add noise to a symmetric table, and leave its diagonal out."""
    noise = np.triu(rng.normal(0, scale, table.shape), 1)
    noisy = table + noise + noise.T
    np.fill_diagonal(noisy, 0.0)
    return noisy


def series(width):
    """Correlations of moments of a series: the nearer, the more alike."""
    moments = np.arange(width)
    return np.exp(-np.abs(moments[:, None] - moments) / 8)


def scattered(width, rng):
    """Correlations of columns in an order that means nothing."""
    loadings = rng.normal(0, 1, (width, 3))
    table = loadings @ loadings.T
    sizes = np.sqrt(np.diag(table))
    return table / np.outer(sizes, sizes)


def miss(found, truth):
    upper = np.triu_indices(len(truth), 1)
    return float(np.sqrt(np.mean(np.square((found - truth)[upper]))))


def shrink_alike(noisy, scale):
    """The best that one factor for all pairs can do."""
    upper = np.triu_indices(len(noisy), 1)
    power = np.mean(np.square(noisy[upper]))
    return noisy * max(0.0, 1 - scale**2 / power)


@pytest.mark.parametrize(('scale', 'part'), [(0.3, 0.65), (1.0, 0.65), (3.0, 0.85)])
def test_what_neighbours_have_alike_is_seen_through_noise(rng, scale, part):
    """Moments of a series; noise is as large as what it hides, or up to ten times as large."""
    truth = series(150)
    noisy = add_noise(truth, scale, rng)
    one, other = shrink_alike(noisy, scale), smooth_pairs(noisy.copy(), scale, 2.0)

    assert miss(other, truth) < part * miss(one, truth)


@pytest.mark.parametrize('scale', [0.03, 0.3, 3.0])
@pytest.mark.parametrize('width', [6, 30, 100])
def test_where_an_order_means_nothing_it_is_hardly_ever_made_use_of(rng, width, scale):
    """And if it is, it does no harm: at worst a twentieth more is missed, on average."""
    misses = []
    for _ in range(20):
        truth = scattered(width, rng)
        noisy = add_noise(truth, scale, rng)
        smooth = smooth_pairs(noisy.copy(), scale, 2.0)
        found = smooth + shrink_alike(noisy - smooth, scale)
        misses.append((miss(found, truth), miss(shrink_alike(noisy, scale), truth)))
    found, alike = np.mean(misses, axis=0)

    assert found < 1.05 * alike


@pytest.mark.parametrize('scale', [0.0, 1e-3, 1.0])
@pytest.mark.parametrize('width', WIDTHS)
def test_any_table_stays_symmetric_and_finite(rng, width, scale):
    for truth in (np.zeros((width, width)), series(width)):
        found = smooth_pairs(add_noise(truth, scale, rng), scale, 2.0)

        assert found.shape == (width, width)
        assert np.isfinite(found).all()
        assert np.allclose(found, found.T)


def test_without_noise_nothing_is_smoothed_away(rng):
    truth = series(40)
    np.fill_diagonal(truth, np.diag(truth, 1).mean())
    found = smooth_pairs(truth.copy(), 0.0, 2.0)

    assert not found.any() or np.allclose(found, truth)
