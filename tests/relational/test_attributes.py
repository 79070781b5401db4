"""References to public rows by their attributes."""

import math

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.accounting import Budget
from sdv_threea.domain import Category, Domain
from sdv_threea.planning.shares import Known
from sdv_threea.relational.attributes import Side, choose_nearest, settle_attributes
from sdv_threea.relational.layout import Attribute, Layout
from sdv_threea.schema import Link
from sdv_threea.settings import Settings

LINK = Link('line', ('product',), 'product', required=True)


def wish(wanted, public, *, ordered=False, weight=1.0):
    return Side(np.array(wanted), np.array(public), ordered, weight)


def test_rows_with_the_attributes_are_chosen_as_often_as_they_are_popular():
    rng = np.random.default_rng(0)
    kinds, sizes = [1, 1, 1, 2], [1, 1, 2, 1]
    sides = [wish([1] * 1000 + [2] * 10, kinds), wish([1] * 1010, sizes)]

    found = choose_nearest(sides, np.array([0.6, 0.2, 0.1, 0.1]), rng, noise=1.0)

    assert np.bincount(found, minlength=4) == pytest.approx([750, 250, 0, 10], abs=1)
    assert (found[1000:] == 3).all()


def test_no_public_row_gets_more_than_its_share_and_rows_beyond_go_to_the_next_nearest():
    """A share of chance beyond what a public row has is not chance of the real rows."""
    rng = np.random.default_rng(0)
    prices = [1, 2, 4, 9]
    wanted = [wish([1] * 6 + [9] * 2, prices, ordered=True)]

    found = choose_nearest(wanted, np.array([0.25, 0.25, 0.25, 0.25]), rng)
    likely = choose_nearest(wanted, np.array([0.25, 0.25, 0.25, 0.25]), rng, noise=0.25)

    assert np.bincount(found).tolist() == [2, 2, 2, 2]
    assert (found[6:] == 3).all()
    assert np.bincount(likely, minlength=4).tolist() == [4, 2, 0, 2]


def test_the_nearest_is_chosen_if_no_public_row_has_all_attributes():
    rng = np.random.default_rng(0)
    prices, kinds = [1, 5, 9], [1, 1, 2]
    wanted = [wish([8, 4, 1], prices, ordered=True), wish([1, 1, 2], kinds, weight=2.0)]

    assert choose_nearest(wanted, np.ones(3), rng, 1.0).tolist() == [1, 1, 2]
    told = [wanted[0]._replace(weight=4.0), wanted[1]._replace(weight=0.01)]
    assert choose_nearest(told, np.ones(3), rng, 1.0).tolist() == [2, 1, 0]


def test_public_rows_without_references_are_not_chosen():
    rng = np.random.default_rng(0)
    sides = [wish([1, 2, 2], [1, 1, 2])]

    assert choose_nearest(sides, np.array([0.0, 1.0, 0.0]), rng).tolist() == [1, 1, 1]
    assert set(choose_nearest(sides, np.zeros(3), rng, 1.0)[1:]) == {2}


def test_no_reference_leads_to_no_row():
    sides = [wish(np.zeros(0, dtype=int), [1, 1, 2]), wish(np.zeros(0, dtype=int), [1, 2, 2])]

    assert choose_nearest(sides, np.ones(3), np.random.default_rng(0)).tolist() == []


