"""The expected error of a release before it is made: computed from prices, and from no data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from sdv_threea.accounting import Budget
from sdv_threea.approximate.density import clip_radius
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight
from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.description import needs_threshold
from sdv_threea.describe.questions import ask_questions, split_delta
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.errors import InputError
from sdv_threea.joint.bins import PairPlan, plan_pairs
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.rows.statistics import (
    OFF_DIAGONAL_WEIGHT,
    histogram_sensitivity,
    moment_sensitivity,
)
from sdv_threea.settings import Settings
from sdv_threea.stages import FOR_MOMENTS, asks_size, for_pairs, share_by_size, stage_shares

#: A value counts as seen if its rows exceed the threshold by this many standard deviations.
SURE = 2.0


@dataclass(frozen=True, kw_only=True)
class ExpectedError:
    """Standard errors that the noise brings to a release, computed from public numbers.

    They are those of the released counts and moments, before smoothing and shrinkage make them
    smaller. Errors of the mixture's shape come on top.

    Args:
        num_rows: Number of rows.
        num_columns: Number of modelled columns, the target included.
        num_classes: Number of classes, taken to be equally large.
        epsilon: The privacy budget.
        delta: The probability with which the promise may fail.
        count: Standard error of the number of rows with one value of a column.
        class_count: The same in one class, for a column whose values are as many and as frequent as
            those of the others.
        correlation: Standard error of a correlation of normal scores in one class; an upper bound,
            as columns are taken to be continuous.
        category_rows: How many rows must have a value of a categorical column for it to be seen,
            with two standard deviations to spare: for an unknown value to pass its threshold, or
            for the count of a public one to differ from zero. Where several columns have unknown
            values, the rows are taken to have common values in all others. If ``k`` of their values
            are equally rare, up to ``sqrt(k)`` times as many rows are needed.
    """

    num_rows: int
    num_columns: int
    num_classes: int
    epsilon: float
    delta: float
    count: float
    class_count: float
    correlation: float
    category_rows: float

    @property
    def share(self) -> float:
        """Standard error of the share of all rows that have a value."""
        return self.count / self.num_rows

    @property
    def class_share(self) -> float:
        """Standard error of the share of a class's rows that have a value."""
        return self.class_count / (self.num_rows / self.num_classes)

    @property
    def class_difference(self) -> float:
        """Standard error of the difference between the shares of two classes."""
        return math.sqrt(2) * self.class_share

    def __str__(self) -> str:
        in_class = self.num_rows / self.num_classes
        chance = 0.5 / math.sqrt(self.num_rows), 0.5 / math.sqrt(in_class)
        lines = [
            f'{self.num_rows:,} rows, {self.num_columns} columns, epsilon={self.epsilon:g}, '
            f'delta={self.delta:g}: expected standard errors',
            '',
            f'{"":30}{"noise":>10}{"sampling":>11}',
            f'{"count of a value":30}{self.count:>9.1f} ',
            _percent('share of a value', self.share, chance[0]),
        ]
        if self.num_classes > 1:
            lines += [
                _percent('share in a class', self.class_share, chance[1]),
                _percent(
                    'difference of two classes', self.class_difference, math.sqrt(2) * chance[1]
                ),
            ]
        lines += [
            f'{"correlation":30}{self.correlation:>9.3f} {1 / math.sqrt(in_class):>9.3f}',
            '',
            f'A category needs about {math.ceil(self.category_rows):,} rows to be seen.',
            'Sampling: of another sample of as many rows, for a share of one half or no '
            'correlation.',
            'Computed from the mechanism; no data was read, and nothing was spent.',
        ]
        return '\n'.join(lines)


