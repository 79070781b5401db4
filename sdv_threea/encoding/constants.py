"""The constants of encoding: what was chosen, why, and what moving it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EncodingConstants:
    """The constants of bins and classes.

    Args:
        most_bins: Bins of a number, unless each of its values is one. They are many, because what
            is made of their counts is smoothed. Set by hand.
        least_share: Share of the records that every bin of a sketch counts for at least. No bin of
            the public grid inside the range may be left without a bin of its own. Set by hand.
        thin_bins: Where the outermost bins are cut once more, as shares of one bin. How far values
            reach is told by bins with few records. Set by hand.
        tail_share: Share of the bins that tails get for which a sketch has no counts. Set by hand.
        records_per_noise: A class that is an interval of a numerical target holds about this many
            records, in units of the noise of a count. Set by hand.
        most_classes: The most classes of a numerical target. Set by hand.
    """

    most_bins: int = 96
    least_share: float = 0.002
    thin_bins: tuple[float, ...] = (0.125, 0.25, 0.5)
    tail_share: float = 0.02
    records_per_noise: float = 150.0
    most_classes: int = 20
