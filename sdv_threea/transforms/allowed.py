"""The RDT transformers that a user may choose, and how they are copied, fitted and called."""

import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from rdt import transformers
from rdt.transformers import (
    BaseTransformer,
    FloatFormatter,
    LogitScaler,
    LogScaler,
    OptimizedTimestampEncoder,
    UnixTimestampEncoder,
)
from sdv.errors import SynthesizerInputError

from sdv_threea.domain import Category
from sdv_threea.rows.guard import UnreadableRowsError, guarded

#: RDT's transformers that, with the right options, compute the number of a cell from this cell.
LOCAL = (
    transformers.BinaryEncoder,
    transformers.FloatFormatter,
    transformers.LabelEncoder,
    transformers.LogitScaler,
    transformers.LogScaler,
    transformers.OptimizedTimestampEncoder,
    transformers.OrderedLabelEncoder,
    transformers.UnixTimestampEncoder,
)

#: The attribute with which a user's class declares that it maps each cell to a number, and each
#: number to a cell, without other cells.
DECLARATION = 'ACTS_RECORD_BY_RECORD'

DISTRIBUTION = (
    'it learns how the values of a column are distributed from the rows. Leave it out: columns '
    'become normal scores by a released distribution, or use LogScaler or LogitScaler'
)
FREQUENCIES = (
    'it learns how frequent each value is from the rows. Leave it out: frequencies are released, '
    'or use OrderedLabelEncoder'
)

#: The reasons to refuse other transformers.
REASONS = {
    'ClusterBasedNormalizer': DISTRIBUTION,
    'GaussianNormalizer': DISTRIBUTION,
    'FrequencyEncoder': FREQUENCIES,
    'OrderedUniformEncoder': FREQUENCIES,
    'UniformEncoder': FREQUENCIES,
    'OneHotEncoder': (
        'it makes a column for each value that it finds in the rows. Leave it out: each value has '
        'a code of its own'
    ),
}
GENERATOR = (
    'it makes values up. If nothing is to be learned of the column, declare it as an id or as '
    'personal information'
)
UNKNOWN = (
    f'it is not known to act record by record. If it does, set {DECLARATION} = True in its class'
)

#: Options that make a transformer learn from rows, or read more than one row at once.
OPTIONS = {
    'add_noise': (False, 'it draws a random number for each row. Leave the option out'),
    'computer_representation': (
        'Float',
        'it compares the rows with a range, and shows values. State the range in the metadata',
    ),
    'enforce_min_max_values': (
        False,
        'it learns a range from the rows. Leave the option out: the synthesizer has the same one',
    ),
    'learn_rounding_scheme': (
        False,
        'it learns decimals from the rows. Leave the option out: the synthesizer releases them, or '
        'state them in the metadata',
    ),
}


def check_local(name: str, transformer: Any) -> None:
    """Raise an error unless a transformer is known to act record by record."""
    reason = _find_reason(transformer)
    if reason:
        raise SynthesizerInputError(
            f"The column '{name}' cannot have the transformer '{type(transformer).__name__}': "
            f'{reason}.'
        )


def state_values(column: Category, transformer: Any, target: str | None) -> Category:
    """Return the column with the public values, or the order, that its transformer needs."""
    kind, order = type(transformer).__name__, getattr(transformer, 'order', None)
    if column.name == target:
        raise SynthesizerInputError(
            f"The column '{target}' is the target: '{kind}' would make it a number, so no class "
            'could be predicted. Leave it out.'
        )
    if column.values is None and order is not None:  # noqa: PD011 (not pandas)
        return replace(column, values=tuple(pd.Series(order).dropna().tolist()))
    if not column.values:  # noqa: PD011 (not pandas)
        raise SynthesizerInputError(
            f"The transformer '{kind}' of the column '{column.name}' needs a public list of "
            'values. State it as range_values in the metadata, and set public_metadata=True; or '
            'use OrderedLabelEncoder with an order.'
        )
    return column