def expected_error(  # noqa: PLR0913 (the shape of a table, and the promise)
    num_rows: int,
    num_columns: int,
    epsilon: float,
    delta: float = 1e-6,
    *,
    num_classes: int = 1,
    num_numerical: int | None = None,
    public_metadata: bool = False,
    neighbors: str = 'add_remove',
    aside: bool = False,
) -> ExpectedError:
    """Estimate the standard errors that the noise of a release will bring, without reading data.

    The estimate spends nothing. If the number of rows must stay secret, use a round one. A
    numerical target, which the arguments cannot state, takes a part of the budget: errors of
    columns and correlations are then a quarter larger.

    Args:
        num_rows: About how many rows the table has.
        num_columns: Number of modelled columns, the target included, without keys and names.
        epsilon: The privacy budget; ``math.inf`` for no privacy.
        delta: The probability with which the promise may fail.
        num_classes: Number of values of a categorical target; 1 without a target.
        num_numerical: How many of the columns are numbers or dates; by default half of them.
        public_metadata: Whether the metadata states the values and ranges of all columns, and that
            none is missing; numbers are then taken to have few values.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        aside: Whether the synthesizer takes the last column for a target that is not named, at
            ``alpha`` below 1: a category of ``num_classes`` values, or a number if that is 1.

    Raises:
        ValueError: If an argument is out of range.

    Examples:
        >>> from sdv_threea.estimate import expected_error
        >>> errors = expected_error(30_000, 15, epsilon=1.0, num_classes=2)
        >>> round(errors.count), f'{errors.share:.2%}'
        (47, '0.16%')
    """
    _check_counts(num_rows=num_rows, num_columns=num_columns, num_classes=num_classes)
    settings = Settings(epsilon=epsilon, delta=delta, neighbors=neighbors)
    has_target = num_classes > 1
    numerical = num_columns // 2 if num_numerical is None else num_numerical
    if not 0 <= numerical <= num_columns - has_target:
        raise InputError(
            f'num_numerical must be between 0 and {num_columns - has_target}, the number of columns'
            f' without a categorical target, got {num_numerical}.'
        )
    domain = _make_up(num_columns, numerical, has_target=has_target, public=public_metadata)
    if aside and not has_target and numerical:
        domain = replace(domain, target=domain.columns[numerical - 1].name)
    return expect(domain, settings, num_rows, num_classes=num_classes, aside=aside)


def expect(
    domain: Domain,
    settings: Settings,
    num_rows: int,
    *,
    num_classes: int = 1,
    aside: bool = False,
    budget: Budget | None = None,
) -> ExpectedError:
    """Estimate the standard errors of a release of a described table, as :func:`expected_error`.

    ``budget`` is a part of that of the settings, if other tables are released too.
    """
    num_columns, has_target = len(domain.columns), num_classes > 1
    budget = budget or settings.budget(thresholds=needs_threshold(domain))
    prices = _split_prices(domain, settings, budget, num_rows, aside=aside)
    scored = num_columns - has_target
    adapted = num_classes if has_target and not aside else 0
    plan = _plan_pairs(num_rows, scored, adapted, prices, settings)
    # Without a target, columns are counted twice, unless pairs are counted.
    twice = () if has_target or plan else ('pairs', 'functions')
    again = math.hypot(*(prices.get(stage, 0.0) for stage in twice))
    neighbors = settings.neighbors
    count = histogram_sensitivity(scored + 1, neighbors) / math.hypot(prices['columns'], again)
    class_count = count
    if has_target:
        class_count = histogram_sensitivity(scored, neighbors) / _price_classes(prices, plan)
    # The sizes of classes are unknown, so they are taken to be equal.
    totals = np.full(num_classes, num_rows / num_classes)
    seen = _rows_to_be_seen(domain, num_rows, budget, prices, settings.constants.describe)
    noise = _product_noise(scored, prices, settings, plan is not None)
    return ExpectedError(
        num_rows=num_rows,
        num_columns=num_columns,
        num_classes=num_classes,
        epsilon=settings.epsilon,
        delta=settings.delta,
        count=count,
        class_count=class_count,
        correlation=noise / float(totals[0]),
        category_rows=seen or SURE * count,
    )


