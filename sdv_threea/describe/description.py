"""The private description of a table: the blanks of its domain, filled in from noisy counts.

Values of categories and heavy numbers are released if their noisy count exceeds a stability
threshold. Ranges, granularity and missing values follow from noisy counts. Facts that the user
stated as public cost nothing.
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Wholes
from sdv_threea.constants import OWN_CODE, DescribeConstants
from sdv_threea.describe.answers import answer, read_cells, tally_heavy, tally_rarer
from sdv_threea.describe.closer import Look, find_points
from sdv_threea.describe.filling import (
    cut_range,
    cut_sketch,
    fill_nullable,
    fill_range,
    fill_sentinels,
    fill_step,
    fill_values,
    find_range,
    find_vast,
)
from sdv_threea.describe.granularity import Heaps, StepCounts, find_heaps, read_counts
from sdv_threea.describe.likely_steps import find_sizes, likely_step
from sdv_threea.describe.numbers import Rest, look_first, release_sketches
from sdv_threea.describe.questions import (
    LATER,
    THRESHOLDS,
    Asked,
    Question,
    ask_questions,
    find_blanks,
    loosen,
    split_delta,
    suit_records,
)
from sdv_threea.describe.ranges import Sketch, count_beyond
from sdv_threea.describe.sentinels import find_sentinels
from sdv_threea.describe.values import detach
from sdv_threea.domain import Domain, Number
from sdv_threea.privacy.door import release_keys
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import take

#: A threshold lies at most this many noise scales above the counts that it must mask. Candidates
#: are counted from this far below the threshold of a column, so that the threshold alone decides
#: which values are released.
FAR = 8.0


@dataclass(frozen=True)
class Description:
    """A domain without blanks, and the noisy counts behind it, by column: publishable.

    Args:
        sketches: Noisy counts of numerical columns, except for those with a code for each value.
        spikes: Heavy single values of numerical columns and their noisy counts.
        estimated: Names of the columns whose range was estimated.
        extrapolated: Whether estimated ranges extend beyond the bins with evident records.
        beyond: Upper estimates of the records below and above a sketch, each with its noise scale.
        listed: For a categorical target, the number of records with a released value, and its noise
            scale.
        heaps: Shares of the numbers of a column that were rounded to each step.
    """

    domain: Domain
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    spikes: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    estimated: tuple[str, ...] = ()
    extrapolated: bool = False
    beyond: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    listed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    heaps: Mapping[str, Heaps] = field(default_factory=dict)


def describe(  # noqa: PLR0913 (what, and at what price)
    rows: Rows[pd.DataFrame],
    domain: Domain,
    *,
    mu: float,
    delta: float,
    neighbors: str,
    noise: Noise,
    constants: DescribeConstants,
    rows_per_unit: int = 1,
    extrapolate: bool = False,
    num_records: float | None = None,
    loose: Collection[str] = (),
) -> tuple[Description, tuple[Receipt, ...]]:
    """Return the description of a table and one receipt per question.

    Formal guarantees:
        * each question adds at most one count per record and column, or a count that all columns
          share; its receipt says how many
        * together the receipts compose to ``mu``, with a failure probability of ``delta``
        * the result depends on the table through the noisy counts alone

    ``delta`` is for thresholds and needed if values are unknown. ``mu`` is the price of a record;
    thresholds account for ``rows_per_unit``. ``extrapolate`` extends ranges beyond the evidence,
    where noise masks the last records. ``loose`` names numbers whose stated ranges are too wide for
    the released ``num_records``; their ranges are estimated within the stated ones.
    """
    questions = ask_questions(domain, mu, neighbors, noise, constants, rows_per_unit, loose)
    questions = suit_records(questions, num_records, constants)
    asked = _ask(rows, domain, questions, delta)
    receipts: list[Receipt] = []
    missing = _release_missing(asked.get('nulls'), receipts)
    bar = constants.clear_of_noise(len(domain.columns))
    nulls = {name: count > bar * scale for name, (count, scale) in missing.items()}
    numbers = _count_numbers(domain, num_records, missing)
    by_step = _release_steps(asked.get('steps'), numbers, receipts)
    listed, known = _release_lists(asked.get('classes'), receipts)
    listed |= _release_lists(asked.get('categories'), receipts)[0]
    listed = _release_rarer(asked.get('rarer'), rows, listed, receipts)
    values = {name: tuple(dict.fromkeys(own.values())) for name, own in listed.items()}
    looks = look_first(asked.get('ranges'), receipts)
    found = _find_steps(by_step, looks, constants)
    columns = [fill_nullable(column, nulls) for column in loosen(domain, loose).columns]
    columns = [fill_values(fill_step(column, found), values) for column in columns]
    # Granularity comes first, because bins without a multiple of the step are left out.
    both = asked.get('ranges'), asked.get('tails') or asked.get('closer')
    steps = {each.name: each.step or 0.0 for each in columns if isinstance(each, Number)}
    rest = Rest(rows, steps, len(looks), receipts, constants)
    *sketched, apart = release_sketches(looks, both, numbers, rest)
    whole, most = ({name: cut_sketch(own[name], domain[name]) for name in own} for own in sketched)
    columns = [fill_sentinels(column, apart) for column in columns]
    ranges = (find_range(own, len(whole), constants, steps[name]) for name, own in whole.items())
    sketches = dict(zip(whole, ranges, strict=True))
    heavy = _release_spikes(asked.get('spikes'), rows, sketches, receipts, constants)
    spikes = _add_points(heavy, sketches, steps, constants)
    vast = find_vast(domain, sketches, constants.vast)
    bounded = loosen(Domain(tuple(columns)), vast).columns
    found_ranges = (fill_range(own, sketches) for own in bounded)
    filled = replace(domain, columns=tuple(map(cut_range, found_ranges, domain.columns)))
    beyond = {name: count_beyond(most[name], sketch) for name, sketch in sketches.items()}
    estimated = _unbounded(loosen(domain, {*loose, *vast}))
    heaps = _find_heaps(by_step, found, spikes, bar)
    return Description(
        filled, sketches, spikes, estimated, extrapolate, beyond, known, heaps
    ), tuple(receipts)


def asks(domain: Domain) -> bool:
    """Return whether a domain has blanks that need private rows."""
    return bool(find_blanks(domain))


def is_open(domain: Domain) -> bool:
    """Return whether the values of a category, or a bound of a number, are unknown."""
    return bool({'classes', 'categories'} & set(find_blanks(domain)) or _unbounded(domain))


def needs_threshold(domain: Domain) -> bool:
    """Return whether values are released above a threshold, which needs a part of ``delta``."""
    return bool(set(THRESHOLDS) & set(find_blanks(domain)))


def _ask(
    rows: Rows[pd.DataFrame], domain: Domain, questions: Mapping[str, Question], delta: float
) -> dict[str, Asked]:
    """Return all questions with exact answers, from one pass; second looks have no answers yet."""
    first = {
        name: asked.state(name, partial(answer, name, asked.columns))
        for name, asked in questions.items()
        if name not in LATER
    }
    summed = take(rows.map(partial(read_cells, domain)), *first.values())
    taken, parts = dict(zip(first, summed, strict=True)), split_delta(questions, delta)
    return {
        name: Asked(name, question, taken.get(name), parts.get(name, 0.0))
        for name, question in questions.items()
    }


def _unbounded(domain: Domain) -> tuple[str, ...]:
    return tuple(
        column.name
        for column in domain.columns
        if isinstance(column, Number) and (column.low is None or column.high is None)
    )


def _release_missing(
    asked: Asked | None, receipts: list[Receipt]
) -> dict[str, tuple[float, float]]:
    if asked is None:
        return {}
    counts, receipt = asked.add_noise()
    receipts.append(receipt)
    columns = asked.question.columns
    return {
        column.name: (count, receipt.noise_scale)
        for column, count in zip(columns, counts[:, 0].tolist(), strict=True)
    }


def _count_numbers(
    domain: Domain, num_records: float | None, missing: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return the known numbers of records with a value, with their noise scales, by column."""
    if num_records is None:
        return {}
    never = {column.name: (0.0, 0.0) for column in domain.columns if column.nullable is False}
    found = {**never, **missing}
    return {name: (num_records - count, scale) for name, (count, scale) in found.items()}


