"""What thousands of columns take is matrices of a cell per pair of columns: few at once."""

import tracemalloc

import numpy as np
import pytest
from chunked import chunk_arrays

from sdv_threea.approximate.gaussian import class_correlations
from sdv_threea.approximate.mixture import class_mixture, regularize
from sdv_threea.approximate.moments import release_score_moments
from sdv_threea.constants import COUNT_WEIGHT, ApproximateConstants
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.rows.records import Grouped
from sdv_threea.statistics import registry

WIDTH, NUM_ROWS, NUM_CLASSES = 700, 400, 2

#: Bytes of a matrix of floats, a cell per pair of columns.
MATRIX = 8 * WIDTH**2


def release(scores, labels):
    moments, _ = release_score_moments(
        chunk_arrays(Grouped(scores, labels)),
        NUM_CLASSES,
        256 * 30,
        COUNT_WEIGHT,
        kind=registry.MOMENTS,
        mu=1.0,
        neighbors='add_remove',
        noise=discrete_gaussian,
    )
    return moments


@pytest.fixture(scope='module')
def peaks():
    """The most matrices that are held at once, for two classes, beside what is held before."""
    rng, found = np.random.default_rng(0), {}
    scores = np.rint(256 * rng.normal(size=(NUM_ROWS, WIDTH))).astype(np.int16)
    labels = np.arange(NUM_ROWS) % NUM_CLASSES
    totals, variances = np.full(NUM_CLASSES, 200.0), np.ones((NUM_CLASSES, WIDTH))

    def measure(name, made, *arguments):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = made(*arguments)
        found[name] = (tracemalloc.get_traced_memory()[1] - before) / MATRIX
        return result

    tracemalloc.start()
    try:
        moments = measure('moments', release, scores, labels)
        known = moments, totals, variances
        correlations = measure('correlations', class_correlations, *known, ApproximateConstants())
        measure('regularize', regularize, class_mixture(totals, correlations), 0.5)
    finally:
        tracemalloc.stop()
    return found


@pytest.mark.parametrize(
    ('step', 'most'), [('moments', 5.0), ('correlations', 8.5), ('regularize', 2.5)]
)
def test_few_matrices_are_held_at_once(peaks, step, most):
    assert peaks[step] < most
