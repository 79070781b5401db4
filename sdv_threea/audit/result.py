"""The verdict: what the guesses say of a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from sdv_threea.audit.bounds import Guesses


@dataclass(frozen=True)
class LowerBound:
    """One lower bound on epsilon.

    Args:
        view: What the observer saw: ``'synthetic rows'``, ``'released parameters'`` or
            ``'messages'``.
        form: Of what the bound holds: ``'any mechanism'``, or ``'Gaussian'`` where the claim is one
            of Gaussian differential privacy.
        guesses: How the guesses turned out.
        epsilon: The bound.
    """

    view: str
    form: str
    guesses: Guesses
    epsilon: float


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Formal guarantees:
        * if the claim is true, it is called refuted with probability at most ``1 - confidence``,
          all bounds together

    Args:
        epsilon: The claim; ``math.inf`` for none.
        delta: The ``delta`` of the claim, and of all bounds.
        confidence: With which all bounds hold at once.
        runs: How many fits there were.
        bounds: One per view and form.
    """

    epsilon: float
    delta: float
    confidence: float
    runs: int
    bounds: tuple[LowerBound, ...]

    @property
    def largest(self) -> LowerBound:
        """The bound that says most."""
        return max(self.bounds, key=lambda bound: bound.epsilon)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return self.largest.epsilon > self.epsilon

    def to_frame(self) -> pd.DataFrame:
        """Return a row per bound: what was seen, its form, the bound and the guesses."""
        return pd.DataFrame(
            [
                {
                    'view': bound.view,
                    'form': bound.form,
                    'epsilon at least': bound.epsilon,
                    **bound.guesses._asdict(),
                }
                for bound in self.bounds
            ]
        )

    def __str__(self) -> str:
        """Return the verdict and the table."""
        found = f'epsilon is at least {self.largest.epsilon:.3g} at delta={self.delta:g}'
        how = f'{self.largest.view}, {self.runs} fits, confidence {self.confidence:g}'
        if math.isinf(self.epsilon):
            verdict = f'No claim was made: {found} ({how}).'
        elif self.refuted:
            verdict = f'REFUTED: epsilon={self.epsilon:g} was claimed, but {found} ({how}).'
        else:
            verdict = (
                f'Not refuted: epsilon={self.epsilon:g} was claimed, and {found} ({how}). This is '
                'no proof: a better observer, another canary or more fits may tell more.'
            )
        return f'{verdict}\n\n{self.to_frame().round(3).to_string(index=False)}'
