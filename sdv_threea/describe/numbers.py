"""Noisy counts of numbers on grids, from several looks at the rows.

The first look counts on the public grid. If many records lie in few bins, further looks split these
bins. The last look has most of the budget. With several columns, the last look counts only numbers
beyond the bulk of their column. A record has few such numbers, so all columns share one count per
record, and the noise does not grow with the number of columns.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.accounting.sensitivities import RECORD_UNITS
from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.answers import count_again, count_tails
from sdv_threea.describe.closer import MOST_SPLITS, Look, Zone, find_clusters, find_zones, settle
from sdv_threea.describe.questions import Asked
from sdv_threea.describe.ranges import Sketch, evident_runs
from sdv_threea.describe.sentinels import find_sentinels, make_look
from sdv_threea.domain import Number
from sdv_threea.rows.chunks import Rows


class Rest(NamedTuple):
    """Arguments of all further looks; ``num`` columns share the probabilities of error."""

    rows: Rows[pd.DataFrame]
    steps: Mapping[str, float]
    num: int
    receipts: list[Receipt]
    constants: DescribeConstants

    def look_again(self, asked: Asked, sums: Callable[[Any], Any]) -> tuple[Floats, float]:
        """Take another look at the rows; return the noisy counts and their noise scale."""
        counts, receipt = asked.look(self.rows, sums).add_noise()
        self.receipts.append(receipt)
        return counts, receipt.noise_scale

    def step(self, look: Look) -> float:
        """Return the step of the look's column."""
        return self.steps[look.column.name]

    def find_zones(self, look: Look) -> list[Zone]:
        """Return the zones of a look to split."""
        return find_zones(look, self.step(look), self.num, self.constants)


class Sketches(NamedTuple):
    """Sketches by column, upper estimates of their counts, and sentinels."""

    likely: dict[str, Sketch]
    most: dict[str, Sketch]
    sentinels: dict[str, tuple[float, ...]]


def look_first(asked: Asked | None, receipts: list[Receipt]) -> list[Look]:
    """Return the first look at each column, and append its receipt."""
    if asked is None:
        return []
    counts, receipt = asked.add_noise()
    receipts.append(receipt)
    numbers = (column for column in asked.question.columns if isinstance(column, Number))
    return [
        make_look(column).average(row, receipt.noise_scale)
        for column, row in zip(numbers, counts, strict=True)
    ]


def release_sketches(
    looks: list[Look],
    asked: tuple[Asked | None, Asked | None],
    numbers: Mapping[str, tuple[float, float]],
    rest: Rest,
) -> Sketches:
    """Return two sketches of each column and its sentinels, and append all receipts.

    The first sketch shows where numbers lie beyond the bulk; its counts are too low if records have
    several such numbers. The counts of the second are upper estimates, as if each record had shared
    its count among all columns. ``looks`` are the first ones; ``asked`` are the first and the last
    question, if asked. ``numbers`` are the counts of records with a value, with their noise, by
    column; a count is unknown if it is not stated whether values may be missing.

    Formal guarantees: the rows are read by the questions, by
    :func:`~sdv_threea.describe.answers.count_again` and by
    :func:`~sdv_threea.describe.answers.count_tails`, and all of it passes through noise; the bins
    of each look follow from the releases of earlier looks.
    """
    first, last = asked
    if first is None:
        return Sketches({}, {}, {})
    columns = [look.column for look in looks]
    if last is not None:
        looks, last = _split(looks, first, last, rest)
    # Exact counts need no second look.
    exact = last is None or math.isinf(last.question.mu)
    both = (looks, looks) if last is None or exact else _look_last(looks, last, rest)
    found = [
        [find_sentinels(look, rest.step(look), rest.num, rest.constants) for look in each]
        for each in both
    ]
    sizes = {name: number for name, (number, _) in numbers.items()}
    likely, most = (
        {
            column.name: replace(
                sketch,
                num_records=sizes.get(column.name),
                of_times=column.of_times,
                usual=column.usual,
            )
            for column, (_, sketch) in zip(columns, each, strict=True)
        }
        for each in found
    )
    sentinels = {each.name: own for each, (own, _) in zip(columns, found[0], strict=True) if own}
    return Sketches(likely, most, sentinels)


def _split(looks: list[Look], first: Asked, last: Asked, rest: Rest) -> tuple[list[Look], Asked]:
    """Split bins in which numbers lie close together; the last look gets the remaining price."""
    looks, exact = list(looks), math.isinf(first.question.mu)
    spare = 0.0 if exact else (last.question.mu**2 - first.question.mu**2) / MOST_SPLITS
    for _ in range(MOST_SPLITS):
        narrow = [at for at, look in enumerate(looks) if rest.find_zones(look)]
        if not narrow:
            break
        price = math.inf if exact else math.sqrt(spare * len(narrow) / len(looks))
        chosen = [looks[at] for at in narrow]
        columns = tuple(look.column for look in chosen)
        question = replace(last.question, columns=columns, mu=price, shared=False)
        counted = _count_closer(chosen, Asked('closer', question, None, 0.0), rest)
        for at, look in zip(narrow, counted, strict=True):
            looks[at] = look
        if not exact:
            left = math.sqrt(last.question.mu**2 - price**2)
            last = last._replace(question=replace(last.question, mu=left))
    return looks, last


def _count_closer(looks: Sequence[Look], asked: Asked, rest: Rest) -> list[Look]:
    zones = [rest.find_zones(look) for look in looks]
    finer = tuple(look.split(found) for look, found in zip(looks, zones, strict=True))
    counts, scale = rest.look_again(asked, partial(count_again, finer))
    return [
        settle(
            look.average(row, scale),
            before,
            found,
            rest.step(look),
            rest.num,
            rest.constants,
        )
        for look, before, found, row in zip(finer, looks, zones, counts, strict=True)
    ]


def _look_last(looks: list[Look], last: Asked, rest: Rest) -> tuple[list[Look], list[Look]]:
    """Return looks with the counts of the last look: likely counts, and upper estimates."""
    columns = tuple(look.column for look in looks)
    last = last._replace(question=replace(last.question, columns=columns))
    if not last.question.shared:
        found = _count_closer(looks, last, rest)
        return found, found
    beyond = [_find_beyond(look, rest) for look in looks]
    tails, noise = rest.look_again(last, partial(count_tails, tuple(looks), beyond))
    # Largest and smallest contribution of a record: unshared, and shared by all columns.
    parts = RECORD_UNITS, math.isqrt(RECORD_UNITS**2 // len(looks))
    likely, most = (
        [
            look.average(row / part, np.where(own, noise / part, np.inf))
            for look, row, own in zip(looks, tails, beyond, strict=True)
        ]
        for part in parts
    )
    return likely, most


def _find_beyond(look: Look, rest: Rest) -> Bools:
    """Return which counts of a look are outside all clusters of evident bins."""
    sketch = look.sketch(rest.step(look))
    runs = evident_runs(sketch, rest.num, rest.constants)
    beyond = np.ones(len(look.counts), dtype=np.bool_)
    for bins in find_clusters(sketch, rest.num, rest.constants):
        own = runs[(runs[:, 1] >= bins[0]) & (runs[:, 0] <= bins[-1])]
        # Each run has a value somewhere, so the smallest value is in or before each run's last bin,
        # and the largest in or after each run's first bin.
        low, high = sorted((int(own[:, 1].min()), int(own[:, 0].max())))
        beyond &= look.lies_beyond(float(sketch.edges[low, 0]), float(sketch.edges[high, 1]))
    return beyond
