"""SDV's constraints, met without learning from private rows: derivations, repair, rejection.

A constraint becomes a derivation (:mod:`sdv_threea.constraints.derivations`) if its rule can be
built into the columns, so that all sampled rows obey it:

=====================  ============================================================================
FixedCombinations      one column of the released combinations; constraints that share a column
                       become one. If it contains the target or a column of another rule, the
                       columns stay, and rows outside the released combinations are rejected
Inequality, Range      differences between neighbours, for any tree of constraints; the target
                       may be in it. Rejection, if constraints form a cycle, or compare dates of
                       different formats, which SDV may order differently
OneHotEncoding         one category; rejection if the target is a flag, or another rule's column
Formula                the result is not modelled but computed; rejection if formulas depend on
                       each other in a cycle, or all their columns are part of another rule
IfThen                 conditional values are written into sampled rows
FixedIncrements        the granularity of the number, which is then public
programmed constraint  learns from synthetic rows only; rows that break it are replaced by their
                       ``transform`` and ``reverse_transform``, or else rejected
=====================  ============================================================================

At the end SDV's own ``is_valid`` checks all sampled rows.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    ProgrammableConstraint,
    Range,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.arrays import Wholes
from sdv_threea.constraints.between import BETWEEN
from sdv_threea.constraints.derivations import Derivations, Joint
from sdv_threea.constraints.outcomes import SECONDS, Consequence
from sdv_threea.constraints.rules import Rules
from sdv_threea.constraints.stated import Formula, IfThen, OwnConstraint, read_stated
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.errors import InputError
from sdv_threea.rows.guard import guarded
from sdv_threea.storage.metadata import MODELLED
from sdv_threea.storage.reading import PrivateTable

#: Number of synthetic rows that a programmed constraint learns from.
NUM_LESSONS = 1_000

#: The names of Arrow's dtypes of texts.
ARROW_TEXTS = ('string[pyarrow]', 'large_string[pyarrow]')

#: Constraints of SDV and of this package, which hold only parameters until they are fitted.
BUILT_IN = (
    *BETWEEN,
    FixedCombinations,
    FixedIncrements,
    Formula,
    IfThen,
    Inequality,
    OneHotEncoding,
    Range,
)


class ConstraintSet:
    """The constraints on one table, in the order in which they were added.

    Formal guarantees:
        * constraints are copied, and never fitted on private rows, which only temporary copies
          check
        * derived columns are functions of the same record, and of public facts
    """

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        #: The copies, which SDV uses for reject sampling.
        self.adopted: list[Any] = []
        #: The columns that rules between tables write; those of them that are not modelled.
        self.written: frozenset[str] = frozenset()
        self.computed: frozenset[str] = frozenset()

    def add(self, constraints: Sequence[Any], proxy: pd.DataFrame) -> None:
        """Copy constraints and add them; if one is refused, none is added.

        The copies see the columns of ``proxy``, a public table, and no row.
        """
        added = [adopt(constraint, self.metadata) for constraint in constraints]
        for constraint in added:
            constraint.fit(store_plainly(proxy.head(0)), self.metadata)
        self.adopted += added

    @property
    def increments(self) -> dict[str, float]:
        """The granularity of numbers that constraints make public, by column."""
        return {
            constraint.column_name: float(constraint.increment_value)
            for constraint in self.adopted
            if isinstance(constraint, FixedIncrements)
        }

    def derive(self, domain: Domain) -> Derivations:
        """Return derivations of the rules that can be built into the columns: public."""
        (table,) = self.metadata.tables.values()
        rules = Rules(domain, table.columns, self.written)
        rules.leave_out(self.computed)
        for constraint in self.adopted:
            match constraint:
                case FixedCombinations():
                    rules.join(constraint.column_names)
                case Inequality() | Range():
                    rules.order(_list_ordered(constraint), constraint.strict_boundaries)
                case OneHotEncoding():
                    rules.indicate(constraint._column_names)
                case Formula(column_name=name, expression=expression, decimals=decimals):
                    rules.compute(name, expression, decimals)
                case IfThen():
                    rules.fix(_make_consequence(constraint, table.columns))
        return rules.derive()

    def check(self, table: PrivateTable) -> None:
        """Check private rows, whole or chunk by chunk, with temporary copies of the constraints.

        Raises:
            ConstraintNotMetError: If a row breaks a constraint, or a check fails; shows no value.
        """
        # FixedCombinations is left out: all private combinations are valid, and only some are
        # released.
        asked = [each for each in self.adopted if not isinstance(each, FixedCombinations)]
        if not asked:
            return
        judge = partial(_count_complaints, asked, self.metadata)
        if table.whole is None:
            complaints = table.rows.sum(judge)
        else:
            whole = table.take(table.header.columns)
            with guarded():
                complaints = judge(whole)
        for constraint, failures, breaches in zip(asked, *complaints.tolist(), strict=True):
            if failures:
                raise ConstraintNotMetError(
                    f"The constraint '{name_kind(constraint)}' fails on the table: it raised an "
                    'error, which may show private values. Try it on rows that are not private.'
                )
            if breaches:
                raise ConstraintNotMetError(
                    f"Rows of the table break the constraint '{name_kind(constraint)}'"
                    f'{_explain(constraint)}'
                )

    def teach(self, derivations: Derivations, domain: Domain, proxy: pd.DataFrame) -> None:
        """Fit constraints to released facts: dtypes in ``proxy``, and released combinations."""
        joints = [step for step in derivations.steps if isinstance(step, Joint)]
        for constraint in self.adopted:
            rows = proxy.head(0)
            if isinstance(constraint, FixedCombinations):
                names = constraint.column_names
                joint = next(each for each in joints if set(names) <= set(each.names))
                rows = _show_combinations(joint, joint.combinations(domain), proxy)
            constraint.fit(store_plainly(rows), self.metadata)

    def learn(self, sample: Callable[[int], pd.DataFrame]) -> None:
        """Fit programmed constraints, if any, to synthetic rows that ``sample`` draws."""
        own = [constraint for constraint in self.adopted if isinstance(constraint, OwnConstraint)]
        rows = sample(NUM_LESSONS) if own else None
        if rows is not None and len(rows):
            for constraint in own:
                constraint.fit(rows, self.metadata)

    def keep_valid(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Return the sampled rows that obey all constraints; programmed ones repair rows first."""
        for constraint in self.adopted:
            if isinstance(constraint, OwnConstraint):
                sampled = constraint.repair(sampled)
        return self.drop_broken(sampled)

    def drop_broken(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Drop sampled rows that break a constraint."""
        for constraint in self.adopted:
            valid = constraint.is_valid(store_plainly(sampled))
            sampled = sampled[np.asarray(valid, dtype=np.bool_)]
        return sampled


def store_plainly(table: pd.DataFrame) -> pd.DataFrame:
    """Convert Arrow's columns, which SDV's constraints cannot read, to pandas' own dtypes."""
    plain = {'i': 'Int64', 'u': 'UInt64', 'f': 'Float64', 'b': 'boolean'}
    stored = {}
    for name, dtype in table.dtypes.items():
        if isinstance(dtype, pd.ArrowDtype) and dtype.kind in plain:
            stored[name] = table[name].astype(plain[dtype.kind])
        elif isinstance(dtype, pd.StringDtype) or str(dtype) in ARROW_TEXTS:
            texts = table[name].astype(object)
            stored[name] = texts.where(texts.notna(), np.nan)
    return table.assign(**stored) if stored else table


def adopt(constraint: Any, metadata: Metadata) -> Any:
    """Copy a constraint on one table, without facts that it has learned.

    A programmed constraint is copied into SDV's harness. Errors are those of
    :meth:`ConstraintSet.add`.

    Formal guarantees:
        * only the parameters of SDV's constraints are copied, so private rows that another
          synthesizer fitted the constraint on, before or later, cannot enter
    """
    if isinstance(constraint, ProgrammableConstraint):
        copy = OwnConstraint(constraint)
    elif type(constraint) in BUILT_IN:
        copy = type(constraint)(**deepcopy(constraint.get_constraint_dict()['parameters']))
    else:
        copy = deepcopy(constraint)
    copy.get_updated_metadata(metadata)
    if isinstance(copy, OneHotEncoding):
        _check_modelled(copy._column_names, copy, metadata)
    if isinstance(copy, Formula | IfThen):
        _check_modelled(copy.names, copy, metadata)
    return copy


def read_constraint(spelled: Mapping[str, Any]) -> Any:
    """Make a built-in constraint from its class name and parameters, as SDV writes them."""
    kinds = {kind.__name__: kind for kind in BUILT_IN}
    if spelled['class_name'] not in kinds:
        raise InputError(f'is none of {", ".join(kinds)}')
    return kinds[spelled['class_name']](**spelled['parameters'])


def modify_metadata(metadata: Metadata, derivations: Derivations) -> Metadata:
    """Return SDV's metadata with derived columns in place of those that they replace."""
    if not derivations.steps:
        return metadata
    described = metadata.to_dict()
    (table,) = described['tables'].values()
    derived = {column.name: column for column in derivations.derived.columns}
    gone = {name for name in derivations.domain.names if name not in derived}
    kept = {name: each for name, each in table['columns'].items() if name not in gone}
    kinds = {Number: 'numerical', Category: 'categorical'}
    new = {name: {'sdtype': kinds[type(column)]} for name, column in derived.items()}
    table['columns'] = kept | {name: each for name, each in new.items() if name not in kept}
    table['column_relationships'] = [
        each
        for each in table.get('column_relationships', [])
        if gone.isdisjoint(each['column_names'])
    ]
    return Metadata.load_from_dict(described)


def _make_consequence(constraint: IfThen, columns: Mapping[str, Any]) -> Consequence:
    allowed = {}
    for name in constraint.then_values:
        values = read_stated(constraint.list_allowed(name), columns[name])
        is_date = columns[name]['sdtype'] == 'datetime'
        allowed[name] = [each * SECONDS for each in values] if is_date else values
    name = constraint.if_column_name
    return Consequence(name, constraint.find_met, allowed, constraint.only_if)


def _check_modelled(names: Sequence[str], constraint: Any, metadata: Metadata) -> None:
    (table,) = metadata.tables.values()
    made_up = [name for name in names if table.columns[name]['sdtype'] not in MODELLED]
    if made_up:
        raise SynthesizerInputError(
            f"The columns {made_up} of '{name_kind(constraint)}' are of sdtypes whose values are "
            'made up: declare them categorical or numerical.'
        )


def _count_complaints(
    constraints: Sequence[Any], metadata: Metadata, chunk: pd.DataFrame
) -> Wholes:
    """Count, by constraint, chunks on which it fails, and chunks with rows that break it."""
    verdicts = [_judge(deepcopy(constraint), chunk, metadata) for constraint in constraints]
    fails, breaks = ([each is one for each in verdicts] for one in (None, False))
    return np.array([fails, breaks], dtype=np.int64)


def _show_combinations(
    joint: Joint, combinations: Sequence[tuple[Hashable, ...]], proxy: pd.DataFrame
) -> pd.DataFrame:
    rows = proxy.iloc[[0] * len(combinations)].reset_index(drop=True)
    for name, values in zip(joint.names, zip(*combinations, strict=True), strict=True):
        rows[name] = pd.Series(values, dtype=object).astype(proxy[name].dtype)
    return rows


def _judge(constraint: Any, table: pd.DataFrame, metadata: Metadata) -> bool | None:
    """Return whether all rows obey; ``None`` on an error, whose message could show values."""
    try:
        if isinstance(constraint, OwnConstraint):
            return constraint.accepts(table)
        plain = store_plainly(table)
        constraint.fit(plain.head(0), metadata)
        return bool(np.all(constraint.is_valid(plain)))
    except Exception:
        return None


def _list_ordered(constraint: Inequality | Range) -> list[str]:
    low, high = constraint._low_column_name, constraint._high_column_name
    middle = [constraint._middle_column_name] if isinstance(constraint, Range) else []
    return [low, *middle, high]


def _explain(constraint: Any) -> str:
    """Return the end of an error message: the order that a constraint demands."""
    if not isinstance(constraint, Inequality | Range):
        return '.'
    names = _list_ordered(constraint)
    if not constraint.strict_boundaries:
        return f': {" <= ".join(map(repr, names))}.'
    default = ', as Range is strict by default' if isinstance(constraint, Range) else ''
    return (
        f': {" < ".join(map(repr, names))}. Equal values break it: to allow them, set '
        f'strict_boundaries=False{default}.'
    )


def name_kind(constraint: Any) -> str:
    """Return the class name of a constraint, which may be programmed."""
    return type(getattr(constraint, 'programmable_constraint', constraint)).__name__
