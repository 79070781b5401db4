"""The number of rows of a table, estimated from its own rows and from the counts of its owner."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.accounting import Budget
from sdv_threea.constants import HALF, RelationalConstants
from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.relational.allotment import share_magnitudes
from sdv_threea.relational.magnitudes import FIRST, MIDDLES, Magnitudes
from sdv_threea.relational.row_counts import (
    agree,
    believe,
    count_owned,
    estimate_size,
    lend_ranges,
    most_rows,
    most_units,
    place_rows,
    raise_size,
)

CONSTANTS = RelationalConstants()


def test_a_count_is_believed_if_noise_hardly_explains_it():
    assert believe(31.0, 10.0, CONSTANTS) == 31.0
    assert believe(28.0, 10.0, CONSTANTS) == 0.0
    assert believe(1.0, 0.0, CONSTANTS) == 1.0


def test_rows_beyond_the_bound_are_added_to_those_within():
    magnitudes = Magnitudes(np.where(FIRST == 3, 50.0, 0.0), 16.0 * np.diag(FIRST == 3))

    # Within the bound, a count of 40 and the magnitudes' 50 are weighed by their noise.
    found, noise = estimate_size(magnitudes, 1, 40.0, 3.0)
    assert found == pytest.approx((16 * 40 + 9 * 50) / 25 + 100)
    assert noise == pytest.approx(math.hypot(2.4, 8.0))
    assert estimate_size(magnitudes, None, 151.0, 0.0) == (151.0, 0.0)


def test_few_units_get_more_for_the_counts_that_sizes_follow_from():
    """A count of 60 units at a price of one is to have a noise of six at most."""
    budget = Budget(5.0, 1e-6, share=0.1)
    shares = [share_magnitudes(num, 0.0, budget, CONSTANTS) for num in (10, 16, 1000)]

    assert shares[0] == HALF
    assert 1 / (math.sqrt(shares[1]) * budget.mu) == pytest.approx(1.6) or shares[1] == shares[0]
    assert shares[2] == CONSTANTS.part_of_counts


def test_what_histograms_cannot_show_they_do_not_get():
    """A noise of 400 hides a thousand units from histograms, and not from a single count."""
    budget = Budget(5.0, 1e-6, share=1e-3)

    assert share_magnitudes(1000, 400.0, budget, CONSTANTS) > share_magnitudes(
        1000, 300.0, budget, CONSTANTS
    )
    assert share_magnitudes(1, 400.0, budget, CONSTANTS) == HALF


def test_a_root_has_the_units_that_are_seen_in_another_table(make):
    root = replace(make('two_level').release(epsilon=2.0).tables['a'], size=40.0, noise=0.5)
    seen = Magnitudes(np.where(FIRST == 3, 60.0, 0.0), 25.0 * np.diag(FIRST == 3))

    assert raise_size(root, seen) == pytest.approx(40 + 400 / 425 * 20)
    assert raise_size(replace(root, size=70.0), seen) == 70.0
    # Rows of three per unit, and no more than there are units.
    assert most_rows(root, seen, CONSTANTS) == pytest.approx(3 * raise_size(root, seen))
    assert most_rows(replace(root, noise=0.01), seen, CONSTANTS) == math.inf


def test_estimates_that_agree_are_weighed_by_their_noise():
    assert agree(100.0, 10.0, 110.0, 10.0, CONSTANTS) == pytest.approx(105.0)
    assert agree(100.0, 10.0, 110.0, 0.0, CONSTANTS) == 110.0
    # Noise masks the first, so the other may be far larger.
    assert agree(100.0, 90.0, 200.0, 30.0, CONSTANTS) == pytest.approx(190.0)


def test_estimates_that_disagree_are_not():
    """The second estimate may miss a tail, and without noise the first is exact."""
    assert agree(1000.0, 10.0, 900.0, 10.0, CONSTANTS) == 1000.0
    assert agree(1000.0, 900.0, 0.0, 0.0, CONSTANTS) == 1000.0
    assert agree(412.0, 0.0, 413.0, 0.0, CONSTANTS) == 412.0


def test_the_counts_of_an_owner_tell_how_many_rows_it_owns(make):
    made = make('two_level', num_units=400)
    (edge,) = made.schema.links
    parent = made.release(epsilon=math.inf).tables['a']
    total, noise = count_owned(parent, edge, 5.0)

    assert total == pytest.approx(5 + made.database.num_rows['b'], rel=0.05)
    assert noise == 0
    assert count_owned(made.release(epsilon=2.0).tables['a'], edge, 0.0)[1] > 0


def test_rows_within_a_magnitude_are_those_that_the_histogram_of_the_owner_shows(make):
    made = make('two_level', num_units=400)
    (edge,) = made.schema.links
    parent = made.release(epsilon=math.inf).tables['a']
    owned = np.bincount(made.database.parents[edge])
    # Four or five rows are one magnitude.
    mean = owned[(owned == 4) | (owned == 5)].mean()
    found = place_rows(Magnitudes(np.zeros(len(FIRST))), parent, edge).middles
    masked = place_rows(Magnitudes(np.zeros(len(FIRST))), replace(parent, noise=1e3), edge).middles

    assert abs(mean - MIDDLES[3]) > 0.1
    assert found[3] == pytest.approx(mean, abs=0.02)
    assert found[-3:].tolist() == MIDDLES[-3:].tolist()
    assert masked == pytest.approx(MIDDLES, abs=0.01)


def test_no_more_units_have_rows_in_a_table_than_rows_of_its_owner_own_any(make):
    made = make('two_level', num_units=400)
    (edge,) = made.schema.links
    parent = made.release(epsilon=math.inf).tables['a']
    owners = len(np.unique(made.database.parents[edge]))

    assert owners < 390
    assert most_units(parent, parent, edge) == pytest.approx(owners, rel=0.01)
    # Two estimates have noise, and rows without an owner are units, too.
    assert most_units(parent, replace(parent, noise=0.01), edge) == pytest.approx(owners + 4)
    loose = replace(edge, required=False)
    assert most_units(parent, parent, loose) == parent.size


def test_open_numbers_get_the_range_of_similar_ones_in_tables_that_noise_does_not_mask(make):
    made = make('chain').release(epsilon=50.0)
    tables = {name: replace(own, noise=0.01) for name, own in made.tables.items() if name != 'c'}
    owner = made.schema.owners['c']
    wanted = Domain((Number(name='amount'), Number(name='other'), Category(name='kind')))

    def lend(**known):
        return lend_ranges(wanted, made.schema, owner, tables | known)['amount'].usual

    given = tables['b'].released.domain['amount']
    assert lend() == (given.low, given.high)
    assert lend_ranges(wanted, made.schema, owner, tables)['other'].usual is None
    shifted = replace(given, low=5.0, high=7.0)
    far = replace(tables['a'].released, domain=Domain((shifted,)))
    masked = replace(tables['b'], noise=0.4)
    assert lend(a=replace(tables['a'], released=far)) == (given.low, given.high)
    assert lend(a=replace(tables['a'], released=far), b=masked) == (5.0, 7.0)
    times = replace(shifted, steps=TIME_STEPS), Number(name='amount', steps=TIME_STEPS)
    dated, wanted = (Domain((each,)) for each in times)
    assert lend(b=replace(tables['b'], released=replace(far, domain=dated))) == (5.0, 7.0)
    assert lend() is None
