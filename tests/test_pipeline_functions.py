"""Columns that follow from others, such as the zone of a place, do so in drawn rows too."""

import math

import numpy as np
import pandas as pd
import pytest

from sdv_threea.accounting import delta_from_mu
from sdv_threea.domain import Category, Domain
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings

PLACES = Domain(
    tuple(
        Category(name=name, values=tuple(range(size)), nullable=False)
        for name, size in {'code': 40, 'name': 40, 'place': 10, 'zone': 3, 'kind': 4}.items()
    )
)


def make_places(num_rows, seed=0):
    """A code says the name, which says the place, which says the zone."""
    rng = np.random.default_rng(seed)
    codes, names = rng.integers(0, 40, num_rows), rng.permutation(40)
    places, zones = rng.permutation(40) % 10, rng.permutation(10) % 3
    table = {'code': codes, 'name': names[codes]}
    table['place'] = places[table['name']]
    table['zone'] = zones[table['place']]
    table['kind'] = rng.integers(0, 4, num_rows)
    return pd.DataFrame(table).astype(object)


def count_breaks(real, synthetic):
    """The share of rows in which a column is not what it follows from says, by relation."""
    found = {}
    for one, other in (('code', 'name'), ('name', 'place'), ('place', 'zone'), ('code', 'zone')):
        says = dict(zip(real[one], real[other], strict=True))
        found[one, other] = (synthetic[one].map(says) != synthetic[other]).mean()
    return found


@pytest.mark.parametrize(('epsilon', 'most'), [(1.0, 0.03), (8.0, 0.005), (math.inf, 1e-4)])
def test_columns_that_follow_from_others_do_so_in_rows_that_are_drawn(epsilon, most):
    table = make_places(30_000)
    released = release(table, PLACES, Settings(epsilon=epsilon, delta=1e-5))

    drawn = released.sample(30_000, np.random.default_rng(0))

    breaks = count_breaks(table, drawn)
    assert max(breaks.values()) < most, breaks
    last = [each.released for each in released.ledger.receipts if 'pairs' in each.released]
    assert last[1] == 'histograms of 3 pairs of columns, in up to 41 codes each'
    spent = delta_from_mu(released.ledger.mu, epsilon) if epsilon < math.inf else 1e-5
    assert 0.999e-5 < spent <= 1e-5
