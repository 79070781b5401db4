"""The model of the labels: what codes say one by one, and what they say together."""

import math

import numpy as np
import pytest

from sdv_threea.adapt.design import INPUT_UNITS
from sdv_threea.adapt.features import Interplay, make_features, whole_features
from sdv_threea.adapt.labels import LabelModel
from sdv_threea.adapt.link_functions import Draws
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.constants import AdaptConstants

SIZES = (6, 5, 4)


def make_codes(size, seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(-1, each, size) for each in SIZES], axis=1)


def make_model(num_classes, *, together=True, seed=0):
    rng = np.random.default_rng(seed)
    chances = [np.full((1, each), 1 / each) for each in SIZES]
    pooled = normal_scores(chances, [np.arange(each) for each in SIZES], 1)
    codes = make_codes(500)
    scores = pooled(codes, np.zeros(500, np.int64))
    features = make_features(
        scores, np.ones(500), ReluNtk(), num_landmarks=60, rank=7, unclipped=0.9
    )
    evidence = tuple(rng.normal(size=(num_classes, each)) for each in SIZES)
    interplay = Interplay(pooled, features, rng.normal(size=(num_classes, 7)))
    offsets = rng.normal(size=num_classes)
    return LabelModel(offsets, evidence, interplay if together else None)


def test_log_odds_add_up_what_codes_say_one_by_one_and_together():
    model, codes = make_model(3), make_codes(50, seed=1)

    found = model.log_odds(codes)

    scores = model.interplay.scores(codes, np.zeros(50, np.int64))
    features = whole_features(scores, model.interplay.features) / INPUT_UNITS
    for row, own, together in zip(codes, found, features, strict=True):
        expected = model.offsets + model.interplay.weights @ together
        for code, table in zip(row, model.evidence, strict=True):
            expected = expected + (table[:, code] if code >= 0 else 0)
        np.testing.assert_allclose(own, expected, atol=1e-9)


@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('num_classes', [2, 4])
def test_log_odds_are_stretched_as_far_as_the_loss_counts(num_classes, together):
    model, codes = make_model(num_classes, together=together), make_codes(500)
    weights, shares = np.random.default_rng(0).random(500), np.full(num_classes, 1 / num_classes)
    draws = Draws(codes, np.zeros(500, np.int64), weights)

    def measure_spread(model):
        odds = model.log_odds(codes)
        odds -= odds.mean(axis=1, keepdims=True)
        means = weights @ odds / weights.sum()
        return math.sqrt((weights @ (odds - means) ** 2 / weights.sum()).mean())

    own = measure_spread(model)
    cases = [(0.0, 3, 3), (0.0, 0.75, 1), (0.0, 30, 5)]  # alpha, what is wanted, what becomes of it
    cases += [(1.0, 30, 1), (0.5, 3, 2), (0.5, 30, 3), (0.5, 0.75, 1), (0.75, 5, 2)]
    for alpha, wanted, factor in cases:
        constants = AdaptConstants(sure_odds=wanted * own, most_stretch=5.0)
        found = model.adjusted(draws, shares, alpha, constants)
        assert measure_spread(found) == pytest.approx(factor * own)
        for before, after in zip(model.evidence, found.evidence, strict=True):
            np.testing.assert_allclose(after, factor * before)
        if together:
            np.testing.assert_allclose(found.interplay.weights, factor * model.interplay.weights)


@pytest.mark.parametrize('together', [False, True])
def test_adjusted_models_have_the_shares_of_the_classes(together):
    model, codes = make_model(2, together=together), make_codes(2000)
    weights, shares = np.random.default_rng(0).random(2000), np.array([0.9, 0.1])
    draws = Draws(codes, np.zeros(2000, np.int64), weights)
    found = model.adjusted(draws, shares, 0.5, AdaptConstants())
    np.testing.assert_allclose(weights @ found.chances(codes) / weights.sum(), shares, atol=1e-6)
