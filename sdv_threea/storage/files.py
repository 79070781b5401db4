"""Sampled rows and synthesizers in files."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError, VersionError
from sdv.utils import load_synthesizer


def append_csv(rows: pd.DataFrame, filepath: str) -> None:
    """Append rows to a file of CSV, which begins with the names of the columns."""
    rows.to_csv(filepath, mode='a', header=not os.path.exists(filepath), index=False)


def seal(path: Path) -> None:
    """Wrap a pickle in a file in one that tells damage, whoever loads it.

    Args:
        path: The file, which is written anew. A device or a pipe is left as it is.
    """
    if path.is_file():
        path.write_bytes(pickle.dumps(_Sealed(path.read_bytes())))


def unseal(pickled: bytes, digest: str) -> Any:
    """Load a pickle that was sealed.

    Args:
        pickled: The pickle.
        digest: What its checksum was.

    Returns:
        What it holds.

    Raises:
        SynthesizerInputError: If it is not what was sealed.
    """
    if hashlib.sha256(pickled).hexdigest() != digest:
        raise SynthesizerInputError(
            'The file is damaged: its checksum is not that of what was saved. Save it again, or '
            'take a copy.'
        )
    return pickle.loads(pickled)


class _Sealed:
    """A pickle, which is loaded by way of :func:`unseal`."""

    def __init__(self, pickled: bytes) -> None:
        self._pickled = pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return unseal, (self._pickled, hashlib.sha256(self._pickled).hexdigest())


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
