"""SDV's base class for many tables, without access to private rows.

Each table has a synthesizer with its own parameters, constraints and storage. Statements about the
whole database are in :class:`~sdv_threea.storage.database_terms.DatabaseTerms`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata import Metadata
from sdv.multi_table.base import BaseMultiTableSynthesizer

from sdv_threea.constraints.between import BetweenTables
from sdv_threea.domain import Domain
from sdv_threea.rows.chunks import Rows, hold
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.units.membership import Database
from sdv_threea.rows.units.references import BrokenReferenceError, Labels, link_rows
from sdv_threea.schema import Schema
from sdv_threea.storage.database_terms import DatabaseTerms
from sdv_threea.storage.files import write_tables
from sdv_threea.storage.reading import holds_parts, take_tables
from sdv_threea.storage.relationships import (
    as_columns,
    find_broken_references,
    label_numbers,
    without_composite_keys,
    without_sequences,
)
from sdv_threea.synthesizers.arguments import (
    TABLE_PARAMETERS,
    check_constraints,
    check_counts,
    check_name,
    check_sampling,
)
from sdv_threea.synthesizers.database_sampling import draw_tables
from sdv_threea.synthesizers.divided import Divided, find_problems, validate_parts
from sdv_threea.synthesizers.released import Released
from sdv_threea.synthesizers.ruled import adopt_rules, check_rules, plan_rules
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.synthesizers.turns import in_turn

if TYPE_CHECKING:
    from sdv_threea.relational.layout import Alike

#: Arguments that the synthesizers of all tables share.
SHARED = ('epsilon', 'delta', 'neighbors', 'public_metadata', 'invalid_cells')


class MultiTableAdapter(Released, BaseMultiTableSynthesizer):
    """SDV's base class for many tables; a subclass implements ``_model_tables`` and ``check``.

    Formal guarantees:
        * before the release, it learns of a table only what the table's synthesizer learns: see
          :class:`~sdv_threea.synthesizers.single_table_adapter.SingleTableAdapter`
        * no constraint is fitted on private rows: a programmed one for several tables is refused,
          and a rule between tables reads sampled rows and public facts
        * an error about the tables names columns and rules, and shows no value
    """

    _synthesizer: Any = ClustMixSynthesizer
    _public_rows: dict[str, pd.DataFrame]
    memory_limit: float | None
    pseudonyms: Mapping[str, Any] | None
    _rules: tuple[BetweenTables, ...] = ()

    #: The state before a fit.
    UNFITTED: ClassVar[Mapping[str, Any]] = {
        '_fitted': False,
        '_model': None,
        '_public_rows': {},
        '_table_sizes': {},
        '_generator': None,
    }

    def __init__(self, terms: DatabaseTerms, locales: list[str] | str) -> None:
        # SDV's constructor calls ``_synthesizer``, and hooks below that need the terms.
        self._synthesizer, self._terms = make_table, terms
        super().__init__(deepcopy(terms.metadata), locales)

    def validate(self, data: dict[str, Any]) -> None:
        """Check the tables, with the errors of :meth:`fit`; no error shows a value."""
        if holds_parts(data):
            validate_parts(self, data)
            return
        tables = take_tables(data, self._original_metadata)
        problems = find_problems(self, tables)
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
            constraints: SDV's constraints, and those of :mod:`sdv_threea.constraints`; public.

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
        plan_rules(self, (*self._rules, *rules), [*self._single_table_constraints, *own])
        for constraint in own:
            self._validate_table_name(constraint.table_name)
            self._table_synthesizers[constraint.table_name].add_constraints([constraint])
        self._single_table_constraints += own
        adopt_rules(self, rules)

    def validate_constraints(self, synthetic_data: dict[str, pd.DataFrame]) -> None:
        """Raise a ``ConstraintNotMetError`` if synthetic rows break a constraint or a rule."""
        super().validate_constraints(synthetic_data)
        check_rules(self, synthetic_data)

    def _get_all_constraints_list(self) -> list[Any]:
        return [*super()._get_all_constraints_list(), *map(deepcopy, self._rules)]

    @in_turn
    def set_table_parameters(self, table_name: str, table_parameters: dict[str, Any]) -> None:
        """Set parameters of one table; its other parameters and its constraints stay.

        Args:
            table_name: The table.
            table_parameters: Parameters of :class:`ClustMixSynthesizer` by name: ``alpha``,
                ``enforce_min_max_values``, ``enforce_rounding``, ``kernel``, ``locales``,
                ``mixing``, ``n_components``, ``pseudonyms``, ``public_metadata`` or
                ``target_column``.

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
        adopt_rules(self)

    def _augment_tables(
        self, processed_data: dict[str, pd.DataFrame]
    ) -> tuple[Rows[Database], Schema]:
        stored = {
            name: each.preprocessor.storage for name, each in self._table_synthesizers.items()
        }
        schema = self._terms.read_schema({name: each.declared for name, each in stored.items()})
        if isinstance(processed_data, Divided):
            self._public_rows = {name: processed_data[name] for name in schema.public}
            return processed_data.rows, schema
        labels = label_rows(self, schema)
        try:
            parents = link_rows(processed_data, labels)
        except BrokenReferenceError as error:
            raise InvalidDataError([f'{error} Fit what preprocess returned.']) from None
        self._public_rows = {
            name: processed_data[name].drop(columns=labels[name].own) for name in schema.public
        }
        names = {
            name: list(derive(self._table_synthesizers[name]).names) for name in schema.private
        }
        with guarded():
            modelled = {name: processed_data[name][own] for name, own in names.items()}
        num_rows = {name: len(each) for name, each in processed_data.items()}
        return hold(Database(modelled, parents, num_rows)), schema

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
        # Files are named after tables, and the user may have changed ``self.metadata``.
        names = {**self._terms.metadata.tables, **self.metadata.tables}
        check_sampling(max_tries_per_batch, batch_size, output_folder_path, names)
        super()._validate_sample_input(
            num_rows, main_table_name, batch_size, max_tries_per_batch, output_folder_path
        )

    #: SDV checks here whether the synthesizer is fitted, so the call must wait for other threads.
    sample_scale = in_turn(BaseMultiTableSynthesizer.sample_scale)

    def _sample_from_scale(
        self, scale: float, batch_size: Any, max_tries_per_batch: Any, output_folder_path: Any
    ) -> tuple[dict[str, pd.DataFrame], int, int]:
        """Return the sampled tables, and their numbers of rows and columns for SDV's log."""
        sampled = draw_tables(self, scale)
        for name, table in sampled.items():
            ordered = table[list(self._original_metadata.tables[name].columns)]
            sampled[name] = ordered.rename(columns=self._original_table_columns.get(name, {}))
        write_tables(sampled, output_folder_path)
        tables = sampled.values()
        return sampled, sum(map(len, tables)), sum(len(each.columns) for each in tables)

    def _assign_table_transformers(
        self, synthesizer: ClustMixSynthesizer, table_name: str, table_data: pd.DataFrame
    ) -> None:
        """Assign transformers as the base class does, for composite keys too."""
        # SDV's base class calls this hook here.
        synthesizer._auto_assign_transformers({table_name: table_data})
        own = as_columns(self._terms.metadata.tables[table_name].primary_key)
        keys = map(as_columns, self._terms.metadata._get_all_foreign_keys(table_name))
        foreign = dict.fromkeys(name for key in keys for name in key if name not in own)
        synthesizer.update_transformers(dict.fromkeys(foreign))

    def _initialize_models(self) -> None:
        self._terms.check()
        for name in self._terms.metadata.tables:
            self._table_parameters[name] = {
                **{each: getattr(self, each) for each in SHARED},
                'target_column': self._terms.find_target(name),
                **({'alpha': 1.0} if self._terms.predicts_elsewhere(name) else {}),
                'pseudonyms': (self.pseudonyms or {}).get(name),
                **self._table_parameters[name],
            }
        super()._initialize_models()

    def _handle_composite_keys(self) -> None:
        self._modified_multi_table_metadata = without_composite_keys(self._terms.metadata)


