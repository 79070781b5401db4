"""The public description of a table, known before a private row is read.

A :class:`Domain` names the columns, their kinds and the target. Every other field is public
knowledge (stated by the user) or ``None`` (unknown). :mod:`sdv_threea.describe` estimates unknown
fields privately, and returns a domain without unknown fields. Both domains may be published.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from sdv_threea.arrays import Wholes

#: Candidate granularities of plain numbers, coarse to fine; finer values are continuous.
DECIMAL_STEPS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)

#: Further candidates for rounder numbers, such as limits in ten thousands, prices in five cents and
#: hours in quarters. They are tried only if noise does not mask finer numbers.
ROUND_STEPS = (1e6, 5e5, 1e5, 5e4, 1e4, 5e3, 1e3, 5e2, 250.0, 1e2, 5e1, 25.0, 20.0, 1e1, 5.0, 2.5,
               2.0, 0.5, 0.25, 0.125, 0.05)  # fmt: skip

#: Candidate granularities of times in seconds: day, hour, minute, second.
TIME_STEPS = (86_400.0, 3_600.0, 60.0, 1.0)

#: Further candidates for times: half an hour, a quarter of an hour, five minutes.
ROUND_TIMES = (1_800.0, 900.0, 300.0)

#: All candidates. A number that is a multiple of two of them is also a multiple of a candidate that
#: both divide.
EVERY_STEP = tuple(sorted((*DECIMAL_STEPS, *ROUND_STEPS), reverse=True))
EVERY_TIME = tuple(sorted((*TIME_STEPS, *ROUND_TIMES), reverse=True))

#: Substitutes in samples for unreleased values: released values, or a missing cell.
SPREAD, MISSING = 'spread', 'missing'


@dataclass(frozen=True, kw_only=True)
class Number:
    """A numerical column (a date is a number of seconds).

    Args:
        low: Smallest value, or ``None`` if unknown.
        high: Largest value, or ``None`` if unknown.
        step: Granularity of the values (``1.0``: whole numbers, ``0.01``: two decimals, ``0.0``:
            continuous), or ``None`` if unknown.
        nullable: Whether values may be missing, or ``None`` if unknown.
        steps: The public candidates for ``step``, coarse to fine. A known step is the finest one:
            values may be multiples of a coarser one.
        grid: Ascending borders of the bins in which values are counted first; ``None`` for the
            public grid of all numbers (:mod:`sdv_threea.describe.ranges`).
        sentinels: Numbers that stand for something else, such as 999 for an unknown age. Each is a
            separate value, which may lie outside the range.
        usual: A released range of similar numbers, used if noise masks the numbers of this column.
    """

    name: str
    low: float | None = None
    high: float | None = None
    step: float | None = None
    nullable: bool | None = None
    steps: tuple[float, ...] = DECIMAL_STEPS
    grid: tuple[float, ...] | None = field(default=None, repr=False)
    sentinels: tuple[float, ...] = ()
    usual: tuple[float, float] | None = None

    @property
    def of_times(self) -> bool:
        """Whether the numbers are times, in seconds."""
        return self.steps == TIME_STEPS


@dataclass(frozen=True)
class Pseudonyms:
    """The made-up names that replace the values of a column, which are counted in buckets.

    Args:
        known: The number of different values, if that is public; otherwise 0.
        buckets: The bucket of each of V names, ascending, shape (V,); empty before a release, and
            if each record has a name of its own.
        sizes: The number of records with each name, shape (V,).
    """

    known: int = 0
    buckets: Wholes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sizes: Wholes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __str__(self) -> str:
        number = len(self.buckets)
        return f'{number:,} made-up names' if number else 'a made-up name in each row'


@dataclass(frozen=True, kw_only=True)
class Category:
    """A categorical, boolean or ordinal column.

    Args:
        values: The possible values except the missing one, or ``None`` if unknown.
        nullable: Whether values may be missing, or ``None`` if unknown.
        ordered: Whether the order of ``values`` means something.
        unreleased: The substitute in samples for unreleased values, if values are unknown:
            :data:`SPREAD`, :data:`MISSING`, or another value.
        apart: The distance of each value from the one before it, shape (V,), if the values are rows
            of a public table; otherwise empty.
        alone: Whether the values are rows of a public table, whose attributes other columns
            contain. Then no pair contains this column.
        many: Whether there are too many values to list (``high_cardinality`` of SDV's metadata).
        pseudonyms: If the values are buckets, the made-up names in them; otherwise ``None``.
    """

    name: str
    values: tuple[Hashable, ...] | None = None
    nullable: bool | None = None
    ordered: bool = False
    unreleased: Hashable = SPREAD
    many: bool = False
    apart: tuple[float, ...] = ()
    alone: bool = False
    pseudonyms: Pseudonyms | None = field(default=None, compare=False)


Column = Number | Category


@dataclass(frozen=True)
class Domain:
    """The columns of a table, in order, and the column that models will be trained to predict.

    Args:
        columns: One :class:`Number` or :class:`Category` per modelled column, names unique.
        target: Name of the target column, or ``None``.
        either: Pairs of numbers, each of which a constraint computes from the other and further
            columns. Only the one with the narrower released range is modelled.
        beside: The numbers of such pairs that are not modelled, with their released ranges.
    """

    columns: tuple[Column, ...]
    target: str | None = None
    either: tuple[tuple[str, str], ...] = ()
    beside: tuple[Number, ...] = ()

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def only(self, names: Collection[str]) -> Domain:
        """Return this domain with only the columns in ``names``."""
        return replace(self, columns=tuple(own for own in self.columns if own.name in names))

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)
