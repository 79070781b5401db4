"""The plan of a release from public facts: columns, bounds and budget of every private table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import needs_threshold
from sdv_threea.domain import Domain
from sdv_threea.relational.layout import Layout, lay_out, own_domain
from sdv_threea.relational.sizes import Children
from sdv_threea.rows.units.schema import Link, Schema
from sdv_threea.settings import Settings


class Plan(NamedTuple):
    """The public facts about a table.

    Args:
        layout: The names of the columns that are released of it.
        domain: The public description of those columns, without the context.
        most_rows: The most rows that a unit can have in it; ``None`` where that is not public.
    """

    layout: Layout
    domain: Domain
    most_rows: int | None


def plan_tables(
    schema: Schema,
    domains: Mapping[str, Domain],
    num_rows: Mapping[str, int],
    children: Mapping[Link, Children],
) -> dict[str, Plan]:
    """Return a plan of each private table, parents before their children."""
    plans: dict[str, Plan] = {}
    for table in schema.private:
        layout, owner = lay_out(schema, table, domains[table].names), schema.owners[table]
        domain = own_domain(layout, domains[table], num_rows, children)
        above = 1 if owner is None else plans[owner.parent].most_rows
        each = 1 if owner is None else children[owner].most
        # Each of a unit's rows of the owner owns at most ``each`` rows.
        most_rows = None if above is None or each is None else above * each
        plans[table] = Plan(layout, domain, most_rows)
    return plans


def share_budget(
    schema: Schema, plans: Mapping[str, Plan], settings: Mapping[str, Settings]
) -> dict[str, Budget]:
    """Share the budget of each root between its private tables.

    A table's share of ``mu^2`` is in proportion to its number of columns plus one. That is the
    squared sensitivity of its histograms, so the counts of all tables get the same noise. A unit
    has rows in the tables of one root only, so every root has the whole budget.
    """
    thresholds = any(needs_threshold(plan.domain) for plan in plans.values())
    widths = {table: 1 + len(plan.domain.columns) for table, plan in plans.items()}
    budgets = {}
    for table in plans:
        group = [other for other in plans if schema.root(other) == schema.root(table)]
        share = widths[table] / sum(widths[other] for other in group)
        budgets[table] = settings[table].budget(thresholds=thresholds).part(share)
    return budgets
