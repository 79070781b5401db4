"""Data dictionaries as people write them, and where what they state is read."""

import json

import pandas as pd
import pytest

from sdv_threea import ClustMixSynthesizer
from sdv_threea.errors import InputError
from sdv_threea.metadata import Proposal, StatedColumn, propose_from_dictionary
from sdv_threea.metadata.words import read_template, read_type, read_values

LINES = [
    {'Variable': 'age', 'Type': 'integer', 'Valid range': '0-120', 'Required': 'yes'},
    {'Variable': 'bmi', 'Type': 'decimal(4, 1)', 'Valid range': '>= 5', 'Required': 'no'},
    {'Variable': 'sex', 'Type': 'code', 'Values': '1 = male; 2 = female', 'Required': 'x'},
    {'Variable': 'stage', 'Type': 'ordinal', 'Values': 'I|II|III'},
    {'Variable': 'smoker', 'Type': 'bool'},
    {'Variable': 'seen', 'Type': 'date', 'Format': 'DD.MM.YYYY', 'Min': '01.01.2020'},
    {'Variable': 'zip', 'Type': 'varchar(5)', 'Values': '01234, 56789'},
    {'Variable': 'notes', 'Type': 'text', 'Comment': 'whatever was said'},
]

ENTRIES = {
    'age': {
        'sdtype': 'numerical', 'range_min': 0, 'range_max': 120, 'decimal_places': 0,
        'range_is_nullable': False,
    },
    'bmi': {
        'sdtype': 'numerical',
        'range_min': 5,
        'decimal_places': 1,
        'range_is_nullable': True,
    },
    'sex': {'sdtype': 'categorical', 'range_values': [1, 2], 'range_is_nullable': False},
    'stage': {'sdtype': 'ordinal', 'range_values': ['I', 'II', 'III']},
    'smoker': {'sdtype': 'boolean'},
    'seen': {'sdtype': 'datetime', 'range_min': '01.01.2020', 'datetime_format': '%d.%m.%Y'},
    'zip': {'sdtype': 'categorical', 'range_values': ['01234', '56789']},
    'notes': {'sdtype': 'text'},
}  # fmt: skip


def read(*lines, table=None):
    return propose_from_dictionary(pd.DataFrame(list(lines)), table)


def read_one(**line):
    ((_, column),) = read({'name': 'x', **line})
    return column


def named(*names):
    return tuple(StatedColumn(name=name) for name in names)


def test_a_data_dictionary_becomes_metadata():
    metadata = read(*LINES, table='visits').to_metadata()

    assert metadata.tables['visits'].columns == ENTRIES


def test_what_is_stated_is_what_a_synthesizer_takes_as_public():
    metadata = read(*LINES).to_metadata()
    known = ClustMixSynthesizer(metadata, public_metadata=True).preprocessor.describe()
    unknown = ClustMixSynthesizer(metadata).preprocessor.describe()

    assert (known['age'].low, known['age'].high, known['age'].step) == (0.0, 120.0, 1.0)
    assert (known['age'].nullable, known['bmi'].nullable) == (False, True)
    assert (known['bmi'].low, known['bmi'].high, known['bmi'].step) == (5.0, None, 0.1)
    assert known['sex'].values == (1, 2)  # noqa: PD011
    assert (known['stage'].values, known['stage'].ordered) == (('I', 'II', 'III'), True)  # noqa: PD011
    assert known['seen'].low == (pd.Timestamp('2020-01-01') - pd.Timestamp('2000')).total_seconds()
    assert known['zip'].values == ('01234', '56789')  # noqa: PD011
    assert (unknown['age'].low, unknown['age'].nullable, unknown['sex'].values) == (None,) * 3  # noqa: PD011


