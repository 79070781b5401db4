"""What samples show of numbers depends on no unit and no origin, and they are not those fitted."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_threea import ClustMixSynthesizer, pipeline
from sdv_threea.synthesizers import single_table

SIZE = 2000

#: How far numbers lie from zero, in their own spreads, and their unit as a power of ten.
DISTANCES = st.floats(-1e8, 1e8) | st.floats(-100, 100) | st.sampled_from([0.0, 1e9, -1e9])
POWERS = st.floats(-3, 6)


def make_numbers(kind):
    rng = np.random.default_rng(5)
    drawn = {'even': rng.random, 'hump': rng.standard_normal, 'skewed': partial(rng.gamma, 2, 1)}
    return np.round(10 * drawn[kind](size=SIZE), 2)


def draw_like(numbers):
    """Fit numbers with the same small noise whatever they are, and sample as many."""
    fixed = {'noise': draw_from(np.random.default_rng(7)), 'rng': np.random.default_rng(2)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_table, 'release', lambda *each: pipeline.release(*each, **fixed))
        synthesizer = ClustMixSynthesizer(describe({'x': 'numerical'}), epsilon=8.0)
        synthesizer.fit({'t': pd.DataFrame({'x': numbers})})
        return synthesizer.sample(SIZE)['t']['x'].to_numpy()


@pytest.mark.parametrize('kind', ['even', 'hump', 'skewed'])
def test_shifted_and_scaled_numbers_come_back_shifted_and_scaled(kind):
    numbers = make_numbers(kind)
    shares = np.linspace(0, 1, 101)

    @given(DISTANCES, POWERS)
    @settings(max_examples=12, derandomize=True)
    def check(distance, power):
        unit, offset = 10**power, distance * 10**power * numbers.std()
        drawn = (draw_like(offset + unit * numbers) - offset) / unit
        apart = np.quantile(drawn, shares) - np.quantile(numbers, shares)

        assert np.abs(apart).mean() < 0.1 * numbers.std()
        assert np.mean((drawn < numbers.min()) | (drawn > numbers.max())) < 0.05
        assert np.mean((numbers < drawn.min()) | (numbers > drawn.max())) < 0.05

    check()


def test_rows_of_continuous_numbers_are_not_the_rows_fitted():
    """Without noise, what 200 rows can tell is bounded by their number."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(np.round(50 + 10 * rng.normal(size=(200, 4)), 1), columns=list('abcd'))
    metadata = describe(dict.fromkeys(table, 'numerical'))
    synthesizer = ClustMixSynthesizer(metadata, epsilon=math.inf)
    synthesizer.fit({'t': table})
    rows = synthesizer.sample(200)['t']

    assert len(rows.merge(table)) == 0
    assert rows.mean().to_numpy() == pytest.approx(table.mean().to_numpy(), abs=3)
