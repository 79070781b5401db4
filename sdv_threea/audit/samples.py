"""Features of synthetic rows: numbers that the canary could have moved."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from sdv_threea.arrays import Bools
from sdv_threea.audit.worlds import Neighbours

Features = dict[str, float]


def describe_rows(sampled: Mapping[str, pd.DataFrame], neighbours: Neighbours) -> Features:
    """Return features of synthetic rows, as numbers by name.

    A table has the number of its rows, and of rows like the canary in all columns or in all except
    one or two. A column has the number of values like the canary's, of missing values, of different
    values and of the most frequent value (in a foreign key: the largest number of children).
    Numbers also have their minimum, maximum and mean.
    """
    features: Features = {}
    for name, rows in sampled.items():
        features[f'{name}: rows'] = len(rows)
        if name not in neighbours.canary:
            continue
        canary, others = neighbours.canary[name].iloc[0], neighbours.without[name]
        alike = np.zeros(len(rows))
        for column in rows.columns.intersection(others.columns):
            near = _is_near(rows[column], canary[column], others[column])
            alike += near
            described = {'near the canary': near.sum(), **_describe_column(rows[column])}
            features |= {f'{name}.{column}: {what}': float(n) for what, n in described.items()}
        features[f'{name}: most alike'] = alike.max(initial=0.0)
        for fewer in range(min(3, len(rows.columns))):
            least = len(rows.columns) - fewer
            features[f'{name}: alike but for {fewer}'] = float((alike >= least).sum())
    return features


def _describe_column(column: pd.Series) -> Features:
    counts = column.astype(object).value_counts()
    described = {
        'missing': float(column.isna().sum()),
        'commonest': float(counts.iloc[0]) if len(counts) else 0.0,
        'different': float(len(counts)),
    }
    if _is_number(column):
        numbers = column.dropna().to_numpy(dtype=float)
        if len(numbers):
            described |= {'smallest': float(numbers.min()), 'largest': float(numbers.max())}
            described['mean'] = float(numbers.mean())
    return described


def _is_near(column: pd.Series, value: Any, others: pd.Series) -> Bools:
    """Return which values are like the canary's: equal or missing too, or numbers nearest to it."""
    if pd.isna(value):
        return np.asarray(column.isna())
    if not (_is_number(column) and _is_number(others)):
        return np.asarray((column.astype(object) == value).fillna(False), dtype=np.bool_)
    numbers = column.to_numpy(dtype=float, na_value=np.nan)
    gaps = np.abs(others.dropna().to_numpy(dtype=float) - float(value))
    return np.asarray(np.abs(numbers - float(value)) <= gaps.min(initial=np.inf) / 2)


def _is_number(column: pd.Series) -> bool:
    return bool(is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype))
