"""Fitted synthesizers in files: whole as a pickle, or their release in a file without code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from sdv.errors import NotFittedError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.atomic import replacing
from sdv_threea.pages.fragments import escape
from sdv_threea.settings import Settings
from sdv_threea.storage.files import check_version, get_version, load_saved, seal
from sdv_threea.storage.release_files import write_plain
from sdv_threea.synthesizers.disclosing import check_fitted
from sdv_threea.synthesizers.restoring import gather_release, read_release, restore_release
from sdv_threea.synthesizers.turns import in_turn

if TYPE_CHECKING:
    from sdv_threea.datasheet import Datasheet
    from sdv_threea.storage.ledger_files import Recorded

#: Arguments shown next to the promise, if given.
SHOWN = ('target_column', 'privacy_unit')


class Released:
    """A synthesizer that can be saved, and its release published; precedes SDV's base class.

    Modules that make a datasheet are imported late, which keeps the import of SDV light.
    """

    _fitted: bool
    _num_releases: int
    #: The total of the data set's ledger at the last fit, if there is one.
    _recorded: Recorded | None = None
    metadata: Metadata
    _made_with: str

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_version(state['_made_with'], get_version())
        self.__dict__.update(state)

    @in_turn
    def save(self, filepath: str | os.PathLike[str]) -> None:
        """Save the synthesizer, whole or not at all, with a checksum.

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
        a file of ``save_release``, and open it with ``load_release``.

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

    @property
    def num_releases(self) -> int:
        """Number of fits that read private rows, including fits before this object was copied."""
        return self._num_releases

    @in_turn
    def save_release(self, filepath: str | os.PathLike[str]) -> None:
        """Save the release in a file without code, whole or not at all.

        The file has everything that sampling needs, and the privacy statement. It lacks the kernel,
        which only a fit needs. Programmed constraints, and chosen transformers other than
        ``NumberTexts``, are code: a synthesizer with any can be saved by :meth:`save` only.

        Args:
            filepath: The file. If saving fails or is interrupted, it stays as it was.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
            OSError: If the file cannot be written.
            SynthesizerInputError: If the synthesizer holds code, or a dtype that has no name.
        """
        if not self._fitted:
            raise NotFittedError('There is no release yet: fit the synthesizer first.')
        facts = gather_release(self)
        try:
            write_plain(os.fspath(filepath), facts)
        except TypeError as error:
            raise SynthesizerInputError(f'{error} Save the synthesizer by save().') from None

    @classmethod
    def load_release(cls, filepath: str | os.PathLike[str]) -> Self:
        """Load a file that :meth:`save_release` has written; no code in it is run.

        Args:
            filepath: The file, which need not be trusted.

        Returns:
            A fitted synthesizer, to sample from.

        Raises:
            OSError: If the file cannot be read.
            MemoryError: If the file is larger than the memory of the machine.
            SynthesizerInputError: If the file is damaged, holds anything else, or promises more
                privacy than its receipts support.
            VersionError: If it was saved by a newer version.
        """
        facts = read_release(filepath)
        if facts.get('kind') != cls.__name__:
            raise SynthesizerInputError(
                f"The file '{os.fspath(filepath)}' holds no release of {cls.__name__}, but of "
                f'{facts.get("kind")!a}.'
            )
        restored: Self = restore_release(cls, facts, filepath)
        return restored

    def datasheet(self, **about: str) -> Datasheet:
        """Return the datasheet of the release, to be published with the synthetic rows.

        The datasheet follows "Datasheets for Datasets" and the questions of NIST SP 800-226: the
        promise in plain words, who is protected, what is public, the values of each column in
        samples and its expected error, the losses, uses, the ledger.

        Formal guarantees:
            * it is a function of the fitted synthesizer, of ``about`` and of the day: no private
              row is read

        Args:
            **about: Facts that only the publisher knows, in sentences: ``title``, ``description``,
                ``motivation``, ``collection``, ``consent``, ``uses``, ``unsuited``, ``license``,
                ``url``, ``creator``, ``contact``, ``maintenance``. The datasheet marks those that
                are missing.

        Returns:
            The datasheet, with ``save_html``, ``save_markdown`` and ``save_croissant``.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
            ValueError: If ``about`` has a field that is not listed above.
        """
        check_fitted(self, 'asking for its datasheet')
        from sdv_threea.synthesizers.sheets import make_sheet

        return make_sheet(self, about)

    def __repr__(self) -> str:
        told: Any = self
        facts = [f'epsilon={told.epsilon:g}', f'delta={told.delta:g}']
        named = {name: getattr(self, name, None) for name in SHOWN}
        facts += [f'{name}={each!r}' for name, each in named.items() if each]
        state = 'fitted' if self._fitted else 'not fitted'
        return f'<{type(self).__name__}({", ".join(facts)}), {state}>'

    def _repr_html_(self) -> str:
        name = escape(type(self).__name__)
        if not self._fitted:
            told: Any = self
            return (
                f'<p><b>{name}</b>, not fitted; epsilon={told.epsilon:g}, delta={told.delta:g}.</p>'
            )
        from sdv_threea.synthesizers.sheets import make_card

        return f'<p><b>{name}</b>, fitted.</p>{make_card(self)}'


def count_fit(synthesizer: Any, settings: Settings, unit: str, *, thresholds: bool | None) -> None:
    """Count a fit, here and in the ledger, before it spends; failed fits count too."""
    if synthesizer.ledger is not None:
        from sdv_threea.storage.ledger_files import BudgetLedger

        kind, ledger = type(synthesizer).__name__, BudgetLedger(synthesizer.ledger)
        synthesizer._recorded = ledger.record(settings, unit, kind, thresholds=thresholds)
    synthesizer._num_releases += 1
