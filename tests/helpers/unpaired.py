"""Settings of a release without pairs of columns, as if their noise were too large."""

from sdv_threea.settings import Settings


class Unpaired(Settings):
    """Settings by which a class is one Gaussian, whatever the budget supports."""

    counts_pairs = False
