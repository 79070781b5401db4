"""Odd values for every argument of both synthesizers, one at a time."""

from __future__ import annotations

import copy
import io
import math
import warnings
from contextlib import redirect_stderr
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sdv.errors import InvalidDataTypeError, NotFittedError, SamplingError
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition

from hostile.columns import CANARY
from hostile.tables import NAME, make_metadata
from hostile.verdict import ERRORS, Defect
from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

COLUMNS = {
    'number': {'sdtype': 'numerical'},
    'letter': {'sdtype': 'categorical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
}

NUM_ROWS = 60

#: Values of any type: for each argument, some are right and most are wrong.
NUMBERS = [
    math.nan, math.inf, -math.inf, 5e-324, 1e-300, 1e300, 10**400, -(10**400), 2**63, 1j,
    Decimal('0.5'), Decimal('NaN'), Fraction(1, 2), np.float32(0.5), np.int8(3), np.bool_(True),
]  # fmt: skip
NAMES = [
    'letter', 'number', 'day', 'parent', 'child', NAME, 'auto', 'add_remove', 'replace_one',
    'end_to_end', 'paper', 'en_US', 'xx_XX', ['en_US', 'de_DE'], [None], ['letter'], ('child',),
    ['parent'], ['number', 'letter'],
]  # fmt: skip
OBJECTS = [
    b'x', pd.NA, pd.NaT, (), [], {}, set(), object(), float, len, np.array([1.0, 2.0]),
    np.array(1.0), [3], {1: 2}, {'letter': 'a'}, {'letter': ['a']}, {'parent': 3}, {'child': 3},
    {'child': 'letter'}, {'parent': None},
]  # fmt: skip
TABLES = [
    pd.DataFrame(), pd.Series([1]), {NAME: pd.DataFrame()}, {NAME: None},
    pd.DataFrame({'nobody': [1]}), pd.DataFrame({'letter': ['a', 'b', None]}),
    pd.DataFrame({'letter': [[1], 2]}), pd.DataFrame({'day': ['no day']}),
    pd.DataFrame({'number': [1e300, -1e300, math.inf]}),
]  # fmt: skip
CONDITIONS = [
    Condition({'letter': 'a'}, 2), [Condition({}, 1)], [Condition({'letter': CANARY})],
    [Condition({'nobody': 1})], [Condition({'number': 'x'})], [Condition({'day': 3})],
    [DataFrameCondition(pd.DataFrame())],
    [DataFrameCondition(pd.DataFrame({'letter': ['a', [1]]}))],
]  # fmt: skip
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.floats(-2.0, 40.0),
    st.text(max_size=5),
    *map(st.sampled_from, (NUMBERS, NAMES, OBJECTS, TABLES, CONDITIONS)),
)

#: Errors that are clear, if they name the argument or, with a table, its column.
CLEAR = (*ERRORS, InvalidDataTypeError, NotFittedError, SamplingError, TypeError, ValueError)


@dataclass(frozen=True)
class Call:
    """One argument of one method, with an odd value.

    Args:
        method: ``'single'`` or ``'many'`` for the constructors, otherwise a method's name.
        argument: The argument.
        value: The value.
    """

    method: str
    argument: str
    value: Any


SINGLE = (
    'metadata', 'enforce_min_max_values', 'enforce_rounding', 'locales', 'epsilon', 'delta',
    'target_column', 'public_metadata', 'guarantee', 'neighbors', 'n_components', 'alpha', 'kernel',
    'mixing', 'verbose', 'accept', 'ledger', 'target',
)  # fmt: skip

MANY = (
    'metadata', 'locales', 'epsilon', 'delta', 'privacy_unit', 'public_tables', 'max_children',
    'target', 'public_metadata', 'neighbors', 'verbose', 'accept', 'ledger',
)  # fmt: skip

METHODS = {
    'single': SINGLE,
    'many': MANY,
    'fit': ('data',),
    'preprocess': ('data',),
    'validate': ('data',),
    'sample': ('num_rows', 'max_tries_per_batch', 'batch_size', 'main_table_name'),
    'sample_from_conditions': ('conditions', 'max_tries_per_batch', 'batch_size'),
    'sample_remaining_columns': ('known_columns', 'max_tries_per_batch', 'batch_size'),
    'get_metadata': ('version',),
    'add_constraints': ('constraints',),
    'many.fit': ('data',),
    'many.sample': ('num_rows', 'main_table_name', 'batch_size', 'max_tries_per_batch'),
    'many.sample_scale': ('scale', 'batch_size', 'max_tries_per_batch'),
    'many.set_table_parameters': ('table_name', 'table_parameters'),
}

