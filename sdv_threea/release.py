"""The release: everything that a fitted synthesizer keeps, and everything that sampling reads.

It depends on the private rows only through the receipts of its ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Ledger
from sdv_threea.adapt.evidence import draw_by_chance
from sdv_threea.adapt.model import LabelModel
from sdv_threea.adapt.numbers import NumberModel
from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.transformers import Transformer, decode
from sdv_threea.joint.chain import Chain
from sdv_threea.joint.density import Joint
from sdv_threea.joint.places import draw_places
from sdv_threea.losses import Loss
from sdv_threea.sampling.asked import Asked, ImpossibleCondition
from sdv_threea.sampling.conditional import Region
from sdv_threea.sampling.draws import (
    Wanted,
    draw_codes,
    draw_wanted,
    draw_wanted_each,
    find_codes,
)
from sdv_threea.sampling.each import draw_each_within
from sdv_threea.sampling.joint import draw_each_jointly, draw_given, draw_jointly

#: Rows drawn at once, at least, where a condition asks for a number, which may be rare.
LEAST_NUMBERED = 2**14


@dataclass(frozen=True)
class Release:
    """The released model of a table: publishable, as is everything computed from it.

    Args:
        domain: The domain, its blanks filled in.
        ledger: The receipts of the release.
        transformers: Maps between the cells of each column and codes.
        scored: The columns with a normal score, shape (m,).
        scores: Maps between codes and normal scores, by class.
        mixture: The density of the normal scores, by class.
        classes: The classes that everything is conditioned on.
        labels: The model that predicts the class of a record from its codes; ``None`` if classes
            are drawn together with the codes.
        number: The model that predicts a numerical target from the codes of other columns; ``None``
            if its numbers are drawn with the others.
        joint: The density that records are drawn from if pairs of columns are released; ``None`` if
            they are drawn from the mixture.
        losses: The estimated losses, by column.
        left_out: What the plan left out, and why, in words.
    """

    domain: Domain
    ledger: Ledger
    transformers: tuple[Transformer, ...]
    scored: NDArray[np.int64]
    scores: NormalScores
    mixture: Mixture
    classes: Classes
    labels: LabelModel | None = None
    number: NumberModel | None = None
    joint: Joint | None = None
    losses: tuple[Loss, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def num_rows(self) -> float:
        """The released estimate of the number of records."""
        return float(self.mixture.weights.sum())

    @property
    def sharpened(self) -> tuple[str, ...]:
        """The target, if samples make it easier to predict than it is: with ``alpha`` below 1."""
        adapted = self.labels is not None or self.number is not None
        return (self.domain.target,) if adapted and self.domain.target is not None else ()

    def sample(
        self,
        num_rows: int,
        rng: np.random.Generator,
        allowed: Mapping[str, NDArray[np.bool_]] | None = None,
    ) -> pd.DataFrame:
        """Draw rows, as many as wanted: sampling costs no privacy.

        Args:
            num_rows: Number of rows.
            rng: Source of randomness, which needs no secrecy.
            allowed: The codes that each column may have in all rows, shape (size of column,), by
                name. Rows are drawn from the model given this condition, not by rejection.

        Returns:
            The columns of the domain; numbers as floats with NaN, categories as objects with
            ``None`` for missing values.

        Raises:
            ImpossibleCondition: If the model gives the condition no probability.
        """
        possible = self._possible(allowed or {})
        if self.labels is not None:
            found = self._draw_labelled(self.labels, num_rows, rng, possible)
        elif self.number is not None:
            found = self._draw_numbered(self.number, num_rows, rng, possible)
        else:
            found = self._draw(num_rows, rng, possible)
        return self._decode(*found, rng)

    def sample_each(
        self, num_rows: int, rng: np.random.Generator, asked: Mapping[str, Asked]
    ) -> pd.DataFrame:
        """Draw rows, each under a condition of its own.

        Args:
            num_rows: Number of rows.
            rng: Source of randomness, which needs no secrecy.
            asked: The codes that each row may have, by column.

        Returns:
            The columns of the domain, as of :meth:`sample`.

        Raises:
            ImpossibleCondition: If the model gives a condition no probability.
        """
        classes = np.tile(self.mixture.weights.sum(axis=1) > 0, (num_rows, 1))
        scored = {}
        for name, own in asked.items():
            at = self.domain.names.index(name)
            # A condition on the target restricts the classes, not the codes.
            if at in self.scored and not (self.labels and name == self.domain.target):
                scored[int(np.searchsorted(self.scored, at))] = own
            else:
                classes &= own.list_classes().T
        if self.labels is not None:
            found = self._draw_each_labelled(self.labels, scored, classes, rng)
        elif self.number is not None:
            found = self._draw_each_numbered(self.number, scored, classes, rng)
        else:
            found = self._draw_each(scored, classes, rng)
        return self._decode(*found, rng)

    def sample_given(
        self,
        known: Mapping[str, NDArray[np.int64]],
        num_rows: int,
        rng: np.random.Generator,
        chain: Chain | None = None,
    ) -> pd.DataFrame:
        """Draw rows of a joint density given the codes of the columns that it was fitted given.

        Args:
            known: Codes of the given columns by name, shape (num_rows,) each; -1 for an unknown
                one.
            num_rows: Number of rows.
            rng: Source of randomness, which needs no secrecy.
            chain: The distribution to draw from, in which known columns come first; by default that
                of the joint density.

        Returns:
            The columns of the domain, as of :meth:`sample`.
        """
        assert self.joint is not None
        names = [self.transformers[at].name for at in self.scored]
        scored = {names.index(name): codes for name, codes in known.items()}
        codes, classes = draw_given(self.joint, scored, num_rows, rng, chain)
        if self.labels is not None:
            classes = self.labels.draw(codes, rng)
        elif self.number is not None:
            target = self.number.expectation.target
            codes[:, target] = self.number.draw(codes, rng)
        return self._decode(codes, classes, rng)

    def begin_with(
        self, names: Sequence[str], given: NDArray[np.int64], rng: np.random.Generator
    ) -> Chain:
        """Return a chain in which these columns come first after the given ones.

        ``given`` are codes of the columns that the density was fitted given, shape (P, q).
        """
        assert self.joint is not None
        scored = [self.transformers[at].name for at in self.scored]
        return self.joint.begin_with([scored.index(name) for name in names], given, rng)

    def _draw_each_labelled(
        self,
        labels: LabelModel,
        asked: Mapping[int, Asked],
        classes: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes, then classes by the labels, until each row has a wanted class."""
        free = np.tile(self.mixture.weights.sum(axis=1) > 0, (1, 1))

        def draw(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            own = {at: each[rows] for at, each in asked.items()}
            codes, _ = self._draw_each(own, np.repeat(free, len(rows), axis=0), rng)
            return codes, labels.chances(codes) * classes[rows]

        return draw_wanted_each(draw, len(classes), rng)

    def _draw_each_numbered(
        self,
        number: NumberModel,
        asked: Mapping[int, Asked],
        classes: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes, then the number predicted from them, until each row has a wanted number."""
        target = number.expectation.target
        others = {at: each for at, each in asked.items() if at != target}
        if target not in asked:
            codes, found = self._draw_each(others, classes, rng)
            codes[:, target] = number.draw(codes, rng)
            return codes, found
        wanted = asked[target].list_masks() & asked[target].occurs.any(axis=0)

        def draw(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            own = {at: each[rows] for at, each in others.items()}
            codes, _ = self._draw_each(own, classes[rows], rng)
            codes[:, target], chances = number.draw_among(wanted[rows], codes, rng)
            # A numerical target makes no classes, so the only class has the probability.
            return codes, chances[:, None]

        return draw_wanted_each(draw, len(classes), rng)

    def _draw_each(
        self, asked: Mapping[int, Asked], classes: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes and classes of records, each under its condition and in an allowed class."""
        if self.joint is not None:
            totals = self.mixture.weights.sum(axis=1) * classes
            return draw_each_jointly(self.joint, totals, asked, rng)
        labels, quantiles = draw_each_within(self.mixture, self.scores, asked, classes, rng)
        return find_codes(self.scores, quantiles, labels), labels

    def _decode(
        self, found: NDArray[np.int64], classes: NDArray[np.int64], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Turn codes of scored columns, and classes, into rows."""
        # Codes are found and decoded column by column, so columns are contiguous.
        codes = np.zeros((len(found), len(self.transformers)), dtype=np.int64, order='F')
        # A target whose values are the classes has no score; its codes follow from the class.
        codes[:, self.scored] = found
        self.classes.write_target(codes, classes)
        places = {}
        if self.joint is not None:
            drawn = draw_places(codes[:, self.scored], self.joint.ties, rng)
            places = {int(self.scored[at]): own for at, own in drawn.items()}
        return decode(codes, self.transformers, rng, places)

    def chances(self, name: str) -> NDArray[np.float64]:
        """Return the probabilities of a column's codes by class, shape (C, size of column).

        They are zero in classes that do not occur. So a combination of codes can be drawn if all of
        its codes have a positive probability in one class.
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
        """Return which allowed codes have probability, by class: (C, size of column) each."""
        possible = {name: (self.chances(name) > 0) & mask for name, mask in allowed.items()}
        for name, codes in possible.items():
            if not codes.any():
                raise ImpossibleCondition(
                    f'The released model gives no probability to the condition on {name!r}.'
                )
        return possible

    def _region(self, possible: Mapping[str, NDArray[np.bool_]]) -> Region:
        """Return the classes and quantiles in which a condition is met."""
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
        # Conditions on scored columns become quantiles; one on the target restricts classes.
        columns = [at for at, place in enumerate(self.scored) if place in places]
        found = [self.scores.intervals(at, places[self.scored[at]]) for at in columns]
        intervals = np.zeros((len(classes), len(columns), max(map(_count, found), default=0), 2))
        for at, each in enumerate(found):
            intervals[:, at, : _count(each)] = each
        return Region(classes, np.array(columns, dtype=np.int64), intervals)

    def _draw(
        self,
        num_rows: int,
        rng: np.random.Generator,
        possible: Mapping[str, NDArray[np.bool_]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes and classes of records that meet conditions."""
        if self.joint is None:
            region = self._region(possible) if possible else None
            return draw_codes(self.mixture, self.scores, num_rows, rng, region)
        places = {self.domain.names.index(name): codes for name, codes in possible.items()}
        scored = {at: places[place] for at, place in enumerate(self.scored) if place in places}
        totals = self.mixture.weights.sum(axis=1)
        for name in places.keys() - set(self.scored):  # the target, whose values are the classes
            totals = totals * places[name].any(axis=1)
        return draw_jointly(self.joint, totals, num_rows, rng, scored)

    def _draw_labelled(
        self,
        labels: LabelModel,
        num_rows: int,
        rng: np.random.Generator,
        possible: Mapping[str, NDArray[np.bool_]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes, then classes by the labels, until enough rows have a wanted class."""
        others = {name: codes for name, codes in possible.items() if name != self.domain.target}
        # A condition on the target does not restrict the codes: classes are drawn after them.
        wanted = self.mixture.weights.sum(axis=1) > 0
        for name in possible.keys() - others.keys():
            wanted = np.any(possible[name], axis=1)

        def draw(size: int) -> Wanted:
            codes, _ = self._draw(size, rng, others)
            chances = labels.chances(codes) * wanted
            return Wanted(codes, draw_by_chance(chances, rng), chances.sum(axis=1))

        return draw_wanted(draw, num_rows, rng)

    def _draw_numbered(
        self,
        number: NumberModel,
        num_rows: int,
        rng: np.random.Generator,
        possible: Mapping[str, NDArray[np.bool_]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw codes, then the number predicted from them, until enough numbers are wanted ones."""
        others = {name: codes for name, codes in possible.items() if name != self.domain.target}
        among = [np.logical_or.reduce(possible[name]) for name in possible.keys() - others.keys()]
        if not among:
            codes, classes = self._draw(num_rows, rng, others)
            codes[:, number.expectation.target] = number.draw(codes, rng)
            return codes, classes
        (wanted,) = among

        def draw(size: int) -> Wanted:
            codes, classes = self._draw(size, rng, others)
            found, chances = number.draw_among(wanted, codes, rng)
            codes[:, number.expectation.target] = found
            return Wanted(codes, classes, chances)

        return draw_wanted(draw, num_rows, rng, least=LEAST_NUMBERED)


def _count(intervals: NDArray[np.float64]) -> int:
    """Return the number of intervals of a column in the class that has most of them."""
    return int(intervals.shape[1])
