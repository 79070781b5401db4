"""Columns that are parts of another column: the month of a date, the hour of a clock time.

Public functions are applied to the released histogram of each numerical column. If the result is
close to the histogram of another column, that column may follow from the number. The records that
obey are counted together with sums (:mod:`~sdv_threea.joint.column_sums`). If nearly all records
obey, the function is known code by code without noise, and samples compute it.
"""

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.domain import Domain, Number
from sdv_threea.encoding.encoders import NumberEncoder, Transformer
from sdv_threea.joint.joint_constants import APART
from sdv_threea.rows.intake.columns import read_categories, read_numbers
from sdv_threea.rows.intake.scalars import spell

#: Seconds of a day, and the largest distance of a day from the start of 2000 in days.
DAY, FURTHEST = 86_400.0, 730_000.0

#: The weekday of the first of January 2000, counted from Monday.
SATURDAY = 5

#: Divisors that are tried: 100 gives the hour 18 of the clock time 1845 and the month 202601 of
#: 20260131, and 60 gives the hour 18 of the minute 1,125 of a day.
DIVISORS = (60.0, 100.0, 3_600.0, 10_000.0)

#: Offsets that are added to results: for months from 0 to 11, or weekdays from 1 to 7.
OFFSETS = (0, 1, -1)

#: Names of months and weekdays, by their first letters.
NAMES = 'jan feb mar apr may jun jul aug sep oct nov dec', 'mon tue wed thu fri sat sun'

#: Number of values that are tried in an interval, and the most results of a function.
LOOKED_AT, MOST_RESULTS = 64, 512

#: The largest number of pairs of a number and its part (as date and month) that are counted.
MOST_PARTS = 16

Values = tuple[tuple[Hashable, int], ...]


def _find_day(seconds: Floats) -> NDArray[np.datetime64]:
    days = np.clip(np.nan_to_num(np.floor(seconds / DAY)), -FURTHEST, FURTHEST)
    return np.asarray(np.datetime64('2000-01-01') + days.astype('timedelta64[D]'))


def _find_month(seconds: Floats) -> Floats:
    return np.asarray(_find_day(seconds).astype('datetime64[M]').astype(float) % 12 + 1)


def _find_day_of_month(seconds: Floats) -> Floats:
    days = _find_day(seconds)
    return np.asarray((days - days.astype('datetime64[M]')).astype(float) + 1)


#: Functions of dates in seconds since 2000; the results are whole numbers.
OF_DATES: dict[str, Callable[[Floats], Floats]] = {
    'year': lambda at: _find_day(at).astype('datetime64[Y]').astype(float) + 1970,
    'quarter': lambda at: np.ceil(_find_month(at) / 3),
    'month': _find_month,
    'day': _find_day_of_month,
    'weekday': lambda at: (np.floor(at / DAY) + SATURDAY) % 7,
    'weekday from Sunday': lambda at: (np.floor(at / DAY) + SATURDAY + 1) % 7,
    'hour': lambda at: np.floor(at / 3600) % 24,
    'minute': lambda at: np.floor(at / 60) % 60,
}


@dataclass(frozen=True)
class Part:
    """A column that a public function of a numerical column gives: publishable.

    Args:
        total: The name of the column.
        parts: The name of the numerical column, alone.
        function: The name of the function, or the divisor.
        offset: The number that is added to the function's result.
        values: Each category with the whole number that it stands for; empty if the column is
            numerical.
    """

    total: str
    parts: tuple[str]
    function: str | float
    offset: int = 0
    values: Values = ()

    def find(self, numbers: Floats) -> Floats:
        """Return the results of the function, shape (n,); NaN for a missing number."""
        with np.errstate(all='ignore'):
            if isinstance(self.function, str):
                found = OF_DATES[self.function](numbers)
            else:
                found = np.floor(numbers / self.function)
        return np.where(np.isnan(numbers), np.nan, found + self.offset)

    def holds(self, table: pd.DataFrame) -> Bools:
        """Return which rows obey the function, shape (n,)."""
        found = self.find(read_numbers(table[self.parts[0]]))
        if not self.values:
            return np.asarray(read_numbers(table[self.total]) == found)
        places, distinct = read_categories(table[self.total])
        numbers = {spell(value): number for value, number in self.values}
        meant = [float(numbers.get(spell(value), np.nan)) for value in distinct]
        return np.asarray(np.array([*meant, np.nan])[places] == found)

    def show(self, found: Floats, own: pd.Series) -> pd.Series:
        """Return the column with computed values; rows without a result keep their value."""
        if not self.values:
            return own.where(np.isnan(found) | own.isna().to_numpy(), found)
        listed = pd.Series({number: value for value, number in self.values}, dtype=object)
        shown = pd.Series(found, own.index).map(listed)
        return own.astype(object).where(shown.isna() | own.isna(), shown)

    def write(self, table: pd.DataFrame, domain: Domain) -> None:
        """Compute the column in sampled rows, except for missing values and sentinels."""
        own, number = table[self.total], domain[self.parts[0]]
        found = self.find(read_numbers(table[self.parts[0]]))
        found[np.isin(table[self.parts[0]], getattr(number, 'sentinels', ()))] = np.nan
        found[np.isin(own, getattr(domain[self.total], 'sentinels', ()))] = np.nan
        table[self.total] = self.show(found, own)

    def encode(self, found: Floats, own: Transformer) -> Wholes:
        """Return the codes of results, -1 for none, shape (n,)."""
        if isinstance(own, NumberEncoder):
            return own.encode(pd.Series(found, name=self.total))
        codes = own.encode(pd.Series([value for value, _ in self.values], dtype=object))
        listed = dict(zip((number for _, number in self.values), codes.tolist(), strict=True))
        return np.array([listed.get(each, -1) for each in found.tolist()], dtype=np.int64)

    def tabulate(self, number: NumberEncoder, own: Transformer, shares: Floats) -> Floats:
        """Return joint probabilities, (S, V), of the codes of the number and its part."""
        codes, values = _list_values(number)
        shown = self.encode(self.find(values), own)
        table = np.zeros((number.size, own.size))
        known = shown >= 0
        np.add.at(table, (codes[known], shown[known]), shares[codes[known]] / LOOKED_AT)
        return table


