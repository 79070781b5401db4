"""The pictures of the page: what is drawn, labels, and sentences where there is nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.distributions import Distribution
from sdv_threea.report.figures import draw_budget, draw_distribution, draw_pairs


def make_receipt(stage, mu, *, charged=True):
    return {'stage': stage, 'mu': mu, 'charged': charged}


def test_the_budget_is_shared_by_squared_mu_over_charged_stages():
    receipts = [
        make_receipt('encoding', 1.0),
        make_receipt('anonymize', 1.0),
        make_receipt('anonymize', np.sqrt(2.0)),
        make_receipt('adapt', 5.0, charged=False),
    ]
    (bars,) = draw_budget(receipts).data

    assert list(bars.y) == ['encoding', 'anonymize']
    np.testing.assert_allclose(bars.x, [0.25, 0.75])
    assert list(bars.text) == ['25%', '75%']


@pytest.mark.parametrize('receipts', [[], [make_receipt('anonymize', np.inf)]])
def test_a_budget_without_noise_or_receipts_says_so(receipts):
    drawn = draw_budget(receipts)
    assert not drawn.data
    assert 'nothing was charged' in drawn.layout.annotations[0].text


@pytest.mark.parametrize('binned', [True, False])
def test_a_distribution_draws_the_shares_of_both_tables(binned):
    labels = pd.Index([1.0, 2.0]) if binned else pd.Index(['a', 'b'])
    shares = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    drawn = draw_distribution(
        Distribution(labels=labels, real=shares[0], synthetic=shares[1], binned=binned)
    )

    assert [trace.name for trace in drawn.data] == ['real', 'synthetic']
    for trace, expected in zip(drawn.data, shares, strict=True):
        np.testing.assert_allclose(trace.y if binned else trace.x, expected)
    if not binned:
        assert list(drawn.layout.yaxis.ticktext) == ['a', 'b']


def test_levels_that_look_alike_once_shortened_stay_apart():
    labels = pd.Index(
        ['a very long name of a level, part 1', 'a very long name of a level, part 2']
    )
    halves = np.array([0.5, 0.5])
    drawn = draw_distribution(
        Distribution(labels=labels, real=halves, synthetic=halves, binned=False)
    )

    assert len(set(drawn.layout.yaxis.ticktext)) == 1
    assert list(drawn.data[0].y) == [0, 1]


def test_pairs_are_symmetric_and_undefined_ones_stay_empty():
    pairs = pd.DataFrame(
        {'Column 1': ['a', 'a'], 'Column 2': ['b', '<i>c'], 'Score': [0.75, np.nan]}
    )
    drawn = draw_pairs(pairs)

    expected = [[np.nan, 0.75, np.nan], [0.75, np.nan, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(drawn.data[0].z, expected)
    assert list(drawn.layout.xaxis.ticktext) == ['a', 'b', '&lt;i&gt;c']


def test_a_single_column_has_no_pair_to_draw():
    drawn = draw_pairs(pd.DataFrame(columns=['Column 1', 'Column 2', 'Score']))
    assert not drawn.data
    assert 'no two columns' in drawn.layout.annotations[0].text
