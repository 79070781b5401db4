"""Files and folders that are written whole or not at all; synthesizers in files."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError, VersionError
from sdv.utils import load_synthesizer


@contextmanager
def replacing(filepath: str | os.PathLike[str]) -> Iterator[str]:
    """Write a file beside the one that is meant, and move it there once it is whole.

    Whatever happens meanwhile, an error, an interrupt, a full disk, a kill or a loss of power, the
    file that is meant is either the old or the new one. After a kill, the file beside it, whose
    name starts with a dot, may be left.

    Args:
        filepath: The file that is meant; a link is followed.

    Yields:
        The path to write to: that of the file itself, if it is a device or a pipe.

    Raises:
        OSError: If it cannot be written.
    """
    target = Path(os.path.realpath(filepath))
    if target.exists() and not target.is_file():
        yield str(target)
        return
    beside = _name_beside(target)
    try:
        yield str(beside)
        _keep_mode(target, beside)
        _flush(beside, os.O_RDWR)
        beside.replace(target)
        _flush(target.parent, os.O_RDONLY)
    except OSError as error:
        raise type(error)(
            error.errno,
            f'{error.strerror}. Nothing was saved, and what was there before is as it was',
            str(filepath),
        ) from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def filling(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Fill a folder beside the one that is meant, and move it there once it is whole.

    After an error or an interrupt nothing is left; after a kill, the folder beside it, whose name
    starts with a dot, may be.

    Args:
        folder: The folder that is meant; it may exist if it is empty, and a link is followed.

    Yields:
        The folder to write to.

    Raises:
        FileExistsError: If there is a file, or a folder that is not empty.
        OSError: If it cannot be written.
    """
    target = Path(os.path.realpath(folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        problem = 'There is something already: choose another folder, or empty it'
        raise FileExistsError(errno.EEXIST, problem, os.fspath(folder))
    if not target.parent.is_dir():
        problem = 'There is no folder for it to be in: make that first'
        raise FileNotFoundError(errno.ENOENT, problem, os.fspath(folder))
    beside = _name_beside(target)
    try:
        beside.mkdir()
        yield beside
        for path in beside.iterdir():
            _flush(path, os.O_RDWR)
        if target.exists():
            target.rmdir()
        beside.rename(target)
        _flush(target.parent, os.O_RDONLY)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def append_csv(rows: pd.DataFrame, filepath: str) -> None:
    """Append rows to a file of CSV, which begins with the names of the columns."""
    rows.to_csv(filepath, mode='a', header=not os.path.exists(filepath), index=False)


def load_saved(filepath: str | os.PathLike[str]) -> Any:
    """Load a synthesizer of any kind.

    Args:
        filepath: The file.

    Returns:
        What it holds.

    Raises:
        OSError: If the file cannot be read.
        SynthesizerInputError: If the file is damaged.
        VersionError: If it was saved by a newer version.
    """
    try:
        return load_synthesizer(filepath)
    except (OSError, VersionError):
        raise
    except Exception as error:  # damage can look like anything to pickle
        problem = type(error).__name__
    raise SynthesizerInputError(
        f"The file '{os.fspath(filepath)}' is damaged, or no synthesizer was ever saved to it "
        f'({problem}): save it again, or take a copy.'
    )


def _name_beside(target: Path) -> Path:
    return target.with_name(f'.{target.name[:100]}.{secrets.token_hex(6)}.part')


def _keep_mode(target: Path, beside: Path) -> None:
    if target.exists():
        shutil.copymode(target, beside)


def _flush(path: Path, flags: int) -> None:
    """Have the disk hold what was written, as far as the system can tell."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
