"""Releases in files without code: plain values as JSON, and arrays.

A pickle can run any program when it is opened; a file of this kind cannot. It holds a checksum and
an archive of NumPy arrays (``.npz``, read without pickle). One array holds JSON, which names no
code except the dataclasses of :mod:`~sdv_threea.storage.release_kinds`, with their fields.
"""

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.cost import find_memory
from sdv_threea.encoding.encoders import CategoryEncoder, Encoder, NumberEncoder
from sdv_threea.errors import ShortageError
from sdv_threea.storage.release_kinds import make_kind, name_kind

ENCODERS = {each.__name__: each for each in (CategoryEncoder, NumberEncoder)}

#: The first bytes of a file, and the length of the SHA-256 checksum after them.
MAGIC, DIGEST = b'sdv-threea release 1\n', 32

#: The array that holds the JSON, and the key of a JSON object that names its type.
TEXT, KIND = 'json', 'is'


class DamagedError(ValueError):
    """A file differs from the one that was written."""


def write_plain(path: str | Path, value: Mapping[str, Any]) -> None:
    """Write plain values by name to a file, whole or not at all; ``TypeError`` for other values."""
    arrays: dict[str, Any] = {}
    text = json.dumps(_spell(value, arrays), allow_nan=False, separators=(',', ':'))
    arrays[TEXT] = np.frombuffer(text.encode(), dtype=np.uint8)
    archive = io.BytesIO()
    np.savez(archive, allow_pickle=False, **arrays)
    with replacing(path) as draft:
        digest = hashlib.sha256(archive.getbuffer()).digest()
        draft.write_bytes(MAGIC + digest + archive.getbuffer())


def is_plain(path: str | Path) -> bool:
    """Return whether a file was written by :func:`write_plain`; a pickle was not."""
    with open(path, 'rb') as file:
        return file.read(len(MAGIC)) == MAGIC


def read_plain(path: str | Path) -> dict[str, Any]:
    """Read a file of :func:`write_plain`; ``DamagedError`` if it differs from the written one.

    Formal guarantees:
        * no code from the file runs: nothing is unpickled, and the only classes that are made are
          those of :data:`~sdv_threea.storage.release_kinds.KINDS`, from their fields
        * time and memory are proportional to the length of the file: arrays share no bytes of the
          file, and none is read twice
    """
    with open(path, 'rb') as file:
        if os.fstat(file.fileno()).st_size > find_memory():
            raise ShortageError('The file of the release is larger than the memory of the machine.')
        _check_sum(file)
        try:
            arrays = _read_arrays(file)
            read = _read(json.loads(bytes(arrays.pop(TEXT))), arrays)
        except DamagedError:
            raise
        except Exception as error:  # a damaged file may raise any error
            raise DamagedError(type(error).__name__) from None
    if not isinstance(read, dict):
        raise DamagedError('no values')
    return read


def _check_sum(file: io.BufferedReader) -> None:
    magic, digest = file.read(len(MAGIC)), file.read(DIGEST)
    # A sparse file may be long without taking room on the disk. An archive has its directory at the
    # end, so most sparse files are refused before their checksum is computed.
    if magic == MAGIC and zipfile.is_zipfile(file):
        file.seek(len(MAGIC) + DIGEST)
        if hashlib.file_digest(file, 'sha256').digest() == digest:
            return
    raise DamagedError('its checksum differs from the saved one')


def _read_arrays(file: io.BufferedReader) -> dict[str, Any]:
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if any(each.compress_type != zipfile.ZIP_STORED for each in members):
            raise DamagedError('compressed')
        if sum(each.file_size for each in members) > os.fstat(file.fileno()).st_size:
            raise DamagedError('overlapping')
        return {each.filename.removesuffix('.npy'): _read_array(archive, each) for each in members}


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    with archive.open(member) as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    if array.size > member.file_size:  # an array of empty values may claim any size
        raise DamagedError('empty values')
    return array


