"""The release of a database, by :func:`release_database`.

Every private row is assigned to its unit of privacy. Then tables are released in order, parents
before children, each by :mod:`sdv_threea.pipeline` and in the context of the rows that own its
rows. The result is a :class:`~sdv_threea.relational.database_release.DatabaseRelease` with its
ledgers.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Bools, Wholes
from sdv_threea.domain import Domain, Number
from sdv_threea.planning.shares import Known
from sdv_threea.privacy.door import release as release_sums
from sdv_threea.privacy.mechanism import Noise, discrete_gaussian
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.relational.agreement import release_agreement
from sdv_threea.relational.allotment import share_pairs, share_units
from sdv_threea.relational.attributes import settle_attributes
from sdv_threea.relational.context import find_levels, list_levels
from sdv_threea.relational.database_release import DatabaseRelease
from sdv_threea.relational.degrees import (
    Sizes,
    release_references,
    release_repeats,
)
from sdv_threea.relational.following import (
    Joined,
    Sampled,
    choose_passed,
    describe_near,
    draw_beside,
    draw_given,
    draw_sample,
    join_rows,
    release_following,
)
from sdv_threea.relational.layout import Alike, Layout, Orders
from sdv_threea.relational.magnitudes import (
    Magnitudes,
    count_rows,
    release_magnitudes,
)
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.order import describe_index, order_rows
from sdv_threea.relational.row_counts import (
    agree,
    believe,
    count_owned,
    estimate_size,
    lend_ranges,
    most_rows,
    most_units,
    place_rows,
)
from sdv_threea.relational.rows_per_unit import choose_bound
from sdv_threea.relational.sizes import Children, complete_children
from sdv_threea.relational.table_plans import Plan, plan_tables, share_budget
from sdv_threea.relational.task import (
    Task,
    keep_rows,
    noise_of_columns,
    noise_of_count,
    release_rows,
)
from sdv_threea.release import Release
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.units.membership import Database, Group
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings
from sdv_threea.statistics import registry


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
    drawn: dict[str, Sampled] = {}
    for table in track(schema.private):
        task = Task(
            table,
            plans[table],
            budgets[table],
            settings[table],
            noise,
            draws,
            choices,
            table in ordered,
        )
        model, receipts = _release_table(task, groups, done, drawn)
        if table in indices:
            model = _add_index(model, indices[table], done, schema.owners[table])
        done = done.add(table, model, receipts)
        for link in schema.links_away(table):
            done = _release_link(task, link, groups, paid[link], done)
        drawn |= _draw_for_others(table, done, drawn, draws)
    return done.settle()


def _draw_for_others(
    table: str, done: DatabaseRelease, drawn: Mapping[str, Sampled], rng: np.random.Generator
) -> dict[str, Sampled]:
    """Draw rows of a table if later tables depend on them: those below it, or beside it."""
    schema, tables, found = done.schema, done.tables, dict[str, Sampled]()
    levels, owner = find_levels(schema, table, tables), schema.owners[table]
    if tables[table].layout.counts:
        given = draw_given(tables, levels, drawn, rng) if levels else None
        found[table] = draw_sample(tables[table], given, rng)
    if owner is not None and schema.owned_by(owner.parent)[-1] != owner:
        counted = drawn[owner.parent].rows[tables[owner.parent].layout.counts[owner]]
        counts = counted.to_numpy(np.float64)
        found[owner.parent] = draw_beside(tables[table], counts, levels, drawn, rng)
    return found


def _release_table(
    task: Task, groups: Rows[Group], done: DatabaseRelease, drawn: Mapping[str, Sampled]
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release one table in the context of its owner, from private rows and earlier releases.

    ``drawn`` are rows of the tables above.
    """
    plan, owner = task.plan, done.schema.owners[task.table]
    if owner is None:
        return _release_root(task, groups)
    plan = plan._replace(domain=lend_ranges(plan.domain, done.schema, owner, done.tables))
    task = task._replace(plan=plan)
    root, parent = done.tables[done.schema.root(task.table)], done.tables[owner.parent]
    num_units = most_units(root, parent, owner)
    task = share_units(task, owner, num_units)
    magnitudes, asked = _count_units(task, groups, done, num_units)
    noise = noise_of_count(task, plan.domain, task.shares.rows)
    typical = 1 / task.settings.constants.joint.most_bins
    bound = choose_bound(magnitudes, noise, typical, plan.most_rows)
    task, joined = _join_above(task, groups, done, drawn, magnitudes, bound)
    follows, agrees = task.shares.following, task.shares.agreement
    task = task.unsharpened() if follows or agrees else task
    given = joined.given.as_read(bound, task.draws)
    kept = joined.rows.map(partial(keep_rows, bound, task.toss(), ordered=task.ordered)).keep()
    released = release_rows(
        task,
        kept,
        joined.domain,
        bound,
        task.shares.rows,
        size=magnitudes.count(bound) if bound else None,
        given=given.context,
        doubtful=joined.layout.distant,
        alike=given.count_alike(bound),
    )
    orphans, receipts = _release_orphans(task, done.schema, groups, owner)
    model = _size_table(task, joined.layout, bound, done, released, magnitudes, orphans)
    paid: tuple[Receipt, ...] = ()
    for link in plan.layout.references:
        found, once = release_repeats(task, link, owner, groups)
        model = replace(model, references={**model.references, link: found})
        receipts = (*receipts, once)
    if follows:
        model, paid = release_following(task, joined, model)
    elif agrees:
        model, paid = release_agreement(task, joined, model, magnitudes.count_pairs(1))
    return model, (asked, *released.ledger.receipts, *receipts, *paid)


