"""Transformers of RDT's that act record by record: copied, fitted to public facts and called."""

import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
from rdt.transformers import (
    BaseTransformer,
    FloatFormatter,
    LogitScaler,
    LogScaler,
    OptimizedTimestampEncoder,
    UnixTimestampEncoder,
)
from sdv.errors import SynthesizerInputError

from sdv_threea.rows.guard import UnreadableRowsError, guarded


class FixedTimestampEncoder(OptimizedTimestampEncoder):
    """``OptimizedTimestampEncoder`` that keeps the unit of its first fit.

    RDT finds a new unit in all rows of each table that it transforms.
    """

    def _find_divider(self, transformed: pd.Series) -> None:
        if self.divider is None:
            super()._find_divider(transformed)


#: Transformers that change the unit of a column and nothing else.
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
    # Raised out here, where the error has no context.
    if done is None:
        raise UnreadableRowsError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} fails, with an "
            'error that may show private values. Try it on rows that are not private.'
        )
    return done


def copy_local(transformer: BaseTransformer) -> BaseTransformer:
    """Copy a transformer; a unit that would follow from all rows is fixed."""
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
    except Exception as error:  # it was shown public facts, so its message may be shown
        problem = str(error) or type(error).__name__
    outputs = [] if problem else transformer.get_output_columns()
    if len(outputs) != 1:
        problem = problem or f'it makes the columns {outputs} of one'
        raise SynthesizerInputError(
            f"The transformer '{transformer.get_name()}' of the column {name!r} cannot be fitted "
            f'to what is public of it: {problem}.'
        )


def find_example(low: float, high: float) -> float:
    """Return a number within limits, not at an end if possible."""
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2
    return float(np.clip(1.0, low + 1, high - 1))
