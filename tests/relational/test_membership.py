"""The unit of every row, compared with a walk over single rows; and bounds on its rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_threea.rows.units.membership import (
    LEFT_OUT,
    bound_rows,
    count_children,
    find_units,
    rank_within,
)

SHAPES = [
    'single', 'two_level', 'chain', 'diamond', 'one_to_one', 'orphans', 'two_keys', 'loose', 'star',
    'optional_first'
]  # fmt: skip


def find(made):
    return find_units(made.schema, made.database.num_rows, made.database.parents)


def walk_up(made, table, row):
    """Find the row at the upper end of the path from a row: the unit that it belongs to."""
    for link in made.schema.unit_links[table]:
        if (above := made.database.parents[link][row]) >= 0:
            return walk_up(made, link.parent, above)
    return table, row


@pytest.mark.parametrize('shape', SHAPES)
def test_units_are_what_a_walk_up_finds(make, shape):
    made = make(shape)
    names = {}
    for table, units in find(made).items():
        for row, unit in enumerate(units):
            # Each number stands for one row at the upper end, and for no other.
            # So a row of two units counts for one, and an orphan for itself with its children.
            assert names.setdefault(unit, walk_up(made, table, row)) == walk_up(made, table, row)
    assert len(set(names.values())) == len(names)
    assert LEFT_OUT not in names


def test_a_row_belongs_to_its_owner_also_where_another_key_comes_first(make):
    made = make('optional_first')
    (_, holder), units = made.schema.links, find(made)
    assert made.schema.owners['b'] == holder
    assert (units['b'] == units['a'][made.database.parents[holder]]).all()


def test_ranks_number_the_rows_of_each_group():
    groups = np.random.default_rng(0).integers(0, 20, 300)
    ranks = rank_within(groups, np.random.default_rng(1))

    for group in range(20):
        inside = np.sort(ranks[groups == group])
        assert inside.tolist() == list(range(len(inside)))


def test_each_row_is_kept_with_the_same_chance():
    rng, units = np.random.default_rng(2), np.repeat([5, 9], [10, 3])
    kept = sum(bound_rows(units, 4, rng).astype(int) for _ in range(3000))

    assert kept[10:].tolist() == [3000] * 3
    chance = stats.binom(3000, 0.4)
    assert chance.ppf(1e-6) <= kept[:10].min() <= kept[:10].max() <= chance.isf(1e-6)


@pytest.mark.parametrize('bound', [1, 2, 7])
def test_no_unit_has_more_rows_than_the_bound(bound):
    rng = np.random.default_rng(3)
    units = np.where(rng.random(500) < 0.2, LEFT_OUT, rng.geometric(0.1, 500))
    kept = bound_rows(units, bound, rng)
    counts = pd.Series(units[kept]).value_counts()

    assert not (kept & (units == LEFT_OUT)).any()
    assert counts.max() == bound
    expected = pd.Series(units[units != LEFT_OUT]).value_counts().clip(upper=bound)
    assert counts.sort_index().tolist() == expected.sort_index().tolist()


def test_rows_that_come_sooner_do_so_with_a_chance_of_one_half():
    units, sooner = np.repeat(np.arange(2000), 5), np.arange(10_000) % 5 == 0
    kept = bound_rows(units, 1, np.random.default_rng(3), sooner)

    chance = stats.binom(2000, 0.5 + 0.5 / 5)
    assert chance.ppf(1e-7) <= (kept & sooner).sum() <= chance.isf(1e-7)


def test_without_a_bound_all_but_rows_that_are_left_out_are_kept():
    units = np.array([1, 1, LEFT_OUT, 2])

    assert bound_rows(units, None, np.random.default_rng(0)).tolist() == [True, True, False, True]


def test_which_rows_are_kept_does_not_hang_on_other_units():
    units = np.array([1] * 6 + [2] * 4)
    chances = {}
    for others in (0, 400):
        rng = np.random.default_rng(4)
        padded = np.concatenate([units, np.arange(100, 100 + others)])
        kept = sum(bound_rows(padded, 2, rng)[:10].astype(int) for _ in range(2000))
        chances[others] = kept / 2000
    assert np.abs(chances[0] - chances[400]).max() < 0.08


@pytest.mark.parametrize(('shape', 'child'), [('diamond', 'd'), ('two_keys', 'b')])
def test_children_are_counted_with_their_owner(make, shape, child):
    """Also where the owner of some is missing, and they belong to a unit by another key."""
    made = make(shape)
    owner = made.schema.owners[child]
    counts = count_children(owner, find(made), made.database.parents)

    referred = made.database.parents[owner]
    assert counts.tolist() == [sum(referred == row) for row in range(len(counts))]
