"""Random databases with composite keys whose cells are read differently once they are modelled.

Each database knows which row refers to which, as its references were made by copying key cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer

#: Children and their parents; the first table holds the units.
SHAPES = {
    'two': {'a': (), 'b': ('a',)},
    'chain': {'a': (), 'b': ('a',), 'c': ('b',)},
    'diamond': {'a': (), 'b': ('a',), 'c': ('a',), 'd': ('b', 'c')},
    'star': {'a': (), 'b': ('a',), 'c': ('a',)},
}

DAY = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}

#: Kinds of key columns: what the metadata says, and cells that a model would take for one another
#: or for missing. Those of the second table occur where cells that break a fact are replaced.
PARTS: dict[str, tuple[dict[str, Any], list[Any], str]] = {
    'decimals': ({'sdtype': 'numerical', 'decimal_places': 0}, [7.25, 7.0, 6.75, 8.0], 'float64'),
    'digits': ({'sdtype': 'numerical'}, [2**53, 2**53 + 1, 2**60, 2**60 + 1], 'Int64'),
    'days': (DAY, ['2003-03-03', '2003-3-3', '2003-03-3', '2004-01-01'], 'object'),
    'moments': ({'sdtype': 'datetime'}, list(pd.date_range('2020-01-01', periods=4)), 'M8[ns]'),
    'kinds': ({'sdtype': 'categorical'}, ['x', 'x ', 'X', '1'], 'object'),
    'mixed': ({'sdtype': 'categorical'}, [1, '1', True, 2], 'object'),
}
BREAKING: dict[str, tuple[dict[str, Any], list[Any], str]] = {
    'unlisted': (
        {'sdtype': 'categorical', 'range_values': ['x']}, ['x', 'y', 'z', 'w'], 'object'
    ),
    'outside': (
        {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1}, [0.0, 1.0, 2.0, 3.0], 'float64'
    ),
    'strange': ({'sdtype': 'numerical'}, ['abc', 'abd', 1, '1'], 'object'),
    'no day': (DAY, ['never', 'ever', '2003-03-03', '3 March 2003'], 'object'),
}  # fmt: skip


@dataclass
class Drawn:
    """A database that was drawn.

    Args:
        shape: The parents of each table.
        metadata: SDV's metadata.
        tables: The tables as a user stores them.
        parents: The row that each row refers to, -1 for none, by table and parent.
        settings: Arguments of the synthesizer.
        constraints: Constraints on its tables.
    """

    shape: dict[str, tuple[str, ...]]
    metadata: Metadata
    tables: dict[str, pd.DataFrame]
    parents: dict[tuple[str, str], np.ndarray]
    settings: dict[str, Any]
    constraints: list[Any] = field(default_factory=list)

    def make(self, **settings):
        """Make a synthesizer of such tables."""
        synthesizer = ClustMixMultiTableSynthesizer(self.metadata, **{**self.settings, **settings})
        if self.constraints:
            synthesizer.add_constraints(self.constraints)
        return synthesizer

    def reach(self, table, row):
        """Tell which rows refer to a row of a table, by any path, itself included."""
        gone = {name: np.zeros(len(rows), dtype=bool) for name, rows in self.tables.items()}
        gone[table][row] = True
        for child, parents in self.shape.items():
            for parent in parents:
                gone[child] |= np.append(gone[parent], False)[self.parents[child, parent]]
        return gone

    def without(self, gone):
        """Leave rows out."""
        return {name: rows[~gone[name]] for name, rows in self.tables.items()}


def draw_database(seed, num_rows=12):
    """Draw a database: its shape, its keys, its settings, and which row refers to which."""
    rng = np.random.default_rng(seed)
    shape = list(SHAPES.values())[rng.integers(len(SHAPES))]
    coerce = bool(rng.random() < 0.5)
    parts = PARTS | (BREAKING if coerce else {})
    described, tables, keys, parents, constraints = {}, {}, {}, {}, []
    for name, above in shape.items():
        size = num_rows * (1 + len(above))
        chosen = rng.choice(list(parts), rng.integers(1, 4), replace=False)
        keys[name] = {f'{name}_{part}': parts[part] for part in chosen}
        columns, cells = draw_keys(name, keys[name], size, rng)
        for parent in above:
            referred = rng.integers(-1, len(tables[parent]), size)
            parents[name, parent] = referred
            cells |= refer(name, parent, tables[parent], keys[parent], referred, rng)
            columns |= describe_references(name, parent, keys[parent])
        if f'{name}_moments' in columns and rng.random() < 0.7:
            columns['end'] = {'sdtype': 'datetime'}
            later = pd.to_timedelta(rng.integers(0, 9, size), 'D')
            cells['end'] = cells[f'{name}_moments'] + later
            constraints.append(Inequality(f'{name}_moments', 'end', table_name=name))
        columns['amount'], cells['amount'] = (
            {'sdtype': 'numerical'},
            rng.normal(0, 1, size).round(1),
        )
        described[name] = {'columns': columns, 'primary_key': [*keys[name], f'{name}_id']}
        tables[name] = pd.DataFrame(cells)
    settings = {
        'epsilon': 1.0,
        'privacy_unit': 'a',
        'public_metadata': bool(coerce or rng.random() < 0.5),
        'invalid_cells': 'coerce' if coerce else 'raise',
    }
    metadata = Metadata.load_from_dict(
        {'tables': described, 'relationships': list_relationships(shape, described)}
    )
    return Drawn(shape, metadata, tables, parents, settings, constraints)


def draw_keys(name, keys, size, rng):
    """Draw keys that differ, most of them in a cell that is read alike once it is modelled."""
    columns = {each: facts for each, (facts, _, _) in keys.items()} | {
        f'{name}_id': {'sdtype': 'id'}
    }
    places = rng.integers(0, 4, (4 * size, len(keys)))
    whole = np.column_stack([places, rng.integers(0, size, 4 * size)])
    whole = rng.permutation(np.unique(whole, axis=0))[:size]
    cells = {
        each: pd.Series([values[at] for at in whole[:, column]], dtype=dtype)
        for column, (each, (_, values, dtype)) in enumerate(keys.items())
    }
    columns[f'{name}_id'], cells[f'{name}_id'] = {'sdtype': 'id'}, pd.Series(whole[:, -1])
    return columns, cells


def refer(name, parent, rows, keys, referred, rng):
    """Copy the key cells of rows; a reference to no row lacks one of its cells, or all."""
    cells = {}
    columns = [*keys, f'{parent}_id']
    lacking = rng.integers(0, len(columns), len(referred))
    for at, column in enumerate(columns):
        values = rows[column].astype('Int64') if column == f'{parent}_id' else rows[column]
        taken = values.reset_index(drop=True).take(np.maximum(referred, 0)).reset_index(drop=True)
        gone = (referred < 0) & ((lacking == at) | (rng.random(len(referred)) < 0.5))
        cells[f'{name}_to_{column}'] = taken.mask(gone)
    return cells


def describe_references(name, parent, keys):
    """Describe a foreign key; SDV allows no range of its columns."""
    kept = {'sdtype', 'datetime_format', 'decimal_places'}
    columns = {
        f'{name}_to_{column}': {fact: facts[fact] for fact in facts.keys() & kept}
        for column, (facts, _, _) in keys.items()
    }
    return columns | {f'{name}_to_{parent}_id': {'sdtype': 'id'}}


def list_relationships(shape, described):
    """List the relationships of a shape as SDV's metadata has them."""
    return [
        {
            'parent_table_name': parent,
            'parent_primary_key': described[parent]['primary_key'],
            'child_table_name': child,
            'child_foreign_key': [
                f'{child}_to_{column}' for column in described[parent]['primary_key']
            ],
        }
        for child, above in shape.items()
        for parent in above
    ]
