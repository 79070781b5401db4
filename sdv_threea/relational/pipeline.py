"""The release of a database on one screen: units, then table by table in the context of its owner.

Source of the method for one table: :mod:`sdv_threea.pipeline`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.approximate.density import clip_radius
from sdv_threea.domain import Domain
from sdv_threea.encoding.transformers import encode
from sdv_threea.pipeline import release
from sdv_threea.privacy.guard import guarded
from sdv_threea.privacy.mechanism import Noise, add_noise, discrete_gaussian
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.privacy.statistics import histogram_sensitivity
from sdv_threea.relational.bounds import choose_bound, count_noise
from sdv_threea.relational.estimates import (
    agree,
    believe,
    count_owned,
    estimate_size,
    most_rows,
)
from sdv_threea.relational.layout import (
    context_columns,
    context_domain,
    context_transformers,
    own_columns,
)
from sdv_threea.relational.magnitudes import release_magnitudes
from sdv_threea.relational.model import TableRelease
from sdv_threea.relational.plan import Plan, plan_tables, share_budget
from sdv_threea.relational.release import DatabaseRelease
from sdv_threea.relational.schema import Link, Schema
from sdv_threea.relational.siblings import choose_pairs, release_siblings, shared_effect
from sdv_threea.relational.sizes import Children, complete_children
from sdv_threea.relational.units import Database, bound_rows, find_units
from sdv_threea.release import Release
from sdv_threea.sampling.context import explain
from sdv_threea.settings import Settings
from sdv_threea.stages import stage_shares

#: Shares of a table's budget beside its release: how many rows units have, what siblings share, and
#: how many rows have no owner. See docs/lab_notes.md for how they were chosen.
MAGNITUDES_SHARE = 0.05
SIBLINGS_SHARE = 0.05
ORPHANS_SHARE = 0.01


def release_database(  # noqa: PLR0913 (what, the price, and sources of chance)
    database: Database,
    schema: Schema,
    domains: Mapping[str, Domain],
    settings: Mapping[str, Settings],
    *,
    children: Mapping[Link, Children],
    noise: Noise = discrete_gaussian,
    rng: np.random.Generator | None = None,
    track: Callable[[tuple[str, ...]], Iterable[str]] = iter,
) -> DatabaseRelease:
    """Release a model of several private tables.

    Formal guarantees:
        * with the neighbours of :func:`~sdv_threea.relational.units.find_units`, each ledger is
          what the release costs a unit of that root table; no unit has rows in the tables of
          two roots, so a unit pays for the tables of its own root alone (parallel composition)
        * a unit has at most ``rows_per_unit`` rows in what a table's release looks at, and each of
          them is a function of the unit's rows
        * tables are released in order: what one release reads of another is released

    Args:
        database: The private rows.
        schema: The graph of tables; public.
        domains: What is public of the private tables' columns.
        settings: What the user chose, by table; the budget is the same for all.
        children: How many rows refer to one row of a parent, by link, as far as that is public.
        noise: The source of noise; for tests.
        rng: Source of two streams that nobody else may know: one of draws, and one that chooses
            rows. How far the second is read depends on the number of rows, so that nothing that
            is released may come from it.
        track: Passes on the tables as they are released, for a progress bar.

    Returns:
        The release.
    """
    draws, choices = (rng or np.random.default_rng()).spawn(2)
    with guarded():
        units = find_units(schema, database.num_rows, database.parents)
    children = complete_children(schema, children)
    plans = plan_tables(schema, domains, database.num_rows, children)
    budgets = share_budget(schema, plans, settings)
    public = {table: database.num_rows[table] for table in schema.public}
    done = DatabaseRelease(schema, {}, {}, public, children)
    rows: dict[str, pd.DataFrame] = {}
    for table in track(schema.private):
        task = Task(table, plans[table], budgets[table], settings[table], noise, draws, choices)
        with guarded():
            rows[table] = own_columns(plans[table].layout, database, table, units)
        model, receipts = _release_table(task, database, rows, units, done)
        done = done.add(table, model, receipts)
    return done.settle()


class Task(NamedTuple):
    """One table to release."""

    table: str
    plan: Plan
    budget: Budget
    settings: Settings
    noise: Noise
    draws: np.random.Generator
    choices: np.random.Generator


def _release_table(
    task: Task,
    database: Database,
    rows: Mapping[str, pd.DataFrame],
    units: Mapping[str, NDArray[np.int64]],
    done: DatabaseRelease,
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release one table, in the context of its owner."""
    table, plan = task.table, task.plan
    owner = done.schema.owners[table]
    if owner is None:
        released = _release_rows(task, rows[table], plan.domain, units[table], 1, 1.0)
        size = max(released.num_rows, 1.0)
        model = TableRelease(
            released, plan.layout, size, noise=_count_noise(task, plan.domain) / size
        )
        return model, released.ledger.receipts
    parent, referred = done.tables[owner.parent], database.parents[owner]
    transformers = context_transformers(parent.released.transformers, parent.layout)
    with guarded():
        context = context_columns(transformers, rows[owner.parent], referred)
        joined = pd.concat([rows[table], context], axis=1)
    described = context_domain(transformers)
    domain = Domain((*plan.domain.columns, *described), plan.domain.target)
    asks_orphans = not owner.required
    share = 1 - MAGNITUDES_SHARE - SIBLINGS_SHARE - ORPHANS_SHARE * asks_orphans
    noise = _count_noise(task, domain, share)
    part = task.budget.part(MAGNITUDES_SHARE)
    magnitudes, asked = release_magnitudes(units[table], plan.most_rows, part, task.noise)
    bound = choose_bound(magnitudes, noise, plan.most_rows)
    released = _release_rows(task, joined, domain, units[table], bound, share)
    layout = replace(plan.layout, context=tuple(column.name for column in described))
    orphans, receipts = _release_orphans(task, done.schema, database) if asks_orphans else (0.0, ())
    noise *= bound or 1
    seen = estimate_size(magnitudes, bound, released.num_rows, noise)
    size = max(agree(*seen, *count_owned(parent, owner, orphans)), orphans, 1.0)
    size = min(size, most_rows(parent, done.children[owner].most or bound))
    model = TableRelease(
        released,
        layout,
        size,
        orphans=min(orphans / size, 1.0),
        noise=noise / max(released.num_rows, 1.0),
        magnitudes=magnitudes,
        rows_per_unit=bound,
    )
    model, paid = _release_siblings(task, joined, units[table], referred, model)
    return model, (asked, *released.ledger.receipts, *receipts, *paid)


