"""Constraints of this package, used like SDV's own: formulas, and conditional values.

These constraints hold only parameters, and learn from no row. SDV can write them to JSON, and the
command line can read them; ``sdv.utils.load_constraints`` reads only SDV's own. Programmed
constraints run without learning from private rows.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.cag import ProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError
from sdv.cag.base import BaseConstraint
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constraints.expressions import Expression, parse
from sdv_threea.constraints.outcomes import SAME, is_among
from sdv_threea.warning import warn

#: Dates are counted from this moment.
ORIGIN = np.datetime64('2000-01-01', 'us')

#: The sdtypes of columns that formulas can compute with.
COUNTED = ('numerical', 'datetime')


class Stated(BaseConstraint):
    """A constraint on one table that consists of its parameters: the fields of a dataclass."""

    table_name: str | None

    def __post_init__(self) -> None:
        super().__init__()
        hints = get_type_hints(type(self))
        for each in fields(self):
            hint, value = hints[each.name], getattr(self, each.name)
            if hint in (str, str | None) and not isinstance(value, hint):
                raise ValueError(f'`{each.name}` must be a string.')

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the rule."""
        raise NotImplementedError

    def judge(self, table: pd.DataFrame, columns: Mapping[str, Any]) -> Bools:
        """Return true for the rows that obey, shape (n,)."""
        raise NotImplementedError

    def _refuse(self, columns: Mapping[str, Any]) -> str:
        """Return why the rule cannot hold for these columns; empty if it can."""
        raise NotImplementedError

    def _validate_constraint_with_metadata(self, metadata: Metadata) -> None:
        if self.table_name is None and len(metadata.tables) > 1:
            raise ConstraintNotMetError('Metadata has several tables: give a table_name.')
        table = metadata.tables.get(self._get_single_table_name(metadata))
        if table is None:
            raise ConstraintNotMetError(f"There is no table '{self.table_name}' in the metadata.")
        missing = [name for name in self.names if name not in table.columns]
        if missing:
            raise ConstraintNotMetError(f'There are no columns {missing} in the metadata.')
        if problem := self._refuse(table.columns):
            raise ConstraintNotMetError(problem)

    def _validate_constraint_with_data(self, data: Any, metadata: Metadata) -> None:
        name = self._get_single_table_name(metadata)
        if not self.judge(data[name], metadata.tables[name].columns).all():
            raise ConstraintNotMetError(
                f"Rows of the table '{name}' break the constraint {self!r}."
            )

    def _fit(self, data: Any, metadata: Metadata) -> None:
        """Learn nothing."""

    def _transform(self, data: Any) -> Any:
        return data

    def _reverse_transform(self, data: Any) -> Any:
        return data

    def _is_valid(self, data: Any, metadata: Metadata) -> dict[str, pd.Series]:
        own = self._get_single_table_name(metadata)
        found = {name: pd.Series(True, table.index) for name, table in data.items()}
        found[own] = pd.Series(self.judge(data[own], metadata.tables[own].columns), data[own].index)
        return found


