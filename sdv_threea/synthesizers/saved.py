"""Synthesizers in files: saved whole or not at all, loaded by the same or a newer version."""

from __future__ import annotations

import os
from typing import Any, Self

from sdv.errors import SynthesizerInputError

from sdv_threea.atomic import replacing
from sdv_threea.storage.files import check_version, get_version, load_saved, seal
from sdv_threea.synthesizers.turns import in_turn


class Saved:
    """A synthesizer that can be saved and loaded; goes before SDV's base class."""

    _made_with: str

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_version(state['_made_with'], get_version())
        self.__dict__.update(state)

    @in_turn
    def save(self, filepath: str | os.PathLike[str]) -> None:
        """Save the synthesizer, whole or not at all, with a checksum against damage.

        Args:
            filepath: The file. If saving fails or is interrupted, it stays as it was.

        Raises:
            OSError: If it cannot be written.
        """
        with replacing(filepath) as path:
            super().save(path)  # type: ignore[misc]
            seal(path)

    @classmethod
    def load(cls, filepath: str | os.PathLike[str]) -> Self:
        """Load a file that :meth:`save` has written, as ``sdv.utils.load_synthesizer`` does.

        The file is a pickle, which can run any code: load only files that you trust. Ask others for
        a file of ``save_release``, and open it by ``load_release``.

        Raises:
            OSError: If the file cannot be read.
            SynthesizerInputError: If the file is damaged or holds anything else.
            VersionError: If it was saved by a newer version.
        """
        found = load_saved(filepath)
        if not isinstance(found, cls):
            raise SynthesizerInputError(
                f"The file '{os.fspath(filepath)}' holds no {cls.__name__}, but "
                f'{type(found).__name__}: load what {cls.__name__}.save has written.'
            )
        return found


def find_holder(synthesizer: Any) -> Any:
    """Return the synthesizer that holds the release: of sequences, that of their database."""
    return synthesizer.__dict__.get('_database', synthesizer)
