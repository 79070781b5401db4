"""The released model of a database, and its samples: synthetic rows and their foreign keys.

Foreign keys are positions of rows of the parents. Tables are drawn parents first. No private row is
read, so samples cost no privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from sdv_threea.accounting import Ledger, Receipt
from sdv_threea.arrays import Bools, Wholes
from sdv_threea.domain import Number
from sdv_threea.maths.shrinkage import stein_factor
from sdv_threea.relational.attributes import refer_by_attributes
from sdv_threea.relational.context import find_levels
from sdv_threea.relational.foreign_keys import (
    adjust_counts,
    choose_within,
    follow_references,
    keep_within,
    move_away,
    refer_to_public,
)
from sdv_threea.relational.kinds import Codes
from sdv_threea.relational.layout import NONE, OTHER, OWN, context_columns
from sdv_threea.relational.model import Drawn, References, TableRelease, draw_rows
from sdv_threea.relational.order import add_gaps, count_unit
from sdv_threea.relational.row_counts import overall_chances, raise_size
from sdv_threea.relational.sizes import Children, scale_children, settle_sizes
from sdv_threea.relational.spreading import keep_apart, spread_references
from sdv_threea.relational.transitions import Draw, add_rank, draw_gaps, draw_in_turn, rank_rows
from sdv_threea.rows.units.links import mark_repeats
from sdv_threea.rows.units.membership import Coins, pick_rows
from sdv_threea.schema import Link, Schema

#: Takes the name of a table and its drawn rows; returns true for rows that may stay, shape (n,).
Accept = Callable[[str, pd.DataFrame], Bools]

#: The number of times that refused rows are drawn again. Rows that are refused after that are kept.
MAX_TRIES = 100


@dataclass(frozen=True)
class DatabaseRelease:
    """The released model of a database: publishable.

    Args:
        tables: The released model of each private table.
        ledgers: By root table, the receipts of what a unit of that root paid.
        num_rows: Number of rows of each public table.
        children: By link, the public bounds on the number of rows that refer to one parent row.
    """

    schema: Schema
    tables: Mapping[str, TableRelease]
    ledgers: Mapping[str, Ledger]
    num_rows: Mapping[str, int]
    children: Mapping[Link, Children]

    @property
    def num_units(self) -> float:
        """The released number of units: rows of root tables, and rows without an owner."""
        return math.fsum(
            model.size * (1.0 if self.schema.root(table) == table else model.orphans)
            for table, model in self.tables.items()
        )

    @property
    def sharpened(self) -> tuple[str, ...]:
        """The targets, with their tables, that samples make easier to predict than they are."""
        return tuple(
            f'{table}.{target}'
            for table, model in self.tables.items()
            for target in model.released.sharpened
            if model.following is None and model.agreement is None
        )

    def add(
        self, table: str, model: TableRelease, receipts: tuple[Receipt, ...]
    ) -> DatabaseRelease:
        """Return this release with one more table and its receipts."""
        done = replace(self, tables={**self.tables, table: model})
        return done.charge(self.schema.root(table), table, receipts)

    def charge(self, root: str, table: str, receipts: tuple[Receipt, ...]) -> DatabaseRelease:
        """Return this release with receipts of a table that the units of a root paid."""
        named = (replace(one, released=f'{table}: {one.released}') for one in receipts)
        ledger = self.ledgers.get(root, Ledger()).add(*named)
        return replace(self, ledgers={**self.ledgers, root: ledger})

    def settle(self) -> DatabaseRelease:
        """Return this release with table sizes that the public row counts and bounds allow.

        A root table gets at least about as many rows as units were estimated in the tables that it
        owns.
        """
        roots = dict(self.tables)
        for table, owner in self.schema.owners.items():
            magnitudes = self.tables[table].magnitudes
            if owner is None or not owner.required or magnitudes is None:
                continue
            if self.schema.owners[owner.parent] is None:
                root = roots[owner.parent]
                roots[owner.parent] = replace(root, size=raise_size(root, magnitudes))
        sizes = replace(self, tables=roots)._choose_sizes(1.0, self.children)
        tables = {
            table: replace(model, size=float(sizes[table])) for table, model in self.tables.items()
        }
        return replace(self, tables=tables)

    def sample(
        self,
        scale: float,
        rng: np.random.Generator,
        accept: Accept | None = None,
        known: Mapping[str, pd.DataFrame] | None = None,
        distinct: Sequence[tuple[Link, ...]] = (),
    ) -> dict[str, Drawn]:
        """Draw rows and references of all private tables; any number of samples costs no privacy.

        A table gets ``scale`` times its size, and at least one row unless it lacks parents. Rows
        that ``accept`` refuses are drawn again; by default all stay. ``known`` has rows of root
        tables, which are not drawn. For each of the ``distinct`` keys, references are swapped until
        no two rows have the same key, if possible.
        """
        drawn: dict[str, Drawn] = {}
        units: dict[str, Wholes] = {}
        children = scale_children(self.children, self.schema, scale)
        sizes = self._choose_sizes(scale, children)
        for table, owner in ((each, self.schema.owners[each]) for each in self.schema.private):
            owners = self._own(table, sizes[table], drawn, rng)
            if known and table in known:
                rows = known[table].copy()
            else:
                rows = self._draw(table, owners, drawn, rng, accept)
            rows = self._add_index(table, owners, rows, drawn, rng)
            # A row gets the unit of its owner. A row without an owner is a unit of its own.
            units[table] = alone = np.arange(len(owners)) + sum(map(len, units.values()))
            if owner is not None:
                led = np.append(units[owner.parent], -1)[owners]
                units[table] = np.where(owners >= 0, led, alone)
            shown = rows.copy(deep=False)
            others = self._refer(table, owners, rows, units, drawn, rng)
            for link in others:
                num_parents, each = self._count(link.parent, drawn), children[link]
                others[link] = keep_within(others[link], num_parents, each, link.required, rng)
            found = others if owner is None else {owner: owners, **others}
            for key in (*distinct, *self._find_distinct(table, found, units[table])):
                if key[-1].child != table:
                    continue
                last = key[-1]
                theirs = units.get(last.parent, np.full(self._count(last.parent, drawn), -1))
                found[last] = keep_apart(found, key, units[table], theirs, rng)
            if not known or table not in known:
                own = accept and partial(accept, table)
                rows = follow_references(self.tables[table], rows, shown, found, rng, own)
            drawn[table] = Drawn(rows, found, rows.copy(deep=False))
        return drawn

    def _find_distinct(
        self, table: str, found: Mapping[Link, Wholes], units: Wholes
    ) -> list[tuple[Link, ...]]:
        """List the owner with each public link to which, by the release, no owner refers twice.

        Either no reference repeats, or as many as drawn. The fewer are drawn, the likelier is the
        former.
        """
        owner = self.schema.owners[table]
        keys: list[tuple[Link, ...]] = []
        for link, released in self.tables[table].references.items():
            if owner is None or link.parent not in self.schema.public:
                continue
            drawn = mark_repeats(found[owner], units, found[link])
            usual, (share, noise) = float(drawn.mean()) if len(drawn) else 0.0, released.repeats
            if usual and share < usual / 2 + (1 - usual) * noise**2 / usual:
                keys.append((owner, link))
        return keys

    def _choose_sizes(self, scale: float, children: Mapping[Link, Children]) -> dict[str, int]:
        wanted = {table: model.size * scale for table, model in self.tables.items()}
        return settle_sizes(wanted, self.schema, self.num_rows, children)

    def _count(self, table: str, drawn: Mapping[str, Drawn]) -> int:
        """Count the rows of a public table, or of a private table that is already drawn."""
        return self.num_rows[table] if table in self.schema.public else len(drawn[table].rows)

    def _own(
        self, table: str, size: int, drawn: Mapping[str, Drawn], rng: np.random.Generator
    ) -> Wholes:
        """Return each row's owner, -1 for none; adjust the owners' numbers of rows in place."""
        owner = self.schema.owners[table]
        if owner is None:
            return np.full(size, -1)
        parent, children = self.tables[owner.parent], self.children[owner]
        name, rows = parent.layout.counts[owner], drawn[owner.parent].rows
        fewest, many = children.of(len(rows))
        orphans = round(self.tables[table].orphans * size)
        owned = min(max(size - orphans, fewest), int(min(many, size)))
        # A row owns at most all rows of the table. Without this bound, a noisy range could hold
        # counts that do not fit into 64 bits.
        counts = np.minimum(rows[name].to_numpy(), size).astype(np.int64)
        if parent.hides(overall_chances(parent.released, name)):
            counts = self._replace_counts(owner, counts, owned, rng)
        counted, most = parent.released.domain[name], children.most
        if most is None and isinstance(counted, Number) and len(rows):
            # The range of counts was estimated, and leaves out the few rows that own the most. The
            # released magnitudes count the units with more rows.
            high = min(counted.high or 0.0, size)
            counts = self._enlarge(table, counts, high, owned, rng)
            most = max(int(counts.max()), int(high), math.ceil(owned / len(rows)))
        drawn[owner.parent].shown[name] = counts.astype(np.float64)
        counts = adjust_counts(counts, owned, most, rng, children.least)
        rows[name] = counts.astype(np.float64)
        owners = np.repeat(np.arange(len(rows)), counts)
        return np.append(owners, np.full(min(orphans, size - owned), -1))

    def _replace_counts(
        self, owner: Link, counts: Wholes, owned: int, rng: np.random.Generator
    ) -> Wholes:
        """Draw new counts of owned rows, in the same order, if noise masks their distribution.

        Counts of rows of units come from the released magnitudes, others from a Poisson
        distribution.
        """
        magnitudes, num = self.tables[owner.child].magnitudes, len(counts)
        if self.schema.owners[owner.parent] is None and magnitudes is not None:
            drawn = magnitudes.draw_rows(num, rng)
        else:
            drawn = np.sort(rng.poisson(owned / max(num, 1), num))
        replaced = np.empty(num, dtype=np.int64)
        replaced[np.lexsort((rng.random(num), counts))] = np.minimum(drawn, owned)
        return replaced

    def _enlarge(
        self, table: str, counts: Wholes, high: float, owned: int, rng: np.random.Generator
    ) -> Wholes:
        """Replace a few counts of owned rows by larger ones, drawn from the released magnitudes."""
        magnitudes = self.tables[table].magnitudes
        if magnitudes is None:
            return counts
        many = magnitudes.draw_beyond(high, owned - int(counts.sum()), rng)[: len(counts)]
        enlarged = counts.copy()
        enlarged[rng.permutation(len(counts))[: len(many)]] = many
        return enlarged

    def _draw(
        self,
        table: str,
        owners: Wholes,
        drawn: Mapping[str, Drawn],
        rng: np.random.Generator,
        accept: Accept | None,
    ) -> pd.DataFrame:
        """Draw the own columns of a table's rows, given the owner of each."""
        model, owner = self.tables[table], self.schema.owners[table]
        context = pd.DataFrame(index=pd.RangeIndex(len(owners)))
        if owner is not None:
            rows = {name: each.shown for name, each in drawn.items()}
            parents = {link: led for each in drawn.values() for link, led in each.parents.items()}
            levels = find_levels(self.schema, table, self.tables)
            for link in (each.link for each in levels if each.beside):
                coins = Coins(int(rng.integers(2**63)), np.arange(len(parents[link])))
                parents[link] = pick_rows(parents[link], len(rows[link.parent]), coins)
            context = context_columns(levels, rows, {**parents, owner: owners})
            context = add_rank(model, context, rank_rows(owners))

        followed = (owners >= 0) & (np.bincount(owners + 1, minlength=1)[owners + 1] > 1)

        def settle(draw: Draw, rows: Wholes) -> pd.DataFrame:
            if model.layout.gap is not None:
                draw = partial(draw_gaps, draw, model.layout.gap, followed)
            return _settle(draw, rows, partial(accept, table) if accept else None)

        if model.following is not None or model.agreement is not None:
            return draw_in_turn(model, context, owners, settle, rng)

        def draw(rows: Wholes) -> pd.DataFrame:
            return draw_rows(model, context.iloc[rows], rng)

        return settle(draw, np.arange(len(owners)))

    def _add_index(
        self,
        table: str,
        owners: Wholes,
        rows: pd.DataFrame,
        drawn: Mapping[str, Drawn],
        rng: np.random.Generator,
    ) -> pd.DataFrame:
        """Add the index of ordered rows: the owner's first index plus all gaps since."""
        model, owner = self.tables[table], self.schema.owners[table]
        index, gap = model.index, model.layout.gap
        if index is None or owner is None or gap is None:
            return rows
        firsts = drawn[owner.parent].rows[self.tables[owner.parent].layout.firsts[owner]]
        gaps = rows[gap].to_numpy(np.float64) * count_unit(index, model.released.domain[gap])
        values = add_gaps(firsts.to_numpy(np.float64), gaps, owners, index, rng)
        return rows.assign(**{index.name: values})

    def _refer(
        self,
        table: str,
        owners: Wholes,
        rows: pd.DataFrame,
        units: Mapping[str, Wholes],
        drawn: Mapping[str, Drawn],
        rng: np.random.Generator,
    ) -> dict[Link, Wholes]:
        """Return the references to the tables that do not own the rows, -1 for none, by link.

        References to public tables come from the model. A released share of the references to
        private tables stays within the unit. The others are as uneven as released, and kinds of
        rows refer to kinds of rows as released.
        """
        layout, found = self.tables[table].layout, {}
        for link in layout.references:
            by_attributes = layout.attributes.get(link)
            refer = refer_by_attributes if by_attributes else refer_to_public
            found[link] = refer(self.tables[table], link, rows, rng)
        for link in self.schema.links_away(table):
            here = np.ones(len(rows), dtype=np.bool_)
            if link in layout.present:
                here = rows[layout.present[link]].to_numpy().astype(np.bool_)
            own, theirs, away = units[table], units[link.parent], here
            if link in self.schema.unit_links[table]:
                here &= link.required | (owners >= 0)
                led = np.full(len(rows), OWN)
                if link in layout.shared:
                    led = self._lead(table, rows, layout.shared[link], rng)
                here &= led != NONE
                away = here & move_away(own, theirs, led == OTHER, here, rng)
            found[link] = np.where(here, choose_within(own, theirs, rng), -1)
            released = self.tables[table].references.get(link, References())
            whole = {**drawn, table: Drawn(rows, found, rows)}
            ends = self._code_ends(link, released, owners, whole)
            found[link][away] = spread_references(
                owners[away],
                own[away],
                theirs,
                [(ours[away], codes) for ours, codes in ends],
                released,
                self.tables[table].constants,
                rng,
            )
        return found

    def _lead(self, table: str, rows: pd.DataFrame, name: str, rng: np.random.Generator) -> Wholes:
        """Return where each reference leads, shape (n,), with the rarer end shrunk by its noise."""
        model, led = self.tables[table], rows[name].to_numpy().astype(np.int64)
        shares = np.bincount(led, minlength=OTHER + 1) / max(len(led), 1)
        rare, other = (OWN, OTHER) if shares[OWN] < shares[OTHER] else (OTHER, OWN)
        kept = stein_factor(shares[[rare]], model.noise)
        return np.where((led == rare) & (rng.random(len(led)) >= kept), other, led)

    def _code_ends(
        self, link: Link, released: References, owners: Wholes, drawn: Mapping[str, Drawn]
    ) -> list[Codes]:
        owner, found = self.schema.owners[link.child], []
        for each in released.ends:
            if each.own or owner is None:
                ours = self._code(link.child, each.ours, drawn)
            else:
                # A row without an owner has no code.
                ours = np.append(self._code(owner.parent, each.ours, drawn), -1)[owners]
            found.append((ours, self._code(link.parent, each.theirs, drawn)))
        return found

    def _code(self, table: str, name: str, drawn: Mapping[str, Drawn]) -> Wholes:
        transformers = self.tables[table].released.transformers
        (own,) = (each for each in transformers if each.name == name)
        return own.encode(self._column(table, name, drawn))

    def _column(self, table: str, name: str, drawn: Mapping[str, Drawn]) -> pd.Series:
        """Return a drawn column; for a public table, the references that were levelled."""
        for link, column in self.tables[table].layout.references.items():
            if column == name:
                rows = pd.Series(drawn[table].parents[link])
                return rows.where(rows >= 0)
        return drawn[table].rows[name].reset_index(drop=True)


def _settle(
    draw: Draw, rows: Wholes, accept: Callable[[pd.DataFrame], Bools] | None
) -> pd.DataFrame:
    """Draw rows at some positions, and refused ones again; the result is indexed from 0."""
    drawn = draw(rows)
    for _ in range(MAX_TRIES):
        again = np.flatnonzero(~accept(drawn) if accept else [])
        if not len(again):
            break
        redrawn = draw(rows[again]).set_axis(again)
        drawn = pd.concat([drawn.drop(index=again), redrawn]).sort_index()
    return drawn
