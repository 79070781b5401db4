"""The synthesizer of one table: SDV's interface to one private release."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.errors import InvalidDataError, RefitWarning
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_threea.domain import Domain
from sdv_threea.rows.chunks import Rows
from sdv_threea.settings import Settings
from sdv_threea.storage.processing import prepare_processor
from sdv_threea.synthesizers import arguments
from sdv_threea.synthesizers.arguments import check_counts
from sdv_threea.synthesizers.disclosing import (
    check_fitted,
    check_memory,
    demand_check,
    demand_rows,
    list_losses,
    state_promise,
)
from sdv_threea.synthesizers.fixed import fix, with_fixed_arguments
from sdv_threea.synthesizers.progress import log_event, show_stages
from sdv_threea.synthesizers.released import count_fit
from sdv_threea.synthesizers.sampling import learn_release, open_sampler
from sdv_threea.synthesizers.single_table_adapter import SingleTableAdapter
from sdv_threea.synthesizers.statement import PrivacyStatement
from sdv_threea.synthesizers.turns import attempted, in_turn
from sdv_threea.warning import warn

if TYPE_CHECKING:
    from sdv_threea.release import Release
    from sdv_threea.synthesizers.check import Check


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


@with_fixed_arguments
class ClustMixSynthesizer(SingleTableAdapter):
    """Synthesizer of one table with differential privacy, tuned to models trained on its rows.

    The synthesizer implements the 3A framework: approximate, adapt, anonymize (Madl et al. 2023,
    arXiv 2307.01875), and is used like any synthesizer of SDV. Each fit is one private release.
    Sampling costs no privacy.

    Formal guarantees:
        * a fitted synthesizer and its samples are a function of public facts (metadata, settings,
          dtypes, SDV's dates and identifiers) and of the release
        * the dtypes of the table are public; pandas stores integers as floats, and booleans as
          objects, when one is missing, so convert such columns to ``Int64`` and ``boolean`` before
          fitting if it must not be known that a value is missing

    Args:
        metadata: SDV's metadata of the one table.
        enforce_min_max_values: Whether sampled numbers stay within the estimated range of the
            private table, whose ends are known only as far as noise allows. ``False`` extends the
            range to the estimated ends of the tails: closer to the real ends, which helps scores
            that compare ranges, but more often beyond them. Stated ranges always hold.
        enforce_rounding: Whether SDV rounds sampled numbers to the released granularity. Sampled
            numbers are multiples of it anyway.
        locales: Locales of made-up personal information.
        epsilon: The privacy budget, from 1e-4 to 1e9: the smaller, the more private. Choose it; the
            default of 1 exists because SDV can make synthesizers from metadata alone. ``math.inf``
            adds no noise and promises nothing.
        delta: The probability with which the promise may fail, from 1e-50 to below 0.01. Choose it
            well below one over the number of rows.
        target_column: The column that models will be trained to predict. If you name none, the
            synthesizer may choose a column: the only categorical one; the last categorical one if
            there are few rows; or else, for a small part of the budget, the last column. With
            ``alpha=1`` it does not choose the last column.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately, because metadata that SDV
            detects from a table holds facts of its private rows.
        guarantee: ``'end_to_end'``, or ``'paper'`` for the algorithm of the 3A paper (``mixing``)
            with its accounting, which leaves reads of the private rows uncharged.
        neighbors: How neighbouring tables differ by one row: ``'add_remove'`` or ``'replace_one'``.
        n_components: Clusters of each class with ``mixing='clusters'``, up to 1,000, or ``'auto'``.
        alpha: Weight of the density against the prediction of the target, in [0, 1]. With 1 the
            target is drawn from the density; below 1 it is fitted to the loss of a model. Just
            below 1 the target is as uncertain as in the private rows. Smaller values make the
            target more predictable in samples than in the private rows: a model learns more from
            the same number of rows, but its probabilities are too extreme.
        kernel: Kernel whose features let the target depend on several columns together: a kernel
            function of ``neural_tangents.stax``, or ``(a, m), (b, m) -> (a, b)`` in JAX; ``None``
            for the neural tangent kernel of a ReLU network.
        verbose: Whether a fit shows its stages.
        invalid_cells: How a fit treats cells that contradict the metadata (type, range, values,
            nullability) and rows that break a constraint. ``'raise'`` refuses the fit, as SDV does,
            which reveals that there are some. ``'coerce'`` replaces cells, record by record:
            numbers and dates by the nearest stated bound, all others by a missing value. Then no
            message depends on such cells.
        unreleased: Replacement of values that are too rare to be released. ``'missing'`` (the
            default) shows a missing cell, or a released value if the column is stated to have no
            missing cells. ``'spread'`` shows released values. Any other value, such as ``'Other'``,
            is shown as it is. A dictionary sets these by column. The target has no replacement.
        memory_limit: Gigabytes that a fit, or one call that samples, may take; by default the
            memory of the machine. A larger need, estimated from public facts, is refused before a
            row is read. The limit may be set at any time.
        accept: The accepted reasons to stop a fit (:meth:`check`): ``'verbatim'`` (free text and
            personal information released word for word), ``'unit'`` (persons with several rows),
            ``'made_up'`` (no column is learned), ``'ranges'`` (constraints contradict ranges),
            ``'noise'`` (hardly a value can be found). One word or several.
        ledger: The file of the data set's :class:`~sdv_threea.BudgetLedger`: a fit adds its budget
            before it spends, and is refused beyond the limit of the file. ``None`` for no file.
        mixing: ``'clusters'`` for the algorithm of the 3A paper, which mixes the records of
            clusters; ``'random'`` to mix at random, for comparison (``docs/paper.md``).
        target: Short for ``target_column``.
        sentinels: Public numbers and dates that stand for something else, such as 999 for an
            unknown age: a list, or lists by column. Ranges do not include them.
        pseudonyms: Columns of personal information whose values repeat and are counted: samples
            show made-up names, as many and as often as the noisy counts say. A list; or a
            dictionary that gives a column the number of its different values, if that is public, or
            a word: columns with the same word share their names.

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
        pseudonyms: Any = None,
    ) -> None:
        target_column = arguments.choose_word(target_column, target)
        super().__init__(
            metadata,
            enforce_min_max_values,
            enforce_rounding,
            locales,
            target_column,
            public_metadata,
            invalid_cells,
            unreleased,
            sentinels,
            pseudonyms,
        )
        arguments.check_flag(verbose=verbose)
        arguments.check_limit(memory_limit=memory_limit)
        arguments.check_target(target_column, self.preprocessor.columns)
        self._settings = arguments.make_settings(
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
        # SDV reads arguments from attributes of the same names.
        self.epsilon, self.delta = self._settings.epsilon, self._settings.delta
        self.guarantee, self.neighbors = guarantee, neighbors
        self.n_components, self.alpha = n_components, self._settings.alpha
        self.accept = arguments.read_accepted(accept)
        self.ledger = arguments.read_path(ledger=ledger)
        self.kernel, self.mixing = kernel, mixing
        self.verbose, self.memory_limit = verbose, memory_limit
        fix(self)

    @property
    def settings(self) -> Settings:
        """The settings of the release, fixed at construction."""
        return self._settings

    def get_privacy_statement(self) -> PrivacyStatement:
        """Return the promise of the last fit, and the cost of each of its releases.

        After several fits, of this synthesizer or of those it was copied from, the statement also
        has their joint cost for the same rows. Earlier fits count at their whole budget.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        check_fitted(self, 'asking for its privacy statement')
        return state_promise(self)

    def check(self, num_rows: int | None = None) -> Check:
        """Forecast how each column will be released, and list reasons to stop a fit; reads no row.

        The check is computed from the metadata and the settings, costs no privacy and may be
        published. :meth:`fit` runs it first, and raises an error at a reason to stop that
        ``accept`` does not name.

        Args:
            num_rows: About how many rows the table has, if that is public; by default the released
                number of a fitted synthesizer, or else 10,000.

        Returns:
            A table to print, with ``columns``, ``stops`` and ``to_frame()``.
        """
        from sdv_threea.synthesizers.checking import check_table, join_checks

        if num_rows is not None:
            check_counts(num_rows=num_rows)
        elif self._fitted and self._model is not None:
            num_rows = max(round(self._model.num_rows), 1)
        checked = check_table(
            self._table_name,
            self.metadata,
            self.preprocessor,
            self._settings,
            num_rows=num_rows,
            harmless=self._harmless,
        )
        return join_checks([checked], self.metadata, [self._table_name])

    def get_losses(self) -> pd.DataFrame:
        """Return which values samples of the last fit lack, column by column.

        The result is computed from released numbers, so it costs no privacy and may be published.
        Rows count as lost if their values were too rare to be released, or may lie beyond a range.
        The interval of a share misses the true share in one of 370 columns.

        Returns:
            A row for each column that is not a key, by name. ``loss`` is ``'made up'``, ``'no
            value'``, ``'constant'``, ``'guessed range'``, ``'values'``, ``'range'`` or empty;
            ``share`` is the lost share of the rows, between ``at_least`` and ``at_most``; ``shown``
            describes the values in samples; ``stated`` lists the facts taken from the metadata;
            ``said`` is the loss in a sentence.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        check_fitted(self, 'asking for its losses')
        from sdv_threea.synthesizers.loss_table import tabulate

        return tabulate(list_losses(self)[self._table_name], self.preprocessor.columns)

    @attempted
    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Release the private table. Fitting again is another release, and the costs add up.

        The table is read in chunks, several times, and need not be in memory. Sums over the
        partitions of a Dask DataFrame are computed where the partitions are, by the active client
        of ``distributed`` if there is one.

        ``k`` fits of the same rows that are ``mu``-GDP each are ``sqrt(k) mu``-GDP together
        (:meth:`get_privacy_statement`).

        After an error or an interrupt the synthesizer is unfitted, as before its first fit, and
        keeps nothing that was released. A fit that had begun to read the private rows still counts,
        because some of its results may have been seen.

        Args:
            data: A dictionary of the private table by name: a pandas or Dask DataFrame, or the path
                of Parquet files. All parts of the table must have the same dtypes.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
            UnreadableRowsError: If a library fails on private rows (its message is withheld), or if
                a part of the table has other dtypes than declared.
            ImportError: If Dask is needed and not installed.
            MemoryError: If the fit would exceed the memory limit.
        """
        check_memory(self.preprocessor, self._settings, self.memory_limit)
        demand_check(self)
        table = self.preprocessor.take(data)
        log_event(self, 'Fit', len(table.labels))
        self._check_input_metadata_updated()
        self._store_and_convert_original_cols(pd.DataFrame(columns=table.labels))
        self.reset_sampling()
        self.preprocessor.check(table)
        prepare_processor(self._data_processor, self.preprocessor.prepare(table.header))
        translated = table.rows.map(self.preprocessor.make_translation()).keep()
        _learn(self, translated, table.header)

    @in_turn
    def preprocess(self, data: dict[str, Any]) -> dict[str, Any]:
        """Translate the private table for :meth:`fit_processed_data`. The result is private.

        Args:
            data: A dictionary of the private table by name, as for :meth:`fit`.

        Returns:
            A dictionary of the modelled columns by table: in a pandas DataFrame if the table is
            one, else in a Dask DataFrame that translates each part when it is read. Errors are
            those of :meth:`fit`.
        """
        demand_check(self)
        given = self.preprocessor.take(data)
        self._store_and_convert_original_cols(pd.DataFrame(columns=given.labels))
        self.preprocessor.check(given)
        if self._fitted:
            told = 'This synthesizer has already been fitted: fit it to the processed table, too.'
            warn(told, RefitWarning)
        if given.whole is not None:
            return {self._table_name: self._preprocess(given.take(given.header.columns))}
        prepare_processor(self._data_processor, self.preprocessor.prepare(given.header))
        return {self._table_name: given.map_parts(self.preprocessor.make_translation())}

    @attempted
    def fit_processed_data(self, processed_data: dict[str, Any]) -> None:
        """Release a private table that :meth:`preprocess` has translated.

        Args:
            processed_data: The result of :meth:`preprocess`.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not one table by name.
            InvalidDataError: If the table has no rows, or lacks columns.
        """
        given = self.preprocessor.take(processed_data)
        names = list(self.preprocessor.derive().derived.names)
        if not given.rows.sum(len):
            raise InvalidDataError(['The table has no rows: there is nothing to learn from.'])
        if set(names) - set(given.header.columns):
            raise InvalidDataError([f'The processed table must have the columns {names}.'])
        _learn(self, given.rows.map(itemgetter(names)), given.header)


def _learn(
    synthesizer: ClustMixSynthesizer, rows: Rows[pd.DataFrame], header: pd.DataFrame
) -> None:
    from sdv_threea.describe.description import needs_threshold

    preprocessor, settings = synthesizer.preprocessor, synthesizer.settings
    domain = preprocessor.derive().derived
    if domain.names:
        arguments.check_kernel(settings)
        count_fit(synthesizer, settings, 'one row', thresholds=needs_threshold(domain))
        with show_stages(shown=synthesizer.verbose) as begin:
            sized = partial(demand_rows, synthesizer)
            synthesizer._model = release(rows, domain, settings, begin, sized)
    learn_release(preprocessor, synthesizer._data_processor, synthesizer._model)
    # SDV gets a table without rows, and only marks the fit.
    noted = {synthesizer._table_name: header}
    BaseSingleTableSynthesizer.fit_processed_data(synthesizer, noted)

    def sample(num_rows: int) -> pd.DataFrame:
        """Sample rows, then reset: the user's first sample is that of a fresh fit."""
        drawn = open_sampler(synthesizer).draw(num_rows)
        synthesizer.reset_sampling()
        return drawn

    preprocessor.constraints.learn(sample)
