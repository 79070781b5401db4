"""Names and types of files whose rows are private: nothing else is read, and nothing else shown."""

import pandas as pd
import pytest

from sdv_threea.errors import InputError
from sdv_threea.metadata import propose_from_csv, propose_from_parquet, schemas
from sdv_threea.metadata.schemas import propose_from_dtypes

SECRET = 'secret-cell'
HEADER = 'patient_id,age,"last, first",visit_date,is_smoker,stage\n'


def list_names(proposal):
    return [column.name for _, column in proposal]


@pytest.mark.parametrize(
    'rest',
    [
        f'1,{SECRET}\n'.encode(),
        b'"never closed ' + SECRET.encode(),
        b'\xff\xfe\x00' + SECRET.encode(),
        b'\0' * 9 + SECRET.encode(),
        f'{SECRET},{SECRET}\n'.encode() * 9,
    ],
)
def test_whatever_comes_after_the_first_line_changes_nothing(tmp_path, rest):
    path = tmp_path / 'visits.csv'
    path.write_bytes(HEADER.encode())
    expected = propose_from_csv(path)
    path.write_bytes(HEADER.encode() + rest)

    assert propose_from_csv(path) == expected
    assert SECRET not in str(propose_from_csv(path))
    assert list_names(expected) == [
        'patient_id', 'age', 'last, first', 'visit_date', 'is_smoker', 'stage',
    ]  # fmt: skip


def test_no_byte_behind_the_first_line_is_read(tmp_path, monkeypatch):
    path = tmp_path / 'visits.csv'
    path.write_bytes(HEADER.encode() + SECRET.encode() * 1000)
    seen = []
    read = schemas._read_bytes
    monkeypatch.setattr(
        schemas, '_read_bytes', lambda file: (seen.append(each) or each for each in read(file))
    )
    propose_from_csv(path)

    assert b''.join(seen).decode() == HEADER


@pytest.mark.parametrize(
    'line',
    [
        f'41,{SECRET},1.5', f'{SECRET},2021-03-04', f'{SECRET},anna@example.com', f'{SECRET},NA',
        f'{SECRET},{SECRET}', f',{SECRET}', f'"{SECRET}\nb', '',
    ],
)  # fmt: skip
def test_a_first_line_that_looks_like_a_row_is_refused_and_not_shown(tmp_path, line):
    path = tmp_path / 'visits.csv'
    path.write_text(f'{line}\nx,y\n' if line else '')
    with pytest.raises(InputError, match='first line') as refused:
        propose_from_csv(path)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'cp1252'])
@pytest.mark.parametrize('end', ['\n', '\r\n', '\r'])
def test_encodings_and_ends_of_lines(tmp_path, encoding, end):
    path = tmp_path / 'besuche.csv'
    path.write_bytes(f'größe;alter{end}1;2{end}'.encode(encoding))
    how = {'separator': ';', 'encoding': encoding}

    assert list_names(propose_from_csv(path, **how)) == ['größe', 'alter']


def make_table(first):
    return pd.DataFrame(
        {
            'patient_id': [first, 2],
            'age': pd.array([first, None], dtype='Int64'),
            'price': [0.5, first / 2],
            'city': [SECRET, f'{SECRET}{first}'],
            'origin': [SECRET, f'{SECRET}{first}'],
            'phone': [first, 2],
            'kind': pd.Categorical([SECRET, f'{SECRET}{first}']),
            'seen': pd.to_datetime(['2020-01-01', f'20{first}-01-01']),
            'smoker': [True, False],
        }
    )


def test_the_schema_of_parquet_says_types_and_nothing_of_cells(tmp_path):
    found = []
    for first in (11, 33):
        path = tmp_path / 'visits.parquet'
        make_table(first).to_parquet(path)
        found.append(propose_from_parquet(path))

    assert found[0] == found[1]
    assert SECRET not in str(found[0])
    entries = {column.name: column.to_entry() for _, column in found[0]}
    assert entries == {
        'patient_id': {'sdtype': 'id'},
        'age': {'sdtype': 'numerical', 'decimal_places': 0},
        'price': {'sdtype': 'numerical'},
        'city': {'sdtype': 'city', 'pii': True},
        'origin': {'sdtype': 'categorical'},
        'phone': {'sdtype': 'phone_number', 'pii': True},
        'kind': {'sdtype': 'categorical'},
        'seen': {'sdtype': 'datetime'},
        'smoker': {'sdtype': 'boolean'},
    }


@pytest.mark.parametrize(
    ('name', 'cells', 'sdtype'),
    [
        ('email', ['a', 'b'], 'email'),
        ('email', pd.Categorical(['a', 'b']), 'email'),
        ('email', pd.array(['a', None], dtype='string'), 'email'),
        ('email', [True, False], 'boolean'),
        ('email', pd.to_datetime(['2020-01-01', None]), 'datetime'),
        ('email', [1j, 2j], None),
        ('latitude', [0.5, 1.5], 'latitude'),
        # SDV makes coordinates up as fractions, which Int64 cannot hold.
        ('latitude', pd.array([1, None], dtype='Int64'), 'id'),
        ('notes', ['a', 'b'], 'text'),
        ('notes', [1, 2], 'numerical'),
        ('notes', pd.Categorical(['a', 'b']), 'categorical'),
        ('stage', ['a', 'b'], 'categorical'),
        (7, [1, 2], 'numerical'),
    ],
)
def test_a_dtype_that_settles_what_a_column_is_comes_before_its_name(name, cells, sdtype):
    ((_, column),) = propose_from_dtypes(pd.DataFrame({name: cells}).dtypes, 'people')
    assert (column.name, column.sdtype) == (name, sdtype)


def test_the_rows_of_parquet_may_be_broken(tmp_path):
    path = tmp_path / 'visits.parquet'
    make_table(11).to_parquet(path)
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], 'little') + 8
    path.write_bytes(b'PAR1' + b'\xff' * (len(whole) - length - 4) + whole[-length:])

    assert list_names(propose_from_parquet(path)) == list(make_table(11))
    path.write_bytes(b'no parquet')
    with pytest.raises(InputError, match='cannot be read as Parquet'):
        propose_from_parquet(path)
