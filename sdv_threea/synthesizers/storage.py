"""In which dtype a synthetic column is stored, and the proxy table from which SDV learns it.

SDV and RDT learn from the table they are fitted on: dtypes, formats, seeds of generators. They are
fitted on a proxy, made from public and released facts alone, and never see a private row.

The rule for dtypes. What a user has to choose is schema and comes back as it was: extension dtypes
(Int64, boolean, string, ...), float32 and float16, datetime64 with its unit and time zone, and
whether a column is categorical (its categories are the released ones). What pandas chooses by
looking at the rows is private, as an integer column with one missing value becomes a float
column, a boolean one an object column. There the release decides:

========================  =====================================================================
numbers                   int64 if the released step is whole and no null was released, else
                          float64
categories, booleans      bool or int64 if all released values are and no null was released,
                          float64 if all are numbers, else object
dates                     object: texts in their format; int64 if numbers spelled them and no null
                          was released, else float64
ids, keys, PII            int64 if they were numbers, else object
========================  =====================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.synthesizers.cells import fit_into
from sdv_threea.synthesizers.schema import MODELLED, Description

#: A dtype that is schema, or ``None``: the release decides.
Declared = Any

INTEGER, FLOAT, OBJECT = np.dtype('int64'), np.dtype('float64'), np.dtype('object')

#: Integers from here on are not exact in a float.
LARGEST_EXACT = 2.0**53

#: Sums of decimal fractions are rounded to this, or SDV would take their last digits for data.
TIDY_DECIMALS = 12

#: What stands for values from which nothing is learned: texts that are dates, numbers of seven
#: digits (SDV generates as many for unknown columns), and what fits into every dtype.
PLACEHOLDERS = ('2000-01-01', 1_000_000, 1)


def declare(dtype: Any, description: Description) -> Declared:
    """Keep of a private column's dtype what is schema.

    Formal guarantees:
        * no value, and no missing value, of a column changes the answer: dtypes between which
          pandas chooses by looking at the values (int64 and float64; bool and object) agree

    Args:
        dtype: The dtype of the column in the private table.
        description: What the metadata says about the column.

    Returns:
        The dtype of the synthetic column; ``None`` if the release decides.
    """
    counted = description['sdtype'] in MODELLED and description['sdtype'] != 'datetime'
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.CategoricalDtype(ordered=dtype.ordered) if counted else OBJECT
    if not isinstance(dtype, np.dtype) or dtype.kind == 'M' or dtype in ('float32', 'float16'):
        return dtype
    if counted:
        return None
    return INTEGER if dtype.kind in 'iuf' else OBJECT


def choose_dtypes(
    columns: Mapping[str, Description], declared: Mapping[str, Declared], domain: Domain
) -> dict[str, Any]:
    """Choose the dtypes of a synthetic table, by the rule above.

    Args:
        columns: What the metadata says about each column.
        declared: What :func:`declare` kept, by column; columns that it was not asked about are
            taken to be objects.
        domain: The modelled columns, as far as they are known.

    Returns:
        A NumPy or pandas dtype per column, in order.
    """
    dtypes = {name: declared.get(name, declare(OBJECT, each)) for name, each in columns.items()}
    chosen = {name: choose_dtype(domain[name], dtypes[name]) for name in domain.names}
    return dtypes | chosen


def choose_dtype(column: Column, declared: Declared) -> Any:
    """Choose the dtype of a synthetic column, by the rule above.

    Args:
        column: The released column.
        declared: What :func:`declare` kept.

    Returns:
        A NumPy or pandas dtype.
    """
    if isinstance(declared, pd.CategoricalDtype) and isinstance(column, Category):
        return pd.CategoricalDtype(list(column.values or ()), declared.ordered)  # noqa: PD011 (not pandas)
    if declared == INTEGER:
        return FLOAT if column.nullable else INTEGER
    if declared is not None:
        return declared
    return _number_dtype(column) if isinstance(column, Number) else _category_dtype(column)


def _number_dtype(column: Number) -> Any:
    step, ends = column.step or 0.5, (column.low or 0.0, column.high or 0.0)
    whole = step % 1 == 0 and max(map(abs, ends)) < LARGEST_EXACT
    return INTEGER if whole and not column.nullable else FLOAT


def _category_dtype(column: Category) -> Any:
    kinds = {type(value) for value in column.values or ()}  # noqa: PD011 (not pandas)
    if kinds == {bool}:
        return OBJECT if column.nullable else np.dtype('bool')
    if kinds == {int} and not column.nullable:
        return INTEGER
    return FLOAT if kinds and kinds <= {int, float} else OBJECT


def make_proxy(dtypes: Mapping[str, Any], domain: Domain) -> pd.DataFrame:
    """Make the table that SDV is fitted on.

    Formal guarantees:
        * the proxy is a function of its arguments, which are public or released

    Args:
        dtypes: The dtype of every column of the table, in order.
        domain: The modelled columns.

    Returns:
        Three rows. Numbers show the ends of their range and their granularity, from which SDV
        learns how to clip and round; nothing can be learned from the other columns.
    """
    numbers = {column.name: column for column in domain.columns if isinstance(column, Number)}
    shown = {
        name: _show_range(numbers[name], dtype)
        if name in numbers and pd.api.types.is_numeric_dtype(dtype)
        else _show_nothing(dtype)
        for name, dtype in dtypes.items()
    }
    return pd.DataFrame({name: values.astype(dtypes[name]) for name, values in shown.items()})


def _show_nothing(dtype: Any) -> pd.Series:
    text, long, short = PLACEHOLDERS
    value = text if pd.api.types.is_string_dtype(dtype) else long if dtype == INTEGER else short
    return pd.Series([value] * 3)


def _show_range(column: Number, dtype: Any) -> pd.Series:
    low = 0.0 if column.low is None else column.low
    high = low if column.high is None else column.high
    fine = low + column.step if column.step else math.nextafter(low, math.inf)
    decimals = 0 if pd.api.types.is_integer_dtype(dtype) else TIDY_DECIMALS
    ends = fit_into(pd.Series([low, high, fine]), dtype)
    return ends.round(decimals) if column.step or not decimals else ends
