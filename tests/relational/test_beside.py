"""Rows of two child tables of one parent: each sees a row of the tables released before."""

import pickle

import numpy as np
import pandas as pd
import pytest
from made_databases import Made, link

from sdv_threea.domain import Category, Number
from sdv_threea.encoding.encoders import CategoryEncoder
from sdv_threea.relational.context import list_beside, list_levels
from sdv_threea.relational.following import Joining
from sdv_threea.relational.layout import Level
from sdv_threea.rows.units.membership import NOBODY, Coins, Database, Group, pick_rows
from sdv_threea.schema import Schema

UNITS = 3_000

SCHEMA = Schema(
    ('a', 'b', 'c', 'd'),
    (link('b', 'a', required=True), link('c', 'a', required=True), link('d', 'c', required=True)),
)


def make(num_units, share=0.7):
    """Make rows of b and c that agree in what no column of a shows; d is below c."""
    rng = np.random.default_rng(0)
    to_a, to_c = SCHEMA.links[:2], SCHEMA.links[2]
    hidden = rng.integers(0, 2, num_units)
    parents = {
        to_a[0]: np.flatnonzero(rng.random(num_units) < share),
        to_a[1]: rng.permutation(np.repeat(np.arange(num_units), 2))[: int(1.5 * num_units)],
    }
    parents[to_c] = rng.integers(0, len(parents[to_a[1]]), num_units)
    sizes = {'a': num_units} | {each.child: len(led) for each, led in parents.items()}

    def fill(known):
        kinds = np.array(['u', 'v'], dtype=object)
        amount = np.clip(np.rint(rng.normal(5 + 10 * known, 2)), 0, 20)
        return pd.DataFrame({'kind': kinds[known], 'amount': amount})

    known = {
        'a': rng.integers(0, 2, num_units),
        'b': hidden[parents[to_a[0]]],
        'c': hidden[parents[to_a[1]]],
        'd': rng.integers(0, 2, num_units),
    }
    tables = {name: fill(own) for name, own in known.items()}
    columns = (
        Category(name='kind', values=('u', 'v'), nullable=False),
        Number(name='amount', low=0, high=20, step=1.0, nullable=False),
    )
    return Made(SCHEMA, Database(tables, parents, sizes), columns)


def join(rows, parents):
    """Join each row of c with the row of b of the same unit."""
    to_b, to_c = SCHEMA.links[:2]
    of_unit = rows['b'].set_axis(parents[to_b]).groupby(level=0).first()
    return rows['c'].join(of_unit.reindex(parents[to_c]).reset_index(drop=True), rsuffix=' of b')


@pytest.fixture(scope='module')
def made():
    return make(UNITS)


@pytest.fixture(scope='module')
def model(made):
    return made.release(3.0, pairs=True)


def test_rows_of_two_tables_agree_as_in_the_data(made, model):
    sample = model.sample(1.0, np.random.default_rng(0))
    rows = {name: each.rows for name, each in sample.items()}
    led = {key: own for each in sample.values() for key, own in each.parents.items()}
    real, drawn = (
        join(each, own).dropna()
        for each, own in ((made.database.tables, made.database.parents), (rows, led))
    )
    assert (real['kind'] == real['kind of b']).all()
    assert (drawn['kind'] == drawn['kind of b']).mean() > 0.8  # by chance .5
    correlations = [each[['amount', 'amount of b']].corr().iloc[0, 1] for each in (real, drawn)]
    assert correlations[1] > 0.7 * correlations[0] > 0.5


def test_units_without_a_row_beside_keep_their_margin(made, model):
    sample = model.sample(1.0, np.random.default_rng(0))
    led = sample['b'].parents[SCHEMA.links[0]]
    alone = ~np.isin(sample['c'].parents[SCHEMA.links[1]], led)
    assert 0.2 < alone.mean() < 0.4
    assert abs((sample['c'].rows['kind'][alone] == 'u').mean() - 0.5) < 0.1


