"""The constants of encoding, why they have their values, and the effect of others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EncodingConstants:
    """The constants of bins and classes.

    Args:
        most_bins: Bins of a number, unless each of its values has one. They may be many, because
            estimates from their counts are smoothed. Set by hand.
        least_share: The least share of the records that a bin of a sketch counts for. So each bin
            of the public grid inside the range gets at least one bin. Set by hand.
        thin_bins: Additional cuts of the outermost bins, as shares of one bin. Bins with few
            records determine how far values reach. Set by hand.
        tail_share: The share of bins for a tail without counts in the sketch. Set by hand.
        records_per_noise: A class that is an interval of a numerical target holds about this many
            times the noise of a count. Set by hand.
        most_classes: The most classes of a numerical target. Set by hand.
    """

    most_bins: int = 96
    least_share: float = 0.002
    thin_bins: tuple[float, ...] = (0.125, 0.25, 0.5)
    tail_share: float = 0.02
    records_per_noise: float = 150.0
    most_classes: int = 20