def _spell(value: Any, arrays: dict[str, Any]) -> Any:
    """Return a value as JSON; its arrays are added to ``arrays``."""
    for kinds, spell in _SPELLERS:
        if isinstance(value, kinds):
            return spell(value, arrays)
    kind = name_kind(value)
    if kind is not None:
        own = [each.name for each in fields(value) if each.init and not each.name.startswith('_')]
        return {KIND: kind, 'fields': {name: _spell(getattr(value, name), arrays) for name in own}}
    raise TypeError(f'A {type(value).__name__} cannot be written to a file without code.')


def _spell_array(value: Any, arrays: dict[str, Any]) -> Any:
    name = f'a{len(arrays)}'
    if value.dtype.hasobject:
        raise TypeError('An array of objects cannot be written to a file without code.')
    arrays[name] = np.asarray(value)
    return {KIND: 'array', 'name': name}


def _spell_float(value: float, _: object) -> Any:
    plain = float(value)
    return plain if math.isfinite(plain) else {KIND: 'float', 'text': str(plain)}


def _spell_timestamp(value: pd.Timestamp, _: object) -> Any:
    return {KIND: 'timestamp', 'value': int(value.value), 'zone': value.tz and str(value.tz)}


def _spell_interval(value: pd.Interval, arrays: dict[str, Any]) -> Any:
    ends = [_spell(each, arrays) for each in (value.left, value.right)]
    return {KIND: 'interval', 'ends': ends, 'closed': value.closed}


def _spell_encoder(value: Encoder, arrays: dict[str, Any]) -> Any:
    facts = {name: _spell(getattr(value, name), arrays) for name in value.FACTS}
    if type(value).__name__ not in ENCODERS:
        raise TypeError(f'A {type(value).__name__} cannot be written to a file without code.')
    return {KIND: 'encoder', 'class': type(value).__name__, 'name': value.name, 'facts': facts}


def _spell_mapping(value: Mapping[Any, Any], arrays: dict[str, Any]) -> Any:
    items = [[_spell(key, arrays), _spell(each, arrays)] for key, each in value.items()]
    return {KIND: 'dict', 'items': items}


def _spell_dtype(value: Any, _: object) -> Any:
    if isinstance(value, pd.CategoricalDtype):
        if value.categories is not None:
            raise TypeError('A dtype with values cannot be written to a file without code.')
        return {KIND: 'category', 'ordered': bool(value.ordered)}
    spelt = str(value)
    if isinstance(value, pd.StringDtype) and value.na_value is pd.NA:
        spelt = f'string[{value.storage}]'  # its short name leaves the storage open
    if pd.api.types.pandas_dtype(spelt) != value:
        raise TypeError(f'The dtype {spelt} cannot be written to a file without code.')
    return {KIND: 'dtype', 'text': spelt}


def _spell_table(value: pd.DataFrame, arrays: dict[str, Any]) -> Any:
    columns = [
        [_spell(label, arrays), _spell_cells(value.iloc[:, at], arrays)]
        for at, label in enumerate(value.columns)
    ]
    return {KIND: 'table', 'rows': len(value), 'columns': columns}


def _spell_cells(column: pd.Series, arrays: dict[str, Any]) -> Any:
    if isinstance(column.dtype, np.dtype) and not column.dtype.hasobject:
        return [None, _spell(column.to_numpy(), arrays)]
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = [_spell(each, arrays) for each in column.cat.categories]
        ordered = bool(column.dtype.ordered)
        dtype = {KIND: 'category', 'ordered': ordered, 'categories': categories}
    else:
        dtype = _spell_dtype(column.dtype, arrays)
    cells = [None if _is_missing(each) else _spell(each, arrays) for each in column]
    return [dtype, cells]


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (cell != cell) is True


def _keep(value: Any, _: object) -> Any:
    return value


