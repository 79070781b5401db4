"""The synthesizer of relational tables: SDV's interface around one private release."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata
from tqdm import tqdm

from sdv_threea.domain import Domain
from sdv_threea.privacy.guard import guarded
from sdv_threea.settings import Settings
from sdv_threea.storage.children import Bounds
from sdv_threea.storage.database import take_tables
from sdv_threea.storage.database_terms import DatabaseTerms
from sdv_threea.storage.metadata import keep_public, list_harmless
from sdv_threea.storage.version import get_version
from sdv_threea.synthesizers.arguments import (
    INVALID_CELLS,
    check_choice,
    check_flag,
    check_kernel,
    check_metadata,
    choose_word,
    read_accepted,
    read_path,
)
from sdv_threea.synthesizers.attempts import attempted
from sdv_threea.synthesizers.cautions import tell_rejected, warn_of_refit
from sdv_threea.synthesizers.disclosing import DisclosingDatabase
from sdv_threea.synthesizers.fixed import Fixed
from sdv_threea.synthesizers.multi_table_adapter import TABLE_PARAMETERS, MultiTableAdapter
from sdv_threea.synthesizers.released import LEFT_OUT, Released, make_header
from sdv_threea.synthesizers.statement import DatabaseStatement, describe_protection
from sdv_threea.synthesizers.turns import in_turn
from sdv_threea.units.membership import Database
from sdv_threea.units.references import number_rows
from sdv_threea.units.schema import Schema

if TYPE_CHECKING:
    from sdv_threea.relational.model import TableRelease
    from sdv_threea.relational.release import DatabaseRelease
    from sdv_threea.transforms.preprocessor import Preprocessor


def load_pipeline() -> ModuleType:
    """Load the pipeline, late to keep the import of SDV light."""
    from sdv_threea.relational import pipeline

    return pipeline


def release_database(*database: Any, **terms: Any) -> DatabaseRelease:
    """Call :func:`sdv_threea.relational.pipeline.release_database`, imported late."""
    released: DatabaseRelease = load_pipeline().release_database(*database, **terms)
    return released


class ClustMixMultiTableSynthesizer(Fixed, DisclosingDatabase, Released, MultiTableAdapter):
    """Synthesizer of relational tables with differential privacy for a whole unit.

    A unit of privacy is one row of the table ``privacy_unit`` with every row, in any table, that
    can be reached from it: a patient with all encounters and all rows that refer to those. The
    synthesizer is used like ``HMASynthesizer`` and takes any schema without circles. Each fit is
    one private release. Sampling costs no privacy.

    Formal guarantees:
        * removing a unit changes the distribution of a fitted synthesizer, and of all its samples,
          by at most ``(epsilon, delta)``
        * a private table that belongs to no unit is protected too, a row of it with the rows that
          belong to it: see :meth:`get_privacy_statement`
        * public tables are copied as they are, and nothing else is

    Args:
        metadata: SDV's metadata of the tables and of their relationships.
        locales: Locales of made-up personal information.
        epsilon: The privacy budget, from 1e-4 to 1e9, as in :class:`ClustMixSynthesizer`.
        delta: The probability with which the promise may fail, from 1e-50 to below 0.01. Choose it
            well below one over the number of units.
        privacy_unit: The table whose rows are the units. By default the only private table that
            refers to no other private one; an error if there are several.
        public_tables: Tables that may be published as they are, such as lists of codes.
        max_children: The most rows that refer to one row of their owner, if public: one number for
            all tables, or a dictionary by table, and by foreign key ``(table, column)`` for
            references to other rows than the owner. By default estimated privately.
        target_column: The column that models will be trained to predict, by table.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately.
        neighbors: How neighbouring databases differ by one unit: ``'add_remove'`` or
            ``'replace_one'``.
        verbose: Whether to show progress, as multi-table synthesizers of SDV do by default.
        min_children: The fewest rows that refer to one row, given as ``max_children`` is. By
            default no bound.
        invalid_cells: How a fit treats cells that contradict the metadata, in all tables:
            ``'raise'`` or ``'coerce'``, as in :class:`ClustMixSynthesizer`. Keys and references
            must be valid in any case.
        memory_limit: Gigabytes that the fit of a table, or a sample, may take, as in
            :class:`ClustMixSynthesizer`.
        accept: The reasons to stop a fit that are accepted, as in :class:`ClustMixSynthesizer`.
        ledger: The file of the data set's ledger, as in :class:`ClustMixSynthesizer`.
        target: Another word for ``target_column``.

    Raises:
        SynthesizerInputError: If an argument is out of range, or the schema cannot be protected.
    """

    #: The tables whose rows are in order; rows of other tables have none.
    ordered_tables: frozenset[str] = frozenset()

    #: Whom the ledger's total protects, in words; empty for the rows of the main table.
    protected: str = ''

    #: Rows of root tables that are not drawn but known, while a sample is drawn.
    known_rows: Mapping[str, pd.DataFrame] = MappingProxyType({})

    def __init__(
        self,
        metadata: Metadata,
        locales: list[str] | str = ['en_US'],
        epsilon: float = 1.0,
        delta: float = 1e-6,
        privacy_unit: str | None = None,
        public_tables: Sequence[str] = (),
        max_children: Bounds = None,
        target_column: Mapping[str, str] | None = None,
        public_metadata: bool = False,
        neighbors: str = 'add_remove',
        verbose: bool = True,
        min_children: Bounds = None,
        invalid_cells: str = 'raise',
        memory_limit: float | None = None,
        accept: Collection[str] | str = (),
        ledger: str | os.PathLike[str] | None = None,
        target: Mapping[str, str] | None = None,
    ) -> None:
        check_metadata(metadata)
        check_choice(INVALID_CELLS, invalid_cells=invalid_cells)
        check_flag(public_metadata=public_metadata, verbose=verbose)
        load_pipeline()
        self.epsilon, self.delta, self.neighbors = epsilon, delta, neighbors
        self.privacy_unit, self.public_tables = privacy_unit, public_tables
        self.min_children, self.max_children = min_children, max_children
        self.target_column = choose_word(target_column, target)
        self.public_metadata, self.invalid_cells = public_metadata, invalid_cells
        known = keep_public(metadata, public_metadata=public_metadata)
        # The attributes are copies, so later changes of the caller's lists have no effect.
        bounds = self.min_children, self.max_children
        terms = DatabaseTerms(known, privacy_unit, self.public_tables, *bounds, self.target_column)
        super().__init__(terms, locales)
        self.epsilon, self.delta = self._promise.epsilon, self._promise.delta
        self.verbose, self.memory_limit = verbose, memory_limit
        self.accept, self.ledger = read_accepted(accept), read_path(ledger=ledger)
        self._harmless = list_harmless(metadata)
        self._num_releases = 0
        self._forget()
        self._fix()

    @attempted
    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Release the private tables. Fitting again is another release, and the costs add up.

        The dtypes of the tables are public: a foreign key stored as integers, for example, reveals
        that no reference is missing.

        After an error or an interrupt the synthesizer is unfitted, as before its first fit. A fit
        that had begun to read the private rows counts nevertheless.

        Args:
            data: All tables by name.

        Raises:
            InvalidDataTypeError: If ``data`` is not a dictionary of tables.
            InvalidDataError: If the tables do not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
            MemoryError: If the fit would exceed the memory limit.
        """
        for each in self._table_synthesizers.values():
            each.check_memory(self.memory_limit)
        self._demand_check()
        super().fit(take_tables(data, self._original_metadata))

    @in_turn
    def preprocess(self, data: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Translate the tables for :meth:`fit_processed_data`. The result is private.

        Args:
            data: All tables by name.

        Returns:
            The modelled columns of the private tables, and the public tables. In place of its keys,
            each row has a number, and the numbers of the rows that it refers to.

        Raises:
            InvalidDataTypeError: If ``data`` is not a dictionary of tables.
            InvalidDataError: If the tables do not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        self._demand_check()
        tables = take_tables(data, self._original_metadata)
        with guarded():
            self._store_and_convert_original_cols(tables)
        self.validate(tables)
        schema = self._terms.read_schema()
        if self._fitted:
            warn_of_refit(self._num_releases + 1, self._promise.guarantee)
        processed = {}
        for name, table in tqdm(tables.items(), **self._get_pbar_args(desc='Preprocess Tables')):
            if name not in schema.public:
                synthesizer = self._table_synthesizers[name]
                self._assign_table_transformers(synthesizer, name, table)
                table = synthesizer.preprocessor.translate(table)
            processed[name] = table
        numbered = number_rows(tables, self._label_rows(schema), self._terms.list_keys())
        with guarded():
            return {
                name: pd.concat([numbers, processed[name].reset_index(drop=True)], axis=1)
                for name, numbers in numbered.items()
            }

    @attempted
    def fit_processed_data(self, processed_data: dict[str, pd.DataFrame]) -> None:
        """Release tables that :meth:`preprocess` has translated.

        Args:
            processed_data: The result of :meth:`preprocess`.

        Raises:
            InvalidDataTypeError: If ``processed_data`` is not a dictionary of tables.
            InvalidDataError: If tables are missing or have no rows, or a row that another one
                refers to is not there any more.
        """
        super().fit_processed_data(take_tables(processed_data, self._original_metadata))

    def reset_sampling(self) -> None:
        """Go back to the state right after fitting: the same tables are drawn again."""
        super().reset_sampling()
        self._generator = self._seed()

    def get_privacy_statement(self) -> DatabaseStatement:
        """Return the promise of the last fit, table by table, and the cost of each release.

        After several fits the statement also tells their joint cost, as for one table.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        model = self._get_model('privacy statement')
        schema, ledgers = model.schema, model.ledgers
        return DatabaseStatement(
            epsilon=float(self._promise.epsilon),
            delta=float(self._promise.delta),
            neighbors=self._promise.neighbors,
            mu=max((ledger.mu for ledger in ledgers.values()), default=0.0),
            tables=describe_protection(schema),
            receipts={root: ledger.receipts for root, ledger in ledgers.items()},
            rows_per_unit={name: each.rows_per_unit for name, each in model.tables.items()},
            public=self._list_public(),
            fits=self._num_releases,
            lost=self._say_losses(model),
            num_units=model.num_units,
            recorded=self._recorded,
            sharpened=model.sharpened,
        )

    @property
    def _promise(self) -> Settings:
        """The settings of any table: all tables make the same promise."""
        settings: Settings = next(iter(self._table_synthesizers.values())).settings
        return settings

    def _initialize_models(self) -> None:
        for name in self._terms.metadata.tables:
            self._table_parameters[name] = {
                'epsilon': self.epsilon,
                'delta': self.delta,
                'neighbors': self.neighbors,
                'public_metadata': self.public_metadata,
                'invalid_cells': self.invalid_cells,
                'target_column': self._terms.find_target(name),
                **self._table_parameters[name],
            }
        super()._initialize_models()

    def _seed(self) -> np.random.Generator:
        """Return the generator of samples, seeded as SDV does: samples need no secrecy."""
        return np.random.default_rng(type(self)._numpy_seed)

    def _forget(self) -> None:
        self._made_with = get_version()
        self._fitted = False
        self._model: DatabaseRelease | None = None
        self._public_rows: dict[str, pd.DataFrame] = {}
        self._table_sizes: dict[str, float] = {}
        self._generator = self._seed()

    def _model_tables(self, augmented_data: tuple[Schema, Database]) -> None:
        from sdv_threea.describe.description import needs_threshold

        schema, database = augmented_data
        synthesizers = self._table_synthesizers
        for each in synthesizers.values():
            check_kernel(each.settings)
        # Keys may need thresholds that no column of a table needs.
        open_ = any(needs_threshold(self._derive(name)) for name in schema.private) or None
        unit = self.protected or f"one row of '{schema.main}' with its rows in other tables"
        self._count_fit(self._promise, unit, thresholds=open_)
        self._model = release_database(
            database,
            schema,
            {name: self._derive(name) for name in schema.private},
            {name: synthesizers[name].settings for name in schema.private},
            children=self._terms.read_children(schema),
            ordered=self.ordered_tables,
            track=lambda names: tqdm(names, **self._get_pbar_args(desc='Release Tables')),
        )
        self._learn_tables(self._model)

    def _learn_tables(self, released: DatabaseRelease) -> None:
        for name, model in released.tables.items():
            own = _describe_own(model), model.released.transformers
            self._table_synthesizers[name].learn_release(*own)
        self._table_sizes = {
            **{name: float(len(rows)) for name, rows in self._public_rows.items()},
            **{name: model.size for name, model in released.tables.items()},
        }

    def _tell_release(self) -> dict[str, Any]:
        private = [name for name in self._table_synthesizers if name not in self._public_rows]
        storages = {name: self._table_synthesizers[name].preprocessor.storage for name in private}
        own, labels = TABLE_PARAMETERS - set(LEFT_OUT), self._original_table_columns
        return {
            'release': self._model,
            'public': self._public_rows,
            'labels': {name: list(each.values()) for name, each in labels.items()},
            'dtypes': {name: each.declared for name, each in storages.items()},
            'parameters': {
                name: {each: value for each, value in given.items() if each in own}
                for name, given in self._table_parameters.items()
            },
        }

    def _adopt_release(self, facts: Mapping[str, Any]) -> None:
        for name, own in facts['parameters'].items():
            self.set_table_parameters(name, own)
        for name, dtypes in facts['dtypes'].items():
            header = make_header(list(dtypes), dtypes)
            self._assign_table_transformers(self._table_synthesizers[name], name, header)
        self._original_table_columns = {
            name: {str(label): label for label in each} for name, each in facts['labels'].items()
        }
        self._public_rows, self._model = facts['public'], facts['release']
        self._learn_tables(facts['release'])

    def _sample(
        self, scale: float, batch_size: int | None = None, max_tries_per_batch: int = 100
    ) -> dict[str, pd.DataFrame]:
        from sdv_threea.relational.release import MAX_TRIES  # everybody who imports SDV loads this

        assert self._model is not None
        accept = self._accept if self._single_table_constraints else None
        drawn = self._model.sample(scale, self._generator, accept, self.known_rows)
        synthesizers = {name: self._table_synthesizers[name] for name in drawn}
        finished = {
            name: each.finish_rows(drawn[name].rows, _describe_own(self._model.tables[name]))
            for name, each in synthesizers.items()
        }
        for name, each in synthesizers.items():
            rules = each.preprocessor.constraints.adopted
            tell_rejected(len(finished[name]), len(drawn[name].rows), MAX_TRIES, rules, name)
        parents = {link: rows for each in drawn.values() for link, rows in each.parents.items()}
        tables = {**self._public_rows, **finished}
        dtypes = {name: each.preprocessor.storage.dtypes for name, each in synthesizers.items()}
        return self._connect(tables, parents, dtypes)

    def _accept(self, table: str, rows: pd.DataFrame) -> NDArray[np.bool_]:
        assert self._model is not None
        preprocessor: Preprocessor = self._table_synthesizers[table].preprocessor
        return preprocessor.accept(rows, _describe_own(self._model.tables[table]))


def _describe_own(model: TableRelease) -> Domain:
    """Describe the released columns of the table itself, without foreign keys."""
    return model.released.domain.only(model.layout.own)
