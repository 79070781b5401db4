"""Doors of noise that keep what goes in, or let nothing in."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np

from sdv_threea.privacy import mechanism
from sdv_threea.rows.units import membership


@dataclass
class Call:
    """One call of the mechanism: the exact values, the price, and the noisy values."""

    stage: str
    exact: dict | np.ndarray
    sensitivity: float
    mu: float
    answer: object

    def distance(self, other):
        if isinstance(self.exact, dict):
            keys = self.exact.keys() | other.exact.keys()
            return np.linalg.norm([self.exact.get(k, 0) - other.exact.get(k, 0) for k in keys])
        return np.linalg.norm((self.exact - other.exact).ravel())


class Door:
    """The mechanism with a record of its calls; on replay it returns what another one returned."""

    def __init__(self, replay=None):
        self.calls, self.replay = [], replay

    def add_noise(self, values, *, sensitivity, mu, stage, released, resolution=1.0, noise):
        noisy, receipt = mechanism.add_noise(
            values,
            sensitivity=sensitivity,
            mu=mu,
            stage=stage,
            released=released,
            resolution=resolution,
            noise=noise,
        )
        exact = np.asarray(values) * resolution
        answer = self._keep(released, exact, receipt, noisy)
        assert answer.shape == noisy.shape
        return answer, replace(receipt, released=self._name(released))

    def threshold_release(self, keys, counts, **terms):
        shown, noisy, receipt = mechanism.threshold_release(keys, counts, **terms)
        exact = dict(zip(keys, np.asarray(counts).tolist(), strict=True))
        shown, noisy = self._keep(terms['released'], exact, receipt, (shown, noisy))
        return shown, noisy, replace(receipt, released=self._name(terms['released']))

    def receipts(self, model):
        """List the receipts of a release with the number of their call and the root that paid."""
        return [
            (int(receipt.released.split(': ')[-1].split(' ')[0]), root, receipt)
            for root, ledger in model.ledgers.items()
            for receipt in ledger.receipts
        ]

    def _name(self, released):
        return f'{len(self.calls) - 1} {released}'

    def _keep(self, released, exact, receipt, answer):
        if self.replay is not None:
            before = self.replay.calls[len(self.calls)]
            assert before.stage == released, 'the second run took another path'
            answer = before.answer
        self.calls.append(Call(released, exact, receipt.sensitivity, receipt.mu, answer))
        return answer


class Constants:
    """Takes the place of the mechanism: returns constants, whatever goes in."""

    def __init__(self):
        self.rng = np.random.default_rng(7)

    def add_noise(self, values, *, mu, stage, released, resolution=1.0, **others):
        noisy = np.abs(self.rng.normal(0, 3e4, np.shape(values))) * resolution
        return noisy, mechanism.Receipt(
            stage=stage, released=released, sensitivity=1.0, noise_scale=5.0 * resolution, mu=mu
        )

    def threshold_release(self, keys, counts, *, mu, stage, released, **others):
        receipt = mechanism.Receipt(
            stage=stage, released=released, sensitivity=1.0, noise_scale=5.0, mu=mu
        )
        return [], np.zeros(0), receipt


def hang(patch, door):
    """Replace the mechanism wherever it is imported."""
    for name in ('add_noise', 'threshold_release'):
        real = getattr(mechanism, name)
        for module_name, module in list(sys.modules.items()):
            ours = module_name.startswith('sdv_threea') and module is not mechanism
            if ours and getattr(module, name, None) is real:
                patch.setattr(module, name, getattr(door, name))


class InOrder:
    """A generator of equal numbers, by which rows are chosen in the order of the table."""

    def random(self, size):
        return np.zeros(size)


def couple_choices(patch):
    """Make the choice among the rows of a unit depend on those rows alone."""
    ranks = membership.rank_within
    patch.setattr(membership, 'rank_within', lambda groups, *_: ranks(groups, InOrder()))
