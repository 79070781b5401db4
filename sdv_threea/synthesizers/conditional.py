"""Rows of one table, also by condition: SDV's hooks around the samplers."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sdv.single_table.base import FIXED_RNG_SEED

from sdv_threea.conditions.sampler import ConditionSampler
from sdv_threea.storage.files import write_tables
from sdv_threea.storage.memory import check_rows, tell_shortage
from sdv_threea.synthesizers.arguments import check_limit
from sdv_threea.synthesizers.cautions import tell_rejected
from sdv_threea.synthesizers.sample_arguments import (
    check_conditions,
    check_known_columns,
    check_sampling,
)
from sdv_threea.synthesizers.single_table_adapter import SingleTableAdapter
from sdv_threea.synthesizers.turns import in_turn

#: Sampling stops after this many draws without one row that meets the constraints.
HOPELESS = 1000


class ConditionalAdapter(SingleTableAdapter):
    """SDV's base class for one table, with rows by condition drawn from the release."""

    memory_limit: float | None

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
            max_tries_per_batch: How many tries a batch has: rows that break a constraint or miss a
                condition are drawn again.
            batch_size: Rows drawn at once; ``None`` for all.
            output_folder_path: Folder for a CSV file of the rows, which appears when it is
                complete; ``None`` for no file.

        Returns:
            A dictionary of the rows by the name of the table, in the order of the conditions.

        Raises:
            FileExistsError: If the file exists already.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot have a condition, or no row can meet the conditions.
        """
        check_conditions(conditions)
        how = max_tries_per_batch, batch_size
        check_sampling(*how, output_folder_path, [self._table_name])
        try:
            sampled = self._restore_names(super().sample_from_conditions(conditions, *how))
        except Exception as error:
            raise find_cause(error) from None
        write_tables(sampled, output_folder_path)
        return sampled

    @in_turn
    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Complete the rows of a table by the columns that it lacks. This costs no privacy.

        Args:
            known_columns: The known columns, one row for each row to be sampled.
            max_tries_per_batch: How many tries a batch has: rows that break a constraint or miss a
                condition are drawn again.
            batch_size: Rows drawn at once; ``None`` for all.
            output_folder_path: Folder for a CSV file of the rows, which appears when it is
                complete; ``None`` for no file.

        Returns:
            A dictionary of the rows by the name of the table, in the order of the known ones.

        Raises:
            FileExistsError: If the file exists already.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot be known, or no row can have the known values.
        """
        check_known_columns(known_columns)
        how = max_tries_per_batch, batch_size
        check_sampling(*how, output_folder_path, [self._table_name])
        try:
            sampled = self._restore_names(super().sample_remaining_columns(known_columns, *how))
        except Exception as error:
            raise find_cause(error) from None
        write_tables(sampled, output_folder_path)
        return sampled

    def _make_condition_sampler(self) -> ConditionSampler:
        generate = self._data_processor.reverse_transform
        return ConditionSampler(self._model, self.preprocessor, generate)

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        super()._validate_conditions(conditions)
        self._make_condition_sampler().refuse_impossible(conditions)

    def _validate_known_columns(self, conditions: pd.DataFrame) -> None:
        self._validate_fit_before_sample()
        self._validate_conditions([conditions])

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: None = None,
    ) -> pd.DataFrame:
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)  # as SDV seeds its own first sample
        parts = []
        sampler, how = self._make_condition_sampler(), (max_tries_per_batch, batch_size)
        for rows in sampler.sample(conditions, self._generator, *how):
            parts.append(rows)
            if progress_bar is not None:
                progress_bar.update(len(rows))
        return pd.concat(parts).sort_index(kind='stable') if parts else pd.DataFrame()

    def _sample_with_progress_bar(
        self, num_rows: Any, max_tries_per_batch: int = 100, *others: Any, **more: Any
    ) -> pd.DataFrame:
        if num_rows == 0:  # SDV would return a table without columns
            return self.preprocessor.storage.make_empty()
        how = max_tries_per_batch, *others
        if num_rows is not None:
            check_limit(memory_limit=self.memory_limit)
            check_rows(num_rows, num_rows * len(self.preprocessor.columns), self.memory_limit)
        try:
            rows = super()._sample_with_progress_bar(num_rows, *how, **more)
        except Exception as error:
            # SDV makes an error of the same type, and NumPy's memory error takes other arguments.
            if _is_shortage(error):
                raise tell_shortage(num_rows) from None
            raise find_cause(error) from None
        if num_rows is not None:
            self._tell_rejected(len(rows), num_rows, max_tries_per_batch)
        return rows

    def _tell_rejected(self, found: int, wanted: int, tries: int) -> None:
        tell_rejected(found, wanted, tries, self.preprocessor.constraints.adopted)

    def _sample_in_batches(
        self,
        num_rows: int,
        batch_size: int,
        max_tries_per_batch: int,
        **options: Any,
    ) -> pd.DataFrame:
        # SDV would draw a last batch as large as the others.
        sizes = [min(batch_size, num_rows - start) for start in range(0, num_rows, batch_size)]
        batches = []
        for size in sizes:
            how = {'batch_size': size, 'max_tries': max_tries_per_batch}
            batches.append(self._sample_batch(**how, **options))
            if not any(map(len, batches)) and size * max_tries_per_batch >= HOPELESS:
                break
        return pd.concat(batches, ignore_index=True)

    def _restore_names(self, sampled: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Restore column names that were numbers in the fitted table, which SDV forgets."""
        for table in sampled.values():
            if len(table.columns) == len(self._original_columns):
                table.columns = self._original_columns
        return sampled


def find_cause(error: Exception) -> BaseException:
    """Return the error that stopped a sample: SDV wraps it in one that blames the file."""
    cause = error.__cause__
    return cause if cause is not None and type(cause) is type(error) else error


def _is_shortage(error: BaseException | None) -> bool:
    """Return whether memory ran out, whatever error was raised because of it."""
    if error is None or isinstance(error, MemoryError):
        return error is not None
    return _is_shortage(error.__cause__) or _is_shortage(error.__context__)
