"""SDV's base class for one table, without access to private rows.

SDV would learn dtypes, formats, seeds, ranges and constraints from the rows, log the number of
rows, and show values in messages. So SDV gets a proxy table instead. The methods here translate for
objects that know nothing of SDV's base class, mainly the
:class:`~sdv_threea.transforms.preprocessor.Preprocessor`.
"""

import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from sdv.cag._utils import _validate_constraints_single_table
from sdv.errors import RefitWarning
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_threea.domain import MISSING
from sdv_threea.settings import Settings
from sdv_threea.storage.metadata import keep_public, list_harmless
from sdv_threea.storage.processing import make_processor, pass_by, prepare_processor
from sdv_threea.synthesizers import arguments, private_names  # noqa: F401
from sdv_threea.synthesizers.arguments import (
    check_conditions,
    check_counts,
    check_known_columns,
    check_sampling,
)
from sdv_threea.synthesizers.released import Released
from sdv_threea.synthesizers.sampling import hand_over, open_sampler
from sdv_threea.synthesizers.turns import forget, in_turn
from sdv_threea.transforms.preprocessor import Preprocessor
from sdv_threea.warning import warn


class _UsersMetadata:
    """Holder of the user's own metadata object, which SDV asks for changes; it is never saved."""

    __slots__ = ('metadata',)

    def __init__(self, metadata: Metadata | None = None) -> None:
        self.metadata = metadata

    @property
    def _updated(self) -> bool:
        known = self.metadata is not None and self.metadata._convert_to_single_table()
        return bool(known and known._updated)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()


