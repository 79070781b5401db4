"""SDV's base class, kept from looking at private rows.

What SDV would learn from the rows (dtypes, formats, seeds, ranges, constraints, row counts in logs,
values in messages) is kept out here. What is left for a synthesizer is to translate a private
table into a release, and the release into rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.metadata import Metadata

from sdv_threea.domain import Domain
from sdv_threea.synthesizers.arguments import check_flag, check_metadata
from sdv_threea.synthesizers.attempts import undoing
from sdv_threea.synthesizers.cells import encode
from sdv_threea.synthesizers.constraints import check_rows, find_increments
from sdv_threea.synthesizers.generators import refuse_learning
from sdv_threea.synthesizers.logs import hide_row_counts
from sdv_threea.synthesizers.partitioned import PartitionedSynthesizer
from sdv_threea.synthesizers.saving import Saved
from sdv_threea.synthesizers.schema import MODELLED, Description, describe, keep_public
from sdv_threea.synthesizers.storage import choose_dtypes, declare, make_proxy
from sdv_threea.synthesizers.validation import find_problems
from sdv_threea.synthesizers.version import check_version, get_version


class GuardedSynthesizer(Saved, PartitionedSynthesizer):
    """SDV's base class for one table, which learns from a proxy table and not from private rows.

    Formal guarantees:
        * what it keeps of the private table is a function of the metadata (without ranges, values,
          decimals and nullability unless they are public) and of the dtypes
        * constraints are not fitted on private rows: see
          :mod:`sdv_threea.synthesizers.constraints`
        * a complaint about the private table names columns and rules, and shows no value; the log
          of events has no row counts
        * if fitting fails, the synthesizer is not fitted

    A synthesizer implements ``_fit``, which calls :meth:`_learn_storage`, and ``_sample``; it has
    the attribute ``target_column``.
    """

    #: SDV's transformers are passed by: the pipeline takes plain values.
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
    ) -> None:
        check_metadata(metadata)
        check_flag(public_metadata=public_metadata)
        super().__init__(metadata, enforce_min_max_values, enforce_rounding, locales)
        self.public_metadata = public_metadata
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

        ``k`` fits of the same rows that are ``mu``-GDP each are ``sqrt(k) mu``-GDP together,
        whichever of them are shown: :meth:`get_privacy_statement` says what that comes to.

        An error or an interrupt leaves the synthesizer unfitted, as it was before its first fit,
        and nothing that was released in the meantime is kept. A fit that had begun to ask the
        private rows is counted nevertheless, as nobody can tell what was seen of it.

        Args:
            data: The name of the table, and the private table.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        self._forget()
        with undoing(self), hide_row_counts(self._synthesizer_id):
            super().fit(self._take_table(data))

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
        processed: dict[str, pd.DataFrame] = super().preprocess(self._take_table(data))
        return processed

    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Release a private table that :meth:`preprocess` has translated.

        Args:
            processed_data: What :meth:`preprocess` returned.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not one table by name.
            InvalidDataError: If it has no rows, or lacks columns.
        """
        self._forget()
        processed = self._take_table(processed_data)
        names = self._derive().derived.names
        if not len(processed[self._table_name]):
            raise InvalidDataError(['The table has no rows: there is nothing to learn from.'])
        if set(names) - set(processed[self._table_name].columns):
            raise InvalidDataError([f'The processed table must have the columns {list(names)}.'])
        with undoing(self), hide_row_counts(self._synthesizer_id):
            if not names:
                self._learn_storage(Domain(()))
            super().fit_processed_data(processed)
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
        table = self._take_table(data)[self._table_name]
        table.columns = table.columns.map(str)
        metadata = self._get_table_metadata()
        keys = sorted(metadata._get_primary_and_alternate_keys())
        problems = find_problems(table, self._columns, keys, self.target_column)
        problems = problems or metadata._validate_primary_key(table)
        if problems:
            raise InvalidDataError(problems)
        check_rows(table, self._reject_sampling_constraints, self._original_metadata)

    @property
    def _columns(self) -> Mapping[str, Description]:
        columns: Mapping[str, Description] = self.metadata.tables[self._table_name].columns
        return columns

    def _describe(self) -> Domain:
        increments = find_increments(self._reject_sampling_constraints)
        return describe(
            self._columns,
            target=self.target_column,
            increments=increments,
            dtypes=self._declared,
        )

    def _take_table(self, data: object) -> dict[str, pd.DataFrame]:
        """Check that there is one table, and return a shallow copy in the order of the metadata."""
        if (
            not isinstance(data, dict)
            or len(data) != 1
            or not all(isinstance(table, pd.DataFrame) for table in data.values())
        ):
            raise InvalidDataTypeError(
                'The `data` parameter must be a dictionary containing exactly one table name '
                f"mapped to a pandas DataFrame: fit({{'{self._table_name}': table}})."
            )
        ((name, table),) = data.items()
        if name != self._table_name:
            raise InvalidDataError(
                [f"There is no table '{name}' in the metadata: it is named '{self._table_name}'."]
            )
        order = {name: position for position, name in enumerate(self._columns)}
        positions = [order.get(str(name), len(order)) for name in table.columns]
        return {name: table.iloc[:, sorted(range(len(positions)), key=positions.__getitem__)]}

    def _reset_processing(self) -> None:
        self.metadata = self._original_metadata
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

    def _learn_storage(self, domain: Domain) -> None:
        """Let SDV and the constraints learn, dtypes, formats and seeds, from what was released.

        Args:
            domain: The derived columns, as released.
        """
        self._derivations = self._derive()
        self._dtypes = self._choose_dtypes(self._derivations.restore(domain))
        proxy = make_proxy(self._dtypes)
        self._data_processor.fit(proxy)
        self._data_processor._dtypes = self._dtypes
        # What is sampled is in the released range, granularity and format already.
        self._data_processor.formatters = {}
        self._teach_constraints(domain, proxy)

    def _preprocess(self, table_data: pd.DataFrame) -> pd.DataFrame:
        self._prepare(table_data)
        encoded = encode(table_data, self._columns, self._describe().names)
        return self._derive().forward(encoded)

    def _prepare(self, table: pd.DataFrame) -> None:
        self._declared = {name: declare(table[name].dtype) for name in self._columns}
        self._data_processor.prepare_for_fitting(self._make_proxy())

    def _auto_assign_transformers(self, data: dict[str, pd.DataFrame]) -> None:
        self._prepare(self._take_table(data)[self._table_name])

    def _validate_transformers(self, column_name_to_transformer: Mapping[str, Any]) -> None:
        super()._validate_transformers(column_name_to_transformer)
        refuse_learning(column_name_to_transformer, self._describe().names)
