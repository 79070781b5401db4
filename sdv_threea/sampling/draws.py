"""Draw records from a released model: post-processing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from sdv_threea.adapt.link_functions import Draws, num_draws
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.sampling.asked import ImpossibleCondition, RowConditions, deal

#: The largest number of rows for which :func:`draw_wanted` draws at once.
MOST_ROWS = 2**14

#: Least number of records in the first round; the most records of a round, and the least per row in
#: such a round. If a round has ``MANY_DRAWN`` records or more and their mean chance of a wanted
#: target is below ``LEAST_CHANCE``, no further round is drawn.
LEAST_DRAWN, MOST_DRAWN, LEAST_TRIES = 2**10, 2**20, 2**6
MANY_DRAWN, LEAST_CHANCE = 2**14, 1e-7


#: Codes, shape (n, m), classes, shape (n,), and the chance of a wanted target, shape (n,).
Targeted = tuple[Wholes, Wholes, Floats]


class Model(Protocol):
    """A released density of records: a chain, or a Gaussian for each class."""

    @property
    def width(self) -> int:
        """Number of columns that are drawn."""

    def even(self) -> Model:
        """Return the model with equal weights of all classes."""

    def draw(
        self, num_rows: int, rng: np.random.Generator, given: RowConditions | None = None
    ) -> tuple[Wholes, Wholes]:
        """Draw codes, shape (num_rows, m), and classes, shape (num_rows,), of rows as ``given``.

        Raises:
            ImpossibleCondition: If a condition has no probability.
        """


def draw_evenly(model: Model, totals: Floats, rng: np.random.Generator) -> Draws:
    """Draw equally many records of each class, weighted by the records that each represents."""
    codes, labels = model.even().draw(num_draws(len(totals), model.width), rng)
    weights = totals / np.maximum(np.bincount(labels, minlength=len(totals)), 1)
    return Draws(codes, labels, weights[labels])


def draw_wanted(
    draw: Callable[[Wholes], Targeted], groups: Wholes, rng: np.random.Generator
) -> tuple[Wholes, Wholes]:
    """Draw a record with a wanted target for each row; return codes, shape (n, m), and classes.

    ``draw`` maps row numbers to codes and classes of records with a target that the row wants, and
    to the probability of such a target in each record, shape (n,). Rows of the same group, in
    ``groups`` of shape (n,), have equal conditions and share their records.
    """
    order, parts = np.argsort(groups, kind='stable'), []
    for start in range(0, len(order), MOST_ROWS):
        rows = order[start : start + MOST_ROWS]
        most, times = max(LEAST_TRIES, MOST_DRAWN // len(rows)), max(1, LEAST_DRAWN // len(rows))
        while len(rows):
            asked = np.repeat(rows, times)
            codes, classes, chances = draw(asked)
            kept = np.flatnonzero(rng.random(len(chances)) < chances)
            weights = np.ones_like(chances[kept])
            is_rare = len(chances) >= MANY_DRAWN and chances.mean() < LEAST_CHANCE
            if is_rare or times >= most:
                # The target is too rare: take records in proportion to their probabilities.
                kept = np.flatnonzero(chances > 0)
                weights = chances[kept]
                if not len(kept):
                    raise ImpossibleCondition('No record has the wanted target.')
            dealt, served = deal(groups[asked[kept]], weights, groups[rows], rng)
            parts.append((rows[served], codes[kept[dealt]], classes[kept[dealt]]))
            # Rows without a record get more draws in the next round.
            rows, times = np.delete(rows, served), min((2 if len(served) else 8) * times, most)
    places, found, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
    back = np.argsort(places)
    return found[back], classes[back]