_SPELLERS: tuple[tuple[Any, Callable[[Any, dict[str, Any]], Any]], ...] = (
    ((type(None), bool, str), _keep),
    (np.bool_, lambda value, _: bool(value)),
    (np.integer, lambda value, _: int(value)),
    (int, _keep),
    ((float, np.floating), _spell_float),
    (np.ndarray, _spell_array),
    (Encoder, _spell_encoder),
    (pd.Timestamp, _spell_timestamp),
    (pd.Timedelta, lambda value, _: {KIND: 'timedelta', 'value': int(value.value)}),
    (pd.Interval, _spell_interval),
    ((np.dtype, pd.api.extensions.ExtensionDtype), _spell_dtype),
    (pd.DataFrame, _spell_table),
    (Mapping, _spell_mapping),
    (tuple, lambda value, arrays: {KIND: 'tuple', 'of': [_spell(each, arrays) for each in value]}),
    (frozenset, lambda value, arrays: {KIND: 'set', 'of': [_spell(v, arrays) for v in value]}),
    (list, lambda value, arrays: [_spell(each, arrays) for each in value]),
)


def _read(value: Any, arrays: dict[str, Any]) -> Any:
    """Return the value that :func:`_spell` wrote; each array is used once, and removed."""
    if isinstance(value, list):
        return [_read(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value[KIND]
    if kind in _READERS:
        return _READERS[kind](value, arrays)
    own = {field: _read(each, arrays) for field, each in value['fields'].items()}
    return make_kind(kind, own)


def _read_encoder(value: Any, arrays: dict[str, Any]) -> Encoder:
    facts = {name: _read(each, arrays) for name, each in value['facts'].items()}
    encoder: Encoder = ENCODERS[value['class']](**facts)
    return encoder.assign(value['name'])


def _read_timestamp(value: Any, _: object) -> pd.Timestamp:
    moment = pd.Timestamp(value['value'], unit='ns')
    zone = value['zone']
    return moment.tz_localize('UTC').tz_convert(zone) if zone else moment


def _read_interval(value: Any, arrays: dict[str, Any]) -> pd.Interval:
    return pd.Interval(*(_read(each, arrays) for each in value['ends']), closed=value['closed'])


def _read_category(value: Any, arrays: dict[str, Any]) -> pd.CategoricalDtype:
    listed = value.get('categories')
    categories = None if listed is None else [_read(each, arrays) for each in listed]
    return pd.CategoricalDtype(categories, ordered=value['ordered'])


def _read_dtype(value: Any, _: object) -> Any:
    found = pd.api.types.pandas_dtype(value['text'])
    if found.kind in 'SUV':  # no column of ours; its cells may be huge
        raise DamagedError('dtype')
    return found


def _read_table(value: Any, arrays: dict[str, Any]) -> pd.DataFrame:
    index, columns, labels = pd.RangeIndex(value['rows']), {}, []
    for at, (label, (dtype, cells)) in enumerate(value['columns']):
        labels.append(_read(label, arrays))
        held = _read(cells, arrays)
        if not isinstance(held, list | np.ndarray) or len(held) != len(index):
            raise DamagedError('rows')
        own = getattr(held, 'dtype', None) if dtype is None else _read(dtype, arrays)
        columns[at] = pd.Series(held, index, dtype=own)
    table = pd.DataFrame(columns, index)
    table.columns = pd.Index(labels)
    return table


_READERS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    'array': lambda value, arrays: arrays.pop(value['name']),
    'float': lambda value, _: float(value['text']),
    'timestamp': _read_timestamp,
    'timedelta': lambda value, _: pd.Timedelta(value['value'], unit='ns'),
    'interval': _read_interval,
    'encoder': _read_encoder,
    'category': _read_category,
    'dtype': _read_dtype,
    'table': _read_table,
    'dict': lambda value, arrays: {
        _read(key, arrays): _read(each, arrays) for key, each in value['items']
    },
    'tuple': lambda value, arrays: tuple(_read(each, arrays) for each in value['of']),
    'set': lambda value, arrays: frozenset(_read(each, arrays) for each in value['of']),
}
