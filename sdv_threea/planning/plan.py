"""The plan of a release: its target, the shares that pay for statistics, omissions and reasons.

A plan is data: drafted from public facts, and refined by the released number of rows
(:func:`make_plan`), by the released description of the columns (:func:`settle_plan`), and by the
released counts of all columns (:func:`finish_plan`). No other module decides which stage pays.

Formal guarantees, of every function here:
    * a plan depends on public facts, on the settings and on released numbers alone
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sdv_threea.adapt.regression import carries_number
from sdv_threea.arrays import Floats
from sdv_threea.describe.description import Description, asks
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.classes import Classes, make_classes, settle_guess
from sdv_threea.encoding.encoders import Transformer
from sdv_threea.joint.pair_bins import PairPlan, add_evident, plan_pairs
from sdv_threea.planning.shares import (
    Known,
    asks_size,
    drowns_pairs,
    find_loose,
    for_classes,
    for_pairs,
    share_by_size,
    share_stages,
    share_the_rest,
)
from sdv_threea.planning.targets import guess_target, keeps_number, take_last, yields_to_pairs
from sdv_threea.statistics.registry import PARTS, name_part

#: The stages, in order.
STAGES = ('describe', 'approximate', 'adapt', 'anonymize')

#: A target with fewer codes than this, the missing value included, cannot be regressed.
LEAST_CODES = 3

#: Why a numerical target is not adapted.
TOO_NOISY = 'noise would exceed what it tells'


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The statistics of a release, the shares that pay for them, and omissions: publishable.

    Args:
        domain: The public facts, with the planned target.
        known: The settings, the budget and the number of rows, from which the plan follows.
        shares: Shares of ``mu^2``: of the whole budget, or of the rest after the number of rows was
            released.
        aside: Whether the user named no target and the last column was chosen: such a target gets a
            small share.
        guessed: Whether the target was chosen, and is kept only if its description suits.
        loose: The numbers whose stated ranges are too wide for the rows.
        num_classes: The number of classes of the target, 1 for none.
        adapted: What is adapted: ``'labels'`` or ``'number'``; if it is empty, nothing is, and the
            density draws the target.
        pairs: Which pairs of columns are counted, and in which bins; ``None`` for none.
        skipped: The reason for each share without a statistic, by the name of the share.
        spent: Parts of the whole budget that were paid under an earlier plan, by share, without
            that of the number of rows.
    """

    domain: Domain
    known: Known
    shares: Mapping[str, float]
    aside: bool = False
    guessed: bool = False
    loose: tuple[str, ...] = ()
    num_classes: int = 1
    adapted: str = ''
    pairs: PairPlan | None = None
    skipped: Mapping[str, str] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)

    @property
    def target(self) -> Category | Number | None:
        """The description of the target, if there is one."""
        return None if self.domain.target is None else self.domain[self.domain.target]

    @property
    def parts(self) -> dict[str, float]:
        """Each share as a part of the whole budget; those paid under earlier plans come first."""
        size, whole = self._size_part, math.fsum(self.shares.values())
        before = {**({'size': size} if size else {}), **self.spent}
        left = 1 - math.fsum(before.values())
        return before | {name: left * own / whole for name, own in self.shares.items()}

    @property
    def lines(self) -> tuple[str, ...]:
        """The plan in words: each part of the budget, what it pays for, and what is left out."""
        parts = self.parts
        paid = {
            name: math.fsum(parts.get(each, 0.0) for each in self.payers(name))
            for name in PARTS
            if name not in self.skipped
        } | {name: parts[name] for name in ('size', *self.spent) if name in parts}
        return (
            *(f'{paid[name]:>7.1%}  {self._describe(name)}' for name in PARTS if paid.get(name)),
            *(f'{"none":>7}  {name_part(name)}: {why}' for name, why in self.skipped.items()),
        )

    @property
    def told(self) -> tuple[str, ...]:
        """The target and the plan in words."""
        chosen = ', which was chosen' if self.aside else ''
        return (f'{"target":>7}  {self.domain.target or "none"}{chosen}', *self.lines)

    def _describe(self, part: str) -> str:
        """Return what a part of the budget pays for, and at which resolution, as far as planned."""
        said = name_part(part)
        if part in ('classes', 'moments') and self.num_classes > 1:
            return f'{said}: {self.num_classes} classes'
        if part == 'pairs' and self.pairs is not None:
            return f'{said}: {len(self.pairs.pairs)}, numbers in {self.pairs.num_bins} bins'
        return said

    @property
    def _size_part(self) -> float:
        """The part of the budget that has paid for the number of rows."""
        settings = self.known.settings
        if 'size' in self.shares or not asks_size(self.domain, settings):
            return 0.0
        before = replace(self.domain, target=None) if self.aside else self.domain
        shares = share_stages(before, settings)
        return shares['size'] / math.fsum(shares.values())

    @property
    def promised(self) -> tuple[str, ...]:
        """The shares that are kept for later stages."""
        return ('adapt',) if self.adapted else ()

    def prices(self) -> dict[str, float]:
        """Return the price in GDP that each share pays."""
        budget, size = self.known.budget, self._size_part
        paid = {'size': budget.part(size).mu} if size else {}
        return paid | budget.part(1 - size).split(self.shares)

    def payers(self, statistic: str) -> tuple[str, ...]:
        """Return the shares that pay for a statistic together; none if it is not released.

        If no pairs are counted, their shares pay for the counts by class, or without classes for a
        second count of all columns, and the share of triples pays for correlations.
        """
        settings, pairs = self.known.settings, self.pairs
        uncounted = settings.counts_pairs and pairs is None
        few = pairs is not None and pairs.few_of_class
        joint: tuple[str, ...] = ('functions',) if few else ()
        closer = tuple(each for each in for_pairs(settings) if each not in ('pairs', *joint))
        if uncounted and self.num_classes > 1:
            joint = for_classes(settings)
        paid = {
            'columns again': ('pairs', 'functions') if uncounted and self.num_classes == 1 else (),
            'classes': ('classes', *(joint if self.num_classes > 1 else ())),
            'moments': ('moments',) if pairs else ('moments', 'triples'),
            'pairs': ('pairs',) if pairs else (),
            'functions': closer if pairs else (),
        }
        payers = paid.get(statistic, (statistic,))
        return tuple(each for each in payers if self.shares.get(each))

    def __str__(self) -> str:
        return '\n'.join(['Parts of the budget', *self.lines])


