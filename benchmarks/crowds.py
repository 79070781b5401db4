"""Crowds of hostile records, beside the ordinary tables that a fit is recorded of.

Every schema of :mod:`neighbours` has one, and so have tables and databases at which every stage has
something to release. Half of the cells of a hostile record are extreme, or all; some records are
ordinary, and some have the rarest value of every column. :mod:`crowds_of_units` makes databases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from crowds_of_units import (
    NUM_ROWS,
    Crowd,
    draw_rich,
    make_composite,
    make_paths,
    make_sequences,
    make_units,
)
from hostile_cells import gather, list_pool
from neighbours import Schema, make_schemas
from record_cells import CATEGORY, NUMBER
from sdv.metadata import Metadata

from sdv_threea import (
    ClustMixSynthesizer,
)
from sdv_threea.errors import ACCEPTABLE


def list_crowds() -> dict[str, Callable[[int], Crowd]]:
    """List what makes the crowd of each schema, by name, of a number of hostile records."""
    made = {
        name: partial(_of_schema, schema)
        for name, schema in make_schemas(NUM_ROWS).items()
        if 'rows' not in schema.cells  # databases have units of their own here
    }
    return {
        **made,
        'tiny': partial(_of_frame, draw_rich(3), {}),
        'wide': partial(_of_frame, _draw_wide(400), {'epsilon': 400.0}),
        'every pair': partial(_of_frame, _draw_bills(600), {'alpha': 1.0, 'epsilon': 400.0}),
        'a number': partial(_of_frame, draw_rich(600), {'target_column': 'x', 'epsilon': 400.0}),
        'a number with pairs': partial(
            _of_frame, draw_rich(300).iloc[:, :3], {'target_column': 'y', 'epsilon': 2000.0}
        ),
        'a kernel': partial(
            _of_frame,
            draw_rich(300),
            {'target_column': 'either', 'kernel': _kernel},
        ),
        'mixed records': partial(
            _of_frame,
            draw_rich(300),
            {'target_column': 'either', 'mixing': 'clusters', 'epsilon': 400.0},
        ),
        'coerced': _make_coerced,
        'units': make_units,
        'units of a mixture': partial(make_units, mixed=True),
        'units alike': partial(make_units, epsilon=40.0),
        'several paths': make_paths,
        'composite keys': make_composite,
        'composite keys, coerced': partial(make_composite, coerce=True),
        'sequences': make_sequences,
        'sequences of dates': partial(make_sequences, dated=True),
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


def _draw_bills(size: int) -> pd.DataFrame:
    """Draw the rich table with two numbers and their sum before it."""
    rng = np.random.default_rng(1)
    net, fee = rng.gamma(2, 20, size).round(1), rng.gamma(2, 9, size).round(1)
    bills = pd.DataFrame({'net': net, 'fee': fee, 'total': (net + fee).round(1)})
    return pd.concat([bills, draw_rich(size)], axis=1)


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
