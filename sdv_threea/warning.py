"""Warnings that point at the user's line, even if they arise deep in libraries."""

import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

from sdv_threea.names import printable

#: Libraries whose lines are not the user's.
LIBRARIES = ('sdv_threea', 'sdv', 'rdt')

#: Marks warnings of this package: they name the user's line and show no value of a row.
MARK = 'is_of_sdv_threea'


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line by which the user entered this package, SDV or RDT.

    The text names public facts, and no value of a row.
    """
    frame: FrameType | None = sys._getframe(1)
    level = entered = 2
    while frame is not None:
        if lies_in(frame.f_code.co_filename, LIBRARIES):
            entered = level + 1
        frame, level = frame.f_back, level + 1
    message = category(printable(text))
    setattr(message, MARK, True)
    warnings.warn(message, stacklevel=entered)


def lies_in(filename: str, libraries: Iterable[str]) -> bool:
    """Return whether a file belongs to these packages; a folder of the same name does not count."""
    folders = (
        str(Path(sys.modules[name].__file__ or '').parent) + os.sep
        for name in libraries
        if name in sys.modules
    )
    return filename.startswith(tuple(folders))


def is_ours(message: Warning | str) -> bool:
    """Return whether a warning comes from this package, and so shows no value of a row."""
    return getattr(message, MARK, False)
