"""Numbers stored as texts: ``$1,234.50``, ``37 %``, ``1.234,50 €``.

Formal guarantees:
    * the number of a cell is a function of that cell and of the stated notation
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rdt.transformers import BaseTransformer

from sdv_threea.arrays import Floats
from sdv_threea.constraints.derivations import Derivation
from sdv_threea.domain import Category, Column, Domain, Number
from sdv_threea.rows.derived import Cells
from sdv_threea.rows.intake.columns import LARGEST_NUMBER, find_distinct

#: The most decimal places; the number of digits between signs of thousands.
MOST_PLACES, THREE = 9, 3

#: The parts of an example: digits with signs among them, and signs before and after.
EXAMPLE = re.compile(r"-?(?P<prefix>\D*?)(?P<body>\d(?:[\d.,' ]*\d)?)(?P<suffix>\D*)", re.ASCII)


class NumberTexts(BaseTransformer):
    """A transformer of texts that spell numbers, such as amounts of money and percentages.

    A column of categories with this transformer is learned as numbers, and sampled as texts::

        synthesizer.auto_assign_transformers(data)
        synthesizer.update_transformers({'price': NumberTexts(prefix='$')})

    A cell that is not a number in this notation is refused, or missing with
    ``invalid_cells='coerce'``. A cell may lack the signs before and after the number.

    Args:
        prefix: The sign before a number, such as ``'$'``.
        suffix: The sign after a number, such as ``' %'``.
        thousands: The sign between groups of three digits; empty for none.
        decimal: The sign before decimals.
        places: How many decimals numbers have, up to 9; public.
    """

    INPUT_SDTYPE = 'categorical'
    SUPPORTED_SDTYPES = ['categorical']
    ACTS_RECORD_BY_RECORD = True

    def __init__(
        self,
        prefix: str = '',
        suffix: str = '',
        thousands: str = ',',
        decimal: str = '.',
        places: int = 2,
    ) -> None:
        super().__init__()
        if not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
            raise ValueError(f'places must be a whole number from 0 to {MOST_PLACES}.')
        if len(decimal) != 1 or decimal == thousands:
            raise ValueError('decimal must be one sign, other than thousands.')
        self.prefix, self.suffix, self.places = prefix, suffix, places
        self.thousands, self.decimal = thousands, decimal

    @classmethod
    def like(cls, example: str) -> NumberTexts:
        """Return the notation of a made-up example: ``'$1,234.50'``, ``'37 %'``, ``'1.234,5 €'``.

        A single comma or point before three digits separates thousands.

        Raises:
            ValueError: If the example has no digit, or digits in several places.
        """
        found = EXAMPLE.fullmatch(example.strip())
        if found is None:
            raise ValueError(f'{example!r} is no number with a sign before or after it.')
        body = found['body']
        signs = [sign for sign in body if not sign.isdigit()]
        last = signs[-1] if signs else ''
        decimals = body.rpartition(last)[2] if last in ('.', ',') else ''
        if signs.count(last) > 1 or (len(set(signs)) == 1 and len(decimals) == THREE):
            decimals = ''
        others = [sign for sign in signs if not decimals or sign != last]
        thousands = others[0] if others else ('.' if last == ',' else ',')
        decimal = last if decimals else ('.' if thousands != '.' else ',')
        return cls(
            found['prefix'],
            found['suffix'],
            thousands=thousands,
            decimal=decimal,
            places=len(decimals),
        )

    @property
    def notation(self) -> dict[str, Any]:
        """The arguments by name: plain, public values."""
        names = 'prefix', 'suffix', 'thousands', 'decimal', 'places'
        return {name: getattr(self, name) for name in names}

    def read(self, cells: Iterable[object]) -> Floats:
        """Return the numbers of cells, shape (n,); NaN for cells that spell no number."""
        return np.array([self._read(cell) for cell in cells], dtype=np.float64)

    def write(self, numbers: Floats) -> NDArray[np.object_]:
        """Return numbers as texts, ``None`` for NaN, shape (n,)."""
        signs = str.maketrans({',': self.thousands, '.': self.decimal})
        written = np.full(len(numbers), None, dtype=object)
        for at in np.flatnonzero(~np.isnan(numbers)):
            text = f'{abs(numbers[at]):,.{self.places}f}'.translate(signs)
            minus = '-' if round(numbers[at], self.places) < 0 else ''
            written[at] = f'{minus}{self.prefix}{text}{self.suffix}'
        return written

    def _read(self, cell: object) -> float:
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            return float(np.clip(cell, -LARGEST_NUMBER, LARGEST_NUMBER))
        found = self._pattern.fullmatch(cell.strip()) if isinstance(cell, str) else None
        if found is None or (found['minus'] and found['late']):
            return np.nan
        digits = found['whole'].replace(self.thousands, '') if self.thousands else found['whole']
        number = float(f'{digits or 0}.{found["part"] or 0}')
        minus = found['minus'] or found['open'] or found['late']
        return float(np.clip(-number if minus else number, -LARGEST_NUMBER, LARGEST_NUMBER)) + 0.0

    @property
    def _pattern(self) -> re.Pattern[str]:
        group = f'(?:{re.escape(self.thousands)}\\d{{3}})*' if self.thousands else ''
        before, after = re.escape(self.prefix.strip()), re.escape(self.suffix.strip())
        return re.compile(
            rf'(?P<minus>-)?\s*(?P<open>\()?\s*(?:{before})?\s*(?P<late>-)?\s*'
            rf'(?P<whole>\d{{1,3}}{group}|\d+)(?:{re.escape(self.decimal)}(?P<part>\d+))?'
            rf'\s*(?:{after})?\s*(?(open)\))',
            re.ASCII,
        )

    def _fit(self, data: pd.Series) -> None:
        self.output_properties = {None: {'sdtype': 'float', 'next_transformer': None}}

    def _transform(self, data: pd.Series) -> pd.Series:
        return pd.Series(self.read(data), data.index)

    def _reverse_transform(self, data: pd.Series) -> pd.Series:
        return pd.Series(self.write(np.asarray(data, dtype=np.float64)), data.index)


class OneColumn(Derivation):
    """A derivation that replaces one column by another with the same name."""

    column: Any

    @property
    def replaced(self) -> tuple[str, ...]:
        """The column."""
        return (self.column.name,)


@dataclass(frozen=True)
class TextStep(OneColumn):
    """A column of texts, replaced by the numbers that they spell."""

    column: Category
    transformer: NumberTexts

    @cached_property
    def derived(self) -> tuple[Column, ...]:
        """A number with the stated decimals."""
        step = float(f'1e-{self.transformer.places}')
        return (Number(name=self.column.name, step=step, nullable=self.column.nullable),)

    def forward(self, table: pd.DataFrame) -> Cells:
        """Read the numbers; cells that spell no number become missing."""
        found = find_distinct(table[self.column.name])
        numbers = np.append(self.transformer.read(found.listed), np.nan)
        return {self.column.name: numbers[np.maximum(found.codes, -1)]}

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Write the numbers."""
        name = self.column.name
        return {name: self.transformer.write(sampled[name].to_numpy(dtype=np.float64))}

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the column by the ends of the released range, as texts."""
        released = domain[self.column.name]
        assert isinstance(released, Number)
        ends = np.array([released.low or 0.0, released.high or 0.0])
        values = tuple(dict.fromkeys(self.transformer.write(ends).tolist()))
        return (replace(self.column, values=values, nullable=released.nullable),)
