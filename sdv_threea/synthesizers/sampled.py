"""SDV's base class, where it samples other rows than were asked for, or names them otherwise."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_threea.synthesizers.arguments import (
    check_conditions,
    check_counts,
    check_known_columns,
    check_name,
    check_tries,
)


class SampledSynthesizer(BaseSingleTableSynthesizer):
    """The sampling of a synthesizer for one table.

    As SDV's, but: the last batch is as small as it should be, so that a file has the rows that come
    back; no rows have columns; and columns named by numbers keep their names under conditions.

    A subclass knows how its columns are stored (``_dtypes``).
    """

    _dtypes: dict[str, Any]

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample rows: free of privacy cost, however many.

        Args:
            num_rows: How many.
            main_table_name: The name of the table, which is the only one.
            max_tries_per_batch: How often to draw again for what is met by rejection.
            batch_size: Rows that are drawn at once; all, if ``None``.
            output_folder_path: Folder for a file of the rows, or ``None``.

        Returns:
            The name of the table, and the rows.

        Raises:
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a number is not a whole one, or there is no such table.
        """
        if num_rows is not None:  # SDV asks for it
            check_counts(0, num_rows=num_rows)
        if main_table_name is not None:
            check_name(main_table_name=main_table_name)
        check_tries(max_tries_per_batch, batch_size)
        sampled: dict[str, pd.DataFrame] = super().sample(
            num_rows, main_table_name, max_tries_per_batch, batch_size, output_folder_path
        )
        return sampled

    def sample_from_conditions(
        self,
        conditions: list[Any],
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample rows that meet conditions.

        Args:
            conditions: SDV's ``Condition`` and ``DataFrameCondition`` objects.
            max_tries_per_batch: How often to draw again for what is met by rejection.
            batch_size: Rows that are drawn at once; all, if ``None``.
            output_folder_path: Folder for a file of the rows, or ``None``.

        Returns:
            The name of the table, and the rows, in the order of the conditions.

        Raises:
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot be asked for, or no row can meet the conditions.
        """
        check_conditions(conditions)
        check_tries(max_tries_per_batch, batch_size)
        return self._restore_names(
            super().sample_from_conditions(
                conditions, max_tries_per_batch, batch_size, output_folder_path
            )
        )

    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample the columns that are missing in a table.

        Args:
            known_columns: What is known, a row for each row to be sampled.
            max_tries_per_batch: How often to draw again for what is met by rejection.
            batch_size: Rows that are drawn at once; all, if ``None``.
            output_folder_path: Folder for a file of the rows, or ``None``.

        Returns:
            The name of the table, and the rows, in the order of those known.

        Raises:
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a column cannot be known, or no row can have what is known.
        """
        check_known_columns(known_columns)
        check_tries(max_tries_per_batch, batch_size)
        return self._restore_names(
            super().sample_remaining_columns(
                known_columns, max_tries_per_batch, batch_size, output_folder_path
            )
        )

    def _restore_names(self, sampled: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Name columns as the fitted table did, where that was by numbers."""
        for table in sampled.values():
            if len(table.columns) == len(self._original_columns):
                table.columns = self._original_columns
        return sampled

    def _sample_with_progress_bar(
        self, num_rows: Any, *others: Any, **options: Any
    ) -> pd.DataFrame:
        if num_rows == 0:
            return self._sample_nothing()
        return super()._sample_with_progress_bar(num_rows, *others, **options)

    def _sample_nothing(self) -> pd.DataFrame:
        """Make a table without rows: SDV leaves out columns that it has nothing to generate for."""
        return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in self._dtypes.items()})

    def _sample_in_batches(
        self, num_rows: int, batch_size: int, max_tries_per_batch: int, **options: Any
    ) -> pd.DataFrame:
        sizes = [min(batch_size, num_rows - start) for start in range(0, num_rows, batch_size)]
        batches = [
            self._sample_batch(batch_size=size, max_tries=max_tries_per_batch, **options)
            for size in sizes
        ]
        return pd.concat(batches, ignore_index=True)
