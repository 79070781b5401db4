"""References to rows of other units: how unevenly they are spread, and which rows refer to which.

The referring unit and the unit referred to are both protected, so both pay. If a unit is removed,
references to its rows lead nowhere, and nothing else changes.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, pdtr

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import SPREADS, Evidence
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.spending import ROUNDING
from sdv_threea.relational.allotment import share_link
from sdv_threea.relational.assortativity import estimate_ends, list_columns, pair_ends, plan_ends
from sdv_threea.relational.magnitudes import FIRST
from sdv_threea.relational.model import References, TableRelease
from sdv_threea.relational.task import Task
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import Statistic
from sdv_threea.rows.units.links import (
    Reading,
    count_references,
    count_repeats,
    find_repeats,
    read_repeats,
)
from sdv_threea.rows.units.membership import Group
from sdv_threea.schema import Link, Schema
from sdv_threea.statistics import registry

#: Candidates for the share of units with a reference to another unit, and for the share of rows
#: with any.
REFERRING = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1)

#: Points of the standard normal; means over them approximate means over the distribution.
NORMALS = ndtri((np.arange(64) + 0.5) / 64)


class Sizes(NamedTuple):
    """Released sizes: referring units, references, units of the parent table, and its rows."""

    referring: float
    references: float
    units: float
    rows: float


def release_references(
    task: Task,
    link: Link,
    groups: Rows[Group],
    schema: Schema,
    models: Mapping[str, TableRelease],
    sizes: Sizes,
) -> tuple[References, tuple[Receipt, ...], tuple[Receipt, ...]]:
    """Release how references to rows of other units are spread, and which rows refer to which.

    Returns:
        The released facts, the receipts of referring units, and the receipts of units at either
        end.
    """
    owner, budget, constants = schema.owners[link.child], task.budget, task.settings.constants
    (part, later), noisy = share_link(task, owner), math.isfinite(budget.mu)
    within = schema.root(link.child) == schema.root(link.parent)
    # Of each unit one reference is read, and one row of the parent, to which one is compared.
    compared = sizes.units * -math.expm1(-sizes.referring / sizes.units)
    pairs = pair_ends(schema, models, link)
    known = compared if noisy else sizes.references, part.mu / part.distance
    each = constants.joint, constants.approximate
    chosen = plan_ends(pairs, *known, each, within=within)
    bound = 1 if noisy else None
    keys = task.toss(), task.toss(), task.toss()
    reading = Reading(link, owner, *list_columns(chosen), bound, keys)
    cells = tuple(math.prod(ends.shape) for _, ends in chosen)
    weights = [pair.weight for pair, _ in chosen]
    squares = sum(each**2 for each in weights)
    state = partial(registry.LINKS.state, columns=len(chosen), squares=squares, within=within)
    counting = partial(count_references, FIRST, tuple(zip(cells, weights, strict=True)))
    read = groups.exchange(reading.send, reading.take)
    counts, both = _release(read, state, counting, part, task.noise)
    numbers, *tables = np.split(counts, len(FIRST) + np.cumsum([0, *cells[:-1]]))
    chances = _spread(numbers, both.noise_scale, sizes)
    # With a bound, no two references that are compared lead to the same row.
    crowd = float(numbers @ FIRST**2) / max(float(numbers @ FIRST), 1.0)
    crowd = 1.0 if bound else max(crowd, 1.0)
    estimated = estimate_ends(chosen, tables, both.noise_scale, crowd, constants.joint)
    found = replace(estimated, chances=chances)
    if owner is None or later is None:
        return found, (), (both,)
    siblings = groups.map(partial(read_repeats, link, owner, bound, task.toss())).keep()
    (num, same), once = _release(siblings, registry.REPEATS.state, count_repeats, later, task.noise)
    repeats = float(same / max(num, 1.0)), float(once.noise_scale / max(num, 1.0))
    return replace(found, repeats=repeats), (once,), (both,)


def release_repeats(
    task: Task, link: Link, owner: Link, groups: Rows[Group]
) -> tuple[References, Receipt]:
    """Release in how many units two rows of one owner refer to the same row of a public table.

    Formal guarantees:
        * a unit adds one to the number of units with two rows of one owner, and at most one to that
          of units with such a repetition
    """
    found = groups.map(partial(find_repeats, link, owner)).keep()
    part = task.budget.part(task.shares.once)
    (num, same), once = _release(found, registry.REPEATS.state, count_repeats, part, task.noise)
    repeats = float(same / max(num, 1.0)), float(once.noise_scale / max(num, 1.0))
    return References(repeats=repeats), once


def _release(
    read: Rows[Any],
    state: Callable[..., Statistic],
    sums: Callable[[Any], Wholes],
    budget: Budget,
    noise: Noise,
) -> tuple[Floats, Receipt]:
    statistic = state(sums, neighbors=budget.neighbors)
    return release(read, statistic, mu=budget.mu * (1 - ROUNDING), noise=noise)


def _spread(counts: Floats, scale: float, sizes: Sizes) -> Floats:
    """Return the chance that a row of the parent has no reference, or a number of a magnitude.

    The shape is (len(FIRST) + 1,), or (0,) if uneven references are not evident. With noise,
    numbers of references are taken as Poisson, with means that are log-normal or zero. The
    deviation and the share of zeros are those of maximum likelihood.
    """
    if not scale:
        rest = max(sizes.rows - float(counts.sum()), 0.0)
        return np.append(rest, counts) / max(sizes.rows, float(counts.sum()), 1.0)
    best, chosen = -math.inf, (0.0, 0.0)
    clearly = Evidence().clear_of_noise() ** 2 / 2  # half the squared evidence
    for kind in itertools.product((0.0, *SPREADS), (1 - part for part in REFERRING)):
        for part in REFERRING:
            mean = part * sizes.referring / sizes.units
            expected = sizes.units * _expect(mean, *kind)[1:]
            errors = (counts - expected) ** 2 / (scale**2 + expected)
            likely = -float(errors.sum() + np.log(scale**2 + expected).sum()) / 2
            likely -= clearly * (kind != (0.0, 0.0))
            best, chosen = max((best, chosen), (likely, kind))
    if chosen == (0.0, 0.0):
        return np.zeros(0)
    return _expect(sizes.references / sizes.rows, *chosen)


def _expect(mean: float, spread: float, empty: float) -> Floats:
    """Return the chance of no reference, and of each magnitude, at a mean number of references."""
    means = mean / (1 - empty) * np.exp(spread * NORMALS - spread**2 / 2)
    below = pdtr(FIRST[:, None] - 1.0, means).mean(axis=1)
    chances = np.diff(np.concatenate([[0.0], below, [1.0]])) * (1 - empty)
    chances[0] += empty
    return np.asarray(chances)