def _count_units(
    task: Task, groups: Rows[Group], done: DatabaseRelease, num_units: float
) -> tuple[Magnitudes, Receipt]:
    """Release the magnitudes of a table, whose units are ``num_units`` at most."""
    units = groups.map(attrgetter('units')).map(itemgetter(task.table))
    counted = units.map(count_rows).keep()
    part = task.budget.part(task.shares.magnitudes)
    found, receipt = release_magnitudes(counted, task.plan.most_rows, part, task.noise, num_units)
    owner = done.schema.owners[task.table]
    if owner is not None and done.schema.owners[owner.parent] is None:
        found = place_rows(found, done.tables[owner.parent], owner)
    return found, receipt


def _join_above(
    task: Task,
    groups: Rows[Group],
    done: DatabaseRelease,
    drawn: Mapping[str, Sampled],
    magnitudes: Magnitudes,
    bound: int | None,
) -> tuple[Task, Joined]:
    """Settle the columns of a table and their shares, and join rows with those above them."""
    schema, tables, names = done.schema, done.tables, task.plan.domain.names
    near = describe_near(task, list_levels(schema, task.table, tables, (), names)[0])
    num_rows = magnitudes.count(bound)[0]
    task, near = _settle_columns(task, near, num_rows / (bound or 1))
    task = share_pairs(task, near, magnitudes, bound)
    passed = choose_passed(task, schema, tables, near, num_rows, bound)
    levels = list_levels(schema, task.table, tables, passed, names)
    given = draw_given(tables, levels, drawn, task.draws)
    return task, join_rows(task, groups, levels, passed, given)


def _settle_columns(task: Task, near: Domain, num_rows: float) -> tuple[Task, Domain]:
    """Choose how references to public tables are released, by the expected number of rows.

    ``near`` describes the table with the columns of its owner; return it with the settled columns.
    """
    given = len(near.columns) - len(task.plan.domain.columns)
    known = Known(task.settings, task.budget.part(task.shares.rows), num_rows, given)
    layout, near = settle_attributes(task.plan.layout, near, known)
    plan = Plan(layout, near.only(task.plan.domain.names), task.plan.most_rows)
    return task._replace(plan=plan), near


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
    first = parent.released.domain[parent.layout.firsts[owner]]
    gap = model.released.domain[model.layout.gap]
    return replace(model, index=describe_index(index, first, gap))


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
    part = task.budget.part(task.shares.once)
    statistic = registry.ORPHANS.state(_count_alone, neighbors=part.neighbors)
    noisy, receipt = release_sums(rows, statistic, mu=part.mu * (1 - ROUNDING), noise=task.noise)
    return believe(float(noisy[0]), receipt.noise_scale, task.constants), (receipt,)


class Orphans(NamedTuple):
    """True for rows that refer to no row of a unit, shape (n,): private."""

    alone: Bools


def _find_orphans(links: tuple[Link, ...], group: Group) -> Orphans:
    return Orphans(np.max([group.parents[link] for link in links], axis=0) < 0)


def _count_alone(chunk: Orphans) -> Wholes:
    return np.array([chunk.alone.sum()], dtype=np.int64)
