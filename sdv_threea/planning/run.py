"""The state that all stages of a release share: its plan, its account and its random numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.arrays import Wholes
from sdv_threea.planning.plan import Plan
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import Spending
from sdv_threea.settings import Constants, Settings


class Run(NamedTuple):
    """The state that all stages share.

    Args:
        rng: Source of the draws that need no secrecy.
        given: Rows drawn from another release, whose columns are known when rows are drawn; they
            are the first columns of the domain. ``None`` without any.
        given_codes: The codes of these rows, shape (P, q), once the columns are described.
    """

    plan: Plan
    spending: Spending
    rng: np.random.Generator
    given: pd.DataFrame | None = None
    given_codes: Wholes | None = None

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self.plan.known.settings

    @property
    def constants(self) -> Constants:
        """The constants that were chosen by measurement."""
        return self.settings.constants

    def left(self, *kept: str) -> float:
        """Return the GDP per record that is left, less promised and ``kept`` shares."""
        return self.spending.left((*self.plan.promised, *kept))

    def replan(self, plan: Plan) -> Run:
        """Return the run with another plan, by which the rest of the budget is divided."""
        if plan.shares is not self.plan.shares:
            self.spending.divide(plan.shares)
        return self._replace(plan=plan)


def begin_run(
    plan: Plan,
    noise: Noise,
    rng: np.random.Generator | None,
    rows_per_unit: int,
    given: pd.DataFrame | None,
) -> Run:
    """Return the state of a release with nothing spent yet."""
    known = plan.known
    charged = known.settings.guarantee == 'end_to_end'
    spending = Spending(
        known.budget, plan.shares, noise, charged=charged, rows_per_unit=rows_per_unit
    )
    return Run(plan, spending, rng or np.random.default_rng(), given)