def _split_prices(
    domain: Domain, settings: Settings, budget: Budget, num_rows: int, *, aside: bool
) -> dict[str, float]:
    """Return the price of each stage, as a fit of that many rows would split the budget."""
    # An unnamed target is chosen after the number of records is released.
    before = replace(domain, target=None) if aside else domain
    prices = budget.split(stage_shares(before, settings))
    if not asks_size(domain, settings):
        return prices
    left = 1.0
    if math.isfinite(budget.mu):
        left -= (prices['size'] / budget.mu) ** 2
    return budget.part(left).split(share_by_size(domain, settings, budget, num_rows, aside=aside))


def _make_up(num_columns: int, num_numerical: int, *, has_target: bool, public: bool) -> Domain:
    """Return a domain of that shape, on which alone prices depend."""
    step, nullable, values = (1.0, False, ('a', 'b')) if public else (None, None, None)
    low, high = (0.0, 1.0) if public else (None, None)
    numbers = [
        Number(name=f'number {at}', low=low, high=high, step=step, nullable=nullable)
        for at in range(num_numerical)
    ]
    categories = [
        Category(name=f'category {at}', values=values, nullable=nullable)
        for at in range(num_columns - num_numerical)
    ]
    target = categories[-1].name if has_target else None
    return Domain((*numbers, *categories), target)


def _plan_pairs(
    num_rows: int,
    num_columns: int,
    adapted_classes: int,
    prices: Mapping[str, float],
    settings: Settings,
) -> PairPlan | None:
    """Return the plan of pairs if all columns had signal; ``None`` if pairs are not counted."""
    constants = settings.constants.joint
    if 'pairs' not in prices:  # the algorithm of the paper
        return None
    price = math.hypot(*(prices[stage] for stage in for_pairs(settings)))
    telling = [np.zeros(1)] * num_columns
    return plan_pairs(telling, num_rows, price, constants, adapted_classes)


def _price_classes(prices: Mapping[str, float], plan: PairPlan | None) -> float:
    """Return the price of counting columns in classes, which may get shares of pairs."""
    shared = ['classes', *([] if plan else ['pairs', 'functions'])]
    if plan is not None and plan.few_of_class:
        shared.append('functions')
    return math.hypot(*(prices.get(stage, 0.0) for stage in shared))


def _product_noise(
    num_scored: int,
    prices: Mapping[str, float],
    settings: Settings,
    pairs: bool,
) -> float:
    """Return the standard error of a sum of products of two scores over the records of a class.

    If pairs are not counted, the sum gets their share too.
    """
    constants = settings.constants
    # Continuous columns have scores of variance one: an upper bound.
    radius = clip_radius(np.ones((1, num_scored)), constants.approximate.clip)
    weight = constant_weight(radius, constants.approximate.count_weight)
    norm = math.hypot(weight, radius) / SCORE_UNITS
    unit = moment_sensitivity(norm, settings.neighbors) / OFF_DIAGONAL_WEIGHT
    stages = ('moments',) if pairs else ('moments', *FOR_MOMENTS)
    return unit / math.hypot(*(prices[stage] for stage in stages))


def _rows_to_be_seen(
    domain: Domain,
    num_rows: int,
    budget: Budget,
    prices: Mapping[str, float],
    constants: DescribeConstants,
) -> float | None:
    """Return the rows that an unknown value needs to pass :func:`mechanism.threshold_release`."""
    if not needs_threshold(domain):
        return None
    terms = prices['describe'], budget.neighbors, discrete_gaussian
    questions = ask_questions(domain, *terms, constants, num_records=num_rows)
    last = next((name for name in ('rarer', 'categories') if name in questions), None)
    if last is None:
        return None
    asked, delta = questions[last], split_delta(questions, budget.threshold_part)
    # As describe does: skip values of few rows, to draw less noise.
    least = asked.unit + int(asked.scale / 4)
    quantile = -float(ndtri(delta[last] / asked.max_new_keys))
    return (least + (quantile + SURE) * asked.scale) / asked.unit


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or count != int(count) or count < 1:
            raise InputError(f'{name} must be a whole number of at least 1, got {count!r}.')


def _percent(name: str, noise: float, sampling: float) -> str:
    return f'{name:30}{noise:>10.2%} {sampling:>10.2%}'
