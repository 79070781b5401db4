"""Questions to the private rows: what a domain leaves open, of which columns, and at what price.

A question is put to all columns that leave it open, and all its counts are released together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.lattice import is_lattice
from sdv_threea.describe.ranges import coarsen
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.statistics import histogram_sensitivity

#: What receipts say of the questions.
RELEASED = {
    'nulls': 'number of missing values, by column',
    'steps': 'granularity of numbers, by column',
    'classes': 'values of the target above a threshold',
    'categories': 'values of categorical columns above a threshold',
    'spikes': 'heavy single values of numerical columns above a threshold',
    'ranges': 'counts on a public grid, by column',
}

#: The questions that are answered by a list of values above a threshold.
THRESHOLDS = ('classes', 'categories', 'spikes')


@dataclass(frozen=True)
class Question:
    """A question to all columns that leave a blank.

    Args:
        columns: The columns it is put to.
        mu: Its price.
        neighbors: The neighbour relation.
        noise: The source of noise.
        rows_per_unit: The most records that a unit of privacy has.
    """

    columns: tuple[Column, ...]
    mu: float
    neighbors: str
    noise: Noise
    rows_per_unit: int = 1

    @property
    def sensitivity(self) -> float:
        """How far one record moves the counts: it adds one to one count of each column."""
        return histogram_sensitivity(len(self.columns), self.neighbors)

    @property
    def scale(self) -> float:
        """About the standard deviation of the noise of a count."""
        return self.sensitivity / self.mu


def find_blanks(domain: Domain) -> dict[str, tuple[Column, ...]]:
    """Find the columns that each question has to be put to; questions to none are left out."""
    numbers = [column for column in domain.columns if isinstance(column, Number)]
    listed = [
        column
        for column in domain.columns
        if isinstance(column, Category) and column.values is None
    ]
    rough = tuple(column for column in numbers if not is_lattice(column))
    blanks: dict[str, tuple[Column, ...]] = {
        'nulls': tuple(column for column in domain.columns if column.nullable is None),
        'steps': tuple(column for column in numbers if column.step is None),
        'classes': tuple(column for column in listed if column.name == domain.target),
        'categories': tuple(column for column in listed if column.name != domain.target),
        'spikes': rough,
        'ranges': tuple(
            column for column in numbers if not is_lattice(column) or column.name == domain.target
        ),
    }
    return {name: columns for name, columns in blanks.items() if columns}


def ask_questions(
    domain: Domain,
    mu: float,
    neighbors: str,
    noise: Noise,
    constants: DescribeConstants,
    rows_per_unit: int = 1,
) -> dict[str, Question]:
    """Turn the blanks of a domain into questions, and share the budget out between them.

    A question to ``q`` columns of weight ``w`` gets the share ``q w^2``. Its sensitivity is
    ``sqrt(q)``, so its noise is proportional to ``1 / w``, whatever ``q`` is.

    Formal guarantees:
        * the prices compose to ``mu``

    Args:
        domain: What is public.
        mu: The price of all questions together, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.
        constants: The constants of the stage.
        rows_per_unit: The most records that a unit of privacy has.

    Returns:
        The questions, by name.
    """
    blanks, weights = find_blanks(domain), constants.question_weights
    shares = {name: len(columns) * weights[name] ** 2 for name, columns in blanks.items()}
    # Everything is fitted inside the classes, so their question has a least share.
    if 'classes' in shares:
        others = math.fsum(shares.values()) - shares['classes']
        shares['classes'] = max(shares['classes'], constants.least_for_classes * others)
    total = math.fsum(shares.values())
    return {
        name: Question(
            columns, mu * math.sqrt(shares[name] / total), neighbors, noise, rows_per_unit
        )
        for name, columns in blanks.items()
    }


def coarsen_ranges(
    questions: Mapping[str, Question], num_records: float | None, constants: DescribeConstants
) -> dict[str, Question]:
    """Return the questions, with numbers looked for in coarser bins if there are few records.

    Formal guarantees:
        * the questions depend on the table through the released number of records alone

    Args:
        questions: The questions.
        num_records: The released number of records, if there is one.
        constants: The constants of the stage.
    """
    ranges = questions.get('ranges')
    if ranges is None or num_records is None:
        return dict(questions)
    if num_records > constants.coarse_evidence * ranges.scale:
        return dict(questions)
    numbers = (each for each in ranges.columns if isinstance(each, Number))
    return {**questions, 'ranges': replace(ranges, columns=tuple(map(coarsen, numbers)))}


def split_delta(questions: Mapping[str, Question], delta: float) -> dict[str, float]:
    """Share the failure probability between the questions about values."""
    asked = [name for name in THRESHOLDS if name in questions]
    return {name: delta / len(asked) for name in asked}
