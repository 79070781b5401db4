"""The algorithm of the paper: its objective, its slopes, and that its mixes are sums of groups."""

import math

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.adapt.features import make_features
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.paper import LEAST_MIXED, _see, group_size, induce, support_loss

pytestmark = pytest.mark.filterwarnings('ignore')

COLUMNS = {
    'x': {'sdtype': 'numerical', 'range_min': -9.0, 'range_max': 9.0},
    'y': {'sdtype': 'numerical', 'range_min': -9.0, 'range_max': 9.0},
    'kind': {'sdtype': 'categorical', 'range_values': ['one', 'other']},
}


@pytest.fixture(scope='module')
def features():
    points = np.random.default_rng(0).integers(-8000, 8000, size=(400, 2))
    terms = {'num_landmarks': 50, 'rank': 6, 'unclipped': 0.9}
    return make_features(points, np.ones(len(points)), ReluNtk(), **terms)


@pytest.fixture(scope='module')
def moments():
    vectors = np.random.default_rng(1).normal(size=(60, 8))
    return vectors.T @ vectors


def test_the_loss_has_the_slope_that_it_says(moments):
    rng = np.random.default_rng(2)
    phi, targets = rng.normal(size=(4, 6)), np.eye(2)[[0, 0, 1, 1]]
    _, slope = support_loss(phi, targets, moments)
    for at in np.ndindex(*phi.shape):
        nudge = np.zeros_like(phi)
        nudge[at] = 1e-6
        up, down = (support_loss(phi + sign * nudge, targets, moments)[0] for sign in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9)


def test_a_regression_that_says_zero_has_half_the_loss(moments):
    loss, _ = support_loss(np.zeros((4, 6)), np.eye(2)[[0, 0, 1, 1]], moments)
    assert loss == pytest.approx(0.5)


def test_points_move_downhill_and_stay_where_only_the_density_counts(features, moments):
    start = np.random.default_rng(3).normal(size=(4, 2))
    targets = np.eye(2)[[0, 0, 1, 1]]
    known = targets, features, moments
    assert np.array_equal(induce(start, *known, alpha=1.0), start)
    moved = induce(start, *known, alpha=0.0)
    before = support_loss(_see(start, features)[0], targets, moments)[0]
    after = support_loss(_see(moved, features)[0], targets, moments)[0]
    assert after < 0.99 * before


def test_groups_are_as_large_as_the_noise_of_their_mean_asks():
    radius = 3 * 2**12
    assert group_size(radius, math.inf) == LEAST_MIXED
    assert group_size(radius, 0.01) == pytest.approx(10 * group_size(radius, 0.1), rel=0.1)


def make_clusters(num_rows):
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=num_rows)
    points = np.where(kind[:, None] == 1, [4.0, 4.0], [-4.0, 4.0])
    points = points * rng.choice([-1, 1], size=(num_rows, 1)) + rng.normal(size=(num_rows, 2))
    table = pd.DataFrame(points.clip(-9, 9).round(2), columns=['x', 'y'])
    return table.assign(kind=np.where(kind == 1, 'one', 'other'))


@pytest.mark.parametrize('guarantee', ['end_to_end', 'paper'])
@pytest.mark.parametrize('mixing', ['clusters', 'random'])
def test_mixes_are_fitted_charged_and_sampled(mixing, guarantee):
    metadata = Metadata.load_from_dict({'tables': {'toy': {'columns': COLUMNS}}})
    settings = {'mixing': mixing, 'guarantee': guarantee, 'alpha': 0.2}
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=50.0, target_column='kind', public_metadata=True, **settings
    )
    table = make_clusters(3000)
    synthesizer.fit({'toy': table})
    records = synthesizer.get_privacy_statement().receipts
    adapted = {'components', 'features'} if mixing == 'clusters' else set()
    assert {'mixes'} | adapted <= {each.statistic for each in records}
    charged = {each.statistic for each in records if each.charged}
    assert ('features' in charged) == (bool(adapted) and guarantee == 'end_to_end')
    assert 'mixes' in charged
    budget = synthesizer.settings.budget(thresholds=True).mu
    spent = math.hypot(*(each.mu for each in records if each.charged))
    assert spent == pytest.approx(budget, rel=1e-6)
    samples = synthesizer.sample(2000)['toy']
    # A class has two clusters, at opposite corners: clusters are kept apart, a random mix is not.
    same_side = (np.sign(samples['x']) == np.sign(samples['y'])) == (samples['kind'] == 'one')
    assert (same_side.mean() > 0.9) == (mixing == 'clusters')


def test_another_way_to_mix_is_refused():
    metadata = Metadata.load_from_dict({'tables': {'toy': {'columns': COLUMNS}}})
    with pytest.raises(SynthesizerInputError, match='mixing must be one of'):
        ClustMixSynthesizer(metadata, mixing='clustres')
