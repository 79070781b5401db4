"""RDT transformers: each column as a finite list of codes.

A record has one code in each column; code 0 is the missing value. A numerical column has one code
per *bin*, in ascending order: a half-open interval, or a heavy single value. A category has one
code per value, and one for all unlisted values if samples show a stand-in for these. Otherwise a
record with an unlisted value has code -1, and is not counted. The arguments of a transformer
determine all codes; in the pipeline they are public or released.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rdt.transformers import BaseTransformer

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.granularity import Heaps, common_step, count_codes, find_heaps, read_counts
from sdv_threea.describe.lattice import multiples
from sdv_threea.domain import DECIMAL_STEPS, MISSING, SPREAD, Category, Column
from sdv_threea.encoding.edges import public_edges, released_edges
from sdv_threea.rows.codes import LAST_PLACE, Bins, Columns, Listed, encode_columns
from sdv_threea.rows.intake.cells import take_values
from sdv_threea.rows.intake.columns import make_table, read_categories, read_numbers

if TYPE_CHECKING:
    from sdv_threea.describe.description import Description

#: The largest number of values that ``repr`` shows.
MOST_SHOWN = 5


#: The least share of a step. With share zero, no number could be drawn in a bin without a multiple
#: of the coarser steps.
TINY = 1e-9


class Encoder(BaseTransformer, ABC):
    """A transformer from the cells of a column to codes, and back.

    Formal guarantees: of the rows that it is fitted to, it learns no more than the facts that its
    arguments leave open, the dtype and the name of the column; there is no seed made of rows.

    Args:
        facts: The arguments of the subclass by name; those that are ``None`` are learned.
    """

    #: The names of the facts, which are arguments and attributes.
    FACTS: tuple[str, ...]

    nullable: bool

    #: Whether the order of the codes means something.
    ordered: bool

    def __init__(self, **facts: Any) -> None:
        super().__init__()
        # RDT would derive the states from the first rows, and set NumPy's global state by them.
        self.random_states = None
        self.__dict__ |= facts
        self._open = [name for name, fact in facts.items() if fact is None]
        self._dtype: Any = None
        self._rng: np.random.Generator | None = None

    def __repr__(self) -> str:
        facts = {name: getattr(self, name) for name in self.FACTS}
        shown = [
            f'{name}={_show(fact)}'
            for name, fact in facts.items()
            if fact is not None and not (isinstance(fact, tuple) and not fact)
        ]
        return f'{self.get_name()}({", ".join(shown)})'

    @property
    def name(self) -> str:
        """The name of the column."""
        return str(self.columns[0])

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of codes, the missing value included."""

    @property
    @abstractmethod
    def coder(self) -> Bins | Listed:
        """The map from cells to codes."""

    def encode(self, column: pd.Series) -> Wholes:
        """Return the code of each cell, shape (n,); -1 for a value that is not listed."""
        return self.coder.encode(column)

    @abstractmethod
    def decode(self, codes: Wholes, rng: np.random.Generator) -> NDArray[Any]:
        """Return a value for each code, shape (n,)."""

    def assign(self, name: str, dtype: Any = None) -> Self:
        """Fit to a name and a dtype, if no facts are left to learn."""
        self.fit(pd.DataFrame({name: pd.Series(dtype=dtype or np.float64)}), name)
        return self

    def reset_randomization(self) -> None:
        """Make ``reverse_transform`` draw the same values again."""
        self._rng = None

    def set_random_state(self, state: np.random.RandomState, method_name: str) -> None:
        """Draw with a NumPy state from now on; only ``reverse_transform`` draws at random."""
        if method_name == 'reverse_transform':
            self._rng = np.random.default_rng(state.randint(2**32, size=4, dtype=np.uint32))

    @abstractmethod
    def _learn(self, column: pd.Series) -> Mapping[str, Any]:
        """Return the open facts, learned from public rows."""

    def _read(self, column: pd.Series) -> pd.Series:
        """Convert cells of the user to cells that :meth:`encode` reads."""
        return column

    def _write(self, values: NDArray[Any]) -> pd.Series:
        """Convert values that :meth:`decode` returned to cells of the user."""
        return cast(pd.Series(values), self._dtype)

    def _set_seed(self, data: pd.DataFrame) -> None:
        """Seed the draws by the name of the column alone; RDT would also use its rows."""
        digest = hashlib.sha256(self.name.encode()).digest()
        self.random_seed, self._rng = int.from_bytes(digest[:4]), None

    def _fit(self, data: pd.Series) -> None:
        self._dtype = data.dtype
        if self._open:
            learned = self._learn(self._read(data))
            self.__dict__ |= {name: learned[name] for name in self._open}

    def _transform(self, data: pd.Series) -> Wholes:
        return self.encode(self._read(data))

    def _reverse_transform(self, data: Any) -> pd.Series:
        drawn = np.nan_to_num(np.asarray(data, dtype=np.float64))
        codes = np.clip(np.rint(drawn), 0, self.size - 1).astype(np.int64)
        self._rng = self._rng or np.random.default_rng(self.random_seed)
        return self._write(self.decode(codes, self._rng))