@pytest.mark.parametrize('kind', ['csv', 'list', 'schema', 'package', 'metadata'])
def test_files_of_any_usual_kind_say_the_same(tmp_path, kind):
    expected = {
        'age': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 120, 'decimal_places': 0},
        'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm'], 'range_is_nullable': False},
    }
    limits = {'minimum': 0, 'maximum': 120}
    fields = [
        {'name': 'age', 'type': 'integer', 'constraints': limits},
        {'name': 'sex', 'type': 'string', 'constraints': {'enum': ['f', 'm'], 'required': True}},
    ]
    path = tmp_path / ('dictionary.csv' if kind == 'csv' else 'dictionary.json')
    told = {
        'csv': '\ufeffField name,Data type,Minimum,Maximum,Enum,NOT NULL\n'
        'age,int,0,120,,\nsex,str,,,f;m,true\n',
        'list': [{'name': 'age', 'type': 'integer', **limits}, {**fields[1]}],
        'schema': {'fields': fields},
        'package': {'resources': [{'name': 'people', 'schema': {'fields': fields}}]},
        'metadata': {'tables': {'people': {'columns': expected}}},
    }[kind]
    path.write_text(told if kind == 'csv' else json.dumps(told), 'utf-8')
    proposal = propose_from_dictionary(path, 'people')

    assert proposal.to_metadata().tables['people'].columns == expected
    assert 'taken as public' in str(proposal)


def test_several_tables_with_keys():
    proposal = read(
        {'table': 'person', 'name': 'id', 'type': 'id', 'key': 'primary'},
        {'table': 'visit', 'name': 'person', 'type': 'integer', 'references': 'person.id'},
        {'table': 'visit', 'name': 'cost', 'type': 'decimal(8, 2)', 'references': None},
    )
    metadata = proposal.to_metadata()

    assert metadata.tables['person'].primary_key == 'id'
    assert metadata.relationships[0]['child_foreign_key'] == 'person'
    assert metadata.tables['visit'].columns['person'] == {'sdtype': 'id'}
    assert metadata.tables['visit'].columns['cost']['decimal_places'] == 2


def test_numbers_that_are_codes_are_categories():
    assert read_one(type='integer', values='1 = low; 2 = high').to_entry() == {
        'sdtype': 'categorical',
        'range_values': [1, 2],
    }
    plain = read_one(type='integer', values='1, 2, 5')
    assert plain.values == (1, 2, 5)  # noqa: PD011
    assert 'taken as a category' in plain.notes[0]
    # A range is no list of values, wherever it is written.
    assert (read_one(type='integer', values='1-5').low, read_one(values='1-5').high) == (1, 5)


def test_what_is_not_stated_is_open_and_the_column_is_not_looked_at():
    proposal = read({'name': 'x'}, {'name': 'y', 'type': 'integer'})
    metadata = proposal.to_metadata()

    assert metadata.tables['table'].columns['x'] == {'sdtype': 'unknown', 'pii': True}
    assert [each.fact for each in proposal.questions['table', 'x']] == ['sdtype']
    assert [each.fact for each in proposal.questions['table', 'y']] == ['min', 'max', 'missing']
    assert 'State by hand. Until then these columns are made up' in str(proposal)
    assert ClustMixSynthesizer(metadata).preprocessor.describe().names == ('y',)


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        ({'type': 'quux'}, "The type 'quux' is not known"),
        ({'type': 'integer', 'range': 'small'}, "The range 'small' is not understood"),
        ({'type': 'integer', 'min': 'low'}, "'low' is no number"),
        ({'type': 'date', 'format': 'whenever'}, "The format 'whenever' is not known"),
        ({'type': 'integer', 'missing': '-9'}, 'make such cells empty before a fit'),
        ({'type': 'integer', 'references': 'elsewhere'}, 'must be written TABLE.COLUMN'),
        ({'type': 'double', 'decimals': 'two'}, 'is no number of decimals'),
    ],
)
def test_what_is_not_understood_is_noted(line, expected):
    column = read_one(**line)

    assert any(expected in note for note in column.notes)
    assert f'note: {column.notes[0]}' in str(Proposal({'t': (column,)}))


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [
        ([{'age': 41, 'city': 'Bern'}], 'no data dictionary: it has no column for the names'),
        ([{'name': 'x', 'type': 'int', 'range': '9 to 1'}], 'ends before it begins'),
        ([{'name': None}], 'has no lines'),
    ],
)
def test_what_is_no_data_dictionary_is_refused(lines, expected):
    with pytest.raises(InputError, match=expected) as refused:
        read(*lines)
    assert 'Bern' not in str(refused.value)


