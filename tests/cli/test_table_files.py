"""Tables in files: found, and read by the types that the metadata states."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.sources import CsvFormat, find_tables
from sdv_threea.cli.table_files import read_table, write_table

COLUMNS = {
    'age': {'sdtype': 'numerical'},
    'married': {'sdtype': 'boolean'},
    'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3]},
    'born': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'code': {'sdtype': 'id'},
}
LINES = ['age,married,grade,born,code', '39,true,1,1985-01-31,0017', '41,False,3,1983-02-01,0018']


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / 'table.csv'
        path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        return path

    return write


def test_cells_become_what_the_metadata_says(write):
    table = read_table(write(*LINES), COLUMNS)

    assert table['age'].tolist() == [39.0, 41.0]
    assert table['married'].tolist() == [True, False]
    assert table['grade'].tolist() == ['1', '3']
    assert table['born'].tolist() == ['1985-01-31', '1983-02-01']
    assert table['code'].tolist() == ['0017', '0018']


@pytest.mark.parametrize('more', ['20,true,1,1985-01-31,0019', ',,,,', '2.5,0,x,never,y'])
def test_dtypes_do_not_depend_on_the_rows(write, more):
    """A reader that guesses would make these floats, objects and texts, depending on the rows."""
    dtypes = read_table(write(*LINES), COLUMNS).dtypes
    assert read_table(write(*LINES, more), COLUMNS).dtypes.equals(dtypes)


def test_numbers_are_read_exactly_as_they_were_written(tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=2000) * 10.0 ** rng.integers(-12, 12, 2000)
    path = tmp_path / 'table.csv'
    write_table(pd.DataFrame({'age': numbers}), path)

    assert np.array_equal(read_table(path, COLUMNS)['age'], numbers)


@pytest.mark.parametrize(
    ('lines', 'complaint'),
    [
        ([*LINES, 'SECRET,,,,'], "Column 'age' .* not numbers"),
        ([*LINES, '1_000,,,,'], "Column 'age' .* not numbers"),
        ([*LINES, ',SECRET,,,'], "Column 'married' .* neither true nor false"),
        ([*LINES, '1,true,1,1985-01-31,17,SECRET'], 'cannot be read'),
        ([LINES[0], '1,true,1,1985-01-31,17,SECRET'], 'cannot be read'),
        ([], 'names no column of the metadata'),
    ],
)
def test_complaints_name_columns_and_show_no_cell(write, lines, complaint):
    with pytest.raises(RefusedError, match=complaint) as caught:
        read_table(write(*lines), COLUMNS)
    assert 'SECRET' not in caught.value.format_message()


def test_what_is_written_in_another_format_reads_back_the_same(tmp_path):
    table = pd.DataFrame({'text': ['a;b', 'é', None], 'age': [1.0, 2.5, np.nan]})
    form = CsvFormat(';', 'cp1252')
    write_table(table, tmp_path / 'table.csv', form)
    assert 'é'.encode('cp1252') in (tmp_path / 'table.csv').read_bytes()
    columns = {'age': {'sdtype': 'numerical'}}
    pd.testing.assert_frame_equal(read_table(tmp_path / 'table.csv', columns, form), table)
    with pytest.raises(RefusedError, match='lacks a character'):
        write_table(pd.DataFrame({'text': ['語']}), tmp_path / 'table.csv', form)


def test_a_folder_has_one_file_by_table(tmp_path):
    for name in ('a.csv', 'b.csv.gz', 'c.csv', 'c.csv.gz'):
        (tmp_path / name).touch()

    assert find_tables(tmp_path, ['a', 'b']) == {
        'a': tmp_path / 'a.csv',
        'b': tmp_path / 'b.csv.gz',
    }
    with pytest.raises(RefusedError, match="several files for the table 'c'"):
        find_tables(tmp_path, ['a', 'c'])
    with pytest.raises(RefusedError, match="no file for the table 'd'"):
        find_tables(tmp_path, ['a', 'd'])


def test_parquet_is_typed_by_its_schema_whatever_the_rows(tmp_path):
    pytest.importorskip('pyarrow', reason='PyArrow is not installed: pip install pyarrow')
    full = pd.DataFrame(
        {'age': [39, 41], 'rate': [0.1, 0.2], 'married': [True, False], 'code': ['a', 'b']}
    )
    gaps = full.astype({'age': 'Int64', 'married': 'boolean'})
    gaps.loc[1] = None
    dtypes = []
    for table in (full, gaps):
        write_table(table, tmp_path / 'table.parquet')
        read = read_table(tmp_path / 'table.parquet', {})
        assert read.isna().sum().tolist() == table.isna().sum().tolist()
        dtypes.append(read.dtypes)
    assert dtypes[0].equals(dtypes[1])


def test_a_spreadsheet_gets_no_formula(tmp_path):
    armed = ['=1+1', '+cmd', '-x', '@sum', '\t=1', '\n=1', '＝1+1', '＋cmd', '－x', '＠sum']
    cells = [*armed, '-5', '+1.5', 'a=b', None]
    table = pd.DataFrame({'=name': cells, 'x': range(len(cells))})
    write_table(table, tmp_path / 'table.csv', for_spreadsheets=True)
    read = read_table(tmp_path / 'table.csv', {'x': {'sdtype': 'numerical'}})
    assert list(read) == ["'=name", 'x']
    expected = [*(f"'{each}" for each in armed), '-5', '+1.5', 'a=b']
    assert read["'=name"].tolist()[:-1] == expected
    write_table(table, tmp_path / 'table.csv')
    assert read_table(tmp_path / 'table.csv', {})['=name'].tolist()[:-1] == cells[:-1]


def test_a_sheet_is_read_as_a_csv_file_would_be(tmp_path):
    pytest.importorskip('openpyxl')
    path = tmp_path / 'table.xlsx'
    sheet = {
        'age': [39, 41.5, None],
        'married': [True, False, None],
        'grade': [1, 3, None],
        'born': [*pd.to_datetime(['1985-01-31', '1983-02-01']), None],
        'code': ['0017', '0018', 'NA'],
    }
    pd.DataFrame(sheet).to_excel(path, index=False)
    table = read_table(path, COLUMNS)

    assert table['age'].tolist()[:2] == [39.0, 41.5]
    assert table['married'].tolist()[:2] == [True, False]
    assert table['grade'].tolist()[:2] == ['1', '3']
    assert table['born'].tolist()[:2] == ['1985-01-31', '1983-02-01']
    assert table['code'].tolist()[:2] == ['0017', '0018']
    assert table.iloc[2].isna().all()
    path.write_text('no sheet')
    with pytest.raises(RefusedError, match='cannot be read as Excel'):
        read_table(path, COLUMNS)
