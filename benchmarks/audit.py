"""The audit of this package: how much of its claims one record reaches, and who else is caught.

    python benchmarks/audit.py                              # half an hour
    python benchmarks/audit.py --schemas 'one number, public' --methods ClustMix --epsilons 1 \
        --rows 200 --results /tmp/audit.csv                 # a minute

For each schema of :mod:`neighbours`, both relations and two budgets, it measures what named
canaries reach of the claimed ``mu``, and what the worst record reaches that a search found, with
fresh noise several times; and broken variants. There is a row per stage, and one for all of them.
``audit_games.py`` plays games of guesses, and fills ``docs/audit.md`` from both results.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from importlib import import_module

from neighbours import list_canaries, make_schemas, search
from runner import Benchmark, Job, Options, Row, grid
from suspects import BROKEN, OURS, draw_a_third, make_suspect

from sdv_threea.audit import measure_mu

RELATIONS, EPSILONS = ('add_remove', 'replace_one'), (1.0, 8.0)

#: How often the record that a search found is measured, with fresh noise.
FRESH = 5

#: What a search found; all stages together; noise that is a third of what is paid for.
FOUND, ALL, THIRD = 'found by search', 'all', 'noise at a third'

SCHEMAS = list(make_schemas(1))


def list_jobs(options: Options) -> Iterator[Job]:
    """List the broken variants, then ours: all schemas, relations and budgets."""
    others = [method for method in (*BROKEN, THIRD) if method in options.methods]
    yield from grid(method=others, schema=['mixed types'], relation=['add_remove'], epsilon=[1.0])
    ours = [OURS] if OURS in options.methods else []
    yield from grid(
        method=ours, schema=options.schemas, relation=RELATIONS, epsilon=options.epsilons
    )


def measure(job: Job, options: Options) -> list[Row]:
    """Measure records beside ordinary rows, or in the place of one that is of the commonest kind.

    Broken variants are measured once; ours by all canaries, and by what a search found.
    """
    method, epsilon, relation = job['method'], job['epsilon'], job['relation']
    began = time.process_time()
    schema = make_schemas(options.rows)[job['schema']]
    canaries = list_canaries(schema)
    base = None if relation == 'add_remove' else canaries['commonest']
    pairs = [(name, 0, base, other) for name, other in canaries.items() if other != base]
    if method == OURS:
        found = search(schema, epsilon, relation)
        pairs += [(FOUND, run, *found) for run in range(FRESH)]
    else:
        schema = schema._replace(make=partial(make_suspect, method, schema))
        pairs = [('far out', 0, canaries['far out'], base)]
    noise, rows = draw_a_third if method == THIRD else None, []
    for canary, run, one, other in pairs:
        fit = partial(schema.fit, epsilon, relation)
        result = measure_mu(fit, schema.build(one), schema.build(other), noise=noise)
        about = {'canary': canary, 'run': run}
        whole = {name: getattr(result, name) for name in ('mu', 'claimed', 'share', 'noise')}
        whole |= {'exceeded': sum(each.exceeds for each in result.answers)}
        whole |= {'leaks': len(result.leaks), 'values': result.num_values}
        rows.append(about | {'stage': ALL} | whole)
        rows += [{**about, 'stage': stage, **row} for stage, row in result.by_stage().iterrows()]
    seconds = time.process_time() - began
    return [row | {'seconds': seconds} for row in rows]


BENCHMARK = Benchmark(
    name='audit_mu',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'schemas': SCHEMAS,
        'methods': [*BROKEN, THIRD, OURS],
        'epsilons': list(EPSILONS),
        'rows': 2000,
    },
    write_pages=lambda _: import_module('audit_games').write_all(),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
