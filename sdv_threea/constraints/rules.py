"""The rules that can be built into the columns of a table together, without a column in two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from sdv_threea.constraints.derivations import Derivation, Derivations, Indicator, Joint
from sdv_threea.constraints.differences import Order, plant
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.storage.metadata import DAY, ColumnMetadata


class Rules:
    """The rules of a table, collected in the order in which they were stated.

    The first rule on a column wins. A rule that cannot be built in is skipped: sampled rows that
    break it are rejected.

    Args:
        domain: The public description of the modelled columns.
        columns: The metadata of each column.
    """

    def __init__(self, domain: Domain, columns: Mapping[str, ColumnMetadata]) -> None:
        self._domain = domain
        self._columns = columns
        self._joined: list[list[str]] = []
        self._beside: list[list[str]] = []
        #: Whether two columns must differ, by the smaller and the larger one.
        self._orders: dict[tuple[str, str], bool] = {}
        self._flags: list[list[str]] = []

    def join(self, names: Sequence[str]) -> None:
        """Add a rule: only some combinations of these categories occur."""
        names = list(dict.fromkeys(names))
        if self._domain.target in names or _meets(names, self._flags):
            self._beside.append(names)
            return
        apart = [group for group in self._joined if not set(group) & set(names)]
        touched = [name for group in self._joined if group not in apart for name in group]
        self._joined = [*apart, list(dict.fromkeys([*touched, *names]))]

    def order(self, names: Sequence[str], strict: bool) -> None:
        """Add a rule: these numbers or dates ascend; a strict rule replaces a weak one."""
        for low, high in pairwise(names):
            if (low, high) in self._orders:
                self._orders[low, high] |= strict
                continue
            tied = next((tree for tree in self._trees() if low in tree), {low})
            if high not in tied and not _meets([low, high], self._flags) and self._agree(low, high):
                self._orders[low, high] = strict

    def indicate(self, names: Sequence[str]) -> None:
        """Add a rule: exactly one of these flags is set."""
        taken = [*self._joined, *self._beside, *self._flags, *self._trees()]
        if self._domain.target not in names and not _meets(names, taken):
            self._flags.append(list(dict.fromkeys(names)))

    def derive(self) -> Derivations:
        """Return the derivations of the collected rules."""
        return Derivations(self._domain, tuple(self._make_steps()))

    def _make_steps(self) -> Iterator[Derivation]:
        taken = set(self._columns)

        def name(parts: Sequence[str], suffix: str = '') -> str:
            """Return a new, unique name of a column."""
            unique = '#'.join(parts) + suffix
            while unique in taken:
                unique += '_'
            taken.add(unique)
            return unique

        for groups, beside in ((self._joined, False), (self._beside, True)):
            for group in groups:
                parts = tuple(self._category(part) for part in group)
                yield Joint(name(group), parts, beside)
        for group in self._flags:
            yield Indicator(name(group), tuple(self._domain[flag] for flag in group))
        for tree in self._trees():
            orders = [
                Order(low, high, strict, name([low, high]))
                for (low, high), strict in self._orders.items()
                if low in tree
            ]
            numbers = [self._number(each) for each in self._domain.names if each in tree]
            yield plant(numbers, orders, name(tree, '.missing'), self._domain.target)

    def _trees(self) -> list[list[str]]:
        """Return the columns that orders connect, tree by tree."""
        trees: list[list[str]] = []
        for low, high in self._orders:
            met = [tree for tree in trees if low in tree or high in tree]
            rest = [tree for tree in trees if tree not in met]
            names = [name for tree in met for name in tree]
            trees = [*rest, list(dict.fromkeys([*names, low, high]))]
        return trees

    def _agree(self, low: str, high: str) -> bool:
        """Return true if SDV, which reads dates by format without zones, orders columns alike."""
        one, other = self._columns[low], self._columns[high]
        formats = one.get('datetime_format'), other.get('datetime_format')
        if any(zone in (each or '') for each in formats for zone in ('%z', '%Z')):
            return False
        whole_days = all(self._number(each).step == DAY for each in (low, high))
        return formats[0] == formats[1] or whole_days

    def _category(self, name: str) -> Category:
        return cast(Category, self._domain[name])

    def _number(self, name: str) -> Number:
        return cast(Number, self._domain[name])


def _meets(names: Sequence[str], groups: Sequence[Sequence[str]]) -> bool:
    return any(set(names) & set(group) for group in groups)
