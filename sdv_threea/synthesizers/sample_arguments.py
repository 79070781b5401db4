"""Checks of the arguments of a sample, each with one error that names the argument."""

import errno
import os
from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.sampling import Condition, DataFrameCondition

from sdv_threea.names import check_table_names
from sdv_threea.storage.files import name_csv

#: The largest number of rows.
MOST = 2**62

#: The most synthetic rows for each row of a database.
LARGEST_SCALE = 1e9


def check_counts(least: int = 1, **counts: object) -> None:
    """Check that the named arguments are whole numbers from ``least``; else a ``ValueError``."""
    for name, count in counts.items():
        if not _is_whole(count) or not least <= int(count) <= MOST:  # type: ignore[call-overload]
            raise ValueError(f'{name} must be a whole number of at least {least}, got {count!r}.')


def check_sampling(
    max_tries_per_batch: object, batch_size: object, folder: object, tables: Iterable[str]
) -> None:
    """Check how rows are drawn, and that their files are new and stay in their folder."""
    check_counts(max_tries_per_batch=max_tries_per_batch)
    if batch_size is not None:
        check_counts(batch_size=batch_size)
    if folder is not None:
        _check_folder(folder, tables)


def _check_folder(folder: object, tables: Iterable[str]) -> None:
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise ValueError(f'output_folder_path must be the path of a folder, got {folder!r}.')
    check_table_names(tables)
    files = [os.fspath(name_csv(folder, table)) for table in tables]
    there = [path for path in files if os.path.lexists(path)]
    if os.path.isfile(folder) or there:
        problem = 'It already exists: choose another folder'
        raise FileExistsError(errno.EEXIST, problem, (there or [os.fspath(folder)])[0])


def check_scale(scale: object) -> None:
    """Check the size of a synthetic database, relative to the fitted one."""
    is_number = isinstance(scale, Real) and not isinstance(scale, bool | np.bool_)
    if not is_number or not 0 < scale <= LARGEST_SCALE:  # type: ignore[operator]
        raise SynthesizerInputError(
            f'scale must be a number above 0 and at most {LARGEST_SCALE:g}, got {scale!r}.'
        )


def check_conditions(conditions: object) -> None:
    """Check for a list of SDV's conditions; else a ``ValueError``."""
    kinds = Condition, DataFrameCondition
    if not isinstance(conditions, list) or not all(isinstance(each, kinds) for each in conditions):
        raise ValueError(
            'conditions must be a list of Condition and DataFrameCondition objects (sdv.sampling), '
            "for example [Condition({'city': 'Bern'}, num_rows=10)]."
        )


def check_known_columns(known_columns: object) -> None:
    """Check that the known columns are a DataFrame; else a ``ValueError``."""
    if not isinstance(known_columns, pd.DataFrame):
        raise ValueError(
            'known_columns must be a pandas DataFrame with a row for each row to be sampled, got '
            f'{type(known_columns).__name__}.'
        )


def _is_whole(count: object) -> bool:
    return isinstance(count, Integral) and not isinstance(count, bool | np.bool_)