def make_table(metadata: Metadata, **parameters: Any) -> ClustMixSynthesizer:
    """Make the synthesizer of one table, without what the database does: sequences, long keys."""
    own = without_composite_keys(without_sequences(metadata))
    return ClustMixSynthesizer(own, **parameters)


def derive(synthesizer: ClustMixSynthesizer) -> Domain:
    """Describe the modelled columns of a table by public facts."""
    domain: Domain = synthesizer.preprocessor.derive().derived
    return domain


def label_rows(synthesizer: MultiTableAdapter, schema: Schema) -> dict[str, Labels]:
    """Choose names of the columns that number the rows of each table."""
    tables = synthesizer._table_synthesizers
    taken = {name: {*table.columns} for name, table in synthesizer._terms.metadata.tables.items()}
    for name in schema.private:
        taken[name].update(derive(tables[name]).names)
    return label_numbers(schema, taken)


def order_public(synthesizer: MultiTableAdapter, schema: Schema) -> Alike:
    """Sort the rows of large public tables by similarity, and list the attributes of the rows."""
    from sdv_threea.relational.layout import Likeness
    from sdv_threea.relational.likeness import list_attributes, order_alike

    found = {}
    for name, rows in synthesizer._public_rows.items():
        one = synthesizer._table_synthesizers[name]
        constants = one.settings.constants.joint
        if len(rows) > constants.most_bins:
            domain, keys = derive(one), [link.columns for link in schema.links_of(name)]
            order, apart = order_alike(rows, domain, keys)
            attributes = list_attributes(rows, domain, keys, constants.most_bins)
            found[name] = Likeness(tuple(order.tolist()), tuple(apart.tolist()), attributes)
    return found
