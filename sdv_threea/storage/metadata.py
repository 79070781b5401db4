"""SDV's metadata as the public description of a table, a :class:`Domain`.

Numbers, dates, categories, booleans and ordinals are modelled. All other columns (keys, ids,
personal information, unknown ones) are never read: SDV's generators make them up. This module reads
metadata; :mod:`sdv_threea.metadata` makes it.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.domain import MISSING, SPREAD, TIME_STEPS, Category, Column, Domain, Number
from sdv_threea.rows.intake.columns import find_moments, find_numbers
from sdv_threea.rows.intake.dates import is_clock, to_seconds
from sdv_threea.rows.intake.facts import Facts
from sdv_threea.rows.intake.scalars import NoScalarError, read_scalar, spell
from sdv_threea.storage.relationships import find_keys

#: The metadata of one column: ``{'sdtype': ..., ...}``.
ColumnMetadata = Mapping[str, Any]

#: The modelled sdtypes. SDV's generators make up all others.
MODELLED = ('numerical', 'datetime', 'categorical', 'boolean', 'ordinal')

#: Sdtypes that are never learned; sdtypes that ``pii: False`` turns into numbers.
NEVER_LEARNED = ('id', 'text', 'unknown')
PLACES = ('latitude', 'longitude')

#: Facts that SDV detects in the values of a column, or that the user states.
FACTS = (
    'decimal_places',
    'high_cardinality',
    'range_is_nullable',
    'range_max',
    'range_min',
    'range_values',
)

#: The directives of a datetime format for the time of day.
TIME_OF_DAY = tuple(f'%{sign}{letter}' for sign in ('', '-', '#') for letter in 'HIMSTRXcfprs')

DAY, MICROSECOND = TIME_STEPS[0], 1e-6

#: Times of day are read as times on 1 January 1900, in seconds since 2000. The first grid has the
#: hours of this day, which further looks split. Of 1,000 times of opening hours at epsilon 1, this
#: gives quantiles within 14 minutes; a first grid of quarters of an hour gives 38, one of the whole
#: day 20 (eight fits).
MIDNIGHT = float((np.datetime64('1900-01-01', 's') - np.datetime64('2000-01-01', 's')).astype(int))
HOURS = tuple(np.linspace(MIDNIGHT, MIDNIGHT + DAY - MICROSECOND, 25).tolist())

#: Numbers with more decimals are continuous: SDV detects up to 15 in any column of measurements.
MOST_DECIMALS = 9


def keep_public(metadata: Metadata, *, public_metadata: bool) -> Metadata:
    """Copy metadata without private facts.

    A column with ``pii: False`` is learned, as in SDV, unless the column is a key: latitudes and
    longitudes as numbers, others (postcode, city, name) as categories.

    Formal guarantees:
        * unless ``public_metadata``, no range, value, decimals or nullability is left: tables in
          which SDV detects the same columns, types, formats and keys give the same copy
    """
    copy = deepcopy(metadata)
    hidden = () if public_metadata else FACTS
    for name, table in copy.tables.items():
        for column in table.columns.values():
            for fact in hidden:
                column.pop(fact, None)
        _learn_impersonal(table, find_keys(copy, name))
    return copy


def learned_as(column: ColumnMetadata) -> str:
    """Return the sdtype that a fit uses for a column that is not a key."""
    sdtype: str = column['sdtype']
    if column.get('pii', True) or sdtype in (*MODELLED, *NEVER_LEARNED):
        return sdtype
    return 'numerical' if sdtype in PLACES else 'categorical'


def list_harmless(metadata: Metadata) -> dict[str, frozenset[str]]:
    """List the columns with ``pii: False``, by table."""
    return {
        name: frozenset(each for each, about in table.columns.items() if about.get('pii') is False)
        for name, table in metadata.tables.items()
    }


def _learn_impersonal(table: Any, keys: Collection[str]) -> None:
    learned = []
    for name, column in table.columns.items():
        sdtype = learned_as(column)
        if column.get('pii') is False:
            del column['pii']
        if sdtype != column['sdtype'] and name not in keys:
            column['sdtype'] = sdtype
            learned.append(name)
    table.column_relationships = [
        each for each in table.column_relationships if not {*learned} & {*each['column_names']}
    ]


def describe(
    columns: Mapping[str, ColumnMetadata],
    *,
    target: str | None = None,
    increments: Mapping[str, float] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    unreleased: Mapping[str, Hashable | None] | None = None,
    sentinels: Mapping[str, tuple[float, ...]] | None = None,
) -> Domain:
    """Describe the modelled columns by public facts.

    A fact that neither the metadata nor a dtype states is ``None``. The values of booleans are
    public, and so is the granularity of integers, and of dates whose format has no time of day.
    NumPy's integers and booleans cannot be missing.

    ``increments`` are known granularities (SDV's ``FixedIncrements``); ``sentinels`` are numbers
    that stand for something else. ``unreleased`` has the replacement of unreleased values: ``None``
    means a missing value, or a released value if no cell may be missing. All three are by column.
    """
    steps, known = increments or {}, dtypes or {}
    shown, apart = unreleased or {}, sentinels or {}
    described = []
    for name, each in columns.items():
        if each['sdtype'] not in MODELLED:
            continue
        column = _describe_column(name, each, steps.get(name), known.get(name, np.dtype(object)))
        if isinstance(column, Number):
            column = replace(column, sentinels=apart.get(name, ()))
        elif name in shown and name != target:
            # The target has only released values, because models are trained to predict it.
            column = _show_unreleased(column, shown[name])
        described.append(column)
    return Domain(tuple(described), target)


def _show_unreleased(column: Category, shown: Hashable | None) -> Category:
    if column.values is not None:  # noqa: PD011 (no pandas)
        return column
    if shown is None:
        shown = SPREAD if column.nullable is False else MISSING
    return replace(column, unreleased=shown)


def list_facts(
    columns: Mapping[str, ColumnMetadata],
    dtypes: Mapping[str, Any],
    sentinels: Mapping[str, tuple[float, ...]] | None = None,
) -> tuple[Facts, ...]:
    """Return the public facts with which private cells are read, for each modelled column."""
    domain = describe(columns, dtypes=dtypes, sentinels=sentinels)
    return tuple(_read_facts(columns[each.name], each) for each in domain.columns)


def _read_facts(description: ColumnMetadata, column: Column) -> Facts:
    facts = Facts(
        name=column.name,
        sdtype=description['sdtype'],
        template=description.get('datetime_format'),
        places=description.get('decimal_places'),
        nullable=column.nullable,
    )
    if isinstance(column, Number):
        return replace(facts, low=column.low, high=column.high, sentinels=column.sentinels)
    stated = description.get('range_values') is not None
    return replace(facts, values=column.values) if stated else facts


def _describe_column(
    name: str, description: ColumnMetadata, step: float | None, dtype: Any
) -> Column:
    never_missing = isinstance(dtype, np.dtype) and dtype.kind in 'biu'
    nullable = False if never_missing else description.get('range_is_nullable')
    match description['sdtype']:
        case 'numerical':
            return Number(
                name=name,
                low=_bound(description, 'range_min', dtype),
                high=_bound(description, 'range_max', dtype),
                step=_decimal_step(description, dtype) if step is None else step,
                nullable=nullable,
            )
        case 'datetime':
            return Number(
                name=name,
                low=_moment(description, 'range_min'),
                high=_moment(description, 'range_max'),
                step=_time_step(description),
                nullable=nullable,
                steps=TIME_STEPS,
                grid=HOURS if is_clock(description.get('datetime_format')) else None,
            )
        case 'boolean':
            return Category(name=name, values=(False, True), nullable=nullable)
        case sdtype:
            values = description.get('range_values')
            if values is None and pd.api.types.is_bool_dtype(dtype):
                values = (False, True)
            return Category(
                name=name,
                values=None if values is None else _read_values(name, values),
                nullable=nullable,
                ordered=sdtype == 'ordinal',
                many=bool(description.get('high_cardinality')),
            )


def _decimal_step(description: ColumnMetadata, dtype: Any) -> float | None:
    if pd.api.types.is_integer_dtype(dtype):
        return 1.0
    places = description.get('decimal_places')
    if places is None:
        return None
    return float(f'1e-{places}') if places <= MOST_DECIMALS else 0.0


def _time_step(description: ColumnMetadata) -> float | None:
    template = description.get('datetime_format')
    return None if template is None or any(part in template for part in TIME_OF_DAY) else DAY


def _bound(description: ColumnMetadata, bound: str, dtype: Any) -> float | None:
    """Read an end of a range as a cell of the column would be read."""
    if description.get(bound) is None:
        return None
    number = float(description[bound])
    dtype = getattr(dtype, 'numpy_dtype', dtype)
    if dtype != np.float32 or abs(number) >= float(np.finfo(np.float32).max):
        return number
    return float(find_numbers(pd.Series([number], dtype=np.float32)).values[0])  # noqa: PD011


def _moment(description: ColumnMetadata, bound: str) -> float | None:
    if description.get(bound) is None:
        return None
    moments = find_moments(pd.Series([description[bound]]), description.get('datetime_format'))
    return float(to_seconds(moments)[0])


def read_points(values: Sequence[object], description: ColumnMetadata) -> list[float | None]:
    """Read public numbers or dates as cells would be read; ``None`` for other values."""
    column = pd.Series(list(values), dtype=object)
    if description['sdtype'] == 'datetime':
        found = to_seconds(find_moments(column, description.get('datetime_format')))
    else:
        found = find_numbers(column).values  # noqa: PD011 (no pandas)
    return [each if np.isfinite(each) else None for each in found.tolist()]


def _read_values(name: str, values: Sequence[Any]) -> tuple[Hashable, ...]:
    """Read the public values of a category as cells would be read, each value once."""
    try:
        found = [read_scalar(value) for value in values]
    except NoScalarError:
        found = None
    if found is None:
        raise SynthesizerInputError(
            f"The 'range_values' of the column '{name}' must be booleans, numbers, texts or dates."
        )
    return tuple({spell(value): value for value in found if value is not None}.values())
