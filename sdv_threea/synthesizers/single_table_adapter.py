"""SDV's base class for one table, kept from private rows.

SDV would learn dtypes, formats, seeds, ranges and constraints from the rows, and would show row
counts in logs and values in messages. So SDV is shown a proxy table instead. The methods here
translate; objects that know nothing of SDV's base class do the work, most of it the
:class:`~sdv_threea.transforms.preprocessor.Preprocessor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pandas as pd
from sdv.cag._utils import _validate_constraints_single_table
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_threea.domain import MISSING, Domain
from sdv_threea.encoding.transformers import Transformer
from sdv_threea.privacy.rows import Rows, chunk_table
from sdv_threea.storage.metadata import keep_public, list_harmless
from sdv_threea.storage.processing import (
    fit_processor,
    list_strict,
    make_processor,
    pass_by,
    prepare_processor,
    store_made_up,
)
from sdv_threea.storage.version import get_version
from sdv_threea.synthesizers import private_names  # noqa: F401
from sdv_threea.synthesizers.arguments import (
    COERCE,
    INVALID_CELLS,
    check_choice,
    check_constraints,
    check_flag,
    check_locales,
    check_metadata,
    check_name,
    check_transformers,
    read_sentinels,
    read_unreleased,
)
from sdv_threea.synthesizers.attempts import attempted
from sdv_threea.synthesizers.logs import log_fit
from sdv_threea.synthesizers.publishing import Publishing
from sdv_threea.synthesizers.saved import Saved
from sdv_threea.synthesizers.turns import in_turn
from sdv_threea.transforms.preprocessor import Preprocessor


class SingleTableAdapter(Publishing, Saved, BaseSingleTableSynthesizer):
    """SDV's base class for one table, which learns from a proxy table and not from private rows.

    A subclass implements ``_fit``, which gets the translated private rows, sets ``_model`` and
    calls :meth:`learn_release`; ``_sample``; ``check_memory`` and ``_demand_check``, called before
    a row is read; and ``_warn_of_release``, called at the end of a fit.

    Formal guarantees:
        * what it keeps of the private table is a function of the metadata (without ranges, values,
          decimals and nullability unless they are public) and of the dtypes
        * constraints are not fitted on private rows: see
          :class:`~sdv_threea.constraints.constraint_set.ConstraintSet`
        * an error about the private table names columns and rules, and shows no value; the log of
          events has no row counts
        * if fitting fails, the synthesizer is not fitted
    """

    def __init__(
        self,
        metadata: Metadata,
        enforce_min_max_values: bool,
        enforce_rounding: bool,
        locales: list[str] | str,
        target_column: str | None,
        public_metadata: bool,
        invalid_cells: str,
        unreleased: object = MISSING,
        sentinels: object = None,
    ) -> None:
        check_metadata(metadata)
        check_flag(public_metadata=public_metadata)
        check_choice(INVALID_CELLS, invalid_cells=invalid_cells)
        check_locales(locales)
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales)
        self._forget()
        self.target_column = target_column
        self.public_metadata = public_metadata
        self.invalid_cells, self.unreleased = invalid_cells, unreleased
        self.sentinels = sentinels
        self._harmless = list_harmless(metadata)[self._table_name]
        # SDV keeps all of the metadata, which may hold values of private rows.
        self.metadata = self._original_metadata = keep_public(
            metadata, public_metadata=public_metadata
        )
        # A copy, so that changes of that attribute do not change the release.
        self.preprocessor = Preprocessor(
            deepcopy(self.metadata),
            target=target_column,
            coerce=invalid_cells == COERCE,
            unreleased=read_unreleased(unreleased, self.metadata),
            sentinels=read_sentinels(sentinels, self.metadata),
        )
        # SDV reads this list of constraints, and only reads it.
        # SDV would run constraints of its other list, the chained ones, on private rows.
        self._reject_sampling_constraints = self.preprocessor.constraints.adopted
        self._data_processor = make_processor(self.metadata, enforce_min_max_values, locales)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the user's own metadata object, which may hold private facts."""
        return {name: value for name, value in self.__dict__.items() if name != '_input_metadata'}

    @attempted
    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Release the private table. Fitting again is another release, and the costs add up.

        The table is read in chunks, several times, and need not be in memory. Sums over the
        partitions of a Dask DataFrame are computed where the partitions are, by the active client
        of ``distributed`` if there is one.

        ``k`` fits of the same rows that are ``mu``-GDP each are ``sqrt(k) mu``-GDP together,
        whichever of them are shown: :meth:`get_privacy_statement` tells their joint cost.

        After an error or an interrupt the synthesizer is unfitted, as before its first fit, and
        keeps nothing that was released. A fit that had begun to read the private rows counts
        nevertheless, as nobody can tell what was seen of it.

        Args:
            data: A dictionary of the private table by name: a pandas or Dask DataFrame, or the path
                of Parquet files. All parts of the table must have the same dtypes.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
            UnreadableRowsError: If a library fails on private rows, whose message is kept back; or
                if a part of the table has other dtypes than declared.
            ImportError: If Dask is needed and not installed.
            MemoryError: If the fit would exceed the memory limit.
        """
        self.check_memory(self.memory_limit)
        self._demand_check()
        table = self.preprocessor.take(data)
        log_fit(type(self).__name__, self._synthesizer_id, len(table.labels))
        self._check_input_metadata_updated()
        self._store_and_convert_original_cols(pd.DataFrame(columns=table.labels))
        self.reset_sampling()
        self.preprocessor.check(table)
        self._prepare(table.header)
        translated = table.rows.map(self.preprocessor.make_translation()).keep()
        self._learn(translated, table.header)

    @in_turn
    def preprocess(self, data: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Translate the private table for :meth:`fit_processed_data`. The result is private.

        Args:
            data: A dictionary of the private table by name.

        Returns:
            A dictionary of the modelled columns by the name of the table.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        self._demand_check()
        given = self.preprocessor.take(data)
        table = given.take(given.header.columns)
        self._store_and_convert_original_cols(pd.DataFrame(columns=given.labels))
        self.preprocessor.check(given)
        self._preprocess_helper(given.header)  # SDV warns if this is another fit
        return {self._table_name: self._preprocess(table)}

    @attempted
    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Release a private table that :meth:`preprocess` has translated.

        Args:
            processed_data: The result of :meth:`preprocess`.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not one table by name.
            InvalidDataError: If the table has no rows, or lacks columns.
        """
        given = self.preprocessor.take(processed_data)
        names = self.preprocessor.derive().derived.names
        if not len(given.take(())):
            raise InvalidDataError(['The table has no rows: there is nothing to learn from.'])
        if set(names) - set(given.header.columns):
            raise InvalidDataError([f'The processed table must have the columns {list(names)}.'])
        self._learn(chunk_table(given.take(names)), given.header)

    def validate(self, data: dict[str, pd.DataFrame]) -> None:
        """Check the private table against metadata and constraints, without showing its values.

        Args:
            data: A dictionary of the private table by name.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        self.preprocessor.check(self.preprocessor.take(data))

    @in_turn
    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints, which hold in samples after the next fit.

        The constraints are copied; ``get_constraints`` returns the copies.
        :mod:`sdv_threea.constraints.constraint_set` tells how each kind is met.

        Args:
            constraints: SDV's constraints, or programmed ones. They are public.

        Raises:
            ConstraintNotMetError: If the metadata does not fit a constraint.
            SynthesizerInputError: If a constraint is not for one table, or cannot be met.
        """
        check_constraints(constraints)
        checked = _validate_constraints_single_table(constraints, self._fitted)
        self.preprocessor.add_constraints(checked)
        # SDV had prepared for the columns without these constraints.
        self._data_processor = make_processor(
            self.metadata, self.enforce_min_max_values, self.locales
        )

    def get_metadata(self, version: str = 'original') -> Metadata:
        """Return a copy of the public metadata.

        Args:
            version: ``'original'``, or ``'modified'`` for the columns that constraints derive,
                which are those that ``preprocess`` returns.

        Raises:
            ValueError: If there is no such version.
        """
        check_name(version=version)
        metadata = super().get_metadata(version)
        return self.preprocessor.modify(metadata) if version == 'modified' else metadata

    def get_transformers(self, table_name: str | None = None) -> dict[str, Any]:
        """Return RDT's transformers by column, which may be published.

        Those of modelled columns hold public facts before a fit, and released ones after it;
        samples are drawn by them. The others make columns up. Derived columns, which stand for
        those of a constraint, have transformers of their own.

        Args:
            table_name: Name of the table, which is the only one.

        Returns:
            Transformers by column, in the order of the metadata; then those of derived columns.

        Raises:
            ValueError: If no transformers are assigned yet, or there is no such table.
        """
        return self.preprocessor.complete_transformers(super().get_transformers(table_name))

    @in_turn
    def update_transformers(
        self, column_name_to_transformer: Mapping[str, Any], table_name: str | None = None
    ) -> None:
        """Choose RDT's transformers of columns.

        A column that is made up takes a generator. A modelled column takes a transformer that acts
        record by record, before the codes, and is fitted to public facts of the column.
        :mod:`sdv_threea.transforms.allowed` lists these transformers, and why others are refused.

        Args:
            column_name_to_transformer: Transformers by column, not fitted; ``None`` for no
                transformer.
            table_name: Name of the table, which is the only one.

        Raises:
            SynthesizerInputError: If a transformer would learn from private rows or is not
                available, or there is no such column.
            NotFittedError: If no transformers are assigned yet.
        """
        check_transformers(column_name_to_transformer)
        super().update_transformers(column_name_to_transformer, table_name)
        pass_by(self._data_processor, self.preprocessor.describe().names)
        self.preprocessor.choose_transformers(column_name_to_transformer)

    def learn_release(self, domain: Domain, transformers: tuple[Transformer, ...]) -> None:
        """Let SDV and the constraints learn dtypes, formats and seeds from the released domain.

        The transformers map cells of these and of other columns to codes, as released.
        """
        proxy = self.preprocessor.learn(domain, transformers)
        storage = self.preprocessor.storage
        strict = list_strict(storage.columns, storage.dtypes)
        fit_processor(self._data_processor, proxy, storage.dtypes, strict)

    def finish_rows(self, sampled: pd.DataFrame, domain: Domain) -> pd.DataFrame:
        """Turn drawn modelled columns into rows as the user stores them, and drop invalid ones.

        Dtypes, formats, keys and personal information are added. The index of ``sampled`` counts
        from 0; the rows that meet the constraints keep their place in it. ``domain`` is that of the
        release.
        """
        if not len(sampled):
            return self.preprocessor.storage.make_empty()
        restored = self.preprocessor.restore(sampled, domain)
        return self.reverse_transform_constraints(self._data_processor.reverse_transform(restored))

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Store made-up columns; repair or drop sampled rows that break a constraint."""
        storage = self.preprocessor.storage
        rows = store_made_up(sampled, list_strict(storage.columns, storage.dtypes))
        return self.preprocessor.constraints.keep_valid(rows)

    def _validate_transform_constraints(
        self, table_data: pd.DataFrame, enforce_constraint_fitting: bool = False
    ) -> pd.DataFrame:
        # SDV would fit constraints on the rows here.
        return table_data

    def _validate_transformers(self, column_name_to_transformer: Mapping[str, Any]) -> None:
        super()._validate_transformers(column_name_to_transformer)
        self.preprocessor.check_transformers(column_name_to_transformer)

    def _warn_unable_to_enforce_rounding(self, column_name_to_transformer: Any) -> None:
        """Warn of nothing: samples are rounded, whatever the transformer."""

    def _auto_assign_transformers(self, data: dict[str, pd.DataFrame]) -> None:
        self._prepare(self.preprocessor.take(data).header)

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        self._prepare(table_data)
        return self.preprocessor.translate(table_data)

    def _prepare(self, header: pd.DataFrame) -> None:
        """Let SDV choose generators, from the names and dtypes of columns alone."""
        prepare_processor(self._data_processor, self.preprocessor.prepare(header))

    def _learn(self, rows: Rows[pd.DataFrame], header: pd.DataFrame) -> None:
        """Learn from translated private rows, and mark the synthesizer as fitted."""
        if self.preprocessor.derive().derived.names:
            self._fit(rows)
        else:
            self.learn_release(Domain(()), ())
        # SDV gets a table without rows, and only notes the fit.
        super().fit_processed_data({self._table_name: header})

        def sample(num_rows: int) -> pd.DataFrame:
            """Sample rows and reset: the next sample is that of a fresh fit."""
            rows, _ = self._sample_rows(num_rows)
            self.reset_sampling()
            return rows

        self.preprocessor.constraints.learn(sample)

    def _forget(self) -> None:
        self._made_with = get_version()
        self._model: Any = None
        self._fitted = False
