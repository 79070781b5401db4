"""Samples of a released database: rows that depend on each other, and their foreign keys."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sdv_threea.constants import RelationalConstants
from sdv_threea.domain import Category, Number
from sdv_threea.encoding.encoders import NumberEncoder
from sdv_threea.relational.sizes import Children
from sdv_threea.rows.units.membership import Database
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Constants
from sdv_threea.storage.release_files import read_plain, write_plain

SHAPES = [
    'single', 'two_level', 'chain', 'diamond', 'one_to_one', 'orphans', 'two_keys', 'loose',
    'public', 'star',
]  # fmt: skip

NUM_UNITS = 2_000


def draw(model, scale=1.0, seed=0, accept=None):
    return model.sample(scale, np.random.default_rng(seed), accept)


@pytest.fixture(params=[math.inf, 5.0])
def epsilon(request):
    return request.param


@pytest.mark.parametrize('shape', SHAPES)
def test_references_point_to_rows_and_are_missing_only_where_they_may(make, shape, epsilon):
    model = make(shape, 80).release(epsilon=epsilon)
    for scale in (0.1, 2.0):
        drawn = draw(model, scale)
        size = {**model.num_rows, **{table: len(each.rows) for table, each in drawn.items()}}
        for edge in model.schema.links:
            referred = drawn[edge.child].parents[edge]
            assert len(referred) == size[edge.child]
            assert referred.min() >= (0 if edge.required else -1)
            assert referred.max() < size[edge.parent]
            assert not edge.unique or len(set(referred)) == len(referred)


def test_counts_that_noise_made_larger_than_any_integer_are_as_large_as_the_table(make):
    """With few rows the end of a range is a guess that may be far too high."""
    made = make('two_level', 80)
    (edge,) = made.schema.links
    model = made.release(epsilon=math.inf)
    parent = model.tables['a']
    (name,) = parent.layout.counts.values()
    domain = parent.released.domain
    far = tuple(
        replace(each, high=1.4e19) if each.name == name else each for each in domain.columns
    )
    transformers = tuple(
        NumberEncoder(each.edges * 1e18, each.step, each.nullable).assign(name)
        if each.name == name
        else each
        for each in parent.released.transformers
    )
    released = replace(
        parent.released, domain=replace(domain, columns=far), transformers=transformers
    )
    tables = {**model.tables, 'a': replace(parent, released=released)}

    drawn = draw(replace(model, tables=tables))

    assert len(drawn['b'].rows) == len(draw(model)['b'].rows)
    assert drawn['b'].parents[edge].min() >= 0
    assert drawn['a'].rows[name].sum() == len(drawn['b'].rows)


def test_draws_are_repeatable_and_leave_the_release_as_it_is(make):
    model = make('chain', 80).release()
    before = pickle.dumps(model)
    one, other, third = draw(model), draw(model), draw(model, seed=1)

    assert pickle.dumps(model) == before
    for table in 'abc':
        pd.testing.assert_frame_equal(one[table].rows, other[table].rows)
    assert not one['a'].rows['amount'].equals(third['a'].rows['amount'])


def test_the_number_of_children_is_the_one_that_is_told(make, epsilon):
    model = make('chain', 200).release(epsilon=epsilon)
    drawn = draw(model)
    for edge in model.schema.links:
        referred = drawn[edge.child].parents[edge]
        told = drawn[edge.parent].rows[model.tables[edge.parent].layout.counts[edge]]
        assert np.bincount(referred, minlength=len(told)).tolist() == told.tolist()


@pytest.mark.parametrize('shape', SHAPES)
def test_public_numbers_of_children_are_kept_at_any_budget(make, shape):
    """The bounds are true of the database itself, so they can be kept whatever the noise."""
    made = make(shape, 80)
    size = made.database.num_rows
    counts = {
        edge: np.bincount(referred[referred >= 0], minlength=size[edge.parent])
        for edge, referred in made.database.parents.items()
    }
    children = {edge: Children(int(each.min()), int(each.max())) for edge, each in counts.items()}
    for epsilon in (0.1, 2.0):
        drawn = draw(replace(made, children=children).release(epsilon=epsilon))
        for edge, each in children.items():
            referred = drawn[edge.child].parents[edge]
            rows = size['p'] if edge.parent == 'p' else len(drawn[edge.parent].rows)
            found = np.bincount(referred[referred >= 0], minlength=rows)
            assert each.least <= found.min() and found.max() <= each.most, edge.name


def test_orphans_are_drawn_at_their_rate(make, epsilon):
    made = make('orphans', NUM_UNITS)
    drawn = draw(made.release(epsilon=epsilon))
    for edge in made.schema.links:
        real = (made.database.parents[edge] < 0).mean()
        assert (drawn[edge.child].parents[edge] < 0).mean() == pytest.approx(real, abs=0.03)


def test_two_paths_to_a_unit_lead_to_the_same_one_as_often(make):
    made = make('diamond', NUM_UNITS)
    by_b, by_c = made.schema.links_of('d')
    b_to_a, c_to_a = made.schema.owners['b'], made.schema.owners['c']
    drawn = draw(made.release(epsilon=math.inf))
    parents = {link: rows for each in drawn.values() for link, rows in each.parents.items()}
    shares = []
    for found in (made.database.parents, parents):
        over_b, over_c = found[b_to_a][found[by_b]], found[c_to_a][found[by_c]]
        known = (found[by_c] >= 0) & (over_b >= 0) & np.isin(over_b, found[c_to_a])
        assert known.sum() > 100
        shares.append((over_b == over_c)[known].mean())

    assert 0.5 < shares[0] < 0.9
    assert shares[1] == pytest.approx(shares[0], abs=0.1)


@pytest.mark.parametrize('own', [0.0, 0.3])
def test_rows_of_two_units_are_all_there_and_lead_to_others_as_often(make, own):
    """Everybody sends, and to himself in this share of the transfers."""
    made = make('two_keys', NUM_UNITS)
    by_sender, by_receiver = links = tuple(
        replace(each, required=True) for each in made.schema.links
    )
    rng, num_rows = np.random.default_rng(1), made.database.num_rows['b']
    sender = rng.integers(0, NUM_UNITS, num_rows)
    other = (sender + rng.integers(1, NUM_UNITS, num_rows)) % NUM_UNITS
    receiver = np.where(rng.random(num_rows) < own, sender, other)
    database = replace(made.database, parents={by_sender: sender, by_receiver: receiver})
    made = replace(made, schema=Schema(('a', 'b'), links), database=database)
    drawn = draw(made.release(epsilon=math.inf))['b']
    sent, received = drawn.parents[by_sender], drawn.parents[by_receiver]

    assert len(sent) == pytest.approx(num_rows, rel=0.02)
    assert (sent >= 0).all()
    assert (received >= 0).all()
    assert (sent == received).mean() == pytest.approx(own, abs=0.06 if own else 0.0)


def test_rows_that_are_not_accepted_are_drawn_again(make):
    made = make('two_level', 300)
    seen = []

    def accept(table, rows):
        seen.append(table)
        return (rows['amount'] > 10).to_numpy() if table == 'b' else np.ones(len(rows), dtype=bool)

    plain, chosen = draw(made.release()), draw(made.release(), accept=accept)
    assert set(seen) == {'a', 'b'}
    assert (plain['b'].rows['amount'] <= 10).any()
    assert (chosen['b'].rows['amount'] > 10).all()
    assert chosen['b'].rows.index.tolist() == list(range(len(chosen['b'].rows)))


AMOUNT = Number(name='amount', low=0, high=20, step=1.0, nullable=False)
KIND = Category(name='kind', values=('u', 'v', 'w'), nullable=False)


@pytest.fixture
def build(make):
    """A made database with these rows and references."""

    def build(schema, tables, parents, columns=(AMOUNT,), **public):
        num_rows = {**{table: len(rows) for table, rows in tables.items()}, **public}
        database = Database(tables, parents, num_rows)
        return replace(make('single'), schema=schema, database=database, columns=columns)

    return build


def round_in(values):
    return np.clip(np.round(values), 0, 20).astype(np.float64)


def make_generations(rng, effect=0.9):
    """Grandparents, parents and children; each amount is near that of the row above."""
    schema = Schema(
        ('a', 'b', 'c'),
        (Link('b', ('a_id',), 'a', required=True), Link('c', ('b_id',), 'b', required=True)),
    )
    by_a, by_b = np.repeat(np.arange(NUM_UNITS), 2), np.repeat(np.arange(2 * NUM_UNITS), 2)
    a = rng.normal(10, 3, NUM_UNITS)
    b = 10 + effect * (a[by_a] - 10) + rng.normal(0, 1.5, len(by_a))
    c = 10 + effect * (b[by_b] - 10) + rng.normal(0, 1.5, len(by_b))
    tables = {
        table: pd.DataFrame({'amount': round_in(each)})
        for table, each in zip('abc', (a, b, c), strict=True)
    }
    return schema, tables, dict(zip(schema.links, (by_a, by_b), strict=True))


def correlate(one, other):
    return np.corrcoef(one, other)[0, 1]


def relate_generations(rows, edges):
    a, b, c = (rows[table]['amount'].to_numpy() for table in 'abc')
    by_a, by_b = edges
    return correlate(a[by_a], b), correlate(b[by_b], c), correlate(a[by_a][by_b], c)


@pytest.mark.parametrize('epsilon', [math.inf, 8.0])
def test_rows_depend_on_their_parent_and_on_the_one_above(build, epsilon):
    reals, founds = [], []
    for seed in range(2):
        schema, tables, parents = make_generations(np.random.default_rng(seed))
        drawn = draw(build(schema, tables, parents).release(epsilon, pairs=True))
        rows = {table: each.rows for table, each in drawn.items()}
        edges = [drawn[edge.child].parents[edge] for edge in schema.links]
        reals.append(relate_generations(tables, parents.values()))
        founds.append(relate_generations(rows, edges))

    real = np.mean(reals, axis=0)
    assert min(real) > 0.6
    tolerance = 0.1 if math.isinf(epsilon) else 0.25
    assert np.mean(founds, axis=0) == pytest.approx(real, abs=tolerance)


@pytest.mark.parametrize('epsilon', [math.inf, 8.0])
def test_rules_hold_within_rows_and_between_them_and_their_owner(build, epsilon):
    """A place is in one of three kinds of regions, and children are of their parent's kind."""
    rng = np.random.default_rng(2)
    schema = Schema(('a', 'b'), (Link('b', ('a_id',), 'a', required=True),))
    by_a = np.repeat(np.arange(NUM_UNITS), 3)
    place = rng.integers(9, size=NUM_UNITS)
    kinds = np.array(['u', 'v', 'w'])
    rows = pd.DataFrame({'place': place, 'kind': kinds[place // 3]}).astype(object)
    places = Category(name='place', values=tuple(range(9)), nullable=False)
    tables = {'a': rows, 'b': rows.iloc[by_a].reset_index(drop=True)}
    made = build(schema, tables, {schema.links[0]: by_a}, (places, KIND))
    model = made.release(epsilon, pairs=True)
    drawn = draw(model)

    assert model.tables['b'].released.joint is not None
    for each in drawn.values():
        kind = kinds[each.rows['place'].astype(int) // 3]
        assert (kind == each.rows['kind']).mean() > (0.99 if math.isinf(epsilon) else 0.9)
    above = drawn['a'].rows['kind'].to_numpy()[drawn['b'].parents[schema.links[0]]]
    assert (above == drawn['b'].rows['kind']).mean() > 0.9
    counts = np.bincount(drawn['b'].parents[schema.links[0]])
    assert (counts == 3).mean() > 0.95


def test_samples_are_drawn_with_the_constants_of_the_fit(make, tmp_path):
    """They are in the release, and in its file."""
    constants = Constants(relational=RelationalConstants(false_alarm=1e-300))
    write_plain(
        tmp_path / 'release',
        {'model': make('public', 400).release(epsilon=100.0, constants=constants)},
    )
    model = read_plain(tmp_path / 'release')['model']
    usual = {
        name: replace(each, constants=RelationalConstants()) for name, each in model.tables.items()
    }
    owner = next(each for each in model.schema.owners.values() if each is not None)
    drawn = [
        draw(each)[owner.child].parents[owner] for each in (model, replace(model, tables=usual))
    ]

    assert all(each.constants == constants.relational for each in model.tables.values())
    assert np.bincount(drawn[0]).tolist() != np.bincount(drawn[1]).tolist()
