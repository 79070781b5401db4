"""SDV's base class, kept from looking at private rows.

What SDV would learn from the rows (dtypes, formats, seeds, ranges, constraints, row counts in logs,
values in messages) is kept out here. What is left for a synthesizer is to translate a private
table into a release, and the release into rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata

from sdv_threea.constraints.adoption import check_rows, find_increments
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Domain
from sdv_threea.encoding.transformers import Transformer
from sdv_threea.intake.facts import Facts
from sdv_threea.intake.table import (
    compare_columns,
    find_misstored,
    find_problems,
    find_repeated_keys,
    read_table,
)
from sdv_threea.privacy.guard import guarded
from sdv_threea.privacy.rows import Rows, chunk_table
from sdv_threea.storage.dtypes import choose_dtypes, declare, make_proxy
from sdv_threea.storage.files import Saved
from sdv_threea.storage.ids import make_ids
from sdv_threea.storage.metadata import (
    MODELLED,
    ColumnMetadata,
    describe,
    keep_public,
    list_facts,
)
from sdv_threea.storage.reading import PrivateTable, take_table
from sdv_threea.storage.version import check_version, get_version
from sdv_threea.synthesizers.arguments import check_choice, check_flag, check_metadata
from sdv_threea.synthesizers.attempts import undoing
from sdv_threea.synthesizers.logs import hide_row_counts, log_fit
from sdv_threea.synthesizers.partitioned import PartitionedSynthesizer
from sdv_threea.transforms.outer import find_untaken

#: What becomes of cells that break what is stated of them.
RAISE, COERCE = INVALID_CELLS = ('raise', 'coerce')


class GuardedSynthesizer(Saved, PartitionedSynthesizer):
    """SDV's base class for one table, which learns from a proxy table and not from private rows.

    Formal guarantees:
        * what it keeps of the private table is a function of the metadata (without ranges, values,
          decimals and nullability unless they are public) and of the dtypes
        * constraints are not fitted on private rows: see
          :mod:`sdv_threea.constraints.adoption`
        * a complaint about the private table names columns and rules, and shows no value; the log
          of events has no row counts
        * if fitting fails, the synthesizer is not fitted

    A synthesizer implements ``_release``, which calls :meth:`_learn_storage`, and ``_sample``; it
    has the attribute ``target_column``.
    """

    #: SDV's transformers are passed by: modelled columns have their own.
    _model_sdtype_transformers = dict.fromkeys(MODELLED)

    target_column: str | None

    #: What was released; ``None`` if nothing was.
    _model: Any

    def __init__(
        self,
        metadata: Metadata,
        enforce_min_max_values: bool,
        enforce_rounding: bool,
        locales: list[str] | str,
        public_metadata: bool,
        invalid_cells: str,
    ) -> None:
        check_metadata(metadata)
        check_flag(public_metadata=public_metadata)
        check_choice(INVALID_CELLS, invalid_cells=invalid_cells)
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales)
        self.public_metadata = public_metadata
        self.invalid_cells = invalid_cells
        self._original_metadata = keep_public(metadata, public_metadata=public_metadata)
        self._made_with = get_version()
        self._model = None
        self._declared: dict[str, Any] = {}
        self._dtypes: dict[str, Any] = {}
        self._reset_processing()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the user's own metadata object, which may hold private facts."""
        return {name: value for name, value in self.__dict__.items() if name != '_input_metadata'}

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_version(state['_made_with'], get_version())
        self.__dict__.update(state)

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Release the private table. Fitting again is another release, and the costs add up.

        The table is read in chunks, several times. It need not be in memory: of a Dask DataFrame,
        sums over its partitions are computed where they are, by the active client of
        ``distributed`` if there is one.

        ``k`` fits of the same rows that are ``mu``-GDP each are ``sqrt(k) mu``-GDP together,
        whichever of them are shown: :meth:`get_privacy_statement` says what that comes to.

        An error or an interrupt leaves the synthesizer unfitted, as it was before its first fit,
        and nothing that was released in the meantime is kept. A fit that had begun to ask the
        private rows is counted nevertheless, as nobody can tell what was seen of it.

        Args:
            data: The name of the table, and the private table: a pandas or Dask DataFrame, or the
                path of parquet files.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
            UnreadableRowsError: If a library fails on private rows; its message is kept back.
            ImportError: If Dask is needed and not installed.
        """
        self._forget()
        table = take_table(data, self._table_name, self._columns)
        with undoing(self), hide_row_counts(self._synthesizer_id):
            log_fit(self, len(table.labels))
            self._check_input_metadata_updated()
            self._store_and_convert_original_cols(pd.DataFrame(columns=table.labels))
            self._data_processor.reset_sampling()
            self._random_state_set = False
            self._check(table)
            self._prepare(table.header)
            self._learn(table.rows.map(self._make_translation()))
            # Of a table without rows, SDV notes no more than that it was fitted.
            super().fit_processed_data({self._table_name: table.header})
            self._teach_own_constraints()

    def preprocess(self, data: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Translate the private table for :meth:`fit_processed_data`. The result is private.

        Args:
            data: The name of the table, and the private table.

        Returns:
            The name of the table, and its modelled columns.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        given = take_table(data, self._table_name, self._columns)
        table = given.take(given.header.columns)
        self._store_and_convert_original_cols(pd.DataFrame(columns=given.labels))
        self._check(given)
        self._preprocess_helper(given.header)  # SDV warns if this is another fit
        return {self._table_name: self._preprocess(table)}

    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Release a private table that :meth:`preprocess` has translated.

        Args:
            processed_data: What :meth:`preprocess` returned.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not one table by name.
            InvalidDataError: If it has no rows, or lacks columns.
        """
        self._forget()
        given = take_table(processed_data, self._table_name, self._columns)
        names = self._derive().derived.names
        if not len(given.take(())):
            raise InvalidDataError(['The table has no rows: there is nothing to learn from.'])
        if set(names) - set(given.header.columns):
            raise InvalidDataError([f'The processed table must have the columns {list(names)}.'])
        with undoing(self), hide_row_counts(self._synthesizer_id):
            self._learn(chunk_table(given.take(names)))
            super().fit_processed_data({self._table_name: given.header})
            self._teach_own_constraints()

    def validate(self, data: dict[str, pd.DataFrame]) -> None:
        """Check the private table against metadata and constraints, without showing its values.

        Args:
            data: The name of the table, and the private table.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        self._check(take_table(data, self._table_name, self._columns))

    @property
    def _columns(self) -> Mapping[str, ColumnMetadata]:
        columns: Mapping[str, ColumnMetadata] = self.metadata.tables[self._table_name].columns
        return columns

    def _describe(self) -> Domain:
        increments = find_increments(self._reject_sampling_constraints)
        return describe(
            self._columns,
            target=self.target_column,
            increments=increments,
            dtypes=self._declared,
        )

    def _check(self, table: PrivateTable) -> None:
        """Refuse a table that does not match the metadata; see *Refusals* in docs/privacy.md."""
        problems = compare_columns(list(table.header.columns), list(self._columns))
        problems = problems or self._find_problems(table)
        problems = problems or self._get_table_metadata()._validate_primary_key(table.header)
        if problems:
            raise InvalidDataError(problems)
        if self.invalid_cells != COERCE:
            check_rows(table, self._reject_sampling_constraints, self._original_metadata)

    def _find_problems(self, table: PrivateTable) -> list[str]:
        keys = sorted(self._get_table_metadata()._get_primary_and_alternate_keys())
        coerce = self.invalid_cells == COERCE
        facts = self._list_facts(table.header)
        problems = find_misstored(table.header, facts)
        problems = problems or find_problems(
            table.rows, facts, keys, self.target_column, coerce=coerce
        )
        if problems or coerce:
            return problems
        if keys and table.whole is not None:
            with guarded():
                problems = find_repeated_keys(table.take(keys), keys)
        return problems or find_untaken(table.rows, facts, self._derive())

    def _list_facts(self, header: pd.DataFrame) -> tuple[Facts, ...]:
        """List what is public of the cells: the metadata, and the dtypes of the table."""
        return list_facts(self._columns, {name: header[name].dtype for name in self._columns})

    def _learn(self, rows: Rows[pd.DataFrame]) -> None:
        """Learn from private rows that were translated."""
        if self._derive().derived.names:
            self._release(rows)
        else:
            self._learn_storage(Domain(()), ())

    def _reset_processing(self) -> None:
        self.metadata, self._outer = self._original_metadata, {}
        self._data_processor = DataProcessor(
            metadata=self.metadata._convert_to_single_table(),
            # What is sampled is in the released granularity already, and learning it from the proxy
            # overflows in half floats.
            enforce_rounding=False,
            enforce_min_max_values=self.enforce_min_max_values,
            locales=self.locales,
            id_columns_use_old_behavior=[
                name for name, column in self._columns.items() if column['sdtype'] == 'id'
            ],
        )
        self._update_default_transformers()

    def _forget(self) -> None:
        self._made_with = get_version()
        self._model = None
        self._fitted = False

    def _choose_dtypes(self, domain: Domain) -> dict[str, Any]:
        return choose_dtypes(self._columns, self._declared, domain)

    def _make_proxy(self) -> pd.DataFrame:
        return make_proxy(self._choose_dtypes(self._describe()))

    def _learn_storage(self, domain: Domain, transformers: tuple[Transformer, ...]) -> None:
        """Let SDV and the constraints learn, dtypes, formats and seeds, from what was released.

        Args:
            domain: The derived columns, as released.
            transformers: From their cells to codes, as released.
        """
        self._derivations = self._derive()
        self._dtypes = self._choose_dtypes(self._derivations.restore(domain))
        proxy = make_proxy(self._dtypes)
        self._data_processor.fit(proxy)
        self._data_processor._dtypes = self._dtypes
        # What is sampled is in the released range, granularity and format already.
        self._data_processor.formatters = {}
        self._learn_transformers(domain, transformers)
        self._teach_constraints(domain, proxy)

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        self._prepare(table_data)
        with guarded():
            return self._make_translation()(table_data)

    def _make_translation(self) -> Callable[[pd.DataFrame], pd.DataFrame]:
        """Make the function that translates rows one by one."""
        facts = list_facts(self._columns, self._declared)
        return partial(_translate, facts, self._derive())

    def _prepare(self, table: pd.DataFrame) -> None:
        self._declared = {name: declare(table.dtypes[name]) for name in self._columns}
        self._data_processor.prepare_for_fitting(self._make_proxy())
        chosen = self._data_processor._hyper_transformer.field_transformers
        chosen.update({name: make_ids(each) for name, each in chosen.items()})
        self._assign_transformers()

    def _auto_assign_transformers(self, data: dict[str, pd.DataFrame]) -> None:
        self._prepare(take_table(data, self._table_name, self._columns).header)


def _translate(
    facts: tuple[Facts, ...], derivations: Derivations, chunk: pd.DataFrame
) -> pd.DataFrame:
    """Read the cells, and derive the columns that are modelled."""
    read = read_table(facts, chunk)
    return derivations.forward(read) if derivations.steps else read
