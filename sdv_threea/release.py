"""What is released: everything a fitted synthesizer keeps, and all that sampling reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Ledger
from sdv_threea.adapt.evidence import LabelModel, draw_by_chance
from sdv_threea.anonymize.conditional import ImpossibleCondition, Region, draw_within
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.transformers import Transformer, decode

#: Rows that are drawn at once: more do not fit into the caches of a processor.
BLOCK = 2**15

#: Draws for each cut of the columns from which on it pays to move the cuts to the draws: to move
#: one takes as long as so many quantiles.
DRAWS_PER_CUT = 100

#: Rows that are drawn at once until enough are of a wanted class; and the share of them from which
#: on one waits for it.
LEAST_DRAWN, MOST_DRAWN, LEAST_RATE = 2**10, 2**20, 1e-7


@dataclass(frozen=True)
class Release:
    """The released model of a table: publishable, as is all that is computed from it.

    Args:
        domain: The domain, its blanks filled in.
        ledger: What was paid for it.
        transformers: From the cells of each column to codes, and back.
        scored: Which columns have a normal score, shape (m,).
        scores: Maps codes to normal scores, and back, by class.
        mixture: The density of the normal scores, by class.
        classes: The classes that everything is conditioned on.
        labels: What the classes of a record follow from, given its codes; ``None`` for the
            mixture.
    """

    domain: Domain
    ledger: Ledger
    transformers: tuple[Transformer, ...]
    scored: NDArray[np.int64]
    scores: NormalScores
    mixture: Mixture
    classes: Classes
    labels: LabelModel | None = None

    @property
    def num_rows(self) -> float:
        """The released estimate of the number of records."""
        return float(self.mixture.weights.sum())

    def sample(
        self,
        num_rows: int,
        rng: np.random.Generator,
        allowed: Mapping[str, NDArray[np.bool_]] | None = None,
    ) -> pd.DataFrame:
        """Draw rows: free of privacy cost, however many.

        Args:
            num_rows: How many.
            rng: Source of randomness; it needs no secrecy.
            allowed: A condition that all rows meet: by column, which codes may occur, shape
                (size of column,). Rows are drawn from the model given the condition, not by
                rejection.

        Returns:
            The columns of the domain; numbers as floats with NaN, categories as objects with
            ``None`` for missing values.

        Raises:
            ImpossibleCondition: If the model gives the condition no probability.
        """
        possible = self._possible(allowed or {})
        codes = np.zeros((num_rows, len(self.transformers)), dtype=np.int64, order='F')
        if self.labels is None:
            region = self._region(possible) if possible else None
            found = draw_codes(self.mixture, self.scores, num_rows, rng, region)
        else:
            found = self._draw_labelled(self.labels, num_rows, rng, possible)
        codes[:, self.scored], classes = found
        self.classes.write_target(codes, classes)
        return decode(codes, self.transformers, rng)

    def chances(self, name: str) -> NDArray[np.float64]:
        """The probabilities of the codes of a column by class, shape (C, size of column).

        Zero in classes that do not occur, so that a combination of codes can be drawn if there is
        a class in which each of them has probability.
        """
        at = self.domain.names.index(name)
        occurs = self.mixture.weights.sum(axis=1, keepdims=True) > 0
        if at in self.scored:
            chances = self.scores.chances(int(np.searchsorted(self.scored, at)))
        else:
            codes = np.zeros((len(occurs), len(self.transformers)), dtype=np.int64)
            self.classes.write_target(codes, np.arange(len(codes)))
            chances = np.eye(self.transformers[at].size)[codes[:, at]]
        return np.asarray(chances * occurs)

    def _possible(self, allowed: Mapping[str, NDArray[np.bool_]]) -> dict[str, NDArray[np.bool_]]:
        """Tell which of the allowed codes have probability, by class: (C, size of column) each."""
        possible = {name: (self.chances(name) > 0) & mask for name, mask in allowed.items()}
        for name, codes in possible.items():
            if not codes.any():
                raise ImpossibleCondition(
                    f'The released model gives no probability to the condition on {name!r}.'
                )
        return possible

    def _region(self, possible: Mapping[str, NDArray[np.bool_]]) -> Region:
        """Translate a condition into classes and quantiles."""
        classes = np.logical_and.reduce([codes.any(axis=1) for codes in possible.values()])
        if not classes.any():
            raise ImpossibleCondition(
                'The released model gives some probability to each of the conditions on '
                f'{list(possible)}, but none to all of them together.'
            )
        places = {
            self.domain.names.index(name): np.logical_or.reduce(codes)
            for name, codes in possible.items()
        }
        columns = [at for at, place in enumerate(self.scored) if place in places]
        found = [self.scores.intervals(at, places[self.scored[at]]) for at in columns]
        intervals = np.zeros((len(classes), len(columns), max(map(_count, found), default=0), 2))
        for at, each in enumerate(found):
            intervals[:, at, : _count(each)] = each
        return Region(classes, np.array(columns, dtype=np.int64), intervals)

    def _draw_labelled(
        self,
        labels: LabelModel,
        num_rows: int,
        rng: np.random.Generator,
        possible: Mapping[str, NDArray[np.bool_]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes, then the classes that follow from them, until enough are of a wanted one."""
        others = {name: codes for name, codes in possible.items() if name != self.domain.target}
        region = self._region(others) if others else None
        wanted = self.mixture.weights.sum(axis=1) > 0
        for name in possible.keys() - others.keys():
            wanted = np.any(possible[name], axis=1)

        def draw(size: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            codes, _ = draw_codes(self.mixture, self.scores, size, rng, region)
            return codes, labels.chances(codes) * wanted

        return draw_wanted(draw, num_rows, rng)


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


def draw_wanted(
    draw: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw records until so many are of a wanted class.

    Args:
        draw: Draws so many records: their codes, shape (n, m), and the chances of their classes,
            shape (n, C), zero for those that are not wanted.
        num_rows: How many are wanted.
        rng: Source of randomness.

    Returns:
        Codes, shape (num_rows, m), and classes, shape (num_rows,).
    """
    parts, missing, rate = [], num_rows, 1.0
    while True:
        codes, chances = draw(min(max(math.ceil(missing / rate), LEAST_DRAWN), MOST_DRAWN))
        mass = chances.sum(axis=1)
        kept = np.flatnonzero(rng.random(len(mass)) < mass)
        rate = max(float(mass.mean()), LEAST_RATE)
        if rate == LEAST_RATE:
            # Hardly any would be: the likeliest ones, as often as they are likely.
            kept = rng.choice(len(mass), missing, p=mass / mass.sum())
        kept = kept[:missing]
        parts.append((codes[kept], draw_by_chance(chances[kept], rng)))
        missing -= len(kept)
        if not missing:
            drawn, classes = zip(*parts, strict=True)
            return np.concatenate(drawn), np.concatenate(classes)


def find_codes(
    scores: NormalScores, places: NDArray[np.float64], classes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find the codes at quantiles, or at scores where those are cut, shape (n, m)."""
    codes = np.empty(places.shape, dtype=np.int64, order='F')
    for at, column in enumerate(places.T):
        codes[:, at] = scores.codes(at, column, classes)
    return codes


def cut_normals(mixture: Mixture, scores: NormalScores) -> NormalScores:
    """Move the cuts from quantiles to where a mixture has them: its draws need no quantiles then.

    Classes without weight, which are never drawn, keep theirs.
    """
    labels = np.flatnonzero(mixture.weights.sum(axis=1))
    moved = []
    for at, cuts in enumerate(scores.cuts):
        places = mixture.marginal(labels, np.array([at])).invert(cuts[labels, None])[:, 0]
        cuts = cuts.copy()
        cuts[labels] = np.maximum.accumulate(places, axis=1)
        moved.append(cuts)
    return replace(scores, cuts=tuple(moved))


def _count(intervals: NDArray[np.float64]) -> int:
    return int(intervals.shape[1])
