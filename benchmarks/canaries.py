"""Neighbouring tables as bad as we could make them.

A *game* is for the strongest observer, on the pipeline itself; a *trial* for the observers of
:mod:`sdv_threea.audit`, on a synthesizer as users have it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.audit import Neighbours, far_out, lone_class, many_children, rare_category
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.mechanism import Noise
from sdv_threea.pipeline import release
from sdv_threea.relational.pipeline import release_database
from sdv_threea.relational.schema import Link, Schema
from sdv_threea.relational.sizes import Children
from sdv_threea.relational.units import Database
from sdv_threea.settings import Settings

#: Rows of a game and of a trial, and children of a canary.
NUM_ROWS, FEW_ROWS, CHILDREN = 200, 100, 20


class Game(NamedTuple):
    """The tables without and with the canary, how one is fitted, and with how many components."""

    tables: tuple[Any, Any]
    fit: Callable[..., object]
    components: int = 1


class Trial(NamedTuple):
    """The tables without and with the canary, and their metadata."""

    neighbours: Neighbours
    metadata: Metadata
    #: What synthesizers are told of them.
    settings: dict[str, Any]


def make_games(rng: np.random.Generator) -> dict[str, Game]:
    """Make the games: in the first four the canary moves nearly all that it may."""
    number = Number(name='x', low=0.0, high=9.0, step=1.0, nullable=False)
    classes = Category(name='y', values=('n', 'p', 'q'), nullable=False)
    stated = Domain((number, classes), target='y')
    unknown = Domain((Number(name='x'), Category(name='y')), target='y')
    plain, edges = _rows(rng), _rows(rng, (0.0, 5.0, 9.0), (0.05, 0.8, 0.15))
    lone = _game(stated, plain, {'x': 9.0, 'y': 'q'})
    return {
        'far out, domain public': _game(Domain((number,)), plain, {'x': 9.0, 'y': 'p'}),
        'lone class, domain public': lone,
        'lone class, two components': lone._replace(components=2),
        'at the edge, domain estimated': _game(unknown, edges, {'x': 9.0, 'y': 'p'}),
        'far out, domain estimated': _game(unknown, plain, {'x': 1e6, 'y': 'p'}),
        'rare category, domain estimated': _game(unknown, plain, {'x': 4.0, 'y': 'q'}),
        'unit with many children': _relational_game(),
    }


def make_trials(rng: np.random.Generator) -> dict[str, Trial]:
    """Make small tables with canaries, by the makers of the audit."""
    rows = _rows(rng).head(FEW_ROWS)
    rows['c'] = rng.choice(['a', 'b'], FEW_ROWS).astype(object)
    rows.loc[FEW_ROWS - 1, 'y'] = 'q'
    people = {'people': rows}
    kinds = {'x': 'numerical', 'y': 'categorical', 'c': 'categorical'}
    facts = _describe(people=kinds)
    silent = Metadata.load_from_dict(facts)
    facts['tables']['people']['columns']['y']['range_values'] = ['n', 'p', 'q']
    stated = Metadata.load_from_dict(facts)
    target = {'target_column': 'y'}
    return {
        'far out': Trial(far_out(people, silent), silent, target),
        'rare category': Trial(rare_category(people, 'c'), silent, target),
        'lone class': Trial(
            lone_class(people, 'y', 'q'), stated, {**target, 'public_metadata': True}
        ),
        'many children': _relational_trial(rows),
    }


def _rows(
    rng: np.random.Generator,
    numbers: tuple[float, ...] = (3.0, 4.0, 5.0),
    chances: tuple[float, ...] | None = None,
) -> pd.DataFrame:
    drawn = rng.choice(numbers, NUM_ROWS, p=chances)
    return pd.DataFrame({'x': drawn, 'y': rng.choice(['n', 'p'], NUM_ROWS).astype(object)})


def _game(domain: Domain, rows: pd.DataFrame, canary: dict[str, Any]) -> Game:
    def fit(table: Any, settings: Settings, noise: Noise, rng: np.random.Generator) -> object:
        return release(table, domain, settings, noise=noise, rng=rng)

    without = rows[list(domain.names)]
    present = pd.concat([rows, pd.DataFrame([canary])], ignore_index=True)[list(domain.names)]
    return Game((without, present), fit)


def _relational_game() -> Game:
    """Ordinary units have one child or none: which of them are kept tells nothing."""
    link = Link('stay', ('patient',), 'patient', required=True)
    schema = Schema(('patient', 'stay'), (link,))
    number = Number(name='x', low=0.0, high=9.0, step=1.0, nullable=False)

    def build(children: list[int]) -> Database:
        owners = np.repeat(np.arange(len(children)), children)
        units = {'patient': np.arange(len(children)), 'stay': owners}
        tables = {
            name: pd.DataFrame({'x': np.where(own == NUM_ROWS, 9.0, 3.0 + own % 3)})
            for name, own in units.items()
        }
        return Database(tables, {link: owners}, {name: len(own) for name, own in units.items()})

    def fit(database: Any, settings: Settings, noise: Noise, rng: np.random.Generator) -> object:
        return release_database(
            database,
            schema,
            dict.fromkeys(schema.private, Domain((number,))),
            dict.fromkeys(schema.private, settings),
            children={link: Children(0, CHILDREN)},
            noise=noise,
            rng=rng,
        )

    ordinary = [at % 2 for at in range(NUM_ROWS)]
    return Game((build(ordinary), build([*ordinary, CHILDREN])), fit)


def _relational_trial(rows: pd.DataFrame) -> Trial:
    numbers = np.arange(FEW_ROWS)
    tables = {
        'patient': pd.DataFrame({'patient': numbers, 'x': rows['x']}),
        'stay': pd.DataFrame({'stay': numbers, 'patient': numbers, 'c': rows['c']}),
    }
    facts = _describe(
        patient={'patient': 'id', 'x': 'numerical'},
        stay={'stay': 'id', 'patient': 'id', 'c': 'categorical'},
    )
    for name, table in facts['tables'].items():
        table['primary_key'] = name
    link = {
        'parent_table_name': 'patient',
        'parent_primary_key': 'patient',
        'child_table_name': 'stay',
        'child_foreign_key': 'patient',
    }
    metadata = Metadata.load_from_dict({**facts, 'relationships': [link]})
    return Trial(many_children(tables, metadata, 'patient', CHILDREN), metadata, {})


def _describe(**tables: dict[str, str]) -> dict[str, Any]:
    return {
        'tables': {
            table: {'columns': {name: {'sdtype': kind} for name, kind in kinds.items()}}
            for table, kinds in tables.items()
        }
    }
