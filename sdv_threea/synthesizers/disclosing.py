"""The check before a fit and the losses after it, as methods of the synthesizers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.errors import NotFittedError
from sdv.metadata import Metadata

from sdv_threea.storage.references import find_keys
from sdv_threea.synthesizers.cautions import warn_of_promise
from sdv_threea.synthesizers.sample_arguments import check_counts
from sdv_threea.warning import warn

if TYPE_CHECKING:
    from sdv_threea.losses import Loss
    from sdv_threea.relational.release import DatabaseRelease
    from sdv_threea.settings import Settings
    from sdv_threea.synthesizers.check import Check


class Checking:
    """A synthesizer that checks its metadata and settings before a fit."""

    accept: tuple[str, ...] = ()

    def check(self) -> Check:
        """Return what each column will come out as, and what stops a fit."""
        raise NotImplementedError

    def _demand_check(self) -> None:
        """Run the check before a fit: raise an error at a reason to stop, warn of the rest."""
        checked = self.check()
        checked.demand(self.accept)
        for note in checked.notes:
            warn(note)


class Disclosing(Checking):
    """A synthesizer of one table that tells what a fit will do, and the losses of the last one.

    The modules that compute these are imported late to keep the import of SDV light.
    """

    _fitted: bool
    _harmless: frozenset[str] = frozenset()
    _model: Any
    _num_releases: int
    _settings: Settings
    _table_name: str
    metadata: Metadata
    preprocessor: Any

    def check(self, num_rows: int | None = None) -> Check:
        """Return what each column will come out as, and what stops a fit. No row is read.

        The check is computed from the names, types and stated facts of columns and from the
        settings. It costs no privacy and may be published. :meth:`fit` runs it first, and raises an
        error if it finds a reason to stop that ``accept`` does not name.

        Args:
            num_rows: About how many rows the table has, if that is public; of a fitted synthesizer
                the released number. Without it, errors are estimated for 10,000 rows.

        Returns:
            A table to print, with ``columns``, ``stops`` and ``to_frame()``.
        """
        from sdv_threea.synthesizers.checking import check_table, join_checks

        if num_rows is not None:
            check_counts(num_rows=num_rows)
        elif self._fitted and self._model is not None:
            num_rows = max(round(self._model.num_rows), 1)
        own = self._table_name, self.metadata, self.preprocessor, self._settings
        checked = check_table(*own, num_rows=num_rows, harmless=self._harmless)
        return join_checks([checked], self.metadata, [self._table_name])

    def get_losses(self) -> pd.DataFrame:
        """Return what samples of the last fit do not show, column by column.

        It is computed from released numbers, so it costs no privacy and may be published. Rows
        count as lost if their values were too rare to be released, or may lie beyond a range. The
        interval of a share misses once in 370 columns.

        Returns:
            A row per column that is no key, by name. ``loss`` is ``'made up'``, ``'no value'``,
            ``'constant'``, ``'guessed range'``, ``'values'``, ``'range'`` or empty; ``share`` is
            the lost share of the rows, between ``at_least`` and ``at_most``; ``shown`` is what
            samples show; ``stated`` lists the facts taken from the metadata; ``said`` is the loss
            in a sentence.

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

        losses, columns = self._model.losses if self._model else (), self.preprocessor.columns
        keys = find_keys(self.metadata, self._table_name)
        return name_losses(losses, self.preprocessor.derivations, columns, keys)

    def _say_losses(self) -> dict[str, str]:
        from sdv_threea.synthesizers.loss_table import say_losses

        return say_losses(self._list_losses())

    def _warn_of_release(self) -> None:
        """Warn of what weakens the promise of the last fit, and of its losses."""
        from sdv_threea.synthesizers.loss_table import warn_of_losses

        if self._model is not None:
            warn_of_promise(self._settings, self._model.num_rows, self._num_releases)
            target = self.preprocessor.storage.target
            warn_of_losses(self._list_losses(), {target} if target else ())

    def _demand_rows(self, num_rows: float) -> None:
        """Stop a fit whose released number of rows is too small for the noise, unless accepted."""
        from sdv_threea.synthesizers.check import COUNTED

        self.check(max(round(num_rows), 1)).demand(self.accept, COUNTED)


class DisclosingDatabase(Checking):
    """A synthesizer of several tables that tells what a fit will do, and the losses of the last."""

    _harmless: Mapping[str, frozenset[str]] = MappingProxyType({})
    _fitted: bool
    _model: Any
    _table_synthesizers: Any
    _terms: Any
    _num_releases: int
    _promise: Any

    def _get_model(self, asked: str) -> DatabaseRelease:
        if not self._fitted or self._model is None:
            raise NotFittedError(
                'This synthesizer has not been fitted. Please fit your synthesizer first before '
                f'asking for its {asked}.'
            )
        model: DatabaseRelease = self._model
        return model

    def check(self) -> Check:
        """Return what each column of each table will come out as, and what stops a fit.

        No row is read: see :meth:`ClustMixSynthesizer.check`.
        """
        from sdv_threea.synthesizers.checking import check_table, join_checks

        metadata, private = self._terms.metadata, self._terms.read_schema().private
        checks = [
            check_table(
                name,
                metadata,
                self._table_synthesizers[name].preprocessor,
                self._table_synthesizers[name].settings,
                harmless=self._harmless.get(name, frozenset()),
                alone=False,
            )
            for name in private
        ]
        return join_checks(checks, metadata, private)

    def get_losses(self) -> pd.DataFrame:
        """Return what samples of the last fit do not show, by table and column.

        It is computed from released numbers, so it costs no privacy and may be published.

        Returns:
            A row per table and column, as in :meth:`ClustMixSynthesizer.get_losses`.

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
        from sdv_threea.synthesizers.loss_table import warn_of_losses

        model, terms = self._get_model('losses'), self._terms
        warn_of_promise(self._promise, model.num_units, self._num_releases, database=True)
        by_table = self._list_losses(model).items()
        lost = [
            replace(each, column=f'{name}.{each.column}') for name, own in by_table for each in own
        ]
        targets = {table: terms.find_target(table) for table in terms.metadata.tables}
        warn_of_losses(lost, {f'{table}.{name}' for table, name in targets.items() if name})

    def _say_losses(self, model: DatabaseRelease) -> dict[str, dict[str, str]]:
        from sdv_threea.synthesizers.loss_table import say_losses

        said = {table: say_losses(losses) for table, losses in self._list_losses(model).items()}
        return {table: lines for table, lines in said.items() if lines}

    def _list_losses(self, model: DatabaseRelease) -> dict[str, list[Loss]]:
        from sdv_threea.synthesizers.loss_table import list_by_table

        named = {name: self._table_synthesizers[name].preprocessor for name in model.tables}
        return list_by_table(model, named, self._terms.metadata)
