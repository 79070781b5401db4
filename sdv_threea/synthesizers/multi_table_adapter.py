"""SDV's base class for many tables, kept from private rows.

Each table has a synthesizer with its own parameters, constraints and storage. Statements about the
whole database are in :class:`~sdv_threea.storage.database_terms.DatabaseTerms`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.multi_table.base import BaseMultiTableSynthesizer

from sdv_threea.constraints.between import BetweenTables
from sdv_threea.domain import Domain
from sdv_threea.privacy.guard import guarded
from sdv_threea.storage.database import (
    find_broken_references,
    take_tables,
    without_composite_keys,
)
from sdv_threea.storage.database_terms import DatabaseTerms
from sdv_threea.storage.files import write_tables
from sdv_threea.storage.memory import check_rows
from sdv_threea.storage.references import as_columns
from sdv_threea.synthesizers.arguments import check_constraints, check_limit, check_name
from sdv_threea.synthesizers.progress import BAR
from sdv_threea.synthesizers.publishing import Publishing
from sdv_threea.synthesizers.ruled import Ruled
from sdv_threea.synthesizers.sample_arguments import check_counts, check_sampling, check_scale
from sdv_threea.synthesizers.saved import Saved
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.synthesizers.turns import in_turn
from sdv_threea.units.membership import Database
from sdv_threea.units.references import BrokenReferenceError, Labels, label_numbers, link_rows
from sdv_threea.units.schema import Schema

#: Parameters that can be set table by table; the promise holds for the whole database.
TABLE_PARAMETERS = frozenset(
    {
        'alpha',
        'enforce_min_max_values',
        'enforce_rounding',
        'kernel',
        'locales',
        'mixing',
        'n_components',
        'public_metadata',
        'target_column',
    }
)


class MultiTableAdapter(Publishing, Saved, Ruled, BaseMultiTableSynthesizer):
    """SDV's base class for many tables: each has its own parameters, constraints and storage.

    A subclass implements ``_model_tables``, ``_sample``, and ``_warn_of_release``, called at the
    end of a fit.

    Formal guarantees:
        * what it learns of a table before the release is what the synthesizer of that table learns:
          see :class:`~sdv_threea.synthesizers.single_table_adapter.SingleTableAdapter`
        * no constraint is fitted on private rows; one that is programmed for several tables is
          refused
        * an error about the tables names columns and rules, and shows no value
    """

    _synthesizer = ClustMixSynthesizer
    _public_rows: dict[str, pd.DataFrame]
    memory_limit: float | None

    def __init__(self, terms: DatabaseTerms, locales: list[str] | str) -> None:
        self._terms = terms  # SDV's constructor calls hooks below that need them
        super().__init__(deepcopy(terms.metadata), locales)

    def validate(self, data: dict[str, pd.DataFrame]) -> None:
        """Check the tables against metadata and constraints, without showing their values.

        Args:
            data: All tables by name.

        Raises:
            InvalidDataTypeError: If ``data`` is not a dictionary of tables.
            InvalidDataError: If the tables do not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        tables = take_tables(data, self._original_metadata)
        problems = []
        for name, table in tables.items():
            try:
                self._table_synthesizers[name].validate({name: table})
            except InvalidDataError as error:
                problems += [f"Table '{name}': {problem}" for problem in error.errors]
        with guarded():
            named = {name: table.rename(columns=str) for name, table in tables.items()}
        schema = self._terms.read_schema()
        problems = problems or find_broken_references(named, self._original_metadata, schema)
        if problems:
            raise InvalidDataError(problems)

    @in_turn
    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints on single tables, each with its ``table_name``, and rules between tables.

        Args:
            constraints: SDV's constraints, and those of :mod:`sdv_threea.constraints`. They are
                public.

        Raises:
            SynthesizerInputError: If a constraint is programmed for several tables, lacks its
                table, or does not fit the metadata or another constraint.
        """
        check_constraints(constraints)
        if any(isinstance(each, ProgrammableConstraint) for each in constraints):
            raise SynthesizerInputError(
                "A 'ProgrammableConstraint' learns from all tables at once, which cannot be made "
                "private: use 'SingleTableProgrammableConstraint' with a 'table_name'."
            )
        rules = tuple(each for each in constraints if isinstance(each, BetweenTables))
        own = [each for each in constraints if not isinstance(each, BetweenTables)]
        self._validate_single_table_constraints(own)
        self._plan_rules((*self._rules, *rules), [*self._single_table_constraints, *own])
        for constraint in own:
            self._validate_table_name(constraint.table_name)
            self._table_synthesizers[constraint.table_name].add_constraints([constraint])
        self._single_table_constraints += own
        self._adopt_rules(rules)

    @in_turn
    def set_table_parameters(self, table_name: str, table_parameters: dict[str, Any]) -> None:
        """Set parameters of one table, which keeps its other parameters and its constraints.

        Args:
            table_name: The table.
            table_parameters: Parameters of :class:`ClustMixSynthesizer` by name: ``alpha``,
                ``enforce_min_max_values``, ``enforce_rounding``, ``kernel``, ``locales``,
                ``mixing``, ``n_components``, ``public_metadata`` or ``target_column``.

        Raises:
            SynthesizerInputError: If a parameter belongs to the database as a whole.
        """
        check_name(table_name=table_name)
        self._validate_table_name(table_name)
        if not isinstance(table_parameters, dict):
            raise SynthesizerInputError(
                f'table_parameters must map parameters to values, got {table_parameters!r}.'
            )
        unknown = sorted(set(table_parameters) - TABLE_PARAMETERS, key=str)
        if unknown:
            raise SynthesizerInputError(
                f'The parameters {unknown} cannot be set for one table, only '
                f'{sorted(TABLE_PARAMETERS)}: the promise is one for the whole database.'
            )
        constraints = [
            each for each in self._single_table_constraints if each.table_name == table_name
        ]
        merged = {'locales': self.locales, **self._table_parameters[table_name], **table_parameters}
        super().set_table_parameters(table_name, merged)
        if constraints:
            self._table_synthesizers[table_name].add_constraints(constraints)
        self._adopt_rules()

    def _augment_tables(self, processed_data: dict[str, pd.DataFrame]) -> tuple[Schema, Database]:
        """Split the processed tables into modelled columns and references."""
        stored = {
            name: each.preprocessor.storage for name, each in self._table_synthesizers.items()
        }
        schema = self._terms.read_schema({name: each.declared for name, each in stored.items()})
        labels = self._label_rows(schema)
        try:
            parents = link_rows(processed_data, labels)
        except BrokenReferenceError as error:
            raise InvalidDataError([f'{error} Fit what preprocess returned.']) from None
        self._public_rows = {
            name: processed_data[name].drop(columns=labels[name].own) for name in schema.public
        }
        names = {name: list(self._derive(name).names) for name in schema.private}
        with guarded():
            modelled = {name: processed_data[name][own] for name, own in names.items()}
        num_rows = {name: len(each) for name, each in processed_data.items()}
        return schema, Database(modelled, parents, num_rows)

    def _derive(self, table: str) -> Domain:
        """Describe the modelled columns of a table by public facts."""
        domain: Domain = self._table_synthesizers[table].preprocessor.derive().derived
        return domain

    def _label_rows(self, schema: Schema) -> dict[str, Labels]:
        """Name the columns that number rows."""
        modelled = {name: self._derive(name).names for name in schema.private}
        return label_numbers(schema, self._terms.list_columns(modelled))

    def _validate_sample_input(
        self,
        num_rows: Any,
        main_table_name: Any,
        batch_size: Any,
        max_tries_per_batch: Any,
        output_folder_path: Any,
    ) -> None:
        if main_table_name is not None:  # SDV asks for it
            check_name(main_table_name=main_table_name)
        check_counts(num_rows=num_rows)
        how = max_tries_per_batch, batch_size
        # Files are named after the tables; the user may have changed ``self.metadata``.
        names = {**self._terms.metadata.tables, **self.metadata.tables}
        check_sampling(*how, output_folder_path, names)
        super()._validate_sample_input(
            num_rows, main_table_name, batch_size, max_tries_per_batch, output_folder_path
        )

    @in_turn
    def _sample_from_scale(self, scale: float, *how: Any) -> Any:
        check_scale(scale)
        check_limit(memory_limit=self.memory_limit)
        sizes = {name: scale * size for name, size in self._table_sizes.items()}
        columns = {name: len(self._terms.metadata.tables[name].columns) for name in sizes}
        cells = sum(sizes[name] * columns[name] for name in sizes)
        check_rows(sum(sizes.values()), cells, self.memory_limit)
        return super()._sample_from_scale(scale, *how)

    def _save_sampled_data(
        self, sampled_data: dict[str, pd.DataFrame], output_folder_path: str
    ) -> None:
        write_tables(sampled_data, output_folder_path)

    def _assign_table_transformers(
        self, synthesizer: ClustMixSynthesizer, table_name: str, table_data: pd.DataFrame
    ) -> None:
        """Assign transformers as the base class does, for composite keys too."""
        # SDV's own class calls this hook here.
        synthesizer._auto_assign_transformers({table_name: table_data})
        own = as_columns(self._terms.metadata.tables[table_name].primary_key)
        keys = map(as_columns, self._terms.metadata._get_all_foreign_keys(table_name))
        foreign = dict.fromkeys(name for key in keys for name in key if name not in own)
        synthesizer.update_transformers(dict.fromkeys(foreign))

    def _get_pbar_args(self, **options: Any) -> dict[str, Any]:
        return {'disable': not self.verbose, **BAR, **options}

    def _validate_schema_complexity(self) -> None:
        self._terms.check()

    def _handle_composite_keys(self) -> None:
        self._modified_multi_table_metadata = without_composite_keys(self._terms.metadata)
