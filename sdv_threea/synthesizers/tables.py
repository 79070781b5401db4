"""SDV's base class for many tables, kept from looking at private rows, and its single tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.multi_table.base import BaseMultiTableSynthesizer

from sdv_threea.privacy.guard import guarded
from sdv_threea.relational.schema import Link, Schema, SchemaError
from sdv_threea.relational.sizes import Children
from sdv_threea.settings import Settings
from sdv_threea.storage.children import Bounds, read_children
from sdv_threea.storage.database import (
    find_broken_references,
    take_tables,
    without_composite_keys,
)
from sdv_threea.storage.files import Saved
from sdv_threea.storage.references import as_columns, read_schema
from sdv_threea.synthesizers.arguments import (
    check_constraints,
    check_counts,
    check_name,
    check_tries,
)
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

#: What may be set table by table; the promise is one for the whole database.
TABLE_PARAMETERS = frozenset(
    {
        'alpha',
        'enforce_min_max_values',
        'enforce_rounding',
        'kernel',
        'locales',
        'n_components',
        'public_metadata',
        'target_column',
    }
)


class TablewiseSynthesizer(Saved, BaseMultiTableSynthesizer):
    """A synthesizer of many tables: each has its own parameters, constraints and storage.

    Formal guarantees:
        * what it learns of a table before the release is what the synthesizer of that table learns:
          see :class:`~sdv_threea.synthesizers.guarded.GuardedSynthesizer`
        * no constraint is fitted on private rows; one about several tables is refused
        * a complaint about the tables names columns and rules, and shows no value

    A subclass has the attributes of the arguments of its constructor.
    """

    _synthesizer = ClustMixSynthesizer

    epsilon: float
    delta: float
    neighbors: str
    privacy_unit: str | None
    public_tables: Sequence[str]
    max_children: Bounds
    min_children: Bounds
    target: Mapping[str, str] | None
    public_metadata: bool
    invalid_cells: str

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
        schema = self._read_schema()
        problems = problems or find_broken_references(named, self._original_metadata, schema)
        if problems:
            raise InvalidDataError(problems)

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints on single tables, each with its ``table_name``.

        Args:
            constraints: SDV's constraints.

        Raises:
            SynthesizerInputError: If a constraint is about several tables, or lacks its table.
        """
        check_constraints(constraints)
        if any(isinstance(each, ProgrammableConstraint) for each in constraints):
            raise SynthesizerInputError(
                "A 'ProgrammableConstraint' learns from all tables at once, which cannot be made "
                "private: use 'SingleTableProgrammableConstraint' with a 'table_name'."
            )
        self._validate_single_table_constraints(constraints)
        for constraint in constraints:
            self._validate_table_name(constraint.table_name)
            self._table_synthesizers[constraint.table_name].add_constraints([constraint])
        self._single_table_constraints += constraints

    def set_table_parameters(self, table_name: str, table_parameters: dict[str, Any]) -> None:
        """Set parameters of one table, which keeps its other parameters and its constraints.

        Args:
            table_name: The table.
            table_parameters: Parameters of :class:`ClustMixSynthesizer` by name.

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
        check_tries(max_tries_per_batch, batch_size)
        super()._validate_sample_input(
            num_rows, main_table_name, batch_size, max_tries_per_batch, output_folder_path
        )

    def _assign_table_transformers(
        self, synthesizer: ClustMixSynthesizer, table_name: str, table_data: pd.DataFrame
    ) -> None:
        """As the base class does it, and for keys of several columns too."""
        synthesizer._auto_assign_transformers({table_name: table_data})
        own = as_columns(self.metadata.tables[table_name].primary_key)
        keys = map(as_columns, self.metadata._get_all_foreign_keys(table_name))
        foreign = dict.fromkeys(name for key in keys for name in key if name not in own)
        synthesizer.update_transformers(dict.fromkeys(foreign))

    @property
    def _promise(self) -> Settings:
        """The settings of any table: the promise is the same in all of them."""
        settings: Settings = next(iter(self._table_synthesizers.values()))._settings
        return settings

    def _list_keys(self, table: str, schema: Schema) -> list[str]:
        """List the columns of a table that are keys."""
        columns = [name for link in schema.links_of(table) for name in link.columns]
        columns += as_columns(self.metadata.tables[table].primary_key)
        return list(dict.fromkeys(columns))

    def _read_schema(self, tables: Mapping[str, pd.DataFrame] | None = None) -> Schema:
        unit = self.privacy_unit
        if unit is not None and not isinstance(unit, str):
            raise SynthesizerInputError(f'privacy_unit must be the name of a table, got {unit!r}.')
        try:
            public = self._read_public_tables()
            return read_schema(self.metadata, unit, public, tables)
        except SchemaError as error:
            raise SynthesizerInputError(str(error)) from None

    def _read_public_tables(self) -> frozenset[str]:
        named = self.public_tables
        listed = isinstance(named, Collection) and not isinstance(named, str | Mapping)
        if not listed or not all(isinstance(each, str) for each in named):
            raise SynthesizerInputError(
                f"public_tables must be a list of names, for example ['countries'], got {named!r}."
            )
        unknown = sorted(set(named) - set(self.metadata.tables))
        if unknown:
            raise SynthesizerInputError(
                f'public_tables must be in the metadata: there are no tables {unknown}, only '
                f'{list(self.metadata.tables)}.'
            )
        return frozenset(named)

    def _read_children(self, schema: Schema) -> dict[Link, Children]:
        return read_children(self.min_children, self.max_children, schema)

    def _check_target(self) -> None:
        if self.target is not None and not isinstance(self.target, Mapping):
            raise SynthesizerInputError(
                f'target must map names of tables to columns, got {self.target!r}.'
            )
        unknown = sorted(set(self.target or ()) - set(self.metadata.tables))
        if unknown:
            raise SynthesizerInputError(
                f'target names the tables {unknown}: they are {list(self.metadata.tables)}.'
            )

    def _validate_schema_complexity(self) -> None:
        self._check_target()
        self._read_children(self._read_schema())

    def _handle_composite_keys(self) -> None:
        self._modified_multi_table_metadata = without_composite_keys(self.metadata)

    def _initialize_models(self) -> None:
        for name in self.metadata.tables:
            self._table_parameters[name] = {
                'epsilon': self.epsilon,
                'delta': self.delta,
                'neighbors': self.neighbors,
                'public_metadata': self.public_metadata,
                'invalid_cells': self.invalid_cells,
                'target_column': (self.target or {}).get(name),
                **self._table_parameters[name],
            }
        super()._initialize_models()
