"""Sampling where the classes of rows follow from their codes: free, and under conditions."""

import math
from dataclasses import replace

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from together import make_wide, make_wide_domain
from unpaired import Unpaired

from sdv_threea.adapt import target_stage
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.pipeline import release as run_pipeline
from sdv_threea.sampling.asked import CodeCondition

DOMAIN = Domain(
    (
        Number(name='number', low=0.0, high=100.0, step=1.0, nullable=False),
        Category(name='color', values=('red', 'blue'), nullable=False),
        Category(name='target', values=('no', 'yes'), nullable=False),
    ),
    target='target',
)


@pytest.fixture
def rng():
    return np.random.default_rng(41)


def sample_class(released, value, num_rows, rng):
    """Sample rows of a class."""
    known = released.domain['target'].values  # noqa: PD011 (not pandas)
    codes = np.full(num_rows, 1 + known.index(value))
    return released.sample(
        num_rows, rng, {'target': CodeCondition.of(codes, released.chances('target') > 0)}
    )


def make_labelled(rng, num_rows=4_000):
    """A release whose classes follow from both columns, one of them rarely of its class."""
    number = np.rint(rng.normal(55, 12, num_rows)).clip(0, 100)
    color = np.where(rng.random(num_rows) < 0.3, 'red', 'blue').astype(object)
    rare = (rng.random(num_rows) < 0.05) & (number > 50)
    target = np.where(rare, 'yes', 'no').astype(object)
    table = pd.DataFrame({'number': number, 'color': color, 'target': target})
    settings = Unpaired(epsilon=math.inf, delta=1e-6)
    return run_pipeline(table, DOMAIN, settings, rng=np.random.default_rng(1))


def test_classes_follow_from_the_codes_where_labels_are_adapted(rng):
    released = make_labelled(rng)
    rows = released.sample(20_000, rng)
    share = released.mixture.weights.sum(axis=1)[1] / released.num_rows
    assert (rows['target'] == 'yes').mean() == pytest.approx(share, rel=0.2)
    assert rows.groupby('target')['number'].mean().diff().iloc[1] > 5
    plain = replace(released, adapted=None)
    assert len(plain.sample(10, rng)) == 10


def test_labels_are_fitted_to_draws_that_show_the_evidence(rng, monkeypatch):
    """What draws of the mixture lack, which shrinks it away, the fit would unlearn.

    One component is asked for: else noise decides whether pairs are counted, and the draws theirs.
    """
    seen = {}
    weigh, adapt = target_stage.weigh_evidence, target_stage.adapt_labels
    monkeypatch.setattr(
        target_stage, 'weigh_evidence', lambda *known: weigh(*seen.setdefault('evident', known))
    )
    monkeypatch.setattr(
        target_stage,
        'adapt_labels',
        lambda rows, evidence, draws, *others, **terms: adapt(
            rows, evidence, seen.setdefault('draws', draws), *others, **terms
        ),
    )
    table = make_wide(rng, 1_000, num_columns=10)
    settings = Unpaired(epsilon=0.5, delta=1e-5)
    run_pipeline(table, make_wide_domain(table), settings, rng=rng)

    (chances, *_), draws = seen['evident'], seen['draws']
    for column, evident in zip(draws.codes.T, chances, strict=True):
        for label, wanted in enumerate(evident):
            drawn = np.bincount(column[draws.labels == label], minlength=len(wanted))
            assert np.abs(np.cumsum(drawn / drawn.sum() - wanted)).max() < 0.04


@pytest.mark.parametrize('value', ['yes', 'no'])
def test_rows_of_a_class_are_those_that_have_it(rng, value):
    """A condition on the target has the law of rejection, also for a rare class."""
    released = make_labelled(rng)
    free = released.sample(200_000, rng)
    given = sample_class(released, value, 3000, rng)
    assert (given['target'] == value).all()
    free = free[free['target'] == value].sample(3000, random_state=1, replace=value == 'yes')
    edges = [-1, 45, 55, 65, 101]
    counts = [
        pd.crosstab(pd.cut(each['number'], edges), each['color'], dropna=False).to_numpy().ravel()
        for each in (free, given)
    ]
    shares = [each / each.sum() for each in counts]
    assert np.abs(shares[0] - shares[1]).sum() < 0.12


TOGETHER = Domain(
    (
        Number(name='first', low=-4.0, high=4.0, step=0.0, nullable=True),
        Number(name='second', low=-4.0, high=4.0, step=0.0, nullable=False),
        Category(name='color', values=('red', 'blue'), nullable=False),
        Category(name='target', values=('no', 'yes'), nullable=False),
    ),
    target='target',
)


def make_together(rng, num_rows=12_000):
    """The class is the sign of a product: no column alone says anything of it."""
    numbers = rng.normal(size=(num_rows, 2)).clip(-4, 4)
    target = np.where(numbers.prod(axis=1) > 0, 'yes', 'no').astype(object)
    numbers[rng.random(num_rows) < 0.01, 0] = np.nan
    color = rng.choice(np.array(['red', 'blue'], dtype=object), num_rows)
    table = pd.DataFrame(numbers, columns=['first', 'second'])
    return table.assign(color=color, target=target)


def release_together(table, **settings):
    settings = Unpaired(**{'epsilon': math.inf, 'delta': 1e-6} | settings)
    return run_pipeline(table, TOGETHER, settings, rng=np.random.default_rng(1))


def agrees(rows):
    """How often the class is that of the product, where it is clear."""
    product = rows['first'] * rows['second']
    clear = rows[product.abs() > 0.3]
    return ((clear['first'] * clear['second'] > 0) == (clear['target'] == 'yes')).mean()


def test_rows_have_what_columns_say_only_together(rng):
    released = release_together(make_together(rng), epsilon=8.0)
    rows = released.sample(4000, rng)

    assert agrees(rows) > 0.85
    plain = replace(released, adapted=replace(released.adapted, interplay=None))
    assert agrees(plain.sample(4000, rng)) < 0.6
    copy = cloudpickle.loads(cloudpickle.dumps(released))
    same = [each.sample(300, np.random.default_rng(3)) for each in (released, copy)]
    pd.testing.assert_frame_equal(*same)
