"""The constants of joint densities: what was chosen, why, and what moving it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class JointConstants:
    """The constants of pairs of columns.

    Args:
        least_bins: Pairs are counted if the noise carries this many bins per column. With fewer a
            table says no more than a correlation, which is cheaper.
        most_bins: The most bins of an ordered column. Tables of 64 are fitted much worse.
        most_values: Categories with more values share bins, of about the same mass. Set by hand.
        records_per_noise: A bin of two columns is expected to hold this many times the noise. With
            2.5 bins are finer, and models learn a little less; 12 and 25 lost marginals.
        most_columns: Pairs are not counted in tables of more columns: there are too many of them.
            Set by hand.
        least_unlike: Pairs of a column are counted if the records that do not have its most
            frequent value are more than this many times the noise. Others say little, and their
            pairs would add to the noise of all.
        least_information: Tables whose mutual information, in nats, is smaller are left out.
            Set by hand.
        most_partners: A table is kept if it is among this many of most mutual information of one
            of its columns. It bounds the time that wide tables take. Set by hand.
        emptiness: Power of the chance that a bin is not empty, by which it is multiplied. Two
            takes impossible pairs away, where shrinkage alone leaves them a tenth of their mass.
        particles: Records that a distribution is fitted with. With fewer, their chance is fitted
            too, and single columns are further off.
        rounds: The most rounds of iterative proportional fitting for a column. Impossible pairs
            need more than two; with eight the chance of the particles is fitted.
    """

    least_bins: int = 2
    most_bins: int = 32
    most_values: int = 24
    records_per_noise: float = 6.0
    most_columns: int = 128
    least_unlike: float = 40.0
    least_information: float = 1e-4
    most_partners: int = 16
    emptiness: float = 2.0
    particles: int = 24_000
    rounds: int = 4
