"""One table to release: its public facts, its budget, and the release of its rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.accounting import Budget
from sdv_threea.accounting.sensitivities import histogram_sensitivity
from sdv_threea.constants import RelationalConstants
from sdv_threea.domain import Domain
from sdv_threea.pipeline import release
from sdv_threea.planning.shares import share_stages
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.relational.table_plans import Plan, Shares
from sdv_threea.relational.transitions import Related
from sdv_threea.release import Release
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.units.membership import Coins, bound_rows
from sdv_threea.settings import Settings
from sdv_threea.statistics import registry


class Task(NamedTuple):
    """One table to release.

    Args:
        draws: The stream for draws from released models.
        choices: The stream that chooses private rows.
        ordered: Whether the rows of one owner are in order.
        shares: The shares of the budget, as far as they are decided.
    """

    table: str
    plan: Plan
    budget: Budget
    settings: Settings
    noise: Noise
    draws: np.random.Generator
    choices: np.random.Generator
    ordered: bool = False
    shares: Shares = Shares()

    def toss(self) -> int:
        """Return a new key of random choices."""
        return int(self.choices.integers(2**63))

    @property
    def constants(self) -> RelationalConstants:
        """The constants of databases."""
        return self.settings.constants.relational

    def unsharpened(self) -> Task:
        """Return the task with a target that is not sharpened: ``alpha`` just below 1.

        First and following rows have different models. The margin of a sharpened target would be
        right over all rows that a model was fitted to, but not over those drawn from it.
        """
        alpha = max(self.settings.alpha, math.nextafter(1, 0))
        return self._replace(settings=replace(self.settings, alpha=alpha))


def keep_rows(bound: int | None, key: int, related: Related, *, ordered: bool) -> pd.DataFrame:
    """Keep at most ``bound`` rows of each unit; in an order, the first rows have priority."""
    sooner = related.previous < 0 if ordered else None
    kept = bound_rows(related.units, bound, Coins(key, related.numbers), sooner)
    return related.rows[kept].reset_index(drop=True)


def release_rows(
    task: Task,
    kept: Rows[pd.DataFrame],
    domain: Domain,
    bound: int | None,
    share: float,
    **known: Any,
) -> Release:
    """Release rows, at most ``bound`` of each unit, for a share of the table's budget."""
    return release(
        kept,
        domain,
        task.settings,
        noise=task.noise,
        rng=task.draws,
        budget=task.budget.part(share),
        rows_per_unit=bound or 1,
        **known,
    )


def noise_of_count(task: Task, domain: Domain, share: float = 1.0) -> float:
    """Return the planned noise of a count in the histograms of a table, if units have one row.

    A row adds one to a count of each column, except those of the context, and one to its class.
    """
    shares, columns = share_stages(domain, task.settings), len(task.plan.domain.columns)
    sensitivity = histogram_sensitivity(columns + 1, task.budget.neighbors)
    return sensitivity / task.budget.part(share).split(shares)['columns']


def noise_of_columns(released: Release) -> float:
    """Return the noise of a count in the released histograms, which may have been counted twice."""
    receipts = released.ledger.receipts
    scales = [each.noise_scale for each in receipts if each.statistic == registry.COLUMNS.name]
    return 1 / math.hypot(*(1 / scale for scale in scales)) if all(scales) else 0.0
