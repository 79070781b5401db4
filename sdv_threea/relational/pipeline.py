"""The release of a database, by :func:`release_database`.

Every private row is assigned to its unit of privacy. Then tables are released in order, parents
before children, each by :mod:`sdv_threea.pipeline` and in the context of the rows that own its
rows. The result is a :class:`~sdv_threea.relational.release.DatabaseRelease` with its ledgers.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Bools, Wholes
from sdv_threea.domain import Domain, Number
from sdv_threea.planning.shares import Known
from sdv_threea.privacy.door import release as release_sums
from sdv_threea.privacy.mechanism import Noise, discrete_gaussian
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.relational.agreement import release_agreement
from sdv_threea.relational.attributes import settle_attributes
from sdv_threea.relational.estimates import (
    agree,
    believe,
    count_owned,
    estimate_size,
    lend_ranges,
    most_rows,
    most_units,
    share_magnitudes,
)
from sdv_threea.relational.following import (
    Given,
    Joined,
    join_rows,
    release_following,
    share_following,
)
from sdv_threea.relational.layout import (
    Alike,
    Layout,
    Orders,
    context_columns,
    context_transformers,
    name_context,
)
from sdv_threea.relational.links import (
    Sizes,
    release_references,
    release_repeats,
)
from sdv_threea.relational.magnitudes import (
    LARGEST_BOUND,
    Magnitudes,
    count_rows,
    release_magnitudes,
)
from sdv_threea.relational.model import TableRelease, draw_rows
from sdv_threea.relational.order import describe_index, order_rows
from sdv_threea.relational.plan import Plan, plan_tables, share_budget
from sdv_threea.relational.release import DatabaseRelease
from sdv_threea.relational.rows_per_unit import choose_bound
from sdv_threea.relational.sizes import Children, complete_children
from sdv_threea.relational.task import (
    Task,
    keep_rows,
    noise_of_columns,
    noise_of_count,
    release_rows,
)
from sdv_threea.relational.transitions import add_rank
from sdv_threea.release import Release
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import take
from sdv_threea.rows.units.membership import Database, Group
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings
from sdv_threea.statistics import registry

#: Number of rows drawn of each table that owns others. Densities of owned rows are fitted given
#: these.
NUM_DRAWN = 2**14


def release_database(  # noqa: PLR0913 (what, the price, and sources of chance)
    database: Rows[Database],
    schema: Schema,
    num_rows: Mapping[str, int],
    domains: Mapping[str, Domain],
    settings: Mapping[str, Settings],
    *,
    children: Mapping[Link, Children],
    ordered: Orders = MappingProxyType({}),
    alike: Alike = MappingProxyType({}),
    noise: Noise = discrete_gaussian,
    rng: np.random.Generator | None = None,
    track: Callable[[tuple[str, ...]], Iterable[str]] = iter,
) -> DatabaseRelease:
    """Release a model of several private tables that refer to each other.

    Formal guarantees:
        * with the neighbours of :func:`~sdv_threea.rows.units.membership.find_units`, each ledger
          is the cost of the release for a unit of that root table; no unit has rows in the tables
          of two roots, so a unit pays for the tables of its own root (parallel composition), and
          for the links between those and tables of another
        * a unit has at most ``rows_per_unit`` rows among those that a table's release reads, and
          each of them is a function of the unit's rows
        * tables are released in order: a release reads only the released part of other tables'
          releases

    Args:
        database: The private rows, in groups of whole units.
        schema: The graph of tables; public.
        num_rows: The number of rows of each public table.
        domains: The public description of each private table's columns.
        settings: The user's settings, by table; the budget is the same for all.
        children: By link, the public bounds on the number of rows that refer to one parent row.
        ordered: The tables in which the rows of one owner are in order, and the index that they
            rise by; ``None`` for the order of the table.
        alike: Which rows of large public tables are alike; public.
        noise: The source of noise; tests may replace it.
        rng: Source of two streams that nobody else may know. The first stream is for draws from
            released models. The second stream has the keys by which private rows are chosen.
        track: Wraps the names of the tables as they are released, for a progress bar.
    """
    draws, choices = (rng or np.random.default_rng()).spawn(2)
    children = complete_children(schema, children)
    plans = plan_tables(schema, domains, num_rows, children, ordered, alike)
    layouts = {table: plan.layout for table, plan in plans.items()}
    listed = {table: domains[table][index] for table, index in ordered.items() if index}
    indices = {table: each for table, each in listed.items() if isinstance(each, Number)}
    groups = database.map(partial(order_rows, schema, layouts, indices)).keep()
    budgets, paid = share_budget(schema, plans, settings)
    done = DatabaseRelease(schema, {}, {}, num_rows, children)
    drawn: dict[str, pd.DataFrame] = {}
    for table in track(schema.private):
        terms = budgets[table], settings[table], noise, draws, choices, table in ordered
        task = Task(table, plans[table], *terms)
        given = _draw_context(task, drawn, done)
        model, receipts = _release_table(task, groups, done, given)
        if table in indices:
            model = _add_index(model, indices[table], done, schema.owners[table])
        done = done.add(table, model, receipts)
        for link in schema.links_away(table):
            done = _release_link(task, link, groups, paid[link], done)
        if plans[table].layout.counts:
            context = pd.DataFrame(index=range(NUM_DRAWN)) if given is None else given.context
            ranks = np.zeros(NUM_DRAWN) if given is None else draws.random(NUM_DRAWN) * given.owned
            context = add_rank(model, context, ranks.astype(np.int64))
            drawn[table] = draw_rows(model, context, draws)
    return done.settle()


def _draw_context(
    task: Task, drawn: Mapping[str, pd.DataFrame], done: DatabaseRelease
) -> Given | None:
    """Draw the context of rows of a table from the releases above it; ``None`` for a root.

    ``drawn`` are rows of the tables above.
    """
    owner = done.schema.owners[task.table]
    if owner is None:
        return None
    parent, rows = done.tables[owner.parent], drawn[owner.parent]
    owned = np.maximum(rows[parent.layout.counts[owner]].to_numpy(np.float64), 0.0)
    chances = owned / owned.sum() if owned.sum() > 0 else np.full(len(rows), 1 / len(rows))
    chosen = task.draws.choice(len(rows), size=NUM_DRAWN, p=chances)
    transformers = context_transformers(parent.released.transformers, parent.layout)
    names = name_context(transformers, task.plan.domain.names)
    context = context_columns(transformers, names, rows, chosen)
    # A noisy range could hold counts that do not fit into 64 bits.
    each = np.clip(np.rint(owned[chosen]), 1.0, LARGEST_BOUND)
    return Given(context, each.astype(np.int64))


def _release_table(
    task: Task, groups: Rows[Group], done: DatabaseRelease, given: Given | None
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release one table in the context of its owner, from private rows and earlier releases."""
    table, plan, constants = task.table, task.plan, task.constants
    owner = done.schema.owners[table]
    if owner is None or given is None:
        return _release_root(task, groups)
    parent = done.tables[owner.parent]
    plan = plan._replace(domain=lend_ranges(plan.domain, done.schema, owner, done.tables))
    task = task._replace(plan=plan)
    joined = join_rows(task, groups, owner, parent, given)
    num_units = most_units(done.tables[done.schema.root(table)], parent, owner)
    masking = noise_of_count(task, joined.domain)
    counting = share_magnitudes(num_units, masking, task.budget, constants)
    counted_once = (not owner.required) + len(plan.layout.references)
    share = 1 - counting - constants.orphans_share * counted_once
    terms = task.budget.part(counting), task.noise, num_units
    counted = joined.rows.map(attrgetter('units')).map(count_rows).keep()
    magnitudes, asked = release_magnitudes(counted, plan.most_rows, *terms)
    noise = noise_of_count(task, joined.domain, share)
    bound = choose_bound(magnitudes, noise, constants.typical_share, plan.most_rows)
    num_rows = magnitudes.count(bound)
    task, joined = _settle_columns(task, joined, num_rows[0] / (bound or 1), share)
    later = share_following(task, joined.domain, magnitudes, bound, share)
    agrees = not later and magnitudes.count_pairs(1) >= 1
    share -= later + constants.agreement_share * agrees
    task = task.unsharpened() if later or agrees else task
    context = joined.given.as_read(bound, task.draws).context
    known = {'size': num_rows if bound else None, 'given': context}
    kept = joined.rows.map(partial(keep_rows, bound, task.toss(), ordered=task.ordered)).keep()
    released = release_rows(task, kept, joined.domain, bound, share, **known)
    orphans, receipts = _release_orphans(task, done.schema, groups, owner)
    model = _size_table(task, joined.layout, bound, done, released, magnitudes, orphans)
    paid: tuple[Receipt, ...] = ()
    for link in plan.layout.references:
        found, once = release_repeats(task, link, owner, groups)
        model = replace(model, references={**model.references, link: found})
        receipts = (*receipts, once)
    if later:
        model, paid = release_following(task, joined, model, later)
    elif agrees:
        model, paid = release_agreement(task, joined, model, magnitudes.count_pairs(1))
    return model, (asked, *released.ledger.receipts, *receipts, *paid)


