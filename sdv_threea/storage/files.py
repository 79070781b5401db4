"""Sampled rows and synthesizers in files, with the version that made them.

The Parquet files of a sample all have the same schema. pandas would infer types from the cells of
each file: a column of missing objects has no type, and truth values get another type if one is
missing. Files read one by one, for example by Dask, would then disagree. So the types of columns
are chosen once, from released facts.
"""

import csv
import errno
import gzip
import hashlib
import math
import os
import pickle
import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SDVVersionWarning, SynthesizerInputError, VersionError
from sdv.utils import load_synthesizer
from tqdm import tqdm

from sdv_threea.atomic import filling, replacing_all
from sdv_threea.domain import Category, Number
from sdv_threea.errors import InputError
from sdv_threea.storage.table_storage import StoredColumns
from sdv_threea.warning import warn

#: Rows written at once.
ROWS_AT_ONCE = 2**16

#: The version of a checkout that is not installed; such versions are not compared.
UNKNOWN = 'unknown'


#: The dtype of a column of objects, by the type that pandas infers; all can be missing.
DTYPES_OF_OBJECTS = {
    'boolean': 'boolean',
    'decimal': 'float64',
    'floating': 'float64',
    'integer': 'Int64',
    'mixed-integer-float': 'float64',
}

#: Up to this number, floats hold all whole numbers.
EXACT = 2**53

#: The fewest bytes that a row takes in a file.
LEAST_BYTES = 1e-3

GIGABYTE = 1e9

#: The fewest digits of a file's number: files are read in the order of their names.
DIGITS = 5

#: The types of columns, the same in all files: dtypes by name, and a schema of Arrow.
Types = tuple[dict[str, Any], Any]


def write_csv(
    rows: pd.DataFrame,
    filepath: str | os.PathLike[str],
    *,
    separator: str = ',',
    encoding: str = 'utf-8',
) -> None:
    """Write rows as CSV that reads back the same: texts are quoted, and missing cells are not.

    pandas would not quote a carriage return or a text ``NA``. A file named ``*.gz`` is compressed.
    """
    compressed = os.fspath(filepath).endswith('.gz')
    how: dict[str, Any] = {'mode': 'wt', 'encoding': encoding, 'newline': ''}
    with (gzip.open if compressed else open)(filepath, **how) as file:
        writer = csv.writer(
            file, quoting=csv.QUOTE_NONNUMERIC, lineterminator='\n', delimiter=separator
        )
        writer.writerow(rows.columns)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = rows.iloc[start : start + ROWS_AT_ONCE]
            cells = [_spell(part.iloc[:, at]) for at in range(part.shape[1])]
            writer.writerows(zip(*cells, strict=True))


def write_tables(tables: Mapping[str, pd.DataFrame], folder: str | os.PathLike[str] | None) -> None:
    """Write a CSV file per table, if there is a folder; all files appear when all are complete."""
    if folder is None:
        return
    os.makedirs(folder, exist_ok=True)
    files = {name: name_csv(folder, name) for name in tables}
    with replacing_all(files.values()) as drafts:
        for name, rows in tables.items():
            write_csv(rows, drafts[files[name]])


def name_csv(folder: str | os.PathLike[str], table: str) -> Path:
    """Return the path of a table's file."""
    return Path(folder) / f'{table}.csv'


class _Missing:
    """A missing cell for the CSV writer: a number, and so not quoted, and an empty text."""

    def __float__(self) -> float:
        return math.nan

    def __str__(self) -> str:
        return ''


def _spell(column: pd.Series) -> list[Any]:
    missing, gap = column.isna().to_numpy(), _Missing()
    plain = pd.api.types.is_numeric_dtype(column) or column.dtype == object
    cells = (column if plain else column.astype(str)).astype(object)
    return [gap if gone else cell for cell, gone in zip(cells, missing, strict=True)]


def seal(path: Path) -> None:
    """Wrap the pickle in a file with a checksum that loading compares; leave a pipe as it is."""
    if path.is_file():
        path.write_bytes(pickle.dumps(_Sealed(path.read_bytes())))


