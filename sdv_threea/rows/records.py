"""Types of private records: codes, places and scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoded(NamedTuple):
    """Private records: codes of the columns, -1 for none, shape (n, m), and classes, shape (n,)."""

    codes: NDArray[np.integer]
    labels: NDArray[np.integer]


class Located(NamedTuple):
    """Codes of categories and places of numbers in their interval, from 0 to 1, (n, P) each."""

    codes: NDArray[np.integer]
    places: NDArray[np.float64]


class Grouped(NamedTuple):
    """Private records as integer scores in score units, shape (n, m), and groups, shape (n,)."""

    scores: NDArray[np.integer]
    groups: NDArray[np.integer]
