"""Crowds of hostile units: databases and sequences whose units have up to :data:`MANY` rows.

Each row of a database says in the column :data:`UNIT` which unit it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
from hostile_cells import EXTREMES, gather, list_pool
from neighbours import state_tables
from record_cells import CATEGORY, NUMBER
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
)
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


def draw_rich(size: int) -> pd.DataFrame:
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


def make_units(size: int, *, mixed: bool = False, epsilon: float = 100.0) -> Crowd:
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
        base = draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
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


def make_paths(size: int) -> Crowd:
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
        base = draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
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


def make_composite(size: int, *, coerce: bool = False) -> Crowd:
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
        base = draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
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


def make_sequences(size: int, *, dated: bool = False) -> Crowd:
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
        rng, base = np.random.default_rng(0), draw_rich(NUM_ROWS).assign(**{UNIT: 0.0})
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
