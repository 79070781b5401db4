"""As the class of the tables in a multi-table synthesizer, on SDV's base and sampler."""

import numpy as np
import pandas as pd
import pytest
from relationships import relate
from sdv.metadata import Metadata
from sdv.multi_table.base import BaseMultiTableSynthesizer
from sdv.sampling.independent_sampler import BaseIndependentSampler


class IndependentTables(BaseIndependentSampler, BaseMultiTableSynthesizer):
    """What a third party might write: each table by itself, and parents at random."""

    def __init__(self, metadata, locales=('en_US',)):
        BaseMultiTableSynthesizer.__init__(self, metadata, locales=list(locales))
        self._table_sizes = {}

    def _augment_tables(self, processed_data):
        return {
            name: table.drop(columns=self.metadata._get_all_foreign_keys(name), errors='ignore')
            for name, table in processed_data.items()
        }

    def _model_tables(self, augmented_data):
        for name, table in augmented_data.items():
            self._table_sizes[name] = len(table)
            self._table_synthesizers[name].fit_processed_data({name: table})

    def _add_foreign_key_columns(self, child_table, parent_table, child_name, parent_name):
        key = self.metadata.tables[parent_name].primary_key
        for name in self.metadata._get_foreign_keys(parent_name, child_name):
            # SDV seeds this generator for as long as it samples.
            child_table[name] = np.random.choice(parent_table[key], len(child_table))  # noqa: NPY002


TABLES = {
    'shop': {
        'columns': {
            'shop_id': {'sdtype': 'id'},
            'town': {'sdtype': 'categorical'},
            'owner': {'sdtype': 'name', 'pii': True},
        },
        'primary_key': 'shop_id',
    },
    'sale': {
        'columns': {
            'shop_id': {'sdtype': 'id'},
            'price': {'sdtype': 'numerical'},
            'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        }
    },
}

RELATIONSHIP = relate('sale', 'shop_id', 'shop', 'shop_id')


def make_shops(num_shops=120, num_sales=400):
    rng = np.random.default_rng(0)
    shops, days = rng.permutation(1_000)[:num_shops], rng.integers(0, 300, num_sales)
    return {
        'shop': pd.DataFrame(
            {
                'shop_id': shops,
                'town': rng.choice(['Bern', 'Chur'], num_shops),
                'owner': [f'private {at}' for at in range(num_shops)],
            }
        ),
        'sale': pd.DataFrame(
            {
                'shop_id': rng.choice(shops, num_sales),
                'price': rng.gamma(2, 10, num_sales).round(2),
                'day': (pd.Timestamp('2020-01-01') + pd.to_timedelta(days, 'D')).strftime(
                    '%Y-%m-%d'
                ),
            }
        ),
    }


pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


@pytest.fixture(scope='session')
def make_many(make):
    """Make a multi-table synthesizer with the class for its tables."""

    def build():
        kind = type('Many', (IndependentTables,), {'_synthesizer': make.func})
        metadata = Metadata.load_from_dict({'tables': TABLES, 'relationships': [RELATIONSHIP]})
        synthesizer = kind(metadata)
        for name in TABLES:
            synthesizer.set_table_parameters(name, {**make.keywords, 'enforce_rounding': True})
        return synthesizer

    return build


@pytest.fixture(scope='session')
def fitted_many(make_many):
    synthesizer = make_many()
    synthesizer.fit(make_shops())
    return synthesizer


@pytest.fixture
def many(fitted_many):
    fitted_many.reset_sampling()
    return fitted_many


def draw(synthesizer, num_rows=60):
    return synthesizer.sample(num_rows, main_table_name='shop')


def test_tables_of_a_multi_table_synthesizer_are_sampled(many):
    real, rows = make_shops(), draw(many, 240)
    assert list(rows) == ['shop', 'sale']
    assert (len(rows['shop']), len(rows['sale'])) == (240, 800)
    for name, table in rows.items():
        assert list(table.columns) == list(real[name].columns)
        assert table.notna().all(axis=None)


def test_references_of_a_multi_table_synthesizer_exist(many):
    rows = draw(many)
    assert rows['shop']['shop_id'].is_unique
    assert rows['sale']['shop_id'].isin(rows['shop']['shop_id']).all()


def test_resetting_a_multi_table_synthesizer_gives_the_same_rows_again(many):
    first, second = draw(many), draw(many)
    many.reset_sampling()
    again = draw(many)
    for name in first:
        pd.testing.assert_frame_equal(again[name], first[name])
    assert not second['sale']['price'].equals(first['sale']['price'])
