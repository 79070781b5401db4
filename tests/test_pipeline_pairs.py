"""The whole release where pairs of columns are counted: who pays."""

import math

import numpy as np
import pytest
from small_people import PUBLIC, make_table, retarget

from sdv_threea.pipeline import release
from sdv_threea.planning.shares import FOR_PAIRS, share_stages
from sdv_threea.settings import SHARES, Settings


@pytest.mark.parametrize('epsilon', [2.0, math.inf])
def test_without_a_target_pairs_of_columns_come_last_and_get_what_is_left(epsilon):
    settings = Settings(epsilon=epsilon, delta=1e-5, alpha=1.0, shares=SHARES | {'size': 0.0})
    released = release(make_table(2000), retarget(PUBLIC, None), settings)

    receipts = list(released.ledger.receipts)
    (before,) = (at for at, each in enumerate(receipts) if 'moments' in each.released)
    first, *between = receipts[before + 1 :]
    last = between.pop() if epsilon < math.inf else first  # without noise once is enough
    for each in (first, last):
        assert each.released.startswith('interactions of 5 columns and 10 pairs of columns, in')
        assert each.released.endswith(' bins each')
    # There may be a look at the triples of five columns, and some may be counted.
    assert all(' triples of columns' in each.released for each in between)
    assert {each.stage for each in receipts[before:]} == {'approximate'}
    assert len(released.joint.tables) <= 10
    if epsilon < math.inf:
        shares = share_stages(retarget(PUBLIC, None), settings)
        costs = [each.mu**2 for each in (first, *between, last)]
        paid = np.array(costs) / released.ledger.mu**2 * sum(shares.values())
        assert paid[0] == pytest.approx(shares['pairs'])
        assert paid.sum() == pytest.approx(sum(shares[stage] for stage in FOR_PAIRS))
