"""The unit of every row, compared with a walk over single rows; and bounds on its rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_threea.units.membership import (
    DISPUTED,
    bound_rows,
    count_children,
    find_units,
    rank_within,
)

SHAPES = [
    'single', 'two_level', 'chain', 'diamond', 'one_to_one', 'orphans', 'two_keys', 'loose', 'star'
]  # fmt: skip


def find(made):
    return find_units(made.schema, made.database.num_rows, made.database.parents)


def walk_up(made, table, row):
    """List the rows at the upper ends of all paths from a row: the units it belongs to."""
    links = made.schema.unit_links(table)
    above = [(each.parent, made.database.parents[each][row]) for each in links]
    above = [(parent, at) for parent, at in above if at >= 0]
    if not above:
        return {(table, row)}
    return set.union(*(walk_up(made, parent, at) for parent, at in above))


@pytest.mark.parametrize('shape', SHAPES)
def test_units_are_what_a_walk_over_every_path_finds(make, shape):
    made = make(shape)
    names = {}
    for table, units in find(made).items():
        for row, unit in enumerate(units):
            ends = walk_up(made, table, row)
            if len(ends) > 1:
                assert unit == DISPUTED
            else:
                assert unit != DISPUTED
                # Each number stands for one row at the upper end, and for no other.
                assert names.setdefault(unit, ends) == ends
    assert len(set(map(frozenset, names.values()))) == len(names)


@pytest.mark.parametrize('shape', SHAPES)
def test_removing_a_unit_leaves_the_units_of_all_other_rows(make, neighbour, reached, shape):
    made = make(shape)
    for row in range(10):
        before, gone = find(made), reached(made, 'a', row)
        after = find(neighbour(made, 'a', row))
        renamed = {}
        for table in made.schema.private:
            assert len(after[table]) == (~gone[table]).sum()
            for old, new in zip(before[table][~gone[table]], after[table], strict=True):
                assert (old == DISPUTED) == (new == DISPUTED)
                assert renamed.setdefault(old, new) == new
            # The rows that are gone belonged to this unit, or were disputed.
            owned = before[table][gone[table]]
            assert set(owned) <= {before['a'][row], DISPUTED}
        assert len(set(renamed.values())) == len(renamed)


def test_rows_below_a_disputed_row_are_disputed(make):
    made = make('chain')
    first, second = made.schema.links
    from dataclasses import replace

    from sdv_threea.units.schema import Link, Schema

    other = Link('b', ('rival',), 'a')
    schema = Schema(made.schema.tables, (first, other, second))
    rival = np.where(np.arange(102) < 50, -1, (made.database.parents[first] + 1) % 60)
    parents = {**made.database.parents, other: rival}
    units = find(replace(made, schema=schema, database=replace(made.database, parents=parents)))
    assert (units['b'] == DISPUTED).tolist() == [row >= 50 for row in range(102)]
    below = made.database.parents[second] >= 50
    assert (units['c'] == DISPUTED).tolist() == below.tolist()


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
    units = np.where(rng.random(500) < 0.2, DISPUTED, rng.geometric(0.1, 500))
    kept = bound_rows(units, bound, rng)
    counts = pd.Series(units[kept]).value_counts()

    assert not (kept & (units == DISPUTED)).any()
    assert counts.max() == bound
    expected = pd.Series(units[units != DISPUTED]).value_counts().clip(upper=bound)
    assert counts.sort_index().tolist() == expected.sort_index().tolist()


def test_rows_that_come_sooner_do_so_with_a_chance_of_one_half():
    units, sooner = np.repeat(np.arange(2000), 5), np.arange(10_000) % 5 == 0
    kept = bound_rows(units, 1, np.random.default_rng(3), sooner)

    chance = stats.binom(2000, 0.5 + 0.5 / 5)
    assert chance.ppf(1e-7) <= (kept & sooner).sum() <= chance.isf(1e-7)


def test_without_a_bound_all_but_disputed_rows_are_kept():
    units = np.array([1, 1, DISPUTED, 2])

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


def test_children_are_counted_unless_they_are_disputed(make):
    made = make('diamond')
    units = find(made)
    by_b = made.schema.owners['d']
    counts = count_children(by_b, units, made.database.parents)

    referred = made.database.parents[by_b]
    expected = [sum((referred == row) & (units['d'] != DISPUTED)) for row in range(len(units['b']))]
    assert counts.tolist() == expected
    assert counts.sum() < len(referred)


def test_an_orphan_is_a_unit_of_its_own_with_what_hangs_off_it(make):
    made = make('orphans')
    units = find(made)
    by_a, by_b = made.schema.links
    orphans = np.flatnonzero(made.database.parents[by_a] < 0)

    assert len(orphans) > 3
    assert len(set(units['b'][orphans]) & set(units['a'])) == 0
    for row in orphans:
        below = made.database.parents[by_b] == row
        assert set(units['c'][below]) <= {units['b'][row]}
