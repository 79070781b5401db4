"""What is released: everything a fitted synthesizer keeps, and all that sampling reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Ledger
from sdv_threea.anonymize.conditional import ImpossibleCondition, Region, draw_within
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.domain import Domain
from sdv_threea.encoding.blocks import Block, decode
from sdv_threea.encoding.classes import Classes


@dataclass(frozen=True)
class Release:
    """The released model of a table: publishable, as is all that is computed from it.

    Args:
        domain: The domain, its blanks filled in.
        ledger: What was paid for it.
        blocks: Layout of the codes, one block per column.
        scored: Which columns have a normal score, shape (m,).
        scores: Maps codes to normal scores, and back, by class.
        mixture: The density of the normal scores, by class.
        classes: The classes that everything is conditioned on.
    """

    domain: Domain
    ledger: Ledger
    blocks: tuple[Block, ...]
    scored: NDArray[np.int64]
    scores: NormalScores
    mixture: Mixture
    classes: Classes

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
                (block.size,). Rows are drawn from the model given the condition, not by rejection.

        Returns:
            The columns of the domain; numbers as floats with NaN, categories as objects with
            ``None`` for missing values.

        Raises:
            ImpossibleCondition: If the model gives the condition no probability.
        """
        region = self._region(allowed) if allowed else None
        scored, classes = draw_codes(self.mixture, self.scores, num_rows, rng, region)
        codes = np.zeros((num_rows, len(self.blocks)), dtype=np.int64)
        codes[:, self.scored] = scored
        self.classes.write_target(codes, classes)
        return decode(codes, self.blocks, rng)

    def chances(self, name: str) -> NDArray[np.float64]:
        """The probabilities of the codes of a column by class, shape (C, block.size).

        Zero in classes that do not occur, so that a combination of codes can be drawn if there is
        a class in which each of them has probability.
        """
        at = self.domain.names.index(name)
        occurs = self.mixture.weights.sum(axis=1, keepdims=True) > 0
        if at in self.scored:
            chances = self.scores.chances(int(np.searchsorted(self.scored, at)))
        else:
            codes = np.zeros((len(occurs), len(self.blocks)), dtype=np.int64)
            self.classes.write_target(codes, np.arange(len(codes)))
            chances = np.eye(self.blocks[at].size)[codes[:, at]]
        return np.asarray(chances * occurs)

    def _region(self, allowed: Mapping[str, NDArray[np.bool_]]) -> Region:
        """Translate a condition into classes and quantiles."""
        possible = {name: (self.chances(name) > 0) & mask for name, mask in allowed.items()}
        for name, codes in possible.items():
            if not codes.any():
                raise ImpossibleCondition(
                    f'The released model gives no probability to the condition on {name!r}.'
                )
        classes = np.logical_and.reduce([codes.any(axis=1) for codes in possible.values()])
        if not classes.any():
            raise ImpossibleCondition(
                'The released model gives some probability to each of the conditions on '
                f'{list(allowed)}, but none to all of them together.'
            )
        places = {self.domain.names.index(name): mask for name, mask in allowed.items()}
        columns = [at for at, block in enumerate(self.scored) if block in places]
        found = [self.scores.intervals(at, places[self.scored[at]]) for at in columns]
        intervals = np.zeros((len(classes), len(columns), max(map(_count, found), default=0), 2))
        for at, each in enumerate(found):
            intervals[:, at, : _count(each)] = each
        return Region(classes, np.array(columns, dtype=np.int64), intervals)


def draw_codes(
    mixture: Mixture,
    scores: NormalScores,
    num_rows: int,
    rng: np.random.Generator,
    region: Region | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw codes of the scored columns, shape (num_rows, m), and classes, shape (num_rows,)."""
    if region is None:
        classes, quantiles = mixture.sample(num_rows, rng)
    else:
        classes, quantiles = draw_within(mixture, region, num_rows, rng)
    codes = np.empty(quantiles.shape, dtype=np.int64)
    for at, column in enumerate(quantiles.T):
        codes[:, at] = scores.codes(at, column, classes)
    return codes, classes


def _count(intervals: NDArray[np.float64]) -> int:
    return int(intervals.shape[1])
