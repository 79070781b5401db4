"""Partitions of a Dask DataFrame, summed where they are, and the columns of a chunk."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, cast

import pandas as pd

from sdv_threea.rows.chunks import Sums, add, chunk_table
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.parts import check_part

#: Number of partitions whose sums are added up in one task.
FAN_IN = 8


@dataclass(frozen=True)
class Partitions:
    """The rows of a Dask DataFrame. Each partition is summed where it lies, and the sums are added.

    The active client of ``distributed`` does the work, if there is one, otherwise the scheduler
    that Dask is set to.

    Formal guarantees:
        * no error is raised where the rows are, because a worker would log it with the rows
        * messages of Dask itself during the sum are dropped, and its errors show no value here;
          messages of a user's own graph before a partition is there, on a worker or in a thread of
          Dask's, are beyond our reach

    Args:
        in_files: Whether the partitions are Parquet files without further steps. Such files are
            read inside :func:`~sdv_threea.rows.guard.guarded`.
    """

    frame: Any
    in_files: bool

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for part in self._parts:
            found = part.compute()
            yield found.read() if isinstance(found, _Unread) else found

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Return the sum of a statistic over all partitions."""
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
    """A partition to be read later: Dask treats it as data, and does not read it unguarded."""

    partition: Any

    def read(self) -> pd.DataFrame:
        """Read the partition here and now."""
        return cast(pd.DataFrame, self.partition.compute(scheduler='synchronous'))


@dataclass(frozen=True)
class _Work:
    """A statistic; Dask treats it as data, and does not look for tasks inside it."""

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


def check_parts(schema: Mapping[str, Any], chunk: pd.DataFrame) -> pd.DataFrame:
    """Refuse a part of a table whose modelled columns have other dtypes than the header."""
    for name, dtype in schema.items():
        check_part(chunk[name], dtype)
    return chunk


def arrange(positions: list[int], chunk: pd.DataFrame) -> pd.DataFrame:
    """Put columns in order, under names that are texts."""
    arranged = chunk.iloc[:, positions]
    arranged.columns = arranged.columns.map(str)
    return arranged