def settle(num_public, num_rows, mu):
    """Settle a table of a few columns that refers to a public table with three attributes."""
    codes = np.arange(num_public)
    attributes = tuple(
        Attribute(f'of {size}', 1 + codes // step % size, ordered=False)
        for size, step in ((8, 1), (4, 8), (2, 32))
    )
    layout = Layout(('kind',), references={LINK: 'product'}, attributes={LINK: attributes})
    domain = Domain((
        Category(name='product', values=tuple(range(num_public)), nullable=False),
        *(each.describe(nullable=False) for each in attributes),
        *(Category(name=name, values=tuple('uvw'), nullable=False) for name in ('kind', 'other')),
    ))  # fmt: skip
    settings = Settings(epsilon=1.0)
    return settle_attributes(layout, domain, Known(settings, Budget(mu, 1e-6), num_rows))


@pytest.mark.parametrize(
    ('num_public', 'num_rows', 'mu', 'kept'),
    [(30, 5000, math.inf, 0), (500, 5000, math.inf, 3), (500, 5000, 1.0, 3), (500, 50, 0.1, 0)],
)
def test_attributes_are_columns_if_pairs_are_countable_but_public_rows_are_many(
    num_public, num_rows, mu, kept
):
    layout, domain = settle(num_public, num_rows, mu)

    assert len(layout.attributes.get(LINK, ())) == kept
    assert len(domain.columns) == 3 + kept
    assert domain['product'].alone == (kept > 0)
    assert layout.alone == (('product',) if kept else ())


def make_shop(num_units=1500, num_products=300, num_lines=5000, seed=1):
    """Lines have the colour of their product; a few products are popular."""
    rng = np.random.default_rng(seed)
    product = pd.DataFrame(
        {'id': range(num_products), 'colour': rng.choice(list('abcd'), num_products)}
    )
    chances = rng.pareto(1.5, num_products) + 0.2
    bought = rng.choice(num_products, num_lines, p=chances / chances.sum())
    line = pd.DataFrame({'person': rng.integers(0, num_units, num_lines), 'product': bought})
    line['colour'] = product['colour'].to_numpy()[bought]
    person = pd.DataFrame({'id': range(num_units), 'sex': rng.choice(['f', 'm'], num_units)})
    return {'person': person, 'product': product, 'line': line}


def describe_shop():
    named = {'id': 'id', 'person': 'id', 'product': 'id'}
    columns = {
        'person': ('id', 'sex'),
        'product': ('id', 'colour'),
        'line': ('person', 'product', 'colour'),
    }
    tables = {
        table: {'columns': {each: {'sdtype': named.get(each, 'categorical')} for each in own}}
        for table, own in columns.items()
    }
    for table in ('person', 'product'):
        tables[table]['primary_key'] = 'id'
    links = [
        {
            'parent_table_name': table, 'parent_primary_key': 'id',
            'child_table_name': 'line', 'child_foreign_key': table,
        }
        for table in ('person', 'product')
    ]  # fmt: skip
    return Metadata.load_from_dict({'tables': tables, 'relationships': links})


def measure_shop(tables, product):
    """Return how many lines have the colour of their product, and the share of the top product."""
    line = tables['line']
    same = (
        line['colour'].to_numpy() == product.set_index('id')['colour'][line['product']].to_numpy()
    )
    return same.mean(), line['product'].value_counts(normalize=True).iloc[0]


@pytest.mark.parametrize('epsilon', [8.0, 0.7])
def test_lines_are_like_their_products_and_no_product_gets_all_lines(epsilon, tmp_path):
    shop = make_shop()
    synthesizer = ClustMixMultiTableSynthesizer(
        describe_shop(),
        epsilon=epsilon,
        privacy_unit='person',
        public_tables=['product'],
        verbose=False,
    )
    synthesizer.fit(shop)
    assert synthesizer._model.tables['line'].layout.alone
    same, top = measure_shop(synthesizer.sample_scale(1.0), shop['product'])

    # At random, a quarter of the lines would have the colour of their product.
    assert same > (0.9 if epsilon > 1 else 0.4)
    assert top < 0.15 + measure_shop(shop, shop['product'])[1]
    synthesizer.save_release(tmp_path / 'shop.release')
    again = ClustMixMultiTableSynthesizer.load_release(tmp_path / 'shop.release').sample_scale(1.0)
    assert measure_shop(again, shop['product'])[0] > (0.9 if epsilon > 1 else 0.4)
