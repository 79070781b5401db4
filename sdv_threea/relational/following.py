"""The release of rows in the context of the row before them, in addition to single rows.

Each row that follows another one becomes a record: the columns of their common owner, the codes of
the row before, and its own codes. One model of such records draws a whole sequence, and siblings
that are alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Wholes
from sdv_threea.domain import Domain
from sdv_threea.encoding.transformers import Transformer
from sdv_threea.planning.shares import Known, drowns_pairs
from sdv_threea.relational.layout import (
    Layout,
    add_name,
    context_columns,
    context_domain,
    context_transformers,
)
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.task import Task, release_rows
from sdv_threea.relational.transitions import (
    Related,
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
from sdv_threea.rows.units.membership import Coins, Group, find_previous, shuffle_ranks
from sdv_threea.schema import Link


class Given(NamedTuple):
    """Drawn rows of the owners of a table, each as often as it has rows.

    Args:
        context: Columns of the owner of each row.
        owned: Number of rows of each owner, shape (P,).
    """

    context: pd.DataFrame
    owned: Wholes

    def as_read(self, bound: int | None, rng: np.random.Generator, followed: int = 0) -> Given:
        """Resample the rows so that an owner occurs as often as a release reads rows of it.

        A release reads at most ``bound`` rows, without the first ``followed`` ones. If owners of
        many rows were overrepresented in draws, a fit would compensate for them.
        """
        read = np.clip(self.owned - followed, 0, bound) / np.maximum(self.owned, 1)
        if not read.any():
            return self
        chosen = rng.choice(len(read), size=len(read), p=read / read.sum())
        return Given(self.context.iloc[chosen].reset_index(drop=True), self.owned[chosen])


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
    """Joins private rows with the codes of their owners, and with their rank if they have an order.

    Formal guarantees:
        * a row of the result is a function of a row of the table, of its owner, and of how many
          rows of this owner come before it
    """

    owner: Link
    transformers: tuple[Transformer, ...]
    names: tuple[str, ...]
    rank: str | None
    key: int

    def __call__(self, group: Group) -> Related:
        """Join the rows of a group."""
        table, referred = self.owner.child, group.parents[self.owner]
        above, numbers = group.rows[self.owner.parent], group.numbers[table]
        context = context_columns(self.transformers, self.names, above, referred)
        if self.rank is None:
            ranks = shuffle_ranks(referred, Coins(self.key, numbers))
        else:
            ranks = rank_rows(referred, group.places[table])
            context = context.assign(**{self.rank: code_ranks(ranks)})
        rows = pd.concat([context, group.rows[table]], axis=1)
        return Related(rows, group.units[table], find_previous(referred, ranks), numbers)


def join_rows(
    task: Task, groups: Rows[Group], owner: Link, parent: TableRelease, given: Given
) -> Joined:
    """Join private rows with their context: see :class:`Joining`."""
    plan, names = task.plan, tuple(given.context.columns)
    transformers = context_transformers(parent.released.transformers, parent.layout)
    described, layout = context_domain(transformers, names), replace(plan.layout, context=names)
    rank = add_name('rank', {*plan.domain.names, *names}) if task.ordered else None
    if rank is not None:
        layout = replace(layout, context=(*names, rank), rank=rank)
        described = (*described, describe_rank(rank))
        drawn = (task.draws.random(len(given.owned)) * given.owned).astype(np.int64)
        given = given._replace(context=given.context.assign(**{rank: code_ranks(drawn)}))
    rows = groups.map(Joining(owner, transformers, names, rank, task.toss())).keep()
    domain = replace(plan.domain, columns=(*described, *plan.domain.columns))
    return Joined(rows, domain, layout, given)


def share_following(
    task: Task, domain: Domain, magnitudes: Magnitudes, bound: int | None, share: float
) -> float:
    """Return the share of the budget for rows given the row before them; 0 for none.

    All columns of both releases get equal shares. The share is zero if no owner has two rows, and
    if noise would exceed pair counts in fine bins: then :mod:`~sdv_threea.relational.agreement` is
    better. ``share`` is the share of both releases.
    """
    num_pairs, own = magnitudes.count_pairs(bound), task.plan.domain.columns
    if num_pairs < 1:
        return 0.0
    both = (*domain.columns, *own)
    later = share * (len(both) + 1) / (len(domain.columns) + len(both) + 2)
    renamed = Domain(tuple(replace(each, name=str(at)) for at, each in enumerate(both)))
    known = Known(task.settings, task.budget.part(later), num_pairs, len(domain.columns))
    noisy = math.isfinite(task.budget.mu)
    least = task.settings.constants.joint.least_bins_of_number if noisy else 0
    return 0.0 if drowns_pairs(renamed, known, least) else later


def release_following(
    task: Task, joined: Joined, model: TableRelease, share: float
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Add the model of a row given the row before it.

    Formal guarantees:
        * a row that is read is a function of two rows of one owner and of the owner, so of one
          unit, and a unit has at most ``rows_per_unit`` of them
    """
    bound = model.rows_per_unit
    given = joined.given.as_read(bound, task.draws, followed=1)
    before = draw_before(model, *given, task.draws)
    rows = joined.rows.map(partial(pair_rows, name_before(model), bound, task.toss())).keep()
    rows = rows.map(partial(encode_pairs, model))
    domain = Domain(describe_following(model))
    released = release_rows(task, rows, domain, bound, share, given=before)
    layout = Layout(model.layout.own, context=tuple(before.columns))
    following = replace(model, released=released, layout=layout)
    receipts = tuple(
        replace(each, released=f'given the row before: {each.released}')
        for each in released.ledger.receipts
    )
    return replace(model, following=following), receipts
