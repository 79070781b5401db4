"""Lemma 5 of ``docs/lab/proofs.md``: rows between two units, and rows between two roots."""

from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.rows.units.membership import Database, find_units, follow
from sdv_threea.schema import Link, Schema


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


def rewrite(made, link, rng):
    """Let references to other units lead to still other units."""
    referred, units = made.database.parents[link].copy(), find(made)
    away = (referred >= 0) & (follow(units, link, made.database.parents) != units[link.child])
    for row in np.flatnonzero(away):
        others = np.flatnonzero(units[link.parent] != units[link.child][row])
        referred[row] = rng.choice(others)
    parents = {**made.database.parents, link: referred}
    return away, replace(made, database=replace(made.database, parents=parents))


@pytest.mark.parametrize('shape', ['diamond', 'two_keys'])
@pytest.mark.parametrize('columns', ['known', 'open'])
def test_which_other_unit_a_row_refers_to_is_in_what_is_said_of_references_alone(
    make, open_columns, compare_neighbours, shape, columns
):
    made = make(shape, 40, **({'columns': open_columns} if columns == 'open' else {}))
    link = next(each for each in made.schema.links[::-1] if each not in made.schema.owners.values())
    away, changed = rewrite(made, link, np.random.default_rng(2))

    assert away.sum() > 10
    assert (changed.database.parents[link] != made.database.parents[link]).sum() > 10
    records = compare_neighbours(made, changed)
    moved = {receipt.statistic for _, receipt, _, distance in records if distance}
    assert moved <= {'links', 'repeats'}


def test_that_it_refers_to_another_unit_is_in_some(make, compare_neighbours):
    """Without this, the test above could not fail."""
    made = make('two_keys', 40)
    by_sender, by_receiver = made.schema.links
    parents = {**made.database.parents, by_receiver: made.database.parents[by_sender]}
    changed = replace(made, database=replace(made.database, parents=parents))

    assert max(distance for *_, distance in compare_neighbours(made, changed)) > 3


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
    assert schema.unit_links['w'] == (schema.owners['w'],)
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
    """Rows that refer to it lead nowhere then, and none of their values changes."""
    made = between(make)
    for row in np.unique(made.database.parents[BY_Z])[1:4]:
        other = neighbour(made, 'z', row)
        records = compare_neighbours(made, other)
        assert other.database.num_rows == {'a': 40, 'x': 30, 'z': 19, 'w': 90}
        assert max(distance for root, *_, distance in records if root == 'z') > 0
        for root, receipt, _, distance in records:
            moves = root == 'z' or receipt.statistic == 'links'
            assert distance <= (receipt.sensitivity * (1 + 1e-9) if moves else 0)


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

    moved = {(root, receipt.statistic) for root, receipt, _, distance in records if distance}
    assert {root for root, statistic in moved if statistic != 'links'} == {'x'}
    assert ('x', 'links') in moved
    assert all(distance <= receipt.sensitivity for _, receipt, _, distance in records)