def _settle_columns(
    task: Task, joined: Joined, num_rows: float, share: float
) -> tuple[Task, Joined]:
    """Choose how references to public tables are released, by the expected number of rows."""
    given = len(joined.given.context.columns)
    known = Known(task.settings, task.budget.part(share), num_rows, given)
    layout, domain = settle_attributes(joined.layout, joined.domain, known)
    plan = Plan(layout, domain.only(task.plan.domain.names), task.plan.most_rows)
    return task._replace(plan=plan), joined._replace(layout=layout, domain=domain)


def _release_link(
    task: Task,
    link: Link,
    groups: Rows[Group],
    budget: Budget,
    done: DatabaseRelease,
) -> DatabaseRelease:
    """Release and add facts about references to rows of other units; both kinds of units pay."""
    model, above, schema = done.tables[link.child], done.tables[link.parent], done.schema
    units = [each.magnitudes.units[0] if each.magnitudes else each.size for each in (model, above)]
    sizes = Sizes(units[0], model.size, max(units[1], 1.0), max(above.size, 1.0))
    paid = task._replace(budget=budget)
    found, once, both = release_references(paid, link, groups, schema, done.tables, sizes)
    model = replace(model, references={**model.references, link: found})
    done = done.add(link.child, model, (*both, *once))
    other = schema.root(link.parent)
    return done if other == schema.root(link.child) else done.charge(other, link.child, both)


