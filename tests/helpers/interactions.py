"""Columns in bins, their counts in a loop, and interactions that are made of counts."""

import math

import numpy as np

from sdv_threea.joint.interactions import Interactions

NEIGHBORS = ('add_remove', 'replace_one')

#: Columns with codes in no bin, of one bin, of as many bins as codes, and of coarser bins.
BINS = [
    np.array([0, 1, -1, 1]),
    np.array([0, 0]),
    np.array([2, 0, 1]),
    np.array([-1, 0, 0, 1, 1, 2]),
]


def count_in_a_loop(records, columns, bins=BINS):
    """How many records are in each bin of some columns: those in none are not counted."""
    counts = np.zeros([int(bins[at].max()) + 1 for at in columns])
    for record in records:
        places = [bins[at][record[at]] if record[at] >= 0 else -1 for at in columns]
        if min(places) >= 0:
            counts[tuple(places)] += 1
    return counts


def find_distance(one, other):
    """The distance of whole numbers, computed exactly."""
    return math.sqrt(sum(int(each) ** 2 for each in np.ravel(one - other)))


def interact(counts):
    """What is left of counts when the means along all axes are taken off."""
    for axis in range(counts.ndim):
        counts = counts - counts.mean(axis=axis, keepdims=True)
    return counts


def make_interactions(tables, scale=0.0):
    """The interactions of tables, with noise of a scale that the tables may have."""
    found = {columns: interact(table) for columns, table in tables.items()}
    return Interactions(found, dict.fromkeys(found, scale))
