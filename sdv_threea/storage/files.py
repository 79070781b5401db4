"""Sampled rows and synthesizers in files."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError, VersionError
from sdv.utils import load_synthesizer


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
