"""Types of the arrays that most functions take and return: floats, whole numbers, booleans."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]
Bools = NDArray[np.bool_]
