import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from

from sdv_threea.constants import OWN_CODE, DescribeConstants
from sdv_threea.describe import answers
from sdv_threea.describe.description import describe
from sdv_threea.domain import Category, Domain, Number

CONSTANTS = DescribeConstants()
describe = partial(describe, constants=CONSTANTS)


def get_values(description):
    return description.domain['c'].values  # noqa: PD011 (no pandas)


def test_only_blanks_are_filled(gaussian, rng, ask):
    table = pd.DataFrame({'x': rng.normal(50, 10, size=5000)})
    column = Number(name='x', low=0.0, nullable=True)
    description, _ = ask(table, gaussian, Domain((column,)))
    filled = description.domain['x']

    assert (filled.low, filled.nullable, filled.step) == (0.0, True, 0.0)
    assert 80 < filled.high < 200
    assert description.estimated == ('x',)


@pytest.mark.parametrize('nullable', [None, True])
def test_a_column_that_is_nearly_always_missing_is_not_guessed_across_the_grid(
    gaussian, ask, nullable
):
    """The records without a value are no evidence that its numbers lie anywhere."""
    table = pd.DataFrame({'x': [90.0] * 20 + [np.nan] * 4000})
    domain = Domain((Number(name='x', nullable=nullable),))
    description, _ = ask(table, gaussian, domain, num_records=4020.0)
    filled = description.domain['x']

    assert -(2.0**40) < filled.low < filled.high < 2.0**40


def test_frequent_values_are_found_and_rare_ones_are_not(gaussian, ask):
    table = pd.DataFrame({'c': ['a'] * 3000 + [7] * 2000 + [True] * 900 + list(range(100, 150))})
    domain = Domain((Category(name='c', nullable=False),))

    assert get_values(ask(table, gaussian, domain)[0]) == ('a', True, 7)


def test_a_column_without_frequent_values_is_missing_throughout(gaussian, ask):
    table = pd.DataFrame({'c': [f'name {at}' for at in range(500)]})
    description, _ = ask(table, gaussian, Domain((Category(name='c', nullable=False),)))

    assert get_values(description) == ()
    assert description.domain['c'].nullable


def test_spikes_are_heavy_single_numbers(gaussian, rng, ask):
    values = np.where(rng.random(20_000) < 0.1, 99_999, np.round(rng.lognormal(3, 1, 20_000), 3))
    description, _ = ask(pd.DataFrame({'x': values}), gaussian, Domain((Number(name='x'),)))

    assert list(description.spikes['x']) == [99_999.0]
    assert description.domain['x'].sentinels == (99_999.0,)
    assert 40 < description.domain['x'].high < 99_999
    assert description.domain['x'].step == 0.001


@pytest.mark.parametrize('mu', [0.5, math.inf])
def test_buckets_leave_out_no_heavy_value(monkeypatch, rng, mu, ask):
    """The same spikes as where one bucket has all; and at ``mu=inf`` the bar is known."""
    counts, gaps = np.arange(180), [math.nan] * 1_000
    numbers = np.concatenate([np.repeat(counts + 0.25, counts), [-0.0] * 75, [0.0] * 75])
    rest = 40_000 - len(numbers)
    numbers = np.concatenate([numbers, rng.normal(size=rest), gaps])
    table, domain = pd.DataFrame({'x': numbers}), Domain((Number(name='x', step=0.0),))

    def describe_spikes():
        noise = draw_from(np.random.default_rng(3))
        return ask(table, noise, domain, mu=mu)[0].spikes['x']

    found = describe_spikes()
    monkeypatch.setattr(answers, '_find_buckets', lambda own: np.where(np.isnan(own), -1, 0))
    assert found == describe_spikes()
    assert len(found) > 50
    if mu == math.inf:
        heavy = {value + 0.25: float(value) for value in counts[counts >= OWN_CODE * 40_000]}
        assert found == heavy | {0.0: 150.0}
