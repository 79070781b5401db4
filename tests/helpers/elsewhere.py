"""Rows that are summed on another machine, as far as what is sent there can tell."""

import pickle

from sdv_threea.rows.chunks import Rows


class Elsewhere:
    """A source to which what is summed has to be sent."""

    def __init__(self, source):
        self.source = source

    def sum(self, statistic):
        return self.source.sum(pickle.loads(pickle.dumps(statistic)))


def send_away(rows):
    """Return rows whose sums are taken elsewhere."""
    return Rows(Elsewhere(rows.source))
