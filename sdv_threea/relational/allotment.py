"""The budget of a table, divided by what is released of it, and what is left out for its price.

No row is read: shares follow from public facts, and from what was released before.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sdv_threea.accounting import Budget
from sdv_threea.constants import HALF, RelationalConstants
from sdv_threea.domain import Domain
from sdv_threea.joint.pair_bins import num_pair_bins
from sdv_threea.planning.shares import Known, drowns_pairs
from sdv_threea.relational.context import Source
from sdv_threea.relational.magnitudes import Magnitudes
from sdv_threea.relational.table_plans import Shares
from sdv_threea.relational.task import Task, noise_of_count
from sdv_threea.schema import Link


def share_units(task: Task, owner: Link, num_units: float) -> Task:
    """Return the task with the shares of what counts units, by their expected number."""
    noise = noise_of_count(task, task.plan.domain)
    part = share_magnitudes(num_units, noise, task.budget, task.constants)
    num_once = (not owner.required) + len(task.plan.layout.references)
    return task._replace(shares=Shares(part, task.settings.shares['size'], num_once))


def share_magnitudes(
    num_units: float, noise: float, budget: Budget, constants: RelationalConstants
) -> float:
    """Return the share of a table's budget for its magnitudes: more if units are few.

    The noise of a count is then a fixed part of the released number of units, unless that needs
    more than the largest share. If ``noise``, the noise of a count in the histograms, exceeds the
    number of units, the histograms will be useless, and magnitudes get most of the budget.
    """
    if math.isinf(budget.mu):
        return constants.part_of_counts
    wanted = constants.magnitudes_noise
    if noise * constants.clear_of_noise() > num_units:
        wanted /= constants.clear_of_noise()
    needed = (budget.distance / (wanted * max(num_units, 1.0) * budget.mu)) ** 2
    return min(max(needed, constants.part_of_counts), HALF)


def share_pairs(task: Task, near: Domain, magnitudes: Magnitudes, bound: int | None) -> Task:
    """Return the task with the share of rows given the row before them, of one owner.

    All columns of both releases get equal shares. If noise would exceed pair counts in fine bins,
    tables of single columns pay instead: :mod:`~sdv_threea.relational.agreement`. Neither does if
    no owner has two rows. ``near`` describes the table with the columns of its owner.
    """
    num_pairs, own, shares = magnitudes.count_pairs(bound), task.plan.domain.columns, task.shares
    if num_pairs >= 1:
        both = (*near.columns, *own)
        later = shares.rows * (len(both) + 1) / (len(near.columns) + len(both) + 2)
        renamed = Domain(tuple(replace(each, name=str(at)) for at, each in enumerate(both)))
        known = Known(task.settings, task.budget.part(later), num_pairs, len(near.columns))
        noisy = math.isfinite(task.budget.mu)
        least = task.settings.constants.joint.least_bins_of_number if noisy else 0
        if not drowns_pairs(renamed, known, least):
            return task._replace(shares=shares._replace(following=later))
    if magnitudes.count_pairs(1) >= 1:
        return task._replace(shares=shares._replace(agreement=task.constants.part_of_counts))
    return task


def choose_context(
    task: Task,
    near: Domain,
    candidates: Sequence[tuple[Source, ...]],
    num_rows: Mapping[str, float],
    bound: int,
) -> tuple[Source, ...]:
    """Return the first candidate with columns whose pairs are counted, if it is not too wide.

    Other columns would add to the noise of all correlations. ``num_rows`` are the rows of units
    that have rows in the table of a column, by table.
    """
    share, num_own = task.shares._replace(agreement=0.0).rows, len(task.plan.domain.columns)
    budget, given = task.budget.part(share / bound**2), len(near.columns) - num_own
    drowned = {
        table: drowns_pairs(near, Known(task.settings, budget, size, given))
        for table, size in num_rows.items()
    }
    for sources in candidates:
        chosen = tuple(each for each in sources if not drowned[each[0]])
        width = len(near.columns) + num_own + len(chosen)
        if chosen and width <= task.settings.constants.joint.most_columns:
            return chosen
    return ()


def plan_agreement(task: Task, num_pairs: float, num_columns: int) -> tuple[Budget, int]:
    """Return the budget of the tables of a row and the row before it, and the bins of a column."""
    part, constants = task.budget.part(task.shares.agreement), task.settings.constants.joint
    num_bins = num_pair_bins(num_pairs, num_columns, part.mu / part.distance, constants)
    return part, num_bins or constants.least_bins


def share_link(task: Task, owner: Link | None) -> tuple[Budget, Budget | None]:
    """Return the budgets of who refers to whom, and of repetitions: none without an owner."""
    later = 0.0 if owner is None else HALF
    return task.budget.part(1 - later), task.budget.part(later) if later else None
