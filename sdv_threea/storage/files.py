"""Sampled rows and synthesizers in files, with the version that made them."""

import csv
import gzip
import hashlib
import math
import os
import pickle
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import SDVVersionWarning, SynthesizerInputError, VersionError
from sdv.utils import load_synthesizer

from sdv_threea.atomic import replacing_all
from sdv_threea.warning import warn

#: Rows that are written at once.
ROWS_AT_ONCE = 2**16

#: The version of a checkout that is not installed; it is not compared.
UNKNOWN = 'unknown'


def write_csv(
    rows: pd.DataFrame,
    filepath: str | os.PathLike[str],
    *,
    separator: str = ',',
    encoding: str = 'utf-8',
) -> None:
    """Write rows as CSV that reads back the same: texts are quoted, and missing cells are not.

    pandas quotes neither a carriage return nor a text ``NA``. A name in ``.gz`` is compressed.
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
    """Write tables as CSV files of a folder, if any, which appear when all are complete."""
    if folder is None:
        return
    os.makedirs(folder, exist_ok=True)
    files = {name: name_csv(folder, name) for name in tables}
    with replacing_all(files.values()) as drafts:
        for name, rows in tables.items():
            write_csv(rows, drafts[files[name]])


def name_csv(folder: str | os.PathLike[str], table: str) -> Path:
    """Name the file of a table in a folder."""
    return Path(folder) / f'{table}.csv'


class _Missing:
    """A missing cell: a number for the CSV writer, which quotes no numbers, and an empty text."""

    def __float__(self) -> float:
        return math.nan

    def __str__(self) -> str:
        return ''


def _spell(column: pd.Series) -> list[Any]:
    """Return the cells of a column for CSV: numbers as they are, and all others as texts."""
    missing, gap = column.isna().to_numpy(), _Missing()
    plain = pd.api.types.is_numeric_dtype(column) or column.dtype == object
    cells = (column if plain else column.astype(str)).astype(object)
    return [gap if gone else cell for cell, gone in zip(cells, missing, strict=True)]


def seal(path: Path) -> None:
    """Wrap the pickle in a file so that whoever loads it notices damage; a pipe stays as it is."""
    if path.is_file():
        path.write_bytes(pickle.dumps(_Sealed(path.read_bytes())))


def unseal(pickled: bytes, digest: str) -> Any:
    """Load a pickle, unless its checksum differs."""
    if hashlib.sha256(pickled).hexdigest() != digest:
        raise SynthesizerInputError(
            'The file is damaged: its checksum is not that of what was saved. Save it again, or '
            'take a copy.'
        )
    return pickle.loads(pickled)


class _Sealed:
    """A pickle that is loaded by :func:`unseal`."""

    def __init__(self, pickled: bytes) -> None:
        self._pickled = pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return unseal, (self._pickled, hashlib.sha256(self._pickled).hexdigest())


def load_saved(filepath: str | os.PathLike[str]) -> Any:
    """Load a synthesizer of any kind; a damaged file is a ``SynthesizerInputError``."""
    try:
        return load_synthesizer(filepath)
    except (OSError, VersionError):
        raise
    except Exception as error:  # a damaged pickle may raise any error
        problem = type(error).__name__
    raise SynthesizerInputError(
        f"The file '{os.fspath(filepath)}' is damaged, or no synthesizer was ever saved to it "
        f'({problem}): save it again, or take a copy.'
    )


def get_version() -> str:
    """Return the version of the installed package, or :data:`UNKNOWN`."""
    try:
        return version('sdv-threea')
    except PackageNotFoundError:
        return UNKNOWN


def check_version(made_with: Any, installed: str) -> None:
    """Check that the installed version can use a synthesizer that another version made.

    A newer version is an error, and an older one a warning.
    """
    from packaging.version import Version  # needed only to load a synthesizer

    try:
        made = None if made_with == UNKNOWN else Version(made_with)
    except (TypeError, ValueError):
        raise SynthesizerInputError(
            'The synthesizer does not say by a version what it was made with, so sdv-threea did '
            'not save it: save it again, or take a copy.'
        ) from None
    if made is None or installed == UNKNOWN:
        return
    if made == Version(installed):
        return
    facts = f'This synthesizer was made with sdv-threea {made}, and {installed} is installed'
    if made > Version(installed):
        raise VersionError(f'{facts}: upgrade with `pip install --upgrade sdv-threea`.')
    warn(
        f'{facts}. To have what changed since, fit a new one; mind that this is another release.',
        SDVVersionWarning,
    )
