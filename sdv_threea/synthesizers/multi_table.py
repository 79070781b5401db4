"""The synthesizer of relational tables: SDV's interface to one private release."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from secrets import token_bytes
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.metadata import Metadata
from tqdm import tqdm

from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.units.membership import Database
from sdv_threea.rows.units.references import number_rows
from sdv_threea.schema import Schema
from sdv_threea.settings import Settings
from sdv_threea.storage.database_terms import Bounds, DatabaseTerms
from sdv_threea.storage.metadata import keep_public, list_harmless
from sdv_threea.storage.reading import holds_parts, take_tables
from sdv_threea.synthesizers import arguments
from sdv_threea.synthesizers.database_sampling import learn_tables
from sdv_threea.synthesizers.disclosing import (
    check_fitted,
    check_memory,
    demand_check,
    list_losses,
    state_promises,
    warn_of_refit,
)
from sdv_threea.synthesizers.divided import divide_tables
from sdv_threea.synthesizers.fixed import fix, with_fixed_arguments
from sdv_threea.synthesizers.multi_table_adapter import (
    MultiTableAdapter,
    derive,
    label_rows,
    order_public,
)
from sdv_threea.synthesizers.progress import bars, show_tables
from sdv_threea.synthesizers.released import count_fit
from sdv_threea.synthesizers.statement import DatabaseStatement
from sdv_threea.synthesizers.turns import attempted, forget, in_turn
from sdv_threea.transforms.pseudonyms import KEY_BYTES

if TYPE_CHECKING:
    from sdv_threea.relational.database_release import DatabaseRelease
    from sdv_threea.synthesizers.check import Check


def load_pipeline() -> ModuleType:
    """Import the pipeline at its first use, which keeps the import of SDV light."""
    from sdv_threea.relational import databases

    return databases


def release_database(*database: Any, **terms: Any) -> DatabaseRelease:
    """Call :func:`sdv_threea.relational.databases.release_database`."""
    released: DatabaseRelease = load_pipeline().release_database(*database, **terms)
    return released


@with_fixed_arguments
class ClustMixMultiTableSynthesizer(MultiTableAdapter):
    """Synthesizer of relational tables with differential privacy for a whole unit.

    A unit of privacy is one row of the table ``privacy_unit`` with every row, in any table, that
    can be reached from it: a patient with all encounters and all rows that refer to those. The
    synthesizer is used like ``HMASynthesizer`` and takes any schema without circles. Each fit is
    one private release. Sampling costs no privacy.

    Formal guarantees:
        * removing a unit changes the distribution of a fitted synthesizer, and of all its samples,
          by at most ``(epsilon, delta)``; a row that refers to several units belongs to one of
          them, by its keys, and is not protected together with the others
        * a private table that belongs to no unit is protected too: a row of it, together with the
          rows that belong to this row (:meth:`get_privacy_statement`)
        * only public tables are copied as they are

    Args:
        metadata: SDV's metadata of the tables and of their relationships.
        locales: Locales of made-up personal information.
        epsilon: The privacy budget, from 1e-4 to 1e9, as in :class:`ClustMixSynthesizer`.
        delta: The probability with which the promise may fail, from 1e-50 to below 0.01. Choose it
            well below one over the number of units.
        privacy_unit: The table whose rows are the units. By default the only private table that
            refers to no other private one; an error if there are several.
        public_tables: Tables that may be published as they are, such as lists of codes.
        max_children: The largest number of rows that refer to one row of their owner, if public:
            one number for all tables; or a dictionary by table, and by foreign key ``(table,
            column)`` for references to other rows than the owner. By default estimated privately.
        target_column: The column that models will be trained to predict, by table. If one is named,
            none is chosen for other tables.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately.
        neighbors: How neighbouring databases differ by one unit: ``'add_remove'`` or
            ``'replace_one'``.
        verbose: Whether to show progress; shown by default, as by SDV's multi-table synthesizers.
        min_children: The fewest rows that refer to one row, like ``max_children``; no bound by
            default.
        invalid_cells: How a fit treats cells that contradict the metadata, in all tables:
            ``'raise'`` or ``'coerce'``, as in :class:`ClustMixSynthesizer`. Keys and references
            must be valid in any case.
        memory_limit: Gigabytes that the fit of a table, or a sample, may take, as in
            :class:`ClustMixSynthesizer`.
        accept: The accepted reasons to stop a fit, as in :class:`ClustMixSynthesizer`.
        ledger: The file of the data set's ledger, as in :class:`ClustMixSynthesizer`.
        target: Short for ``target_column``.
        pseudonyms: Columns of personal information whose values are counted, by table: see
            :class:`ClustMixSynthesizer`. Columns of the same name, or with the same word, share
            names.

    Raises:
        SynthesizerInputError: If an argument is out of range, or no guarantee holds for the schema.
    """

    #: In words, the unit that the ledger's total protects; if empty, a row of the main table.
    protected: str = ''

    def __init__(
        self,
        metadata: Metadata,
        locales: list[str] | str = ['en_US'],
        epsilon: float = 1.0,
        delta: float = 1e-6,
        privacy_unit: str | None = None,
        public_tables: Sequence[str] = (),
        max_children: Bounds = None,
        target_column: Mapping[str, str] | None = None,
        public_metadata: bool = False,
        neighbors: str = 'add_remove',
        verbose: bool = True,
        min_children: Bounds = None,
        invalid_cells: str = 'raise',
        memory_limit: float | None = None,
        accept: Collection[str] | str = (),
        ledger: str | os.PathLike[str] | None = None,
        target: Mapping[str, str] | None = None,
        pseudonyms: Mapping[str, Any] | None = None,
    ) -> None:
        arguments.check_metadata(metadata, sequential=True)
        arguments.check_invalid_cells(invalid_cells)
        arguments.check_flag(public_metadata=public_metadata, verbose=verbose)
        load_pipeline()
        self.epsilon, self.delta, self.neighbors = epsilon, delta, neighbors
        self.privacy_unit, self.public_tables = privacy_unit, public_tables
        self.min_children, self.max_children = min_children, max_children
        self.target_column = arguments.choose_word(target_column, target)
        arguments.check_tables(metadata, target_column=self.target_column, pseudonyms=pseudonyms)
        self.pseudonyms = pseudonyms
        self.public_metadata, self.invalid_cells = public_metadata, invalid_cells
        known = keep_public(metadata, public_metadata=public_metadata)
        # Copies: later changes of the caller's lists have no effect.
        terms = DatabaseTerms(
            known,
            privacy_unit,
            self.public_tables,
            self.min_children,
            self.max_children,
            self.target_column,
        )
        super().__init__(terms, locales)
        self.epsilon, self.delta = self._settings.epsilon, self._settings.delta
        self.verbose, self.memory_limit = verbose, memory_limit
        self.accept = arguments.read_accepted(accept)
        self.ledger = arguments.read_path(ledger=ledger)
        self._harmless = list_harmless(metadata)
        self._num_releases = 0
        forget(self)
        fix(self)

    @property
    def _settings(self) -> Settings:
        settings: Settings = next(iter(self._table_synthesizers.values())).settings
        return settings

    @attempted
    def fit(self, data: dict[str, Any]) -> None:
        """Release the private tables. Fitting again is another release, and the costs add up.

        Dask DataFrames and Parquet files need not be in memory: the modelled columns of all private
        rows are then written to nameless temporary files, and read from there in groups of whole
        units. Public tables are read into memory.

        The dtypes of the tables are public: a foreign key stored as integers, for example, reveals
        that no reference is missing.

        After an error or an interrupt the synthesizer is unfitted, as before its first fit. A
        failed fit still counts as a release if it had begun to read the private rows.

        Args:
            data: All tables by name: pandas or Dask DataFrames, or paths of Parquet files.

        Raises:
            InvalidDataTypeError: If ``data`` is not a dictionary of tables.
            InvalidDataError: If the tables do not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
            MemoryError: If the fit would exceed the memory limit.
        """
        for each in self._table_synthesizers.values():
            check_memory(each.preprocessor, each.settings, self.memory_limit)
        demand_check(self)
        if holds_parts(data):
            self._check_metadata_updated()
            super().fit_processed_data(divide_tables(self, data))
        else:
            super().fit(take_tables(data, self._original_metadata))

    @in_turn
    def preprocess(self, data: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Translate the tables for :meth:`fit_processed_data`. The result is private.

        Args:
            data: All tables by name.

        Returns:
            The modelled columns of the private tables, and the public tables. Numbers of rows
            replace keys and references. Errors are those of :meth:`fit`.
        """
        demand_check(self)
        tables = take_tables(data, self._original_metadata)
        with guarded():
            self._store_and_convert_original_cols(tables)
        self.validate(tables)
        schema = self._terms.read_schema()
        if self._fitted:
            warn_of_refit(self._num_releases + 1, self._settings.guarantee)
        # The same key for all tables: equal values get equal names.
        processed, key = {}, token_bytes(KEY_BYTES)
        for name, table in tqdm(
            tables.items(), desc='Preprocess Tables', **bars(shown=self.verbose)
        ):
            if name not in schema.public:
                synthesizer = self._table_synthesizers[name]
                self._assign_table_transformers(synthesizer, name, table)
                table = synthesizer.preprocessor.translate(table, key)
            processed[name] = table
        numbered = number_rows(tables, label_rows(self, schema), self._terms.list_keys())
        with guarded():
            return {
                name: pd.concat([numbers, processed[name].reset_index(drop=True)], axis=1)
                for name, numbers in numbered.items()
            }

    @attempted
    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Release tables that :meth:`preprocess` has translated.

        Args:
            processed_data: The result of :meth:`preprocess`.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not a dictionary of tables.
            InvalidDataError: If a table is missing or has no rows, or a reference leads to no row.
        """
        super().fit_processed_data(take_tables(processed_data, self._original_metadata))

    def reset_sampling(self) -> None:
        """Return to the state right after fitting: the same tables are drawn again."""
        super().reset_sampling()
        self._generator = None

    def get_privacy_statement(self) -> DatabaseStatement:
        """Return the promise of the last fit, table by table, and the cost of each release.

        After several fits the statement also has their joint cost.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        check_fitted(self, 'asking for its privacy statement')
        return state_promises(self)

    def check(self) -> Check:
        """Forecast how each column will be released, and list the reasons to stop a fit.

        No row is read: see :meth:`ClustMixSynthesizer.check`.
        """
        from sdv_threea.synthesizers.checking import check_database, join_checks

        metadata, schema = self._terms.metadata, self._terms.read_schema()
        made = {name: self._table_synthesizers[name] for name in schema.private}
        checks = check_database(
            schema,
            metadata,
            made,
            self._terms.read_children(schema),
            self._terms.read_orders(schema, {name: derive(each) for name, each in made.items()}),
            released=self._model.tables if self._fitted else {},
            harmless=self._harmless,
        )
        return join_checks(checks, metadata, schema.private)

    def get_losses(self) -> pd.DataFrame:
        """Return which values samples of the last fit lack, by table and column.

        The result is computed from released numbers, so it costs no privacy and may be published.

        Returns:
            A row per table and column, as in :meth:`ClustMixSynthesizer.get_losses`.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        check_fitted(self, 'asking for its losses')
        from sdv_threea.synthesizers.loss_table import tabulate

        found = {
            table: tabulate(losses, self._table_synthesizers[table].preprocessor.columns)
            for table, losses in list_losses(self).items()
        }
        return pd.concat(found, names=['table'])

    def _model_tables(self, augmented_data: tuple[Rows[Database], Schema]) -> None:
        from sdv_threea.describe.description import needs_threshold

        database, schema = augmented_data
        synthesizers = self._table_synthesizers
        for each in synthesizers.values():
            arguments.check_kernel(each.settings)
        # Keys may need thresholds even if no column does.
        domains = {name: derive(synthesizers[name]) for name in schema.private}
        orders = self._terms.read_orders(schema, domains)
        open_ = any(map(needs_threshold, domains.values())) or None
        unit = self.protected or f"one row of '{schema.main}' with its rows in other tables"
        count_fit(self, self._settings, unit, thresholds=open_)
        self._model = release_database(
            database,
            schema,
            {name: len(rows) for name, rows in self._public_rows.items()},
            domains,
            {name: synthesizers[name].settings for name in schema.private},
            children=self._terms.read_children(schema),
            ordered=orders,
            alike=order_public(self, schema),
            track=partial(show_tables, shown=self.verbose),
        )
        learn_tables(self)
