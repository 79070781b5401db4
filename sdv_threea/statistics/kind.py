"""A kind of released statistic, as data: its name, its sensitivity, and the proof of that."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sdv_threea.rows.sums import Statistic

#: A single one of what titles count in the plural.
ONE = re.compile(r'\b1 (class|column|cluster|group|mix|pair|sum|table|triple|weight)e?s\b')


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of released statistic: a row of the table in ``docs/privacy.md``.

    Args:
        name: Unique, and stored with every accounting record of such a release.
        stage: The stage of the pipeline that releases it.
        title: The name of the released numbers in the accounting record; the facts fill its braces.
        words: An explanation for users.
        brief: The explanation in a few words; kinds with one purpose share it.
        moves: The sensitivity as two formulas: the L2 distance by which the statistic moves if a
            record is added or removed, and if one is replaced.
        sensitivity: The sensitivity as a function of the facts and ``neighbors``, in steps of the
            resolution.
        share: The share of the budget that pays for it: one of ``SHARES``, ``'pairs'`` for the sum
            of all shares that pairs of columns may use, or a share of a table in a database.
        proofs: Names of the functions whose docstrings prove it, below ``sdv_threea``.
        about_units: Whether it counts units of privacy, each once, instead of their rows.
    """

    name: str
    stage: str
    title: str
    words: str
    moves: tuple[str, str]
    sensitivity: Callable[..., float]
    share: str
    proofs: tuple[str, ...]
    brief: str = ''
    about_units: bool = False

    def state(
        self,
        sums: Callable[[Any], Any],
        *,
        neighbors: str,
        resolution: float = 1.0,
        finish: Callable[[Any], Any] | None = None,
        **facts: Any,
    ) -> Statistic:
        """Return a statistic of this kind, ready to be released.

        Args:
            sums: The map from a chunk of rows to their sums.
            neighbors: The neighbour relation.
            resolution: The unit of the sums: one step is this much of the released value.
            finish: Turns the sums of all rows into the values that are released.
            facts: Public or released facts, such as numbers of columns, by the names that ``title``
                and ``sensitivity`` use.
        """
        bound = self.sensitivity(neighbors=neighbors, **facts)
        title = ONE.sub(r'1 \1', self.title.format(**facts))
        return Statistic(self.name, self.stage, title, sums, bound, resolution, finish)