@dataclass(eq=False, repr=False)
class Formula(Stated):
    """A numerical or date column computed from other columns: ``total = net + tax + shipping``.

    Samples obey exactly, also under conditions. Differences of dates are counted in days: ``stay =
    discharge - admission``. A formula with a missing value holds; in samples its result is missing.

    Args:
        column_name: The computed column.
        formula: Arithmetic on other columns, with numbers, brackets, ``+``, ``-``, ``*`` and ``/``;
            a name that is not an identifier is in backticks.
        decimals: The decimals that the column is rounded to: 0 for whole numbers. By default only
            integer columns are rounded.
        table_name: The table, if there are several.

    Raises:
        ValueError: If the formula is anything else.
    """

    column_name: str
    formula: str
    decimals: int | None = None
    table_name: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_decimals(self.decimals)
        if self.column_name in self.expression.names:
            raise ValueError('`formula` must not contain the column that it computes.')

    @property
    def expression(self) -> Expression:
        """The parsed formula."""
        return parse(self.formula)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the rule."""
        return (self.column_name, *self.expression.names)

    def judge(self, table: pd.DataFrame, columns: Mapping[str, Any]) -> Bools:
        """Return true for the rows that obey, shape (n,)."""
        values = {name: read_in_days(table[name], columns[name]) for name in self.names}
        own, expression = values[self.column_name], self.expression
        found = expression.evaluate(values)
        scale = 1.0 + sum(np.abs(each) for each in values.values())
        reach = SAME * scale
        decimals = self.decimals
        if decimals is None and pd.api.types.is_integer_dtype(table[self.column_name].dtype):
            decimals = 0
        if decimals is not None:
            reach = reach + 0.5 * 10.0**-decimals
        known = np.isfinite(own) & np.isfinite(found)
        return np.asarray(~known | (np.abs(own - found) <= reach))

    def _refuse(self, columns: Mapping[str, Any]) -> str:
        others = [name for name in self.names if columns[name]['sdtype'] not in COUNTED]
        return f'A formula needs numbers and dates, and {others} are neither.' if others else ''


@dataclass(eq=False, repr=False)
class IfThen(Stated):
    """Values that follow if another column meets a condition: no income if not employed.

    In rows that meet the condition, samples have a given value. Other rows are not restricted.

    Args:
        if_column_name: The column of the condition.
        then_values: By column, the value that follows, or a list of allowed values. ``None`` is a
            missing value. Samples keep an allowed drawn value, and otherwise get the first.
        if_values: The values of the condition; ``None`` among them is a missing value.
        if_range: In place of values, the least and the largest number of the condition, both
            included, ``None`` for no end.
        only_if: Whether the first value of each column occurs only in rows that meet the condition.
        table_name: The table, if there are several.

    Raises:
        ValueError: If the arguments are of other types.
    """

    if_column_name: str
    then_values: dict[str, Any]
    if_values: list[Any] | None = None
    if_range: list[float | None] | None = None
    only_if: bool = False
    table_name: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        then, values, ends = self.then_values, self.if_values, self.if_range
        if not isinstance(then, dict) or not then or self.if_column_name in then:
            raise ValueError('`then_values` must map other columns to values.')
        if (values is None) == (ends is None):
            raise ValueError('Give one of `if_values` and `if_range`.')
        if values is not None and (not isinstance(values, list | tuple) or not values):
            raise ValueError('`if_values` must be a list of values.')
        if ends is not None and (not isinstance(ends, list | tuple) or len(ends) != 2):
            raise ValueError('`if_range` must be a list of two numbers, None for no end.')
        if not isinstance(self.only_if, bool):
            raise ValueError('`only_if` must be True or False.')

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the rule."""
        return (self.if_column_name, *self.then_values)

    def list_allowed(self, name: str) -> list[Any]:
        """Return the values that a column may have if the condition is met."""
        allowed = self.then_values[name]
        return list(allowed) if isinstance(allowed, list | tuple) else [allowed]

    def judge(self, table: pd.DataFrame, columns: Mapping[str, Any]) -> Bools:
        """Return true for the rows that obey, shape (n,)."""
        cells = read_plainly(table[self.if_column_name], columns[self.if_column_name])
        met, obeys = self.find_met(cells), np.ones(len(table), dtype=np.bool_)
        for name in self.then_values:
            allowed = read_stated(self.list_allowed(name), columns[name])
            own = read_plainly(table[name], columns[name])
            obeys &= ~met | is_among(own, allowed)
            if self.only_if:
                obeys &= met | ~is_among(own, allowed[:1])
        return obeys

    def find_met(self, cells: NDArray[Any]) -> Bools:
        """Return true where plain values meet the condition, shape (n,)."""
        if self.if_values is not None:
            return is_among(cells, self.if_values)
        assert self.if_range is not None
        low, high = self.if_range
        numbers = np.asarray(pd.to_numeric(pd.Series(cells), errors='coerce'), dtype=np.float64)
        low, high = -np.inf if low is None else low, np.inf if high is None else high
        return np.asarray((numbers >= low) & (numbers <= high))

    def _refuse(self, columns: Mapping[str, Any]) -> str:
        if columns[self.if_column_name]['sdtype'] == 'datetime':
            return 'A condition needs a category or a number.'
        if self.if_range and columns[self.if_column_name]['sdtype'] != 'numerical':
            return 'A condition on a range needs a number.'
        return ''


def check_decimals(decimals: object) -> None:
    """Raise a ``ValueError`` unless this is a whole number from 0 to 15, or ``None``."""
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= 15):
        raise ValueError('`decimals` must be a whole number from 0 to 15, or None.')


