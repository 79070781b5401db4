"""Estimate the error of a release before it is made, from prices and without data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtri

from sdv_threea.accounting.sensitivities import (
    OFF_DIAGONAL_WEIGHT,
    histogram_sensitivity,
    moment_sensitivity,
)
from sdv_threea.approximate.marginals import clip_radius
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight
from sdv_threea.constants import COUNT_WEIGHT
from sdv_threea.describe.description import needs_threshold
from sdv_threea.describe.questions import ask_questions, split_delta
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.classes import Classes
from sdv_threea.errors import InputError
from sdv_threea.planning.plan import Plan, finish_plan, plan_target
from sdv_threea.planning.shares import Known
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.settings import Settings

#: A value counts as found if its rows exceed the threshold by this many standard deviations.
SURE = 2.0


@dataclass(frozen=True, kw_only=True)
class ExpectedError:
    """Standard errors that noise adds to a release, computed from public numbers.

    The errors are those of the released counts and moments. Smoothing and shrinkage then reduce
    them, and the approximation of the density by Gaussians adds to them.

    Args:
        num_columns: Number of modelled columns, the target included.
        num_classes: Number of classes, assumed to be equally large.
        count: Standard error of the number of rows with one value of a column.
        class_count: Standard error of the number of rows of one class with one value, for a column
            of average number and frequency of values.
        correlation: Standard error of a correlation of normal scores in one class; an upper bound,
            because columns are assumed to be continuous.
        category_rows: How many rows must have a value of a categorical column for it to be seen,
            with a margin of two standard deviations: for an unknown value to exceed its threshold,
            or for the count of a public one to differ from zero. If several columns have unknown
            values, the rows are assumed to have common values in all other columns. If ``k`` of
            their values are equally rare, up to ``sqrt(k)`` times as many rows are needed.
        plan: The plan of the release, if no column is too noisy to be counted with others.
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
    plan: Plan = field(repr=False)

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
            str(self.plan),
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
    """Estimate the standard errors that noise will add to a release, without reading data.

    The estimate spends nothing. If the number of rows must stay secret, use a round one. The
    arguments cannot state a numerical target. It takes a part of the budget, so errors of columns
    and correlations are then a quarter larger.

    Args:
        num_rows: About how many rows the table has.
        num_columns: Number of modelled columns, the target included, without keys and names.
        epsilon: The privacy budget; ``math.inf`` for no privacy.
        delta: The probability with which the promise may fail.
        num_classes: Number of values of a categorical target; 1 without a target.
        num_numerical: How many of the columns are numbers or dates; by default half of them.
        public_metadata: Whether the metadata states the values and ranges of all columns, and that
            none is missing; numbers are then assumed to have few values.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        aside: Whether no target is named and the synthesizer chooses the last column, at ``alpha``
            below 1: a categorical column of ``num_classes`` values, or a numerical one if
            ``num_classes`` is 1.

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
    known = Known(settings, settings.budget(thresholds=needs_threshold(domain)), num_rows)
    return expect(plan_target(domain, known, aside=aside), num_classes)


def expect(plan: Plan, num_classes: int | None = None) -> ExpectedError:
    """Estimate the standard errors of a planned release, as :func:`expected_error` does."""
    domain, settings = plan.domain, plan.known.settings
    num_rows = round(plan.known.num_rows or 1)
    if num_classes is None:
        own = plan.target
        num_classes = len(own.values or 'ab') if isinstance(own, Category) else 1
    num_columns, has_target = len(domain.columns), num_classes > 1
    scored = num_columns - has_target
    prices = plan.prices()
    # No column is assumed to be too noisy to be counted in pairs, and no class to be rare.
    classes = Classes(num_classes, None, np.zeros(0, dtype=np.int64), ordered=False)
    totals = np.full(num_classes, num_rows / num_classes)
    plan = finish_plan(plan, classes, [np.zeros(1)] * scored, totals, prices.__getitem__)

    def price(statistic: str) -> float:
        return math.hypot(*(prices.get(each, 0.0) for each in plan.payers(statistic)))

    neighbors = settings.neighbors
    columns = math.hypot(price('columns'), price('columns again'))
    counted = scored + 1 - plan.known.num_given
    count = class_count = histogram_sensitivity(counted, neighbors) / columns
    if has_target:
        class_count = histogram_sensitivity(scored, neighbors) / price('classes')
    return ExpectedError(
        num_rows=num_rows,
        num_columns=num_columns,
        num_classes=num_classes,
        epsilon=settings.epsilon,
        delta=settings.delta,
        count=count,
        class_count=class_count,
        # The sizes of classes are unknown, so they are taken to be equal.
        correlation=_product_noise(scored, price('moments'), settings) * num_classes / num_rows,
        category_rows=_rows_to_be_seen(plan, prices) or SURE * count,
        plan=plan,
    )


def _make_up(num_columns: int, num_numerical: int, *, has_target: bool, public: bool) -> Domain:
    """Return a made-up domain of this shape: prices depend on nothing else."""
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


def _product_noise(num_scored: int, price: float, settings: Settings) -> float:
    constants = settings.constants.approximate
    # Continuous columns have scores of variance one: an upper bound.
    radius = clip_radius(np.ones((1, num_scored)), constants.clip)
    norm = math.hypot(constant_weight(radius, COUNT_WEIGHT), radius) / SCORE_UNITS
    return moment_sensitivity(norm, settings.neighbors) / OFF_DIAGONAL_WEIGHT / price


def _rows_to_be_seen(plan: Plan, prices: Mapping[str, float]) -> float | None:
    """Return the rows that an unknown value needs to pass :func:`mechanism.threshold_release`."""
    domain, budget = plan.domain, plan.known.budget
    if not needs_threshold(domain):
        return None
    questions = ask_questions(
        domain,
        prices['describe'],
        budget.neighbors,
        discrete_gaussian,
        plan.known.settings.constants.describe,
    )
    last = next((name for name in ('rarer', 'categories') if name in questions), None)
    if last is None:
        return None
    asked, delta = questions[last], split_delta(questions, budget.threshold_part)
    # The stage *describe* also skips values of few rows, to draw less noise.
    least = asked.unit + int(asked.scale / 4)
    quantile = -float(ndtri(delta[last] / asked.max_new_keys))
    return (least + (quantile + SURE) * asked.scale) / asked.unit


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or count != int(count) or count < 1:
            raise InputError(f'{name} must be a whole number of at least 1, got {count!r}.')


def _percent(name: str, noise: float, sampling: float) -> str:
    return f'{name:30}{noise:>10.2%} {sampling:>10.2%}'
