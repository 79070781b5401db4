"""The stages of a release: which there are, and what each of them may spend."""

from __future__ import annotations

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import asks
from sdv_threea.domain import Domain, Number
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import Spending
from sdv_threea.settings import Settings

#: The stages, in order: as public as the algorithm.
STAGES = ('describe', 'approximate', 'partition', 'adapt', 'anonymize')


def stage_shares(domain: Domain, settings: Settings) -> dict[str, float]:
    """Return the share of the budget by stage: nothing for stages that have nothing to ask."""
    shares = dict(settings.shares)
    if not asks(domain):
        shares['describe'] = 0.0
    if domain.target is None:
        shares['columns'] += shares.pop('classes')
    if domain.target is None or isinstance(domain[domain.target], Number):
        del shares['labels']
    return shares


def open_account(
    domain: Domain, settings: Settings, noise: Noise, budget: Budget, rows_per_unit: int
) -> Spending:
    """Return the account of one release, of which nothing is spent yet."""
    shares = stage_shares(domain, settings)
    charged = settings.guarantee == 'end_to_end'
    return Spending(budget, shares, noise, charged=charged, rows_per_unit=rows_per_unit)
