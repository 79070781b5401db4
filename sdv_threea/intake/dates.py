"""Dates in any storage, read as nanoseconds since 1970, each by itself.

In go dates that are stored as counts, date objects, texts or whole numbers such as 20240229, and
the format of the last two, if it is stated. Out come whole numbers of nanoseconds, with two special
ones for a missing cell and for a cell that is no date.
"""

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

#: The start of the year 2000, in nanoseconds since 1970. Canonical dates are seconds since then.
YEAR_2000 = 10_957 * DAY

#: Stand for a cell that is missing, and for one that is no date.
MISSING, INVALID = -(2**63), -(2**63) + 1

#: A longer text is no date.
LONGEST_TEXT = 64

#: A text that is read without a format has to contain this: a year, or a day, a month and a year.
#: pandas would complete others, such as ``10:30``, from today's date.
TELLS_DATE = re.compile(r'[0-9]{4}|[0-9][-/. ]+[0-9]+[-/. ]+[0-9]')

#: A text that is read by a format has to contain this: pandas accepts ``now`` for any format.
TELLS_FIELD = re.compile(r'[0-9]')

#: A text that is read without a format and ends in this has a time zone: after a time of day, an
#: offset such as ``+02:00``, or a name such as ``Z``.
TELLS_ZONE = re.compile(
    r'[0-9](:|T[0-9])[0-9:.,]+\s*([+-][0-9]{2}(:?[0-9]{2})?|(?!AM|PM)[A-Z]+)\s*$', re.IGNORECASE
)

#: The signs of a format that stand for a time zone. A ``Z`` at its end says that all are in UTC.
ZONE_SIGNS, ZULU = ('%z', '%Z'), 'Z'


