"""Private tables as users bring them: in memory, in Parquet files, or as a Dask DataFrame."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.metadata import Metadata

from sdv_threea.rows.chunks import Rows, apply_steps, chunk_table
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.partitions import Partitions, arrange, check_parts
from sdv_threea.storage.metadata import MODELLED

#: The module with Dask's readers of text files.
TEXT_READER = 'dask.dataframe.io.csv'


@dataclass(frozen=True)
class PrivateTable:
    """A private table, in memory or not.

    Args:
        header: Its columns, in the order of the metadata, and their dtypes, without a row.
        rows: Its rows in chunks, of which only sums can be read.
        whole: The table in memory, or ``None``.
        positions: Positions of the columns of the header in ``whole``.
        labels: The user's labels of the columns, which need not be texts.
    """

    header: pd.DataFrame
    rows: Rows[pd.DataFrame]
    whole: pd.DataFrame | None
    positions: list[int]
    labels: pd.Index

    def take(self, names: Sequence[str]) -> pd.DataFrame:
        """Return some columns, with all rows, of a table that is in memory."""
        assert self.whole is not None
        places = [self.positions[list(self.header.columns).index(name)] for name in names]
        with guarded():
            return arrange(places, self.whole)

    def part(self, names: Sequence[str], rows: Rows[pd.DataFrame]) -> PrivateTable:
        """Return a table of some columns of a table that is not in memory, with these rows."""
        header = self.header[list(names)]
        return PrivateTable(header, rows, None, [], header.columns)

    def map_parts(self, step: Callable[[pd.DataFrame], pd.DataFrame]) -> Any:
        """Return a Dask DataFrame of the parts mapped by ``step``, each when it is asked for."""
        assert isinstance(self.rows.source, Partitions)
        steps = (*self.rows.steps, step, _store_alike)
        with guarded():
            parts, header = self.rows.source.frame, _store_alike(step(self.header))
            return parts.map_partitions(partial(apply_steps, steps), meta=header)

    def load(self) -> pd.DataFrame:
        """Return all rows in memory; used for public tables."""
        with guarded():
            return pd.concat(list(self.rows.spill()), ignore_index=True)


def take_table(data: object, name: str, columns: Mapping[str, Any]) -> PrivateTable:
    """Check that the user passed one table by its ``name``, and wrap it for reading.

    The table is a pandas or Dask DataFrame, a path of Parquet files, or wrapped already;
    ``columns`` is its metadata.
    """
    if not isinstance(data, dict) or len(data) != 1 or not all(map(_is_table, data.values())):
        raise InvalidDataTypeError(
            'The `data` parameter must be a dictionary containing exactly one table name '
            f"mapped to a pandas DataFrame: fit({{'{name}': table}}). A Dask DataFrame, or the "
            'path of parquet files, will do as well.'
        )
    ((given, table),) = data.items()
    if given != name:
        raise InvalidDataError(
            [f"There is no table '{given}' in the metadata: it is named '{name}'."]
        )
    if isinstance(table, PrivateTable):
        return table
    in_files = isinstance(table, (str, os.PathLike))
    if in_files:
        table = _open_parquet(table)
    whole = isinstance(table, pd.DataFrame)
    guessed = [] if whole or in_files else find_guessed(table)
    if guessed:
        raise InvalidDataError(
            [
                f'Dask guesses the dtypes of the columns {guessed} again for each part of a file, '
                "from its rows: state all of them (dask.dataframe.read_csv(..., dtype={'age': "
                "'Int64', 'town': 'str'})), and read dates as texts, without parse_dates."
            ]
        )
    table = as_plain(table) if whole else table
    header = table.iloc[:0] if whole else table._meta.iloc[:0]
    order = {column: position for position, column in enumerate(columns)}
    positions = [order.get(str(column), len(order)) for column in header.columns]
    places = sorted(range(len(positions)), key=positions.__getitem__)
    labels, header = header.columns[places], arrange(places, header)
    if whole:
        rows = chunk_table(table).map(partial(arrange, places))
        return PrivateTable(header, rows, table, places, labels)
    rows = Rows(Partitions(table, in_files)).map(partial(arrange, places))
    modelled = [name for name in header if columns.get(name, {}).get('sdtype') in MODELLED]
    rows = rows.map(partial(check_parts, header[modelled].dtypes.to_dict()))
    return PrivateTable(header, rows, None, places, labels)


def take_tables(data: object, metadata: Metadata) -> dict[str, pd.DataFrame]:
    """Check that all tables are given, and return them in the order of the metadata."""
    if not isinstance(data, dict) or not all(
        isinstance(table, pd.DataFrame) for table in data.values()
    ):
        raise InvalidDataTypeError(
            'The `data` parameter must be a dictionary that maps the name of every table to a '
            'pandas DataFrame. Dask DataFrames, or paths of parquet files, will do for fit() and '
            'validate(); preprocess() numbers the rows of all tables, which needs them in memory.'
        )
    names = list(metadata.tables)
    plain = {name: as_plain(table) for name, table in data.items()}
    problems = _find_misnamed(names, data) + [
        f"Table '{name}' has no rows: there is nothing to learn from."
        for name in names
        if name in data and not len(plain[name])
    ]
    if problems:
        raise InvalidDataError(problems)
    return {name: plain[name] for name in names}


def holds_parts(data: object) -> bool:
    """Return whether these are tables, and at least one is not in memory."""
    tables = data.values() if isinstance(data, dict) else ()
    whole = all(isinstance(table, pd.DataFrame) for table in tables)
    return not whole and all(map(_is_table, tables))


def take_parts(data: dict[str, Any], metadata: Metadata) -> dict[str, PrivateTable]:
    """Check that all tables are given, in memory or not, and wrap them for reading."""
    names = list(metadata.tables)
    if problems := _find_misnamed(names, data):
        raise InvalidDataError(problems)
    columns = {name: metadata.tables[name].columns for name in names}
    return {name: take_table({name: data[name]}, name, columns[name]) for name in names}


def _find_misnamed(names: list[str], data: dict[str, Any]) -> list[str]:
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    return [
        *(f"Table '{name}' of the metadata is not in the data." for name in missing),
        *(f"Table '{name}' is not in the metadata." for name in unknown),
    ]


def find_guessed(frame: Any) -> list[str]:
    """List columns of text files whose dtypes Dask guesses for each part; no row is read.

    The dtypes of a part do not reveal this: Dask casts each part to those of the first rows.
    """
    given = (each for step in frame.expr.walk() for each in step.operands)
    return [
        name
        for reader in given
        if isinstance(reader, partial) and getattr(reader.func, '__module__', None) == TEXT_READER
        for name in map(str, reader.keywords['full_columns'])
        if not _is_stated(name, reader.keywords['kwargs'])
    ]


def _is_stated(name: str, options: Mapping[str, Any]) -> bool:
    dtype = options.get('dtype')
    if options.get('parse_dates') or dtype is None:
        return False
    return not isinstance(dtype, Mapping) or isinstance(dtype, defaultdict) or name in dtype


def as_plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of pandas' own class with the same cells, so no user's code can run."""
    with guarded():
        return pd.DataFrame(table, copy=False)


