import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import LARGEST_SCORE, normal_scores, target_order


def make_scores(*columns, orders=None):
    histograms = tuple(np.atleast_2d(np.asarray(column, dtype=float)) for column in columns)
    orders = orders or tuple(np.arange(part.shape[1]) for part in histograms)
    return normal_scores(histograms, orders, len(histograms[0]) if columns else 2)


def test_scores_are_the_means_of_the_normal_on_their_intervals():
    histogram = np.array([0.1, 0.25, 0.05, 0.6])
    cuts = norm.ppf(np.concatenate([[0], np.cumsum(histogram)]).clip(0, 1))

    (table,) = make_scores(histogram).scores

    for code, mass in enumerate(histogram):
        mean = quad(lambda at: at * norm.pdf(at), cuts[code], cuts[code + 1])[0] / mass
        assert table[0, code] / SCORE_UNITS == pytest.approx(mean, abs=0.51 / SCORE_UNITS)


def test_scores_have_mean_zero_and_the_stated_variance(rng):
    for size in (1, 2, 5, 100):
        histogram = rng.dirichlet(np.ones(size), 3)
        scores = make_scores(histogram)
        means = (histogram * scores.scores[0]).sum(axis=1) / SCORE_UNITS
        squares = (histogram * np.square(scores.scores[0] / SCORE_UNITS)).sum(axis=1)

        assert means == pytest.approx(np.zeros(3), abs=0.51 / SCORE_UNITS)
        assert scores.variances[:, 0] == pytest.approx(squares)
        assert (scores.variances <= 1).all()


@pytest.mark.parametrize('histogram', [[1e-300, 1.0], [1e-14, 1 - 1e-14, 0.0], [0.0, 1.0, 0.0]])
def test_vanishing_probabilities_have_finite_scores(histogram):
    with np.errstate(invalid='raise', divide='raise'):
        (table,) = make_scores(histogram).scores

    assert abs(table).max() <= LARGEST_SCORE * SCORE_UNITS


# Looking up records


def test_the_scores_of_a_record_depend_on_that_record_alone(rng):
    scores = make_scores(rng.dirichlet(np.ones(6), 3), rng.dirichlet(np.ones(9), 3))
    codes = np.stack([rng.integers(-1, 6, 500), rng.integers(-1, 9, 500)], axis=1)
    classes, order = rng.integers(0, 3, 500), rng.permutation(500)

    found = scores(codes, classes)

    assert np.array_equal(scores(codes[order], classes[order]), found[order])
    for at in range(0, 500, 50):
        assert np.array_equal(scores(codes[at : at + 1], classes[at : at + 1])[0], found[at])
        for column, code in enumerate(codes[at]):
            table = scores.scores[column][classes[at]]
            assert found[at, column] == (table[code] if code >= 0 else 0)


# Inverting them


def test_codes_of_even_quantiles_come_as_often_as_the_histogram_says(rng):
    histogram, order = rng.dirichlet(np.full(8, 0.5), 2), rng.permutation(8)
    histogram[:, order[[0, 4, 7]]] = 0
    histogram /= histogram.sum(axis=1, keepdims=True)
    quantiles = np.tile((np.arange(20_000) + 0.5) / 20_000, 2)
    classes = np.repeat([0, 1], 20_000)

    codes = make_scores(histogram, orders=(order,)).codes(0, quantiles, classes)

    for label in (0, 1):
        found = np.bincount(codes[classes == label], minlength=8) / 20_000
        assert found == pytest.approx(histogram[label], abs=1e-4)


def test_codes_without_probability_are_never_drawn_not_even_at_the_ends(rng):
    for _ in range(50):
        histogram = rng.dirichlet(np.ones(6), 1) * (rng.random(6) < 0.5)
        if histogram.sum() == 0:
            continue
        scores = make_scores(histogram / histogram.sum())
        cuts = scores.cuts[0][0]
        edges = np.concatenate([cuts, np.nextafter(cuts, 0), np.nextafter(cuts, 1), [0.0, 1.0]])

        codes = scores.codes(0, edges, np.zeros(len(edges), dtype=np.int64))

        assert (histogram[0, codes] > 0).all()


# The order of categories


def test_more_classes_order_codes_along_the_axis_on_which_they_differ():
    lean = np.array([0.9, 0.1, 0.5, 0.7, 0.3])
    joint = np.stack([lean, np.full(5, 0.5), 1 - lean])

    order = target_order(joint / joint.sum(axis=1, keepdims=True), joint.sum(axis=1) * 1_000)

    assert order.tolist() in ([0, 3, 2, 4, 1], [1, 4, 2, 3, 0])