def test_what_is_beside_comes_last_and_is_passed_further_down(made, model):
    tables = model.tables
    assert [source for source, _ in list_beside(SCHEMA, 'c', tables)] == ['b', 'b']
    assert tables['b'].layout.passed == ()
    assert tables['c'].layout.passed == (('b', 'kind'), ('b', 'amount'))
    assert tables['c'].layout.distant == ('owner: b: kind', 'owner: b: amount')
    above = [source for source, _ in tables['d'].layout.passed]
    assert above == ['a'] * 4 + ['b'] * 2
    levels = list_levels(SCHEMA, 'd', tables, tables['d'].layout.passed, ())
    assert [(each.link.child, each.beside) for each in levels] == [
        ('d', False), ('c', False), ('b', True),
    ]  # fmt: skip


def test_nothing_is_passed_where_noise_exceeds_the_rows_that_have_it(monkeypatch):
    """At 60 of 3,000 units b has too few rows for pairs; c and the owner have enough."""
    model = make(UNITS, share=0.02).release(3.0, pairs=True)
    assert model.tables['c'].released.joint is not None
    assert model.tables['c'].layout.passed == ()


def test_a_row_of_each_owner_is_picked_by_its_own_number():
    owners = np.array([2, 0, NOBODY, 2, 0, 2, NOBODY - 1])
    picked = pick_rows(owners, 4, Coins(5, np.arange(7)))
    assert picked[1] == picked[3] == NOBODY
    assert owners[picked[[0, 2]]].tolist() == [0, 2]
    rest = np.array([0, 3, 5])  # the rows of the third owner alone
    alone = pick_rows(owners[rest], 4, Coins(5, rest))
    assert rest[alone[2]] == picked[2]


def test_tables_are_picked_from_independently():
    """Equal numbers of rows choose no equal rows: a unit that is removed shifts these numbers."""
    owners = np.repeat(np.arange(500), 2)
    schema = Schema((*'abcd',), tuple(link(child, 'a', required=True) for child in 'bcd'))
    rows = {'a': pd.DataFrame(index=range(500))}
    rows |= dict.fromkeys('bcd', pd.DataFrame({'kind': ['u', 'v'] * 500}))
    numbers = {name: np.arange(len(each)) for name, each in rows.items()}
    group = Group(rows, dict.fromkeys(schema.links, owners), {'d': owners}, numbers, numbers)
    kind = (CategoryEncoder(('u', 'v'), nullable=False).assign('kind'),)
    to_b, to_c, to_d = schema.links
    levels = Level(to_d, (), ()), Level(to_b, kind, ('b',), True), Level(to_c, kind, ('c',), True)
    found = Joining(levels, None, (1, 2, 3))(group)
    second = {'b': found.rows['b'] == 2, 'c': found.rows['c'] == 2, 'd': found.previous < 0}
    choices = pd.DataFrame(second)[1::2]
    assert (choices.mean() - 0.5).abs().max() < 0.1
    assert choices.corr().abs().to_numpy()[np.triu_indices(3, 1)].max() < 0.2


@pytest.mark.parametrize('at', [0, 1])
def test_a_unit_of_two_hundred_rows_moves_no_sum_farther(at, crowd, neighbour, compare_neighbours):
    """All of them in the table beside, or in the one whose rows see it."""
    made = crowd(make(200), SCHEMA.links[at], 0, 200)
    records = compare_neighbours(made, neighbour(made, 'a', 0), epsilon=300.0, pairs=True)
    assert made.release(300.0, pairs=True).tables['c'].layout.passed
    moved = [distance / receipt.sensitivity for _, receipt, _, distance in records]
    assert 0.5 < max(moved) <= 1 + 1e-9


def test_nothing_but_the_door_of_noise_lets_private_rows_out(release_constants):
    made = make(200), make(300, share=0.4)
    first, second = (pickle.dumps(release_constants(own, pairs=True)) for own in made)
    assert first == second