def _release_steps(
    asked: Asked | None, numbers: Mapping[str, tuple[float, float]], receipts: list[Receipt]
) -> dict[str, StepCounts]:
    if asked is None:
        return {}
    counts, receipt = asked.add_noise()
    receipts.append(receipt)
    by_step = {}
    for column, row in zip(asked.question.columns, counts, strict=True):
        name, number = column.name, cast(Number, column)
        own = read_counts(row, number.steps, receipt.noise_scale)
        by_step[name] = own._replace(known=number.step or 0.0, total=numbers.get(name))
    return by_step


def _find_steps(
    by_step: Mapping[str, StepCounts], looks: Sequence[Look], constants: DescribeConstants
) -> dict[str, float]:
    sizes = {}
    for look in looks:
        if look.column.name in by_step:
            _, sketch = find_sentinels(look, 0.0, len(looks), constants)
            sketch = replace(sketch, of_times=look.column.of_times)
            sizes[look.column.name] = find_sizes(sketch, by_step[look.column.name], constants)
    return {name: likely_step(own, sizes.get(name)) for name, own in by_step.items()}


def _find_heaps(
    by_step: Mapping[str, StepCounts],
    found: Mapping[str, float],
    spikes: Mapping[str, Mapping[float, float]],
    bar: float,
) -> dict[str, Heaps]:
    return {
        name: find_heaps(own, found[name], spikes.get(name, {}), bar)
        for name, own in by_step.items()
    }


