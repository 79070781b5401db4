"""Rows of a test, in chunks of a size that it chooses."""

from sdv_threea.rows.chunks import Rows, Slices


class _Sliced:
    def __init__(self, arrays):
        self._arrays = arrays

    def __getitem__(self, rows):
        return type(self._arrays)(*(each[rows] for each in self._arrays))


def chunk_arrays(arrays, chunk_rows=2**16):
    """Return the rows of a named tuple of arrays, in chunks."""
    return Rows(Slices(_Sliced(arrays), len(arrays[0]), chunk_rows))
