"""The rules of a table that are built into its columns; no column is part of two."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from sdv_threea.constraints.derivations import Derivation, Derivations, Indicator, Joint
from sdv_threea.constraints.differences import Order, plant
from sdv_threea.constraints.expressions import Expression
from sdv_threea.constraints.outcomes import Awaited, Consequence, Outcome, Result
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.storage.metadata import DAY, ColumnMetadata


class Rules:
    """The rules of a table, collected in the order in which they were stated.

    The first rule on a column is built in; sampled rows that break another rule are rejected. Rules
    between tables write the ``written`` columns into sampled rows.
    """

    def __init__(
        self, domain: Domain, columns: Mapping[str, ColumnMetadata], written: Collection[str] = ()
    ) -> None:
        self._domain, self._columns, self._written = domain, columns, written
        self._awaited: list[Awaited] = []
        self._joined: list[list[str]] = []
        self._beside: list[list[str]] = []
        #: For pairs (smaller, larger) of columns, whether they must differ.
        self._orders: dict[tuple[str, str], bool] = {}
        self._flags: list[list[str]] = []
        self._formulas: list[tuple[str, Expression, int | None]] = []
        self._fixed: list[Consequence] = []

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

    def compute(self, name: str, expression: Expression, decimals: int | None) -> None:
        """Add a rule: a formula computes a numerical or date column from other columns."""
        self._formulas.append((name, expression, decimals))

    def fix(self, consequence: Consequence) -> None:
        """Add a rule: a column fixes the values of others."""
        self._fixed.append(consequence)

    def leave_out(self, names: Collection[str]) -> None:
        """Do not model columns that are written after sampling, except the target."""
        left = [each for each in self._domain.columns if each.name not in names]
        if left:
            columns = [each for each in self._domain.columns if each.name in names]
            self._awaited += [Awaited(each) for each in columns if each.name != self._domain.target]

    def derive(self) -> Derivations:
        """Return the derivations of the collected rules."""
        return Derivations(self._domain, tuple(self._make_steps()), self._list_outcomes())

    def _list_outcomes(self) -> tuple[Outcome, ...]:
        """Return rules that compute columns, each after the rules that compute its inputs."""
        touched = {name for step in self._make_steps() for name in step.replaced}
        touched |= {self._domain.target or '', *(name for group in self._beside for name in group)}
        touched |= {each.column.name for each in self._awaited}
        results: list[Result] = []
        for name, expression, decimals in self._formulas:
            free = [each for each in (name, *expression.names) if each not in touched]
            if set(expression.names) & set(self._written):
                free = [name] if name in free else []  # so that it can be computed again
            column = choose_result(name, expression, decimals, free)
            if column is not None:
                touched.add(column)
                own = expression if column == name else expression.solve(column, name)
                results.append(Result(self._number(column), own, self._dates, decimals))
        waiting: list[Outcome] = [*self._fixed, *results]
        missing = {each for outcome in waiting for each in outcome.replaced}
        found: list[Outcome] = list(self._awaited)
        while waiting:
            ready = [each for each in waiting if not missing & set(each.inputs)]
            # If formulas depend on each other in a cycle, model the first result and only check its
            # formula.
            following = ready[0] if ready else waiting[0]
            found += ready[:1]
            waiting.remove(following)
            missing -= set(following.replaced)
        return tuple(found)

    @property
    def _dates(self) -> frozenset[str]:
        return frozenset(
            name for name, each in self._columns.items() if each['sdtype'] == 'datetime'
        )

    def _make_steps(self) -> Iterator[Derivation]:
        taken = set(self._columns)

        def name(parts: Sequence[str], suffix: str = '') -> str:
            """Return a new, unique column name."""
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
        trees: list[list[str]] = []
        for low, high in self._orders:
            met = [tree for tree in trees if low in tree or high in tree]
            rest = [tree for tree in trees if tree not in met]
            names = [name for tree in met for name in tree]
            trees = [*rest, list(dict.fromkeys([*names, low, high]))]
        return trees

    def _agree(self, low: str, high: str) -> bool:
        """Return whether SDV, which ignores time zones in formats, orders two columns as we do."""
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


def choose_result(
    name: str, expression: Expression, decimals: int | None, free: Sequence[str]
) -> str | None:
    """Return the column of a formula that is computed, out of the ``free`` ones.

    This is the stated column, except for a difference: of ``stay = discharge - admission`` the
    discharge is computed, by an addition, because a stay has a narrow range and is at least zero.
    """
    falls = {name: expression.num_falls}
    if expression.is_sum and decimals is None:
        once = [each for each in expression.names if expression.occurs_once(each)]
        falls |= {each: expression.solve(each, name).num_falls for each in once}
    return min((each for each in falls if each in free), key=falls.__getitem__, default=None)


def _meets(names: Sequence[str], groups: Sequence[Sequence[str]]) -> bool:
    return any(set(names) & set(group) for group in groups)