def _store_alike(chunk: pd.DataFrame) -> pd.DataFrame:
    """Store categories as objects: which values a part may list as such depends on its cells."""
    return chunk.astype(dict.fromkeys(chunk.select_dtypes('category'), object))


def _is_table(table: object) -> bool:
    if isinstance(table, (pd.DataFrame, str, os.PathLike, PrivateTable)):
        return True
    # If Dask is not loaded, no object can be a Dask table.
    dask = sys.modules.get('dask.dataframe')
    return dask is not None and isinstance(table, dask.DataFrame)


def _open_parquet(path: str | os.PathLike[str]) -> Any:
    """Open Parquet files; files not written by pandas get dtypes that can be missing."""
    try:
        from dask.dataframe import read_parquet
    except ImportError:
        raise ImportError(
            "Reading parquet files piece by piece needs Dask: pip install 'sdv-threea[dask]'."
        ) from None
    with guarded():
        try:
            # Otherwise the dtype would depend on whether a number is missing in a file.
            backend = None if _is_written_by_pandas(path) else 'numpy_nullable'
            return read_parquet(os.fspath(path), dtype_backend=backend)
        except (OSError, ValueError, IndexError):
            pass
    raise InvalidDataError([f"There are no parquet files at '{path}'."])


def _is_written_by_pandas(path: str | os.PathLike[str]) -> bool:
    from fsspec.core import get_fs_token_paths
    from pyarrow.dataset import dataset

    system, _, paths = get_fs_token_paths(os.fspath(path))
    schema = dataset(paths if len(paths) > 1 else paths[0], filesystem=system).schema
    return b'pandas' in (schema.metadata or {})
