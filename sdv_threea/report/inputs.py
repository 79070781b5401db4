"""The tables of a report, as users of SDV pass them, checked and read."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.storage.metadata import MODELLED, keep_public

#: Dates are counted in days from this day.
DAY_ZERO, ONE_DAY = pd.Timestamp('2000-01-01'), pd.Timedelta(days=1)


def describe_tables(metadata: Any) -> dict[str, Any]:
    """Return SDV metadata as a dictionary, with the sdtypes that a fit uses (``pii: False``)."""
    described: dict[str, Any] = keep_public(metadata, public_metadata=True).to_dict()
    return described


def as_tables(
    data: pd.DataFrame | Mapping[str, pd.DataFrame], description: Mapping[str, Any], role: str
) -> dict[str, pd.DataFrame]:
    """Return tables by name, with the columns of the metadata and rows numbered from 0."""
    wanted = list(description['tables'])
    if isinstance(data, pd.DataFrame) and len(wanted) == 1:
        data = {wanted[0]: data}
    if not isinstance(data, Mapping) or not set(wanted) <= set(data):
        raise InputError(
            f"Expected '{role}' to have each table of the metadata: pass a dictionary with a "
            f'DataFrame for each of {wanted}.'
        )
    chosen = {}
    for name in wanted:
        columns = list(description['tables'][name]['columns'])
        missing = [column for column in columns if column not in data[name]]
        if missing:
            raise InputError(
                f"The {role} table '{name}' lacks the columns {missing}, which the metadata "
                'describes: add them, or take them out of the metadata.'
            )
        chosen[name] = data[name][columns].reset_index(drop=True)
    return chosen


def take_learned(table: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return the columns that a model can learn from.

    Dates (as days) and numbers are floats with NaN; other columns are objects with ``None``.
    ``columns`` are the entries in SDV metadata, by name.
    """
    learned = {name: each for name, each in columns.items() if each['sdtype'] in MODELLED}
    return pd.DataFrame({name: _read(table[name], each) for name, each in learned.items()})


def _read(column: pd.Series, description: Mapping[str, Any]) -> pd.Series:
    match description['sdtype']:
        case 'datetime':
            return count_days(column, description)
        case 'numerical':
            numbers = column.to_numpy(float, na_value=np.nan)
            return pd.Series(numbers, index=column.index)
        case _:
            return column.astype(object).where(column.notna(), None)


def count_days(times: pd.Series, description: Mapping[str, Any]) -> pd.Series:
    """Return dates as days since :data:`DAY_ZERO`, in floats; NaN where missing."""
    form = description.get('datetime_format')
    try:
        parsed = pd.to_datetime(times, format=form, utc=True)
    except ValueError:  # pandas' error quotes the cell
        raise InputError(
            f"The column '{times.name}' has cells that are no dates"
            + (f' in the format {form!r} of the metadata.' if form else '.')
        ) from None
    # Subtract floats, because differences of the earliest pandas dates overflow.
    nanoseconds = parsed.dt.as_unit('ns').astype('int64').astype(float).where(parsed.notna())
    return (nanoseconds - DAY_ZERO.value) / ONE_DAY.value


#: Test rows may equal fitted rows as often as fitted rows equal each other, plus this share of the
#: test rows, plus this many standard deviations.
SUFFERED, DEVIATIONS = 0.05, 5.0


def refuse_fitted(
    real: pd.DataFrame, test: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]], name: str
) -> None:
    """Raise ``ValueError`` if too many test rows were fitted.

    Keys, names and other columns that no model learns from are not compared. Tables of few columns
    have equal rows by chance, so test rows may equal fitted rows as often as fitted rows equal each
    other. ``columns`` are the entries in SDV metadata; ``name`` is the table, for the error.
    """
    if not (len(real) and len(test)):
        return
    fitted, tested = (_hash_rows(take_learned(each, columns)) for each in (real, test))
    found = float(np.mean(tested.isin(fitted)))
    chance = float(np.mean(fitted.duplicated(keep=False)))
    noise = np.sqrt(max(chance, 1 / len(test)) * (1 - chance) / len(test))
    same = tested.sort_values().reset_index(drop=True).equals(fitted.sort_values(ignore_index=True))
    if same or found > chance + SUFFERED + DEVIATIONS * noise:
        raise InputError(
            f"{found:.0%} of the test rows of the table '{name}' were fitted: models would be "
            "tested on rows that they were trained on. Pass rows as 'test' that were set aside "
            'before the fit.'
        )


def _hash_rows(table: pd.DataFrame) -> pd.Series:
    plain = table.apply(lambda column: column.map(str) if column.dtype == object else column)
    return pd.util.hash_pandas_object(plain, index=False)
