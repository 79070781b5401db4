"""The privacy statement: what a fitted synthesizer promises, and what each release cost."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from sdv_threea.accounting import Receipt

NEIGHBORS = {'add_remove': 'added or removed', 'replace_one': 'replaced'}

NOTES = {
    'end_to_end': (
        'Every number in the synthesizer that depends on the private rows passed through the one '
        'noise mechanism, and its cost is listed below.'
    ),
    'paper': (
        'This is the accounting of the paper, and not an end-to-end guarantee: releases marked '
        "'not charged' read the private rows as well, and their cost is left out."
    ),
    'none': 'epsilon is infinite: no noise was added, and nothing is promised.',
}


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement:
    """What is promised, to whom, and what it cost. It may be published.

    Args:
        epsilon: The promise, with ``delta``.
        delta: The promise, with ``epsilon``.
        neighbors: How neighbouring tables differ: ``'add_remove'`` or ``'replace_one'``.
        guarantee: ``'end_to_end'``, ``'paper'``, or ``'none'`` if ``epsilon`` is infinite.
        mu: What all charged releases compose to, in Gaussian differential privacy.
        receipts: What each release cost.
        public: What was taken as known to everybody.
        unit: Whom the promise protects.
    """

    epsilon: float
    delta: float
    neighbors: str
    guarantee: str
    mu: float
    receipts: tuple[Receipt, ...]
    public: tuple[str, ...] = field(default=())
    unit: str = 'one row'

    @property
    def note(self) -> str:
        """What the guarantee means, in words."""
        return NOTES[self.guarantee]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and the note, as plain values."""
        return {**asdict(self), 'public': list(self.public), 'note': self.note} | {
            'receipts': [receipt.to_dict() for receipt in self.receipts]
        }

    def __str__(self) -> str:
        lines = [
            'Privacy statement',
            f'  promise   {self._promise()}',
            f'  cost      {self.mu:.4g}-GDP in {len(self.receipts)} releases',
            *(f'  public    {fact}' for fact in self.public),
            f'  note      {self.note}',
            '',
            f'  {"stage":<12} {"mu":>8} {"delta":>8} {"sensitivity":>12} {"noise":>10}  released',
        ]
        return '\n'.join([*lines, *(f'  {_row(receipt)}' for receipt in self.receipts)])

    def _promise(self) -> str:
        if math.isinf(self.epsilon):
            return 'none'
        scope = 'end to end' if self.guarantee == 'end_to_end' else 'NOT end to end'
        return (
            f'({self.epsilon:g}, {self.delta:g})-differential privacy for {self.unit} '
            f'{NEIGHBORS[self.neighbors]}, {scope}'
        )


def _row(receipt: Receipt) -> str:
    mark = '' if receipt.charged else ' (not charged)'
    return (
        f'{receipt.stage:<12} {receipt.mu:>8.4g} {receipt.delta:>8.2g} '
        f'{receipt.sensitivity:>12.4g} {receipt.noise_scale:>10.4g}  {receipt.released}{mark}'
    )
