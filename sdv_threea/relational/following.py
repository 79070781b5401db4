"""The release of rows in the context of the row before them, in addition to single rows.

Each row that follows another one becomes a record: the columns of their common owner, the codes of
the row before, and its own codes. One model of such records draws a whole sequence, and siblings
that are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.domain import Column, Domain
from sdv_threea.relational.allotment import choose_context
from sdv_threea.relational.context import Source, list_beside, list_counts, list_passable
from sdv_threea.relational.layout import (
    Layout,
    Level,
    add_name,
    context_columns,
    context_domain,
    describe_beside,
)
from sdv_threea.relational.magnitudes import LARGEST_BOUND
from sdv_threea.relational.model import TableRelease, draw_rows
from sdv_threea.relational.task import Task, release_rows
from sdv_threea.relational.transitions import (
    Related,
    add_rank,
    code_ranks,
    describe_following,
    describe_rank,
    draw_before,
    encode_pairs,
    name_before,
    pair_rows,
    rank_rows,
)
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.units.membership import (
    Coins,
    Group,
    find_previous,
    pick_rows,
    shuffle_ranks,
)
from sdv_threea.schema import Link, Schema

#: Number of rows drawn of each table that owns others. Densities of owned rows are fitted given
#: these.
NUM_DRAWN = 2**14


class Sampled(NamedTuple):
    """Rows drawn from the release of a table: each as often as it has rows.

    Args:
        owners: The row that was drawn of each row's owner; all -1 in a root.
        of_unit: How many rows of the table the unit of each row has, about.
        beside: By link, rows drawn of a table that these rows own, and for each of these rows the
            place of one that it owns, -1 for none.
    """

    rows: pd.DataFrame
    owners: Wholes
    of_unit: Floats
    beside: Mapping[Link, tuple[pd.DataFrame, Wholes]]


class Given(NamedTuple):
    """Drawn rows of the owners of a table, each as often as it has rows.

    Args:
        context: Columns of the rows above each row.
        owned: Number of rows of each owner, shape (P,).
        others: Number of other owners in the unit, about, shape (P,).
        chosen: The drawn row of the owner.
    """

    context: pd.DataFrame
    owned: Wholes
    others: Floats
    chosen: Wholes

    def count_rows(self, followed: int = 0) -> Floats:
        """Return how many rows the unit of each row has, without the first ones of each owner."""
        own = np.maximum(self.owned - followed, 0)
        # The rows are drawn by owners' rows, so a mean over owners has these weights.
        return own + self.others * float(np.average(own, weights=1 / self.owned))

    def count_alike(self, bound: int | None, followed: int = 0) -> float:
        """Return how many rows the unit of a row has among those that are read, about."""
        return float(np.clip(self.count_rows(followed), 1, bound).mean())

    def as_read(self, bound: int | None, rng: np.random.Generator, followed: int = 0) -> Given:
        """Resample the rows so that an owner occurs as often as a release reads rows of it.

        A release reads at most ``bound`` rows of a unit, without the first ``followed`` ones of
        each owner. If units of many rows were overrepresented in draws, a fit would compensate for
        them.
        """
        rows = self.count_rows(followed)
        read = np.maximum(self.owned - followed, 0) / self.owned
        read = read * (np.minimum(rows, bound or np.inf) / np.maximum(rows, 1.0))
        if not read.any():
            return self
        chosen = rng.choice(len(read), size=len(read), p=read / read.sum())
        context = self.context.iloc[chosen].reset_index(drop=True)
        return Given(context, self.owned[chosen], self.others[chosen], self.chosen[chosen])


def draw_given(
    tables: Mapping[str, TableRelease],
    levels: tuple[Level, ...],
    drawn: Mapping[str, Sampled],
    rng: np.random.Generator,
) -> Given:
    """Draw the context of rows of a table from rows that were drawn of the tables above it."""
    owner = levels[0].link
    above, name = drawn[owner.parent], tables[owner.parent].layout.counts[owner]
    owned = np.maximum(above.rows[name].to_numpy(np.float64), 0.0)
    chances = owned / owned.sum() if owned.sum() > 0 else np.full(len(owned), 1 / len(owned))
    chosen = rng.choice(len(owned), size=NUM_DRAWN, p=chances)
    context = look_up(levels, drawn, chosen)
    # A noisy range could hold counts that do not fit into 64 bits.
    each = np.clip(np.rint(owned[chosen]), 1.0, LARGEST_BOUND).astype(np.int64)
    return Given(context, each, np.maximum(above.of_unit[chosen] - 1, 0.0), chosen)


def look_up(
    levels: tuple[Level, ...], drawn: Mapping[str, Sampled], owners: Wholes
) -> pd.DataFrame:
    """Return the context of rows, whose ``owners`` are numbers of drawn rows, shape (n,)."""
    rows = {table: each.rows for table, each in drawn.items()}
    parents = {levels[0].link: owners}
    for link, *_, beside in levels[1:]:
        if beside:
            rows[link.child], parents[link] = drawn[link.parent].beside[link]
        else:
            parents[link] = drawn[link.child].owners
    return context_columns(levels, rows, parents)


def draw_beside(
    model: TableRelease,
    counts: Floats,
    levels: tuple[Level, ...],
    drawn: Mapping[str, Sampled],
    rng: np.random.Generator,
) -> Sampled:
    """Return the drawn owners of a table, each with one of its rows if its count is not zero.

    ``counts`` are the numbers of rows of the owners, shape (P,).
    """
    owner = levels[0].link
    owned = np.clip(np.rint(counts), 0.0, LARGEST_BOUND).astype(np.int64)
    (owners,) = np.nonzero(owned)
    ranks = (rng.random(len(owners)) * owned[owners]).astype(np.int64)
    rows = draw_rows(model, add_rank(model, look_up(levels, drawn, owners), ranks), rng)
    places = np.full(len(owned), -1)
    places[owners] = np.arange(len(owners))
    above = drawn[owner.parent]
    return above._replace(beside={**above.beside, owner: (rows, places)})


def draw_sample(model: TableRelease, given: Given | None, rng: np.random.Generator) -> Sampled:
    """Draw rows of a table, given their context; ``None`` for a root."""
    if given is None:
        rows = draw_rows(model, pd.DataFrame(index=range(NUM_DRAWN)), rng)
        return Sampled(rows, np.full(NUM_DRAWN, -1), np.ones(NUM_DRAWN), {})
    ranks = (rng.random(NUM_DRAWN) * given.owned).astype(np.int64)
    rows = draw_rows(model, add_rank(model, given.context, ranks), rng)
    return Sampled(rows, given.chosen, given.count_rows(), {})


class Joined(NamedTuple):
    """The rows of a table with their context, which comes first.

    Args:
        rows: The rows, private.
        domain: Public facts of their columns.
        layout: The names of their columns.
        given: Rows drawn of the context, in the place of private ones.
    """

    rows: Rows[Related]
    domain: Domain
    layout: Layout
    given: Given


@dataclass(frozen=True)
class Joining:
    """Joins private rows with the codes of those above and beside, and with their rank if in order.

    Formal guarantees:
        * a row of the result is a function of a row of the table, of its owner, of the owner of
          this one and so on, of one row that each of these owns in each table beside, and of how
          many rows of its owner come before it: of one unit
        * which rows are picked, and how they are ranked, is independent: tables have ``keys`` of
          their own, first the table itself, as which rows of two tables have equal numbers depends
          on other units
    """

    levels: tuple[Level, ...]
    rank: str | None
    keys: tuple[int, ...]

    def __call__(self, group: Group) -> Related:
        """Join the rows of a group."""
        owner, numbers = self.levels[0].link, group.numbers[self.levels[0].link.child]
        table, referred = owner.child, group.parents[owner]
        parents = dict(group.parents)
        beside = (each.link for each in self.levels if each.beside)
        for link, key in zip(beside, self.keys[1:], strict=True):
            coins = Coins(key, group.numbers[link.child])
            parents[link] = pick_rows(group.parents[link], len(group.rows[link.parent]), coins)
        context = context_columns(self.levels, group.rows, parents)
        if self.rank is None:
            ranks = shuffle_ranks(referred, Coins(self.keys[0], numbers))
        else:
            ranks = rank_rows(referred, group.places[table])
            context = context.assign(**{self.rank: code_ranks(ranks)})
        rows = pd.concat([context, group.rows[table]], axis=1)
        return Related(rows, group.units[table], find_previous(referred, ranks), numbers)


def describe_near(task: Task, level: Level) -> Domain:
    """Describe the rows of a table with the columns of their owner, and their rank if in order."""
    own = task.plan.domain
    near: list[Column] = [*context_domain(level.transformers, level.names)]
    if task.ordered:
        near.append(describe_rank(add_name('rank', {*own.names, *level.names})))
    return replace(own, columns=(*near, *own.columns))


def choose_passed(
    task: Task,
    schema: Schema,
    tables: Mapping[str, TableRelease],
    near: Domain,
    num_rows: float,
    bound: int | None,
) -> tuple[Source, ...]:
    """Return the columns that rows get of the context of their owners.

    Columns are passed on if pairs are counted, also among the rows of units that have rows in the
    table that they come from: pairs of columns that evidently depend on each other alone have a
    price. Otherwise numbers of rows that the rows above own are passed on. With these, the rows
    that a bound leaves out bias no mean. If a table gets too wide, rows beside it are left out
    first.

    ``near`` describes the table with the columns of its owner. ``bound`` is that on the rows of a
    unit.
    """
    beside = list_beside(schema, task.table, tables)
    above = list_passable(schema, task.table, tables)
    known = {table: tables[table].magnitudes for table, _ in (*beside, *above)}
    sizes = {
        table: min(num_rows, own.count(1)[0] * bound) if own and bound else num_rows
        for table, own in known.items()
    }
    if chosen := choose_context(task, near, ((*beside, *above), above), sizes, bound or 1):
        return chosen
    counts = list_counts(schema, task.table, tables)
    return tuple(each for each in above if each in counts)


def join_rows(
    task: Task,
    groups: Rows[Group],
    levels: tuple[Level, ...],
    passed: tuple[Source, ...],
    given: Given,
) -> Joined:
    """Join private rows with their context: see :class:`Joining`."""
    plan, names = task.plan, tuple(given.context.columns)
    described = [
        each
        for level in levels
        for each in (
            describe_beside(level, given.context)
            if level.beside
            else context_domain(level.transformers, level.names)
        )
    ]
    layout = replace(plan.layout, context=names, passed=passed)
    rank = add_name('rank', {*plan.domain.names, *names}) if task.ordered else None
    if rank is not None:
        layout = replace(layout, context=(*names, rank), rank=rank)
        described.append(describe_rank(rank))
        drawn = (task.draws.random(len(given.owned)) * given.owned).astype(np.int64)
        given = given._replace(context=given.context.assign(**{rank: code_ranks(drawn)}))
    keys = (task.toss(), *(task.toss() for each in levels if each.beside))
    rows = groups.map(Joining(levels, rank, keys)).keep()
    domain = replace(plan.domain, columns=(*described, *plan.domain.columns))
    return Joined(rows, domain, layout, given)


def release_following(
    task: Task, joined: Joined, model: TableRelease
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Add the model of a row given the row before it.

    Formal guarantees:
        * a row that is read is a function of two rows of one owner and of the owner, so of one
          unit, and a unit has at most ``rows_per_unit`` of them
    """
    bound = model.rows_per_unit
    given = joined.given.as_read(bound, task.draws, followed=1)
    before = draw_before(model, *given[:2], task.draws)
    rows = joined.rows.map(partial(pair_rows, name_before(model), bound, task.toss())).keep()
    rows = rows.map(partial(encode_pairs, model))
    domain = Domain(describe_following(model))
    released = release_rows(
        task,
        rows,
        domain,
        bound,
        task.shares.following,
        given=before,
        doubtful=model.layout.distant,
        alike=given.count_alike(bound, 1),
    )
    layout = Layout(model.layout.own, context=tuple(before.columns))
    following = replace(model, released=released, layout=layout)
    receipts = tuple(
        replace(each, released=f'given the row before: {each.released}')
        for each in released.ledger.receipts
    )
    return replace(model, following=following), receipts