def read_in_days(column: pd.Series, about: Mapping[str, Any]) -> Floats:
    """Read stored numbers, and dates as days since 2000; NaN where missing."""
    if about['sdtype'] != 'datetime':
        return np.asarray(pd.to_numeric(column, errors='coerce').astype('float64'))
    dates = pd.to_datetime(column, format=about.get('datetime_format'), errors='coerce', utc=True)
    moments = dates.to_numpy(dtype='datetime64[us]')
    days = (moments - ORIGIN).astype(np.int64) / 86_400e6
    return np.where(np.isnat(moments), np.nan, days)


def read_plainly(column: pd.Series, about: Mapping[str, Any]) -> NDArray[Any]:
    """Read stored cells: numbers as floats, dates as days, other cells as objects."""
    if about['sdtype'] in COUNTED:
        return read_in_days(column, about)
    return np.asarray(column.astype(object).where(column.notna(), None).to_numpy(dtype=object))


def read_stated(values: Sequence[Any], about: Mapping[str, Any]) -> list[Any]:
    """Read the values of a rule as cells would be read: dates in the format of their column."""
    if about['sdtype'] != 'datetime':
        return list(values)
    return list(read_in_days(pd.Series(values, dtype=object), about))


class OwnConstraint(ProgrammableConstraintHarness):
    """SDV's harness of a programmed constraint, fitted on synthetic rows.

    Before it is fitted, a constraint with a ``fit`` calls every row valid.

    Formal guarantees:
        * two methods of the user's code run on private rows: ``validate_input_data`` and, if there
          is no ``fit``, ``is_valid``; they run in a temporary copy
        * a constraint with a ``fit`` is made again from its parameters, without learned facts; it
          is an error if these cannot be read
    """

    programmable_constraint: Any

    def __init__(self, constraint: ProgrammableConstraint) -> None:
        learns = type(constraint).fit is not ProgrammableConstraint.fit
        super().__init__(_renew(constraint) if learns else deepcopy(constraint))
        self._learns = learns
        self._has_learned = False

    def fit(self, data: pd.DataFrame, metadata: Metadata) -> None:
        """Fit the constraint to synthetic rows, if there are any and it has a ``fit``."""
        self.metadata, self._fitted, self._single_table = metadata, True, True
        self._table_name = str(metadata._get_single_table_name())
        self._has_learned = len(data) > 0
        if not self._learns or not self._has_learned:
            return
        try:
            self.programmable_constraint.fit(data.copy(), metadata)
        except Exception as error:
            name = type(self.programmable_constraint).__name__
            warn(
                f"The constraint '{name}' cannot be fitted on synthetic rows ({error!r}): it is "
                'used without a fit.'
            )

    def is_valid(self, data: pd.DataFrame, metadata: Metadata | None = None) -> Any:
        """Return true for rows that the user's code calls valid."""
        if self._learns and not self._has_learned:
            return pd.Series(True, index=data.index)
        return super().is_valid(data, metadata)

    def accepts(self, table: pd.DataFrame) -> bool:
        """Return whether private rows obey the constraint; call it on a copy."""
        try:
            self.programmable_constraint.validate_input_data(table.copy())
        except Exception:
            return False
        return self._learns or bool(np.all(self.is_valid(table.copy())))

    def repair(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Replace rows that break the constraint by ``reverse_transform`` of their ``transform``.

        The index must be unique. Rows whose ``reverse_transform`` fails stay as they are.
        """
        valid = np.asarray(self.is_valid(sampled), dtype=np.bool_)
        broken, own = sampled[~valid], self.programmable_constraint
        if broken.empty:
            return sampled
        try:
            repaired = own.reverse_transform(own.transform(broken.copy()))
            repaired = repaired[list(sampled.columns)].set_axis(broken.index)
            repaired = repaired.astype(sampled.dtypes.to_dict())
        except Exception:
            return sampled
        return pd.concat([sampled[valid], repaired]).loc[sampled.index]


def _renew(constraint: ProgrammableConstraint) -> ProgrammableConstraint:
    try:
        parameters = constraint.get_constraint_dict()['parameters']
        return type(constraint)(**deepcopy(parameters))
    except Exception:
        name = type(constraint).__name__
    raise SynthesizerInputError(
        f"The constraint '{name}' has a 'fit', and may have learned from private rows, so it is "
        'made again from its parameters. Keep each of them as an attribute of the same name.'
    )
