"""What is released: everything a fitted synthesizer keeps, and all that sampling reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Ledger
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.domain import Domain
from sdv_threea.encoding.blocks import Block, decode


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
        target_code: Code of the target by class, shape (C,), if classes are its values; else
            ``None``.
    """

    domain: Domain
    ledger: Ledger
    blocks: tuple[Block, ...]
    scored: NDArray[np.int64]
    scores: NormalScores
    mixture: Mixture
    target_code: NDArray[np.int64] | None

    @property
    def num_rows(self) -> float:
        """The released estimate of the number of records."""
        return float(self.mixture.weights.sum())

    def sample(self, num_rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows: free of privacy cost, however many.

        Args:
            num_rows: How many.
            rng: Source of randomness; it needs no secrecy.

        Returns:
            The columns of the domain; numbers as floats with NaN, categories as objects with
            ``None`` for missing values.
        """
        scored, classes = draw_codes(self.mixture, self.scores, num_rows, rng)
        codes = np.zeros((num_rows, len(self.blocks)), dtype=np.int64)
        codes[:, self.scored] = scored
        if self.target_code is not None:
            target = self.domain.names.index(str(self.domain.target))
            codes[:, target] = self.target_code[classes]
        return decode(codes, self.blocks, rng)


def draw_codes(
    mixture: Mixture, scores: NormalScores, num_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw codes of the scored columns, shape (num_rows, m), and classes, shape (num_rows,)."""
    classes, quantiles = mixture.sample(num_rows, rng)
    codes = np.empty(quantiles.shape, dtype=np.int64)
    for at, column in enumerate(quantiles.T):
        codes[:, at] = scores.codes(at, column, classes)
    return codes, classes
