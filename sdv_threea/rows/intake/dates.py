"""Dates in any storage, read one by one as microseconds since 1970.

Dates may be stored as counts, date objects or texts, or as whole numbers such as 20240229 with a
format. Missing cells and invalid dates become two special numbers.
"""

import datetime
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.scalars import (
    AFTER_YEARS,
    DAY,
    EPOCH,
    FIRST_DAY,
    FIRST_YEAR,
    LAST_DAY,
    MICROSECOND,
    NoScalarError,
    read_moment,
    read_scalar,
)

#: The start of 2000 in microseconds since 1970. Canonical dates are seconds since 2000.
YEAR_2000 = 10_957 * DAY // MICROSECOND

#: A missing cell, and a cell that is not a date.
MISSING, INVALID = -(2**63), -(2**63) + 1

LONGEST_TEXT = 64

#: A text without a format must contain this: a year, or a day, a month and a year. pandas would
#: complete other texts, such as ``10:30``, from today's date.
TELLS_DATE = re.compile(r'[0-9]{4}|[0-9][-/. ]+[0-9]+[-/. ]+[0-9]')

#: A text with a format must contain this: pandas accepts ``now`` for any format.
TELLS_FIELD = re.compile(r'[0-9]')

#: A text without a format has a time zone if it ends in this: after a time of day, an offset such
#: as ``+02:00``, or a name such as ``Z``.
TELLS_ZONE = re.compile(
    r'[0-9](:|T[0-9])[0-9:.,]+\s*([+-][0-9]{2}(:?[0-9]{2})?|(?!AM|PM)[A-Z]+)\s*$', re.IGNORECASE
)

#: Signs of a format for a time of day.
CLOCK_SIGNS = 'HIMSfp%'

#: Signs of a format for a time zone. A ``Z`` at its end means that all texts are in UTC.
ZONE_SIGNS, ZULU = ('%z', '%Z'), 'Z'


