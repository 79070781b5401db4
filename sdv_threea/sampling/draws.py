"""Records drawn from the released density: codes and classes.

All of it is post-processing, so it is free of cost, however many records are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.evidence import draw_by_chance
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.labels import num_draws
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.sampling.asked import pick
from sdv_threea.sampling.conditional import Region, draw_within

#: Rows that are drawn at once: more would not fit into the caches of a processor.
BLOCK = 2**15

#: A draw is a normal score, and codes are found by quantiles. Either each draw is turned into a
#: quantile, or the cuts between the codes are turned into scores, once. Turning a cut takes as long
#: as turning this many draws.
DRAWS_PER_CUT = 100

#: The least and the most rows that are drawn at once until enough are of a wanted class. If a
#: smaller share of them than the last is of one, nobody waits for it.
LEAST_DRAWN, MOST_DRAWN, LEAST_RATE = 2**10, 2**20, 1e-7

#: Where each row wants a class of its own: records that are drawn for a row, at least, before the
#: best of them is taken; and for all rows together, at most.
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
        # Draws remain scores, and the cuts become scores too.
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
    """Draw equally many records of each class, and say how many private ones each stands for.

    Args:
        mixture: The density.
        scores: The scores of its codes.
        totals: Number of private records of each class, shape (C,).
        rng: Source of randomness.

    Returns:
        The draws, as many as a fit to them needs.
    """
    size = num_draws(len(totals), len(scores.scores))
    codes, labels = draw_codes(mixture.even(), scores, size, rng)
    weights = totals / np.maximum(np.bincount(labels, minlength=len(totals)), 1)
    return Draws(codes, labels, weights[labels])


def draw_wanted(
    draw: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw records until enough are of a wanted class.

    Args:
        draw: Draws a given number of records: their codes, shape (n, m), and the chances of their
            classes, shape (n, C), zero for those that are not wanted.
        num_rows: How many are wanted.
        rng: Source of randomness.

    Returns:
        Codes, shape (num_rows, m), and classes, shape (num_rows,).
    """
    parts, missing, rate = [], num_rows, 1.0
    while True:
        codes, chances = draw(min(max(math.ceil(missing / rate), LEAST_DRAWN), MOST_DRAWN))
        # The chance that the class of a record is a wanted one.
        mass = chances.sum(axis=1)
        kept = np.flatnonzero(rng.random(len(mass)) < mass)
        # What this lot shows decides how many the next one draws.
        rate = max(float(mass.mean()), LEAST_RATE)
        if rate == LEAST_RATE:
            # Hardly any would be. The ones at hand are taken in proportion to their chances.
            kept = rng.choice(len(mass), missing, p=mass / mass.sum())
        kept = kept[:missing]
        parts.append((codes[kept], draw_by_chance(chances[kept], rng)))
        missing -= len(kept)
        if not missing:
            drawn, classes = zip(*parts, strict=True)
            return np.concatenate(drawn), np.concatenate(classes)


def draw_wanted_each(
    draw: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float64]]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw a record for each row until it is of a class that is wanted of the row.

    Args:
        draw: Draws records for rows, by their numbers: their codes, shape (n, m), and the chances
            of their classes, shape (n, C), zero for those that are not wanted of the row.
        num_rows: How many rows there are.
        rng: Source of randomness; it needs no secrecy.

    Returns:
        Codes, shape (num_rows, m), and classes, shape (num_rows,).
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
            # Hardly any record is of the class. One is taken in proportion to its chances.
            pool = np.repeat(np.arange(len(rows)), times)
            first, done = pick(mass, pool, np.ones_like(rows), rng), np.ones(len(rows), np.bool_)
        kept = first[done]
        parts.append((rows[done], codes[kept], draw_by_chance(chances[kept], rng)))
        # Each time twice as many are drawn for those rows that have none yet.
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
    """Return the scores with cuts that are normals of a mixture, in place of quantiles.

    Draws of the mixture then need not be turned into quantiles. Classes without weight, which are
    never drawn, keep theirs.
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
