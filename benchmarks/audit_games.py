"""Games of guesses: was the record among the fitted rows? And what ``docs/audit.md`` says of all.

    python benchmarks/audit_games.py                       # a quarter of an hour
    python benchmarks/audit_games.py --methods GaussianCopula --runs 40 --results /tmp/games.csv

Observers guess, for synthesizers that have no doors of noise to watch, for variants of ours that
are broken on purpose, and for ours, to check the arithmetic of ``audit.py``. Wrong guesses are the
results.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Iterator
from functools import partial

import audit
import numpy as np
import pandas as pd
from audit import ALL, FOUND, RELATIONS, THIRD
from neighbours import make_schemas
from pages import DOCS, pick, write_page, write_table
from runner import Benchmark, Job, Options, Row
from suspects import BROKEN, OURS, SILENT, make_suspect

from sdv_threea.audit import Guesses, audit_privacy, far_out, many_children
from sdv_threea.audit.game import FORMS, GENERAL
from sdv_threea.stages import STAGES

#: Every bound of the page has this confidence by itself.
CONFIDENCE, DELTA = 0.995, 1e-6

#: Rows of the tables, and children of a canary.
ROWS, CHILDREN = 100, 20

#: The epsilon of the tables that show one.
SHOWN = 1.0

KEY = ['method', 'canary', 'epsilon']


#: The games, with their numbers of fits: who plays, with which canary and schema, at which claim.
GAMES = {
    ('GaussianCopula', 'far out, mixed types', math.inf): 60,
    ('CTGAN', 'far out, mixed types', math.inf): 40,
    ('HMA', 'many children, relational', math.inf): 40,
    **{(method, 'far out, mixed types', 1.0): 60 for method in BROKEN},
    (OURS, 'far out, mixed types', 8.0): 480,
    (OURS, 'far out, constraints', 8.0): 240,
    (OURS, 'many children, relational', 8.0): 240,
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the games."""
    for key in GAMES:
        if key[0] in options.methods:
            yield dict(zip(KEY, key, strict=True))


def measure(job: Job, options: Options) -> list[Row]:
    """Let the observers of the public tool guess."""
    began = time.process_time()
    method, canary, epsilon = (job[name] for name in KEY)
    kind, _, name = canary.partition(', ')
    schema = make_schemas(ROWS)[name]
    data = schema.build(None)
    if kind == 'many children':
        neighbours = many_children(data, schema.metadata, 'patient', CHILDREN)
    else:
        neighbours = far_out(data, schema.metadata)
    claim = {} if method in SILENT else {'epsilon': epsilon}
    result = audit_privacy(
        partial(make_suspect, method, schema, **claim),
        neighbours,
        epsilon=epsilon,
        delta=DELTA,
        runs=options.runs or GAMES[method, canary, epsilon],
        confidence=CONFIDENCE,
        gaussian=method not in SILENT,
    )
    rows = [{'view': b.view, 'form': b.form, **b.guesses._asdict()} for b in result.bounds]
    return [row | {'seconds': time.process_time() - began} for row in rows]


def bound(games: pd.DataFrame) -> pd.DataFrame:
    """Bound epsilon by how guesses turned out: the larger of both forms."""
    rows = games.assign(
        bound=[
            FORMS[row.form](
                Guesses(*(getattr(row, name) for name in Guesses._fields)), DELTA, CONFIDENCE
            )
            for row in games.itertuples()
        ],
        runs=games['without'] + games['present'],
    )
    # Who claims nothing is held to what holds for any mechanism.
    rows = rows[(rows['epsilon'] < math.inf) | (rows['form'] == GENERAL)]
    return rows.groupby([*KEY, 'view', 'runs'], sort=False)['bound'].max().reset_index()


def find_refuted(measures: pd.DataFrame) -> pd.DataFrame:
    """Find measurements of ours that are above their claim."""
    whole = pick(measures, method=OURS, stage=ALL)
    return whole[(whole['share'] > 1) | (whole['exceeded'] > 0) | (whole['leaks'] > 0)]


