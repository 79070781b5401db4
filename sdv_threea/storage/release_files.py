"""What was released, in files that hold no code: plain values as JSON, and arrays beside them.

A pickle can run any program when it is opened. A file of this kind cannot: it is a checksum, and an
archive of NumPy's arrays (``.npz``, read without pickle), one of which is JSON. The JSON names no
code either, but the dataclasses of :mod:`~sdv_threea.storage.release_kinds`, whose fields it gives.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.encoding.encoder import Encoder
from sdv_threea.encoding.transformers import CategoryEncoder, NumberEncoder
from sdv_threea.storage.release_kinds import find_kind, name_kind

ENCODERS = {each.__name__: each for each in (CategoryEncoder, NumberEncoder)}

#: What a file begins with, and the bytes of the checksum that is next (SHA-256).
MAGIC, DIGEST = b'sdv-threea release 1\n', 32

#: The array that holds the JSON, and the key that tells what an object of it stands for.
TEXT, KIND = 'json', 'is'


class DamagedError(ValueError):
    """A file is not what was written."""


def write_plain(path: str | Path, value: Mapping[str, Any]) -> None:
    """Write plain values to a file, whole or not at all.

    Args:
        path: The file.
        value: Plain values by name: numbers, texts, dates, arrays, sequences, mappings, dtypes,
            encoders, and dataclasses of what is released.

    Raises:
        OSError: If it cannot be written.
        TypeError: If something else is among the values.
    """
    arrays: dict[str, Any] = {}
    text = json.dumps(_spell(value, arrays), allow_nan=False, separators=(',', ':'))
    arrays[TEXT] = np.frombuffer(text.encode(), dtype=np.uint8)
    archive = io.BytesIO()
    np.savez(archive, allow_pickle=False, **arrays)
    with replacing(path) as draft:
        digest = hashlib.sha256(archive.getbuffer()).digest()
        draft.write_bytes(MAGIC + digest + archive.getbuffer())


def is_plain(path: str | Path) -> bool:
    """Tell whether a file is of this kind, and not a pickle."""
    with open(path, 'rb') as file:
        return file.read(len(MAGIC)) == MAGIC


def read_plain(path: str | Path) -> dict[str, Any]:
    """Read what :func:`write_plain` has written.

    Formal guarantees:
        * no code runs that the file brings: nothing is unpickled, and no class is made but those
          of :data:`~sdv_threea.storage.release_kinds.KINDS`, from their fields

    Args:
        path: The file.

    Returns:
        The values.

    Raises:
        DamagedError: If it is not what was written.
        OSError: If it cannot be read.
    """
    whole = Path(path).read_bytes()
    digest, content = whole[len(MAGIC) :][:DIGEST], whole[len(MAGIC) + DIGEST :]
    if not whole.startswith(MAGIC) or hashlib.sha256(content).digest() != digest:
        raise DamagedError('its checksum is not that of what was saved')
    try:
        arrays = _read_arrays(content)
        read = _read(json.loads(bytes(arrays.pop(TEXT))), arrays)
    except Exception as error:  # damage can look like anything
        raise DamagedError(type(error).__name__) from None
    if not isinstance(read, dict):
        raise DamagedError('no values')
    return read


def _read_arrays(content: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        # What is not compressed takes no more memory than the file itself.
        if any(each.compress_type != zipfile.ZIP_STORED for each in archive.infolist()):
            raise DamagedError('compressed')
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _spell(value: Any, arrays: dict[str, Any]) -> Any:
    """Spell a value in JSON, and put arrays aside."""
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


def _read(value: Any, arrays: Mapping[str, Any]) -> Any:
    """Read what :func:`_spell` has spelt."""
    if isinstance(value, list):
        return [_read(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value[KIND]
    if kind in _READERS:
        return _READERS[kind](value, arrays)
    own = {field: _read(each, arrays) for field, each in value['fields'].items()}
    return find_kind(kind)(**own)


def _read_encoder(value: Any, arrays: Mapping[str, Any]) -> Encoder:
    facts = {name: _read(each, arrays) for name, each in value['facts'].items()}
    encoder: Encoder = ENCODERS[value['class']](**facts)
    return encoder.assign(value['name'])


def _read_timestamp(value: Any, _: object) -> pd.Timestamp:
    moment = pd.Timestamp(value['value'], unit='ns')
    zone = value['zone']
    return moment.tz_localize('UTC').tz_convert(zone) if zone else moment


def _read_interval(value: Any, arrays: Mapping[str, Any]) -> pd.Interval:
    return pd.Interval(*(_read(each, arrays) for each in value['ends']), closed=value['closed'])


def _read_category(value: Any, arrays: Mapping[str, Any]) -> pd.CategoricalDtype:
    listed = value.get('categories')
    categories = None if listed is None else [_read(each, arrays) for each in listed]
    return pd.CategoricalDtype(categories, ordered=value['ordered'])


def _read_table(value: Any, arrays: Mapping[str, Any]) -> pd.DataFrame:
    index, columns, labels = pd.RangeIndex(value['rows']), {}, []
    for at, (label, (dtype, cells)) in enumerate(value['columns']):
        labels.append(_read(label, arrays))
        held = _read(cells, arrays)
        own = held.dtype if dtype is None else _read(dtype, arrays)
        columns[at] = pd.Series(held, index, dtype=own)
    table = pd.DataFrame(columns, index)
    table.columns = pd.Index(labels)
    return table


_READERS: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    'array': lambda value, arrays: arrays[value['name']],
    'float': lambda value, _: float(value['text']),
    'timestamp': _read_timestamp,
    'timedelta': lambda value, _: pd.Timedelta(value['value'], unit='ns'),
    'interval': _read_interval,
    'encoder': _read_encoder,
    'category': _read_category,
    'dtype': lambda value, _: pd.api.types.pandas_dtype(value['text']),
    'table': _read_table,
    'dict': lambda value, arrays: {
        _read(key, arrays): _read(each, arrays) for key, each in value['items']
    },
    'tuple': lambda value, arrays: tuple(_read(each, arrays) for each in value['of']),
    'set': lambda value, arrays: frozenset(_read(each, arrays) for each in value['of']),
}