def _release_lists(
    asked: Asked | None, receipts: list[Receipt]
) -> tuple[dict[str, dict[Hashable, Hashable]], dict[str, tuple[float, float]]]:
    """Release each column's frequent values by key, and their total count with its noise."""
    if asked is None:
        return {}, {}
    # Every value that occurs is a candidate; the threshold decides.
    least = np.ones(len(asked.question.columns), dtype=np.int64)
    shown = _release_values(asked, least, receipts)
    columns, scale = asked.question.columns, asked.question.scale
    values = {
        column.name: {key: detach(tally[key][0]) for key, _ in found}
        for column, tally, found in zip(columns, asked.taken.sums, shown, strict=True)
    }
    sums = {
        column.name: (math.fsum(count for _, count in found), scale * math.sqrt(len(found)))
        for column, found in zip(columns, shown, strict=True)
    }
    return values, sums


def _release_rarer(
    asked: Asked | None,
    rows: Rows[pd.DataFrame],
    listed: Mapping[str, Mapping[Hashable, Hashable]],
    receipts: list[Receipt],
) -> dict[str, dict[Hashable, Hashable]]:
    """Release values that are rarer than those found; return all, in order of keys."""
    more: dict[str, dict[Hashable, Hashable]] = {}
    if asked is not None:
        columns = asked.question.columns
        found = tuple(frozenset(listed[column.name]) for column in columns)
        more, _ = _release_lists(asked.look(rows, partial(tally_rarer, columns, found)), receipts)
    merged = {name: {**own, **more.get(name, {})} for name, own in listed.items()}
    return {name: dict(sorted(own.items(), key=repr)) for name, own in merged.items()}


def _release_spikes(
    asked: Asked | None,
    rows: Rows[pd.DataFrame],
    sketches: Mapping[str, Sketch],
    receipts: list[Receipt],
    constants: DescribeConstants,
) -> dict[str, dict[float, float]]:
    """Release single values whose noisy counts reach the threshold of their column."""
    if asked is None:
        return {}
    # Most values occur once and may not fit into memory. So buckets of values are counted first,
    # then the values in heavy buckets: a bucket has at least as many records as each of its values.
    question = asked.question
    bars = [_find_bar(sketches[column.name], constants) for column in question.columns]
    of_columns = np.array(bars)
    # One unit of privacy can raise a count by this many rows.
    lowest = of_columns - question.rows_per_unit - FAR * question.scale
    least = np.maximum(lowest, 1.0).astype(np.int64)
    heavy = asked.taken.sums >= least[:, None]
    closer = asked.look(rows, partial(tally_heavy, question.columns, heavy))
    shown = _release_values(closer, least, receipts)
    return {
        column.name: {float(value): count for value, count in found if count >= bar}
        for column, found, bar in zip(question.columns, shown, of_columns.tolist(), strict=True)
    }


def _add_points(
    spikes: Mapping[str, Mapping[float, float]],
    sketches: Mapping[str, Sketch],
    steps: Mapping[str, float],
    constants: DescribeConstants,
) -> dict[str, dict[float, float]]:
    """Return heavy numbers and, for columns without a step, single numbers of further looks."""
    points = {
        name: {
            value: count
            for value, count in find_points(sketch, len(sketches), constants).items()
            if not steps[name] and count >= _find_bar(sketch, constants)
        }
        for name, sketch in sketches.items()
    }
    return {name: {**own, **spikes.get(name, {})} for name, own in points.items()}


def _find_bar(sketch: Sketch, constants: DescribeConstants) -> float:
    return max(OWN_CODE * float(sketch.counts.sum()), constants.fewest)


def _release_values(
    asked: Asked, least: Wholes, receipts: list[Receipt]
) -> list[list[tuple[Any, float]]]:
    question, tallies = asked.question, asked.taken.sums
    bars = np.maximum(least, 1 + int(question.scale / 4))
    shown, noisy, receipt = release_keys(
        asked.taken,
        mu=question.mu,
        delta=asked.delta,
        max_new_keys=question.max_new_keys,
        least=np.repeat(bars, [len(tally.counts) for tally in tallies]),
        most_added=question.rows_per_unit * question.unit,
        noise=question.noise,
    )
    receipts.append(receipt)
    answers: list[list[tuple[Any, float]]] = [[] for _ in tallies]
    for (at, key), count in zip(shown, noisy.tolist(), strict=True):
        answers[at].append((key, count))
    return answers