def unseal(pickled: bytes, digest: str) -> Any:
    """Load a pickle if its checksum is right."""
    if hashlib.sha256(pickled).hexdigest() != digest:
        raise SynthesizerInputError(
            'The file is damaged: its checksum differs from the saved one. Save it again, or take '
            'another copy.'
        )
    return pickle.loads(pickled)


class _Sealed:
    def __init__(self, pickled: bytes) -> None:
        self._pickled = pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return unseal, (self._pickled, hashlib.sha256(self._pickled).hexdigest())


def load_saved(filepath: str | os.PathLike[str]) -> Any:
    """Load a synthesizer of any kind; raise a ``SynthesizerInputError`` if the file is damaged."""
    try:
        return load_synthesizer(filepath)
    except (OSError, VersionError):
        raise
    except Exception as error:  # a damaged pickle may raise any error
        problem = type(error).__name__
    raise SynthesizerInputError(
        f"The file '{os.fspath(filepath)}' is damaged, or no synthesizer was ever saved to it "
        f'({problem}): save it again, or take another copy.'
    )


def get_version() -> str:
    """Return the version of the installed package, or :data:`UNKNOWN`."""
    try:
        return version('sdv-threea')
    except PackageNotFoundError:
        return UNKNOWN


def check_version(made_with: Any, installed: str) -> None:
    """Raise an error if a newer version made a synthesizer; warn if an older version did."""
    from packaging.version import Version  # needed only to load a synthesizer

    try:
        made = None if made_with == UNKNOWN else Version(made_with)
    except (TypeError, ValueError):
        raise SynthesizerInputError(
            'The synthesizer does not name the version that made it, so sdv-threea did not save '
            'it: save it again, or take another copy.'
        ) from None
    if made is None or installed == UNKNOWN:
        return
    if made == Version(installed):
        return
    facts = f'This synthesizer was made with sdv-threea {made}, and {installed} is installed'
    if made > Version(installed):
        raise VersionError(f'{facts}: upgrade with `pip install --upgrade sdv-threea`.')
    warn(
        f'{facts}. For the changes since then, fit a new one, which is another private release.',
        SDVVersionWarning,
    )


