"""A table of sequences is split into two tables and joined again without a change."""

import described
import pandas as pd
import pytest
from sdv.errors import InvalidDataError

from sdv_threea.storage.reading import take_table
from sdv_threea.storage.sequences import read_sequences


def describe(index, **keys):
    columns = {'who': 'id', 'when': index, 'sex': 'categorical', 'x': 'numerical'}
    keys = {'sequence_key': 'who', 'sequence_index': 'when', **keys}
    return described.describe(columns, 'rows', **keys)


def test_split_tables_join_to_the_table_by_sequence():
    table = pd.DataFrame({'who': [1, 7, 1, 7, 3], 'when': [3.0, 1.0, 2.0, 5.0, 4.0]})
    table = table.assign(sex=['f', None, 'f', None, 'm'], x=[1.0, 2.0, 3.0, None, 5.0])
    sequences = read_sequences(describe({'sdtype': 'numerical'}), ['sex'])
    split = sequences.split(take_table({'rows': table}, 'rows', sequences.columns))
    assert len(split[sequences.parent]) == 3
    expected = table.sort_values('who', kind='stable', ignore_index=True)
    joined = sequences.join(split).sort_values('who', kind='stable', ignore_index=True)
    pd.testing.assert_frame_equal(joined, expected)


@pytest.mark.parametrize(
    ('column', 'values'), [('sex', ['f', 'm', None, None, 'm']), ('who', [1, 1, None, 7, 3])]
)
def test_broken_sequences_are_refused_without_a_value(column, values):
    sequences = read_sequences(describe({'sdtype': 'numerical'}), ['sex'])
    table = pd.DataFrame({'who': [1, 1, 7, 7, 3], 'when': [1, 2, 3, 4, 5], 'sex': 'f', 'x': 0.0})
    table = table.assign(**{column: values})
    with pytest.raises(InvalidDataError, match=column):
        sequences.split(take_table({'rows': table}, 'rows', sequences.columns))
