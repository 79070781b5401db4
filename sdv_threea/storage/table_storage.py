"""Metadata and dtypes of the columns of one table, before a release and after it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sdv_threea.domain import Domain
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.facts import Facts
from sdv_threea.rows.intake.table import find_merged, find_problems, find_repeated_keys
from sdv_threea.storage.metadata import MODELLED, ColumnMetadata, describe, list_facts
from sdv_threea.storage.reading import PrivateTable
from sdv_threea.storage.writing import (
    OBJECT,
    choose_dtypes,
    declare,
    decode,
    is_categorical,
    make_proxy,
)


@dataclass(frozen=True)
class StoredColumns:
    """Metadata and dtypes of a synthetic table, and its modelled columns as released."""

    columns: Mapping[str, ColumnMetadata]
    dtypes: Mapping[str, Any]
    domain: Domain

    def decode(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Turn sampled modelled columns into the user's values; SDV sets the dtypes later."""
        return decode(sampled, self.columns, self.dtypes, self.domain)


@dataclass
class TableStorage:
    """Metadata and dtypes of the columns of one table, before a release and after it.

    Formal guarantees:
        * the facts that are kept of a private table are functions of its dtypes, which are public
        * all other facts that are kept are stated in the metadata, or were released

    Args:
        described: SDV's metadata of the table, without private facts.
        target: The column that models will be trained to predict; ``None`` if not known.
        unreleased: The replacement of unreleased values by column, as in
            :func:`~sdv_threea.storage.metadata.describe`.
        sentinels: Pairs of a column and its sentinels, numbers that stand for something else.
        named: The columns with pseudonyms: they are read, and their values are made up.
        declared: The dtypes of the private table by column, without the categories in them.
        dtypes: The dtypes of the synthetic table by column; empty before a release.
    """

    described: Any
    target: str | None = None
    unreleased: Mapping[str, Hashable | None] = field(default_factory=dict)
    declared: dict[str, Any] = field(default_factory=dict)
    dtypes: dict[str, Any] = field(default_factory=dict)
    sentinels: tuple[tuple[str, tuple[float, ...]], ...] = ()
    named: tuple[str, ...] = ()

    @property
    def columns(self) -> Mapping[str, ColumnMetadata]:
        """The metadata of each column, in order."""
        columns: Mapping[str, ColumnMetadata] = self.described.columns
        return columns

    def describe(self, increments: Mapping[str, float]) -> Domain:
        """Describe the modelled columns by public facts, including known increments."""
        return describe(
            self.columns,
            target=self.target,
            increments=increments,
            dtypes=self.declared,
            unreleased=self.unreleased,
            sentinels=dict(self.sentinels),
        )

    def declare(self, header: pd.DataFrame) -> None:
        """Keep the dtypes of the private table, from its header."""
        dtypes = header.dtypes.to_dict()  # pandas lists all dtypes at each access
        self.declared = {name: declare(dtypes[name]) for name in self.columns}
        # A dtype with categories would hold names, which are not kept.
        listed = [name for name in self.named if is_categorical(self.declared[name])]
        self.declared |= dict.fromkeys(listed, OBJECT)

    def make_proxy(self, domain: Domain) -> pd.DataFrame:
        """Make the table that SDV gets in place of the private one."""
        return make_proxy(choose_dtypes(self.columns, self.declared, domain))

    def learn(self, domain: Domain) -> None:
        """Choose the dtypes of synthetic rows for a released domain."""
        self.dtypes = choose_dtypes(self.columns, self.declared, domain)

    def list_facts(self, dtypes: Mapping[str, Any] | None = None) -> tuple[Facts, ...]:
        """Return the public facts with which cells are read, for the declared dtypes by default."""
        declared = self.declared if dtypes is None else dtypes
        facts = list_facts(self.columns, declared, dict(self.sentinels))
        named = (
            Facts(name, 'categorical', nullable=self.columns[name].get('range_is_nullable'))
            for name in self.named
        )
        return (*facts, *named)

    def find_problems(self, table: PrivateTable, *, coerce: bool) -> list[str]:
        """List where a table does not match the metadata, a sentence each, without a value.

        With ``coerce``, only mismatches that cannot be replaced count, such as a missing column.
        """
        problems = compare_columns(list(table.header.columns), list(self.columns))
        if problems:
            return problems
        keys = sorted(self.described._get_primary_and_alternate_keys())
        facts = self.list_facts(table.header.dtypes.to_dict())
        # Ids are checked too, because they may be foreign keys, which a fit reads.
        kinds = {name: each['sdtype'] for name, each in self.columns.items()}
        read = [name for name in kinds if name in self.named or kinds[name] in (*MODELLED, 'id')]
        problems = find_misstored(table.header, facts)
        with guarded():
            problems += find_merged(table.header, dict.fromkeys([*read, *keys]))
        problems = problems or find_problems(table.rows, facts, keys, self.target, coerce=coerce)
        # Repeated keys can be found only if the table is in memory.
        if not problems and not coerce and keys and table.whole is not None:
            whole = table.take(keys)
            with guarded():
                problems = find_repeated_keys(whole, keys)
        return problems

    def make_empty(self) -> pd.DataFrame:
        """Make a synthetic table without rows, but with all columns."""
        return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in self.dtypes.items()})


def compare_columns(found: list[Hashable], expected: list[str]) -> list[str]:
    """Return sentences on columns that differ between a table and its metadata; reads no cell."""
    there, wanted = set(found), set(expected)
    missing = [name for name in expected if name not in there]
    unknown = [name for name in found if name not in wanted]
    problems = []
    if missing:
        problems.append(f'The columns {missing} of the metadata are not in the table.')
    if unknown:
        problems.append(f'The columns {unknown} of the table are not in the metadata.')
    if len(there) < len(found):
        problems.append('The table has several columns of the same name.')
    return problems


def find_misstored(header: pd.DataFrame, facts: Sequence[Facts]) -> list[str]:
    """Return a sentence for each numerical column stored as a category, judged by dtypes."""
    dtypes = header.dtypes.to_dict()
    return [
        f"Column '{each.name}' (numerical) is stored as a category: convert it to numbers, or "
        'change the sdtype.'
        for each in facts
        if each.sdtype == 'numerical' and isinstance(dtypes[each.name], pd.CategoricalDtype)
    ]
