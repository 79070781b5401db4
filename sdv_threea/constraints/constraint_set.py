"""SDV's constraints, met without a look at private rows: by derivations, by repair, by rejection.

A constraint whose rule can be built into the columns becomes a derivation
(:mod:`sdv_threea.constraints.derivations`), so that whatever is sampled obeys it:

=====================  ============================================================================
FixedCombinations      one column of the combinations that were released; constraints that share a
                       column become one. If the target is part of it, or a column that belongs to
                       another rule, then the columns stay, and rows sampled outside the released
                       combinations are rejected
Inequality, Range      differences between neighbours, for any tree of constraints; the target
                       may be in it. Rejection, if a constraint closes a circle, or compares dates
                       of which SDV reads formats differently
OneHotEncoding         one category; rejection if the target is a flag, or another rule's column
FixedIncrements        the granularity of the number, which is then public
one of the user's own  learns from synthetic rows alone; rows that break it are sent through its
                       ``transform`` and ``reverse_transform``, or else rejected
=====================  ============================================================================

In the end all sampled rows are checked by SDV's own ``is_valid``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
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

from sdv_threea.constraints.derivations import Derivations, Joint
from sdv_threea.constraints.own import OwnConstraint
from sdv_threea.constraints.rules import Rules
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.privacy.guard import guarded
from sdv_threea.storage.metadata import MODELLED
from sdv_threea.storage.reading import PrivateTable

#: Number of synthetic rows that a constraint of the user's own learns from.
NUM_LESSONS = 1_000

#: Texts of Arrow's, as their dtypes are written.
ARROW_TEXTS = ('string[pyarrow]', 'large_string[pyarrow]')

#: SDV's constraints, which are nothing but their parameters until they are fitted.
BUILT_IN = (FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range)


class ConstraintSet:
    """The constraints on one table, in the order in which they were added.

    Formal guarantees:
        * constraints are copied, and never fitted on private rows: :meth:`check` shows private rows
          to copies that are thrown away
        * derived columns are functions of the same record, and of what is public

    Args:
        metadata: What is public of the table.
    """

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        #: The copies, which are what SDV calls constraints for reject sampling.
        self.adopted: list[Any] = []

    def add(self, constraints: Sequence[Any], proxy: pd.DataFrame) -> None:
        """Copy constraints and add them; if one of them is refused, none is added.

        Args:
            constraints: Constraints for one table.
            proxy: A table of public facts, whose columns the copies are shown without a row.

        Raises:
            ConstraintNotMetError: If the metadata does not fit a constraint.
            SynthesizerInputError: If a constraint is about columns that are made up.
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
        """Build the rules into the columns, as far as that can be done.

        Args:
            domain: What is public of the modelled columns.

        Returns:
            The derivations: functions of what is public.
        """
        (table,) = self.metadata.tables.values()
        rules = Rules(domain, table.columns)
        for constraint in self.adopted:
            match constraint:
                case FixedCombinations():
                    rules.join(constraint.column_names)
                case Inequality():
                    low, high = constraint._low_column_name, constraint._high_column_name
                    rules.order([low, high], constraint.strict_boundaries)
                case Range():
                    low, high = constraint._low_column_name, constraint._high_column_name
                    rules.order(
                        [low, constraint._middle_column_name, high], constraint.strict_boundaries
                    )
                case OneHotEncoding():
                    rules.indicate(constraint._column_names)
        return rules.derive()

    def check(self, table: PrivateTable) -> None:
        """Check private rows. Whatever that takes is thrown away.

        A table in memory is shown to the constraints whole, and others chunk by chunk.

        Args:
            table: The private table.

        Raises:
            ConstraintNotMetError: If a row breaks a constraint, or it cannot be told: without a
                value.
        """
        # All combinations of the private rows are valid; the released ones are a choice of them.
        asked = [each for each in self.adopted if not isinstance(each, FixedCombinations)]
        if not asked:
            return
        judge = partial(_count_complaints, asked, self.metadata)
        if table.whole is None:
            complaints = table.rows.sum(judge)
        else:
            with guarded():
                complaints = judge(table.take(table.header.columns))
        for constraint, failures, breaches in zip(asked, *complaints.tolist(), strict=True):
            if failures:
                raise ConstraintNotMetError(
                    f"The constraint '{_name(constraint)}' fails on the table: it raised an error, "
                    'which may show private values. Try it on rows that are not private.'
                )
            if breaches:
                raise ConstraintNotMetError(
                    f"Rows of the table break the constraint '{_name(constraint)}'"
                    f'{_explain(constraint)}'
                )

    def teach(self, derivations: Derivations, domain: Domain, proxy: pd.DataFrame) -> None:
        """Fit constraints on what was released: dtypes, and the released combinations alone.

        Args:
            derivations: The derivations made of them.
            domain: The released domain of the derived columns.
            proxy: A table of public and released facts, with at least one row.
        """
        joints = [step for step in derivations.steps if isinstance(step, Joint)]
        for constraint in self.adopted:
            rows = proxy.head(0)
            if isinstance(constraint, FixedCombinations):
                names = constraint.column_names
                joint = next(each for each in joints if set(names) <= set(each.names))
                rows = _show_combinations(joint, joint.combinations(domain), proxy)
            constraint.fit(store_plainly(rows), self.metadata)

    def learn(self, sample: Callable[[int], pd.DataFrame]) -> None:
        """Let constraints of the user's own learn from synthetic rows, if there are any.

        Args:
            sample: Samples about a given number of rows, which obey the other constraints.
        """
        own = [constraint for constraint in self.adopted if isinstance(constraint, OwnConstraint)]
        rows = sample(NUM_LESSONS) if own else None
        if rows is not None and len(rows):
            for constraint in own:
                constraint.fit(rows, self.metadata)

    def keep_valid(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Repair sampled rows that break a constraint of the user's own, and drop broken ones.

        Args:
            sampled: Synthetic rows.

        Returns:
            Rows that obey all constraints, under their index.
        """
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
    """Store columns as SDV's constraints can read them: they fail on texts and numbers of Arrow's.

    Args:
        table: Rows in any storage.

    Returns:
        The same cells; texts are objects, numbers and flags of Arrow's are nullable ones of pandas.
    """
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
    """Copy a constraint for a synthesizer, without what it may have learned elsewhere.

    Formal guarantees:
        * of SDV's constraints only the parameters are copied: one that was fitted on private rows,
          or will be, as part of another synthesizer, does not bring them in

    Args:
        constraint: A constraint for one table. One of the user's own is copied as it is.
        metadata: What is public.

    Returns:
        The copy; what a user programmed is in SDV's harness.

    Raises:
        ConstraintNotMetError: If the metadata does not fit the constraint.
        SynthesizerInputError: If it is about columns that are made up.
    """
    if isinstance(constraint, ProgrammableConstraint):
        copy = OwnConstraint(constraint)
    elif type(constraint) in BUILT_IN:
        copy = type(constraint)(**deepcopy(constraint.get_constraint_dict()['parameters']))
    else:
        copy = deepcopy(constraint)
    copy.get_updated_metadata(metadata)
    if isinstance(copy, OneHotEncoding):
        _check_flags(copy, metadata)
    return copy


def modify_metadata(metadata: Metadata, derivations: Derivations) -> Metadata:
    """Describe the derived columns as SDV does: the columns that are modelled.

    Args:
        metadata: Metadata of one table.
        derivations: The derivations.

    Returns:
        The metadata of the derived table.
    """
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


def _check_flags(constraint: OneHotEncoding, metadata: Metadata) -> None:
    (table,) = metadata.tables.values()
    made_up = [
        name for name in constraint._column_names if table.columns[name]['sdtype'] not in MODELLED
    ]
    if made_up:
        raise SynthesizerInputError(
            f"The columns {made_up} of 'OneHotEncoding' are of sdtypes whose values are made up: "
            'declare them categorical or numerical.'
        )


def _count_complaints(
    constraints: Sequence[Any], metadata: Metadata, chunk: pd.DataFrame
) -> NDArray[np.int64]:
    """Count, by constraint, the chunks on which it fails, and those with rows that break it."""
    verdicts = [_judge(deepcopy(constraint), chunk, metadata) for constraint in constraints]
    fails, breaks = ([each is one for each in verdicts] for one in (None, False))
    return np.array([fails, breaks], dtype=np.int64)


def _show_combinations(
    joint: Joint, combinations: Sequence[tuple[Hashable, ...]], proxy: pd.DataFrame
) -> pd.DataFrame:
    """Make a table with a row per combination, in the dtypes of the proxy."""
    rows = proxy.iloc[[0] * len(combinations)].reset_index(drop=True)
    for name, values in zip(joint.names, zip(*combinations, strict=True), strict=True):
        rows[name] = pd.Series(values, dtype=object).astype(proxy[name].dtype)
    return rows


def _judge(constraint: Any, table: pd.DataFrame, metadata: Metadata) -> bool | None:
    """Tell whether all rows obey, or ``None`` if that raises: its message could show values."""
    try:
        if isinstance(constraint, OwnConstraint):
            return constraint.accepts(table)
        plain = store_plainly(table)
        constraint.fit(plain.head(0), metadata)
        return bool(np.all(constraint.is_valid(plain)))
    except Exception:
        return None


def _explain(constraint: Any) -> str:
    """Say what a constraint on the order of columns asks for: public, as it depends on no row."""
    match constraint:
        case Range():
            low, high = constraint._low_column_name, constraint._high_column_name
            names, by_default = [low, constraint._middle_column_name, high], True
        case Inequality():
            names = [constraint._low_column_name, constraint._high_column_name]
            by_default = False
        case _:
            return '.'
    if not constraint.strict_boundaries:
        return f': {" <= ".join(map(repr, names))}.'
    default = ', as Range is strict by default' if by_default else ''
    return (
        f': {" < ".join(map(repr, names))}. Equal values break it: where they are fine, say '
        f'strict_boundaries=False{default}.'
    )


def _name(constraint: Any) -> str:
    return type(getattr(constraint, 'programmable_constraint', constraint)).__name__