def to_seconds(moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return seconds since 2000 for microseconds since 1970; NaN for missing or invalid dates."""
    known = np.where(moments > INVALID, moments, YEAR_2000)
    return np.where(moments > INVALID, (known - YEAR_2000) / 1e6, np.nan)


def from_storage(column: pd.Series, unit: str = 'us') -> NDArray[np.int64]:
    """Return dates that NumPy or Arrow store as counts, in a unit since 1970 in UTC.

    Missing dates are :data:`MISSING`. Dates outside the years 1 to 9999 (unit ``'us'``) or 1678 to
    2261 (unit ``'ns'``) are :data:`INVALID`.
    """
    moments = _take_counts(column)
    first, end = (FIRST_DAY, LAST_DAY) if unit == 'ns' else (FIRST_YEAR, AFTER_YEARS)
    days = moments.astype('datetime64[D]').astype(np.int64)
    inside = (days >= first - EPOCH) & (days < end - EPOCH)
    # The replacement has the unit of the column: NumPy 2.5 raises if a finer unit overflows.
    fine = np.where(inside, moments, np.zeros((), moments.dtype)).astype(f'datetime64[{unit}]')
    found = np.where(inside, fine.astype(np.int64), INVALID)
    return np.where(np.isnat(moments), MISSING, found)


def _take_counts(column: pd.Series) -> NDArray[np.datetime64]:
    if isinstance(column.dtype, pd.ArrowDtype):
        return np.asarray(column.array._pa_array.to_numpy())
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert('UTC').dt.tz_localize(None)
    return np.asarray(column.to_numpy())


def read_dates(cells: Sequence[object], template: str | None) -> NDArray[np.int64]:
    """Return dates, and texts or numbers that spell dates, in microseconds, shape (n,).

    Without a ``template``, each text is read by itself, and no number is a date. Times of day are
    read if the template has no date. Results may also be :data:`MISSING` or :data:`INVALID`.

    Formal guarantees: the result of a cell is a function of the cell and of the format alone:
    nothing is inferred from other cells, and nothing remembered.
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
        if issubclass(type(cell), datetime.time) and not is_clock(template):
            continue
        try:
            moment = read_moment(cell)
        except NoScalarError:
            continue
        moments[at] = MISSING if moment is None else moment
    moments[list(texts)] = read_texts(list(texts.values()), template)
    return moments


def read_texts(texts: Sequence[str], template: str | None) -> NDArray[np.int64]:
    """Return texts that spell dates in microseconds, with offsets converted to UTC; shape (n,)."""
    told = TELLS_FIELD if template else TELLS_DATE
    plain = [text if _is_plain(text, told) else None for text in texts]
    found = _parse(plain, _readable(template))
    found = np.where(found == MISSING, INVALID, found)
    for at in np.flatnonzero(found == INVALID).tolist():
        found[at] = _parse_far(plain[at], template)
    return found


def _parse_far(text: str | None, template: str | None) -> int:
    """Return a date outside the years of pandas; :data:`INVALID` for any other text."""
    try:
        if text is None:
            return INVALID
        if template is None:
            read = datetime.datetime.fromisoformat(text)
        else:
            read = datetime.datetime.strptime(text, _readable(template))
        moment = read_moment(read)
    except (ValueError, OverflowError, re.error):
        return INVALID
    is_far = not FIRST_DAY <= read.toordinal() < LAST_DAY
    return INVALID if moment is None or not is_far else moment


def is_clock(template: str | None) -> bool:
    """Return whether a format has a time of day, and no date and no zone."""
    signs = re.findall('%[-#]?(.)', template or '')
    return bool(signs) and set(signs) <= set(CLOCK_SIGNS)


def _parse(texts: list[str | None], template: str) -> NDArray[np.int64]:
    try:
        column = pd.Series(texts, dtype=object)
        return from_storage(
            pd.to_datetime(column, format=template, errors='coerce', utc=True, cache=False)
        )
    except Exception:
        # Some texts, such as an hour that a clock shows twice, make pandas fail for the whole
        # column. Repeated halving isolates these texts.
        if len(texts) == 1:
            return np.array([INVALID])
    half = len(texts) // 2
    return np.concatenate([_parse(texts[:half], template), _parse(texts[half:], template)])


def find_zones(cells: Sequence[object], template: str | None) -> NDArray[np.bool_]:
    """Return which dates contradict the time zone of their column's format, shape (n,).

    These are zoned dates without a zoned format, and zoneless date objects with one. Texts that are
    read by a format have the zone of the format.

    Formal guarantees: the result of a cell is a function of the cell and of the format alone.
    """
    zoned = has_zone(template)
    return np.array([_tells_zone(cell, template) is (not zoned) for cell in cells], dtype=np.bool_)


def find_clocks(cells: Sequence[object], template: str | None) -> NDArray[np.bool_]:
    """Return which dates state no time zone, shape (n,); false if a cell is not a date."""
    zoned = has_zone(template)

    def is_clock(cell: object) -> bool:
        by_format = issubclass(type(cell), str) or spell_number(cell) is not None
        return not zoned if template and by_format else _tells_zone(cell, template) is False

    return np.array([is_clock(cell) for cell in cells], dtype=np.bool_)


def has_zone(template: str | None) -> bool:
    """Return whether texts of a format state their time zone."""
    return template is not None and (
        template.endswith(ZULU) or any(sign in template for sign in ZONE_SIGNS)
    )


def is_zulu(template: str | None) -> bool:
    """Return whether a ``Z`` at the end of a format means that all texts are in UTC."""
    signed = template is not None and any(sign in template for sign in ZONE_SIGNS)
    return template is not None and template.endswith(ZULU) and not signed


def _tells_zone(cell: object, template: str | None) -> bool | None:
    """Return whether a date has a time zone; ``None`` for texts with a format, and for no date."""
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
    return len(text) <= LONGEST_TEXT and '\0' not in text and told.search(text) is not None


def _readable(template: str | None) -> str:
    return (template or 'mixed').replace('%-', '%').replace('%#', '%')
