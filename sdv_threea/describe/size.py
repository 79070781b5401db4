"""Release the number of records: the first release, which determines the shares of the budget."""

import numpy as np
import pandas as pd

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Wholes
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.statistics import describe


def release_size(
    rows: Rows[pd.DataFrame], *, mu: float, neighbors: str, noise: Noise
) -> tuple[tuple[float, float], Receipt]:
    """Return the noisy number of records with its noise scale, and the receipt.

    Formal guarantees: a record adds one to one count.
    """
    statistic = describe.SIZE.state(_count, neighbors=neighbors)
    counts, receipt = release(rows, statistic, mu=mu, noise=noise)
    return (float(counts[0]), receipt.noise_scale), receipt


def _count(chunk: pd.DataFrame) -> Wholes:
    return np.array([len(chunk)], dtype=np.int64)
