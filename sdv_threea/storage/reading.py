"""The private table as users bring it: in memory, in Parquet files, or as a DataFrame of Dask's."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Any, cast

import pandas as pd
from sdv.errors import InvalidDataError, InvalidDataTypeError

from sdv_threea.rows.chunks import Rows, Sums, add, chunk_table
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.parts import check_part
from sdv_threea.storage.metadata import MODELLED

#: Number of partitions whose sums are added up in one task.
FAN_IN = 8

#: The module of Dask's functions that read text files.
TEXT_READER = 'dask.dataframe.io.csv'


@dataclass(frozen=True)
class PrivateTable:
    """A private table, in memory or not.

    Args:
        header: Its columns, in the order of the metadata, and their dtypes, without a row.
        rows: Its rows, to be summed over.
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
        """Return some columns of a table that is in memory, with all rows.

        Raises:
            InvalidDataTypeError: If it is not in memory.
        """
        if self.whole is None:
            raise InvalidDataTypeError(
                'This needs the table in memory: give a pandas DataFrame, or call fit(), which '
                'reads a table piece by piece.'
            )
        places = [self.positions[list(self.header.columns).index(name)] for name in names]
        with guarded():
            return _arrange(places, self.whole)


def take_table(data: object, name: str, columns: Mapping[str, Any]) -> PrivateTable:
    """Check that the user gave one table, and wrap it for reading.

    Args:
        data: The name of the table, and a pandas or Dask DataFrame or the path of Parquet files.
        name: The name of the table in the metadata.
        columns: The metadata of each column.

    Raises:
        InvalidDataTypeError: If ``data`` is not one table by name.
        InvalidDataError: If the name is another one, there is nothing at the path, or Dask would
            guess dtypes.
        ImportError: If Dask is needed and not installed.
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
    in_files = isinstance(table, (str, os.PathLike))
    if in_files:
        table = _open_parquet(table)
    whole = isinstance(table, pd.DataFrame)
    guessed = [] if whole or in_files else find_guessed(table)
    if guessed:
        raise InvalidDataError(
            [
                f'Dask guesses the dtypes of the columns {guessed} of a file anew for each part of '
                "it, from its rows: state all of them (dask.dataframe.read_csv(..., dtype={'age': "
                "'Int64', 'town': 'str'})), read dates as texts, and no column as dates."
            ]
        )
    table = as_plain(table) if whole else table
    header = table.iloc[:0] if whole else table._meta.iloc[:0]
    order = {column: position for position, column in enumerate(columns)}
    positions = [order.get(str(column), len(order)) for column in header.columns]
    places = sorted(range(len(positions)), key=positions.__getitem__)
    labels, header = header.columns[places], _arrange(places, header)
    if whole:
        rows = chunk_table(table).map(partial(_arrange, places))
        return PrivateTable(header, rows, table, places, labels)
    rows = Rows(Partitions(table, in_files)).map(partial(_arrange, places))
    modelled = [name for name in header if columns.get(name, {}).get('sdtype') in MODELLED]
    rows = rows.map(partial(_check_parts, header[modelled].dtypes.to_dict()))
    return PrivateTable(header, rows, None, places, labels)


def find_guessed(frame: Any) -> list[str]:
    """Find the columns of text files whose dtypes Dask guesses part by part; no row is read.

    Dask casts each part to the dtypes of the first rows, so a part does not show the guess.
    """
    readers = (getattr(step, 'func', None) for step in frame.expr.walk())
    return [
        name
        for reader in readers
        if isinstance(reader, partial) and reader.func.__module__ == TEXT_READER
        for name in map(str, reader.keywords['full_columns'])
        if not _is_stated(name, reader.keywords['kwargs'])
    ]


def _is_stated(name: str, options: Mapping[str, Any]) -> bool:
    """Return true if the dtype of a text file's column is stated, and no column is a date."""
    dtype = options.get('dtype')
    if options.get('parse_dates') or dtype is None:
        return False
    return not isinstance(dtype, Mapping) or isinstance(dtype, defaultdict) or name in dtype


def as_plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without the code of a user's class; its cells are not copied."""
    with guarded():
        return pd.DataFrame(table, copy=False)