def load_pyarrow() -> ModuleType:
    """Import PyArrow, or raise an error that says how to install it."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet needs PyArrow: pip install 'sdv-threea[parquet]'.") from error
    module: ModuleType = pyarrow
    return module


def read_types(path: str | os.PathLike[str]) -> list[tuple[str, str, bool]]:
    """Read the schema of a Parquet file, and no cell.

    Returns:
        For each column its name, its type in a word, and whether cells may be missing. An index
        stored by pandas is left out.
    """
    arrow = load_pyarrow()
    try:
        schema = arrow.parquet.read_schema(path)
    except arrow.ArrowInvalid:
        raise InputError(f"'{path}' cannot be read as Parquet.") from None
    index = (schema.pandas_metadata or {}).get('index_columns', ())
    return [
        (field.name, _name_type(field.type, arrow.types), field.nullable)
        for field in schema
        if field.name not in index
    ]


def _name_type(kind: Any, types: ModuleType) -> str:
    if types.is_dictionary(kind):
        return 'ordered' if kind.ordered else 'category'
    if types.is_decimal(kind):
        return f'decimal({kind.precision}, {kind.scale})'
    words = {
        'boolean': types.is_boolean,
        'integer': types.is_integer,
        'double': types.is_floating,
        'timestamp': lambda each: types.is_timestamp(each) or types.is_date(each),
        'string': lambda each: types.is_string(each) or types.is_large_string(each),
    }
    return next((word for word, fits in words.items() if fits(kind)), str(kind))


def write_folder(
    sample: Callable[[int], pd.DataFrame],
    num_rows: int,
    folder: str | os.PathLike[str],
    rows_per_file: int,
    storage: StoredColumns,
    *,
    show_progress: bool,
) -> list[Path]:
    """Sample rows into a folder of Parquet files, which appears when all of them are written.

    Only the rows of one file are in memory at a time. The folder must be new or empty. For no rows
    there is one file without rows.
    """
    load_pyarrow()
    _check_room(folder, num_rows * LEAST_BYTES)
    starts = range(0, max(num_rows, 1), rows_per_file)
    digits, types = max(DIGITS, len(str(len(starts)))), None
    with (
        filling(folder) as place,
        tqdm(total=num_rows, desc='Sampling rows', disable=not show_progress) as bar,
    ):
        for number, start in enumerate(starts):
            size = min(rows_per_file, num_rows - start)
            path = place / f'part-{number:0{digits}}.parquet'
            types = _write_sampled(sample, size, storage, types, path)
            bar.update(size)
            if not number:
                # All files are about as large as the first one.
                _check_room(place, path.stat().st_size * (len(starts) - 1))
    return sorted(Path(folder).iterdir())


def _check_room(folder: str | os.PathLike[str], needed: float) -> None:
    parent = Path(os.path.realpath(folder)).parent
    free = shutil.disk_usage(parent).free if parent.is_dir() else math.inf
    if needed > free:
        raise OSError(
            errno.ENOSPC,
            f'The rows would take {needed / GIGABYTE:,.1f} GB or more, and the disk has '
            f'{free / GIGABYTE:,.1f} GB left: ask for fewer',
            os.fspath(folder),
        )


def _choose_types(rows: pd.DataFrame, storage: StoredColumns) -> Types:
    """Choose the types of all files, from released facts and, for made-up columns, from rows."""
    pyarrow = load_pyarrow()
    dtypes, fields = {}, []
    for name in rows:
        examples = _find_examples(rows[name], storage)
        kind = pd.api.types.infer_dtype(examples, skipna=True)
        dtypes[name] = DTYPES_OF_OBJECTS.get(kind, object) if _is_open(examples) else examples.dtype
        try:
            found = pyarrow.array(examples.astype(dtypes[name]), from_pandas=True).type
        except (TypeError, ValueError, pyarrow.ArrowException):
            found = None
        if found is None:
            raise InputError(
                f"Column '{name}' cannot be stored in Parquet: its values ({kind}) have no common "
                'type there. Convert the column before fitting, for example to texts.'
            )
        fields.append((name, pyarrow.string() if pyarrow.types.is_null(found) else found))
    empty = rows.head(0).astype(dtypes)
    schema = pyarrow.schema(fields)
    return dtypes, pyarrow.Table.from_pandas(empty, schema, preserve_index=False).schema


def _write_sampled(
    sample: Callable[[int], pd.DataFrame],
    size: int,
    storage: StoredColumns,
    types: Types | None,
    path: Path,
) -> Types:
    pyarrow, rows = load_pyarrow(), sample(size)
    dtypes, schema = types or _choose_types(rows, storage)
    table = pyarrow.Table.from_pandas(rows.astype(dtypes), schema, preserve_index=False)
    pyarrow.parquet.write_table(table, path)
    return dtypes, schema


def _find_examples(column: pd.Series, storage: StoredColumns) -> pd.Series:
    """Return example values that determine the column's type; none if the dtype determines it."""
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        return pd.Series(dtype=dtype.subtype)
    if isinstance(dtype, pd.CategoricalDtype):
        texts = pd.api.types.infer_dtype(dtype.categories) == 'string'
        # Categories in Parquet are texts.
        return column.head(0) if texts else pd.Series(list(dtype.categories), dtype=object)
    if not _is_open(column):
        return column.head(0)
    name = str(column.name)
    released = storage.domain[name] if name in storage.domain.names else None
    if isinstance(released, Category):
        return pd.Series(list(released.values or ()), dtype=object)  # noqa: PD011 (not pandas)
    if isinstance(released, Number) and storage.columns[name]['sdtype'] == 'numerical':
        return pd.Series([1 if _is_whole(released) else 0.5], dtype=object)
    return column


def _is_open(column: pd.Series) -> bool:
    return bool(column.dtype == np.dtype(object))


def _is_whole(column: Number) -> bool:
    farthest = max(abs(column.low or 0.0), abs(column.high or 0.0))
    return bool(column.step) and column.step % 1 == 0 and farthest < EXACT  # type: ignore[operator]