def make_plan(domain: Domain, known: Known) -> Plan:
    """Plan a release from public facts and, once it is known, the number of rows.

    With the number of rows an unnamed target is chosen: :func:`guess_target`, or else
    :func:`take_last`.
    """
    if known.num_rows is None or not asks_size(domain, known.settings):
        return _make(domain, known, share_stages(domain, known.settings))
    drowned = drowns_pairs(domain, known)
    planned, aside = guess_target(domain, known, drowned=drowned), False
    if planned.target is None and not drowned:
        planned = take_last(planned, known)
        aside = planned.target is not None
    return replace(plan_target(planned, known, aside=aside), guessed=planned is not domain)


def plan_target(domain: Domain, known: Known, *, aside: bool) -> Plan:
    """Plan a release whose target is settled; ``aside``: the synthesizer chose it."""
    if known.num_rows is None or not asks_size(domain, known.settings):
        return _make(domain, known, share_stages(domain, known.settings, aside=aside), aside=aside)
    shares = share_by_size(domain, known, aside=aside)
    return _make(domain, known, shares, aside=aside, loose=find_loose(domain, known))


def settle_plan(
    plan: Plan,
    description: Description,
    size: tuple[float, float] | None,
    price: Callable[[str], float],
) -> tuple[Description, Plan]:
    """Keep a target that was chosen for the user, or drop it if it turns out unsuitable.

    A category stays if all of its values are known, as far as can be told
    (:func:`~sdv_threea.encoding.classes.settle_guess`), and gets a small share if pairs of codes
    would not be counted otherwise. A numerical target stays if it is adapted and pairs of columns
    are counted too: otherwise it would take budget from pairs. A target that is dropped leaves its
    share to the others.

    Args:
        plan: The plan with the chosen target.
        description: The released description of the columns.
        size: The released number of rows, and the standard deviation of its noise.
        price: The price in GDP per record that a share pays.
    """
    constants, domain = plan.known.settings.constants, description.domain
    if not plan.guessed or size is None:
        return description, plan
    if isinstance(plan.target, Category):
        evident = constants.describe.clear_of_noise()
        description = settle_guess(description, size, constants.encoding.most_classes, evident)
        if not plan.aside and yields_to_pairs(plan.known, description, plan.shares):
            plan = set_aside(plan)
    elif not keeps_number(plan.known, description, size[0], price):
        description = replace(description, domain=replace(domain, target=None))
    if description.domain.target is None:
        plan = without_target(plan, 'the column that was taken for the target is unsuitable')
    return description, plan


def plan_classes(
    plan: Plan,
    description: Description,
    transformers: tuple[Transformer, ...],
    price: Callable[[str], float],
) -> tuple[Classes, Plan]:
    """Plan the classes: of a numerical target, as many as the noise of their counts leaves apart.

    If these are one, pairs get the share of classes.
    """
    known, paid = plan.known, price('classes')
    moved = known.budget.distance * math.sqrt(len(transformers))
    noise, constants = moved / paid if paid else math.inf, known.settings.constants.encoding
    classes = make_classes(description, transformers, noise, constants)
    if classes.ordered and classes.count == 1 and paid and price('adapt'):
        plan = without_classes(plan)
    return classes, plan


def without_target(plan: Plan, why: str) -> Plan:
    """Return the plan without its target, whose share goes to the statistics not yet released."""
    domain = replace(plan.domain, target=None)
    planned = _make(domain, plan.known, share_the_rest(domain, plan.known.settings), why=why)
    return _keep_spent(planned, plan)


def set_aside(plan: Plan) -> Plan:
    """Return the plan with a small share for its target: pairs of columns get the difference."""
    shares = share_the_rest(plan.domain, plan.known.settings, aside=True)
    planned = _make(plan.domain, plan.known, shares, loose=plan.loose, aside=True)
    return _keep_spent(planned, plan)