def _release_rows(
    task: Task,
    rows: pd.DataFrame,
    domain: Domain,
    units: NDArray[np.int64],
    bound: int | None,
    share: float,
) -> Release:
    with guarded():
        kept = rows[bound_rows(units, bound, task.choices)].reset_index(drop=True)
    return release(
        kept,
        domain,
        task.settings,
        noise=task.noise,
        rng=task.draws,
        budget=task.budget.part(share),
        rows_per_unit=bound or 1,
    )


def _count_noise(task: Task, domain: Domain, share: float = 1.0) -> float:
    """The noise of a count in the histograms of a table, if units have one row."""
    mu = task.budget.part(share).split(stage_shares(domain, task.settings))['columns']
    return count_noise(len(domain.columns), mu)


def _release_orphans(
    task: Task, schema: Schema, database: Database
) -> tuple[float, tuple[Receipt, ...]]:
    """Release how many rows no path leads to: each of them is a unit of its own."""
    with guarded():
        paths = [database.parents[link] for link in schema.unit_links(task.table)]
        alone = np.max(paths, axis=0) < 0
    part = task.budget.part(ORPHANS_SHARE)
    noisy, receipt = add_noise(
        np.array([alone.sum()], dtype=np.int64),
        sensitivity=histogram_sensitivity(1, part.neighbors),
        mu=part.mu * (1 - ROUNDING),
        stage='describe',
        released='number of rows without an owner',
        noise=task.noise,
    )
    return believe(float(noisy[0]), receipt.noise_scale), (receipt,)


def _release_siblings(
    task: Task,
    joined: pd.DataFrame,
    units: NDArray[np.int64],
    referred: NDArray[np.int64],
    model: TableRelease,
) -> tuple[TableRelease, tuple[Receipt, ...]]:
    """Release what siblings share beyond what their owner explains."""
    released = model.released
    own = np.setdiff1d(np.arange(len(released.scored)), model.context)
    if not len(own):
        return model, ()
    pair = []
    with guarded():
        for chosen in choose_pairs(units, referred, task.choices):
            codes = encode(joined.iloc[chosen], released.transformers)
            labels = np.maximum(released.classes.label(codes), 0)
            pair.append(released.scores(codes[:, released.scored], labels)[:, own])
    part = task.budget.part(SIBLINGS_SHARE)
    constants = task.settings.constants.approximate
    siblings, receipt = release_siblings(
        (pair[0], pair[1]),
        clip_radius(released.scores, constants.clip),
        constants.count_weight,
        mu=part.mu * (1 - ROUNDING),
        neighbors=part.neighbors,
        noise=task.noise,
    )
    weights = released.mixture.weights
    shares = weights.sum(axis=1) / weights.sum()
    parts = explain(released.mixture, model.context, released.scores.variances)
    common, together = shared_effect(siblings, (shares @ released.scores.variances)[own], *parts)
    return replace(model, common=common, together=together), (receipt,)
