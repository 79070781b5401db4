"""The shares of the budget, which follow from public facts and the released number of rows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sdv_threea.accounting import Budget
from sdv_threea.adapt.regression import carries_number
from sdv_threea.constants import (
    CLASSES_ASIDE,
    HALF,
    LABELS_ASIDE,
    RECORDS_PER_NOISE,
    TIMES_FOR_NUMBERS,
)
from sdv_threea.describe.description import asks, is_open
from sdv_threea.describe.questions import find_asked_part, find_wide
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.joint.pair_bins import num_pair_bins
from sdv_threea.settings import Settings

#: Shares that pay for the pair counts.
FOR_PAIRS = ('pairs', 'functions', 'triples')


@dataclass(frozen=True)
class Known:
    """The input of a plan besides the domain: public facts and a released number.

    Args:
        budget: The budget of the table: the budget of the settings, or a part of it.
        num_rows: The number of rows, released or supposed; ``None`` while it is not known.
        num_given: The number of given columns, which come first: none of them is a target.
        doubtful: Places of given columns whose pairs are counted only if they evidently depend on
            each other.
        alike: Number of records that may be alike, being those of one unit.
    """

    settings: Settings
    budget: Budget
    num_rows: float | None = None
    num_given: int = 0
    doubtful: frozenset[int] = frozenset()
    alike: float = 1.0

    @property
    def precision(self) -> float:
        """One over the noise of a count that the whole budget pays for."""
        return self.budget.mu / self.budget.distance


def for_pairs(settings: Settings) -> tuple[str, ...]:
    """Return the shares that pay for pair counts; at ``alpha=1`` that of *adapt* is among them."""
    return FOR_PAIRS if settings.alpha < 1 else (*FOR_PAIRS, 'adapt')


def for_classes(settings: Settings) -> tuple[str, ...]:
    """Return the shares of pairs that pay for counts by class if noise exceeds the pair counts."""
    return tuple(each for each in for_pairs(settings) if each != 'triples')


def asks_size(domain: Domain, settings: Settings) -> bool:
    """Return whether the row count is released first, because the shares of the budget use it.

    The row count comes first if ranges or values must be found, which takes more budget when
    records are few, or if any column is numerical: a stated range may be too wide for few records,
    and a numerical target too noisy.
    """
    has_share = settings.guarantee == 'end_to_end' and settings.shares.get('size', 0.0) > 0
    has_numbers = any(isinstance(column, Number) for column in domain.columns)
    return has_share and (has_numbers or is_open(domain))


def find_loose(domain: Domain, known: Known) -> tuple[str, ...]:
    """Return the numbers whose stated ranges are too wide for the row count, if it is released."""
    if known.num_rows is None:
        return ()
    return find_wide(domain, _weigh_records(domain, known), known.settings.constants.describe)


def share_stages(domain: Domain, settings: Settings, *, aside: bool = False) -> dict[str, float]:
    """Return the share of the budget by stage; zero for stages without a task.

    Without a target, the share of classes goes to pairs of columns, or to columns if pairs may not
    be counted. A categorical target leaves pairs a part of it; a numerical one leaves pairs all of
    it, if they have fine bins (:func:`share_by_size`). Numerical targets get a larger share than
    labels if the user named them. At ``alpha=1`` no target is adapted, and its share goes to pairs,
    or to all stages.
    """
    shares = dict(settings.shares)
    if not asks_size(domain, settings):
        shares['describe'] += shares.pop('size', 0.0)
    if not asks(domain):
        shares['describe'] = 0.0
    if settings.counts_pairs:
        whole = shares.pop('classes')
        if domain.target is not None and isinstance(domain[domain.target], Category):
            shares['classes'] = whole * (CLASSES_ASIDE if aside else HALF)
            whole -= shares['classes']
        shares['pairs'] = whole * HALF
        shares['functions'] = whole - shares['pairs']
    else:
        if domain.target is None:
            shares['columns'] += shares.pop('classes')
        if settings.alpha == 1:
            shares['adapt'] = 0.0
    shares['adapt'] *= _weigh_target(domain, settings, aside=aside)
    return shares


def _weigh_target(domain: Domain, settings: Settings, *, aside: bool) -> float:
    """Return the factor by which this target multiplies the share of the stage *adapt*."""
    if domain.target is None:
        return 0.0
    if not isinstance(domain[domain.target], Number):
        return LABELS_ASIDE if aside else 1.0
    return TIMES_FOR_NUMBERS if settings.alpha < 1 and not aside else 1.0


def share_by_size(domain: Domain, known: Known, *, aside: bool = False) -> dict[str, float]:
    """Return the shares of the rest of the budget, given the number of rows.

    ``aside``: the synthesizer chose the target, which gets a small share.
    """
    settings, budget, num_rows = known.settings, known.budget, float(known.num_rows or 0)
    constants = settings.constants.describe
    part = find_asked_part(domain, constants, find_loose(domain, known))
    shares = share_stages(domain, settings, aside=aside)
    shares.pop('size', None)
    shares['describe'] = settings.shares['describe'] * part
    usual = shares['describe'] / math.fsum(shares.values())
    wanted = (RECORDS_PER_NOISE / _weigh_records(domain, known)) ** 2
    share = max(min(wanted, HALF) * part, usual)
    shares['describe'] = share / (1 - share) * (math.fsum(shares.values()) - shares['describe'])
    if domain.target is not None and isinstance(domain[domain.target], Number):
        price = budget.mu * math.sqrt(shares['adapt'] / math.fsum(shares.values()))
        if not carries_number(num_rows, len(domain.columns), price):
            shares['adapt'] = 0.0
        elif settings.counts_pairs and not aside:
            shares = _share_with_classes(domain, shares, known)
    return shares


def share_the_rest(domain: Domain, settings: Settings, *, aside: bool = False) -> dict[str, float]:
    """Return the shares of the rest of the budget that is left, once the table is described."""
    shares = share_stages(domain, settings, aside=aside)
    return {stage: own for stage, own in shares.items() if stage not in ('size', 'describe')}


def _share_with_classes(domain: Domain, shares: dict[str, float], known: Known) -> dict[str, float]:
    """Move a part of the pairs' share to classes of a numerical target if pairs have few bins.

    Fine bins of pairs relate a numerical target to other columns better than classes do.
    """
    num_bins = carry_bins(domain, shares, known) or 0
    fine = num_bins >= known.settings.constants.joint.least_bins_of_number
    if fine or known.settings.alpha == 1:
        return shares
    whole = shares['pairs'] + shares['functions']
    left = {stage: HALF * shares[stage] for stage in ('pairs', 'functions')}
    return shares | left | {'classes': HALF * whole}


def carry_bins(domain: Domain, shares: Mapping[str, float], known: Known) -> int | None:
    """Return the bins per column if all pairs are counted; ``None`` if noise exceeds the counts."""
    part = math.fsum(shares.get(each, 0.0) for each in for_pairs(known.settings))
    price = known.precision * math.sqrt(part / math.fsum(shares.values()))
    several = sum(not getattr(column, 'alone', False) for column in domain.columns)
    doubtful = len(known.doubtful)
    pairs = math.comb(several - doubtful, 2) - math.comb(known.num_given - doubtful, 2)
    return num_pair_bins(known.num_rows or 0, pairs, price, known.settings.constants.joint)


def drowns_pairs(domain: Domain, known: Known, least: int = 0) -> bool:
    """Return whether pairs are not counted, or noise would exceed counts in ``least`` bins."""
    settings = known.settings
    if not settings.counts_pairs or len(domain.columns) > settings.constants.joint.most_columns:
        return True
    return (carry_bins(domain, share_by_size(domain, known), known) or 0) < max(least, 1)


def _weigh_records(domain: Domain, known: Known) -> float:
    """Return the records, in noise scales of a count of all columns at the whole budget."""
    num_rows = max(known.num_rows or 0, 1.0)
    return num_rows * known.precision / math.sqrt(max(len(domain.columns), 1))