#: Words by which a complaint may name an argument, besides its own name.
WORDS = {
    'conditions': ('condition', 'column'), 'known_columns': ('column', 'condition'),
    'data': ('table', 'column'), 'target_column': ('target column',),
    'privacy_unit': ('privacy_unit', 'table'), 'main_table_name': ('table',),
    'table_name': ('table',), 'table_parameters': ('parameter', 'epsilon'),
    'constraints': ('constraint',), 'metadata': ('metadata',), 'version': ('version', 'metadata'),
    'scale': ('scale',),
}  # fmt: skip


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Draw a method, one of its arguments and a value."""
    method = draw(st.sampled_from(list(METHODS)))
    return Call(method, draw(st.sampled_from(METHODS[method])), draw(ODD))


def judge_call(call: Call) -> str:
    """Make the call, and say how it ended.

    Args:
        call: What is called, and with what.

    Returns:
        ``'valid'`` or ``'refused'``.

    Raises:
        Defect: If it ended otherwise.
    """
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter('ignore')
        warnings.simplefilter('error', RuntimeWarning)
        try:
            _make(call)
        except CLEAR as error:
            text = str(error)
            if CANARY in text:
                raise Defect(f'an error shows a value: {text}') from error
            names = call.argument, *WORDS.get(call.argument, ())
            if not any(name in text.lower() for name in names):
                raise Defect(
                    f'{type(error).__name__} does not name {call.argument}: {text}'
                ) from error
            return 'refused'
    return 'valid'


def _make(call: Call) -> None:
    given = {call.argument: call.value}
    if call.method == 'single':
        one = ClustMixSynthesizer(**{'metadata': _describe(), **given})
        one.fit({NAME: _table()})
        one.sample(3)
    elif call.method == 'many':
        many = ClustMixMultiTableSynthesizer(**{'metadata': _describe_both(), **given})
        many.fit(_tables())
        many.sample_scale(0.1)
    else:
        owner = copy.deepcopy(_fitted_many() if call.method.startswith('many.') else _fitted())
        method = getattr(owner, call.method.removeprefix('many.'))
        method(**{**OTHERS.get(call.method, {}), **given})


#: The other arguments of a method.
OTHERS: dict[str, dict[str, Any]] = {
    'sample': {'num_rows': 3},
    'sample_from_conditions': {'conditions': [Condition({'letter': 'a'}, 3)]},
    'sample_remaining_columns': {'known_columns': pd.DataFrame({'letter': ['a', 'b', 'a']})},
    'many.sample': {'num_rows': 3, 'main_table_name': 'parent'},
    'many.set_table_parameters': {'table_name': 'child', 'table_parameters': {}},
}


def _describe() -> Metadata:
    return make_metadata(COLUMNS)


def _describe_both() -> Metadata:
    key = {'sdtype': 'id'}
    parent = {'columns': {'key': key, **COLUMNS}, 'primary_key': 'key'}
    child = {'columns': {'parent_key': key, **COLUMNS}}
    link = {
        'parent_table_name': 'parent',
        'child_table_name': 'child',
        'parent_primary_key': 'key',
        'child_foreign_key': 'parent_key',
    }
    tables = {'parent': parent, 'child': child}
    return Metadata.load_from_dict({'tables': tables, 'relationships': [link]})


def _table() -> pd.DataFrame:
    rows = np.arange(NUM_ROWS)
    return pd.DataFrame(
        {'number': rows / 4, 'letter': np.where(rows % 3, 'a', 'b'), 'day': '2020-02-29'}
    )


def _tables() -> dict[str, pd.DataFrame]:
    rows = np.arange(NUM_ROWS)
    return {
        'parent': _table().assign(key=rows)[['key', *COLUMNS]],
        'child': _table().assign(parent_key=rows // 2)[['parent_key', *COLUMNS]],
    }


@cache
def _fitted() -> ClustMixSynthesizer:
    synthesizer = ClustMixSynthesizer(_describe(), epsilon=50.0)
    synthesizer.fit({NAME: _table()})
    return synthesizer


@cache
def _fitted_many() -> ClustMixMultiTableSynthesizer:
    synthesizer = ClustMixMultiTableSynthesizer(_describe_both(), epsilon=50.0)
    synthesizer.fit(_tables())
    return synthesizer
