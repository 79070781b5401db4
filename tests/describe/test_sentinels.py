"""Numbers that stand for something else, far from all others."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import TIME_STEPS, Domain, Number

LAST_DAY = (np.datetime64('9999-12-31', 's') - np.datetime64('2000-01-01', 's')).astype(float)


@pytest.fixture
def find(ask, gaussian):
    def find(values, **known):
        table = pd.DataFrame({'x': np.asarray(values, dtype=float)})
        domain = Domain((Number(name='x', **known),))
        terms = {'mu': 1.0, 'num_records': float(len(values))}
        return ask(table, gaussian, domain, **terms)[0].domain['x']

    return find


@pytest.mark.parametrize(
    ('low', 'high', 'codes', 'known'),
    [
        (18, 94, [999], {'step': 1.0}),
        (1, 5, [-9, -7], {}),
        (0, 400, [-5555], {'step': 1.0}),  # no usual code: found by a closer look
        (0, 365 * 86_400, [LAST_DAY], {'steps': TIME_STEPS}),
    ],
)
def test_a_frequent_value_far_off_is_one_of_its_own(find, rng, low, high, codes, known):
    values = rng.integers(low, high + 1, 4000)
    values[:200] = rng.choice(codes, 200)
    found = find(values, **known)

    assert found.sentinels == tuple(codes)
    width = high - low
    assert low - width / 4 <= found.low < low + width / 4
    assert high - width / 4 < found.high <= high + 2 * width


def test_stated_sentinels_are_no_part_of_the_range(find, rng):
    """However near to other values they are, and however rare."""
    values = rng.integers(10, 95, 4000)
    values[:3], values[3:200] = 1, 200
    found = find(values, sentinels=(1.0, 200.0))

    assert found.sentinels == (1.0, 200.0)
    assert 1 < found.low <= found.high < 128


@pytest.mark.parametrize(('values', 'sentinels'), [
    ([1, 9], ()),
    ([2, 13], ()),
    ([1, 999], (999.0,)),
    ([1, -9], (-9.0,)),
    ([1, 2, 9], (9.0,)),
])  # fmt: skip
def test_of_few_single_values_only_a_telling_code_is_a_sentinel(find, rng, values, sentinels):
    found = find(rng.choice(values, 4000), step=1.0)
    others = np.setdiff1d(values, sentinels)

    assert found.sentinels == sentinels
    assert found.low <= others.min() <= others.max() <= found.high
