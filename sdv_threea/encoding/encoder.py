"""The base class of all transformers from cells to codes.

Encoders are RDT transformers, but learn only the facts that their arguments leave open.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rdt.transformers import BaseTransformer

from sdv_threea.arrays import Wholes
from sdv_threea.rows.codes import Bins, Listed

#: The most values that ``repr`` shows.
MOST_SHOWN = 5


class Encoder(BaseTransformer, ABC):
    """A transformer from the cells of a column to codes, and back.

    Formal guarantees:
        * of the rows that it is fitted to, it learns no more than the facts that its arguments
          leave open, the dtype and the name of the column; there is no seed made of rows

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
        # RDT would derive these from the first rows, and set NumPy's global state by them.
        self.random_states = None
        self.__dict__ |= facts
        self._open = [name for name, fact in facts.items() if fact is None]
        self._dtype: Any = None
        self._rng: np.random.Generator | None = None

    def __repr__(self) -> str:
        facts = {name: getattr(self, name) for name in self.FACTS}
        told = {name: fact for name, fact in facts.items() if not (fact is None or _is_empty(fact))}
        shown = [f'{name}={_show(fact)}' for name, fact in told.items()]
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
        """Return the code of each cell, shape (n,).

        A number beyond the range has the code of the outermost bin, and a value that is not on the
        list the code -1.
        """
        return self.coder.encode(column)

    @abstractmethod
    def decode(self, codes: Wholes, rng: np.random.Generator) -> NDArray[Any]:
        """Return a value for each code, shape (n,)."""

    def assign(self, name: str, dtype: Any = None) -> Self:
        """Fit to a name and a dtype, when no facts are left to learn."""
        self.fit(pd.DataFrame({name: pd.Series(dtype=dtype or np.float64)}), name)
        return self

    def reset_randomization(self) -> None:
        """Make ``reverse_transform`` draw the same values again."""
        self._rng = None

    def set_random_state(self, state: np.random.RandomState, method_name: str) -> None:
        """Draw by a NumPy state from now on; only ``reverse_transform`` draws at random."""
        if method_name == 'reverse_transform':
            self._rng = np.random.default_rng(state.randint(2**32, size=4, dtype=np.uint32))

    @abstractmethod
    def _learn(self, column: pd.Series) -> Mapping[str, Any]:
        """Return the open facts, learned from public rows."""

    def _read(self, column: pd.Series) -> pd.Series:
        """Convert cells of the user to those that :meth:`encode` reads."""
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


def _is_empty(fact: Any) -> bool:
    """Return whether a fact is an empty tuple."""
    return isinstance(fact, tuple) and not fact


def _show(fact: Any) -> str:
    """Return a short representation of a fact."""
    if isinstance(fact, np.ndarray):
        return f'<{len(fact) - 1} cells from {fact[0]:g} to {fact[-1]:g}>'
    if isinstance(fact, tuple) and len(fact) > MOST_SHOWN:
        return f'<{len(fact)} values from {fact[0]!r} to {fact[-1]!r}>'
    return repr(fact)
