"""Draw records from the released density: codes and classes. All of it is post-processing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.evidence import draw_by_chance
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.labels import num_draws
from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.sampling.asked import pick
from sdv_threea.sampling.conditional import Region, draw_within

#: Rows that are drawn at once; more would not fit into a processor's cache.
BLOCK = 2**15

#: A code follows from the quantile of a draw, or from scores of the cuts between codes. To turn a
#: cut into a score takes as long as to turn this many draws into quantiles.
DRAWS_PER_CUT = 100

#: The least and the most rows that are drawn at once until enough have a wanted class, and the
#: least share with that class that is waited for.
LEAST_DRAWN, MOST_DRAWN, LEAST_RATE = 2**10, 2**20, 1e-7

#: If each row wants its own class: the least records that are drawn for a row before the best one
#: is taken, and the most for all rows together.
LEAST_TRIES, MOST_TRIED = 2**6, 2**20


def draw_codes(
    mixture: Mixture,
    scores: NormalScores,
    num_rows: int,
    rng: np.random.Generator,
    region: Region | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw codes of the scored columns, shape (num_rows, m), and classes, shape (num_rows,)."""
    if region is not None:
        classes, quantiles = draw_within(mixture, region, num_rows, rng)
        return find_codes(scores, quantiles, classes), classes
    draw = mixture.sample
    if num_rows * len(scores.cuts) > DRAWS_PER_CUT * sum(cuts.size for cuts in scores.cuts):
        draw, scores = mixture.draw, cut_normals(mixture, scores)
    codes = np.empty((num_rows, len(scores.cuts)), dtype=np.int64, order='F')
    classes = np.empty(num_rows, dtype=np.int64)
    for start in range(0, num_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, num_rows))
        classes[rows], places = draw(rows.stop - start, rng)
        codes[rows] = find_codes(scores, places, classes[rows])
    return codes, classes


def draw_evenly(
    mixture: Mixture, scores: NormalScores, totals: NDArray[np.float64], rng: np.random.Generator
) -> Draws:
    """Draw equally many records of each class, as many as a fit needs.

    The weight of a draw is the number of private records that it stands for, from their ``totals``
    by class, shape (C,).
    """
    size = num_draws(len(totals), len(scores.scores))
    codes, labels = draw_codes(mixture.even(), scores, size, rng)
    weights = totals / np.maximum(np.bincount(labels, minlength=len(totals)), 1)
    return Draws(codes, labels, weights[labels])


class Wanted(NamedTuple):
    """Records with a wanted value of the target, and the probability that their value is wanted.

    Shapes: codes (n, m), classes (n,), chances (n,).
    """

    codes: NDArray[np.int64]
    classes: NDArray[np.int64]
    chances: NDArray[np.float64]


def draw_wanted(
    draw: Callable[[int], Wanted],
    num_rows: int,
    rng: np.random.Generator,
    least: int = LEAST_DRAWN,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw records until enough have a wanted class; return codes, (num_rows, m), and classes.

    ``draw`` returns a given number of records, and is asked for at least ``least`` at once.
    """
    parts, missing, rate = [], num_rows, 1.0
    while True:
        codes, classes, chances = draw(min(max(math.ceil(missing / rate), least), MOST_DRAWN))
        kept = np.flatnonzero(rng.random(len(chances)) < chances)
        # The observed rate determines the size of the next draw.
        rate = max(float(chances.mean()), LEAST_RATE)
        if rate == LEAST_RATE:
            # The class is too rare: records are taken in proportion to their probabilities.
            kept = rng.choice(len(chances), missing, p=chances / chances.sum())
        kept = kept[:missing]
        parts.append((codes[kept], classes[kept]))
        missing -= len(kept)
        if not missing:
            drawn, found = zip(*parts, strict=True)
            return np.concatenate(drawn), np.concatenate(found)


def draw_wanted_each(
    draw: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float64]]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw a record of a wanted class for each row; return codes, (num_rows, m), and classes.

    ``draw`` maps row numbers to codes, shape (n, m), and to probabilities of classes, shape (n, C),
    which are zero for classes that the row does not want.
    """
    rows, times = np.arange(num_rows), 1
    parts: list[tuple[NDArray[np.int64], ...]] = []
    while len(rows) or not parts:
        codes, chances = draw(np.repeat(rows, times))
        mass = chances.sum(axis=1)
        wanted = (rng.random(len(mass)) < mass).reshape(-1, times)
        first = np.arange(len(rows)) * times + np.argmax(wanted, axis=1)
        done = wanted.any(axis=1)
        if times >= max(LEAST_TRIES, MOST_TRIED // max(num_rows, 1)):
            # After too many tries for a rare class, pick a draw by its probability of the class.
            pool = np.repeat(np.arange(len(rows)), times)
            first, done = pick(mass, pool, np.ones_like(rows), rng), np.ones(len(rows), np.bool_)
        kept = first[done]
        parts.append((rows[done], codes[kept], draw_by_chance(chances[kept], rng)))
        # Rows without a record get twice as many draws in the next round.
        rows, times = rows[~done], 2 * times
    places, found, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(places)
    return found[order], classes[order]


def find_codes(
    scores: NormalScores, places: NDArray[np.float64], classes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return codes, shape (n, m), at quantiles; or at scores, if cuts are scores."""
    codes = np.empty(places.shape, dtype=np.int64, order='F')
    for at, column in enumerate(places.T):
        codes[:, at] = scores.codes(at, column, classes)
    return codes


def cut_normals(mixture: Mixture, scores: NormalScores) -> NormalScores:
    """Return scores whose cuts are normals of a mixture instead of quantiles.

    Draws of the mixture are then compared with cuts directly. Classes without weight keep their
    cuts.
    """
    labels = np.flatnonzero(mixture.weights.sum(axis=1))
    moved = []
    for at, cuts in enumerate(scores.cuts):
        places = mixture.marginal(labels, np.array([at])).invert(cuts[labels, None])[:, 0]
        cuts = cuts.copy()
        # Rounding must not make cuts descend.
        cuts[labels] = np.maximum.accumulate(places, axis=1)
        moved.append(cuts)
    return replace(scores, cuts=tuple(moved))
