"""Each column as a finite list of codes: transformers of RDT's.

A record has one code in each column. Code 0 is the missing value. A number has one code per *bin*,
in ascending order: a half-open interval, or a heavy single value by itself. A category has one code
per value, and one for all values that are not on the list, if samples show them as something.
Otherwise a record whose value is not on the list has code -1, and adds nothing to any count.

The facts that a transformer encodes by are its arguments: bins, values, granularity and whether
values may be missing. In the pipeline all of them are public or released.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.describe.granularity import Heaps, common_step, count_codes, find_heaps, read_counts
from sdv_threea.describe.lattice import multiples
from sdv_threea.domain import DECIMAL_STEPS, MISSING, SPREAD, Category, Column
from sdv_threea.encoding.constants import EncodingConstants
from sdv_threea.encoding.edges import public_edges, released_edges
from sdv_threea.encoding.encoder import Encoder
from sdv_threea.intake.cells import take_values
from sdv_threea.intake.columns import make_table, read_categories, read_numbers
from sdv_threea.intake.scalars import spell

if TYPE_CHECKING:
    from sdv_threea.describe.description import Description


#: The last place in a bin.
LAST_PLACE = np.nextafter(1.0, 0.0)

#: A step that no number seems to be rounded to has this share, for bins without a rounder number.
TINY = 1e-9


class NumberEncoder(Encoder):
    """The bins of a numerical column.

    Args:
        edges: Borders of the bins, ascending, shape (number of bins + 1,); ``None`` to learn them:
            a bin for each value if those are few, or else bins of about equally many rows.
        step: Granularity of the values; 0 for continuous ones; ``None`` to learn it.
        nullable: Whether values may be missing; ``None`` to learn it.
        heaps: To which steps values were rounded, coarse to fine, and the share of each: nothing if
            all were rounded to ``step``; ``None`` to learn it.
    """

    INPUT_SDTYPE = 'numerical'
    SUPPORTED_SDTYPES = ['numerical']
    FACTS: tuple[str, ...] = ('edges', 'step', 'nullable', 'heaps')

    #: Candidates for a granularity that is learned, coarse to fine.
    STEPS: tuple[float, ...] = DECIMAL_STEPS

    edges: NDArray[np.float64]
    step: float
    heaps: Heaps

    def __init__(
        self,
        edges: NDArray[np.float64] | None = None,
        step: float | None = None,
        nullable: bool | None = None,
        heaps: Heaps | None = None,
    ) -> None:
        super().__init__(edges=edges, step=step, nullable=nullable, heaps=heaps)

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.edges)

    @property
    def ordered(self) -> bool:
        """Whether the order of the codes means something."""
        return True

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Return the code of each number; those beyond the range count in its outermost bins."""
        values = read_numbers(column)
        codes = np.searchsorted(self.edges, values, side='right').astype(np.int64)
        codes = np.clip(codes, 1, self.size - 1)
        return np.where(np.isnan(values), 0 if self.nullable else -1, codes)

    def place(self, column: pd.Series) -> NDArray[np.float64]:
        """Return where in its bin each number is, as a share below one; NaN for a missing one."""
        values = read_numbers(column)
        codes = np.clip(np.searchsorted(self.edges, values, side='right'), 1, self.size - 1)
        low, high = self.edges[codes - 1], self.edges[codes]
        if self.step:
            first, end = np.ceil(low / self.step), np.ceil(high / self.step)
            places = (np.rint(values / self.step) - first + 0.5) / np.maximum(end - first, 1)
        else:
            places = (values - low) / (high - low)
        return np.asarray(np.clip(places, 0, LAST_PLACE))

    def decode(
        self,
        codes: NDArray[np.int64],
        rng: np.random.Generator,
        places: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Draw a number from each bin: among multiples of the step if there is one.

        Args:
            codes: The bins.
            rng: Source of randomness.
            places: Where in its bin each number is, as a share; by default it is drawn evenly.
        """
        bins = np.maximum(codes, 1) - 1
        low, high = self.edges[bins], self.edges[bins + 1]
        steps = np.full(len(codes), self.step)
        if places is None:
            places = rng.random(len(codes))
            steps = self._draw_steps(bins, rng)
        # From the end of a bin, the last of its multiples would be that of the next one.
        values = low + np.minimum(places, LAST_PLACE) * (high - low)
        for step in np.unique(steps[steps > 0]).tolist():
            at = steps == step
            # Edges lie in the middle between multiples.
            first, end = np.ceil(low[at] / step), np.ceil(high[at] / step)
            past = np.floor(np.minimum(places[at], LAST_PLACE) * (end - first))
            values[at] = multiples(first + past, step)
        # Rounding up to the next bin would miss spikes, which are a single float wide.
        values = np.minimum(values, np.nextafter(high, low))
        return np.where(codes == 0, np.nan, values)

    def _draw_steps(self, bins: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the step that each number is rounded to, shape (n,), from the bins, shape (n,).

        As many numbers are rounded to a multiple of a step as lie around it, by the share of the
        step. So of a bin in which only one number is round, more are that number.
        """
        if not self.heaps:
            return np.full(len(bins), self.step)
        steps, shares = np.array(self.heaps).T
        cuts = np.ceil(self.edges[:, None] / steps)
        chances = np.cumsum(np.diff(cuts, axis=0) * steps * np.maximum(shares, TINY), axis=1)
        drawn = rng.random(len(bins)) * chances[bins, -1]
        past = (drawn[:, None] >= chances[bins]).sum(axis=1)
        return np.asarray(steps[np.minimum(past, len(steps) - 1)])

    def _learn(self, column: pd.Series) -> Mapping[str, Any]:
        values = read_numbers(column)
        present = values[~np.isnan(values)]
        step = common_step(present, self.STEPS) if self.step is None else self.step
        missing = len(present) < len(values)
        edges = public_edges(present, step, EncodingConstants().most_bins)
        codes = count_codes(present, self.STEPS)
        counts = np.bincount(codes, minlength=len(self.STEPS) + 2).astype(np.float64)
        heaps = find_heaps(read_counts(counts, self.STEPS, 0.0), step, {})
        return {'edges': edges, 'step': step, 'nullable': missing, 'heaps': heaps}


class CategoryEncoder(Encoder):
    """The values of a categorical column.

    Args:
        values: The values, without the missing one; ``None`` to learn them.
        ordered: Whether their order means something.
        nullable: Whether values may be missing; ``None`` to learn it.
        unreleased: What stands for all values that are not on the list, which then share a code:
            a value, or :data:`~sdv_threea.domain.MISSING`. By default they have no code.
    """

    INPUT_SDTYPE = 'categorical'
    SUPPORTED_SDTYPES = ['categorical', 'boolean', 'ordinal']
    FACTS = ('values', 'ordered', 'nullable', 'unreleased')

    values: tuple[Hashable, ...]
    ordered = False
    unreleased: Hashable | None

    def __init__(
        self,
        values: tuple[Hashable, ...] | None = None,
        ordered: bool = False,
        nullable: bool | None = None,
        unreleased: Hashable | None = None,
    ) -> None:
        facts = {'values': values, 'ordered': ordered, 'nullable': nullable}
        super().__init__(**facts, unreleased=unreleased)

    @property
    def size(self) -> int:
        """Number of codes, those of the missing value and of unlisted ones included."""
        return len(self.values) + 1 + (self.unreleased is not None)

    @property
    def unlisted(self) -> int:
        """The code of values that are not on the list; -1 if they have none."""
        return -1 if self.unreleased is None else len(self.values) + 1

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Return the code of each value, or of one that is equal, as ``1`` and ``True`` are."""
        places, distinct = read_categories(column)
        equal = {value: code for code, value in enumerate(self.values, start=1)}
        same = {spell(value): code for code, value in enumerate(self.values, start=1)}
        found = [same.get(spell(value)) or equal.get(value, self.unlisted) for value in distinct]
        codes = np.array([*found, 0 if self.nullable else self.unlisted], dtype=np.int64)
        return np.asarray(codes[places])

    def can_show(self, column: pd.Series) -> NDArray[np.bool_]:
        """Return which values samples can show: not the unlisted ones that something stands for."""
        shown = self.encode(column) != self.unlisted
        if self.unreleased is None or self.unreleased == MISSING:
            return np.asarray(shown | column.isna().to_numpy(dtype=np.bool_))
        return np.asarray(shown | (column == self.unreleased).to_numpy(dtype=np.bool_))

    def decode(
        self,
        codes: NDArray[np.int64],
        rng: np.random.Generator,
        places: NDArray[np.float64] | None = None,
    ) -> NDArray[np.object_]:
        """Return the value of each code; neither randomness nor places are needed."""
        stand_in = None if self.unreleased == MISSING else self.unreleased
        return take_values((*self.values, stand_in), None, codes - 1)

    def _learn(self, column: pd.Series) -> Mapping[str, Any]:
        codes, listed = read_categories(column)
        missing = bool((codes < 0).any())
        return {'values': tuple(listed), 'nullable': missing, 'unreleased': None}


Transformer = NumberEncoder | CategoryEncoder


def make_transformers(
    description: Description, constants: EncodingConstants
) -> tuple[Transformer, ...]:
    """Make the transformer of every column, from what is public or released."""
    return tuple(
        _make_transformer(column, description, constants).assign(column.name)
        for column in description.domain.columns
    )


def encode(table: pd.DataFrame, transformers: tuple[Transformer, ...]) -> NDArray[np.signedinteger]:
    """Encode a table.

    Formal guarantees:
        * a record's codes are a function of that record and of the transformers

    Args:
        table: The columns of the transformers.
        transformers: The transformers.

    Returns:
        Codes, shape (n, number of transformers), column by column in memory and in the smallest
        integers that hold them; -1 where a value is not on the list.
    """
    largest = max((each.size for each in transformers), default=1)
    shape = len(table), len(transformers)
    codes = np.empty(shape, dtype=np.min_scalar_type(-largest), order='F')
    for at, transformer in enumerate(transformers):
        codes[:, at] = transformer.encode(table[transformer.name])
    return codes


def decode(
    codes: NDArray[np.int64],
    transformers: tuple[Transformer, ...],
    rng: np.random.Generator,
    places: Mapping[int, NDArray[np.float64]] | None = None,
) -> pd.DataFrame:
    """Turn codes, shape (n, number of transformers), back into a table.

    Args:
        codes: The codes.
        transformers: The transformers.
        rng: Source of randomness.
        places: Where in their bins the numbers of some columns are, shape (n,) each.
    """
    known = places or {}
    decoded = {
        each.name: each.decode(codes[:, at], rng, known.get(at))
        for at, each in enumerate(transformers)
    }
    return make_table(decoded, pd.RangeIndex(len(codes)))


def _make_transformer(
    column: Column, description: Description, constants: EncodingConstants
) -> Transformer:
    if isinstance(column, Category):
        values = column.values or ()  # noqa: PD011 (no pandas)
        unreleased = None if column.unreleased == SPREAD else column.unreleased
        # Every column has a code that can occur: with no value known, the missing one.
        nullable = bool(column.nullable) or not (values or unreleased)
        return CategoryEncoder(values, column.ordered, nullable, unreleased)
    name = column.name
    sketch, heavy = description.sketches.get(name), description.spikes.get(name, {})
    edges = released_edges(column, sketch, heavy, constants)
    heaps = description.heaps.get(name, ())
    return NumberEncoder(edges, column.step or 0.0, bool(column.nullable), heaps)
