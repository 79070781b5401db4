"""How the columns of one table are stored, before a release and after it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sdv_threea.domain import Domain
from sdv_threea.intake.facts import Facts
from sdv_threea.intake.table import (
    compare_columns,
    find_merged,
    find_misstored,
    find_problems,
    find_repeated_keys,
)
from sdv_threea.privacy.guard import guarded
from sdv_threea.storage.dtypes import choose_dtypes, declare, make_proxy
from sdv_threea.storage.metadata import MODELLED, ColumnMetadata, describe, list_facts
from sdv_threea.storage.reading import PrivateTable
from sdv_threea.storage.writing import decode


@dataclass(frozen=True)
class StoredColumns:
    """How the columns of a synthetic table are stored: public or released.

    Args:
        columns: What the metadata says about each column.
        dtypes: The dtypes of the synthetic table.
        domain: The modelled columns of the user, as far as they were released.
    """

    columns: Mapping[str, ColumnMetadata]
    dtypes: Mapping[str, Any]
    domain: Domain

    def decode(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Translate sampled rows into the stored form of the columns, up to dtypes.

        Args:
            sampled: The modelled columns of the user: floats, or categories as objects.
        """
        return decode(sampled, self.columns, self.dtypes, self.domain)


@dataclass
class TableStorage:
    """How the columns of one table are stored, before a release and after it.

    Formal guarantees:
        * what is kept of a private table is a function of its dtypes, which are public
        * everything else that is kept is stated in the metadata, or was released

    Args:
        described: What SDV's metadata says about the table, without what is not public.
        target: The column that models will be trained to predict, if it is known.
        unreleased: What samples show in the place of values that are not released, by column;
            ``None`` is missing where cells may be missing, and spread elsewhere.
        declared: The dtypes of the private table by column, without the values in them.
        dtypes: The dtypes of the synthetic table by column; empty before a release.
    """

    described: Any
    target: str | None = None
    unreleased: Mapping[str, Hashable | None] = field(default_factory=dict)
    declared: dict[str, Any] = field(default_factory=dict)
    dtypes: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> Mapping[str, ColumnMetadata]:
        """What the metadata says about each column, in order."""
        columns: Mapping[str, ColumnMetadata] = self.described.columns
        return columns

    def describe(self, increments: Mapping[str, float]) -> Domain:
        """Describe the modelled columns by what is public of them.

        Args:
            increments: The granularity of numbers that constraints make public, by column.
        """
        return describe(
            self.columns,
            target=self.target,
            increments=increments,
            dtypes=self.declared,
            unreleased=self.unreleased,
        )

    def declare(self, header: pd.DataFrame) -> None:
        """Take the dtypes of the private table over.

        Args:
            header: Its columns; rows are not looked at.
        """
        dtypes = header.dtypes.to_dict()  # pandas lists all of them for each that is asked for
        self.declared = {name: declare(dtypes[name]) for name in self.columns}

    def make_proxy(self, domain: Domain) -> pd.DataFrame:
        """Make the table that SDV is shown in the place of the private one.

        Args:
            domain: The modelled columns, as far as they are known.
        """
        return make_proxy(choose_dtypes(self.columns, self.declared, domain))

    def learn(self, domain: Domain) -> None:
        """Choose how synthetic rows are stored.

        Args:
            domain: The modelled columns of the user, as they were released.
        """
        self.dtypes = choose_dtypes(self.columns, self.declared, domain)

    def list_facts(self, dtypes: Mapping[str, Any] | None = None) -> tuple[Facts, ...]:
        """List the public facts by which private cells are read, a column each.

        Args:
            dtypes: The dtypes of the cells; those that were declared, by default.
        """
        return list_facts(self.columns, self.declared if dtypes is None else dtypes)

    def find_problems(self, table: PrivateTable, *, coerce: bool) -> list[str]:
        """Find what does not match the metadata, one sentence each, without a value.

        Args:
            table: The private table.
            coerce: Whether cells that break what is stated of them will be replaced. Then only what
                cannot be replaced is a problem, such as a column that is not there.
        """
        problems = compare_columns(list(table.header.columns), list(self.columns))
        if problems:
            return problems
        keys = sorted(self.described._get_primary_and_alternate_keys())
        facts = self.list_facts(table.header.dtypes.to_dict())
        # Ids may be foreign keys, which are read to follow them.
        read = [name for name, each in self.columns.items() if each['sdtype'] in (*MODELLED, 'id')]
        problems = find_misstored(table.header, facts)
        with guarded():
            problems += find_merged(table.header, dict.fromkeys([*read, *keys]))
        problems = problems or find_problems(table.rows, facts, keys, self.target, coerce=coerce)
        # Keys of a table that is not in memory would have to be brought together to be compared.
        if not problems and not coerce and keys and table.whole is not None:
            with guarded():
                problems = find_repeated_keys(table.take(keys), keys)
        return problems

    def find_key_problems(self, header: pd.DataFrame) -> list[str]:
        """Find primary keys whose dtype cannot hold what the metadata says, as SDV does.

        Args:
            header: The columns of the private table; rows are not looked at.
        """
        problems: list[str] = self.described._validate_primary_key(header)
        return problems

    def make_empty(self) -> pd.DataFrame:
        """Make a synthetic table without rows: SDV leaves out columns that it has nothing for."""
        return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in self.dtypes.items()})
