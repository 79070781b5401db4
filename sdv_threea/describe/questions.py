"""Questions to the private rows. Each question concerns all columns with the same blank."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sdv_threea.accounting import Receipt
from sdv_threea.accounting.sensitivities import RECORD_UNITS, histogram_sensitivity
from sdv_threea.arrays import Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.granularity import list_steps
from sdv_threea.describe.lattice import count_values, is_lattice
from sdv_threea.describe.ranges import coarsen
from sdv_threea.describe.values import list_keys
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.privacy.door import release_taken
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import Statistic, Summed, take
from sdv_threea.statistics.describe import QUESTIONS

#: Questions that are answered by values above a threshold.
THRESHOLDS = ('classes', 'categories', 'rarer', 'spikes')

#: Questions that depend on the answers to others.
LATER = ('rarer', 'closer', 'tails')


@dataclass(frozen=True)
class Question:
    """A question to all columns with the same blank; ``mu`` is its price.

    Args:
        rows_per_unit: The largest number of records of a unit of privacy.
        shared: Whether all columns share the contribution of a record, a vector of L2 norm at most
            ``RECORD_UNITS``. If not, a record adds one to one count of each column.
    """

    columns: tuple[Column, ...]
    mu: float
    neighbors: str
    noise: Noise
    rows_per_unit: int = 1
    shared: bool = field(default=False, kw_only=True)

    @property
    def unit(self) -> int:
        """The most that a record adds to one count."""
        return RECORD_UNITS if self.shared else 1

    @property
    def sensitivity(self) -> float:
        """The L2 distance by which one record moves the counts."""
        columns = 1 if self.shared else len(self.columns)
        return self.unit * histogram_sensitivity(columns, self.neighbors)

    @property
    def max_new_keys(self) -> int:
        """The number of value counts that one unit of privacy can raise."""
        columns = len(self.columns) * self.rows_per_unit
        return round(histogram_sensitivity(columns, self.neighbors) ** 2)

    @property
    def scale(self) -> float:
        """Approximately the noise scale of a count."""
        return self.sensitivity / self.mu

    def state(self, name: str, sums: Callable[[Any], Any]) -> Statistic:
        """Return the statistic that answers the question of this name."""
        finish = list_keys if name in THRESHOLDS else None
        return QUESTIONS[name].state(
            sums, neighbors=self.neighbors, finish=finish, columns=len(self.columns)
        )


class Asked(NamedTuple):
    """A question and its exact answer, which is private and ``None`` before the question is put."""

    name: str
    question: Question
    summed: Summed | None
    delta: float

    def look(self, rows: Rows[Any], sums: Callable[[Any], Any]) -> Asked:
        """Return the question with sums from its own look at the rows."""
        (summed,) = take(rows, self.question.state(self.name, sums))
        return self._replace(summed=summed)

    @property
    def taken(self) -> Summed:
        """The exact sums; an error before the look."""
        if self.summed is None:
            raise ValueError(f'the question {self.name!r} has not been put to the rows.')
        return self.summed

    def add_noise(self) -> tuple[Floats, Receipt]:
        """Release the counts with noise."""
        return release_taken(self.taken, mu=self.question.mu, noise=self.question.noise)


def find_blanks(domain: Domain, loose: Collection[str] = ()) -> dict[str, tuple[Column, ...]]:
    """Return the columns of each question to ask; ``loose`` ranges count as unknown."""
    numbers = [column for column in domain.columns if isinstance(column, Number)]
    listed = [
        column
        for column in domain.columns
        if isinstance(column, Category) and column.values is None
    ]
    rough = tuple(column for column in numbers if not is_lattice(column))
    # The classes of a numerical target are made from its counts.
    counted = {*loose, domain.target, *(column.name for column in rough)}
    blanks: dict[str, tuple[Column, ...]] = {
        'nulls': tuple(column for column in domain.columns if column.nullable is None),
        'steps': tuple(
            column
            for column in numbers
            if column.step is None or (column in rough and len(list_steps(column)) > 1)
        ),
        'classes': tuple(column for column in listed if column.name == domain.target),
        'categories': tuple(column for column in listed if column.name != domain.target),
        'spikes': rough,
        'ranges': tuple(column for column in numbers if column.name in counted),
    }
    return {name: columns for name, columns in blanks.items() if columns}


def loosen(domain: Domain, loose: Collection[str]) -> Domain:
    """Return the domain without the stated ranges of the numbers in ``loose``."""
    columns = (
        replace(column, low=None, high=None)
        if isinstance(column, Number) and column.name in loose
        else column
        for column in domain.columns
    )
    return replace(domain, columns=tuple(columns))


def find_asked_part(
    domain: Domain, constants: DescribeConstants, loose: Collection[str] = ()
) -> float:
    """Return the part of the questions that is asked, relative to no stated range or value.

    With this part of the budget no question has more noise than if nothing were stated, so stating
    facts saves budget for other stages.
    """
    nothing = (
        replace(column, values=None)
        if isinstance(column, Category)
        else replace(column, low=None, high=None)
        for column in domain.columns
    )
    most = _weigh(find_blanks(replace(domain, columns=tuple(nothing))), constants)
    own = _weigh(find_blanks(domain, loose), constants)
    if not own:
        return 0.0
    part = math.fsum(own.values()) / math.fsum(most.values())
    # The least share of the question about classes shrinks with the others.
    return part * most['classes'] / own['classes'] if 'classes' in own else part


def find_wide(domain: Domain, evidence: float, constants: DescribeConstants) -> tuple[str, ...]:
    """Return the numbers whose stated ranges are too wide for the number of records.

    Noise gives each value of a range some records, which matters if values are many and records
    few. If too many ranges are wide, none is returned, because estimating all would cost other
    stages more. ``evidence`` is the released number of records, in units of the noise that
    histograms of all columns would have at the whole budget.
    """
    found = tuple(
        column.name
        for column in domain.columns
        if isinstance(column, Number)
        and (column.low, column.high) != (None, None)
        and evidence < constants.wide * math.sqrt(count_values(column))
    )
    return found if len(found) <= constants.most_wide else ()


def _weigh(
    blanks: Mapping[str, tuple[Column, ...]], constants: DescribeConstants
) -> dict[str, float]:
    minor = constants.minor
    weights = {'nulls': minor, 'steps': minor, 'spikes': constants.spikes}
    shares = {name: len(columns) * weights.get(name, 1) ** 2 for name, columns in blanks.items()}
    # All later fits depend on the classes, so their question has a least share.
    if 'classes' in shares:
        others = math.fsum(shares.values()) - shares['classes']
        shares['classes'] = max(shares['classes'], constants.least_for_classes * others)
    return shares


def ask_questions(  # noqa: PLR0913 (what, and at what price)
    domain: Domain,
    mu: float,
    neighbors: str,
    noise: Noise,
    constants: DescribeConstants,
    rows_per_unit: int = 1,
    loose: Collection[str] = (),
) -> dict[str, Question]:
    """Return the questions for the blanks of a domain, by name, with their prices.

    A question to ``q`` columns of weight ``w`` gets the share ``q w^2``. Its sensitivity is
    ``sqrt(q)``, so its noise is proportional to ``1 / w`` for any ``q``.

    Formal guarantees: the prices compose to ``mu``.
    """
    blanks = find_blanks(domain, loose)
    shares = _weigh(blanks, constants)
    total = math.fsum(shares.values())
    questions = {
        name: Question(
            columns, mu * math.sqrt(shares[name] / total), neighbors, noise, rows_per_unit
        )
        for name, columns in blanks.items()
    }
    if len(blanks.get('categories', ())) > 1:  # a second look gains nothing for a single column
        looks = questions['categories'], 'categories', 'rarer', constants.first_look
        questions |= _look_twice(*looks)
    return questions


def _look_twice(
    asked: Question, common: str, rarer: str, first: float, *, shared: bool = True
) -> dict[str, Question]:
    """Return two looks of a question. In the second, all columns may share a count per record."""
    prices = asked.mu * math.sqrt(first), asked.mu * math.sqrt(1 - first)
    return {
        common: replace(asked, mu=prices[0]),
        rarer: replace(asked, mu=prices[1], shared=shared),
    }


def suit_records(
    questions: Mapping[str, Question], num_records: float | None, constants: DescribeConstants
) -> dict[str, Question]:
    """Return the questions adapted to the released number of records.

    With few records, numbers are counted in coarser bins. With many, numbers with open ranges get a
    second look at their tails. Round steps are counted, too.

    Formal guarantees: the questions depend on the table through the released number of records
    alone.
    """
    suited = dict(questions)

    def change(name: str, one: Callable[[Number], Number]) -> None:
        numbers = (each for each in suited[name].columns if isinstance(each, Number))
        suited[name] = replace(suited[name], columns=tuple(map(one, numbers)))

    ranges, shared = suited.get('ranges'), False
    if ranges and num_records is not None:
        if num_records <= constants.coarse_evidence * ranges.scale:
            change('ranges', coarsen)
        elif ranges.scale:
            shared = _count_open(ranges) > 1
    if ranges:
        name = 'tails' if shared else 'closer'
        looks = suited['ranges'], 'ranges', name, constants.first_look
        suited |= _look_twice(*looks, shared=shared)
    if 'steps' in suited:
        change('steps', lambda each: replace(each, steps=list_steps(each)))
    return suited


def _count_open(asked: Question) -> int:
    numbers = (column for column in asked.columns if isinstance(column, Number))
    return sum(column.low is None or column.high is None for column in numbers)


def split_delta(questions: Mapping[str, Question], delta: float) -> dict[str, float]:
    """Return the failure probability of each question about values."""
    asked = [name for name in THRESHOLDS if name in questions]
    return {name: delta / len(asked) for name in asked}
