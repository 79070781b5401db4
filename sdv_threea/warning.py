"""Warnings that point at the line of the user, however deep in libraries they come up."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FrameType

from sdv_threea.names import printable

#: Libraries whose lines are not those of the user; this package is the first.
LIBRARIES = ('sdv_threea', 'sdv', 'rdt')

#: What our warnings carry: the line that they name is the user's, and does not tell.
MARK = 'is_of_sdv_threea'


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the line by which the user came into this package, SDV or RDT.

    Args:
        text: What is warned of. It names public things, and no value of a row.
        category: The kind of warning.
    """
    folders = [
        str(Path(sys.modules[name].__file__ or '').parent) + '/'
        for name in LIBRARIES
        if name in sys.modules
    ]
    frame: FrameType | None = sys._getframe(1)
    level = entered = 2
    while frame is not None:
        if frame.f_code.co_filename.startswith(tuple(folders)):
            entered = level + 1
        frame, level = frame.f_back, level + 1
    message = category(printable(text))
    setattr(message, MARK, True)
    warnings.warn(message, stacklevel=entered)


def is_ours(message: Warning | str) -> bool:
    """Return whether a warning is one of this package, which shows no value of a row."""
    return getattr(message, MARK, False)
