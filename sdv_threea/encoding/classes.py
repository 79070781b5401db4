"""The classes: everything is fitted inside each of them.

They are the values of a categorical target, or intervals of a numerical one if they are counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sdv_threea.describe.description import Description
from sdv_threea.domain import SPREAD, Category
from sdv_threea.encoding.constants import EncodingConstants
from sdv_threea.encoding.transformers import CategoryEncoder, NumberEncoder, Transformer


@dataclass(frozen=True)
class Classes:
    """How codes of the target become classes.

    Args:
        count: Number of classes ``C``.
        target: Place of the target among the columns, or ``None`` without one.
        of_code: The class of each code of the target, or -1, shape (S,).
        ordered: Whether the classes are intervals of a number.
    """

    count: int
    target: int | None
    of_code: NDArray[np.int64]
    ordered: bool

    @property
    def told_apart(self) -> bool:
        """Whether there are classes that a classifier has to tell apart."""
        return self.count > 1 and not self.ordered

    def label(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the class of each record, from its codes, shape (n, m) to (n,); -1 for none."""
        if self.target is None:
            return np.zeros(len(codes), dtype=np.int64)
        own = codes[:, self.target]
        return np.where(own < 0, -1, self.of_code[np.maximum(own, 0)])

    def scored(self, num_columns: int) -> NDArray[np.int64]:
        """Return the columns that get a normal score: all that a class does not determine."""
        determined = [] if self.ordered or self.target is None else [self.target]
        return np.setdiff1d(np.arange(num_columns), determined)

    def target_code(self) -> NDArray[np.int64] | None:
        """The code of the target by class, shape (C,), if a class is one value."""
        if self.ordered or self.target is None:
            return None
        return np.flatnonzero(self.of_code >= 0)

    def write_target(self, codes: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
        """Write the target into codes, shape (n, m), where it follows from the classes, (n,)."""
        known = self.target_code()
        if known is not None:
            codes[:, self.target] = known[labels]


def settle_guess(
    description: Description, size: tuple[float, float], most_classes: int, evident: float
) -> Description:
    """Decide whether the target that was guessed remains one.

    It does if all of its values were found, as far as can be told: records with other values would
    be of no class, and count nowhere.

    Formal guarantees:
        * the decision depends on public facts and on released numbers alone

    Args:
        description: The description of the table, with a category as the target that was guessed.
        size: The released number of records, and the standard deviation of its noise.
        most_classes: The most values that it may have.
        evident: That records have other values is evident if they are more than this many standard
            deviations of the noise.

    Returns:
        The description, in which nothing stands for other values of the target; or without a
        target, if it has missing values, too many or evidently others.
    """
    domain = description.domain
    own = cast(Category, domain[cast(str, domain.target)])
    listed, noise = description.listed.get(own.name, size)
    others = size[0] - listed > evident * math.hypot(size[1], noise)
    if own.nullable or others or len(own.values or ()) > most_classes:
        return replace(description, domain=replace(domain, target=None))
    columns = (
        replace(column, unreleased=SPREAD) if column is own else column for column in domain.columns
    )
    return replace(description, domain=replace(domain, columns=tuple(columns)))


def make_classes(
    description: Description,
    transformers: tuple[Transformer, ...],
    scale: float,
    constants: EncodingConstants,
) -> Classes:
    """Choose the classes, from what is released.

    Args:
        description: The description of the table.
        transformers: The transformers of its columns.
        scale: Standard deviation of the noise that counts will have; 0 for none, infinite if
            classes are not counted.
        constants: The constants of the room.

    Returns:
        For a categorical target one class per value, the missing value included if it may occur;
        for a numerical one intervals of about equal mass, or one class if they are not counted;
        without a target, or if no value of it is known, a single class.
    """
    domain = description.domain
    at = None if domain.target is None else domain.names.index(domain.target)
    transformer = None if at is None else transformers[at]
    if transformer is None or transformer.size == 1:
        return Classes(1, None, np.zeros(0, dtype=np.int64), ordered=False)
    if isinstance(transformer, CategoryEncoder):
        # Code 0 is the missing value: a class if it may occur, or else none.
        first = 0 if transformer.nullable else 1
        of_code = np.arange(transformer.size) - first
        return Classes(transformer.size - first, at, of_code, ordered=False)
    of_code = _bins(transformer, description, scale, constants)
    return Classes(int(of_code.max()) + 1, at, of_code, ordered=True)


def _bins(
    transformer: NumberEncoder,
    description: Description,
    scale: float,
    constants: EncodingConstants,
) -> NDArray[np.int64]:
    """Return the class of each code of a numerical target, of about equal mass in the sketch."""
    if math.isinf(scale):
        return np.zeros(transformer.size, dtype=np.int64)
    sketch = description.sketches[transformer.name]
    counts = np.maximum(sketch.counts, 0)
    # How many records lie below each border, and, by interpolation, below the middle of each bin.
    masses = np.concatenate([[0.0], np.cumsum(counts)])
    borders = np.append(sketch.edges[:, 0], sketch.edges[-1, 1])
    middles = np.interp((transformer.edges[:-1] + transformer.edges[1:]) / 2, borders, masses)
    # As many classes as can be counted well in the noise to come.
    most = constants.most_classes
    wanted = most if scale == 0 else masses[-1] / (constants.records_per_noise * scale)
    num_bins = int(np.clip(wanted, 1, most))
    bins = np.minimum(num_bins * middles / max(masses[-1], 1.0), num_bins - 1).astype(np.int64)
    # Classes without any bin are left out.
    bins = np.unique(bins, return_inverse=True)[1]
    # A missing target is a class of its own, if it may occur.
    null = bins.max() + 1 if transformer.nullable else -1
    return np.concatenate([[null], bins])
