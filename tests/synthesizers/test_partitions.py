"""A row by itself in tables that come in parts: partitions of Dask, files of CSV and of Parquet.

What becomes of a row is compared by how it is spelled, whatever lies in the other parts.
"""

import datetime
from collections import Counter, defaultdict
from decimal import Decimal
from functools import partial
from itertools import product

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from described import describe
from pyarrow import parquet
from sdv.errors import InvalidDataError
from spelled import spell_rows

from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.scalars import spell
from sdv_threea.storage import reading
from sdv_threea.storage.reading import take_table
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

dask_frames = pytest.importorskip('dask.dataframe', reason='Dask is not installed')

NAME = 't'


def make_synthesizer(columns, **arguments):
    return ClustMixSynthesizer(describe(columns), epsilon=50.0, **arguments)


def count_rows(table):
    return Counter(spell_rows(table))


def read_parts(data, columns):
    """Count what the rows of a table are read as, wherever it lies."""
    synthesizer = make_synthesizer(columns, invalid_cells='coerce')
    table = take_table({NAME: data}, NAME, columns)
    synthesizer.preprocessor.prepare(table.header)
    return table.rows.map(synthesizer.preprocessor.make_translation()).sum(count_rows)


def cut(table, ends):
    """Cut a table into partitions, each of which pandas stores as if it had been read alone."""
    parts = np.split(np.arange(len(table)), ends)
    rows = [{name: table[name].iloc[each].tolist() for name in table} for each in parts]
    return dask_frames.from_map(partial(_store, table.iloc[:0]), rows, meta=table.iloc[:0])


def _store(header, rows):
    part = pd.DataFrame(rows, columns=header.columns)
    return part if len(part) else header


WIDE = {
    'number': {'sdtype': 'numerical'},
    'code': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'text': {'sdtype': 'categorical'},
    'day': {'sdtype': 'datetime'},
}


def make_wide():
    """Make numbers, codes of 16 digits, flags, texts with NUL and dates; no cell is missing."""
    return pd.DataFrame(
        {
            'number': [1, 2, 3, 4, 5, 6],
            'code': [1, 2, 2**53 + 1, 1, 1, 2],
            'flag': [True, False, True, True, False, True],
            'text': ['flu', 'flu\0 John', 'cold', 'flu', '1', 'True'],
            'day': pd.date_range('2020', periods=6),
        }
    )


ODD_ROWS = [
    {'number': None, 'code': None, 'flag': None, 'text': None, 'day': None},
    {'number': 0.5, 'code': 0.5, 'flag': True, 'text': '', 'day': pd.Timestamp('2020', tz='UTC')},
    {'number': 'x', 'code': 'x', 'flag': 'x', 'text': 'x', 'day': 'x'},
    {'number': 2**70, 'code': 2**70, 'flag': 1, 'text': '\0', 'day': datetime.date(9999, 1, 1)},
    {'number': Decimal('0.1'), 'code': True, 'flag': 0, 'text': 'flu ', 'day': '2020-01-05 XYZ'},
]


def read_column(data, name):
    """Count what the cells of one column are read as; ``None`` if a part of it is refused."""
    try:
        return read_parts(data, {name: WIDE[name]})
    except UnreadableRowsError:
        return None


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('odd', ODD_ROWS, ids=str)
@pytest.mark.parametrize('converts', [True, False])
def test_one_row_changes_nothing_of_the_others_in_any_partition_of_dask(odd, converts):
    usual, taken = make_wide(), []
    with dask.config.set({'dataframe.convert-string': converts, 'scheduler': 'synchronous'}):
        for name, (ends, place) in product(WIDE, (([3], 0), ([1, 2, 6], 2), ([0, 6], 6))):
            column, cell = usual[[name]], pd.DataFrame({name: [odd[name]]}, dtype=object)
            without = read_column(cut(column, ends), name)
            rows = pd.concat([column.iloc[:place].astype(object), cell, column.iloc[place:]])
            frame = cut(rows.set_axis(range(7)), ends)
            frame = dask_frames.from_map(
                partial(_pass, [each.compute() for each in frame.partitions]),
                range(frame.npartitions),
                meta=column.iloc[:0],
            )
            moved = read_column(frame, name)
            if moved is not None:
                moved.subtract(without)
                assert [each for each in moved.values() if each] == [1]
                taken.append(name)
    assert taken


def _pass(parts, at):
    return parts[at]


def test_the_check_sees_partitions_that_are_stored_by_their_rows(monkeypatch):
    monkeypatch.setattr(reading, 'check_parts', lambda schema, chunk: chunk)
    with pytest.raises(AssertionError):
        test_one_row_changes_nothing_of_the_others_in_any_partition_of_dask(ODD_ROWS[2], True)


@pytest.mark.parametrize('coerced', ['raise', 'coerce'])
def test_parts_that_a_loader_guessed_are_refused_before_anything_is_spent(coerced, tmp_path):
    """One text cell once turned all cells of its part from '1' into '1.0'."""
    columns = {'code': {'sdtype': 'categorical'}}
    for at, cells in enumerate((['x', 'y'], [1.0, 2.0])):
        pd.DataFrame({'code': cells}).to_parquet(tmp_path / f'{at}.parquet')
    synthesizer = make_synthesizer(columns, invalid_cells=coerced)
    with pytest.raises(UnreadableRowsError, match="'code' is declared as string, and a part"):
        synthesizer.fit({NAME: tmp_path})

    assert not synthesizer._fitted
    pd.DataFrame({'code': ['1.0', '2.0']}).to_parquet(tmp_path / '1.parquet')
    assert read_parts(tmp_path, columns).total() == 4