class SingleTableAdapter(Released, BaseSingleTableSynthesizer):
    """SDV's base class for one table, which learns from a proxy table and not from private rows.

    Rows enter through ``validate`` and ``auto_assign_transformers``, and through ``fit``,
    ``preprocess`` and ``fit_processed_data`` of a subclass. A
    :class:`~sdv_threea.synthesizers.sampling.TableSampler` draws samples.

    Formal guarantees:
        * what it keeps of the private table is a function of the dtypes and of the metadata
          (without ranges, values, decimals and nullability unless they are public)
        * constraints are not fitted on private rows: see
          :class:`~sdv_threea.constraints.constraint_set.ConstraintSet`
        * an error about the private table names columns and rules, and shows no value; the event
          log has no row counts
        * if fitting fails, the synthesizer is not fitted
    """

    _settings: Settings
    memory_limit: float | None

    #: The state before a fit.
    UNFITTED: ClassVar[Mapping[str, Any]] = {'_model': None, '_fitted': False}

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
        pseudonyms: object = None,
    ) -> None:
        arguments.check_metadata(metadata)
        arguments.check_flag(public_metadata=public_metadata)
        arguments.check_invalid_cells(invalid_cells)
        arguments.check_locales(locales)
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales)
        forget(self)
        self._input_metadata = _UsersMetadata(metadata)
        self.target_column = target_column
        self.public_metadata = public_metadata
        self.invalid_cells, self.unreleased = invalid_cells, unreleased
        self.sentinels, self.pseudonyms = sentinels, pseudonyms
        self._harmless = list_harmless(metadata)[self._table_name]
        # SDV keeps all metadata, which may hold values of private rows.
        self.metadata = self._original_metadata = keep_public(
            metadata, public_metadata=public_metadata
        )
        # A copy: later changes of that attribute do not change the release.
        self.preprocessor = Preprocessor(
            deepcopy(self.metadata),
            target=target_column,
            coerce=invalid_cells == arguments.COERCE,
            unreleased=arguments.read_unreleased(unreleased, self.metadata),
            sentinels=arguments.read_sentinels(sentinels, self.metadata),
            pseudonyms=arguments.read_pseudonyms(pseudonyms, self.metadata),
        )
        # SDV only reads this list. It would run constraints of its other list, the chained ones, on
        # private rows.
        self._reject_sampling_constraints = self.preprocessor.constraints.adopted
        self._data_processor = make_processor(self.metadata, enforce_min_max_values, locales)

    def validate(self, data: dict[str, pd.DataFrame]) -> None:
        """Check the private table, with the errors of :meth:`fit`; no error shows a value.

        Args:
            data: A dictionary of the private table by name.
        """
        self.preprocessor.check(self.preprocessor.take(data))

    @in_turn
    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints, which hold in samples after the next fit.

        The constraints are copied; ``get_constraints`` returns the copies.
        :mod:`sdv_threea.constraints.constraint_set` explains how each kind is met.

        Args:
            constraints: SDV's constraints, or programmed ones. They are public.

        Raises:
            ConstraintNotMetError: If the metadata does not fit a constraint.
            SynthesizerInputError: If a constraint is not for one table, or cannot be met.
        """
        arguments.check_constraints(constraints)
        checked = _validate_constraints_single_table(constraints, self._fitted)
        self.preprocessor.add_constraints(checked)
        # SDV's processor was made for the columns without these constraints.
        self._data_processor = make_processor(
            self.metadata, self.enforce_min_max_values, self.locales
        )

    def get_metadata(self, version: str = 'original') -> Metadata:
        """Return a copy of the public metadata.

        Args:
            version: ``'original'``; or ``'modified'`` for the columns that ``preprocess`` returns,
                some of which constraints derive.

        Raises:
            ValueError: If there is no such version.
        """
        arguments.check_name(version=version)
        metadata = super().get_metadata(version)
        return self.preprocessor.modify(metadata) if version == 'modified' else metadata

    def get_transformers(self, table_name: str | None = None) -> dict[str, Any]:
        """Return RDT's transformers by column, which may be published.

        Transformers of modelled columns hold public facts before a fit and released facts after it;
        sampling uses them. The other transformers make columns up.

        Args:
            table_name: Name of the only table; may be left out.

        Returns:
            Transformers by column, in the order of the metadata; then those of the columns that
            constraints derive from others.

        Raises:
            ValueError: If no transformers are assigned yet, or there is no such table.
        """
        return self.preprocessor.complete_transformers(super().get_transformers(table_name))

    @in_turn
    def update_transformers(
        self, column_name_to_transformer: Mapping[str, Any], table_name: str | None = None
    ) -> None:
        """Choose RDT's transformers of columns.

        For a made-up column, choose a generator. For a modelled column, choose a transformer that
        acts record by record; it runs before the column is encoded, and is fitted to public facts.
        :mod:`sdv_threea.transforms.allowed` lists these transformers, and why others are refused.

        Args:
            column_name_to_transformer: Transformers by column, not fitted; ``None`` for none.
            table_name: Name of the only table; may be left out.

        Raises:
            SynthesizerInputError: If a transformer would learn from private rows or is not
                available, or there is no such column.
            NotFittedError: If no transformers are assigned yet.
        """
        arguments.check_transformers(column_name_to_transformer)
        if table_name is not None:
            self._validate_table_name(table_name)
        self._validate_transformers(column_name_to_transformer)
        self.preprocessor.check_transformers(column_name_to_transformer)
        self._warn_quality_and_performance(column_name_to_transformer)
        self._data_processor.update_transformers(column_name_to_transformer)
        if self._fitted:
            warn('For the transformers to take effect, please refit the synthesizer.', RefitWarning)
        pass_by(self._data_processor, self.preprocessor.describe().names)
        self.preprocessor.choose_transformers(column_name_to_transformer)

    @in_turn
    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample any number of rows. This costs no privacy.

        Args:
            num_rows: Number of rows.
            main_table_name: Name of the only table; may be left out.
            max_tries_per_batch: The largest number of draws of a batch; rows that break constraints
                are redrawn.
            batch_size: Rows drawn at once; ``None`` for all.
            output_folder_path: Folder for a CSV file, complete or absent; ``None`` for no file.

        Returns:
            A dictionary of the rows by the name of the table.

        Raises:
            FileExistsError: If the file exists already.
            MemoryError: If the rows exceed the memory limit.
            SamplingError: If the synthesizer is not fitted, or no row meets the constraints.
            ValueError: If a number is not a whole number, or there is no such table.
        """
        if num_rows is None:
            raise ValueError('num_rows must be the number of rows to sample, got None.')
        check_counts(0, num_rows=num_rows)
        if main_table_name is not None:
            arguments.check_name(main_table_name=main_table_name)
            self._validate_table_name(main_table_name)
        check_sampling(max_tries_per_batch, batch_size, output_folder_path, [self._table_name])
        arguments.check_limit(memory_limit=self.memory_limit)
        self._validate_fit_before_sample()
        self._check_input_metadata_updated()
        rows = open_sampler(self).sample(
            num_rows, max_tries_per_batch, batch_size, self.memory_limit
        )
        return hand_over(self, rows, output_folder_path)

    @in_turn
    def sample_from_conditions(
        self,
        conditions: list[Any],
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample rows that meet conditions. This costs no privacy.

        Args:
            conditions: SDV's ``Condition`` and ``DataFrameCondition`` objects.
            max_tries_per_batch: As in :meth:`sample`; rows that miss a condition are drawn again.
            batch_size: As in :meth:`sample`.
            output_folder_path: As in :meth:`sample`.

        Returns:
            A dictionary of the rows by the name of the table, in the order of the conditions.

        Raises:
            FileExistsError: If the file exists already.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot have a condition, or no row can meet the conditions.
        """
        check_conditions(conditions)
        check_sampling(max_tries_per_batch, batch_size, output_folder_path, [self._table_name])
        self._validate_fit_before_sample()
        asked = self._make_condition_dfs(conditions)
        self._validate_conditions(asked)
        found = open_sampler(self).meet(
            asked, max_tries_per_batch, batch_size, 'Sampling conditions'
        )
        rows = pd.concat(found, ignore_index=True) if found else pd.DataFrame()
        return hand_over(self, rows, output_folder_path)

    @in_turn
    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample the missing columns of a table with known columns. This costs no privacy.

        Args:
            known_columns: The known columns, one row for each row to be sampled.
            max_tries_per_batch: As in :meth:`sample_from_conditions`.
            batch_size: As in :meth:`sample`.
            output_folder_path: As in :meth:`sample`.

        Returns:
            A dictionary of the complete rows by the name of the table, in the given order.

        Raises:
            FileExistsError: If the file exists already.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot be known, or no row can have the known values.
        """
        check_known_columns(known_columns)
        check_sampling(max_tries_per_batch, batch_size, output_folder_path, [self._table_name])
        self._validate_fit_before_sample()
        self._validate_conditions([known_columns])
        (rows,) = open_sampler(self).meet(
            [known_columns], max_tries_per_batch, batch_size, 'Sampling remaining columns'
        )
        return hand_over(self, rows, output_folder_path)

    @in_turn
    def sample_to_parquet(
        self,
        num_rows: int,
        folder: str | os.PathLike[str],
        rows_per_file: int = 1_000_000,
        max_tries_per_batch: int = 100,
        show_progress: bool = True,
    ) -> list[Path]:
        """Sample rows into a folder of Parquet files, holding one file's rows in memory at a time.

        The rows are those of ``sample(num_rows, batch_size=rows_per_file)``. All files have the
        same schema, so the folder can be read as one table. Columns of objects get the type of
        their values; column names that are numbers become texts.

        Args:
            num_rows: Number of rows.
            folder: The folder, new or empty. The folder appears when all files are complete.
            rows_per_file: The largest number of rows of a file.
            max_tries_per_batch: As in :meth:`sample`.
            show_progress: Whether to show how many rows are written.

        Returns:
            The files in order, from ``part-00000.parquet``; for no rows, one file without rows.

        Raises:
            FileExistsError: If there is a file, or a folder that is not empty.
            ImportError: If PyArrow is not installed.
            OSError: If the files cannot be written, or the disk has no room for them.
            SamplingError: If the synthesizer is not fitted, or no row meets the constraints.
            ValueError: If a number is not a whole number, or a column has values of several types.
        """
        check_counts(0, num_rows=num_rows)
        check_counts(rows_per_file=rows_per_file, max_tries_per_batch=max_tries_per_batch)
        arguments.check_flag(show_progress=show_progress)
        self._validate_fit_before_sample()
        self._check_input_metadata_updated()
        return open_sampler(self).write(
            num_rows, folder, rows_per_file, max_tries_per_batch, show_progress=show_progress
        )

    def _validate_transform_constraints(
        self, table_data: pd.DataFrame, enforce_constraint_fitting: bool = False
    ) -> pd.DataFrame:
        # SDV would fit constraints on the rows here.
        return table_data

    def _auto_assign_transformers(self, data: dict[str, pd.DataFrame]) -> None:
        header = self.preprocessor.take(data).header
        prepare_processor(self._data_processor, self.preprocessor.prepare(header))

    # Multi-table synthesizers of other packages call these two methods.
    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        prepare_processor(self._data_processor, self.preprocessor.prepare(table_data))
        return self.preprocessor.translate(table_data)

    def _sample_batch(self, batch_size: int, max_tries: int = 100, **_: Any) -> pd.DataFrame:
        return open_sampler(self).fill(batch_size, max_tries)
