"""Cases of databases: every shape of foreign keys, and keys of several columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from case import DATE, Case, Tables
from described import describe_tables
from sdv.cag import FixedCombinations, FixedIncrements, Inequality
from sdv.metadata import Metadata
from ways import fit_processed, fit_twice, sample_loaded

from sdv_threea import ClustMixMultiTableSynthesizer

#: Foreign keys by schema, as ``child.column>parent``; one with a ``?`` may be missing, and ``pk``
#: is the key itself. Tables ``p`` and ``q`` are public.
SCHEMAS = {
    'three generations': 'b.a_id>a c.b_id>b',
    'several parents': 'b.a_id>a b.x_id>x b.y_id?>y',
    'two keys': 'b.sender>a b.receiver>a',
    'diamond': 'b.a_id>a c.a_id>a d.b_id>b d.c_id?>c',
    'two units': 'b.a_id>a y.x_id>x',
    'missing references': 'b.a_id?>a c.b_id?>b',
    'one to one': 'b.pk>a c.b_id>b',
    'public parents': 'p.q_id>q b.a_id>a b.p_id>p b.q_id?>q a.p_id?>p',
}

UNITS, CODES = 700, 6

CONTENTS = {
    'amount': {'sdtype': 'numerical'},
    'most': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
    'code': {'sdtype': 'categorical'},
    'day': DATE,
}

CONTENT_FACTS = {
    'amount': {'range_min': -50, 'range_max': 200, 'decimal_places': 0},
    'kind': {'range_values': ['u', 'v'], 'range_is_nullable': False},
    'code': {'range_values': [1, 2, 3, 4], 'range_is_nullable': False},
}


@dataclass(frozen=True)
class Reference:
    """A foreign key of a made database."""

    child: str
    column: str
    parent: str
    nullable: bool


def _read_references(schema: str) -> list[Reference]:
    found = []
    for text in SCHEMAS[schema].split():
        key, parent = text.split('>')
        child, column = key.split('.')
        found.append(Reference(child, column.strip('?'), parent, column.endswith('?')))
    return found


def _order_tables(references: list[Reference]) -> list[str]:
    """List parents before their children."""
    waiting = sorted({name for each in references for name in (each.parent, each.child)})
    found: list[str] = []
    while waiting:
        held = {each.child for each in references if each.parent in waiting}
        found += [name for name in waiting if name not in held]
        waiting = [name for name in waiting if name in held]
    return found


def make_database(schema: str) -> Tables:
    """Draw the tables of a schema: children resemble their parents, and each other."""
    rng, references, tables = np.random.default_rng(4), _read_references(schema), {}
    for name in _order_tables(references):
        own = [each for each in references if each.child == name]
        size = CODES if name in 'pq' else int(1.5 * UNITS) if own else UNITS
        if any(each.column == 'pk' for each in own):
            size = UNITS // 2
        rows = {'pk': rng.permutation(20_000)[:size]}
        level = rng.normal(40, 9, size)
        for each in own:
            parent = tables[each.parent]
            at = rng.integers(0, len(parent), size)
            if each.column == 'pk':
                at = rng.permutation(len(parent))[:size]
            keys = pd.Series(parent['pk'].to_numpy()[at])
            rows[each.column] = keys.mask(rng.random(size) < 0.2) if each.nullable else keys
            level += parent['amount'].to_numpy()[at] / 2
        kind = np.where(level + rng.normal(0, 9, size) > 50, 'u', 'v')
        day = pd.Timestamp('2022-01-01') + pd.to_timedelta(np.round(level).astype(int), 'D')
        rows |= {
            'amount': np.round(level),
            'most': np.round(level) + rng.integers(0, 9, size),
            'kind': kind,
            'code': np.where(kind == 'u', 1, rng.integers(2, 4, size)),
            'day': day.strftime('%Y-%m-%d'),
        }
        tables[name] = pd.DataFrame(rows)
    return tables


def describe_database(schema: str, tables: Tables, *, told: bool) -> Metadata:
    """Describe the tables of a schema, and how they refer to each other."""
    facts = CONTENT_FACTS if told else {}
    contents = {name: {**each, **facts.get(name, {})} for name, each in CONTENTS.items()}
    columns = {
        name: {each: contents.get(each, 'id') for each in rows} for name, rows in tables.items()
    }
    links = ((each.child, each.column, each.parent, 'pk') for each in _read_references(schema))
    return describe_tables(columns, *links, **dict.fromkeys(tables, 'pk'))


def _make_relational(
    schema: str, tables: Tables, constraints: Callable[[], list[Any]] = list, **settings: Any
) -> ClustMixMultiTableSynthesizer:
    synthesizer = ClustMixMultiTableSynthesizer(
        describe_database(schema, tables, told=bool(settings.get('public_metadata'))),
        **{
            'epsilon': 8.0,
            'delta': 1e-5,
            'privacy_unit': 'a',
            'public_tables': [name for name in tables if name in 'pq'],
            **settings,
        },
    )
    synthesizer.add_constraints(constraints())
    return synthesizer


def _fit_spoiled(synthesizer: Any, tables: Tables) -> None:
    """Fit to cells that break what is stated of them."""
    spoiled = {name: rows.astype({'kind': object}) for name, rows in tables.items()}
    for rows in spoiled.values():
        rows.loc[::40, 'kind'], rows.loc[1::40, 'amount'] = 'neither', 1e6
    synthesizer.fit(spoiled)


def _set_parameters(synthesizer: Any, tables: Tables) -> None:
    synthesizer.set_table_parameters('a', {'mixing': 'clusters', 'n_components': 2})
    synthesizer.set_table_parameters('b', {'enforce_min_max_values': False})
    synthesizer.fit(tables)


def _sample_scales(synthesizer: Any) -> Iterator[pd.DataFrame]:
    for scale in (0.3, 1.2):
        yield from synthesizer.sample_scale(scale).values()
    synthesizer.reset_sampling()
    yield from synthesizer.sample(50, 'a').values()


def _rules() -> list[Any]:
    return [
        Inequality('amount', 'most', table_name='a'),
        FixedCombinations(['kind', 'code'], table_name='b'),
        Inequality('amount', 'most', table_name='c', strict_boundaries=False),
        FixedIncrements('most', 1, table_name='c'),
    ]


def list_databases() -> dict[str, Case]:
    chain, targets = 'three generations', {'target': {'b': 'kind'}}
    stated = {'min_children': {'b': 1}, 'max_children': {'b': 12, 'c': 9}}
    coerced = {'invalid_cells': 'coerce', 'public_metadata': True}
    codes = {'min_children': {('b', 'p_id'): 5}, 'max_children': 20}
    options: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        **{name: (name, {}, {}) for name in SCHEMAS},
        'target': (chain, targets, {}),
        'target, large budget': (chain, {**targets, 'epsilon': 100.0}, {}),
        'no privacy': (chain, {**targets, 'epsilon': math.inf}, {}),
        'little budget': (chain, {'epsilon': 0.5}, {}),
        'neighbours by replacement': (chain, {'neighbors': 'replace_one'}, {}),
        'stated cardinalities': (chain, {'max_children': 15}, {}),
        'stated cardinalities by table': ('diamond', stated, {}),
        'stated cardinalities by key': ('public parents', codes, {}),
        'public metadata': (chain, {'public_metadata': True}, {}),
        'coerced cells': (chain, coerced, {'fit': _fit_spoiled}),
        'parameters of tables': (chain, targets, {'fit': _set_parameters}),
        'constraints': (chain, {'constraints': _rules}, {}),
        'constraints, preprocessed': (chain, {'constraints': _rules}, {'fit': fit_processed}),
        'preprocessed': ('public parents', {}, {'fit': fit_processed}),
        'fitted twice': (chain, {}, {'fit': fit_twice}),
        'several samples': (chain, targets, {'sample': _sample_scales}),
        'saved and loaded': ('public parents', {}, {'sample': sample_loaded}),
    }
    drawn = {name: make_database(name) for name in SCHEMAS}
    cases = {
        f'database, {name}': Case(
            partial(_make_relational, schema, drawn[schema], **settings), drawn[schema], **ways
        )
        for name, (schema, settings, ways) in options.items()
    }
    return {**cases, 'database, keys of several columns': _make_composite()}


def _make_composite() -> Case:
    """Make a database whose keys have several columns, one of which is modelled."""
    rng = np.random.default_rng(5)
    pairs = [(site, number) for site in 'xyz' for number in range(UNITS // 3)]
    a = pd.DataFrame(pairs, columns=['site', 'number'])
    a['amount'] = rng.integers(0, 20, len(a))
    b = a.iloc[rng.integers(0, len(a), 2 * UNITS)].reset_index(drop=True)
    b['amount'] += rng.integers(0, 3, len(b))
    b['line'] = b.groupby(['site', 'number']).cumcount()
    key = ['site', 'number']
    columns = {'site': 'categorical', 'number': 'id', 'amount': 'numerical'}
    tables = {'a': columns, 'b': columns | {'line': 'numerical'}}
    metadata = describe_tables(tables, ('b', key, 'a', key), b=[*key, 'line'])
    return Case(partial(ClustMixMultiTableSynthesizer, metadata, epsilon=20.0), {'a': a, 'b': b})
