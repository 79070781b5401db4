"""Crowds of hostile records, beside the ordinary tables that a fit is recorded of.

Every schema of :mod:`neighbours` has one, and so have tables and databases at which every stage has
something to release. Half of the cells of a hostile record are extreme, or all; some records are
ordinary, and some have the rarest value of every column. A hostile unit of a database has up to
:data:`MANY` rows, and each of its rows says in the column :data:`UNIT` which unit it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import dask.dataframe as dd
import numpy as np
import pandas as pd
from hostile_cells import EXTREMES, gather, list_pool
from neighbours import Schema, make_schemas, state_tables
from record_cells import CATEGORY, NUMBER
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
    ClustMixSynthesizer,
)
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.settings import Settings

#: The column that says to which unit a row of a database belongs.
UNIT = 'unit'

#: How many rows hostile units have.
MANY = (0, 1, 2, 3, 5, 40)

#: Rows of the longest hostile sequence.
LONGEST = 200

#: Ordinary rows of a table, and units of a database.
NUM_ROWS, NUM_UNITS = 300, 120


class Crowd(NamedTuple):
    """What is fitted: ordinary data, hostile data, and how."""

    ordinary: dict[str, Any]
    hostile: dict[str, Any]
    fit: Callable[[str, dict[str, Any]], Any]
    unit: str | None = None


def list_crowds() -> dict[str, Callable[[int], Crowd]]:
    """List what makes the crowd of each schema, by name, of a number of hostile records."""
    made = {
        name: partial(_of_schema, schema)
        for name, schema in make_schemas(NUM_ROWS).items()
        if 'rows' not in schema.cells  # databases have units of their own here
    }
    return {
        **made,
        'tiny': partial(_of_frame, _draw_rich(3), {}),
        'wide': partial(_of_frame, _draw_wide(400), {'epsilon': 400.0}),
        'every pair': partial(_of_frame, _draw_bills(600), {'alpha': 1.0, 'epsilon': 400.0}),
        'a number': partial(_of_frame, _draw_rich(600), {'target_column': 'x', 'epsilon': 400.0}),
        'a number with pairs': partial(
            _of_frame, _draw_rich(300).iloc[:, :3], {'target_column': 'y', 'epsilon': 2000.0}
        ),
        'a kernel': partial(
            _of_frame,
            _draw_rich(300),
            {'target_column': 'either', 'kernel': _kernel},
        ),
        'mixed records': partial(
            _of_frame,
            _draw_rich(300),
            {'target_column': 'either', 'mixing': 'clusters', 'epsilon': 400.0},
        ),
        'coerced': _make_coerced,
        'units': _make_units,
        'units of a mixture': partial(_make_units, mixed=True),
        'units alike': partial(_make_units, epsilon=40.0),
        'several paths': _make_paths,
        'composite keys': _make_composite,
        'composite keys, coerced': partial(_make_composite, coerce=True),
        'sequences': _make_sequences,
        'sequences of dates': partial(_make_sequences, dated=True),
    }


def _of_schema(schema: Schema, size: int) -> Crowd:
    """Make the crowd of a schema of one table, stored as the schema stores its rows."""
    (ordinary,) = schema.build(None).values()
    rows = ordinary if isinstance(ordinary, pd.DataFrame) else ordinary.compute()
    pools = [list_pool(each.columns, rows, each.kinds.values()) for each in schema.cells.values()]
    hostile: Any = gather(pools, rows, size)
    if rows is not ordinary:
        hostile = dd.from_pandas(hostile, npartitions=ordinary.npartitions)
    return Crowd({'table': ordinary}, {'table': hostile}, partial(schema.fit, 8.0))


def _of_frame(rows: pd.DataFrame, settings: Mapping[str, Any], size: int) -> Crowd:
    """Make the crowd of a table, of which nothing is stated."""
    columns = {name: _guess(rows[name]) for name in rows}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    cells = [list_pool({name: about}, rows) for name, about in columns.items()]
    terms = {'epsilon': 8.0, 'accept': ACCEPTABLE, **settings}

    def fit(relation: str, data: dict[str, Any]) -> Any:
        made = ClustMixSynthesizer(metadata, neighbors=relation, **{'accept': 'noise', **terms})
        made.fit(data)
        return made

    return Crowd({'table': rows}, {'table': gather(cells, rows, size)}, fit)


def _guess(cells: pd.Series) -> Mapping[str, Any]:
    return NUMBER if cells.dtype.kind == 'f' else CATEGORY


def _draw_rich(size: int) -> pd.DataFrame:
    """Draw a table with numbers, a number of each kind, a function, and what three columns say."""
    rng = np.random.default_rng(0)
    kind, y = rng.integers(0, 20, size), rng.normal(size=size).round(2)
    x, sex = (y + rng.gamma(2, 2, size)).round(1), rng.integers(0, 2, size)
    odd = (sex + (x > np.median(x))) % 2
    rate = rng.uniform(0, 100, 20).round(3)[kind]
    names = np.char.add('kind ', kind.astype(str)).astype(object)
    texts = {'sex': ['m', 'f'], 'either': ['no', 'yes'], 'place': ['a', 'b', 'c', 'd']}
    codes = {'sex': sex, 'either': odd, 'place': kind % 4}
    drawn = {name: np.array(texts[name], dtype=object)[codes[name]] for name in texts}
    return pd.DataFrame({'x': x, 'y': y, **drawn, 'rate': rate, 'kind': names})


def _draw_bills(size: int) -> pd.DataFrame:
    """Draw the rich table with two numbers and their sum before it."""
    rng = np.random.default_rng(1)
    net, fee = rng.gamma(2, 20, size).round(1), rng.gamma(2, 9, size).round(1)
    bills = pd.DataFrame({'net': net, 'fee': fee, 'total': (net + fee).round(1)})
    return pd.concat([bills, _draw_rich(size)], axis=1)


def _draw_wide(size: int) -> pd.DataFrame:
    """Draw many columns: numbers, of which some are zero mostly, and categories."""
    rng = np.random.default_rng(0)
    kinds = np.array(list('abc'), dtype=object)
    categories = {f'x{at}': rng.choice(kinds, size) for at in range(8)}
    numbers = {f'y{at}': rng.normal(size=size).round(at % 3) for at in range(10)}
    counts = {f'z{at}': rng.poisson(0.4, size).astype(float) for at in range(4)}
    return pd.DataFrame({**categories, **numbers, **counts})


def _kernel(first: Any, second: Any) -> Any:
    """Return a kernel in floats, as users bring it."""
    products = first @ second.T
    return products + products**2 / (1 + first.shape[1])


def _make_coerced(size: int) -> Crowd:
    """Make a table of which all is stated, and hostile cells that break it: they are coerced."""
    rng, form = np.random.default_rng(0), '%Y-%m-%d'
    flags = {'sdtype': 'boolean', 'range_is_nullable': True}
    stated = {'range_is_nullable': True, 'decimal_places': 1}
    columns = {
        'x': {**NUMBER, **stated, 'range_min': 0.0, 'range_max': 9.0},
        'c': {**CATEGORY, 'range_values': [*'abcd'], 'range_is_nullable': True},
        'day': {'sdtype': 'datetime', 'datetime_format': form},
        'flag': flags,
    }
    ordinary = {
        'x': rng.integers(0, 90, NUM_ROWS) / 10,
        'c': rng.choice([*'abcd'], NUM_ROWS),
        'day': (np.datetime64('2020-01-01') + rng.integers(0, 90, NUM_ROWS)).astype(str),
        'flag': rng.choice([True, False], NUM_ROWS),
    }
    wrong = ['', 'text', 'a\0', True, 7, 1e300, -1.0, 0.123, '2020-1-5', '9999-12-31', b'a', None]
    rows = pd.DataFrame(
        {name: pd.Series(own.tolist(), dtype=object) for name, own in ordinary.items()}
    )
    pools = [
        list_pool({name: about}, rows)._replace(extreme=[(cell,) for cell in wrong])
        for name, about in columns.items()
    ]
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})

    def fit(relation: str, data: dict[str, Any]) -> Any:
        settings = {'public_metadata': True, 'invalid_cells': 'coerce', 'target_column': 'c'}
        made = ClustMixSynthesizer(metadata, neighbors=relation, epsilon=8.0, **settings)
        made.fit(data)
        return made

    return Crowd({'table': rows}, {'table': gather(pools, rows, size)}, fit)


class _Table(NamedTuple):
    """A table of a database that is made: its own columns, and those of its keys."""

    key: str | list[str] | None
    columns: dict[str, Mapping[str, Any]]
    keys: Mapping[str, Mapping[str, Any]]


ID = {'sdtype': 'id'}


def _fill(
    columns: Mapping[str, Mapping[str, Any]], rows: pd.DataFrame, size: int, *, hostile: bool
) -> pd.DataFrame:
    """Fill rows with cells like those of others: as they are, or of a crowd."""
    if hostile:
        pools = [list_pool({name: about}, rows) for name, about in columns.items()]
        return gather(pools, rows[list(columns)], size)
    return rows[list(columns)].sample(size, replace=True, random_state=0, ignore_index=True)


def _state(tables: Mapping[str, _Table], links: Sequence[tuple[str, str, Any]]) -> Metadata:
    """Write the metadata of tables, and of foreign keys: parent, child, and the columns."""
    about = {name: (each.key, {**each.keys, **each.columns}) for name, each in tables.items()}
    return state_tables(about, links)


def _units(size: int, *, hostile: bool) -> np.ndarray:
    """Choose the unit of each row of a child: many rows of some units, and of ordinary ones few."""
    rows = np.array(MANY)[np.arange(size) % len(MANY)] if hostile else np.arange(size) % 4
    return np.repeat(np.arange(size), rows)


TAGGED = {UNIT: NUMBER, 'y': NUMBER, 'place': CATEGORY, 'sex': CATEGORY}


def _fit_units(  # noqa: PLR0913 (what is fitted, and how)
    metadata: Metadata,
    unit: str,
    settings: Mapping[str, Any],
    relation: str,
    data: dict[str, Any],
    *,
    mixed: bool = False,
    epsilon: float = 100.0,
) -> Any:
    made = ClustMixMultiTableSynthesizer(
        metadata, epsilon=epsilon, privacy_unit=unit, neighbors=relation, verbose=False, **settings
    )
    with patch.object(Settings, 'counts_pairs', False) if mixed else nullcontext():
        made.fit(data)
    return made


def _make_units(size: int, *, mixed: bool = False, epsilon: float = 100.0) -> Crowd:
    """Make patients with stays, of which some have no patient, and items of those.

    If ``mixed``, rows are drawn from Gaussians. At an
    ``epsilon`` of 40, pairs of a stay's columns are counted, and pairs with the stay before not.
    """
    tables = {
        'patient': _Table('patient', {'x': NUMBER, 'place': CATEGORY}, {'patient': ID}),
        'stay': _Table('stay', TAGGED, {'stay': ID, 'patient': ID}),
        'item': _Table(None, {UNIT: NUMBER, 'rate': NUMBER}, {'stay': ID}),
    }
    links = [('patient', 'stay', 'patient'), ('stay', 'item', 'stay')]

    def build(units: int, *, hostile: bool) -> dict[str, pd.DataFrame]:
        base = _draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
        own = _units(units, hostile=hostile)
        patient = _fill(tables['patient'].columns, base, units, hostile=hostile)
        stay = _fill(TAGGED, base, len(own), hostile=hostile).assign(**{UNIT: own * 1.0})
        stay = stay.assign(stay=range(len(own)), patient=pd.Series(own, dtype='Int64'))
        alone = np.arange(len(own)) % 9 == 0
        stay.loc[alone, 'patient'] = pd.NA
        stay.loc[alone, UNIT] = len(own) + np.flatnonzero(alone)  # units of their own
        parent = np.repeat(np.arange(len(own)), np.arange(len(own)) % 3)
        item = _fill(tables['item'].columns, base, len(parent), hostile=hostile)
        item = item.assign(stay=parent, **{UNIT: stay[UNIT].to_numpy()[parent]})
        return {'patient': patient.assign(patient=range(units)), 'stay': stay, 'item': item}

    terms = {'mixed': mixed, 'epsilon': epsilon}
    fit = partial(_fit_units, _state(tables, links), 'patient', {}, **terms)
    return Crowd(build(NUM_UNITS, hostile=False), build(size, hostile=True), fit, UNIT)


def _make_paths(size: int) -> Crowd:
    """Make patients with stays and visits; a bill names one of each, at times of two patients."""
    key = {'patient': ID}
    tables = {
        'patient': _Table('patient', {'x': NUMBER, 'place': CATEGORY}, key),
        'stay': _Table('stay', {UNIT: NUMBER, 'y': NUMBER}, {'stay': ID, **key}),
        'visit': _Table('visit', {UNIT: NUMBER, 'place': CATEGORY}, {'visit': ID, **key}),
        'bill': _Table(None, {UNIT: NUMBER, 'rate': NUMBER}, {'stay': ID, 'visit': ID}),
    }
    links = [('patient', 'stay', 'patient'), ('patient', 'visit', 'patient')]
    links += [('stay', 'bill', 'stay'), ('visit', 'bill', 'visit')]

    def build(units: int, *, hostile: bool) -> dict[str, pd.DataFrame]:
        base = _draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
        own = _units(units, hostile=hostile)

        def fill(name: str, owners: np.ndarray, **keys: Any) -> pd.DataFrame:
            rows = _fill(tables[name].columns, base, len(owners), hostile=hostile)
            return rows.assign(**{UNIT: owners * 1.0}, **keys)

        patient = _fill(tables['patient'].columns, base, units, hostile=hostile)
        at = np.arange(len(own))
        stay = fill('stay', own, stay=at, patient=own)
        visit = fill('visit', own, visit=at, patient=own)
        other = np.where(at % 11 == 0, (at + len(at) // 2) % len(at), at)  # a bill of two patients
        bill = fill('bill', own, stay=at, visit=other)
        patient = patient.assign(patient=range(units))
        return {'patient': patient, 'stay': stay, 'visit': visit, 'bill': bill}

    fit = partial(_fit_units, _state(tables, links), 'patient', {})
    return Crowd(build(NUM_UNITS, hostile=False), build(size, hostile=True), fit, UNIT)


def _make_composite(size: int, *, coerce: bool = False) -> Crowd:
    """Make patients whose key is a day and a number, and stays; the day is a column of both.

    A constraint makes another column of the parent's day. Or the key is a group, which metadata
    says to be whole, and a number; cells that break what is stated are coerced, and group 7.25 is.
    """
    day = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    group = {'sdtype': 'numerical', 'decimal_places': 0}
    first = group if coerce else day
    dates = {} if coerce else {'end': day}
    parts, settings = ['first', 'num'], {'public_metadata': coerce}
    tables = {
        'patient': _Table(parts, {'x': NUMBER, **dates}, {'first': first, 'num': ID}),
        'stay': _Table('stay', TAGGED, {'stay': ID, 'first': NUMBER if coerce else day, 'num': ID}),
    }
    metadata = _state(tables, [('patient', 'stay', parts)])

    def build(units: int, *, hostile: bool) -> dict[str, pd.DataFrame]:
        rng = np.random.default_rng(0)
        base = _draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
        own = _units(units, hostile=hostile)
        days = pd.Timestamp('2003-03-01') + pd.to_timedelta(rng.integers(9, 60, units), 'D')
        keys: Any = rng.integers(0, 5, units) + 0.0 if coerce else days.strftime('%Y-%m-%d')
        if coerce and hostile:
            keys = np.where(np.arange(units) % 2, 7.25, keys)
        keys = np.asarray(keys)
        patient = _fill({'x': NUMBER}, base, units, hostile=hostile)
        patient = patient.assign(first=keys, num=range(units))
        if not coerce:
            ends = days - pd.to_timedelta(rng.integers(0, 9, units), 'D')
            patient['end'] = np.asarray(ends.strftime('%Y-%m-%d'))
        stay = _fill(TAGGED, base, len(own), hostile=hostile).assign(**{UNIT: own * 1.0})
        stay = stay.assign(stay=range(len(own)), first=keys[own], num=own)
        return {'patient': patient, 'stay': stay}

    if coerce:
        settings |= {'invalid_cells': 'coerce'}

    def fit(relation: str, data: dict[str, Any]) -> Any:
        made = ClustMixMultiTableSynthesizer(
            metadata, epsilon=100.0, privacy_unit='patient', neighbors=relation, **settings
        )
        if not coerce:
            made.add_constraints([Inequality('end', 'first', table_name='patient')])
        made.fit(data)
        return made

    return Crowd(build(NUM_UNITS, hostile=False), build(size, hostile=True), fit, UNIT)


def _make_sequences(size: int, *, dated: bool = False) -> Crowd:
    """Make sequences with a context; hostile ones have up to :data:`LONGEST` rows.

    Their rows are shuffled, and their index has ties and extremes: numbers, or dates.
    """
    about = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'} if dated else NUMBER
    kinds = [each for each in EXTREMES[about['sdtype']] if each is not None and each == each]
    metadata = _state({'table': _Table(None, {**TAGGED, 'at': about}, {'key': ID})}, [])
    described = metadata.tables['table']
    described.set_sequence_key('key')
    described.set_sequence_index('at')

    def build(units: int, *, hostile: bool) -> dict[str, pd.DataFrame]:
        rng, base = np.random.default_rng(0), _draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
        rows = (
            np.maximum(MANY, 1)[np.arange(units) % len(MANY)]
            if hostile
            else 1 + np.arange(units) % 4
        )
        rows[-1] = LONGEST if hostile else rows[-1]
        own = rng.permutation(np.repeat(np.arange(units), rows))
        table = _fill(TAGGED, base, len(own), hostile=hostile).assign(**{UNIT: own * 1.0})
        at: Any = rng.integers(0, 30, len(own))
        at = (np.datetime64('2020-01-01') + at).astype(str).astype(object) if dated else at * 0.5
        wild = (rng.random(len(own)) < 0.3) & hostile
        at[wild] = rng.choice(np.array(kinds, dtype=at.dtype), wild.sum())
        context = _fill({'place': CATEGORY}, base, units, hostile=hostile)['place']
        table = table.assign(key=own, at=at, place=context.to_numpy()[own])
        return {'table': table[[*TAGGED, 'at', 'key']]}

    def fit(relation: str, data: dict[str, Any]) -> Any:
        made = ClustMixSequentialSynthesizer(
            metadata, context_columns=['place'], epsilon=100.0, neighbors=relation
        )
        made.fit(data)
        return made

    return Crowd(build(NUM_UNITS, hostile=False), build(size, hostile=True), fit, UNIT)
