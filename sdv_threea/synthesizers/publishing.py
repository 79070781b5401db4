"""The datasheet of a fitted synthesizer, and its card in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdv.errors import NotFittedError

from sdv_threea.pages.fragments import escape

if TYPE_CHECKING:
    from sdv_threea.datasheet import Datasheet

#: Arguments that are shown beside the promise, if given.
SHOWN = ('target_column', 'privacy_unit')


class Publishing:
    """A synthesizer with a datasheet and a card; goes before SDV's base class.

    :mod:`~sdv_threea.synthesizers.sheets` is imported late to keep the import of SDV light.
    """

    _fitted: bool

    def datasheet(self, **about: str) -> Datasheet:
        """Return the datasheet of the release, to be published with the synthetic rows.

        It follows "Datasheets for Datasets" and the questions of NIST SP 800-226: the promise in
        plain words, who is protected, what is public, what each column shows and its expected
        error, what was lost, uses, the ledger.

        Formal guarantees:
            * it is a function of the fitted synthesizer, of ``about`` and of the day: no private
              row is read

        Args:
            **about: What only the publisher can say, in sentences: ``title``, ``description``,
                ``motivation``, ``collection``, ``consent``, ``uses``, ``unsuited``, ``license``,
                ``url``, ``creator``, ``contact``, ``maintenance``. Open questions are marked as
                such.

        Returns:
            The datasheet, with ``save_html``, ``save_markdown`` and ``save_croissant``.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
            ValueError: If ``about`` has another field.
        """
        if not self._fitted:
            raise NotFittedError(
                'This synthesizer has not been fitted. Please fit your synthesizer first before '
                'asking for its datasheet.'
            )
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
