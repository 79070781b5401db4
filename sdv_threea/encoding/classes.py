"""Choose the classes: values of a categorical target, or intervals of a numerical one.

All later statistics are conditioned on the class.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from sdv_threea.arrays import Wholes
from sdv_threea.constants import RECORDS_PER_NOISE, EncodingConstants
from sdv_threea.describe.description import Description
from sdv_threea.domain import SPREAD, Category
from sdv_threea.encoding.encoders import (
    CategoryEncoder,
    NumberEncoder,
    Transformer,
    list_coders,
)
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.codes import Coder, locate
from sdv_threea.rows.records import Located


@dataclass(frozen=True)
class Classes:
    """The classes, and the map from codes of the target to classes.

    Args:
        count: Number of classes ``C``.
        target: Column number of the target; ``None`` without a target.
        of_code: The class of each code of the target, shape (S,); -1 for none.
        ordered: Whether the classes are intervals of a numerical column.
    """

    count: int
    target: int | None
    of_code: Wholes
    ordered: bool

    @property
    def told_apart(self) -> bool:
        """Whether a classifier has to distinguish the classes."""
        return self.count > 1 and not self.ordered

    def scored(self, num_columns: int) -> Wholes:
        """Return the columns that get a normal score: all that the class does not determine."""
        determined = [] if self.ordered or self.target is None else [self.target]
        return np.setdiff1d(np.arange(num_columns), determined)

    def target_code(self) -> Wholes | None:
        """Return the code of the target by class, shape (C,), if each class has a single value."""
        if self.ordered or self.target is None:
            return None
        return np.flatnonzero(self.of_code >= 0)

    def write_target(self, codes: Wholes, labels: Wholes) -> None:
        """Write the target into codes, shape (n, m), if the class determines it."""
        known = self.target_code()
        if known is not None:
            codes[:, self.target] = known[labels]


def settle_guess(
    description: Description, size: tuple[float, float], most_classes: int, evident: float
) -> Description:
    """Drop a guessed target from the description, or keep it without a code for unlisted values.

    The target, a category, is dropped if it has missing values, more than ``most_classes`` values,
    or evidently unlisted ones (more records than ``evident`` noise scales), because their records
    would have no class and not be counted. ``size`` is the released number of records and its noise
    scale.

    Formal guarantees: the decision depends on public facts and on released numbers alone.
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
    """Return the classes, which follow from released facts.

    A categorical target has one class per value, and one for the missing value if that may occur. A
    numerical target has intervals of about equal mass, or one class if ``scale``, the noise scale
    of class counts, is infinite. Without a target there is a single class.
    """
    domain = description.domain
    at = None if domain.target is None else domain.names.index(domain.target)
    transformer = None if at is None else transformers[at]
    if transformer is None or transformer.size == 1:
        return Classes(1, None, np.zeros(0, dtype=np.int64), ordered=False)
    if isinstance(transformer, CategoryEncoder):
        # Code 0, the missing value, has a class only if it may occur.
        first = 0 if transformer.nullable else 1
        of_code = np.arange(transformer.size) - first
        return Classes(transformer.size - first, at, of_code, ordered=False)
    of_code = _bins(transformer, description, scale, constants)
    return Classes(int(of_code.max()) + 1, at, of_code, ordered=True)


def _bins(
    transformer: NumberEncoder, description: Description, scale: float, constants: EncodingConstants
) -> Wholes:
    """Return the class of each code of a numerical target, of about equal mass in the sketch."""
    if math.isinf(scale):
        return np.zeros(transformer.size, dtype=np.int64)
    sketch = description.sketches[transformer.name]
    counts = np.maximum(sketch.counts, 0)
    # The number of records below each border and, by interpolation, below the middle of each bin.
    masses = np.concatenate([[0.0], np.cumsum(counts)])
    borders = np.append(sketch.edges[:, 0], sketch.edges[-1, 1])
    middles = np.interp((transformer.edges[:-1] + transformer.edges[1:]) / 2, borders, masses)
    # The noise limits the number of classes.
    most = constants.most_classes
    wanted = most if scale == 0 else masses[-1] / (RECORDS_PER_NOISE * scale)
    num_bins = int(np.clip(wanted, 1, most))
    bins = np.minimum(num_bins * middles / max(masses[-1], 1.0), num_bins - 1).astype(np.int64)
    # Classes without bins are left out.
    bins = np.unique(bins, return_inverse=True)[1]
    # A missing target has its own class if it may occur.
    null = bins.max() + 1 if transformer.nullable else -1
    return np.concatenate([[null], bins])


class RecordEncoder(NamedTuple):
    """Maps records to codes and classes, by facts that are public or released."""

    description: Description
    transformers: tuple[Transformer, ...]
    classes: Classes
    scored: Wholes

    @property
    def coder(self) -> Coder:
        """The map from records to codes and classes."""
        classes = self.classes
        columns = list_coders(self.transformers)
        return Coder(columns, self.scored, classes.target, classes.of_code, classes.count)

    def locate(self, rows: Rows[Any], pairs: tuple[tuple[int, int], ...]) -> Rows[Located]:
        """Return codes of categories and places of numbers in their codes, for pairs of columns."""
        columns = list_coders(self.scored_transformers)
        found = tuple((columns[category], columns[number]) for category, number in pairs)
        return rows.map(partial(locate, cast(Any, found)))

    @property
    def scored_transformers(self) -> tuple[Transformer, ...]:
        """The transformers of the columns that get a normal score."""
        return tuple(self.transformers[at] for at in self.scored)
