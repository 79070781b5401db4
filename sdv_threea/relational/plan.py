"""What is settled of every table before a private row is read: columns, bounds and budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import needs_threshold
from sdv_threea.domain import Domain
from sdv_threea.relational.layout import Layout, lay_out, own_domain
from sdv_threea.relational.schema import Link, Schema
from sdv_threea.relational.sizes import Children
from sdv_threea.settings import Settings


class Plan(NamedTuple):
    """What is public of a table: the layout of its columns, their domain, and rows per unit.

    Of rows, ``None`` where it is not public.
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
    """Lay out the columns of all private tables, and bound what their units have."""
    plans: dict[str, Plan] = {}
    for table in schema.private:
        layout, owner = lay_out(schema, table, domains[table].names), schema.owners[table]
        domain = own_domain(layout, domains[table], num_rows, children)
        if domain.target is None and layout.counts:
            # Counts hang on categories in ways that no correlation tells: classes of them do.
            domain = Domain(domain.columns, next(iter(layout.counts.values())))
        above = 1 if owner is None else plans[owner.parent].most_rows
        each = 1 if owner is None else children[owner].most
        most_rows = None if above is None or each is None else above * each
        plans[table] = Plan(layout, domain, most_rows)
    return plans


def share_budget(
    schema: Schema, plans: Mapping[str, Plan], settings: Mapping[str, Settings]
) -> dict[str, Budget]:
    """Share the budget between the tables of each root, so that their counts are equally noisy."""
    thresholds = any(needs_threshold(plan.domain) for plan in plans.values())
    widths = {table: 1 + len(plan.domain.columns) for table, plan in plans.items()}
    budgets = {}
    for table in plans:
        group = [other for other in plans if schema.root(other) == schema.root(table)]
        share = widths[table] / sum(widths[other] for other in group)
        budgets[table] = settings[table].budget(thresholds=thresholds).part(share)
    return budgets
