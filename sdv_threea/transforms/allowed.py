"""The RDT transformers that a user may choose: record by record before codes, and generators."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from rdt import transformers
from sdv.errors import SynthesizerInputError

from sdv_threea.domain import Category

#: RDT's transformers that compute the number of a cell from that cell, with the right options.
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

#: The attribute by which a user's class declares that each number follows from one cell, and each
#: cell from one number.
DECLARATION = 'ACTS_RECORD_BY_RECORD'

DISTRIBUTION = (
    'it learns how the values of a column are distributed from the rows. Leave it out: columns '
    'become normal scores by a released distribution, or use LogScaler or LogitScaler'
)
FREQUENCIES = (
    'it learns how frequent each value is from the rows. Leave it out: frequencies are released, '
    'or use OrderedLabelEncoder'
)

#: Why other transformers are refused.
REASONS = {
    'ClusterBasedNormalizer': DISTRIBUTION,
    'GaussianNormalizer': DISTRIBUTION,
    'FrequencyEncoder': FREQUENCIES,
    'OrderedUniformEncoder': FREQUENCIES,
    'UniformEncoder': FREQUENCIES,
    'OneHotEncoder': (
        'it makes a column of each value that it finds in the rows. Leave it out: each value has a '
        'code of its own'
    ),
}
GENERATOR = (
    'it makes values up. Declare the column as an id or as personal information if nothing is to '
    'be learned of it'
)
UNKNOWN = (
    f'it is not known to act record by record. If it does, say {DECLARATION} = True in its class'
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
    """Refuse a transformer that does not act record by record, or is not known to."""
    reason = _find_reason(transformer)
    if reason:
        raise SynthesizerInputError(
            f"The column '{name}' cannot have the transformer '{type(transformer).__name__}': "
            f'{reason}.'
        )


def state_values(column: Category, transformer: Any, target: str | None) -> Category:
    """Return the column with the public values, or the order, that a transformer of it needs."""
    kind, order = type(transformer).__name__, getattr(transformer, 'order', None)
    if column.name == target:
        raise SynthesizerInputError(
            f"The column '{target}' is the target: '{kind}' would make it a number, of which no "
            'class can be predicted. Leave it out.'
        )
    if column.values is None and order is not None:  # noqa: PD011 (not pandas)
        return replace(column, values=tuple(pd.Series(order).dropna().tolist()))
    if not column.values:  # noqa: PD011 (not pandas)
        raise SynthesizerInputError(
            f"The transformer '{kind}' of the column '{column.name}' needs a list of values that "
            'is public. State them as range_values in the metadata, and set public_metadata=True; '
            'or use OrderedLabelEncoder with an order.'
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
    """Return true if the transformer adds no column to the modelled table."""
    outputs = transformer.output_properties.values()
    return transformer.is_generator() and not any('sdtype' in each for each in outputs)


def _find_reason(transformer: Any) -> str:
    """Return the reason to refuse a transformer; an empty text if it is allowed."""
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