@pytest.mark.parametrize(
    ('word', 'expected'),
    [
        ('INTEGER', ('numerical', 0)), ('uint8', ('numerical', 0)),
        ('float64', ('numerical', None)), ('Decimal(10,2)', ('numerical', 2)),
        ('timestamp[us, tz=UTC]', ('datetime', None)), ('yes/no', ('boolean', None)),
        ('VARCHAR(20)', (None, None)),
    ],
)  # fmt: skip
def test_types(word, expected):
    assert read_type(word) == expected


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('1, Male | 2, Female', ((1, 2), True)),
        ('1: a b\n2: c', ((1, 2), True)),
        ('["1", "2"]', (('1', '2'), False)),
        ('[1, 2, 1]', ((1, 2), False)),
        ('red, green, red', (('red', 'green'), False)),
        ("'a'; 'b'", (('a', 'b'), False)),
        ('0-17; 18+', (('0-17', '18+'), False)),
    ],
)
def test_lists_of_values(text, expected):
    assert read_values(text) == expected


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('YYYY-MM-DD', '%Y-%m-%d'), ('dd/mm/yyyy hh:mm:ss', '%d/%m/%Y %H:%M:%S'),
        ('%d.%m.%y', '%d.%m.%y'), ('DD MMM YY', '%d %b %y'), ('soon', None),
    ],
)  # fmt: skip
def test_formats_of_dates(text, expected):
    assert read_template(text) == expected


def make_column(rng, at):
    """Make a column of which some facts are stated."""
    low, high = sorted(rng.integers(-9, 9, 2).tolist())
    maybe = [True, False, None]
    kinds = [
        {'sdtype': 'numerical', 'low': low, 'high': high, 'decimals': int(rng.integers(4))},
        {'sdtype': 'numerical', 'low': low + 0.5},
        {'sdtype': 'categorical', 'values': ('a;b', 'c,"d', "é'", ' ')},
        {'sdtype': 'ordinal', 'values': (1, 2, 10)},
        {'sdtype': 'categorical', 'values': ('1', '2')},
        {'sdtype': 'datetime', 'template': '%d.%m.%Y', 'low': '01.02.2003'},
        {'sdtype': 'boolean'},
    ]
    facts = kinds[rng.integers(len(kinds))]
    nullable = maybe[rng.integers(3)]
    return StatedColumn(name=f'column {at}; "{at}"', nullable=nullable, **facts)


def test_a_written_data_dictionary_states_the_same(tmp_path, rng):
    columns = tuple(make_column(rng, at) for at in range(60))
    key = StatedColumn(name='key', sdtype='id', key=True)
    proposal = Proposal({'people': (key, *columns), 'visits': columns})
    path = tmp_path / 'written.csv'
    proposal.to_dictionary().to_csv(path, index=False)

    assert propose_from_dictionary(path).tables == proposal.tables
    assert propose_from_dictionary(proposal.to_dictionary()).tables == proposal.tables


def test_a_dictionary_completes_what_a_table_says():
    own = Proposal(
        {'file': (StatedColumn(name='b', sdtype='id', guess='by its name'), *named('a', 'c'))},
        ('The first line.',),
    )
    merged = own.told(read({'name': 'a', 'type': 'integer'}, {'name': 'b', 'type': 'code'},
                           {'name': 'd', 'type': 'code'}))  # fmt: skip

    assert [each.name for each in merged.tables['file']] == ['b', 'a', 'c']
    assert [each.sdtype for each in merged.tables['file']] == ['categorical', 'numerical', None]
    assert "columns that the table lacks: ['d']" in str(merged)
    with pytest.raises(InputError, match='has none of the columns'):
        own.told(read({'name': 'z'}))
