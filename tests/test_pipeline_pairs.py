"""The whole release where pairs of columns are counted: who pays, and what a record moves."""

from __future__ import annotations

import math
from functools import reduce
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from small_people import PUBLIC, make_table, retarget

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.joint import counting
from sdv_threea.joint.interactions import release_interactions, weigh_pairs
from sdv_threea.pipeline import release
from sdv_threea.settings import SHARES, Settings
from sdv_threea.stages import FOR_PAIRS, stage_shares


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
        shares = stage_shares(retarget(PUBLIC, None), settings)
        costs = [each.mu**2 for each in (first, *between, last)]
        paid = np.array(costs) / released.ledger.mu**2 * sum(shares.values())
        assert paid[0] == pytest.approx(shares['pairs'])
        assert paid.sum() == pytest.approx(sum(shares[stage] for stage in FOR_PAIRS))


def test_pairs_of_a_rare_value_are_released_with_less_noise(rng, monkeypatch):
    """Of 10,000 rows a hundred are marked; twelve of 78 pairs are of the mark."""
    numbers = {f'x{at}': rng.normal(size=10_000) for at in range(11)}
    table = pd.DataFrame(numbers | {'kind': rng.choice(list('abcdefgh'), 10_000)})
    table['mark'] = np.where(np.arange(10_000) < 100, 'yes', 'no')
    numerical = (Number(name=name, low=-8.0, high=8.0, nullable=False) for name in numbers)
    kind = Category(name='kind', values=tuple('abcdefgh'), nullable=False)
    mark = Category(name='mark', values=('no', 'yes'), nullable=False)
    seen = []

    def spy(rows, bins, weights, **terms):
        seen.append(weights)
        return release_interactions(rows, bins, weights, **terms)

    monkeypatch.setattr(counting, 'release_interactions', spy)
    domain, settings = Domain((*numerical, kind, mark)), Settings(epsilon=2.0, alpha=1.0)

    def quiet(size, scale):
        """With all of the noise, one fit in thirty takes the mark for too rare to be paired."""
        return np.rint(rng.normal(0, scale / 10, size)).astype(np.int64)

    table = table.astype(dict.fromkeys(['kind', 'mark'], object))
    released = release(table, domain, settings, noise=quiet)

    sizes = [int(column.of_code.max()) + 1 for column in released.joint.columns]
    plain = weigh_pairs(sizes, list(combinations(range(13), 2)))
    times = [seen[0][0, at] / plain[0, at] for at in (1, 12)]
    assert times[1] / times[0] == pytest.approx(1.6, rel=0.1)


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_the_sensitivity_of_pairs_is_that_of_the_bins_they_are_counted_in(neighbors):
    """Computed once more, from the bins of the release: a record adds products of contrasts."""
    settings = Settings(epsilon=2.0, delta=1e-5, neighbors=neighbors, alpha=1.0)
    released = release(make_table(2000), retarget(PUBLIC, None), settings)

    receipts = [each for each in released.ledger.receipts if 'pairs of columns' in each.released]
    sizes = [int(column.of_code.max()) + 1 for column in released.joint.columns]
    squared = 0.0
    for columns, weight in weigh_pairs(sizes, list(combinations(range(5), 2))).items():
        bins = [np.arange(sizes[at]) for at in columns]
        added = weight * reduce(np.multiply.outer, [len(own) * (own == 0) - 1.0 for own in bins])
        moved = np.square(added).sum()
        if neighbors == 'replace_one':
            others = product(*(range(2) for _ in columns))
            moved = max(
                np.square(added - np.roll(added, by, range(len(by)))).sum() for by in others
            )
        squared += moved
    assert len(receipts) == 2
    for receipt in receipts:
        assert receipt.sensitivity == pytest.approx(math.sqrt(squared), rel=1e-12)
