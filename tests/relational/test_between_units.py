"""Lemma 5 of ``docs/lab/proofs.md``: rows between two units, and rows between two roots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.units.membership import DISPUTED, Database, find_units
from sdv_threea.units.schema import Link, Schema


def find(made):
    return find_units(made.schema, made.database.num_rows, made.database.parents)


def keep(made, kept):
    """Keep some rows of every table; no row that is kept may refer to one that is not."""
    places = {table: np.append(np.cumsum(rows) - 1, -1) for table, rows in kept.items()}
    old = made.database
    parents = {
        link: places[link.parent][rows][kept[link.child]] for link, rows in old.parents.items()
    }
    tables = {table: rows[kept[table]].reset_index(drop=True) for table, rows in old.tables.items()}
    num_rows = {table: int(rows.sum()) for table, rows in kept.items()}
    return replace(made, database=Database(tables, parents, num_rows))


def without_disputed(made):
    return keep(made, {table: units != DISPUTED for table, units in find(made).items()})


def rewrite_disputed(made):
    """Put values into disputed rows that would move any sum as far as it can move."""
    tables = {}
    for table, units in find(made).items():
        rows = made.database.tables[table].copy()
        rows.loc[units == DISPUTED, 'amount'] = 20.0
        rows.loc[units == DISPUTED, 'kind'] = 'never seen'
        tables[table] = rows
    return replace(made, database=replace(made.database, tables=tables))


def crowd_disputed(made):
    """Add two thousand rows, each of which belongs to two units."""
    old, by_b = made.database, made.schema.links_of('d')[0]
    disputed = np.flatnonzero(find(made)['d'] == DISPUTED)
    more = np.concatenate([np.arange(old.num_rows['d']), np.resize(disputed, 2000)])
    rows = old.tables['d'].iloc[more].reset_index(drop=True)
    parents = {
        link: referred[more] if link.child == by_b.child else referred
        for link, referred in old.parents.items()
    }
    num_rows = {**old.num_rows, 'd': len(rows)}
    return replace(made, database=Database({**old.tables, 'd': rows}, parents, num_rows))


@pytest.mark.parametrize('change', [without_disputed, rewrite_disputed, crowd_disputed])
@pytest.mark.parametrize('columns', ['known', 'open'])
def test_a_disputed_row_is_in_no_number_that_is_released(
    make, open_columns, compare_neighbours, change, columns
):
    made = make('diamond', 40, **({'columns': open_columns} if columns == 'open' else {}))
    changed = change(made)

    assert (find(made)['d'] == DISPUTED).sum() > 5
    assert not changed.database.tables['d'].equals(made.database.tables['d'])
    assert all(distance == 0 for *_, distance in compare_neighbours(made, changed))


def test_a_row_of_one_unit_is_in_many_numbers(make, compare_neighbours):
    """Without this, the test above could not fail."""
    made = make('diamond', 40)
    (first, *_) = np.flatnonzero(find(made)['d'] != DISPUTED)
    kept = {table: np.ones(rows, dtype=bool) for table, rows in made.database.num_rows.items()}
    kept['d'][first] = False

    moved = [distance for *_, distance in compare_neighbours(made, keep(made, kept)) if distance]
    assert len(moved) > 3


def test_what_hangs_off_a_disputed_row_is_in_no_number_either(make, compare_neighbours):
    """A chain with a second key to the root: rows of 'c' refer to disputed rows of 'b'."""
    made = make('chain', 40)
    first, second = made.schema.links
    rival = Link('b', ('rival',), 'a')
    referred = made.database.parents[first]
    parents = {**made.database.parents, rival: np.where(referred % 3 == 0, (referred + 1) % 40, -1)}
    schema = Schema(made.schema.tables, (first, rival, second))
    made = replace(made, schema=schema, database=replace(made.database, parents=parents))

    assert (find(made)['c'] == DISPUTED).sum() > 5
    for change in (without_disputed, rewrite_disputed):
        assert all(distance == 0 for *_, distance in compare_neighbours(made, change(made)))


#: Two tables that do not refer to patients, and one between them: 'w' refers to 'x' and to 'z'.
ROOTS = ('a', 'x', 'z', 'w')
BY_X, BY_Z = Link('w', ('x_id',), 'x'), Link('w', ('z_id',), 'z')


def between(make, by_x=BY_X, by_z=BY_Z):
    made = make('single', 40)
    rng = np.random.default_rng(5)
    schema = Schema(ROOTS, (by_x, by_z), unit='a')
    sizes = {'a': 40, 'x': 30, 'z': 20, 'w': 90}
    tables = {
        name: made.database.tables['a'].iloc[rng.integers(0, 40, n)] for name, n in sizes.items()
    }
    tables = {name: rows.reset_index(drop=True) for name, rows in tables.items()}
    parents = {by_x: rng.integers(0, 30, 90), by_z: rng.integers(0, 20, 90)}
    for link in (by_x, by_z):
        if not link.required:
            parents[link][rng.random(90) < 0.2] = -1
    return replace(made, schema=schema, database=Database(tables, parents, sizes))


@pytest.mark.parametrize(
    ('by_x', 'by_z', 'owner'),
    [
        (BY_X, BY_Z, 'x'),
        (BY_X, replace(BY_Z, required=True), 'z'),
        (replace(BY_X, required=True), replace(BY_Z, required=True), 'x'),
        (replace(BY_X, required=True), replace(BY_Z, unique=True), 'z'),
    ],
)
def test_a_row_between_two_roots_belongs_to_the_one_that_its_key_says(make, by_x, by_z, owner):
    schema = Schema(ROOTS, (by_x, by_z), unit='a')

    assert schema.owners['w'].parent == owner
    assert schema.unit_links('w') == (schema.owners['w'],)
    if by_z.unique:
        return
    made = between(make, by_x, by_z)
    units, referred = find(made), made.database.parents[schema.owners['w']]
    led = referred >= 0
    assert units['w'][led].tolist() == units[owner][referred[led]].tolist()
    # A row without that key is a unit of its own, whatever its other key is.
    alone = units['w'][~led].tolist()
    assert len(set(alone)) == len(alone)
    assert not set(alone) & {each for table in ('a', 'x', 'z') for each in units[table].tolist()}


def test_a_row_of_the_other_root_is_protected_by_itself(make, neighbour, compare_neighbours):
    """Rows that referred to it refer to another, and none of their values changes."""
    made = between(make)
    for row in np.unique(made.database.parents[BY_Z])[1:4]:
        other = neighbour(made, 'z', row)
        records = compare_neighbours(made, other)
        assert other.database.num_rows == {'a': 40, 'x': 30, 'z': 19, 'w': 90}
        assert max(distance for root, *_, distance in records if root == 'z') > 0
        for root, receipt, _, distance in records:
            assert distance <= (receipt.sensitivity * (1 + 1e-9) if root == 'z' else 0)


def test_not_together_with_the_rows_that_refer_to_it(make, neighbour, compare_neighbours):
    """That would change units of 'x' as well: all to which the rows belong."""
    made = between(make)
    crowded = made.database.parents
    crowded = {**crowded, BY_Z: np.where(np.arange(90) < 60, 0, crowded[BY_Z])}
    made = replace(made, database=replace(made.database, parents=crowded))
    kept = {table: np.ones(rows, dtype=bool) for table, rows in made.database.num_rows.items()}
    kept['z'][0], kept['w'][:60] = False, False

    records = compare_neighbours(made, keep(made, kept))
    farthest = max(
        distance / receipt.sensitivity for root, receipt, _, distance in records if root == 'x'
    )
    assert farthest > 5


def test_that_a_row_refers_at_all_is_part_of_its_own_unit(make, compare_neighbours):
    made = between(make)
    parents = {**made.database.parents}
    parents[BY_Z] = parents[BY_Z].copy()
    (row, *_) = np.flatnonzero(parents[BY_Z] >= 0)
    parents[BY_Z][row] = -1
    other = replace(made, database=replace(made.database, parents=parents))
    records = compare_neighbours(made, other, neighbors='replace_one')

    moved = {root for root, *_, distance in records if distance}
    assert moved == {'x'}
    assert all(distance <= receipt.sensitivity for _, receipt, _, distance in records)