def refuse_learning(chosen: Mapping[str, Any]) -> None:
    """Refuse transformers that would keep values of columns that are not modelled."""
    learning = [name for name, each in chosen.items() if each is not None and not _makes_up(each)]
    if learning:
        raise SynthesizerInputError(
            f'The columns {learning} need generators, like AnonymizedFaker or RegexGenerator: '
            'other transformers keep values of the private rows.'
        )


def _makes_up(transformer: Any) -> bool:
    """Return whether the transformer adds no column to the modelled table."""
    outputs = transformer.output_properties.values()
    return transformer.is_generator() and not any('sdtype' in each for each in outputs)


def _find_reason(transformer: Any) -> str:
    if transformer.is_generator():
        return GENERATOR
    if getattr(type(transformer), DECLARATION, False) is True:
        return ''
    if type(transformer) not in LOCAL:
        return REASONS.get(type(transformer).__name__, UNKNOWN)
    for option, (harmless, reason) in OPTIONS.items():
        if getattr(transformer, option, harmless) != harmless:
            return f'with {option}={getattr(transformer, option)!r}, {reason}'
    return ''


class FixedTimestampEncoder(OptimizedTimestampEncoder):
    """``OptimizedTimestampEncoder`` that keeps the unit of its first fit, and finds no new ones."""

    def _find_divider(self, transformed: pd.Series) -> None:
        if self.divider is None:
            super()._find_divider(transformed)


#: Transformers that only change the unit of a column.
LINEAR = (FloatFormatter, UnixTimestampEncoder, FixedTimestampEncoder)


def find_limits(transformer: BaseTransformer) -> tuple[float, float]:
    """Return the smallest and the largest number that a transformer can take."""
    match transformer:
        case LogScaler(invert=True):
            return -np.inf, float(np.nextafter(transformer.constant, -np.inf))
        case LogScaler():
            return float(np.nextafter(transformer.constant, np.inf)), np.inf
        case LogitScaler():
            return float(transformer.min_value), float(transformer.max_value)
        case _:
            return -np.inf, np.inf


def call(transformer: BaseTransformer, method: str, name: str, cells: pd.Series) -> pd.Series:
    """Call ``'transform'`` or ``'reverse_transform'`` on the cells of a user's column, shape (n,).

    An error, which may show cells, is replaced by one that shows none.
    """
    outputs = transformer.get_output_columns()
    there = method == 'transform'
    before, after = (name, outputs[0]) if there else (outputs[0], name)
    try:
        with guarded():
            done = getattr(transformer, method)(pd.DataFrame({before: cells}))[after]
    except UnreadableRowsError:
        done = None
    # Raised outside of ``except``, where the error has no context.
    if done is None:
        raise UnreadableRowsError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} fails. Its error "
            'may show private values, and is withheld: try it on rows that are not private.'
        )
    return done


def copy_local(transformer: BaseTransformer) -> BaseTransformer:
    """Copy a transformer, without RDT's search for a unit in all rows."""
    if type(transformer) is not OptimizedTimestampEncoder:
        return deepcopy(transformer)
    return FixedTimestampEncoder(
        transformer.missing_value_replacement,
        transformer.datetime_format,
        transformer.missing_value_generation,
    )


def fit(transformer: BaseTransformer, name: str, cells: pd.Series) -> None:
    """Fit a transformer to public cells of one column, none missing."""
    problem = ''
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            transformer.fit(pd.DataFrame({name: cells}), name)
    except Exception as error:  # it has seen only public facts, so its message may be shown
        problem = str(error) or type(error).__name__
    outputs = [] if problem else transformer.get_output_columns()
    if len(outputs) != 1:
        problem = problem or f'it makes the columns {outputs} of one'
        raise SynthesizerInputError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} cannot be fitted "
            f'to its public facts: {problem}.'
        )


def find_example(low: float, high: float) -> float:
    """Return a number within limits, if possible not at an end."""
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2
    return float(np.clip(1.0, low + 1, high - 1))
