"""Symmetric matrices as upper triangles, in the order in which moments are summed."""

from sdv_threea.rows.statistics import mask


def pack(matrices):
    """Return the upper triangles of matrices, (..., m, m) to (..., m (m + 1) / 2), row by row."""
    return matrices[..., mask(matrices.shape[-1])]
