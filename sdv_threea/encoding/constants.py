"""The constants of encoding, why they have their values, and the effect of others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EncodingConstants:
    """The constants of classes.

    Args:
        records_per_noise: A class that is an interval of a numerical target holds about this many
            times the noise of a count. Set by hand.
        most_classes: The most classes of a numerical target. Set by hand.
    """

    records_per_noise: float = 150.0
    most_classes: int = 20
