"""The context of a row: columns of its owner, and those that its owner has from further up."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_databases import SCHEMAS, Made

from sdv_threea.approximate import column_stage
from sdv_threea.domain import Category, Number
from sdv_threea.planning.plan import plan_evident
from sdv_threea.relational.context import find_levels, list_counts, list_passable
from sdv_threea.rows.units.membership import Database
from sdv_threea.settings import Settings

UNITS = 1_200


@pytest.fixture(scope='module')
def made():
    """Rows of c repeat the kind of the unit two tables above, and are larger in large units.

    Nothing in the table between shows either.
    """
    rng = np.random.default_rng(0)
    counts = np.where(rng.random(UNITS) < 0.2, 10, 1)
    unit = np.repeat(np.arange(UNITS), counts)
    owner = np.repeat(np.arange(len(unit)), 2)
    above = unit[owner]
    kind = rng.choice(np.array(['u', 'v'], dtype=object), UNITS)
    other = rng.choice(np.array(['u', 'v'], dtype=object), len(owner))
    known = {
        'kind': np.where(rng.random(len(owner)) < 0.9, kind[above], other),
        'amount': np.where(counts[above] > 1, 14.0, 4.0) + rng.integers(0, 4, len(owner)),
    }

    def fill(num_rows, **columns):
        drawn = {
            'amount': rng.integers(0, 20, num_rows).astype(float),
            'kind': rng.choice(np.array(['u', 'v'], dtype=object), num_rows),
        }
        return pd.DataFrame({**drawn, **columns})

    first, second = SCHEMAS['chain'].links
    tables = {'a': fill(UNITS, kind=kind), 'b': fill(len(unit)), 'c': fill(len(owner), **known)}
    sizes = {name: len(table) for name, table in tables.items()}
    database = Database(tables, {first: unit, second: owner}, sizes)
    columns = (
        Category(name='kind', values=('u', 'v'), nullable=False),
        Number(name='amount', low=0, high=20, step=1.0, nullable=False),
    )
    return replace(Made(SCHEMAS['chain'], database), columns=columns)


@pytest.fixture(scope='module', params=[30.0, 3.0])
def model(request, made):
    return made.release(request.param, pairs=True)


@pytest.fixture(scope='module')
def drawn(model):
    return draw(model)


def draw(model):
    """Draw the database; return rows of c with their unit, and the number of b that this owns."""
    first, second = model.schema.links
    sample = model.sample(1.0, np.random.default_rng(0))
    unit = sample['b'].parents[first][sample['c'].parents[second]]
    own = sample['a'].rows[['kind', 'number of b(a_id)']].iloc[unit].reset_index(drop=True)
    return sample['c'].rows.assign(of_unit=own['kind'], count=own['number of b(a_id)'])


def test_a_row_repeats_what_the_owner_of_its_owner_says(drawn):
    assert (drawn['kind'] == drawn['of_unit']).mean() > 0.9  # .95 in the data, .5 by chance


def test_means_two_tables_below_the_unit_are_those_of_all_rows(made, drawn):
    """Rows that a bound leaves out are those of large units: their mean was 8 in place of 12.7."""
    real = made.database.tables['c']['amount'].mean()
    assert real == pytest.approx(12.7, abs=0.5)
    assert drawn['amount'].mean() == pytest.approx(real, abs=1.0)
    large = drawn['count'] > 5
    assert drawn['amount'][large].mean() > 14 > 7 > drawn['amount'][~large].mean()


def test_the_bound_left_rows_out(model):
    assert model.tables['c'].rows_per_unit in (None, *range(10))
    assert model.tables['c'].layout.passed == (
        ('a', 'number of b(a_id)'),
        ('a', 'kind'),
        ('a', 'amount'),
    )


def test_pairs_are_counted_of_the_columns_that_evidently_depend(made, monkeypatch):
    """Of the pairs with three columns of a, two depend: the others are not counted."""
    plans = []

    def plan(*args):
        plans.append((args[0].known, args[0].pairs, plan_evident(*args).pairs))
        return plan_evident(*args)

    monkeypatch.setattr(column_stage, 'plan_evident', plan)
    made.release(8.0, pairs=True)

    known, before, after = plans[-1]
    assert all(i not in known.doubtful for i, _ in before.pairs)
    passed = [pair for pair in after.pairs if pair[0] in known.doubtful]
    assert set(after.pairs) - set(before.pairs) == set(passed)
    assert 1 <= len(passed) <= 3
    asked = {(i, known.num_given) for i in known.doubtful}  # the other column is the target
    assert after.left_out == asked - set(passed)


def test_only_numbers_of_rows_are_passed_on_without_pairs(made):
    model = made.release(8.0)  # without pairs
    schema = made.schema
    assert list_passable(schema, 'c', model.tables)[0] == ('a', 'number of b(a_id)')
    assert model.tables['c'].layout.passed == (('a', 'number of b(a_id)'),)
    counts = ('b', 'number of c(b_id)'), ('a', 'number of b(a_id)')
    assert list_counts(schema, 'c', model.tables) == counts
    levels = find_levels(schema, 'c', model.tables)
    assert [len(each.names) for each in levels] == [len(model.tables['c'].context) - 1, 1]
    assert sum((each.names for each in levels), ()) == model.tables['c'].layout.context
    assert levels[1].names == ('owner: owner: number of b(a_id)',)


def test_a_wide_table_passes_nothing_but_numbers_of_rows(made, monkeypatch):
    joint = replace(Settings().constants.joint, most_columns=8)
    constants = replace(Settings().constants, joint=joint)
    model = made.release(3.0, pairs=True, constants=constants)
    assert model.tables['c'].layout.passed == (('a', 'number of b(a_id)'),)