@dataclass(frozen=True)
class Partitions:
    """The rows of a Dask DataFrame: summed by partitions, where they are, and the sums added up.

    The active client of ``distributed`` does the work, if there is one, else the scheduler that
    Dask is set to.

    Formal guarantees:
        * no error is raised where the rows are, as a worker would write them to its log with it
        * messages of Dask itself during the sum are dropped, and its errors show no value here;
          messages of a user's own graph before a partition is there, on a worker or in a thread of
          Dask's, are beyond our reach

    Args:
        frame: The DataFrame.
        in_files: Whether the partitions are files of Parquet without further steps. They are then
            read inside :func:`~sdv_threea.rows.guard.guarded`.
    """

    frame: Any
    in_files: bool

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Add a statistic up over all partitions."""
        from dask.delayed import delayed

        work = delayed(_Work(statistic), traverse=False, pure=False)
        sums = [delayed(_sum_partition)(work, each) for each in self._parts]
        while len(sums) > 1:
            groups = [sums[at : at + FAN_IN] for at in range(0, len(sums), FAN_IN)]
            sums = [delayed(_add_up)(group) for group in groups]
        total = sums[0].compute()
        if isinstance(total, _Failure):
            raise total.error
        return cast(Sums, total)

    def keep(self, steps: tuple[Callable[[Any], Any], ...]) -> None:
        """Keep nothing: Dask is used for tables that do not fit into memory."""

    @cached_property
    def _parts(self) -> list[Any]:
        from dask.delayed import delayed

        if not self.in_files:
            return list(self.frame.to_delayed())
        parts = map(self.frame.get_partition, range(self.frame.npartitions))
        unread = [_Unread(part.to_delayed()[0]) for part in parts]
        return [delayed(each, traverse=False, pure=False) for each in unread]


@dataclass(frozen=True)
class _Unread:
    """A partition to be read later.

    Dask takes it for data, and so does not read the partition itself, outside of the guard.
    """

    partition: Any

    def read(self) -> pd.DataFrame:
        """Read the partition here and now."""
        return cast(pd.DataFrame, self.partition.compute(scheduler='synchronous'))


@dataclass(frozen=True)
class _Work:
    """A statistic; Dask takes it for data, and so looks for no tasks inside it."""

    statistic: Callable[[Any], Any]


@dataclass(frozen=True)
class _Failure:
    """An error as a result, to be raised by the caller."""

    error: Exception


def _sum_partition(work: _Work, partition: pd.DataFrame | _Unread) -> Any:
    try:
        with guarded():
            rows = partition.read() if isinstance(partition, _Unread) else partition
            return chunk_table(rows).sum(work.statistic)
    except Exception as error:
        return _Failure(error.with_traceback(None))


def _add_up(sums: list[Any]) -> Any:
    failures = [each for each in sums if isinstance(each, _Failure)]
    try:
        with guarded():
            return failures[0] if failures else reduce(add, sums)
    except Exception as error:
        return _Failure(error.with_traceback(None))


def _is_table(table: object) -> bool:
    if isinstance(table, (pd.DataFrame, str, os.PathLike)):
        return True
    # If Dask is not loaded, no object is one of its tables.
    dask = sys.modules.get('dask.dataframe')
    return dask is not None and isinstance(table, dask.DataFrame)


def _open_parquet(path: str | os.PathLike[str]) -> Any:
    """Open Parquet files; those not written by pandas get dtypes that allow for missing values.

    Such files do not say whether a number may be missing, and pandas chooses a dtype by whether one
    is, file by file.
    """
    try:
        from dask.dataframe import read_parquet
    except ImportError:
        raise ImportError(
            "Reading parquet files piece by piece needs Dask: pip install 'sdv-threea[dask]'."
        ) from None
    with guarded():
        try:
            backend = None if _is_written_by_pandas(path) else 'numpy_nullable'
            return read_parquet(os.fspath(path), dtype_backend=backend)
        except (OSError, ValueError, IndexError):
            pass
    raise InvalidDataError([f"There are no parquet files at '{path}'."])


def _is_written_by_pandas(path: str | os.PathLike[str]) -> bool:
    """Return true if files have a note of the dtypes that they had in pandas."""
    from fsspec.core import get_fs_token_paths
    from pyarrow.dataset import dataset

    system, _, paths = get_fs_token_paths(os.fspath(path))
    schema = dataset(paths if len(paths) > 1 else paths[0], filesystem=system).schema
    return b'pandas' in (schema.metadata or {})


def _check_parts(schema: Mapping[str, Any], chunk: pd.DataFrame) -> pd.DataFrame:
    """Refuse a part of a table whose modelled columns have other dtypes than the header."""
    for name, dtype in schema.items():
        check_part(chunk[name], dtype)
    return chunk


def _arrange(positions: list[int], chunk: pd.DataFrame) -> pd.DataFrame:
    """Put columns in order, under names that are texts."""
    arranged = chunk.iloc[:, positions]
    arranged.columns = arranged.columns.map(str)
    return arranged
