"""The plan of a release from public facts: columns, bounds and budget of every private table."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import needs_threshold
from sdv_threea.domain import Category, Domain
from sdv_threea.relational.layout import Alike, Layout, Orders, add_name, lay_out, own_domain
from sdv_threea.relational.sizes import Children
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings


class Plan(NamedTuple):
    """The public facts about a table.

    Args:
        layout: The names of the columns that are released of it.
        domain: The public description of those columns, without the context.
        most_rows: The largest number of rows that a unit can have in it; ``None`` where that is not
            public.
    """

    layout: Layout
    domain: Domain
    most_rows: int | None


class Shares(NamedTuple):
    """The shares of a table's budget, of ``mu^2``; its rows get the rest.

    Args:
        magnitudes: For the number of units by the magnitude of their rows.
        once: For each count of units: of rows without an owner, and of repetitions.
        num_once: The number of these counts.
        following: For rows given the row before them; 0 for none.
        agreement: For tables of a row and the row before it; 0 for none.
    """

    magnitudes: float = 0.0
    once: float = 0.0
    num_once: int = 0
    following: float = 0.0
    agreement: float = 0.0

    @property
    def rows(self) -> float:
        """The share for the rows."""
        units = 1 - self.magnitudes - self.once * self.num_once
        return units - (self.following + self.agreement)


def plan_tables(
    schema: Schema,
    domains: Mapping[str, Domain],
    num_rows: Mapping[str, int],
    children: Mapping[Link, Children],
    orders: Orders = MappingProxyType({}),
    alike: Alike = MappingProxyType({}),
) -> dict[str, Plan]:
    """Return a plan of each private table, parents before their children."""
    plans: dict[str, Plan] = {}
    for table in schema.private:
        owner = schema.owners[table]
        layout = lay_out(schema, table, domains[table].names, orders, alike)
        indices = {link: domains[link.child][str(orders[link.child])] for link in layout.firsts}
        domain = own_domain(layout, domains[table], num_rows, children, indices, alike)
        above = 1 if owner is None else plans[owner.parent].most_rows
        each = 1 if owner is None else children[owner].most
        # Each of a unit's rows of the owner owns at most ``each`` rows.
        most_rows = None if above is None or each is None else above * each
        plans[table] = Plan(layout, domain, most_rows)
    return plans


def share_budget(
    schema: Schema, plans: Mapping[str, Plan], settings: Mapping[str, Settings]
) -> tuple[dict[str, Budget], dict[Link, Budget]]:
    """Share the budget of each root between its private tables, and links that lead away.

    A table's share of ``mu^2`` is in proportion to its number of columns plus one. This sum is the
    squared sensitivity of its histograms, so the counts of all tables get the same noise. A unit
    has rows in the tables of one root only, so every root has the whole budget. Foreign keys to
    private rows of other units get a part of the table's share. If those units are rows of another
    root table, they pay the same price, which is set aside from the budget of that root.
    """
    thresholds = any(needs_threshold(plan.domain) for plan in plans.values())
    widths = {table: 1 + len(plan.domain.columns) for table, plan in plans.items()}
    roots = {table: schema.root(table) for table in plans}
    shares, asked = {}, dict.fromkeys(plans, 1.0)
    parts: dict[Link, float] = {}
    for table, width in widths.items():
        group = [other for other in plans if roots[other] == roots[table]]
        shares[table] = width / sum(widths[other] for other in group)
        links, part = schema.links_away(table), settings[table].constants.relational.part_of_counts
        parts |= {link: shares[table] * part / len(links) for link in links}
    for link, part in parts.items():
        asked[roots[link.parent]] += part * (roots[link.parent] != roots[link.child])
    budgets: dict[str, Budget] = {}
    paid: dict[Link, Budget] = {}
    for table, share in shares.items():
        links, whole = schema.links_away(table), settings[table].budget(thresholds=thresholds)
        most = {link: max(asked[roots[end]] for end in (table, link.parent)) for link in links}
        paid |= {link: whole.part(parts[link] / most[link]) for link in links}
        rest = share - sum(parts[link] for link in links)
        budgets[table] = whole.part(rest / asked[roots[table]])
    return budgets, paid


def join_context(schema: Schema, plans: Mapping[str, Plan], table: str) -> Domain:
    """Describe a table together with its owner's columns, before anything is released.

    The owner's columns get made-up values, because the noise of a count does not depend on values.
    """
    domain, owner = plans[table].domain, schema.owners[table]
    if owner is None:
        return domain
    used = set(domain.names)
    names = [add_name(f'owner: {each}', used) for each in plans[owner.parent].domain.names]
    context = (Category(name=name, values=(1, 2), nullable=False) for name in names)
    return replace(domain, columns=(*context, *domain.columns))


def rest_share(schema: Schema, table: str, settings: Settings) -> float:
    """Return the least share of a table's budget for its rows; the rest is for counts of units."""
    if schema.owners[table] is None:
        return 1.0
    public = sum(link.parent in schema.public for link in schema.links_of(table))
    part = settings.constants.relational.part_of_counts
    return Shares(part, settings.shares['size'], 1 + public, agreement=part).rows
