"""The privacy statement: the promise of a fitted synthesizer, and the cost of each release."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, Any

from sdv_threea.accounting import Ledger, Receipt, count_exposed, epsilon_from_mu, mu_from_epsilon
from sdv_threea.names import printable
from sdv_threea.pages.fragments import escape, paragraphs
from sdv_threea.pages.promise import tell_exposed, tell_promise, tell_use
from sdv_threea.settings import THRESHOLD_SHARE

if TYPE_CHECKING:
    from sdv_threea.storage.ledger_files import Recorded

#: The joint cost of all fits, for a synthesizer that was fitted more than once.
REFITS = (
    'this was fit {fits} of this synthesizer, counting every fit that started; if all read the '
    'same rows, this fit and the earlier ones (each at its whole budget) compose to {mu}-GDP, '
    'which is ({epsilon}, {delta:g})-differential privacy'
)

#: The same if all fits together promise nothing.
NO_REFITS = (
    'this was fit {fits} of this synthesizer, counting every fit that started; if all read the '
    'same rows, they promise nothing together: their deltas add up to 1 or more'
)

#: In place of a promise under the accounting of the paper.
NO_PROMISE = 'none end to end: epsilon={epsilon:g} and delta={delta:g} are for the charged releases'

NEIGHBORS = {'add_remove': 'added or removed', 'replace_one': 'replaced'}

HEADER = f'{"stage":<12} {"mu":>8} {"delta":>8} {"sensitivity":>12} {"noise":>10}  released'

NOTES = {
    'end_to_end': (
        'Every number in the synthesizer that depends on the private rows passed through the one '
        'noise mechanism, and its cost is listed below.'
    ),
    'paper': (
        'This is the accounting of the paper, and not an end-to-end guarantee: releases marked '
        "'not charged' also read the private rows, and their cost is left out."
    ),
    'none': 'epsilon is infinite: no noise was added, and nothing is promised.',
}


#: What a fit reveals about cells that contradict the metadata: see *Refusals* in docs/privacy.md.
RAISED = 'that the table fits its metadata: any other would have been refused'
COERCED = (
    'nothing about whether cells fit the metadata: a cell that does not was replaced by the '
    'nearest stated bound, or by a missing value'
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Statement:
    """A privacy statement; notebooks show it in plain words, with the full text folded up.

    Args:
        epsilon: The promised epsilon; under ``'paper'`` it covers the charged releases only.
        neighbors: How neighbouring tables or databases differ: ``'add_remove'`` or
            ``'replace_one'``.
        guarantee: ``'end_to_end'``, ``'paper'``, or ``'none'`` if ``epsilon`` is infinite. The last
            two promise nothing.
        mu: The composed cost of all charged releases about a unit, in Gaussian differential
            privacy; the largest one if there are units of several kinds, which share no rows.
        public: Facts that were taken as public, in words.
        fits: Fits that have started, finished or not; the promise is that of one fit.
        num_units: The released number of rows, or of units of a database.
        recorded: The total of all releases of the data set at this fit, if it has a ledger.
        sharpened: The targets that samples make easier to predict than in the private rows; in a
            database with their tables.
    """

    epsilon: float
    delta: float
    neighbors: str
    guarantee: str
    mu: float
    public: tuple[str, ...] = ()
    fits: int = 1
    num_units: float = 0.0
    recorded: Recorded | None = None
    sharpened: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The meaning of the guarantee, in words."""
        return NOTES[self.guarantee]

    @property
    def exposed(self) -> int:
        """How many units may be exposed entirely: 0 if ``delta`` is below 1 / number of units."""
        return count_exposed(self.delta, self.num_units)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ``note`` and ``exposed`` as plain values."""
        told = {each.name: _make_plain(getattr(self, each.name)) for each in fields(self)}
        return {**told, 'note': self.note, 'exposed': self.exposed}

    def __repr__(self) -> str:
        kept = f'epsilon={self.epsilon:g}, delta={self.delta:g}, guarantee={self.guarantee!r}'
        return f'{type(self).__name__}({kept})'

    def _repr_html_(self) -> str:
        said = paragraphs(tell_promise(self.to_dict()))
        full = f'<pre>{escape(str(self))}</pre>'
        return f'{said}<details><summary>The statement in full</summary>{full}</details>'

    def _promise(self, unit: str) -> str:
        if math.isinf(self.epsilon):
            return 'none'
        return (
            f'({self.epsilon:g}, {self.delta:g})-differential privacy for {unit} '
            f'{NEIGHBORS[self.neighbors]}, end to end'
        )

    def _facts(self) -> list[str]:
        return [
            *(line for fact in self.public for line in _wrap('public', fact)),
            *_wrap('note', self.note),
            *_wrap('use', tell_use(self.sharpened)),
        ]


@dataclass(frozen=True, kw_only=True, repr=False)
class PrivacyStatement(Statement):
    """The promise of a release of one table, whom it protects, and its cost. It may be published.

    Args:
        receipts: The cost of each release.
        plan: The target, the parts of the budget, what each pays for, and what is left out.
        unit: The unit that the promise protects, in words.
        lost: The values that samples lack, by column, in words.
    """

    receipts: tuple[Receipt, ...]
    plan: tuple[str, ...] = ()
    unit: str = 'one row'
    lost: Mapping[str, str] = field(default_factory=dict)

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """The ledger of a row, the only kind of unit."""
        return (Ledger(self.receipts),)

    def __str__(self) -> str:
        promise = self._promise(self.unit)
        if self.guarantee == 'paper' and not math.isinf(self.epsilon):
            promise = NO_PROMISE.format(epsilon=self.epsilon, delta=self.delta)
        charged = sum(receipt.charged for receipt in self.receipts)
        counted = '' if charged == len(self.receipts) else f'{charged} charged of '
        lines = [
            'Privacy statement',
            f'  promise   {promise}',
            f'  cost      {self.mu:.4g}-GDP in {counted}{len(self.receipts)} releases',
            *self._facts(),
            *_tell_weakness(self),
            '',
            f'  {HEADER}',
            *(f'  {_row(receipt)}' for receipt in self.receipts),
            *_list_plan(self.plan),
            *_list_lost(self.lost),
        ]
        return printable('\n'.join(lines))


@dataclass(frozen=True, kw_only=True, repr=False)
class DatabaseStatement(Statement):
    """The promise of a release of a database, and its cost. It may be published.

    Args:
        tables: The protection of each table, in words.
        receipts: The cost of each release, by the table whose rows are the units.
        rows_per_unit: The largest number of rows of a unit that were read, by table; ``None`` for
            all.
        lost: The values that samples lack, by table and column, in words.
        errors: Standard errors of each table's number of rows, and of shares of rows, in words.
        plans: The parts of the budget for the rows of each table, and what each pays for.
    """

    tables: Mapping[str, str]
    receipts: Mapping[str, tuple[Receipt, ...]]
    rows_per_unit: Mapping[str, int | None]
    lost: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    plans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """One ledger for each kind of unit; kinds share no rows."""
        return tuple(map(Ledger, self.receipts.values()))

    def __str__(self) -> str:
        lines = ['Privacy statement', f'  promise   {self._promise("one unit")}', *self._facts()]
        lines += [*_tell_weakness(self), '']
        width = max(map(len, self.tables), default=0)
        lines += [f'  {name:<{width}}  {protection}' for name, protection in self.tables.items()]
        lines += ['', '  noise'] if self.errors else []
        lines += [f'  {name:<{width}}  {error}' for name, error in self.errors.items()]
        for root, receipts in self.receipts.items():
            lines += ['', f'  releases about units of {root}', f'  {HEADER}']
            lines += [f'  {_row(receipt)}' for receipt in receipts]
        for table, plan in self.plans.items():
            lines += _list_plan(plan, table)
        for table, lost in self.lost.items():
            lines += _list_lost(lost, table)
        return printable('\n'.join(lines))


def list_public_facts(
    *,
    public_metadata: bool,
    constrained: bool,
    bounded: bool = False,
    coerced: bool = False,
    counted: bool = False,
) -> tuple[str, ...]:
    """List the facts that were taken as public, in words; flags say which ones the user gave."""
    facts = [
        'column names, types, formats and keys',
        'dtypes of columns (pandas stores integers as floats, and booleans as objects, when '
        'one is missing: convert them to Int64 and boolean if that must not be known)',
    ]
    if public_metadata:
        facts.append('the ranges, values, decimals and nullability stated in the metadata')
    if constrained:
        facts.append('the constraints')
    facts.append(COERCED if coerced else RAISED)
    if counted:
        facts.append('the stated numbers of different values of columns with pseudonyms')
    if bounded:
        facts.append('the bounds on the number of rows that refer to one row')
    return tuple(facts)


def _make_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _make_plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return list(map(_make_plain, value))
    return value.to_dict() if hasattr(value, 'to_dict') else value


def _tell_weakness(statement: PrivacyStatement | DatabaseStatement) -> list[str]:
    told = _wrap('ledger', str(statement.recorded)) if statement.recorded else []
    if statement.guarantee == 'paper' or math.isinf(statement.epsilon):
        return told
    units = isinstance(statement, DatabaseStatement)
    exposed = tell_exposed(statement.delta, statement.exposed, database=units)
    lines = told + [line for said in exposed for line in _wrap('exposed', said)]
    return lines if statement.fits <= 1 else [*lines, *_wrap('refits', _compose_fits(statement))]


def _compose_fits(statement: PrivacyStatement | DatabaseStatement) -> str:
    """Return the joint cost: the last fit by its receipts, earlier ones at their whole budget."""
    earlier, delta = statement.fits - 1, float(f'{statement.fits * statement.delta:.4g}')
    if delta >= 1:
        return NO_REFITS.format(fits=statement.fits)
    # Whether an earlier fit had thresholds is not known. Assume the larger mu (without them) and
    # the larger failure probability (with them).
    most = mu_from_epsilon(statement.epsilon, statement.delta)
    failures = earlier * THRESHOLD_SHARE * statement.delta
    epsilon = mu = 0.0
    for ledger in statement.ledgers or (Ledger(),):  # units of several kinds share no rows
        own = math.hypot(ledger.mu, math.sqrt(earlier) * most)
        left = delta - failures - ledger.delta
        epsilon, mu = max((epsilon, mu), (epsilon_from_mu(own, left), own))
    told = {'mu': _round_up(mu), 'epsilon': _round_up(epsilon), 'delta': delta}
    return REFITS.format(fits=statement.fits, **told)


def _round_up(price: float) -> str:
    rounded = Context(prec=4, rounding=ROUND_CEILING).create_decimal_from_float(price)
    return f'{float(rounded):g}'


def _list_plan(plan: tuple[str, ...], table: str = '') -> list[str]:
    where = f' of the rows of {table}' if table else ''
    header = ['', f'  what the budget{where} pays for, and what is left out'] if plan else []
    return [*header, *(f'  {line}' for line in plan)]


def _list_lost(lost: Mapping[str, str], table: str = '') -> list[str]:
    if not lost:
        return []
    where = f' of {table}' if table else ''
    width = max(map(len, lost))
    lines = [f'  {name:<{width}}  {said}' for name, said in lost.items()]
    return ['', f'  what samples{where} do not show', *lines]


def _wrap(label: str, words: str) -> list[str]:
    return textwrap.wrap(words, 100, initial_indent=f'  {label:<9} ', subsequent_indent=' ' * 12)


def _row(receipt: Receipt) -> str:
    mark = '' if receipt.charged else ' (not charged)'
    return (
        f'{receipt.stage:<12} {receipt.mu:>8.4g} {receipt.delta:>8.2g} '
        f'{receipt.sensitivity:>12.4g} {receipt.noise_scale:>10.4g}  {receipt.released}{mark}'
    )
