import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea.domain import TIME_STEPS, Category, Number
from sdv_threea.schema import Link, Schema
from sdv_threea.storage.metadata import describe, keep_public
from sdv_threea.storage.relationships import label_numbers

PUBLIC = {
    'age': {
        'sdtype': 'numerical', 'range_min': 18, 'range_max': 90, 'decimal_places': 0,
        'range_is_nullable': False,
    },
    'price': {'sdtype': 'numerical', 'decimal_places': 2},
    'born': {
        'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y',
        'range_min': '01/02/2000', 'range_max': '01/03/2000',
    },
    'seen': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M', 'range_is_nullable': True},
    'when': {'sdtype': 'datetime'},
    'city': {'sdtype': 'categorical', 'range_values': ['Bern', 'Basel']},
    'size': {'sdtype': 'ordinal', 'range_values': [1.0, 2.0]},
    'flag': {'sdtype': 'boolean'},
    'name': {'sdtype': 'name', 'pii': True},
    'town': {'sdtype': 'city', 'pii': False},
    'code': {'sdtype': 'id'},
}  # fmt: skip


@pytest.fixture
def metadata():
    return Metadata.load_from_dict({'tables': {'t': {'columns': PUBLIC}}})


def test_what_the_metadata_says_is_in_the_domain():
    domain = describe(PUBLIC, target='city')

    assert domain.target == 'city'
    assert domain.columns == (
        Number(name='age', low=18.0, high=90.0, step=1.0, nullable=False),
        Number(name='price', step=0.01),
        Number(name='born', low=31 * 86_400.0, high=60 * 86_400.0, step=86_400.0, steps=TIME_STEPS),
        Number(name='seen', nullable=True, steps=TIME_STEPS),
        Number(name='when', steps=TIME_STEPS),
        Category(name='city', values=('Bern', 'Basel')),
        Category(name='size', values=(1, 2), ordered=True),
        Category(name='flag', values=(False, True)),
    )


def test_nothing_but_types_formats_and_booleans_is_known_of_private_metadata(metadata):
    domain = describe(keep_public(metadata, public_metadata=False).tables['t'].columns)

    for column in domain.columns:
        assert column.nullable is None
        if isinstance(column, Number):
            assert (column.low, column.high) == (None, None)
            assert column.step == (86_400.0 if column.name == 'born' else None)
        else:
            known = (False, True) if column.name == 'flag' else None
            assert column.values == known  # noqa: PD011 (not pandas)


def test_columns_that_are_no_personal_information_are_learned_and_public_facts_are_kept(metadata):
    places = {'lat': 'latitude', 'long': 'longitude', 'card': 'credit_card_number'}
    for name, sdtype in places.items():
        metadata.add_column(name, 't', sdtype=sdtype, pii=False)
    metadata.set_primary_key('card', 't')
    metadata.add_column_relationship('gps', ['lat', 'long'], 't')
    kept = keep_public(metadata, public_metadata=True).to_dict()
    expected = metadata.to_dict()
    expected['tables']['t']['columns'] |= {
        'town': {'sdtype': 'categorical'},
        'lat': {'sdtype': 'numerical'},
        'long': {'sdtype': 'numerical'},
        'card': {'sdtype': 'credit_card_number'},  # keys are made up
    }
    expected['tables']['t']['column_relationships'] = []

    assert kept['tables']['t'].pop('column_relationships', []) == []
    del expected['tables']['t']['column_relationships']
    assert kept == expected
    assert metadata.tables['t'].columns['town']['pii'] is False


def test_metadata_detected_from_different_tables_is_the_same_once_private_facts_are_gone():
    young = pd.DataFrame({'age': [11.5, None] * 30, 'city': ['Bern', 'Chur'] * 30})
    old = pd.DataFrame({'age': [70.25, 90.75] * 40, 'city': ['Zug', 'Basel'] * 40})
    detected = [Metadata.detect_from_dataframes({'t': table}) for table in (young, old)]
    kept = [keep_public(metadata, public_metadata=False).to_dict() for metadata in detected]

    assert detected[0].to_dict() != detected[1].to_dict()
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    ('tables', 'links'),
    [
        (('p', 'k'), (Link('k', ('a, b', 'c'), 'p'), Link('k', ('a', 'b, c'), 'p'))),
        (('a', 'a by b'), (Link('a by b', ('b',), 'a'),)),
    ],
)
def test_that_no_two_columns_have_one_name(tables, links):
    labels = label_numbers(Schema(tables, links), {name: set() for name in tables})[tables[-1]]

    names = [labels.own, *labels.links.values()]
    assert len(set(names)) == len(names) == 1 + len(links)