def write_shares(rows: pd.DataFrame, down: str, across: str, statistic: str = 'median') -> str:
    """Write the shares of claims of records added and replaced, by two fields of the results."""
    kinds = rows.groupby([down, across, 'relation'])['share'].agg(statistic).to_dict()
    heads, lines = sorted(set(rows[across]), key=(*STAGES, *rows[across]).index), []
    for name in dict.fromkeys(rows[down]):
        pairs = [[kinds.get((name, head, each), math.nan) for each in RELATIONS] for head in heads]
        lines.append([name, *(' / '.join(map(write_below, pair)) for pair in pairs)])
    return write_table([down, *map(str, heads)], lines)


def write_broken(measures: pd.DataFrame) -> str:
    """Write what the arithmetic says of variants that are broken on purpose."""
    whole = pick(measures, stage=ALL).set_index('method').loc[[*BROKEN, THIRD]]
    lines = [[row.Index, f'{row.leaks:.0f}', f'{row.noise:.2f}'] for row in whole.itertuples()]
    return write_table(['variant', 'what differs beside the answers', 'noise per claim'], lines)


def write_games(bounds: pd.DataFrame) -> str:
    """Write lower bounds by who plays, canary and view: bold if above the claim."""
    lines = []
    for (method, canary, epsilon, runs), rows in bounds.groupby([*KEY, 'runs'], sort=False):
        texts = [f'{bound:.2f}' if bound else '0' for bound in rows['bound']]
        pairs = zip(texts, rows['bound'] > epsilon, strict=True)
        claim = 'none' if method in SILENT else f'{epsilon:g}'
        cells = [f'**{text}**' if refuted else text for text, refuted in pairs]
        lines.append([method, canary, f'{runs}', claim, *cells])
    views = [f'seen: {view}' for view in dict.fromkeys(bounds['view'])]
    return write_table(['synthesizer', 'canary', 'guesses', 'claimed ε', *views], lines)


def write_totals(measures: pd.DataFrame) -> str:
    """Write in words what was measured."""
    own = pick(measures, method=OURS, stage=ALL)
    noise = np.sqrt(np.average(own['noise'] ** 2, weights=own['values']))
    said = (
        f'{len(own)} pairs of neighbours were measured. {len(find_refuted(measures))} are further '
        f'apart than claimed, in any answer or in all together; the largest share of a claim is '
        f'{write_below(own["share"].max())}. The noise of {own["values"].sum():,.0f} answers is '
        f'{noise:.4f} times as wide as receipts say.'
    )
    return textwrap.fill(said, 100)


def write_below(share: float) -> str:
    """Write a share to three digits, never rounded up to the claim; a dash if there is none."""
    if math.isnan(share):
        return '–'
    return f'{math.floor(share * 1000) / 1000:.3f}'.removeprefix('0')


def list_parts(measures: pd.DataFrame, bounds: pd.DataFrame) -> dict[str, str]:
    """Write all that stands between the marks of the page."""
    ours = pick(measures, method=OURS)
    whole, parts = ours[ours['stage'] == ALL], ours[ours['stage'] != ALL]
    named = pick(whole[whole['canary'] != FOUND], epsilon=SHOWN)
    found = pick(whole, canary=FOUND)
    found = found.assign(epsilon=[f'ε = {epsilon:g}' for epsilon in found['epsilon']])
    return {
        'totals': write_totals(measures),
        'found': write_shares(found, 'schema', 'epsilon'),
        'largest': write_shares(found, 'schema', 'epsilon', 'max'),
        'stages': write_shares(pick(parts, canary=FOUND, epsilon=SHOWN), 'schema', 'stage'),
        'canaries': write_shares(named, 'canary', 'schema'),
        'broken': write_broken(measures),
        'games': write_games(bounds),
    }


def write_all() -> None:
    """Write the page."""
    measures, bounds = audit.BENCHMARK.read(), bound(BENCHMARK.read())
    write_page(DOCS / 'audit.md', list_parts(measures, bounds))
    print(write_totals(measures))


BENCHMARK = Benchmark(
    name='audit_games',
    list_jobs=list_jobs,
    measure=measure,
    options={'methods': [*SILENT, *BROKEN, OURS], 'runs': 0},
    write_pages=lambda _: write_all(),
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
