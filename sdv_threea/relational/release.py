"""What is released of several tables, and drawing rows and keys from it, table by table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Ledger, Receipt
from sdv_threea.anonymize.context import Context, Shared, draw_in_context
from sdv_threea.domain import Number
from sdv_threea.encoding.blocks import decode, encode
from sdv_threea.moments import GRID
from sdv_threea.relational.bounds import overall_chances
from sdv_threea.relational.keys import adjust_counts, choose_within, deal, level, spread
from sdv_threea.relational.layout import Layout, context_blocks, context_columns
from sdv_threea.relational.schema import Link, Schema
from sdv_threea.release import Release

#: Tells which of the rows drawn for a table are acceptable, shape (n,).
Accept = Callable[[str, pd.DataFrame], NDArray[np.bool_]]

#: Times that rows which are not acceptable are drawn again; the rest stay as they are.
MAX_TRIES = 100

#: A context whose codes have no chance in a class counts as this improbable.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True)
class TableRelease:
    """The released model of one table: publishable.

    Args:
        released: The release of its rows beside the codes of those that own them.
        layout: The columns of ``released``.
        size: About how many rows the table has.
        orphans: About which share of them has no owner.
        noise: Standard deviation of the noise of a released share of the rows.
        common: Covariance of what siblings share, shape (r, r), if they do.
        together: The chance with which they share their component.
        rows_per_unit: How many rows of a unit were looked at; ``None`` for all.
        most_owned: The most rows that refer to one row of its owner, if that is public.
    """

    released: Release
    layout: Layout
    size: float
    orphans: float = 0.0
    noise: float = 0.0
    common: NDArray[np.float64] | None = None
    together: float = 0.0
    rows_per_unit: int | None = 1
    most_owned: int | None = None

    @property
    def context(self) -> NDArray[np.int64]:
        """Which of the scored columns are context, shape (q,)."""
        blocks = [self.released.blocks[at].name for at in self.released.scored]
        return np.flatnonzero([name in self.layout.context for name in blocks])


@dataclass(frozen=True)
class Drawn:
    """The rows drawn for a table.

    Args:
        rows: Its own columns.
        parents: Row of the parent that each row refers to, -1 for none, by link.
    """

    rows: pd.DataFrame
    parents: Mapping[Link, NDArray[np.int64]]


@dataclass(frozen=True)
class DatabaseRelease:
    """The released model of a database: publishable.

    Args:
        schema: The graph of its tables.
        tables: The release of each private table.
        ledgers: What was paid for the units of each root table.
        num_rows: Number of rows of the public tables.
    """

    schema: Schema
    tables: Mapping[str, TableRelease]
    ledgers: Mapping[str, Ledger]
    num_rows: Mapping[str, int]

    def add(
        self, table: str, model: TableRelease, receipts: tuple[Receipt, ...]
    ) -> DatabaseRelease:
        """Add the release of one more table, and what its units paid for it."""
        root = self.schema.root(table)
        named = (replace(one, released=f'{table}: {one.released}') for one in receipts)
        ledger = self.ledgers.get(root, Ledger()).add(*named)
        return replace(
            self, tables={**self.tables, table: model}, ledgers={**self.ledgers, root: ledger}
        )

    def sample(
        self, scale: float, rng: np.random.Generator, accept: Accept | None = None
    ) -> dict[str, Drawn]:
        """Draw all private tables: free of privacy cost, however often.

        Args:
            scale: How many times the size of the private tables.
            rng: Source of randomness; it needs no secrecy.
            accept: Tells which rows are acceptable; the others are drawn again. All, by default.

        Returns:
            Rows and references, by table; at least one row each, if there are parents for it.
        """
        drawn: dict[str, Drawn] = {}
        units: dict[str, NDArray[np.int64]] = {}
        for table in self.schema.private:
            size = max(1, round(self.tables[table].size * scale))
            owners = self._own(table, size, drawn, rng)
            rows = self._draw(table, owners, drawn, rng, accept)
            owner = self.schema.owners[table]
            # Rows without an owner are units of their own, whose names no other row has.
            alone = np.arange(len(owners)) + sum(map(len, units.values()))
            units[table] = alone
            if owner is not None:
                led = np.append(units[owner.parent], -1)[owners]
                units[table] = np.where(owners >= 0, led, alone)
            others = self._refer(table, owners, rows, units, rng)
            for link in others:
                if link.unique:
                    others[link] = spread(others[link], self._count(link.parent, drawn), rng)
            drawn[table] = Drawn(rows, others if owner is None else {owner: owners, **others})
        return drawn

    def _count(self, table: str, drawn: Mapping[str, Drawn]) -> int:
        return self.num_rows[table] if table in self.schema.public else len(drawn[table].rows)

    def _own(
        self, table: str, size: int, drawn: Mapping[str, Drawn], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw the owner of every row: as often as its count of rows says."""
        owner = self.schema.owners[table]
        if owner is None:
            return np.full(size, -1)
        model, parent = self.tables[table], self.tables[owner.parent]
        orphans = round(model.orphans * size)
        name, rows = parent.layout.counts[owner], drawn[owner.parent].rows
        counted, most = parent.released.domain[name], model.most_owned
        if most is None and isinstance(counted, Number) and len(rows):
            # An estimated end is no promise: rare owners of many do not show in it.
            most = max(int(counted.high or 0), math.ceil((size - orphans) / len(rows)))
        counts = adjust_counts(rows[name].to_numpy().astype(np.int64), size - orphans, most, rng)
        rows[name] = counts.astype(np.float64)
        owners = np.repeat(np.arange(len(rows)), counts)
        return np.append(owners, np.full(orphans, -1))

    def _draw(
        self,
        table: str,
        owners: NDArray[np.int64],
        drawn: Mapping[str, Drawn],
        rng: np.random.Generator,
        accept: Accept | None,
    ) -> pd.DataFrame:
        """Draw the rows of a table, given those that own them."""
        model, owner = self.tables[table], self.schema.owners[table]
        context = pd.DataFrame(index=pd.RangeIndex(len(owners)))
        if owner is not None:
            parent = self.tables[owner.parent]
            blocks = context_blocks(parent.released.blocks, parent.layout)
            context = context_columns(blocks, drawn[owner.parent].rows, owners)
        shared = draw_shared(model, owners, rng)
        rows = draw_rows(model, context, shared, rng)
        for _ in range(MAX_TRIES):
            again = np.flatnonzero(~accept(table, rows) if accept else [])
            if not len(again):
                break
            theirs = None if shared is None else shared[again]
            redrawn = draw_rows(model, context.iloc[again], theirs, rng)
            rows = pd.concat([rows.drop(index=again), redrawn.set_index(again)]).sort_index()
        return rows

    def _refer(
        self,
        table: str,
        owners: NDArray[np.int64],
        rows: pd.DataFrame,
        units: Mapping[str, NDArray[np.int64]],
        rng: np.random.Generator,
    ) -> dict[Link, NDArray[np.int64]]:
        """Draw the references of rows to tables that do not own them."""
        layout, found = self.tables[table].layout, {}
        for link in self.schema.links_of(table):
            if link in layout.references:
                found[link] = self._refer_to_public(table, link, rows, rng)
            elif link != self.schema.owners[table]:
                found[link] = np.full(len(rows), -1)
                here = np.ones(len(rows), dtype=np.bool_)
                if link in layout.present:
                    here = rows[layout.present[link]].to_numpy().astype(np.bool_)
                theirs = units[link.parent]
                if link not in self.schema.unit_links(table):
                    found[link][here] = deal(owners[here], len(theirs), rng)
                    continue
                if not link.required:
                    here &= owners >= 0
                found[link][here] = choose_within(units[table][here], theirs, rng)
        return found

    def _refer_to_public(
        self, table: str, link: Link, rows: pd.DataFrame, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Read the references to a public table off the rows, and level them."""
        model = self.tables[table]
        named = rows[model.layout.references[link]].astype('float64').fillna(-1)
        found: NDArray[np.int64] = named.to_numpy().astype(np.int64)
        chances = overall_chances(model.released, model.layout.references[link])[1:]
        here = found >= 0
        if chances.sum() > 0:
            found[here] = level(found[here], chances, model.noise, rng)
        return found


def draw_shared(
    model: TableRelease, owners: NDArray[np.int64], rng: np.random.Generator
) -> Shared | None:
    """Draw what siblings share; rows without an owner share it with nobody."""
    if model.common is None:
        return None
    groups = np.where(owners >= 0, owners, owners.max(initial=0) + 1 + np.arange(len(owners)))
    _, group = np.unique(groups, return_inverse=True)
    values, vectors = np.linalg.eigh(model.common)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    num_groups = int(group.max(initial=-1)) + 1
    effects = rng.standard_normal((num_groups, len(values))) @ root.T
    # Two siblings share what both of them keep: hence the root.
    kept = rng.random(len(owners)) < math.sqrt(model.together)
    places = np.where(kept, rng.random(num_groups)[group], np.nan)
    return Shared(effects[group], model.common, places)


def draw_rows(
    model: TableRelease,
    context: pd.DataFrame,
    shared: Shared | None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the own columns of rows, given their context and what they share with siblings."""
    released = model.released
    own = [block.name for block in released.blocks if block.name not in model.layout.context]
    if context.empty and shared is None:
        return released.sample(len(context), rng)[own]
    known, other = model.context, np.setdiff1d(np.arange(len(released.scored)), model.context)
    blocks = tuple(released.blocks[at] for at in released.scored[known])
    found = encode(context, blocks)
    given = describe_context(model, found)
    classes, quantiles = draw_in_context(released.mixture, given, rng, shared)
    codes = np.zeros((len(context), len(released.blocks)), dtype=np.int64)
    codes[:, released.scored[known]] = found
    for at, column in zip(other, quantiles.T, strict=True):
        codes[:, released.scored[at]] = released.scores.codes(at, column, classes)
    if released.labels is not None:
        classes = released.labels.draw(codes[:, released.scored], rng)
    released.classes.write_target(codes, classes)
    return decode(codes, released.blocks, rng)[own]


def describe_context(model: TableRelease, codes: NDArray[np.int32]) -> Context:
    """Look up the scores and chances of the codes of a context, shape (n, q), in every class."""
    columns, scores = model.context, model.released.scores
    num_classes = len(scores.variances)
    found = np.zeros((num_classes, *codes.shape))
    chances = np.zeros((num_classes, len(codes)))
    for place, at in enumerate(columns):
        column, present = np.maximum(codes[:, place], 0), codes[:, place] >= 0
        found[:, :, place] = np.where(present, scores.scores[at][:, column] / GRID, 0.0)
        logs = np.log(np.maximum(scores.chances(at), LEAST_CHANCE))
        chances += np.where(present, logs[:, column], 0.0)
    return Context(columns, found, chances, scores.variances)
