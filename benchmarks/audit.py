"""The audit of this package: how much of its claims one record reaches, and who else is caught.

    python benchmarks/audit.py      # half an hour

* *Arithmetic*: for each schema of :mod:`neighbours`, both relations and two budgets, what named
  canaries reach of the claimed ``mu``, and what the worst record reaches that a search found,
  measured with fresh noise several times; and broken variants. ``results/audit_mu.csv`` has a row
  per stage, and one for all of them.
* *Games*: observers guess, for synthesizers that have no doors of noise to watch, for the broken
  variants, and for ours, to check the arithmetic. ``results/audit.csv`` has the wrong guesses.

What is there is not run again, so the benchmark can be stopped and resumed. ``python
benchmarks/tabulate_audit.py`` writes the figures into ``docs/audit.md``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from neighbours import Schema, list_canaries, make_schemas, search
from rows import append
from suspects import BROKEN, OURS, SILENT, draw_a_third, make_suspect

from sdv_threea.audit import Guesses, audit_privacy, far_out, many_children, measure_mu

RESULTS = Path(__file__).parent / 'results'
MEASURES, GAMES = 'audit_mu.csv', 'audit.csv'
RELATIONS, EPSILONS = ('add_remove', 'replace_one'), (1.0, 8.0)

#: How often the record that a search found is measured, with fresh noise.
FRESH = 5

#: What a search found; all stages together; noise that is a third of what is paid for.
FOUND, ALL, THIRD = 'found by search', 'all', 'noise at a third'

MEASURE_KEY = ['method', 'schema', 'relation', 'epsilon']
MEASURE_FIELDS = [*MEASURE_KEY, 'canary', 'run', 'stage', 'mu', 'claimed', 'share']
MEASURE_FIELDS += ['exceeded', 'leaks', 'noise', 'values', 'seconds']

#: Every bound of the page has this confidence by itself.
CONFIDENCE, DELTA = 0.995, 1e-6

GAME_KEY = ['method', 'canary', 'epsilon']
GAME_FIELDS = [*GAME_KEY, 'view', 'form', *Guesses._fields, 'seconds']

#: Rows of the tables of games, and children of a canary.
FEW_ROWS, CHILDREN = 100, 20

#: Keys of results, and what makes their rows.
Jobs = Iterator[tuple[tuple[Any, ...], Callable[[], Iterator[dict[str, Any]]]]]


class Game(NamedTuple):
    """Who plays, with which canary, on which schema, and how many fits."""

    method: str
    canary: str
    schema: str
    epsilon: float
    runs: int


PLAYED = (
    Game('GaussianCopula', 'far out', 'mixed types', math.inf, 60),
    Game('CTGAN', 'far out', 'mixed types', math.inf, 40),
    Game('HMA', 'many children', 'relational', math.inf, 40),
    *(Game(method, 'far out', 'mixed types', 1.0, 60) for method in BROKEN),
    Game(OURS, 'far out', 'mixed types', 8.0, 480),
    Game(OURS, 'far out', 'constraints', 8.0, 240),
    Game(OURS, 'many children', 'relational', 8.0, 240),
)


def measure(method: str, schema: Schema, relation: str, epsilon: float) -> Iterator[dict[str, Any]]:
    """Measure records beside ordinary rows, or in the place of one that is of the commonest kind.

    Broken variants are measured once; ours by all canaries, and by what a search found.
    """
    canaries = list_canaries(schema)
    base = None if relation == 'add_remove' else canaries['commonest']
    pairs = [(name, 0, base, other) for name, other in canaries.items() if other != base]
    if method == OURS:
        found = search(schema, epsilon, relation)
        pairs += [(FOUND, run, *found) for run in range(FRESH)]
    else:
        schema = schema._replace(make=partial(make_suspect, method, schema))
        pairs = [('far out', 0, canaries['far out'], base)]
    noise = draw_a_third if method == THIRD else None
    for canary, run, one, other in pairs:
        fit = partial(schema.fit, epsilon, relation)
        result = measure_mu(fit, schema.build(one), schema.build(other), noise=noise)
        about = {'canary': canary, 'run': run}
        yield about | {
            'stage': ALL,
            **{name: getattr(result, name) for name in ('mu', 'claimed', 'share', 'noise')},
            'exceeded': sum(each.exceeds for each in result.answers),
            'leaks': len(result.leaks),
            'values': result.num_values,
        }
        for stage, row in result.by_stage().iterrows():
            yield {**about, 'stage': stage, **row}


def play(game: Game, schema: Schema) -> Iterator[dict[str, Any]]:
    """Let the observers of the public tool guess."""
    data = schema.build(None)
    if game.canary == 'many children':
        neighbours = many_children(data, schema.metadata, 'patient', CHILDREN)
    else:
        neighbours = far_out(data, schema.metadata)
    claim = {} if game.method in SILENT else {'epsilon': game.epsilon}
    result = audit_privacy(
        partial(make_suspect, game.method, schema, **claim),
        neighbours,
        epsilon=game.epsilon,
        delta=DELTA,
        runs=game.runs,
        confidence=CONFIDENCE,
        gaussian=game.method not in SILENT,
    )
    for bound in result.bounds:
        yield {'view': bound.view, 'form': bound.form, **bound.guesses._asdict()}


def list_measures(schemas: dict[str, Schema]) -> Jobs:
    """List what is measured: its key, and what measures it."""
    keys = [(method, 'mixed types', 'add_remove', 1.0) for method in (*BROKEN, THIRD)]
    keys += [(OURS, *key) for key in product(schemas, RELATIONS, EPSILONS)]
    for method, name, relation, epsilon in keys:
        job = partial(measure, method, schemas[name], relation, epsilon)
        yield (method, name, relation, epsilon), job


def list_games(schemas: dict[str, Schema]) -> Jobs:
    """List the games: their keys, and what plays them."""
    for game in PLAYED:
        key = (game.method, f'{game.canary}, {game.schema}', game.epsilon)
        yield key, partial(play, game, schemas[game.schema])


def run_missing(path: Path, key: list[str], fields: list[str], jobs: Jobs) -> None:
    """Run the jobs that are not among the results, and add their rows."""
    done = set(pd.read_csv(path)[key].itertuples(index=False, name=None)) if path.exists() else ()
    for about, job in jobs:
        if about in done:
            continue
        began = time.process_time()
        rows = list(job())
        seconds = time.process_time() - began
        for row in rows:
            append(path, fields, dict(zip(key, about, strict=True)) | row | {'seconds': seconds})
        print(*about, f'{seconds:.0f} s', sep=', ', flush=True)


def main() -> None:
    """Run what is missing."""
    measures, games = list_measures(make_schemas()), list_games(make_schemas(FEW_ROWS))
    run_missing(RESULTS / MEASURES, MEASURE_KEY, MEASURE_FIELDS, measures)
    run_missing(RESULTS / GAMES, GAME_KEY, GAME_FIELDS, games)


if __name__ == '__main__':
    main()
