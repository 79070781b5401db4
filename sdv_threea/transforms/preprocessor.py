"""A user's table to the modelled columns, and sampled rows back to the user's columns.

Cells are read as plain values, derived columns replace those of constraints
(:mod:`sdv_threea.constraints`), the user's transformers come last. Samples go the same way back.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from secrets import token_bytes
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata

from sdv_threea.arrays import Bools
from sdv_threea.constraints.constraint_set import ConstraintSet, modify_metadata
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Category, Domain
from sdv_threea.encoding.encoders import Transformer
from sdv_threea.rows.derived import translate
from sdv_threea.rows.guard import guarded
from sdv_threea.storage.metadata import ColumnMetadata
from sdv_threea.storage.reading import PrivateTable, take_table
from sdv_threea.storage.table_storage import StoredColumns, TableStorage
from sdv_threea.transforms.pseudonyms import KEY_BYTES, NameStep, has_names
from sdv_threea.transforms.steps import find_untaken
from sdv_threea.transforms.transformer_set import TransformerSet


class Preprocessor:
    """Translation of a user's table to the modelled columns, and back.

    A preprocessor keeps public and, after a release, released facts, and nothing of private rows.

    Formal guarantees:
        * records are translated one by one: a row of the result is a function of the same row of
          the table, and of public facts
        * nothing is fitted on private rows: see :class:`TableStorage`, :class:`ConstraintSet` and
          :class:`TransformerSet`
        * an error about the private table names columns and rules, and shows no value

    With ``coerce``, cells that break a stated fact are replaced; otherwise the table is refused.
    ``pseudonyms`` has, by column, the pool of names and the number of different values, or 0.
    """

    def __init__(
        self,
        metadata: Metadata,
        *,
        target: str | None,
        coerce: bool,
        unreleased: Mapping[str, Hashable | None] | None = None,
        sentinels: Mapping[str, tuple[float, ...]] | None = None,
        pseudonyms: Mapping[str, tuple[str, int]] | None = None,
    ) -> None:
        ((self.name, table),) = metadata.tables.items()
        self.coerce = coerce
        self.storage = TableStorage(table, target, unreleased or {})
        self.storage.sentinels = tuple((sentinels or {}).items())
        self.pseudonyms = dict(pseudonyms or {})
        self.storage.named = tuple(self.pseudonyms)
        #: RDT's generators of pseudonyms, by column.
        self.generators: dict[str, Any] = {}
        self.constraints = ConstraintSet(metadata)
        self.transformers = TransformerSet(self.storage.columns)
        #: The derivations of the last fit.
        self.derivations = Derivations(Domain(()))

    @property
    def columns(self) -> Mapping[str, ColumnMetadata]:
        """The metadata of each column."""
        return self.storage.columns

    @property
    def counts_known(self) -> bool:
        """Whether the number of different values is stated for a column with pseudonyms."""
        return any(known for _, known in self.pseudonyms.values())

    def describe(self) -> Domain:
        """Describe the user's modelled columns by public facts."""
        return self.storage.describe(self.constraints.increments)

    def derive(self, key: bytes = b'') -> Derivations:
        """Return the derivations of the modelled columns; reading private rows needs a ``key``."""
        derivations = self.transformers.extend(self.constraints.derive(self.describe()))
        steps = [self._name(name, key) for name in self.pseudonyms]
        # Other columns come last, because the last column may become the target.
        columns = (*(step.column for step in steps), *derivations.domain.columns)
        domain = replace(derivations.domain, columns=columns)
        return replace(derivations, domain=domain, steps=(*derivations.steps, *steps))

    def modify(self, metadata: Metadata) -> Metadata:
        """Return SDV's metadata of the modelled columns."""
        return modify_metadata(metadata, self.derive())

    def add_constraints(self, constraints: Sequence[Any]) -> None:
        """Add copies of constraints for one table, and drop the transformers chosen before."""
        self.constraints.add(constraints, self.storage.make_proxy(self.describe()))
        self.transformers.chosen = {}

    def check_transformers(self, transformers: Mapping[str, Any]) -> None:
        """Refuse transformers that columns cannot have: see :meth:`TransformerSet.check`."""
        self.transformers.check(transformers, self.constraints.derive(self.describe()))

    def choose_transformers(self, transformers: Mapping[str, Any]) -> None:
        """Use checked transformers, by column; ``None`` removes a column's transformer."""
        self.transformers.choose(transformers, self.describe().names)
        self.transformers.assign(self.derive().derived, transformers)

    def complete_transformers(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the transformers of all columns: see :meth:`TransformerSet.complete`."""
        return self.transformers.complete(found, self.describe().names) | self.generators

    def take(self, data: object) -> PrivateTable:
        """Wrap the user's table for reading: see :func:`sdv_threea.storage.reading.take_table`."""
        return take_table(data, self.name, self.columns)

    def check(self, table: PrivateTable) -> None:
        """Refuse a table that does not match the metadata; see *Refusals* in docs/privacy.md."""
        problems = self.storage.find_problems(table, coerce=self.coerce)
        if not problems and not self.coerce:
            facts = self.storage.list_facts(table.header.dtypes.to_dict())
            problems = find_untaken(table.rows, facts, self.derive())
        problems = problems or self.storage.described._validate_primary_key(table.header)
        if problems:
            raise InvalidDataError(problems)
        if not self.coerce:
            self.constraints.check(table)

    def prepare(self, header: pd.DataFrame) -> pd.DataFrame:
        """Return a public table that SDV gets in place of the private one; reads no row."""
        self.storage.declare(header)
        self.transformers.assign(self.derive().derived)
        return self.storage.make_proxy(self.describe())

    def make_translation(self, key: bytes | None = None) -> Callable[[pd.DataFrame], pd.DataFrame]:
        """Return a function, which can be pickled, that translates private rows one by one.

        Tables of one database share the ``key`` of pseudonyms; by default it is fresh.
        """
        drawn = token_bytes(KEY_BYTES) if key is None else key
        return partial(translate, self.storage.list_facts(), self.derive(drawn).forward)

    def translate(self, table: pd.DataFrame, key: bytes | None = None) -> pd.DataFrame:
        """Translate private rows to the modelled columns; the result is private."""
        step = self.make_translation(key)
        with guarded():
            return step(table)

    def learn(self, domain: Domain, transformers: tuple[Transformer, ...]) -> pd.DataFrame:
        """Learn dtypes and rules from a release; return the public table that SDV is fitted on."""
        self.derivations = self.derive()
        restored = self.derivations.restore(domain)
        self.storage.learn(restored)
        self.transformers.learn(domain, transformers, self.derivations, self.storage.dtypes)
        proxy = self.storage.make_proxy(restored)
        self.constraints.teach(self.derivations, domain, proxy)
        return proxy

    def choose_generators(self, domain: Domain) -> dict[str, Any]:
        """Return SDV's generators of columns with pseudonyms, ``None`` if names were released."""
        counted = {each.name for each in domain.columns if has_names(each)}
        return {name: None if name in counted else own for name, own in self.generators.items()}

    def describe_storage(self, domain: Domain | None) -> StoredColumns:
        """Return metadata and dtypes of the user's columns in a synthetic table."""
        restored = Domain(()) if domain is None else self.derivations.restore(domain)
        return StoredColumns(self.columns, self.storage.dtypes, restored)

    def restore(self, sampled: pd.DataFrame, domain: Domain) -> pd.DataFrame:
        """Turn sampled rows into the user's modelled columns; SDV sets the dtypes later."""
        return self.describe_storage(domain).decode(self.derivations.back(sampled, domain))

    def accept(self, sampled: pd.DataFrame, domain: Domain) -> Bools:
        """Return true for sampled rows that meet all constraints, shape (n,)."""
        rows = self.restore(sampled, domain)
        kept = self.constraints.keep_valid(rows)
        return np.asarray(np.isin(np.arange(len(rows)), kept.index))

    def _name(self, name: str, key: bytes) -> NameStep:
        nullable = self.columns[name].get('range_is_nullable')
        column = Category(name=name, nullable=nullable, many=True)
        return NameStep(column, *self.pseudonyms[name], self.generators.get(name), key)
