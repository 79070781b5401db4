"""The stages of a release: which there are, and what each of them may spend."""

from __future__ import annotations

import math

import numpy as np

from sdv_threea.accounting import Budget
from sdv_threea.describe.description import asks, is_open
from sdv_threea.domain import Domain, Number
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import Spending
from sdv_threea.settings import Settings

#: The stages, in order: as public as the algorithm.
STAGES = ('describe', 'approximate', 'partition', 'adapt', 'anonymize')

#: Whose shares pairs of columns get where they are counted, last of all: their own, and those of
#: stages that then have nothing to do.
FOR_PAIRS = ('pairs', 'partition', 'adapt', 'anonymize')


def may_count_pairs(domain: Domain, settings: Settings, *, alone: bool) -> bool:
    """Return whether pairs of columns are counted if the budget carries them.

    They are where the density of normal scores has nothing else to be: no classes that it is of, no
    other tables that it is drawn in the context of, no number of components that the user chose.

    Args:
        domain: What is public.
        settings: What the user chose.
        alone: Whether the table is released alone, and not in the context of another one.
    """
    chosen = settings.components_per_class is not None or settings.guarantee == 'paper'
    return alone and domain.target is None and not chosen


def asks_size(domain: Domain, settings: Settings, *, alone: bool) -> bool:
    """Return whether the number of records is released first, and the budget shared out by it.

    It is where values or ranges have to be found: where records are few, that takes more of the
    budget. In a database, sizes of tables are released otherwise.

    Args:
        domain: What is public.
        settings: What the user chose.
        alone: Whether the table is released alone, and not in the context of another one.
    """
    has_share = settings.guarantee == 'end_to_end' and settings.shares.get('size', 0.0) > 0
    return alone and has_share and is_open(domain)


def share_by_size(
    domain: Domain, settings: Settings, budget: Budget, num_rows: float
) -> dict[str, float]:
    """Return the share of the rest of the budget by stage, once the number of records is released.

    Args:
        domain: What is public.
        settings: What the user chose.
        budget: The budget of the release.
        num_rows: The released number of records.
    """
    shares, constants = stage_shares(domain, settings), settings.constants.describe
    del shares['size']
    few, many = constants.few_records, constants.many_records
    # In units of the noise of a count of all columns at the price of the whole budget.
    evidence = max(num_rows, 1.0) * budget.mu / math.sqrt(len(domain.columns))
    fewness = np.interp(math.log(evidence), np.log([few, many]), [1.0, 0.0])
    usual = shares['describe'] / math.fsum(shares.values())
    share = usual + float(fewness) * max(constants.share_of_few - usual, 0.0)
    shares['describe'] = share / (1 - share) * (math.fsum(shares.values()) - shares['describe'])
    return shares


def stage_shares(domain: Domain, settings: Settings, *, alone: bool = True) -> dict[str, float]:
    """Return the share of the budget by stage: nothing for stages that have nothing to ask.

    Without a target there are no classes to count: their share goes to pairs of columns, if they
    may be counted, or else to the columns.
    """
    shares = dict(settings.shares)
    if not asks_size(domain, settings, alone=alone):
        shares['describe'] += shares.pop('size', 0.0)
    if not asks(domain):
        shares['describe'] = 0.0
    if may_count_pairs(domain, settings, alone=alone):
        shares['pairs'] = shares.pop('classes')
    elif domain.target is None:
        shares['columns'] += shares.pop('classes')
    if domain.target is None or isinstance(domain[domain.target], Number):
        del shares['labels']
    return shares


def open_account(
    domain: Domain,
    settings: Settings,
    noise: Noise,
    budget: Budget,
    rows_per_unit: int,
    *,
    alone: bool,
) -> Spending:
    """Return the account of one release, of which nothing is spent yet."""
    shares = stage_shares(domain, settings, alone=alone)
    charged = settings.guarantee == 'end_to_end'
    return Spending(budget, shares, noise, charged=charged, rows_per_unit=rows_per_unit)
