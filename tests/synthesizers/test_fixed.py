"""Arguments of a synthesizer are fixed once it is made: no attribute says what no fit does."""

import copy
import inspect

import pytest
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.synthesizers.fixed import FREE

#: Calls that change a list or a dictionary.
OF_LISTS = [
    lambda each: each.append('more'), lambda each: each.extend(['more']),
    lambda each: each.insert(0, 'more'), lambda each: each.remove(each[0]),
    lambda each: each.pop(), lambda each: each.clear(), lambda each: each.sort(),
    lambda each: each.reverse(), lambda each: each.__setitem__(0, 'more'),
    lambda each: each.__delitem__(0), lambda each: each.__iadd__(['more']),
    lambda each: each.__imul__(2),
]  # fmt: skip
OF_DICTS = [
    lambda each: each.update(more=1), lambda each: each.pop('a'), lambda each: each.popitem(),
    lambda each: each.clear(), lambda each: each.setdefault('more', 1),
    lambda each: each.__setitem__('a', 2), lambda each: each.__delitem__('a'),
    lambda each: each.__ior__({'a': 2}),
]  # fmt: skip


@pytest.fixture
def metadata():
    """Countries, persons of countries, and their visits."""
    tables = {
        'country': {'id': 'id'},
        'person': {'id': 'id', 'country': 'id', 'ill': 'boolean'},
        'visit': {'person': 'id', 'days': 'numerical'},
    }
    links = ('person', 'country', 'country', 'id'), ('visit', 'person', 'person', 'id')
    return describe_tables(tables, *links)


@pytest.fixture
def arguments():
    return {
        'locales': ['en_US', 'de_DE'],
        'public_tables': ['country'],
        'target_column': {'person': 'ill'},
        'max_children': {'visit': 9},
        'min_children': {('visit', 'person'): 1},
    }


def of_database(synthesizer):
    return synthesizer._terms.read_schema(), synthesizer._terms.read_children(
        synthesizer._terms.read_schema()
    )


@pytest.mark.parametrize('kind', [ClustMixSynthesizer, ClustMixMultiTableSynthesizer])
def test_no_argument_can_be_set_or_deleted(kind, metadata, small_metadata, arguments):
    single = kind is ClustMixSynthesizer
    synthesizer = kind(small_metadata) if single else kind(metadata, **arguments)
    before = synthesizer.get_parameters()
    names = [name for name in inspect.signature(kind).parameters if name not in FREE]
    assert len(names) > 10
    for name in names:
        with pytest.raises(AttributeError, match=f'{name!r} is fixed'):
            setattr(synthesizer, name, None)
        with pytest.raises(AttributeError, match=f'{name!r} is fixed'):
            delattr(synthesizer, name)
    assert synthesizer.get_parameters() == before


def test_what_becomes_of_the_lists_of_the_caller_does_not_matter(metadata, arguments):
    given = copy.deepcopy(arguments)
    synthesizer = ClustMixMultiTableSynthesizer(metadata, **given)
    terms = of_database(synthesizer)
    given['locales'].append('fr_FR')
    given['public_tables'].append('person')
    given['target_column'].clear()
    given['max_children']['visit'] = 1
    given['min_children'].clear()
    metadata.tables['visit'].columns.pop('days')
    metadata.relationships.clear()

    assert of_database(synthesizer) == terms
    assert {name: getattr(synthesizer, name) for name in arguments} == arguments
    assert synthesizer._terms.find_target('person') == 'ill'


def test_what_becomes_of_the_attribute_of_metadata_does_not_change_who_is_protected(
    metadata, arguments
):
    synthesizer = ClustMixMultiTableSynthesizer(metadata, **arguments)
    terms = of_database(synthesizer)
    synthesizer.metadata.relationships.clear()
    assert of_database(synthesizer) == terms


def test_what_becomes_of_the_metadata_does_not_change_what_is_released(small_metadata):
    synthesizer = ClustMixSynthesizer(small_metadata, public_metadata=True)
    before = synthesizer.preprocessor.derive().derived
    for each in (small_metadata, synthesizer.metadata):
        each.update_column('age', sdtype='categorical')
        ((_, table),) = each.tables.items()
        table.columns['city']['nullable'] = False
        table.columns['income']['range_values'] = [0, 1]
    assert synthesizer.preprocessor.derive().derived == before


def test_the_copies_cannot_be_changed(metadata, arguments):
    synthesizer = ClustMixMultiTableSynthesizer(metadata, **arguments)
    for name in arguments:
        kept = getattr(synthesizer, name)
        for change in OF_LISTS if isinstance(kept, list) else OF_DICTS:
            with pytest.raises(AttributeError, match='make another one'):
                change(kept)
        assert kept == arguments[name]
