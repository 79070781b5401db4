"""The stages of a release: which there are, and what each of them may spend."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from sdv_threea.accounting import Budget
from sdv_threea.adapt.regression import carries_number
from sdv_threea.adapt.trade import counts_loss
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

#: The stages, in order: as public as the algorithm.
STAGES = ('describe', 'approximate', 'partition', 'adapt', 'anonymize')

#: Whose shares pairs of columns get where they are counted: their own, and those of stages that
#: then have nothing to do.
FOR_PAIRS = ('pairs', 'functions', 'partition', 'anonymize')

#: Of these, what a mixture needs if pairs are not counted.
MIXED = ('partition', 'anonymize')

#: The part of the share of pairs with which all of them are counted first. The rest is for those
#: that look like functions, and for a second count of all. Set by hand.
PAIRS_FIRST = 0.65

#: The part of the share of classes that is still theirs if pairs are counted too: where labels are
#: adapted, which are made of what classes say of columns, and where the density is all. Of .4 and
#: .7 for the first neither was better than .6.
CLASSES_ADAPTED, CLASSES_ALONE = 0.6, 0.25

#: The same of a category that is adapted aside, as nobody named it, and what part it gets of the
#: share of labels. With twice as much, models learn as much of compas and default_credit, .002 more
#: of Adult and .01 of telco_churn, and marginals of three columns are off by 1 to 6 % more.
CLASSES_ASIDE, LABELS_ASIDE = 0.1, 0.25

#: A numerical target that the user names is adapted with this many times the share of labels. At
#: epsilon 1 models learn .01 to .02 more of bike_sharing, california_housing and protein_casp than
#: with once the share, and marginals are off by 1 to 4 % more; with half as much again no more.
TIMES_FOR_NUMBERS = 1.8


def may_count_pairs(domain: Domain, settings: Settings, *, alone: bool) -> bool:
    """Return whether pairs of columns are counted if the budget carries them.

    They are not where records are drawn in the context of other tables, nor with a number of
    components that the user chose.

    Args:
        domain: What is public.
        settings: What the user chose.
        alone: Whether the table is released alone, and not in the context of another one.
    """
    chosen = settings.components_per_class is not None or settings.guarantee == 'paper'
    return alone and not chosen


def for_pairs(settings: Settings) -> tuple[str, ...]:
    """Return whose shares pairs of columns get; at ``alpha=1`` labels need none beside them."""
    return FOR_PAIRS if counts_loss(settings.alpha) else (*FOR_PAIRS, 'adapt')


def for_classes(settings: Settings) -> tuple[str, ...]:
    """Return whose shares classes get beside their own, where pairs may be counted but are not."""
    return tuple(each for each in for_pairs(settings) if each not in MIXED)


def asks_size(domain: Domain, settings: Settings, *, alone: bool) -> bool:
    """Return whether the number of records is released first, and the budget shared out by it.

    It is where values or ranges have to be found: where records are few, that takes more of the
    budget. It is where there are numbers, too: of few records a stated range may be too wide, and a
    numerical target may be drowned. In a database, sizes of tables are released otherwise.

    Args:
        domain: What is public.
        settings: What the user chose.
        alone: Whether the table is released alone, and not in the context of another one.
    """
    has_share = settings.guarantee == 'end_to_end' and settings.shares.get('size', 0.0) > 0
    has_numbers = any(isinstance(column, Number) for column in domain.columns)
    return alone and has_share and (has_numbers or is_open(domain))


def find_loose(
    domain: Domain, settings: Settings, budget: Budget, num_rows: float | None
) -> tuple[str, ...]:
    """Find the numbers whose stated ranges are too wide for the number of records, if released."""
    if num_rows is None:
        return ()
    evidence = _weigh_records(domain, budget, num_rows)
    return find_wide(domain, evidence, settings.constants.describe)


def guess_target(domain: Domain, settings: Settings, *, drowned: bool) -> Domain:
    """Take a category for the target, where none is named.

    * The only one: among numbers it is the label that models are trained to predict. And a
      correlation says little of a category and a number: with classes each value has a distribution
      of numbers of its own.
    * The last one, where noise would drown pairs of columns: samples say of no category then what
      it has to do with others. With classes they say it of one, and in most tables that models are
      trained on, the last column is the label.

    Formal guarantees:
        * the choice depends on public facts and on ``drowned`` alone

    Args:
        domain: What is public, of a table that is released alone.
        settings: What the user chose.
        drowned: Whether noise would drown pairs of columns.

    Returns:
        The domain with a category as its target, one that is not stated to have too many values;
        or as it is, if there is none, if there is no other column, if a target is named, or if the
        user chose a number of components.
    """
    if not _may_guess(domain, settings):
        return domain
    categories = [column for column in domain.columns if isinstance(column, Category)]
    suited = [column.name for column in categories if _suits_classes(column, settings)]
    if not suited or (len(categories) > 1 and not drowned):
        return domain
    return replace(domain, target=suited[-1])


def take_last(domain: Domain, settings: Settings) -> Domain:
    """Take the last column for the target, if still there is none and pairs of columns are counted.

    What several columns say of one together, samples do not say without a target. Beside pairs it
    costs little to say it of one, and in most tables that models are trained on, the last column is
    the label. The density alone, at ``alpha=1``, needs none.

    Formal guarantees:
        * the choice depends on public facts alone

    Args:
        domain: What is public, of a table that is released alone.
        settings: What the user chose.

    Returns:
        The domain with its last column as the target; or as it is, if that is a date, or a category
        that is stated to have too many values, or for the reasons of :func:`guess_target`.
    """
    if not _may_guess(domain, settings) or not counts_loss(settings.alpha):
        return domain
    last = domain.columns[-1]
    is_date = isinstance(last, Number) and last.steps == TIME_STEPS
    has_many = isinstance(last, Category) and not _suits_classes(last, settings)
    return domain if is_date or has_many else replace(domain, target=last.name)


def _may_guess(domain: Domain, settings: Settings) -> bool:
    """Return whether a column may stand for a target that is not named."""
    nobody = domain.target is None and len(domain.columns) > 1
    return nobody and may_count_pairs(domain, settings, alone=True)


def _suits_classes(column: Category, settings: Settings) -> bool:
    """Return whether the values of a category may be classes: whether few enough are stated."""
    return len(column.values or ()) <= settings.constants.encoding.most_classes


def drowns_pairs(domain: Domain, settings: Settings, budget: Budget, num_rows: float) -> bool:
    """Return whether noise would drown pairs of columns, or there are too many to be counted.

    Args:
        domain: What is public.
        settings: What the user chose.
        budget: The budget of the release.
        num_rows: The released number of records.
    """
    shares = share_by_size(domain, settings, budget, num_rows)
    carried = _carry_bins(domain, shares, settings, budget, num_rows)
    return carried is None or len(domain.columns) > settings.constants.joint.most_columns


def share_by_size(
    domain: Domain, settings: Settings, budget: Budget, num_rows: float, *, aside: bool = False
) -> dict[str, float]:
    """Return the share of the rest of the budget by stage, once the number of records is released.

    Args:
        domain: What is public.
        settings: What the user chose.
        budget: The budget of the release.
        num_rows: The released number of records.
        aside: Whether the target is adapted aside, for little.
    """
    constants = settings.constants.describe
    loose = find_loose(domain, settings, budget, num_rows)
    part = find_asked_part(domain, constants, loose)
    shares = stage_shares(domain, settings, aside=aside)
    del shares['size']
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
        elif may_count_pairs(domain, settings, alone=True) and not aside:
            shares = _share_with_classes(domain, shares, settings, budget, num_rows)
    return shares


def _share_with_classes(
    domain: Domain,
    shares: dict[str, float],
    settings: Settings,
    budget: Budget,
    num_rows: float,
) -> dict[str, float]:
    """Let classes of a number have a part of the share of pairs, if these would have few bins.

    Fine bins of pairs say better what a number has to do with others.
    """
    num_bins = _carry_bins(domain, shares, settings, budget, num_rows) or 0
    if num_bins >= settings.constants.joint.least_bins_of_number or not counts_loss(settings.alpha):
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
) -> int | None:
    """Return how many bins a column has if all pairs are counted; ``None`` if noise drowns them."""
    part = math.fsum(shares.get(each, 0.0) for each in for_pairs(settings))
    price = budget.mu * math.sqrt(part / math.fsum(shares.values()))
    pairs = math.comb(len(domain.columns), 2)
    return num_pair_bins(num_rows, pairs, price, settings.constants.joint)


def share_the_rest(domain: Domain, settings: Settings) -> dict[str, float]:
    """Return the share of the rest of the budget by stage, once a table is described.

    Args:
        domain: What is public or released, of a table that is released alone.
        settings: What the user chose.
    """
    shares = stage_shares(domain, settings)
    return {stage: own for stage, own in shares.items() if stage not in ('size', 'describe')}


def _weigh_records(domain: Domain, budget: Budget, num_rows: float) -> float:
    """Return records in units of the noise of a count of all columns, for the whole budget."""
    return max(num_rows, 1.0) * budget.mu / math.sqrt(len(domain.columns))


def stage_shares(
    domain: Domain, settings: Settings, *, alone: bool = True, aside: bool = False
) -> dict[str, float]:
    """Return the share of the budget by stage: nothing for stages that have nothing to ask.

    Without a target there are no classes to count: their share goes to pairs of columns, if they
    may be counted, or else to the columns. With a categorical target, pairs get a part of the share
    of classes, and with a numerical one all of it, if they have fine bins
    (:func:`share_by_size`). Numerical targets are adapted in tables that are released alone, with
    more than labels if the user named them; at ``alpha=1`` no target is, and what that leaves is
    for pairs, or else for all.
    """
    shares = dict(settings.shares)
    if not asks_size(domain, settings, alone=alone):
        shares['describe'] += shares.pop('size', 0.0)
    if not asks(domain):
        shares['describe'] = 0.0
    if may_count_pairs(domain, settings, alone=alone):
        whole = shares.pop('classes')
        if domain.target is not None and isinstance(domain[domain.target], Category):
            adapted = CLASSES_ASIDE if aside else CLASSES_ADAPTED
            first = adapted if counts_loss(settings.alpha) else CLASSES_ALONE
            shares['classes'] = whole * first
            whole -= shares['classes']
        shares['pairs'] = whole * PAIRS_FIRST
        shares['functions'] = whole - shares['pairs']
    else:
        if domain.target is None:
            shares['columns'] += shares.pop('classes')
        if not counts_loss(settings.alpha):
            shares['adapt'] = 0.0
    shares['adapt'] *= _weigh_target(domain, settings, alone=alone, aside=aside)
    return shares


def _weigh_target(domain: Domain, settings: Settings, *, alone: bool, aside: bool) -> float:
    """Return how many times its share the stage *adapt* gets for this target."""
    if domain.target is None:
        return 0.0
    if not isinstance(domain[domain.target], Number):
        return LABELS_ASIDE if aside else 1.0
    if not alone:
        return 0.0
    return TIMES_FOR_NUMBERS if counts_loss(settings.alpha) and not aside else 1.0


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


class Run(NamedTuple):
    """What all stages share: what the user chose, the account, and chance that needs no secrecy.

    Args:
        settings: What the user chose.
        spending: The account.
        rng: Source of the draws that need no secrecy.
        alone: Whether the table is released alone, and not in the context of another one.
        aside: Whether the target is adapted aside, for little, as nobody named it.
    """

    settings: Settings
    spending: Spending
    rng: np.random.Generator
    alone: bool
    aside: bool = False

    @property
    def constants(self) -> Constants:
        """What was chosen by measurement."""
        return self.settings.constants

    def adapts(self, classes: Classes) -> bool:
        """Whether labels are adapted: if not, the classes of records are those of the density."""
        return classes.told_apart and counts_loss(self.settings.alpha)

    def adapts_number(self, classes: Classes) -> bool:
        """Whether a numerical target is adapted, if the budget carries it."""
        adapts = counts_loss(self.settings.alpha) and self.spending.price('adapt') > 0
        return classes.ordered and adapts


def settle_target(description: Description, size: tuple[float, float], run: Run) -> Description:
    """Decide whether the target that was guessed remains one.

    A category does if all of its values are known, as far as can be told
    (:func:`~sdv_threea.encoding.classes.settle_guess`). A number does if it is adapted, and pairs
    of columns are counted beside it: else it would cost these.

    Formal guarantees:
        * the decision depends on public facts and on released numbers alone

    Args:
        description: The description of the table, with the target that was guessed.
        size: The released number of records, and the standard deviation of its noise.
        run: The run, of whose account the description is paid.

    Returns:
        The description, with the target or without.
    """
    constants, domain = run.constants, description.domain
    if isinstance(domain[cast(str, domain.target)], Category):
        terms = constants.encoding.most_classes, constants.describe.evident_rest
        return settle_guess(description, size, *terms)
    sizes = [each.size for each in make_transformers(description, constants.encoding)]
    price = math.hypot(*(run.spending.price(stage) for stage in for_pairs(run.settings)))
    num_bins = num_pair_bins(size[0], math.comb(len(sizes), 2), price, constants.joint) or 0
    fine = num_bins >= constants.joint.least_bins_of_guess
    if fine and suits_number(num_bins, sizes, constants.joint) and run.spending.price('adapt'):
        return description
    return replace(description, domain=replace(domain, target=None))
