"""The constants of the partition: what was chosen, why, and what moving it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PartitionConstants:
    """The constants of the stage *partition*.

    Args:
        most_components: The most components per class that the budget is said to carry. One is
            enough for most tables at epsilon 1 (the ablations "1 component" and "4 components").
        least_signal: The records of a component outweigh the noise of their second moments this
            many times. Set by hand.
        rounds: Rounds of private expectation maximisation. Set by hand.
        mean_error: A centroid moves only if each mean of its records is known to this many
            standard deviations. Set by hand.
    """

    most_components: int = 4
    least_signal: float = 12.0
    rounds: int = 3
    mean_error: float = 0.25
