"""Interactions of columns, made of counts."""

from sdv_threea.joint.interactions import Interactions


def interact(counts):
    """What is left of counts when the means along all axes are taken off."""
    for axis in range(counts.ndim):
        counts = counts - counts.mean(axis=axis, keepdims=True)
    return counts


def make_interactions(tables, scale=0.0):
    """The interactions of tables, with noise of a scale that the tables may have."""
    found = {columns: interact(table) for columns, table in tables.items()}
    return Interactions(found, dict.fromkeys(found, scale))
