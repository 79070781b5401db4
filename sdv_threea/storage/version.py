"""The version of the package that made a synthesizer, checked when the synthesizer is loaded."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sdv.errors import SDVVersionWarning, SynthesizerInputError, VersionError

from sdv_threea.warning import warn

#: The version of a checkout that is not installed; it is not compared.
UNKNOWN = 'unknown'


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
