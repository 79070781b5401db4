"""The joint distribution of all columns: a chain over their codes, and the tables behind it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.chain import Chain, Column, fit_chain
from sdv_threea.joint.column_order import choose_order, list_neighbours
from sdv_threea.joint.estimates import Estimates
from sdv_threea.joint.interplay import Interplay
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.places import Tie, tie_columns
from sdv_threea.joint.tables import inform
from sdv_threea.joint.terms import Triples

#: A table is fitted if it has this mutual information, in nats, and is among this many most
#: informative tables of one of its columns. More tables would make wide data slow.
LEAST_INFORMATION, MOST_PARTNERS = 1e-4, 16


@dataclass(frozen=True)
class Joint:
    """The joint distribution of all columns: publishable.

    ``chain`` has these ``tables``, the most informative first; in it, given columns come first,
    then the class. ``triples`` are probabilities of three columns. The other attributes are those
    of :class:`~sdv_threea.joint.estimates.Estimates`.
    """

    columns: tuple[Column, ...]
    tables: dict[Pair, Floats]
    functions: dict[Pair, Floats]
    ordered: tuple[bool, ...]
    chain: Chain
    constants: JointConstants
    edges: tuple[Floats | None, ...] = ()
    triples: Triples | None = None
    numbers: Mapping[Pair, Floats] = field(default_factory=dict)
    _chains: dict[tuple[int, ...], Chain] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out cached results."""
        kept = {name: fact for name, fact in self.__dict__.items() if name != 'ties'}
        return {**kept, '_chains': {}}

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """The pairs of columns whose values inside bins depend on each other."""
        return tie_columns(self.functions, self.ordered, self.edges, self.numbers)

    @property
    def class_column(self) -> int | None:
        """The column number of the class; ``None`` with a single class."""
        return len(self.ordered) if len(self.columns) > len(self.ordered) else None

    def chain_from(self, first: Sequence[int]) -> Chain:
        """Return a chain that begins with the class and these columns.

        Columns on the path between functionally dependent ones come with them. The chain is always
        the same, so samples do not depend on earlier samples.
        """
        lead = () if self.class_column is None else (self.class_column,)
        key = (*lead, *first)
        if key not in self._chains:
            rng = np.random.default_rng(key)
            self._chains[key] = _fit(
                self.columns, self.tables, self.functions, self.triples, key, self.constants, rng
            )
        return self._chains[key]

    def follow(
        self, tables: Mapping[int, Floats], given: Wholes, rng: np.random.Generator
    ) -> Chain:
        """Return a chain that draws each record given another one, such as the record before it.

        ``tables`` are, for each linked column, the probabilities of its bins in the other record
        and in this one, shape (G, G). ``given`` are codes of the given columns, then of the linked
        columns in the other record, shape (P, q + r).
        """
        size, pairs, others = len(self.columns), dict(self.tables), list[Column]()
        for at, table in tables.items():
            own = self.columns[at]
            pairs[at, size + len(others)] = table.T
            others.append(replace(own, shares=own.shares.mean(axis=0, keepdims=True), key=None))
        lead = () if self.class_column is None else (self.class_column,)
        last = range(size, size + len(others))
        first = (*range(given.shape[1] - len(others)), *last, *lead)
        columns = (*self.columns, *others)
        return _fit(columns, pairs, self.functions, self.triples, first, self.constants, rng, given)


def fit_joint(
    known: Estimates,
    constants: JointConstants,
    rng: np.random.Generator,
    interplay: Interplay | None = None,
) -> Joint:
    """Fit the joint distribution to the estimates of columns, pairs and triples."""
    triples = None
    if interplay is not None:
        triples = Triples(interplay.estimate(known.tables), interplay.merged)
    telling = [at for at in known.tables if known.information[at] > LEAST_INFORMATION]
    telling.sort(key=lambda pair: -known.information[pair])
    tables = {pair: known.tables[pair] for pair in keep_strongest(telling)}
    columns, functions = known.columns, known.functions
    chain = _fit(columns, tables, functions, triples, known.first, constants, rng, known.given)
    return Joint(
        columns,
        tables,
        functions,
        known.ordered,
        chain,
        constants,
        known.edges,
        triples,
        known.numbers,
    )


def keep_strongest(pairs: Iterable[Pair], most: int = MOST_PARTNERS) -> list[Pair]:
    """Keep the pairs that are among the first ``most`` of either of their columns."""
    partners: Counter[int] = Counter()
    kept = []
    for i, j in pairs:
        if min(partners[i], partners[j]) < most:
            kept.append((i, j))
            partners.update((i, j))
    return kept


def _fit(  # noqa: PLR0913 (as above)
    columns: Sequence[Column],
    tables: Mapping[Pair, Floats],
    functions: Mapping[Pair, Floats],
    triples: Triples | None,
    first: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
    drawn: Wholes | None = None,
) -> Chain:
    order = choose_order(inform(len(columns), tables), first, list_neighbours(functions))
    return fit_chain(columns, tables, functions, order, constants, rng, triples, drawn)