def write_csv(folder, *parts):
    for at, cells in enumerate(parts):
        (folder / f'{at}.csv').write_text('\n'.join(['code,day', *(f'{each},' for each in cells)]))
    return str(folder / '*.csv')


def test_dask_must_not_guess_the_dtypes_of_text_files(tmp_path):
    files = write_csv(tmp_path, ['x', 'y'], ['01', '2'], ['1', ''])
    columns = {'code': {'sdtype': 'categorical'}}
    for options, guessed in (
        ({}, "'code', 'day'"),
        ({'dtype': {'day': 'str'}}, "'code'"),
        ({'dtype': 'str', 'parse_dates': ['day']}, "'code', 'day'"),
        ({'dtype': {'code': 'str'}, 'usecols': ['code', 'day']}, "'day'"),
    ):
        frame = dask_frames.read_csv(files, **options)
        for part in (frame, frame.assign(more=1).drop(columns='more')):
            with pytest.raises(InvalidDataError, match=rf'guesses .* \[{guessed}\] .*dtype='):
                take_table({NAME: part}, NAME, columns)
    for stated in ('str', {'code': 'str', 'day': 'str'}, defaultdict(lambda: 'str', day='float64')):
        frame = dask_frames.read_csv(files, dtype=stated)[['code']]
        read = read_parts(frame, columns)
        assert {cell for (cell,) in read} == {None, *map(spell, ('x', 'y', '01', '2', '1'))}


def test_parts_of_any_loader_are_taken():
    part = pd.DataFrame({'code': ['x', 'y']})
    frame = dask_frames.from_delayed([dask.delayed(part)] * 2, meta=part[:0])
    assert read_parts(frame, {'code': {'sdtype': 'categorical'}}).total() == 4


def test_a_category_with_nul_is_refused_wherever_it_lies():
    """pandas had made one text of two by then, that of one record for all of them."""
    columns = {
        'text': {'sdtype': 'categorical'},
        'key': {'sdtype': 'id'},
        'who': {'sdtype': 'name'},
    }
    table = make_wide()[['text']].assign(key=[f'key {at}' for at in range(6)], who='Ann\0')
    for name in ('text', 'key'):
        odd = table.assign(**{name: ['flu\0 John', *['flu'] * 5]}).astype({name: 'category'})
        for coerced, data in product(('raise', 'coerce'), (odd, dask_frames.from_pandas(odd, 2))):
            with pytest.raises(InvalidDataError, match='a category with NUL') as caught:
                make_synthesizer(columns, invalid_cells=coerced).validate({NAME: data})
            assert 'John' not in str(caught.value)
    # What is never looked at may be anything.
    make_synthesizer(columns).validate({NAME: table.astype({'who': 'category'})})


#: Types of Arrow's, and what is in a file of them: rows that no others change.
IN_FILES = {
    'whole': (pa.int64(), [1, 2**53 + 1, -(2**62) - 1, 1], 'categorical'),
    'small': (pa.uint8(), [1, 255, 3, 1], 'numerical'),
    'flag': (pa.bool_(), [True, False, True, True], 'boolean'),
    'single': (pa.float32(), [0.1, 2.5, 123456792.0, 0.1], 'numerical'),
    'decimal': (pa.decimal128(9, 2), [Decimal(each) for each in ('0.10', 2, 3, 2)], 'numerical'),
    'text': (pa.string(), ['flu', 'flu\0 John', 'cold', 'flu'], 'categorical'),
    'dictionary': (pa.dictionary(pa.int8(), pa.string()), ['a', 'b', 'c', 'c'], 'categorical'),
    'day': (pa.date32(), [datetime.date(2020, 1, day) for day in (1, 2, 3, 1)], 'datetime'),
    **{
        f'moment in {unit}': (
            pa.timestamp(unit),
            [datetime.datetime(2020, 1, day) for day in (1, 2, 3, 1)],
            'datetime',
        )
        for unit in ('s', 'ms', 'us', 'ns')
    },
    'zoned': (
        pa.timestamp('us', 'Europe/Berlin'),
        [datetime.datetime(2020, 10, 25, hour, 30, tzinfo=datetime.UTC) for hour in range(4)],
        'datetime',
    ),
}  # fmt: skip


@pytest.mark.parametrize('kind', IN_FILES)
def test_a_gap_in_one_file_changes_nothing_of_the_other_rows(kind, tmp_path):
    typed, values, sdtype = IN_FILES[kind]
    columns, found = {'x': {'sdtype': sdtype}}, []
    for number, last in enumerate(([values[-1]], [values[-1], None])):
        folder = tmp_path / str(number)
        folder.mkdir()
        for at, rows in enumerate((values[:-1], last)):
            cells = pa.table({'x': pa.array(rows, typed)})
            parquet.write_table(cells, folder / f'{at}.parquet', row_group_size=2)
        found.append(read_parts(folder, columns))
    expected = read_parts(pd.DataFrame({'x': pd.array(values, pd.ArrowDtype(typed))}), columns)

    assert found[0] == expected
    assert found[1] == expected + Counter({(None,): 1})


def test_a_gap_where_the_schema_has_none_is_refused_with_the_way_out():
    table = make_wide()[['number']].astype(object)
    table.loc[3, 'number'] = None
    frame = dask_frames.from_map(
        partial(_pass, [table.iloc[:3].astype('int64'), table.iloc[3:].astype(float)]),
        [0, 1],
        meta=make_wide()[['number']].iloc[:0],
    )
    columns = {'number': {'sdtype': 'numerical'}}
    with pytest.raises(InvalidDataError, match="allows none: store it in .* 'Int64'"):
        make_synthesizer(columns).fit({NAME: frame})

    make_synthesizer(columns, invalid_cells='coerce').fit({NAME: frame})
