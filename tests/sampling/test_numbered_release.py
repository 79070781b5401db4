"""Sampling where the number of a row follows from its other codes: free, and under conditions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.pipeline import release as run_pipeline
from sdv_threea.sampling.asked import CodeCondition
from sdv_threea.settings import Settings

DOMAIN = Domain(
    (
        Number(name='hour', low=0.0, high=23.0, step=1.0, nullable=False),
        Category(name='day', values=('work', 'free'), nullable=False),
        Number(name='other', low=-4.0, high=4.0, step=0.0, nullable=False),
        Number(name='count', low=0.0, high=100.0, step=1.0, nullable=True),
    ),
    target='count',
)


def make_table(num_rows=6000, seed=0):
    """Counts peak at one hour on work days, and at another one on free days."""
    rng = np.random.default_rng(seed)
    hour, free = rng.integers(0, 24, num_rows), rng.random(num_rows) < 0.4
    peak = np.where(free, 14, 6)
    count = 60 * np.exp(-np.square((hour - peak) / 3)) + rng.gamma(4, 4, num_rows)
    count = np.rint(count).clip(0, 100)
    count[rng.random(num_rows) < 0.1] = np.nan
    return pd.DataFrame(
        {
            'hour': hour.astype(float),
            'day': np.where(free, 'free', 'work').astype(object),
            'other': rng.normal(0, 1, num_rows).clip(-4, 4),
            'count': count,
        }
    )


@pytest.fixture(scope='module')
def released():
    settings = Settings(epsilon=8.0, delta=1e-5)
    return run_pipeline(make_table(), DOMAIN, settings, rng=np.random.default_rng(1))


@pytest.fixture(scope='module')
def free(released):
    return released.sample(100_000, np.random.default_rng(2))


def explain(rows):
    """The share of the counts' variance between hours of both kinds of days."""
    rows = rows.dropna()
    means = rows.groupby(['hour', 'day'])['count'].transform('mean')
    return np.var(means) / np.var(rows['count'])


def test_numbers_follow_from_columns_together(released, free):
    plain = replace(released, adapted=None).sample(50_000, np.random.default_rng(2))
    assert explain(make_table()) > 0.8
    # Triples of columns say a part of it, and what is adapted to the loss the rest.
    assert explain(free) > explain(plain) + 0.1
    # And are distributed as the density has them.
    ends = np.arange(0, 101, 10)
    shares = [np.histogram(each['count'].dropna(), ends)[0] for each in (free, plain)]
    assert np.abs(shares[0] / shares[0].sum() - shares[1] / shares[1].sum()).max() < 0.02
    assert free['count'].isna().mean() == pytest.approx(0.1, abs=0.03)


def sample_wanted(released, num_rows, seed, **wanted):
    """Sample rows all of whose numbers are wanted, as the middles of bins tell."""
    asked = {}
    for name, is_wanted in wanted.items():
        edges = released.transformers[released.domain.names.index(name)].edges
        mask = np.append(False, is_wanted((edges[:-1] + edges[1:]) / 2))
        asked[name] = CodeCondition(np.full(num_rows, -1), mask[None], released.chances(name) > 0)
    return released.sample(num_rows, np.random.default_rng(seed), asked)


def test_rows_with_wanted_numbers_are_those_that_have_them(released, free):
    """A condition on the number has the law of rejection."""
    given = sample_wanted(released, 5000, 3, count=lambda count: count > 50)
    assert (given['count'] > 45).all()
    kept = free[free['count'] > 50]
    shares = [
        pd.crosstab(pd.cut(each['hour'], [3, 9, 17]), each['day'], normalize='all')
        for each in (given, kept)
    ]
    assert np.abs(shares[0].to_numpy() - shares[1].to_numpy()).max() < 0.06


def test_conditions_on_others_are_met_before_the_number_is_drawn(released, free):
    hours = {'hour': lambda hour: np.abs(hour - 6) < 1.2}
    given = sample_wanted(released, 2000, 4, count=lambda count: count > 30, **hours)
    assert given['hour'].between(4.5, 7.5).all() and (given['count'] > 25).all()
    assert (given['day'] == 'work').mean() > 0.75
    alone = sample_wanted(released, 2000, 4, **hours)
    near = free[free['hour'].between(4.9, 7.1)]
    assert alone['count'].mean() == pytest.approx(near['count'].mean(), abs=6)