def _add_index(
    model: TableRelease, index: Number, done: DatabaseRelease, owner: Link | None
) -> TableRelease:
    """Describe the index of sampled rows: the owner's first index and the gaps add up to it."""
    if owner is None or model.layout.gap is None:
        return model
    parent = done.tables[owner.parent]
    parts = (
        parent.released.domain[parent.layout.firsts[owner]],
        model.released.domain[model.layout.gap],
    )
    return replace(model, index=describe_index(index, *parts))


def _size_table(  # noqa: PLR0913 (what is public, and what was released)
    task: Task,
    layout: Layout,
    bound: int | None,
    done: DatabaseRelease,
    released: Release,
    magnitudes: Magnitudes,
    orphans: float,
) -> TableRelease:
    """Return the model of a table with its estimated size."""
    constants, owner = task.constants, done.schema.owners[task.table]
    assert owner is not None
    parent = done.tables[owner.parent]
    noise = noise_of_columns(released)
    seen = estimate_size(magnitudes, bound, released.num_rows, noise)
    size = max(agree(*seen, *count_owned(parent, owner, orphans), constants), orphans, 1.0)
    root = done.tables[done.schema.root(task.table)]
    size = min(size, most_rows(root, magnitudes, constants))
    if most := done.children[owner].most:
        size = min(size, parent.size * most)
    return TableRelease(
        released,
        layout,
        size,
        orphans=min(orphans / size, 1.0),
        noise=noise / max(released.num_rows, 1.0),
        magnitudes=magnitudes,
        rows_per_unit=bound,
        constants=constants,
        ordered=task.ordered,
        size_noise=seen[1],
    )


def _release_root(task: Task, groups: Rows[Group]) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release a root table: each of its rows is a unit, and has no owner to depend on."""
    plan = task.plan
    rows = groups.map(attrgetter('rows')).map(itemgetter(task.table)).keep()
    released = release_rows(task, rows, plan.domain, 1, 1.0)
    size = max(released.num_rows, 1.0)
    noise = noise_of_columns(released)
    model = TableRelease(
        released,
        plan.layout,
        size,
        noise=noise / size,
        constants=task.constants,
        size_noise=noise,
    )
    return model, released.ledger.receipts


def _release_orphans(
    task: Task, schema: Schema, groups: Rows[Group], owner: Link
) -> tuple[float, tuple[Receipt, ...]]:
    """Release the number of rows that refer to no row of a unit: each is a unit of its own.

    There are none, and nothing is released, if every row has to refer to its ``owner``.
    """
    if owner.required:
        return 0.0, ()
    rows = groups.map(partial(_find_orphans, schema.unit_links[task.table])).keep()
    part = task.budget.part(task.constants.orphans_share)
    statistic = registry.ORPHANS.state(_count_alone, neighbors=part.neighbors)
    noisy, receipt = release_sums(
        *take(rows, statistic), mu=part.mu * (1 - ROUNDING), noise=task.noise
    )
    return believe(float(noisy[0]), receipt.noise_scale, task.constants), (receipt,)


class Orphans(NamedTuple):
    """True for rows that refer to no row of a unit, shape (n,): private."""

    alone: Bools


def _find_orphans(links: tuple[Link, ...], group: Group) -> Orphans:
    return Orphans(np.max([group.parents[link] for link in links], axis=0) < 0)


def _count_alone(chunk: Orphans) -> Wholes:
    return np.array([chunk.alone.sum()], dtype=np.int64)