def cast(values: pd.Series, dtype: Any) -> pd.Series:
    """Cast values to a dtype if possible; floats are rounded for whole numbers."""
    whole = pd.api.types.is_integer_dtype(dtype) and pd.api.types.is_float_dtype(values.dtype)
    try:
        return (values.round() if whole else values).astype(dtype)
    except (TypeError, ValueError):
        return values


def _show(fact: Any) -> str:
    if isinstance(fact, np.ndarray):
        return f'<{len(fact) - 1} cells from {fact[0]:g} to {fact[-1]:g}>'
    if isinstance(fact, tuple) and len(fact) > MOST_SHOWN:
        return f'<{len(fact)} values from {fact[0]!r} to {fact[-1]!r}>'
    return repr(fact)


class NumberEncoder(Encoder):
    """The bins of a numerical column.

    Args:
        edges: Borders of the bins, ascending, shape (number of bins + 1,). ``None`` to learn them:
            a bin for each value if values are few, otherwise bins of about equally many rows.
        step: Granularity of the values; 0 for continuous ones; ``None`` to learn it.
        nullable: Whether values may be missing; ``None`` to learn it.
        heaps: The steps that values were rounded to, coarse to fine, and the share of each; empty
            if all were rounded to ``step``; ``None`` to learn them.
    """

    INPUT_SDTYPE = 'numerical'
    SUPPORTED_SDTYPES = ['numerical']
    FACTS: tuple[str, ...] = ('edges', 'step', 'nullable', 'heaps')

    #: Candidates for a granularity that is learned, coarse to fine.
    STEPS: tuple[float, ...] = DECIMAL_STEPS

    edges: Floats
    step: float
    ordered = True
    heaps: Heaps

    def __init__(
        self,
        edges: Floats | None = None,
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
    def coder(self) -> Bins:
        """The map from cells to codes."""
        return Bins(self.edges, self.step, bool(self.nullable))

    def decode(
        self, codes: Wholes, rng: np.random.Generator, places: Floats | None = None
    ) -> Floats:
        """Draw a number from each bin, a multiple of the step, at ``places`` or uniform ones."""
        bins = np.maximum(codes, 1) - 1
        low, high = self.edges[bins], self.edges[bins + 1]
        steps = np.full(len(codes), self.step)
        if places is None:
            places = rng.random(len(codes))
            steps = self._draw_steps(bins, rng)
        # The place 1 would give the first multiple of the next bin.
        values = low + np.minimum(places, LAST_PLACE) * (high - low)
        for step in np.unique(steps[steps > 0]).tolist():
            at = steps == step
            # Edges lie halfway between multiples.
            first, end = np.ceil(low[at] / step), np.ceil(high[at] / step)
            past = np.floor(np.minimum(places[at], LAST_PLACE) * (end - first))
            values[at] = multiples(first + past, step)
        # Spikes are a single float wide, so no number may be rounded up.
        values = np.minimum(values, np.nextafter(high, low))
        return np.where(codes == 0, np.nan, values)

    def _draw_steps(self, bins: Wholes, rng: np.random.Generator) -> Floats:
        """Draw the step to which each number is rounded, shape (n,), from the bins, shape (n,)."""
        if not self.heaps:
            return np.full(len(bins), self.step)
        steps, shares = np.array(self.heaps).T
        # A multiple of a step represents all numbers that are rounded to it.
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
        edges = public_edges(present, step)
        codes = count_codes(present, self.STEPS)
        counts = np.bincount(codes, minlength=len(self.STEPS) + 2).astype(np.float64)
        bar = DescribeConstants().clear_of_noise()
        heaps = find_heaps(read_counts(counts, self.STEPS, 0.0), step, {}, bar)
        return {'edges': edges, 'step': step, 'nullable': missing, 'heaps': heaps}


class CategoryEncoder(Encoder):
    """The values of a categorical column.

    Args:
        values: The values, without the missing one; ``None`` to learn them.
        ordered: Whether their order means something.
        nullable: Whether values may be missing; ``None`` to learn it.
        unreleased: The stand-in for all unlisted values, which share a code: a value, or
            :data:`~sdv_threea.domain.MISSING`. By default they have no code.
        apart: The distance of each value from the one before it, if known.
    """

    INPUT_SDTYPE = 'categorical'
    SUPPORTED_SDTYPES = ['categorical', 'boolean', 'ordinal']
    FACTS = ('values', 'ordered', 'nullable', 'unreleased', 'apart')

    values: tuple[Hashable, ...]
    ordered = False
    apart: tuple[float, ...] = ()
    unreleased: Hashable | None

    def __init__(
        self,
        values: tuple[Hashable, ...] | None = None,
        ordered: bool = False,
        nullable: bool | None = None,
        unreleased: Hashable | None = None,
        apart: tuple[float, ...] = (),
    ) -> None:
        facts = {'values': values, 'ordered': ordered, 'nullable': nullable, 'apart': apart}
        super().__init__(**facts, unreleased=unreleased)

    @property
    def size(self) -> int:
        """Number of codes, including those of missing and of unlisted values."""
        return len(self.values) + 1 + (self.unreleased is not None)

    @property
    def unlisted(self) -> int:
        """The code of unlisted values; -1 if they have none."""
        return -1 if self.unreleased is None else len(self.values) + 1

    @property
    def coder(self) -> Listed:
        """The map from cells to codes."""
        return Listed(self.values, bool(self.nullable), self.unlisted)

    def can_show(self, column: pd.Series) -> Bools:
        """Return which values samples can show: all but those that a stand-in replaces."""
        shown = self.encode(column) != self.unlisted
        if self.unreleased is None or self.unreleased == MISSING:
            return np.asarray(shown | column.isna().to_numpy(dtype=np.bool_))
        return np.asarray(shown | (column == self.unreleased).to_numpy(dtype=np.bool_))

    def decode(
        self, codes: Wholes, rng: np.random.Generator, places: Floats | None = None
    ) -> NDArray[np.object_]:
        """Return the value of each code; neither randomness nor places are needed."""
        stand_in = None if self.unreleased == MISSING else self.unreleased
        return take_values((*self.values, stand_in), None, codes - 1)

    def _learn(self, column: pd.Series) -> Mapping[str, Any]:
        codes, listed = read_categories(column)
        missing = bool((codes < 0).any())
        return {'values': tuple(listed), 'nullable': missing, 'unreleased': None}


Transformer = NumberEncoder | CategoryEncoder


def make_transformers(description: Description) -> tuple[Transformer, ...]:
    """Return the transformer of every column, from public or released facts."""
    return tuple(
        _make_transformer(column, description).assign(column.name)
        for column in description.domain.columns
    )


def encode(table: pd.DataFrame, transformers: tuple[Transformer, ...]) -> NDArray[np.signedinteger]:
    """Return the codes of a table, shape (n, number of transformers); -1 for unlisted values."""
    return encode_columns(list_coders(transformers), table)


def list_coders(transformers: tuple[Transformer, ...]) -> Columns:
    """Return the maps from cells to codes, by column."""
    return tuple((each.name, each.coder) for each in transformers)


def decode(
    codes: Wholes,
    transformers: tuple[Transformer, ...],
    rng: np.random.Generator,
    places: Mapping[int, Floats] | None = None,
) -> pd.DataFrame:
    """Turn codes, shape (n, transformers), back into a table, at known ``places`` in the bins."""
    known = places or {}
    decoded = {
        each.name: each.decode(codes[:, at], rng, known.get(at))
        for at, each in enumerate(transformers)
    }
    return make_table(decoded, pd.RangeIndex(len(codes)))


def _make_transformer(column: Column, description: Description) -> Transformer:
    if isinstance(column, Category):
        values = column.values or ()  # noqa: PD011 (no pandas)
        unreleased = None if column.unreleased == SPREAD else column.unreleased
        # Every column needs a code that can occur: if no value is known, the missing one.
        nullable = bool(column.nullable) or not (values or unreleased)
        return CategoryEncoder(values, column.ordered, nullable, unreleased, column.apart)
    name = column.name
    sketch, heavy = description.sketches.get(name), description.spikes.get(name, {})
    edges = released_edges(column, sketch, heavy)
    heaps = description.heaps.get(name, ())
    return NumberEncoder(edges, column.step or 0.0, bool(column.nullable), heaps)
