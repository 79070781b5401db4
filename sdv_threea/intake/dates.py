"""Dates in any storage as nanoseconds, each read by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.scalars import (
    DAY,
    EPOCH,
    FIRST_DAY,
    LAST_DAY,
    MICROSECOND,
    NoScalarError,
    read_moment,
    read_scalar,
)

#: Dates are counted in seconds from here, in nanoseconds since 1970.
ORIGIN = 10_957 * DAY

#: A cell that is missing, and one that is no date.
MISSING, INVALID = -(2**63), -(2**63) + 1

#: Texts of dates longer than this are none.
LONGEST = 64

#: What a text has that is read without a format: a year, or a day, a month and a year. Of others,
#: such as ``10:30``, pandas takes what is missing from today's date.
TELLS_DATE = re.compile(r'[0-9]{4}|[0-9][-/. ]+[0-9]+[-/. ]+[0-9]')

#: What a text has that is read by a format: pandas reads ``now`` by any.
TELLS_FIELD = re.compile(r'[0-9]')


def to_seconds(moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """Turn nanoseconds since 1970 into seconds since 2000, NaN for what is no date; shape (n,)."""
    # Microseconds first: from the first years on, nanoseconds since 2000 need more than 64 bits.
    micros, rest = np.divmod(moments, MICROSECOND)
    seconds = (micros - ORIGIN // MICROSECOND) / 1e6 + rest / 1e9
    return np.where(moments > INVALID, seconds, np.nan)


def from_storage(column: pd.Series) -> NDArray[np.int64]:
    """Read dates that are stored as counts, NumPy's or Arrow's, those with a time zone in UTC.

    Args:
        column: Dates of a dtype of any unit.

    Returns:
        Nanoseconds since 1970, :data:`MISSING` or :data:`INVALID`, shape (n,).
    """
    moments = _take_counts(column)
    days = moments.astype('datetime64[D]').astype(np.int64)
    inside = (days >= FIRST_DAY - EPOCH) & (days < LAST_DAY - EPOCH)
    fine = np.where(inside, moments, np.datetime64(0, 'ns')).astype('datetime64[ns]')
    found = np.where(inside, fine.astype(np.int64), INVALID)
    return np.where(np.isnat(moments), MISSING, found)


def _take_counts(column: pd.Series) -> NDArray[np.datetime64]:
    if isinstance(column.dtype, pd.ArrowDtype):
        return np.asarray(column.array._pa_array.to_numpy())
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert('UTC').dt.tz_localize(None)
    return np.asarray(column.to_numpy())


def read_dates(cells: Sequence[object], template: str | None) -> NDArray[np.int64]:
    """Read dates, texts that spell dates, and numbers that do (20240229).

    Formal guarantees:
        * what is read of a cell is a function of the cell and of the format alone: nothing is
          inferred from other cells, and nothing remembered

    Args:
        cells: Distinct cells, n of them.
        template: The format of texts and numbers; if ``None``, each text is read by itself.

    Returns:
        Nanoseconds since 1970, :data:`MISSING` or :data:`INVALID`, shape (n,).
    """
    moments = np.full(len(cells), INVALID, dtype=np.int64)
    texts: dict[int, str] = {}
    for at, cell in enumerate(cells):
        text = spell_number(cell) if template else None
        if text is None and issubclass(type(cell), str):
            text = str.__str__(cell)
        if text is not None:
            texts[at] = text
            continue
        try:
            moment = read_moment(cell)
        except NoScalarError:
            continue
        moments[at] = MISSING if moment is None else moment
    moments[list(texts)] = read_texts(list(texts.values()), template)
    return moments


def read_texts(texts: Sequence[str], template: str | None) -> NDArray[np.int64]:
    """Read texts that spell dates, those with an offset in UTC; shape (n,)."""
    told = TELLS_FIELD if template else TELLS_DATE
    plain = [text if _is_plain(text, told) else None for text in texts]
    found = _parse(plain, _readable(template))
    return np.where(found == MISSING, INVALID, found)


def _parse(texts: list[str | None], template: str) -> NDArray[np.int64]:
    try:
        column = pd.Series(texts, dtype=object)
        return from_storage(
            pd.to_datetime(column, format=template, errors='coerce', utc=True, cache=False)
        )
    except Exception:  # pandas fails for all of them over an hour that a clock shows twice
        if len(texts) == 1:
            return np.array([INVALID])
    half = len(texts) // 2
    return np.concatenate([_parse(texts[:half], template), _parse(texts[half:], template)])


def spell_number(cell: object) -> str | None:
    """Write a whole number as a text, as 20240229 spells a date; ``None`` for anything else."""
    try:
        number = read_scalar(cell)
    except NoScalarError:
        return None
    return str(number) if type(number) is int and abs(number) < 2**53 else None


def _is_plain(text: str, told: re.Pattern[str]) -> bool:
    return len(text) <= LONGEST and '\0' not in text and told.search(text) is not None


def _readable(template: str | None) -> str:
    """Return the format for reading, which has no signs for the padding of digits."""
    return (template or 'mixed').replace('%-', '%').replace('%#', '%')