def to_seconds(moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return seconds since 2000 for nanoseconds since 1970; NaN where there is no date."""
    # Microseconds first: nanoseconds from the year 2000 back to 1678 do not fit into 64 bits.
    micros, rest = np.divmod(moments, MICROSECOND)
    seconds = (micros - YEAR_2000 // MICROSECOND) / 1e6 + rest / 1e9
    return np.where(moments > INVALID, seconds, np.nan)


def from_storage(column: pd.Series) -> NDArray[np.int64]:
    """Read dates that are stored as counts, NumPy's or Arrow's; time zones are converted to UTC.

    Args:
        column: Dates of a dtype of any unit.

    Returns:
        Nanoseconds since 1970, :data:`MISSING`, or :data:`INVALID` outside the years 1678 to 2261;
        shape (n,).
    """
    moments = _take_counts(column)
    days = moments.astype('datetime64[D]').astype(np.int64)
    inside = (days >= FIRST_DAY - EPOCH) & (days < LAST_DAY - EPOCH)
    # The stand-in has the unit of the column: NumPy 2.5 raises where a finer one overflows.
    fine = np.where(inside, moments, np.zeros((), moments.dtype)).astype('datetime64[ns]')
    found = np.where(inside, fine.astype(np.int64), INVALID)
    return np.where(np.isnat(moments), MISSING, found)


def _take_counts(column: pd.Series) -> NDArray[np.datetime64]:
    """Return the dates of a column as NumPy's, in the unit in which they are stored."""
    if isinstance(column.dtype, pd.ArrowDtype):
        return np.asarray(column.array._pa_array.to_numpy())
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert('UTC').dt.tz_localize(None)
    return np.asarray(column.to_numpy())


def read_dates(cells: Sequence[object], template: str | None) -> NDArray[np.int64]:
    """Read dates, texts that spell dates, and whole numbers that do (20240229).

    Formal guarantees:
        * what is read of a cell is a function of the cell and of the format alone: nothing is
          inferred from other cells, and nothing remembered

    Args:
        cells: The cells, n of them.
        template: The format of texts and numbers. If it is ``None``, each text is read by itself,
            and no number is a date.

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
    """Read texts that spell dates; offsets are converted to UTC; shape (n,)."""
    told = TELLS_FIELD if template else TELLS_DATE
    plain = [text if _is_plain(text, told) else None for text in texts]
    found = _parse(plain, _readable(template))
    return np.where(found == MISSING, INVALID, found)


def _parse(texts: list[str | None], template: str) -> NDArray[np.int64]:
    """Parse texts by pandas; a text that it fails for is :data:`INVALID`."""
    try:
        column = pd.Series(texts, dtype=object)
        return from_storage(
            pd.to_datetime(column, format=template, errors='coerce', utc=True, cache=False)
        )
    except Exception:
        # Some texts, such as an hour that a clock shows twice, make pandas fail for the whole
        # column. They are found by halving.
        if len(texts) == 1:
            return np.array([INVALID])
    half = len(texts) // 2
    return np.concatenate([_parse(texts[:half], template), _parse(texts[half:], template)])


def find_zones(cells: Sequence[object], template: str | None) -> NDArray[np.bool_]:
    """Find the dates whose time zone is not what the format of their column says.

    They are those that have a zone, if there is no format, or one without a zone; and dates of
    Python's or pandas' without a zone, if the format has one. Other texts are what the format says.

    Formal guarantees:
        * what is found of a cell is a function of the cell and of the format alone

    Args:
        cells: The cells, n of them, as for :func:`read_dates`.
        template: The format of texts and numbers.

    Returns:
        Whether it is one of those, shape (n,); not where a cell is no date.
    """
    zoned = has_zone(template)
    return np.array([_tells_zone(cell, template) is (not zoned) for cell in cells], dtype=np.bool_)


def find_clocks(cells: Sequence[object], template: str | None) -> NDArray[np.bool_]:
    """Find the dates that say no time zone: times of clocks.

    Args:
        cells: The cells, n of them, as for :func:`read_dates`.
        template: The format of texts and numbers.

    Returns:
        Whether it is one of those, shape (n,); not where a cell is no date.
    """
    zoned = has_zone(template)

    def is_clock(cell: object) -> bool:
        by_format = issubclass(type(cell), str) or spell_number(cell) is not None
        return not zoned if template and by_format else _tells_zone(cell, template) is False

    return np.array([is_clock(cell) for cell in cells], dtype=np.bool_)


def has_zone(template: str | None) -> bool:
    """Tell whether texts of a format say in which time zone they are."""
    return template is not None and (
        template.endswith(ZULU) or any(sign in template for sign in ZONE_SIGNS)
    )


def is_zulu(template: str | None) -> bool:
    """Tell whether all texts of a format are in UTC, as a ``Z`` at its end says."""
    signed = template is not None and any(sign in template for sign in ZONE_SIGNS)
    return template is not None and template.endswith(ZULU) and not signed


def _tells_zone(cell: object, template: str | None) -> bool | None:
    """Tell whether a date has a time zone; ``None`` for a text of a format, and for no date."""
    if issubclass(type(cell), str):
        text = str.__str__(cell)
        return None if template or len(text) > LONGEST_TEXT else bool(TELLS_ZONE.search(text))
    try:
        scalar = read_scalar(cell)
    except NoScalarError:
        return None
    return scalar.tzinfo is not None if isinstance(scalar, pd.Timestamp) else None


def spell_number(cell: object) -> str | None:
    """Return a whole number, such as 20240229, as a text; ``None`` for any other cell."""
    try:
        number = read_scalar(cell)
    except NoScalarError:
        return None
    return str(number) if type(number) is int and abs(number) < 2**53 else None


def _is_plain(text: str, told: re.Pattern[str]) -> bool:
    """Tell whether a text may be a date, before pandas sees it."""
    return len(text) <= LONGEST_TEXT and '\0' not in text and told.search(text) is not None


def _readable(template: str | None) -> str:
    """Return the format for reading: without the signs that only steer how digits are padded."""
    return (template or 'mixed').replace('%-', '%').replace('%#', '%')
