"""Constants of the partition, each with its reason and the effect of moving it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PartitionConstants:
    """Constants of the stage *partition*.

    Args:
        most_components: Largest number of components per class. One is enough for most tables at
            epsilon 1 (the ablations "1 component" and "4 components").
        least_signal: Fewest records of a component per noise of its second moments. Set by hand.
        rounds: Rounds of private EM. Set by hand.
        mean_error: Largest noise, in normal scores, of a mean that moves a centroid. Set by hand.
    """

    most_components: int = 4
    least_signal: float = 12.0
    rounds: int = 3
    mean_error: float = 0.25
