import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import Description, describe
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.encoders import encode, make_transformers
from sdv_threea.encoding.support import narrowed, support
from sdv_threea.rows.chunks import chunk_table

describe = partial(describe, constants=DescribeConstants())
support = partial(support, constants=DescribeConstants())


def look(values, noise, *, mu=0.5, scale=3.0, rng=None, **known):
    """Describe a column, release its histogram, and ask which codes can occur."""
    table = pd.DataFrame({'x': np.asarray(values, dtype=float)})
    domain = Domain((Number(name='x', **known),))
    description, _ = describe(
        chunk_table(table), domain, mu=mu, delta=1e-6, neighbors='add_remove', noise=noise
    )
    (transformer,) = make_transformers(description)
    codes = encode(table, (transformer,))[:, 0]
    counts = np.bincount(codes[codes >= 0], minlength=transformer.size) + 0.0
    if scale:
        counts += rng.normal(0, scale, size=transformer.size)
    mask = support(transformer, description, counts, scale)
    return transformer, mask, narrowed(description, (transformer,), (mask,), (counts,))['x']


@pytest.mark.parametrize(
    ('low', 'high'), [(0, 10), (17, 90), (-5, 5), (3, 4), (7, 7), (-60, -20), (1950, 2023)]
)
def test_without_noise_the_support_is_exact(silence, rng, low, high):
    values = np.append(rng.integers(low, high + 1, size=400), [low, high])
    transformer, mask, column = look(values, silence, mu=math.inf, scale=0.0)

    if transformer.size <= 128:
        assert (column.low, column.high) == (low, high)
        assert mask.sum() == high - low + 1
    else:
        assert low <= column.low < 1955 < 2018 < column.high <= high


def test_public_ranges_are_left_alone(gaussian, rng):
    known = {'low': 0.0, 'high': 50.0, 'step': 1.0, 'nullable': False}
    _, mask, column = look(rng.integers(20, 30, size=5000), gaussian, rng=rng, **known)

    assert mask[1:].all()
    assert (column.low, column.high) == (0.0, 50.0)


def test_the_support_has_no_gaps_but_before_sentinels(gaussian, rng):
    values = rng.choice([3.0, 4.0, 6.0], size=4000)
    values[:200] = 999.0
    transformer, mask, column = look(values, gaussian, rng=rng)
    places = np.flatnonzero(mask[1:])

    assert transformer.edges[places].tolist() == [2.5, 3.5, 4.5, 5.5, 999.0]
    assert (column.low, column.high, column.sentinels) == (3.0, 6.0, (999.0,))


def find_mask(column, counts, target=None):
    """The codes of a column that can occur, by released counts."""
    domain = Domain((column,), target)
    (transformer,) = make_transformers(Description(domain))
    counts = np.asarray(counts, dtype=float)
    return support(transformer, Description(domain), counts, 10.0)


def test_a_column_of_which_no_value_is_released_shows_what_stands_for_it():
    column = Category(name='x', values=(), nullable=False, unreleased='Other')
    assert find_mask(column, [0, 5]).tolist() == [False, True]


@pytest.mark.parametrize('target', ['x', None])
def test_a_numerical_target_ends_where_its_values_do_whatever_range_is_stated(rng, target):
    """Of other columns, a stated range is left alone."""
    column = Number(name='x', low=1, high=60, step=1.0, nullable=False)
    counts = np.append(0.0, rng.normal(0, 10, 60))
    counts[5:20] += 400
    mask = find_mask(column, counts, target)

    assert mask[5:20].all()
    assert mask[1:].all() == (target is None)
    if target:
        assert mask[24:].sum() <= 20
        assert not mask[50:].any()
