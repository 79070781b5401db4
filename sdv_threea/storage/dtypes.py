"""The dtypes of synthetic columns, and the proxy table from which SDV learns them.

SDV and RDT learn dtypes, formats and seeds of generators from the table they are fitted on. RDT
seeds a generator with a hash of the name of the column and its first five values: fitted on private
rows, it would disclose these values, by the seed and by the values that it generates. Therefore SDV
and RDT are fitted on a proxy, made from public and released facts alone, and never see a private
row.

The dtypes of a table are schema, and as public as the names of its columns: neighbouring tables
have the same. A synthetic column has the dtype of the private one, with two exceptions:

* the categories of a categorical dtype are values of rows: here they are the released ones;
* integers and booleans of NumPy cannot be missing. A column without released values is missing
  throughout, and stored as floats or objects. Integers with some unreleased, and therefore missing,
  values are stored as ``Int64``.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.domain import MISSING, SPREAD, Category, Column, Domain
from sdv_threea.storage.metadata import ColumnMetadata

FLOAT, OBJECT = np.dtype('float64'), np.dtype('object')

#: The cells of the proxy: a text that can be read as a date and as a number, and a number of seven
#: digits, or of one digit where seven do not fit. For columns of unknown kind, SDV generates
#: numbers with as many digits as the proxy has.
TEXT, LONG, SHORT = '2000', 1_000_000, 1


def declare(dtype: Any) -> Any:
    """Return a private column's dtype without the values in it: the part that is schema.

    Formal guarantees:
        * the answer is a function of the dtype; of a categorical one, of its order alone
    """
    return pd.CategoricalDtype(ordered=dtype.ordered) if is_categorical(dtype) else dtype


def is_categorical(dtype: Any) -> bool:
    """Return true if a dtype lists values."""
    return isinstance(dtype, pd.CategoricalDtype)


def choose_dtypes(
    columns: Mapping[str, ColumnMetadata], declared: Mapping[str, Any], domain: Domain
) -> dict[str, Any]:
    """Choose the dtypes of a synthetic table in order; columns not ``declared`` are objects."""
    dtypes = {name: declared.get(name, OBJECT) for name in columns}
    return dtypes | {each.name: choose_dtype(each, dtypes[each.name]) for each in domain.columns}


def choose_dtype(column: Column, declared: Any) -> Any:
    """Choose the dtype of a synthetic column, by the rules of this module."""
    if not isinstance(column, Category):
        return declared
    values = list(column.values or ())  # noqa: PD011 (not pandas)
    stand_ins = [] if column.unreleased in (SPREAD, MISSING) else [column.unreleased]
    values += [each for each in stand_ins if each not in values]
    if is_categorical(declared):
        return pd.CategoricalDtype(values, declared.ordered)
    if not isinstance(declared, np.dtype):
        return declared
    if values and declared.kind in 'iu':
        if not all(isinstance(each, int) for each in stand_ins):
            return OBJECT
        return pd.Int64Dtype() if column.nullable else declared
    if values:
        return declared
    return {'b': OBJECT, 'i': FLOAT, 'u': FLOAT}.get(declared.kind, declared)


def find_zone(dtype: Any) -> Any:
    """Return the time zone of a dtype of dates; ``None`` for any other dtype."""
    return getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)


def make_proxy(dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Make the table that SDV is fitted on: three equal rows that show nothing but the dtypes.

    Formal guarantees:
        * the proxy is a function of its argument, which is public or released
    """
    return pd.DataFrame(
        {name: pd.Series([_placeholder(each)] * 3).astype(each) for name, each in dtypes.items()}
    )


def _placeholder(dtype: Any) -> Any:
    if isinstance(dtype, pd.IntervalDtype):
        low, high = pd.Series([0, 1]).astype(dtype.subtype)
        return pd.Interval(low, high, dtype.closed)
    dtype = getattr(dtype, 'subtype', dtype)  # the dtype of the cells of a sparse column
    if pd.api.types.is_bool_dtype(dtype):
        return True
    if not pd.api.types.is_numeric_dtype(dtype):
        return TEXT
    if dtype.kind == 'O':
        return Decimal(SHORT)
    return LONG if dtype.itemsize > np.dtype('int16').itemsize else SHORT
