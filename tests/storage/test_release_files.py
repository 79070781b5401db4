"""Files of releases are read in time and memory of their own size, whatever they claim."""

import hashlib
import io
import json
import math
import os
import struct
import tracemalloc
import zlib

import numpy as np
import pandas as pd
import pytest

from sdv_threea.cost import find_memory
from sdv_threea.storage.release_files import MAGIC, DamagedError, read_plain, write_plain

ARRAY = {'is': 'array', 'name': 'a0'}


def seal(path, content):
    """Write a file with a right checksum, as an attacker can."""
    path.write_bytes(MAGIC + hashlib.sha256(content).digest() + content)


def save(path, value, **arrays):
    """Write a value as an attacker spells it, with arrays beside it."""
    text = json.dumps({'is': 'dict', 'items': [['x', value]]}).encode()
    archive = io.BytesIO()
    np.savez(archive, json=np.frombuffer(text, np.uint8), **arrays)
    seal(path, archive.getvalue())


def measure(path):
    """Read a file that is to be refused; return why, and the bytes that this took at most."""
    tracemalloc.start()
    try:
        with pytest.raises((DamagedError, MemoryError)) as caught:
            read_plain(path)
        return str(caught.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def overlap(times):
    """Make an archive whose members all have the same bytes, each behind a header of its own.

    The header of a member says that those of all later ones are an extra field of it.
    """
    stored = io.BytesIO()
    np.save(stored, np.zeros(2**17))
    content = stored.getvalue()
    facts = struct.pack('<LLL', zlib.crc32(content), len(content), len(content))
    extra = b''
    for at in reversed(range(times)):
        local = struct.pack('<LHHHHH', 0x04034B50, 20, 0, 0, 0, 0) + facts
        extra = local + struct.pack('<HH', 9, len(extra)) + b'a%04d.npy' % at + extra
    central = b''
    for at in range(times):
        entry = struct.pack('<LHHHHHH', 0x02014B50, 20, 20, 0, 0, 0, 0) + facts
        place = struct.pack('<HHHHHLL', 9, 0, 0, 0, 0, 0, at * (len(extra) // times))
        central += entry + place + b'a%04d.npy' % at
    start = len(extra) + len(content)
    end = struct.pack('<LHHHHLLH', 0x06054B50, 0, 0, times, times, len(central), start, 0)
    return extra + content + central + end


def test_members_that_share_their_bytes_are_refused(tmp_path):
    content = overlap(30)
    # It is an archive that NumPy reads, and takes thirty times its size.
    with np.load(io.BytesIO(content)) as found:
        assert sum(found[name].nbytes for name in found.files) > 25 * len(content)
    seal(tmp_path / 'file', content)
    why, took = measure(tmp_path / 'file')
    assert why == 'overlapping'
    assert took < len(content)


def test_an_array_that_is_named_twice_is_refused(tmp_path):
    columns = [[f'c{at}', [None, ARRAY]] for at in range(2)]
    save(tmp_path / 'file', {'is': 'table', 'rows': 5, 'columns': columns}, a0=np.zeros(5))
    assert measure(tmp_path / 'file')[0] == 'KeyError'


@pytest.mark.parametrize('cells', [7, 'x', {'is': 'dict', 'items': []}, [1, 2], ARRAY])
def test_rows_that_are_claimed_must_be_there(tmp_path, cells):
    dtype = {'is': 'dtype', 'text': 'object'}
    table = {'is': 'table', 'rows': 10**6, 'columns': [['c', [dtype, cells]]]}
    save(tmp_path / 'file', table, a0=np.zeros(3))
    why, took = measure(tmp_path / 'file')
    assert why == 'rows'
    assert took < 10**6


@pytest.mark.parametrize('storage', ['python', 'pyarrow'])
def test_dtypes_of_texts_keep_their_storage(tmp_path, storage):
    """Dask stores texts in Arrow, whatever dtype they had."""
    dtype = pd.StringDtype(storage)
    write_plain(tmp_path / 'file', {'x': dtype})
    assert read_plain(tmp_path / 'file')['x'].storage == storage


@pytest.mark.parametrize('dtype', ['S1000000', 'U1000000', 'V1000000'])
def test_cells_are_not_as_long_as_a_dtype_says(tmp_path, dtype):
    column = [{'is': 'dtype', 'text': dtype}, ['a'] * 10]
    save(tmp_path / 'file', {'is': 'table', 'rows': 10, 'columns': [['c', column]]})
    why, took = measure(tmp_path / 'file')
    assert why == 'dtype'
    assert took < 10**6


def test_values_of_no_bytes_are_no_values(tmp_path):
    save(tmp_path / 'file', ARRAY, a0=np.zeros(10**6, 'V0'))
    why, took = measure(tmp_path / 'file')
    assert why == 'empty values'
    assert took < 10**6


@pytest.mark.parametrize(
    ('size', 'said'), [(2**28, 'checksum'), (find_memory() + 1, 'larger than the memory')]
)
def test_a_file_of_holes_is_not_read(tmp_path, size, said):
    if math.isinf(size):
        pytest.skip('how much memory there is, is not known')
    path = tmp_path / 'file'
    path.write_bytes(MAGIC)
    os.truncate(path, int(size))
    why, took = measure(path)
    assert said in why
    assert took < 2**20


def test_deep_values_are_refused(tmp_path):
    text = b'[' * 10**5 + b']' * 10**5
    archive = io.BytesIO()
    np.savez(archive, json=np.frombuffer(text, np.uint8))
    seal(tmp_path / 'file', archive.getvalue())
    assert measure(tmp_path / 'file')[0] == 'RecursionError'


def test_what_is_honest_comes_back(tmp_path):
    rows = np.arange(3)
    table = pd.DataFrame({'x': rows, 'y': pd.array([1, None, 3], 'Int64'), 'z': list('abc')})
    value = {'one': rows, 'same': rows, 'none': np.zeros(0, 'U'), 'table': table}
    write_plain(tmp_path / 'file', value)
    read = read_plain(tmp_path / 'file')
    pd.testing.assert_frame_equal(read.pop('table'), table)
    assert {name: each.tolist() for name, each in read.items()} == {
        'one': [0, 1, 2], 'same': [0, 1, 2], 'none': [],
    }  # fmt: skip
