"""The losses of a release, as methods of the synthesizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.errors import NotFittedError

from sdv_threea.synthesizers.cautions import warn_of_promise

if TYPE_CHECKING:
    from sdv_threea.losses import Loss
    from sdv_threea.relational.release import DatabaseRelease
    from sdv_threea.settings import Settings


class Disclosing:
    """A synthesizer of one table that tells the losses of its last release.

    :mod:`~sdv_threea.synthesizers.loss_table` is imported late to keep the import of SDV light.
    """

    _fitted: bool
    _model: Any
    _num_releases: int
    _settings: Settings
    preprocessor: Any

    def get_losses(self) -> pd.DataFrame:
        """Return what samples of the last fit do not show, column by column.

        It is computed from released numbers, so it costs no privacy and may be published. Rows
        count as lost if their values were too rare to be released, or may lie beyond a range. The
        interval of a share misses once in 370 columns.

        Returns:
            A row per modelled column, by name. ``loss`` is ``'no value'``, ``'constant'``,
            ``'guessed range'``, ``'values'``, ``'range'`` or empty; ``share`` is the lost share of
            the rows, between ``at_least`` and ``at_most``; ``shown`` is what samples show;
            ``stated`` lists the facts taken from the metadata; ``said`` is the loss in a sentence.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        if not self._fitted:
            raise NotFittedError(
                'This synthesizer has not been fitted. Please fit your synthesizer first before '
                'asking for its losses.'
            )
        from sdv_threea.synthesizers.loss_table import tabulate

        return tabulate(self._list_losses(), self.preprocessor.columns)

    def _list_losses(self) -> list[Loss]:
        from sdv_threea.synthesizers.loss_table import name_losses

        return name_losses(self._model.losses if self._model else (), self.preprocessor.derivations)

    def _say_losses(self) -> dict[str, str]:
        from sdv_threea.synthesizers.loss_table import say_losses

        return say_losses(self._list_losses())

    def _warn_of_release(self) -> None:
        """Warn of what weakens the promise of the last fit, and of its losses."""
        from sdv_threea.synthesizers.loss_table import warn_of_losses

        if self._model is not None:
            num_rows, domain = self._model.num_rows, self.preprocessor.derive().derived
            warn_of_promise(self._settings, num_rows, self._num_releases)
            warn_of_losses(self._list_losses(), domain, self._settings, num_rows)


class DisclosingDatabase:
    """A synthesizer of several tables that tells the losses of its last release."""

    _table_synthesizers: Any
    _num_releases: int
    _promise: Any

    def _get_model(self, asked: str) -> DatabaseRelease:
        raise NotImplementedError

    def get_losses(self) -> pd.DataFrame:
        """Return what samples of the last fit do not show, by table and column.

        It is computed from released numbers, so it costs no privacy and may be published.

        Returns:
            A row per table and modelled column, as in :meth:`ClustMixSynthesizer.get_losses`.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        from sdv_threea.synthesizers.loss_table import tabulate

        found = {
            table: tabulate(losses, self._table_synthesizers[table].preprocessor.columns)
            for table, losses in self._list_losses(self._get_model('losses')).items()
        }
        return pd.concat(found, names=['table'])

    def _warn_of_release(self) -> None:
        """Warn of what weakens the promise of the last fit, and of its losses."""
        from sdv_threea.synthesizers.loss_table import warn_of_lost_tables

        model = self._get_model('losses')
        warn_of_promise(self._promise, model.num_units, self._num_releases, database=True)
        warn_of_lost_tables(self._list_losses(model))

    def _say_losses(self, model: DatabaseRelease) -> dict[str, dict[str, str]]:
        from sdv_threea.synthesizers.loss_table import say_losses

        said = {table: say_losses(losses) for table, losses in self._list_losses(model).items()}
        return {table: lines for table, lines in said.items() if lines}

    def _list_losses(self, model: DatabaseRelease) -> dict[str, list[Loss]]:
        from sdv_threea.synthesizers.loss_table import list_by_table

        named = {name: self._table_synthesizers[name].preprocessor for name in model.tables}
        return list_by_table(model, named)
