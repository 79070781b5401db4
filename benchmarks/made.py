"""Tables of any size: Adult's rows drawn again and again, and made ones of any width.

Categories are pandas categoricals and whole numbers are as small as their values: a row of Adult
takes 20 bytes instead of a kilobyte, so what is measured is the fit and not its input.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata

from sdv_threea.datasets import load_adult

#: Normal factors that the columns of a made table share.
NUM_FACTORS = 8

#: The share of a made column that its factors explain.
SHARED = 0.6

Table = tuple[pd.DataFrame, Metadata]


def shrink(table: pd.DataFrame) -> pd.DataFrame:
    """Store text as categories, and whole numbers in the smallest type that holds them."""
    stored = {}
    for name, column in table.items():
        if pd.api.types.is_integer_dtype(column):
            stored[name] = pd.to_numeric(column, downcast='integer')
        else:
            stored[name] = column if column.dtype.kind == 'f' else column.astype('category')
    return pd.DataFrame(stored)


def as_objects(table: pd.DataFrame) -> pd.DataFrame:
    """Store categories as peers expect them: every value is an object of Python."""
    texts = table.select_dtypes('category').columns
    return table.astype(dict.fromkeys(texts, object))


def load_official() -> Table:
    """Load the official training part of Adult, its rows and its order kept."""
    table, _, metadata = load_adult()
    return shrink(table), metadata


def resample_adult(num_rows: int, seed: int = 0) -> Table:
    """Draw rows of Adult with replacement: the same seed, the same rows."""
    table, metadata = load_official()
    rows = np.random.default_rng(seed).integers(len(table), size=num_rows)
    return table.take(rows).reset_index(drop=True), metadata


def make_table(num_rows: int, num_columns: int, num_values: int, numbers: bool = True) -> Table:
    """Make a table of correlated columns, half of them numbers or none, with a binary target ``y``.

    All columns lean on the same few normal factors. The target is the sign of the first factor, but
    for noise; categories are cut from normals at the quantiles of a geometric fall, so that
    common and rare values are there at any number of values.
    """
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(num_rows, NUM_FACTORS))
    columns: dict[str, object] = {}
    for at in range(num_columns - 1):
        loadings = rng.normal(size=NUM_FACTORS)
        loadings *= np.sqrt(SHARED) / np.linalg.norm(loadings)
        scores = factors @ loadings + np.sqrt(1 - SHARED) * rng.normal(size=num_rows)
        if numbers and at % 2:
            columns[f'x{at}'] = np.exp(scores / 2).round(3).astype(np.float32)
        else:
            columns[f'c{at}'] = _cut(scores, num_values)
    answers = factors[:, 0] + rng.normal(size=num_rows) > 0
    columns['y'] = pd.Categorical.from_codes(answers.astype(np.int8), ['no', 'yes'])
    types = {n: {'sdtype': 'numerical' if n[0] == 'x' else 'categorical'} for n in columns}
    metadata = Metadata.load_from_dict({'tables': {'made': {'columns': types}}})
    return pd.DataFrame(columns), metadata


def _cut(scores: NDArray[np.float64], num_values: int) -> pd.Categorical:
    """Cut normals into values whose shares fall by a factor of ten from the first to the last."""
    shares = np.geomspace(10, 1, num_values)
    ends = np.quantile(scores, np.cumsum(shares / shares.sum())[:-1])
    values = [f'v{at:04}' for at in range(num_values)]
    return pd.Categorical.from_codes(np.searchsorted(ends, scores), values)
