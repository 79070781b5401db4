"""The stages of a release: their order, and the share of the budget of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Budget
from sdv_threea.adapt.regression import carries_number
from sdv_threea.constants import Constants
from sdv_threea.describe.description import Description, asks, is_open
from sdv_threea.describe.questions import find_asked_part, find_wide
from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.encoding.classes import Classes, settle_guess
from sdv_threea.encoding.transformers import make_transformers
from sdv_threea.joint.bins import num_pair_bins, suits_number
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import Spending
from sdv_threea.settings import Settings

#: The stages, in order: public, as the algorithm is.
STAGES = ('describe', 'approximate', 'adapt', 'anonymize')

#: Shares that fund the pair counts: their own, and those that mixing records would get.
FOR_PAIRS = ('pairs', 'functions', 'clusters', 'anonymize')

#: Of these, the shares that fund the correlations if pairs are not counted.
FOR_MOMENTS = ('clusters', 'anonymize')

#: The part of the share of pairs that counts all of them first. The rest is for pairs that look
#: like functions, and for a second count of all. Set by hand.
PAIRS_FIRST = 0.65

#: The part of the share of classes that classes keep if pairs are counted too: with labels, whose
#: evidence comes from counts in classes; and with the density alone. For the first, .4 and .7 were
#: not better than .6.
CLASSES_ADAPTED, CLASSES_ALONE = 0.6, 0.25

#: The same for an unnamed target, and the part of the share of labels that it gets. With twice as
#: much, models learn as much of compas and default_credit, .002 more of Adult and .01 of
#: telco_churn, and marginals of three columns are off by 1 to 6 % more.
CLASSES_ASIDE, LABELS_ASIDE = 0.1, 0.25

#: A named numerical target gets this many times the share of labels. At epsilon 1 models learn .01
#: to .02 more of bike_sharing, california_housing and protein_casp than with once the share, and
#: marginals are off by 1 to 4 % more; half as much again gained nothing.
TIMES_FOR_NUMBERS = 1.8


def for_pairs(settings: Settings) -> tuple[str, ...]:
    """Stages whose budget funds the pair counts; at ``alpha=1`` *adapt* is one of them."""
    return FOR_PAIRS if settings.alpha < 1 else (*FOR_PAIRS, 'adapt')


def for_classes(settings: Settings) -> tuple[str, ...]:
    """Stages whose budget also funds the class counts, if pairs may be counted but are not."""
    return tuple(each for each in for_pairs(settings) if each not in FOR_MOMENTS)


def asks_size(domain: Domain, settings: Settings) -> bool:
    """Return whether the row count is released first, to share out the budget by it.

    It is if ranges or values must be found, which takes more budget when records are few, or if any
    column is numeric: a stated range may be too wide for few records, and a numerical target too
    noisy.
    """
    has_share = settings.guarantee == 'end_to_end' and settings.shares.get('size', 0.0) > 0
    has_numbers = any(isinstance(column, Number) for column in domain.columns)
    return has_share and (has_numbers or is_open(domain))


def find_loose(
    domain: Domain, settings: Settings, budget: Budget, num_rows: float | None
) -> tuple[str, ...]:
    """Return the numbers whose stated ranges are too wide for the row count, if it is released."""
    if num_rows is None:
        return ()
    evidence = _weigh_records(domain, budget, num_rows)
    return find_wide(domain, evidence, settings.constants.describe)


def guess_target(
    domain: Domain, settings: Settings, num_given: int = 0, *, drowned: bool
) -> Domain:
    """Return the domain with a category as its target, if the user named none.

    * The only category, as among numbers it is the label that models are trained to predict. Also,
      a correlation tells little of a category and a number; with classes, each value gets a
      distribution of numbers of its own.
    * The last of several, if noise would exceed the pair counts: categories would then be
      independent of each other. Classes relate all columns to one category, and in most training
      tables the last column is the label.

    The domain stays as it is without a category of few enough stated values, without other columns,
    with a named target, or by the algorithm of the paper.

    Formal guarantees:
        * the choice depends on public facts and on ``drowned`` alone

    Args:
        domain: The public facts of a table.
        settings: The user's settings.
        num_given: The number of given columns, which come first: none of them is a target.
        drowned: Whether noise would exceed the pair counts.
    """
    if not _may_guess(domain, settings, num_given):
        return domain
    own = domain.columns[num_given:]
    categories = [column for column in own if isinstance(column, Category)]
    suited = [column.name for column in categories if _suits_classes(column, settings)]
    if not suited or (len(categories) > 1 and not drowned):
        return domain
    return replace(domain, target=suited[-1])


def take_last(domain: Domain, settings: Settings, num_given: int = 0) -> Domain:
    """Return the domain with its last column as the target, if it has none and pairs are counted.

    Without a target, samples do not show how several columns together affect one. To fit this for
    one column costs little besides the pairs, and in most training tables the last column is the
    label. The domain stays as it is at ``alpha=1``, if the last column is a date or a category of
    too many stated values, or for the reasons of :func:`guess_target`.

    Formal guarantees:
        * the choice depends on public facts alone
    """
    if not _may_guess(domain, settings, num_given) or settings.alpha == 1:
        return domain
    last = domain.columns[-1]
    is_date = isinstance(last, Number) and last.steps == TIME_STEPS
    has_many = isinstance(last, Category) and not _suits_classes(last, settings)
    return domain if is_date or has_many else replace(domain, target=last.name)


def plan_target(
    domain: Domain, settings: Settings, budget: Budget, num_rows: float, num_given: int = 0
) -> tuple[Domain, bool]:
    """Return the domain with the target that a fit plans, and whether :func:`take_last` chose it.

    Formal guarantees:
        * the choice depends on public facts and on the row count alone
    """
    drowned = drowns_pairs(domain, settings, budget, num_rows, num_given)
    planned = guess_target(domain, settings, num_given, drowned=drowned)
    if planned.target is not None or drowned:
        return planned, False
    planned = take_last(planned, settings, num_given)
    return planned, planned.target is not None


def _may_guess(domain: Domain, settings: Settings, num_given: int) -> bool:
    """Return whether a target may be chosen: none is named, and pairs may be counted."""
    several = len(domain.columns) > max(num_given, 1)
    return domain.target is None and several and settings.counts_pairs


def _suits_classes(column: Category, settings: Settings) -> bool:
    """Return whether the values of a category may be classes: few enough are stated or expected."""
    values = column.values or ()  # noqa: PD011 (no column of a table)
    return not column.many and len(values) <= settings.constants.encoding.most_classes


def drowns_pairs(
    domain: Domain,
    settings: Settings,
    budget: Budget,
    num_rows: float,
    num_given: int = 0,
    least: int = 0,
) -> bool:
    """Return whether pairs are not counted, or noise would exceed counts in ``least`` bins."""
    most = settings.constants.joint.most_columns
    if not settings.counts_pairs or len(domain.columns) > most:
        return True
    shares = share_by_size(domain, settings, budget, num_rows, num_given)
    carried = _carry_bins(domain, shares, settings, budget, num_rows, num_given)
    return carried is None or carried < least


def share_by_size(
    domain: Domain,
    settings: Settings,
    budget: Budget,
    num_rows: float,
    num_given: int = 0,
    *,
    aside: bool = False,
) -> dict[str, float]:
    """Return the shares of the rest of the budget by stage, given the released number of records.

    ``aside`` tells that the target was chosen for the user, and gets little.
    """
    constants = settings.constants.describe
    loose = find_loose(domain, settings, budget, num_rows)
    part = find_asked_part(domain, constants, loose)
    shares = stage_shares(domain, settings, aside=aside)
    shares.pop('size', None)
    shares['describe'] = settings.shares['describe'] * part
    few, many = constants.few_records, constants.many_records
    evidence = _weigh_records(domain, budget, num_rows)
    fewness = np.interp(math.log(evidence), np.log([few, many]), [1.0, 0.0])
    usual = shares['describe'] / math.fsum(shares.values())
    share = usual + float(fewness) * max(constants.share_of_few * part - usual, 0.0)
    shares['describe'] = share / (1 - share) * (math.fsum(shares.values()) - shares['describe'])
    if domain.target is not None and isinstance(domain[domain.target], Number):
        price = budget.mu * math.sqrt(shares['adapt'] / math.fsum(shares.values()))
        if not carries_number(num_rows, len(domain.columns), price, settings.constants.adapt):
            shares['adapt'] = 0.0
        elif settings.counts_pairs and not aside:
            shares = _share_with_classes(domain, shares, settings, budget, num_rows, num_given)
    return shares


def _share_with_classes(
    domain: Domain,
    shares: dict[str, float],
    settings: Settings,
    budget: Budget,
    num_rows: float,
    num_given: int,
) -> dict[str, float]:
    """Move a part of the share of pairs to classes of a number, if pairs would have few bins.

    Fine bins of pairs relate a number to other columns better than classes do.
    """
    num_bins = _carry_bins(domain, shares, settings, budget, num_rows, num_given) or 0
    if num_bins >= settings.constants.joint.least_bins_of_number or settings.alpha == 1:
        return shares
    whole = shares['pairs'] + shares['functions']
    left = {stage: (1 - CLASSES_ADAPTED) * shares[stage] for stage in ('pairs', 'functions')}
    return shares | left | {'classes': CLASSES_ADAPTED * whole}


def _carry_bins(
    domain: Domain,
    shares: Mapping[str, float],
    settings: Settings,
    budget: Budget,
    num_rows: float,
    num_given: int,
) -> int | None:
    """Return the bins per column if all pairs are counted; ``None`` if noise exceeds the counts."""
    part = math.fsum(shares.get(each, 0.0) for each in for_pairs(settings))
    price = budget.mu * math.sqrt(part / math.fsum(shares.values()))
    pairs = math.comb(len(domain.columns), 2) - math.comb(num_given, 2)
    return num_pair_bins(num_rows, pairs, price, settings.constants.joint)


def share_the_rest(domain: Domain, settings: Settings) -> dict[str, float]:
    """Return the shares of the rest of the budget by stage, once the table is described."""
    shares = stage_shares(domain, settings)
    return {stage: own for stage, own in shares.items() if stage not in ('size', 'describe')}


def _weigh_records(domain: Domain, budget: Budget, num_rows: float) -> float:
    """Return the records in units of the noise of a count of all columns at the whole budget."""
    return max(num_rows, 1.0) * budget.mu / math.sqrt(max(len(domain.columns), 1))


def stage_shares(domain: Domain, settings: Settings, *, aside: bool = False) -> dict[str, float]:
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
            adapted = CLASSES_ASIDE if aside else CLASSES_ADAPTED
            first = adapted if settings.alpha < 1 else CLASSES_ALONE
            shares['classes'] = whole * first
            whole -= shares['classes']
        shares['pairs'] = whole * PAIRS_FIRST
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


def open_account(
    domain: Domain,
    settings: Settings,
    noise: Noise,
    budget: Budget,
    rows_per_unit: int,
) -> Spending:
    """Return the account of one release, with nothing spent yet."""
    shares = stage_shares(domain, settings)
    charged = settings.guarantee == 'end_to_end'
    return Spending(budget, shares, noise, charged=charged, rows_per_unit=rows_per_unit)


class Run(NamedTuple):
    """The state that all stages share.

    Args:
        settings: The user's settings.
        spending: The account.
        rng: Source of the draws that need no secrecy.
        given: Rows drawn from another release, whose columns are known when rows are drawn; they
            are the first columns of the domain. ``None`` without any.
        given_codes: The codes of these rows, shape (P, q), once the columns are described.
        aside: Whether the target was chosen for the user by :func:`take_last`, and gets little.
    """

    settings: Settings
    spending: Spending
    rng: np.random.Generator
    given: pd.DataFrame | None = None
    given_codes: NDArray[np.int64] | None = None
    aside: bool = False

    @property
    def num_given(self) -> int:
        """The number of given columns."""
        return 0 if self.given is None else self.given.shape[1]

    @property
    def constants(self) -> Constants:
        """The constants that were chosen by measurement."""
        return self.settings.constants

    def adapts(self, classes: Classes) -> bool:
        """Whether labels are adapted; if not, classes are drawn with the density."""
        return classes.told_apart and self.settings.alpha < 1

    def adapts_number(self, classes: Classes) -> bool:
        """Whether a numerical target is adapted, if the budget supports it."""
        adapts = self.settings.alpha < 1 and self.spending.price('adapt') > 0
        return classes.ordered and adapts


def settle_target(description: Description, size: tuple[float, float], run: Run) -> Description:
    """Return the description with its guessed target, or without it if it turns out unsuitable.

    A category stays if all of its values are known, as far as can be told
    (:func:`~sdv_threea.encoding.classes.settle_guess`). A number stays if it is adapted and pairs
    of columns are counted too: otherwise it would take budget from pairs.

    Formal guarantees:
        * the decision depends on public facts and on released numbers alone

    Args:
        description: The description of the table, with the guessed target.
        size: The released number of records, and the standard deviation of its noise.
        run: The run whose account paid for the description.
    """
    constants, domain = run.constants, description.domain
    if isinstance(domain[cast(str, domain.target)], Category):
        terms = constants.encoding.most_classes, constants.describe.evident_rest
        return settle_guess(description, size, *terms)
    sizes = [each.size for each in make_transformers(description, constants.encoding)]
    price = math.hypot(*(run.spending.price(stage) for stage in for_pairs(run.settings)))
    pairs = math.comb(len(sizes), 2) - math.comb(run.num_given, 2)
    num_bins = num_pair_bins(size[0], pairs, price, constants.joint) or 0
    fine = num_bins >= constants.joint.least_bins_of_guess
    if fine and suits_number(num_bins, sizes, constants.joint) and run.spending.price('adapt'):
        return description
    return replace(description, domain=replace(domain, target=None))
