"""The synthesizer that users meet: SDV's interface, and behind it one private release."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sdv.errors import NotFittedError
from sdv.metadata import Metadata
from sdv.single_table.base import FIXED_RNG_SEED

from sdv_threea.accounting import Ledger
from sdv_threea.conditions.sampler import ConditionSampler
from sdv_threea.domain import Domain
from sdv_threea.privacy.rows import Rows
from sdv_threea.settings import Settings
from sdv_threea.storage.files import append_csv
from sdv_threea.storage.parquet import write_folder
from sdv_threea.synthesizers.arguments import (
    check_conditions,
    check_counts,
    check_flag,
    check_known_columns,
    check_name,
    check_target,
    check_tries,
    make_settings,
)
from sdv_threea.synthesizers.cautions import warn_of_promise
from sdv_threea.synthesizers.disclosing import Disclosing
from sdv_threea.synthesizers.fixed import Fixed
from sdv_threea.synthesizers.progress import show_stages
from sdv_threea.synthesizers.single_table_adapter import SingleTableAdapter
from sdv_threea.synthesizers.statement import PrivacyStatement, list_public_facts

if TYPE_CHECKING:
    from sdv_threea.release import Release


def release(
    rows: Rows[pd.DataFrame], domain: Domain, settings: Settings, begin: Callable[[str], None]
) -> Release:
    """Call :func:`sdv_threea.pipeline.release`.

    The pipeline is loaded at the first fit: everybody who imports SDV loads this module.
    """
    from sdv_threea import pipeline

    return pipeline.release(rows, domain, settings, begin)


class ClustMixSynthesizer(Fixed, Disclosing, SingleTableAdapter):
    """Synthesizer with a differential privacy guarantee, tuned to models trained on its output.

    The 3A framework: approximate, adapt, anonymize (Madl et al. 2023, arXiv 2307.01875). It is used
    like any synthesizer of SDV. Every fit is one private release, and sampling is free.

    Formal guarantees:
        * a fitted synthesizer, and what it samples, is a function of public facts (metadata,
          settings, dtypes, SDV's dates and identifiers) and of the release
        * the dtypes of the table are public; as pandas stores integers as floats, and booleans as
          objects, when one is missing, convert such columns to ``Int64`` and ``boolean`` before
          fitting if it must not be known that a value is missing

    Args:
        metadata: Metadata of the one table.
        enforce_min_max_values: Whether sampled numbers stay within the private table's range. A
            stated range is kept. Where ends have to be estimated, they lie where values reach as
            far as noise can tell. Otherwise they go on to where the tails would end: closer to the
            real ends, which helps scores that compare ranges, and more often beyond them.
        enforce_rounding: Whether SDV rounds sampled numbers to the released granularity, of which
            they are multiples anyway.
        locales: Locales of the generators of personal information.
        epsilon: The privacy promise: the smaller, the more private; ``math.inf`` for none.
        delta: The privacy promise: choose it well below one over the number of rows.
        target_column: The column that models will be trained to predict, if it is known.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately, because metadata
            that SDV detects from a table holds those of the private rows.
        guarantee: ``'end_to_end'``, or ``'paper'`` for the accounting of the paper, which leaves
            reads of the private rows uncharged.
        neighbors: ``'add_remove'`` or ``'replace_one'``: how neighbouring tables differ by one row.
        n_components: Number of components of the mixture, or ``'auto'``, which without a target
            lets pairs of columns take the place of the mixture where the budget carries them.
        alpha: Weight of the density against the prediction, in [0, 1]. With 1, the values of a
            categorical target are as uncertain as in the private rows; with less they are surer
            where little can be predicted, and a model learns more from as many rows, but its
            probabilities are too sure as well.
        kernel: Kernel of the adapt step (a ``neural_tangents.stax`` kernel function); ``None`` for
            the neural tangent kernel of a ReLU network.
        verbose: Whether to show the stages of a fit as they pass.
        invalid_cells: What becomes of cells that break what is stated of them (their type, range,
            values, that none is missing) and of rows that break a constraint. ``'raise'``: the fit
            is refused, as SDV does, which tells that there are some. ``'coerce'``: numbers and
            dates become the nearest stated bound, anything else is missing, record by record, and
            no message depends on them.
        unreleased: What samples show in the place of values too rare to be released, of which the
            share of the rows is known: ``'missing'``, ``'spread'`` for released values, or a value
            such as ``'Other'``; or a dictionary of these by column. Not of the target.

    Raises:
        SynthesizerInputError: If a setting is out of range, or the target cannot be predicted.
    """

    def __init__(
        self,
        metadata: Metadata,
        enforce_min_max_values: bool = True,
        enforce_rounding: bool = True,
        locales: list[str] | str = ['en_US'],
        epsilon: float = 1.0,
        delta: float = 1e-6,
        target_column: str | None = None,
        public_metadata: bool = False,
        guarantee: str = 'end_to_end',
        neighbors: str = 'add_remove',
        n_components: int | str = 'auto',
        alpha: float = 0.5,
        kernel: Callable[..., Any] | None = None,
        verbose: bool = False,
        invalid_cells: str = 'raise',
        unreleased: Any = 'missing',
    ) -> None:
        facts = target_column, public_metadata, invalid_cells, unreleased
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales, *facts)
        check_flag(verbose=verbose)
        check_target(target_column, self.preprocessor.columns)
        self._settings = make_settings(
            epsilon=epsilon,
            delta=delta,
            guarantee=guarantee,
            neighbors=neighbors,
            n_components=n_components,
            alpha=alpha,
            kernel=kernel,
            extrapolate=not enforce_min_max_values,
        )
        self._num_releases = 0
        # SDV reads arguments back from attributes of the same names.
        self.epsilon, self.delta = self._settings.epsilon, self._settings.delta
        self.guarantee, self.neighbors = guarantee, neighbors
        self.n_components, self.alpha = n_components, self._settings.alpha
        self.kernel, self.verbose = kernel, verbose
        self._fix()

    @property
    def settings(self) -> Settings:
        """What is asked of the release: fixed when the synthesizer was made."""
        return self._settings

    def get_privacy_statement(self) -> PrivacyStatement:
        """Return what the last fit promises, and what each of its releases cost.

        Of a synthesizer that was fitted several times, it says what its fits cost together if they
        were all of the same rows: ``k`` fits of ``mu``-GDP are ``sqrt(k) mu``-GDP. It knows of the
        fits of this synthesizer and of what it was copied or loaded from, and of no other.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        if not self._fitted:
            raise NotFittedError(
                'This synthesizer has not been fitted. Please fit your synthesizer first before '
                'asking for its privacy statement.'
            )
        settings, ledger = self._settings, self._model.ledger if self._model else Ledger()
        return PrivacyStatement(
            epsilon=settings.epsilon,
            delta=settings.delta,
            neighbors=settings.neighbors,
            guarantee='none' if math.isinf(settings.epsilon) else settings.guarantee,
            mu=ledger.mu,
            receipts=ledger.receipts,
            public=list_public_facts(
                public_metadata=self.public_metadata,
                constrained=bool(self.preprocessor.constraints.adopted),
                coerced=self.preprocessor.coerce,
            ),
            fits=self._num_releases,
            lost=self._say_losses(),
        )

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
        how = max_tries_per_batch, batch_size, output_folder_path
        return self._restore_names(super().sample_from_conditions(conditions, *how))

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
        how = max_tries_per_batch, batch_size, output_folder_path
        return self._restore_names(super().sample_remaining_columns(known_columns, *how))

    def sample_to_parquet(
        self,
        num_rows: int,
        folder: str | os.PathLike[str],
        rows_per_file: int = 1_000_000,
        max_tries_per_batch: int = 100,
        show_progress: bool = True,
    ) -> list[Path]:
        """Sample rows into a folder of Parquet files: free of privacy cost, however many.

        The rows are those of ``sample(num_rows, batch_size=rows_per_file)``, and no more of them
        than one file has are in memory at a time. ``pandas.read_parquet`` and
        ``dask.dataframe.read_parquet`` read the folder as one table: all files have the same
        schema. Objects are stored as what they are (``Int64``, ``boolean``, texts), and columns
        named by numbers are named by texts.

        Args:
            num_rows: How many.
            folder: The folder, which is made; it may exist if it is empty. It appears when all
                files are written: after an error or an interrupt there is none.
            rows_per_file: The most rows of a file.
            max_tries_per_batch: How often to draw again for what is met by rejection.
            show_progress: Whether to show how many rows there are already.

        Returns:
            The files, in order: ``part-00000.parquet`` and so on; one without rows, if there are
            none.

        Raises:
            FileExistsError: If there is a file, or a folder that is not empty.
            ImportError: If PyArrow is not installed.
            OSError: If the files cannot be written.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a number is not a whole one, or a column has values of several types.
        """
        check_counts(0, num_rows=num_rows)
        check_counts(rows_per_file=rows_per_file, max_tries_per_batch=max_tries_per_batch)
        check_flag(show_progress=show_progress)
        self._validate_fit_before_sample()
        self._check_input_metadata_updated()

        def sample(size: int) -> pd.DataFrame:
            if not size:
                return self.preprocessor.storage.make_empty()
            return self._sample_batch(batch_size=size, max_tries=max_tries_per_batch)

        domain = self._model.domain if self._model else None
        storage = self.preprocessor.describe_storage(domain)
        where = folder, rows_per_file
        return write_folder(sample, num_rows, *where, storage, show_progress=show_progress)

    def _fit(self, rows: Rows[pd.DataFrame]) -> None:
        """Release private rows that were translated."""
        domain = self.preprocessor.derive().derived
        self._num_releases += 1  # even if it fails: see fit
        with show_stages(shown=self.verbose) as begin:
            released = release(rows, domain, self._settings, begin)
        self.learn_release(released.domain, released.transformers)
        warn_of_promise(self._settings, released.num_rows, self._num_releases)
        self._model = released
        self._warn_of_losses(domain, self._settings)

    def _set_random_state(self, random_state: int) -> None:
        self._generator = np.random.default_rng(random_state)
        self._random_state_set = True

    def _sample(self, num_rows: int, conditions: None = None) -> pd.DataFrame:
        sampled = self._model.sample(num_rows, self._generator)
        return self.preprocessor.restore(sampled, self._model.domain)

    def _sample_with_progress_bar(self, num_rows: Any, *others: Any, **more: Any) -> pd.DataFrame:
        if num_rows == 0:  # SDV would return a table without columns
            return self.preprocessor.storage.make_empty()
        return super()._sample_with_progress_bar(num_rows, *others, **more)

    def _sample_in_batches(
        self, num_rows: int, batch_size: int, max_tries_per_batch: int, **options: Any
    ) -> pd.DataFrame:
        # SDV's last batch is as large as the others, and files have all of its rows.
        sizes = [min(batch_size, num_rows - start) for start in range(0, num_rows, batch_size)]
        batches = [
            self._sample_batch(batch_size=size, max_tries=max_tries_per_batch, **options)
            for size in sizes
        ]
        return pd.concat(batches, ignore_index=True)

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
        output_file_path: str | None = None,
    ) -> pd.DataFrame:
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)  # as SDV seeds its own first sample
        parts = []
        sampler, how = self._make_condition_sampler(), (max_tries_per_batch, batch_size)
        for rows in sampler.sample(conditions, self._generator, *how):
            parts.append(rows)
            if output_file_path:
                append_csv(rows, output_file_path)
            if progress_bar is not None:
                progress_bar.update(len(rows))
        return pd.concat(parts).sort_index(kind='stable') if parts else pd.DataFrame()

    def _restore_names(self, sampled: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Name columns as the fitted table did, where that was by numbers: SDV forgets to."""
        for table in sampled.values():
            if len(table.columns) == len(self._original_columns):
                table.columns = self._original_columns
        return sampled
