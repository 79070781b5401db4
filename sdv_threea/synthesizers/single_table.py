"""The synthesizer of one table: SDV's interface around one private release."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sdv.errors import NotFittedError
from sdv.metadata import Metadata

from sdv_threea.accounting import Ledger
from sdv_threea.domain import Domain
from sdv_threea.privacy.rows import Rows
from sdv_threea.settings import Settings
from sdv_threea.storage.files import write_tables
from sdv_threea.storage.memory import check_fit
from sdv_threea.storage.parquet import write_folder
from sdv_threea.synthesizers.arguments import (
    check_flag,
    check_kernel,
    check_limit,
    check_name,
    check_target,
    choose_word,
    make_settings,
    read_accepted,
    read_path,
)
from sdv_threea.synthesizers.conditional import HOPELESS, ConditionalAdapter
from sdv_threea.synthesizers.disclosing import Disclosing
from sdv_threea.synthesizers.fixed import Fixed
from sdv_threea.synthesizers.progress import show_stages
from sdv_threea.synthesizers.released import Released, make_header
from sdv_threea.synthesizers.sample_arguments import check_counts, check_sampling
from sdv_threea.synthesizers.statement import PrivacyStatement, list_public_facts
from sdv_threea.synthesizers.turns import in_turn

if TYPE_CHECKING:
    from sdv_threea.release import Release


def release(
    rows: Rows[pd.DataFrame],
    domain: Domain,
    settings: Settings,
    begin: Callable[[str], None],
    sized: Callable[[float], None],
) -> Release:
    """Call :func:`sdv_threea.pipeline.release`, imported late to keep the import of SDV light."""
    from sdv_threea import pipeline

    return pipeline.release(rows, domain, settings, begin, sized)


#: From this ``alpha`` on, samples make a target at most a tenth easier to predict.
CALIBRATED = 0.99


class ClustMixSynthesizer(Fixed, Disclosing, Released, ConditionalAdapter):
    """Synthesizer of one table with differential privacy, tuned to models trained on its rows.

    It implements the 3A framework: approximate, adapt, anonymize (Madl et al. 2023, arXiv
    2307.01875), and is used like any synthesizer of SDV. Each fit is one private release. Sampling
    costs no privacy.

    Formal guarantees:
        * a fitted synthesizer and its samples are a function of public facts (metadata, settings,
          dtypes, SDV's dates and identifiers) and of the release
        * the dtypes of the table are public; pandas stores integers as floats, and booleans as
          objects, when one is missing, so convert such columns to ``Int64`` and ``boolean`` before
          fitting if it must not be known that a value is missing

    Args:
        metadata: SDV's metadata of the one table.
        enforce_min_max_values: Whether sampled numbers stay within the private table's range, whose
            ends are estimated as far as noise allows. ``False`` extends estimated ranges to where
            the tails of a column would end: closer to the real ends, which helps scores that
            compare ranges, but more often beyond them. Stated ranges are kept either way.
        enforce_rounding: Whether SDV rounds sampled numbers to the released granularity. They are
            multiples of it anyway.
        locales: Locales of made-up personal information.
        epsilon: The privacy budget, from 1e-4 to 1e9: the smaller, the more private. Choose it; 1
            is a default because synthesizers of SDV are made from metadata alone. ``math.inf`` adds
            no noise and promises nothing.
        delta: The probability with which the promise may fail, from 1e-50 to below 0.01. Choose it
            well below one over the number of rows.
        target_column: The column that models will be trained to predict. If none is named, the
            synthesizer may choose one: the only category among numbers, the last category if rows
            are few, or else the last column, for a small part of the budget. With ``alpha=1`` it
            does not choose the last column.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately, because metadata that SDV
            detects from a table holds facts of its private rows.
        guarantee: ``'end_to_end'``, or ``'paper'`` for the accounting of the 3A paper, which leaves
            reads of the private rows uncharged.
        neighbors: How neighbouring tables differ by one row: ``'add_remove'`` or ``'replace_one'``.
        n_components: Components of the mixture in each class, up to 1,000. ``'auto'`` lets the
            budget decide, and counts pairs of columns in place of the mixture where the budget
            allows.
        alpha: Weight of the density against the prediction of the target, in [0, 1]. With 1 the
            target is drawn from the density; below 1 it is fitted to the loss of a model. Just
            below 1 the target is as uncertain as in the private rows. Smaller values make it surer
            where it is hard to predict: a model learns more from as many rows, but its
            probabilities are too sure.
        kernel: Kernel whose features let the target depend on several columns together: a kernel
            function of ``neural_tangents.stax``, or ``(a, m), (b, m) -> (a, b)`` in JAX; ``None``
            for the neural tangent kernel of a ReLU network.
        verbose: Whether a fit shows its stages.
        invalid_cells: How a fit treats cells that contradict the metadata (type, range, values,
            nullability) and rows that break a constraint. ``'raise'`` refuses the fit, as SDV does,
            which reveals that there are some. ``'coerce'`` replaces cells, record by record:
            numbers and dates by the nearest stated bound, anything else by a missing value. No
            message depends on them then.
        unreleased: Replacement of values that are too rare to be released; the share of their rows
            is known. ``'missing'`` (the default) shows a missing cell, but a released value in
            columns stated to have no missing cells. ``'spread'`` shows released values. Any other
            value, such as ``'Other'``, is shown as it is. A dictionary sets these by column. The
            target has no replacement.
        memory_limit: Gigabytes that a fit, or rows that are sampled at once, may take; by default
            the memory of the machine. A larger need, estimated from public facts, is refused before
            a row is read. It may be set at any time.
        accept: The reasons to stop a fit that are accepted (:meth:`check`): ``'verbatim'`` (free
            text and personal information released word for word), ``'unit'`` (persons with several
            rows), ``'made_up'`` (no column is learned), ``'ranges'`` (constraints contradict
            ranges), ``'noise'`` (hardly a value can be found). One word or several.
        ledger: The file of the data set's :class:`~sdv_threea.BudgetLedger`: a fit adds its budget
            before it spends, and is refused beyond the limit of the file. ``None`` for no file.
        mixing: ``'clusters'`` for the algorithm of the 3A paper, which mixes the records of
            clusters; ``'random'`` to mix at random, for comparison (``docs/paper.md``).
        target: Another word for ``target_column``.
        sentinels: A public list of numbers and dates that stand for something else, as 999 does for
            an unknown age; or such lists by column. They are values of their own, outside ranges.

    Raises:
        SynthesizerInputError: If an argument is out of range, or the target cannot be predicted.
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
        memory_limit: float | None = None,
        accept: Collection[str] | str = (),
        ledger: str | os.PathLike[str] | None = None,
        mixing: str | None = None,
        target: str | None = None,
        sentinels: Any = None,
    ) -> None:
        target_column = choose_word(target_column, target)
        facts = target_column, public_metadata, invalid_cells, unreleased, sentinels
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales, *facts)
        check_flag(verbose=verbose)
        check_limit(memory_limit=memory_limit)
        check_target(target_column, self.preprocessor.columns)
        self._settings = make_settings(
            epsilon=epsilon,
            delta=delta,
            guarantee=guarantee,
            neighbors=neighbors,
            n_components=n_components,
            alpha=alpha,
            kernel=kernel,
            mixing=mixing,
            extrapolate=not enforce_min_max_values,
        )
        self._num_releases = 0
        # SDV reads arguments back from attributes of the same names.
        self.epsilon, self.delta = self._settings.epsilon, self._settings.delta
        self.guarantee, self.neighbors = guarantee, neighbors
        self.n_components, self.alpha = n_components, self._settings.alpha
        self.kernel, self.verbose, self.memory_limit = kernel, verbose, memory_limit
        self.accept, self.ledger = read_accepted(accept), read_path(ledger=ledger)
        self.kernel, self.mixing = kernel, mixing
        self.verbose, self.memory_limit = verbose, memory_limit
        self._fix()

    @property
    def settings(self) -> Settings:
        """The settings of the release, fixed at construction."""
        return self._settings

    def get_privacy_statement(self) -> PrivacyStatement:
        """Return the promise of the last fit, and the cost of each of its releases.

        After several fits, of this synthesizer or of one that it was copied or loaded from, the
        statement also tells their joint cost, in case all were of the same rows. Earlier fits count
        at their whole budget.

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
            num_units=self._model.num_rows if self._model else 0.0,
            recorded=self._recorded,
            sharpened=self._model.sharpened if self._model and self.alpha < CALIBRATED else (),
        )

    @in_turn
    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> dict[str, pd.DataFrame]:
        """Sample rows, as many as wanted: sampling costs no privacy.

        Args:
            num_rows: Number of rows.
            main_table_name: Name of the table, which is the only one.
            max_tries_per_batch: How many tries a batch has: rows that break a constraint are drawn
                again.
            batch_size: Rows drawn at once; ``None`` for all.
            output_folder_path: Folder for a CSV file of the rows, which appears when it is
                complete; ``None`` for no file.

        Returns:
            A dictionary of the rows by the name of the table.

        Raises:
            FileExistsError: If the file exists already.
            MemoryError: If the rows exceed the memory limit.
            SamplingError: If the synthesizer is not fitted, or no row meets the constraints.
            ValueError: If a number is not a whole number, or there is no such table.
        """
        if num_rows is not None:  # SDV asks for it
            check_counts(0, num_rows=num_rows)
        if main_table_name is not None:
            check_name(main_table_name=main_table_name)
        how = max_tries_per_batch, batch_size
        check_sampling(*how, output_folder_path, [self._table_name])
        sampled: dict[str, pd.DataFrame] = super().sample(num_rows, main_table_name, *how)
        write_tables(sampled, output_folder_path)
        return sampled

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
        same schema, so ``pandas.read_parquet`` and ``dask.dataframe.read_parquet`` read the folder
        as one table. Columns of objects get the type of their values (``Int64``, ``boolean``,
        texts); column names that are numbers become texts.

        Args:
            num_rows: Number of rows.
            folder: The folder, new or empty. It appears when all files are complete; after an error
                or an interrupt there is none.
            rows_per_file: The most rows of a file.
            max_tries_per_batch: How many tries a batch has: rows that break a constraint are drawn
                again.
            show_progress: Whether to show how many rows are written.

        Returns:
            The files in order, ``part-00000.parquet`` and so on; one without rows for no rows.

        Raises:
            FileExistsError: If there is a file, or a folder that is not empty.
            ImportError: If PyArrow is not installed.
            OSError: If the files cannot be written, or the disk has no room for them.
            SamplingError: If the synthesizer is not fitted, or no row meets the constraints.
            ValueError: If a number is not a whole number, or a column has values of several types.
        """
        check_counts(0, num_rows=num_rows)
        check_counts(rows_per_file=rows_per_file, max_tries_per_batch=max_tries_per_batch)
        check_flag(show_progress=show_progress)
        self._validate_fit_before_sample()
        self._check_input_metadata_updated()

        drawn = found = 0

        def sample(size: int) -> pd.DataFrame:
            nonlocal drawn, found
            if not size:
                return self.preprocessor.storage.make_empty()
            rows = self._sample_batch(batch_size=size, max_tries=max_tries_per_batch)
            drawn, found = drawn + size, found + len(rows)
            if not found and (drawn == num_rows or drawn * max_tries_per_batch >= HOPELESS):
                self._tell_rejected(0, num_rows, max_tries_per_batch)
            return rows

        storage = self.preprocessor.describe_storage(self._model and self._model.domain)
        where = folder, rows_per_file
        paths = write_folder(sample, num_rows, *where, storage, show_progress=show_progress)
        self._tell_rejected(found, num_rows, max_tries_per_batch)
        return paths

    def _fit(self, rows: Rows[pd.DataFrame]) -> None:
        """Make the release from translated private rows."""
        from sdv_threea.describe.description import needs_threshold

        check_kernel(self._settings)
        domain = self.preprocessor.derive().derived
        self._count_fit(self._settings, 'one row', thresholds=needs_threshold(domain))
        with show_stages(shown=self.verbose) as begin:
            released = release(rows, domain, self._settings, begin, self._demand_rows)
        self.learn_release(released.domain, released.transformers)
        self._model = released

    def _tell_release(self) -> dict[str, Any]:
        return {
            'release': self._model,
            'dtypes': self.preprocessor.storage.declared,
            'labels': list(self._original_columns) or list(self.preprocessor.columns),
        }

    def _adopt_release(self, facts: Mapping[str, Any]) -> None:
        header = make_header(facts['labels'], facts['dtypes'])
        table = self.preprocessor.take({self._table_name: header})
        self._store_and_convert_original_cols(pd.DataFrame(columns=table.labels))
        self._prepare(table.header)
        model = self._model = facts['release']
        self.learn_release(*((model.domain, model.transformers) if model else (Domain(()), ())))

    def check_memory(self, limit: float | None) -> None:
        """Raise ``MemoryError`` if a fit may exceed the limit, judged by public facts alone.

        The limit is in gigabytes; ``None`` is the memory of the machine.
        """
        from sdv_threea.stages import guess_target

        check_limit(memory_limit=limit)
        domain = guess_target(self.preprocessor.derive().derived, self._settings, drowned=True)
        values = domain.target and getattr(domain[domain.target], 'values', None)
        components = self._settings.components_per_class or 1
        check_fit(len(domain.columns), len(values or ()) or 1, components, limit)

    def _set_random_state(self, random_state: int) -> None:
        self._generator = np.random.default_rng(random_state)
        self._random_state_set = True

    def _sample(self, num_rows: int, conditions: None = None) -> pd.DataFrame:
        sampled = self._model.sample(num_rows, self._generator)
        return self.preprocessor.restore(sampled, self._model.domain)