def find_parts(
    domain: Domain,
    transformers: Sequence[Transformer],
    columns: Mapping[str, Floats],
    barred: Collection[str],
) -> list[Part]:
    """Return the functions that columns may follow, the likeliest first; no ``barred`` columns."""
    free = {own: _read_values(own) for own in transformers if own.name not in barred}
    rated: list[tuple[float, Part]] = []
    for number in free:
        if not isinstance(number, NumberEncoder):
            continue
        about = domain[number.name]
        dated = isinstance(about, Number) and about.of_times
        codes, values = _list_values(number)
        for function in OF_DATES if dated else DIVISORS:
            found = Part('', (number.name,), function).find(values)
            results, places = np.unique(found, return_inverse=True)
            shares = np.bincount(places, columns[number.name][codes]) / LOOKED_AT
            if not 2 <= len(results) <= MOST_RESULTS:
                continue
            for own, meant in free.items():
                if own is not number and meant is not None:
                    rated.append(
                        _rate(
                            (number.name,), function, results, shares, own, meant, columns[own.name]
                        )
                    )
    rated = [each for each in rated if each[0] < APART]
    return [part for _, part in sorted(rated, key=lambda each: each[0])[:MOST_PARTS]]


def _rate(  # noqa: PLR0913 (the number and what it gives, and the column)
    parts: tuple[str],
    function: str | float,
    results: Floats,
    shares: Floats,
    own: Transformer,
    values: Values,
    wanted: Floats,
) -> tuple[float, Part]:
    """Return the best part, and the distance of its distribution from that of the column."""
    rated = []
    for offset in OFFSETS:
        part = Part(own.name, parts, function, offset, values)
        codes = part.encode(results + offset, own)
        given = np.bincount(codes[codes >= 0], shares[codes >= 0], own.size)
        apart = float(np.abs(given - wanted).sum() + shares[codes < 0].sum()) / 2
        rated.append((apart / max(1 - wanted.max(), 1e-9), part))
    return min(rated, key=lambda each: each[0])


def _list_values(number: NumberEncoder) -> tuple[Wholes, Floats]:
    """Return codes and evenly spaced values inside each code, shape ((S - 1) * LOOKED_AT,)."""
    codes = np.repeat(np.arange(1, number.size), LOOKED_AT)
    places = np.tile((np.arange(LOOKED_AT) + 0.5) / LOOKED_AT, number.size - 1)
    return codes, number.decode(codes, np.random.default_rng(), places)


def _read_values(own: Transformer) -> Values | None:
    """Return the numbers of categories; ``()`` for a whole-number column, otherwise ``None``."""
    if isinstance(own, NumberEncoder):
        return () if own.step and own.step % 1 == 0 else None
    listed = own.values  # noqa: PD011 (a tuple)
    stated = [(value, _read_number(value)) for value in listed]
    values = tuple((value, number) for value, number in stated if number is not None)
    distinct = len({number for _, number in values}) == len(listed)
    return values if distinct and len(values) >= 2 else None


def _read_number(value: Hashable) -> int | None:
    """Return the whole number that a value stands for: its only digits, a month or a weekday."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = str(value).lower()
    for names in NAMES:
        if text[:3] in names.split():
            return names.split().index(text[:3]) + (names is NAMES[0])
    digits = re.findall(r'\d+', text)
    return int(digits[0]) if len(digits) == 1 and len(digits[0]) < 10 else None