def without_classes(plan: Plan) -> Plan:
    """Return the plan where a numerical target has no classes: pairs get their share."""
    shares = share_the_rest(plan.domain, plan.known.settings)
    planned = _make(plan.domain, plan.known, shares, loose=plan.loose, aside=plan.aside)
    why = 'noise leaves no classes of a number apart'
    return _keep_spent(replace(planned, skipped={**planned.skipped, 'classes': why}), plan)


def _keep_spent(planned: Plan, before: Plan) -> Plan:
    """Return the plan of the rest once the table is described, with what that has cost."""
    return replace(planned, spent={'describe': before.parts['describe']})


def finish_plan(
    plan: Plan,
    classes: Classes,
    columns: Sequence[Floats],
    totals: Floats,
    price: Callable[[str], float],
) -> Plan:
    """Plan the pairs of columns, once all columns are counted.

    Args:
        plan: The plan so far.
        classes: The classes of the target.
        columns: The counts of the codes of each column, shape (S,) each.
        totals: The number of records of each class, shape (C,).
        price: The price in GDP per record that a share pays.
    """
    known, num_records = plan.known, float(totals.sum())
    adapted = _find_adapted(known, classes, columns, num_records, price('adapt'))
    noisy = {'adapt': TOO_NOISY} if classes.ordered and not adapted else {}
    skipped = {**noisy, **plan.skipped}
    plan = replace(plan, num_classes=classes.count, adapted=adapted, skipped=skipped)
    if not known.settings.counts_pairs:
        return plan
    paid = math.hypot(*map(price, for_pairs(known.settings))) / known.budget.distance
    num_adapted, unlike = classes.count if adapted == 'labels' else 0, math.inf
    if plan.aside and num_adapted:  # its classes get more only if one is rare
        num_adapted, unlike = 0, num_records - float(totals.max())
    pairs = plan_pairs(
        columns,
        num_records,
        paid,
        known.settings.constants.joint,
        num_adapted,
        unlike=unlike,
        adapts_number=adapted == 'number',
        num_given=known.num_given,
        doubtful=known.doubtful,
    )
    if pairs is not None:
        return replace(plan, pairs=pairs)
    why = _tell_uncounted(plan)
    return replace(plan, skipped={**plan.skipped, 'pairs': why, 'functions': why})


def plan_evident(
    plan: Plan, evidence: Floats, num_records: float, price: Callable[[str], float]
) -> Plan:
    """Plan the pairs of doubtful columns that evidently depend on each other.

    ``evidence`` are correlations in standard deviations of their errors, shape (m, m).
    """
    known, width = plan.known, len(evidence)
    if plan.pairs is None or not known.doubtful:
        return plan
    constants = known.settings.constants.joint
    asked = [(i, j) for i in sorted(known.doubtful) for j in range(known.num_given, width)]
    clear = constants.clear_of_noise(len(asked))
    found = {(i, j): float(evidence[i, j]) for i, j in asked if evidence[i, j] > clear}
    paid = math.hypot(*map(price, for_pairs(known.settings))) / known.budget.distance
    pairs = add_evident(plan.pairs, found, num_records, paid, constants)
    return replace(plan, pairs=pairs._replace(left_out=frozenset(asked) - set(pairs.pairs)))


def _find_adapted(
    known: Known, classes: Classes, columns: Sequence[Floats], num_records: float, price: float
) -> str:
    """Return what is adapted, for :attr:`Plan.adapted`, at a price in GDP per record."""
    if known.settings.alpha == 1 or not price or not columns:
        return ''
    if classes.told_apart:
        return 'labels'
    if not classes.ordered or classes.target is None or len(columns) < 2:
        return ''
    num_codes = len(columns[classes.target])
    carried = carries_number(num_records, len(columns), price)
    return 'number' if carried and num_codes >= LEAST_CODES else ''


def _tell_uncounted(plan: Plan) -> str:
    """Say why pairs of columns are not counted."""
    most = plan.known.settings.constants.joint.most_columns
    if len(plan.domain.columns) > most:
        return f'there are more than {most} columns'
    if plan.adapted == 'number':
        return 'their bins would be too coarse to predict a number'
    return 'noise would exceed their counts'


def _make(
    domain: Domain,
    known: Known,
    shares: Mapping[str, float],
    *,
    aside: bool = False,
    loose: tuple[str, ...] = (),
    why: str = 'there is no target',
) -> Plan:
    """Make a plan, with reasons for omitted statistics; ``why`` is that for having no target."""
    skipped = {}
    if not asks(domain):
        skipped['describe'] = 'all are stated'
    if domain.target is None:
        skipped['classes'] = skipped['adapt'] = why
    elif known.settings.alpha == 1:
        skipped['adapt'] = 'alpha=1 draws it from the density'
    elif not shares.get('adapt'):
        skipped['adapt'] = TOO_NOISY
    return Plan(
        domain=domain, known=known, shares=shares, aside=aside, loose=loose, skipped=skipped
    )
