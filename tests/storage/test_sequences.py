"""A table of sequences is split into two tables and joined again without a change."""

import pandas as pd
import pytest
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata

from sdv_threea.storage.sequences import read_sequences

DATES = pd.to_datetime(['2020-01-03', '2020-01-01', '2021-05-01', '2020-01-01', '2022-07-07'])
INDICES = {
    'dates': (DATES, {'sdtype': 'datetime'}),
    'texts': (DATES.strftime('%d.%m.%Y'), {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}),
    'numbers': ([2.5, 0.5, 10.0, 0.5, 7.0], {'sdtype': 'numerical'}),
    'integers': ([3, 1, 10, 1, 7], {'sdtype': 'numerical'}),
}


def describe(index, **keys):
    columns = {
        'who': {'sdtype': 'id'},
        'when': index,
        'sex': {'sdtype': 'categorical'},
        'x': {'sdtype': 'numerical'},
    }
    keys = {'sequence_key': 'who', 'sequence_index': 'when', **keys}
    return Metadata.load_from_dict({'tables': {'rows': {'columns': columns, **keys}}})


@pytest.fixture(params=INDICES)
def both(request):
    values, index = INDICES[request.param]
    table = pd.DataFrame({'who': [1, 1, 7, 7, 3], 'when': values})
    table = table.assign(sex=['f', 'f', None, None, 'm'], x=[1.0, 2.0, 3.0, None, 5.0])
    return table, read_sequences(describe(index), ['sex'])


def test_split_tables_join_to_the_sorted_table(both):
    table, sequences = both
    split = sequences.split(table)
    assert len(split[sequences.parent]) == 3
    joined = sequences.join(split, [])
    expected = table.iloc[[1, 0, 3, 2, 4]].reset_index(drop=True)
    pd.testing.assert_frame_equal(joined, expected)


def test_gaps_of_a_sequence_are_those_of_its_own_rows(both):
    """Without the sequence of key 7, the other rows stay as they are."""
    table, sequences = both
    whole = sequences.split(table)['rows']
    fewer = sequences.split(table[table['who'] != 7])['rows']
    kept = whole[whole['who'] != 7].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, fewer)


@pytest.mark.parametrize(
    ('column', 'values'),
    [
        ('sex', ['f', 'm', None, None, 'm']),
        ('who', [1, 1, None, 7, 3]),
        ('when', [1, 2, None, 4, 5]),
    ],
)
def test_broken_sequences_are_refused_without_a_value(column, values):
    sequences = read_sequences(describe({'sdtype': 'numerical'}), ['sex'])
    table = pd.DataFrame({'who': [1, 1, 7, 7, 3], 'when': [1, 2, 3, 4, 5], 'sex': 'f', 'x': 0.0})
    with pytest.raises(InvalidDataError, match=column):
        sequences.split(table.assign(**{column: values}))


@pytest.mark.parametrize(
    'ends',
    [
        pd.Series([-1e308, 1e308]),
        pd.Series([-(2**63), 2**63 - 1], dtype='int64'),
        pd.Series([0, 2**64 - 1], dtype='uint64'),
        pd.Series([-(2**63), 2**63 - 1], dtype='Int64'),
    ],
    ids=['floats', 'int64', 'uint64', 'Int64'],
)
def test_a_gap_between_valid_indices_is_valid(ends):
    """Or one sequence could keep a table of valid cells from being fitted."""
    table = pd.DataFrame({'who': 1, 'when': ends, 'sex': 'f', 'x': 1.0})
    sequences = read_sequences(describe({'sdtype': 'numerical'}), ['sex'])
    gaps = sequences.split(table)['rows'][sequences.gap]
    assert (gaps > 1e18).all()
    assert (gaps < float('inf')).all()


def test_an_infinite_index_is_refused_for_what_it_is():
    table = pd.DataFrame({'who': 1, 'when': [1.0, float('inf')], 'sex': 'f', 'x': 1.0})
    with pytest.raises(InvalidDataError, match='index .* invalid values'):
        read_sequences(describe({'sdtype': 'numerical'}), ['sex']).split(table)
