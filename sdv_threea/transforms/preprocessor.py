"""From the table of a user to the columns that are modelled, and back from what was released.

The way there is: cells are read as plain values, constraints replace columns by derived ones
(:mod:`sdv_threea.constraints`), and transformers that the user has chosen come last. The way back
is the same in reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata

from sdv_threea.constraints.constraint_set import ConstraintSet, modify_metadata
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Domain
from sdv_threea.encoding.transformers import Transformer
from sdv_threea.intake.facts import Facts
from sdv_threea.intake.table import read_table
from sdv_threea.privacy.guard import guarded
from sdv_threea.storage.metadata import ColumnMetadata
from sdv_threea.storage.reading import PrivateTable, take_table
from sdv_threea.storage.table import StoredColumns, TableStorage
from sdv_threea.transforms.outer import find_untaken
from sdv_threea.transforms.transformer_set import TransformerSet


class Preprocessor:
    """The way from the table of a user to the columns that are modelled, and back.

    Before a release it knows what is public, and after one also what was released; of private rows
    it keeps nothing.

    Formal guarantees:
        * records are translated one by one: a row of the result is a function of the same row of
          the table, and of what is public
        * nothing is fitted on private rows: see :class:`TableStorage`, :class:`ConstraintSet` and
          :class:`TransformerSet`
        * a complaint about the private table names columns and rules, and shows no value

    Args:
        metadata: Metadata of one table, without what is not public.
        target: The column that models will be trained to predict, if it is known.
        coerce: Whether cells that break what is stated of them are replaced, and the table is not
            refused.
        unreleased: What samples show in the place of values that are not released, by column.
    """

    def __init__(
        self,
        metadata: Metadata,
        *,
        target: str | None,
        coerce: bool,
        unreleased: Mapping[str, Hashable | None] | None = None,
    ) -> None:
        ((self.name, table),) = metadata.tables.items()
        self.coerce = coerce
        self.storage = TableStorage(table, target, unreleased or {})
        self.constraints = ConstraintSet(metadata)
        self.transformers = TransformerSet(self.storage.columns)
        #: The derivations that the release was fitted with.
        self.derivations = Derivations(Domain(()))

    @property
    def columns(self) -> Mapping[str, ColumnMetadata]:
        """What the metadata says about each column."""
        return self.storage.columns

    def describe(self) -> Domain:
        """Describe the modelled columns of the user by what is public of them."""
        return self.storage.describe(self.constraints.increments)

    def derive(self) -> Derivations:
        """Tell how the columns that are modelled follow from those of the user: public."""
        return self.transformers.extend(self.constraints.derive(self.describe()))

    def modify(self, metadata: Metadata) -> Metadata:
        """Describe the columns that are modelled as SDV does."""
        return modify_metadata(metadata, self.derive())

    def add_constraints(self, constraints: Sequence[Any]) -> None:
        """Add constraints; transformers that were chosen for the columns before are dropped.

        Args:
            constraints: Constraints for one table; they are copied.

        Raises:
            ConstraintNotMetError: If the metadata does not fit a constraint.
            SynthesizerInputError: If a constraint is about columns that are made up.
        """
        self.constraints.add(constraints, self.storage.make_proxy(self.describe()))
        self.transformers.chosen = {}

    def check_transformers(self, transformers: Mapping[str, Any]) -> None:
        """Refuse transformers that columns cannot have: see :meth:`TransformerSet.check`."""
        self.transformers.check(transformers, self.constraints.derive(self.describe()))

    def choose_transformers(self, transformers: Mapping[str, Any]) -> None:
        """Take over transformers that were checked.

        Args:
            transformers: What the user wants, by column; ``None`` for none.
        """
        self.transformers.choose(transformers, self.describe().names)
        self.transformers.assign(self.derive().derived, transformers)

    def complete_transformers(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """List the transformers of all columns: see :meth:`TransformerSet.complete`."""
        return self.transformers.complete(found, self.describe().names)

    def take(self, data: object) -> PrivateTable:
        """Make ready to read the table: see :func:`sdv_threea.storage.reading.take_table`."""
        return take_table(data, self.name, self.columns)

    def check(self, table: PrivateTable) -> None:
        """Refuse a table that does not match the metadata; see *Refusals* in docs/privacy.md.

        Args:
            table: The private table.

        Raises:
            InvalidDataError: If it does not match the metadata.
            ConstraintNotMetError: If rows break a constraint.
        """
        problems = self.storage.find_problems(table, coerce=self.coerce)
        if not problems and not self.coerce:
            facts = self.storage.list_facts(table.header.dtypes.to_dict())
            problems = find_untaken(table.rows, facts, self.derive())
        problems = problems or self.storage.find_key_problems(table.header)
        if problems:
            raise InvalidDataError(problems)
        if not self.coerce:
            self.constraints.check(table)

    def prepare(self, header: pd.DataFrame) -> pd.DataFrame:
        """Make ready to translate a table.

        Args:
            header: Its columns; rows are not looked at.

        Returns:
            The table that SDV is to be shown instead, a function of what is public.
        """
        self.storage.declare(header)
        self.transformers.assign(self.derive().derived)
        return self.storage.make_proxy(self.describe())

    def make_translation(self) -> Callable[[pd.DataFrame], pd.DataFrame]:
        """Make the function that translates private rows one by one; it can be pickled."""
        return partial(_translate, self.storage.list_facts(), self.derive())

    def translate(self, table: pd.DataFrame) -> pd.DataFrame:
        """Translate private rows; the result is private.

        Args:
            table: The columns of the user.

        Returns:
            The columns that are modelled.
        """
        with guarded():
            return self.make_translation()(table)

    def learn(self, domain: Domain, transformers: tuple[Transformer, ...]) -> pd.DataFrame:
        """Learn from a release how synthetic rows are stored, and which rules they obey.

        Args:
            domain: The columns that are modelled, as released.
            transformers: From the cells of these and other columns to codes, as released.

        Returns:
            The table that SDV is to be fitted on, a function of what is public or released.
        """
        self.derivations = self.derive()
        restored = self.derivations.restore(domain)
        self.storage.learn(restored)
        self.transformers.learn(domain, transformers, self.derivations, self.storage.dtypes)
        proxy = self.storage.make_proxy(restored)
        self.constraints.teach(self.derivations, domain, proxy)
        return proxy

    def describe_storage(self, domain: Domain | None) -> StoredColumns:
        """Tell how the columns of the user are stored in a synthetic table.

        Args:
            domain: The columns that are modelled, as released; ``None`` if there are none.
        """
        restored = Domain(()) if domain is None else self.derivations.restore(domain)
        return StoredColumns(self.columns, self.storage.dtypes, restored)

    def restore(self, sampled: pd.DataFrame, domain: Domain) -> pd.DataFrame:
        """Turn sampled rows back into the columns of the user.

        Args:
            sampled: The columns that are modelled, as drawn from the release.
            domain: The same, as released.

        Returns:
            The columns of the user that are modelled, in their stored form up to dtypes.
        """
        return self.describe_storage(domain).decode(self.derivations.back(sampled, domain))

    def accept(self, sampled: pd.DataFrame, domain: Domain) -> NDArray[np.bool_]:
        """Tell which sampled rows meet all constraints, shape (n,).

        Args:
            sampled: The columns that are modelled, as drawn from the release.
            domain: The same, as released.
        """
        rows = self.restore(sampled, domain)
        kept = self.constraints.keep_valid(rows)
        return np.asarray(np.isin(np.arange(len(rows)), kept.index))


def _translate(
    facts: tuple[Facts, ...], derivations: Derivations, chunk: pd.DataFrame
) -> pd.DataFrame:
    """Read the cells, and derive the columns that are modelled."""
    read = read_table(facts, chunk)
    return derivations.forward(read) if derivations.steps else read
