"""The strongest observer: reads every noisy number, knows both tables, and weighs the likelihoods.

All that a release of ours tells passed one door. Here the door is watched: a fit is recorded, and
then the other table is fitted with the *same answers*, which tells what the exact values would have
been there. The likelihood ratio of the answers follows, and no statistic tells the two tables apart
better (Neyman and Pearson). If all is as claimed, its logarithm is about Gaussian, as far apart for
the two tables as the claimed ``mu`` says at most.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

# Imported late elsewhere: its door is to be watched too.
import sdv_threea.adapt.moments  # noqa: F401
from sdv_threea import mechanism

DOORS = ('add_noise', 'threshold_release')


class Answer(NamedTuple):
    """What passed the door: exact values by place, released ones, and the scale of the noise."""

    exact: Mapping[Any, int]
    released: Mapping[Any, float]
    scale: float
    whole: tuple[Any, ...]


class Transcript:
    """Watches the doors of noise while it is open."""

    def __enter__(self) -> Transcript:
        self._real = {door: getattr(mechanism, door) for door in DOORS}
        self._hang({door: getattr(self, f'_{door}') for door in DOORS})
        return self

    def __exit__(self, *error: object) -> None:
        self._hang(self._real)

    def weigh(
        self, fit: Callable[[Any], object], tables: Sequence[Any], world: int
    ) -> tuple[float, float]:
        """Fit one of two tables, and tell from the answers how much likelier the second is.

        Args:
            fit: Fits a table; but for noise a function of the table.
            tables: The tables without and with the canary.
            world: Which of them is fitted: 0 or 1.

        Returns:
            The logarithm of the likelihood ratio; and how far these answers can tell the tables
            apart if all is as claimed, in GDP.
        """
        self.answers: list[Answer] = []
        self.replayed: list[Mapping[Any, int]] | None = None
        fit(tables[world])
        self.replayed = []
        fit(tables[1 - world])
        ratio = squares = 0.0
        for answer, other in zip(self.answers, self.replayed, strict=True):
            places = list(answer.released)
            exact = [[each.get(at, 0) for at in places] for each in (answer.exact, other)]
            without, present = np.array(exact if world == 0 else exact[::-1], dtype=float)
            noisy = np.array([answer.released[at] for at in places])
            moved = (present - without) / answer.scale
            ratio += float((noisy - (present + without) / 2) / answer.scale @ moved)
            squares += float(moved @ moved)
        return ratio, squares**0.5

    def _add_noise(self, values: Any, **terms: Any) -> tuple[Any, ...]:
        exact = dict(enumerate(values.ravel().tolist()))
        unit = terms.get('resolution', 1.0)
        return self._pass(
            exact,
            lambda: self._real['add_noise'](values, **terms),
            lambda whole: dict(enumerate((whole[0] / unit).ravel().tolist())),
            unit,
        )

    def _threshold_release(self, keys: Any, counts: Any, **terms: Any) -> tuple[Any, ...]:
        return self._pass(
            dict(zip(keys, counts.tolist(), strict=True)),
            lambda: self._real['threshold_release'](keys, counts, **terms),
            # That a key is not shown tells something too, but little: any statistic is fair.
            lambda whole: dict(zip(whole[0], whole[1].tolist(), strict=True)),
            1.0,
        )

    def _pass(
        self,
        exact: Mapping[Any, int],
        ask: Callable[[], tuple[Any, ...]],
        read: Callable[[tuple[Any, ...]], Mapping[Any, float]],
        unit: float,
    ) -> tuple[Any, ...]:
        """Ask and record, or answer from the record."""
        if self.replayed is None:
            whole = ask()
            scale = whole[-1].noise_scale / unit
            self.answers.append(Answer(exact, read(whole), scale, whole))
            return whole
        self.replayed.append(exact)
        return self.answers[len(self.replayed) - 1].whole

    def _hang(self, doors: Mapping[str, Callable[..., Any]]) -> None:
        """Put doors in place of those that hang wherever they are used."""
        for name, module in list(sys.modules.items()):
            if name.startswith('sdv_threea.') and module is not mechanism:
                for door in DOORS:
                    if hasattr(module, door):
                        setattr(module, door, doors[door])
