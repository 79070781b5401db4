"""The audit of this package: how much of its claims one record reaches, and who else is caught.

    python benchmarks/audit.py                              # an hour
    python benchmarks/audit.py --methods 'records alone' --records 100 --results /tmp/alone.csv
    python benchmarks/audit.py --schemas 'one number, public' --methods ClustMix --epsilons 1 \
        --rows 200 --results /tmp/audit.csv                 # a minute

For each schema of :mod:`neighbours`, both relations and two budgets, it measures what named
canaries reach of the claimed ``mu``, and what the worst record reaches that a search found, with
fresh noise several times; and variants of ours that are broken on purpose. There is a row per
stage, and one for all of them. For each crowd of :mod:`crowds` it measures what every hostile
record adds alone to each released statistic; there is a row per statistic. The tables of
``docs/lab/audit.md`` are made of the results.
"""

from __future__ import annotations

import math
import textwrap
import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from contributions import measure_contributions
from crowds import list_crowds
from neighbours import list_canaries, make_schemas, search
from numpy.typing import NDArray
from pages import DOCS, pick, write_page, write_table
from runner import Benchmark, Job, Options, Row, grid
from sdv.metadata import Metadata
from tables import state_facts

from sdv_threea import ClustMixSynthesizer
from sdv_threea.audit import measure_mu
from sdv_threea.planning.plan import STAGES
from sdv_threea.privacy.mechanism import discrete_gaussian

OURS = 'ClustMix'

#: Ours, each record of a crowd alone.
ALONE = 'records alone'

RELATIONS, EPSILONS = ('add_remove', 'replace_one'), (1.0, 8.0)

#: How often the record that a search found is measured, with fresh noise.
FRESH = 5

#: What a search found; all stages together; noise that is a third of what is paid for.
FOUND, ALL, THIRD = 'found by search', 'all', 'noise at a third'

#: The epsilon of the tables that show one.
SHOWN = 1.0

SCHEMAS, CROWDS = list(make_schemas(1)), list_crowds()


def draw_a_third(size: int, scale: float) -> NDArray[np.int64]:
    """Draw noise of a third of the scale that is paid for."""
    return discrete_gaussian(size, scale / 3)


class CategoriesFromData:
    """Takes the lists of categories from the private table, as who detects metadata does."""

    def __init__(self, metadata: Metadata, **settings: Any) -> None:
        self.metadata, self.settings = metadata, settings

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, as if what the table holds were public."""
        (table,) = data.values()
        stated = state_facts(table, self.metadata)
        self.inner = ClustMixSynthesizer(stated, **{**self.settings, 'public_metadata': True})
        self.inner.fit(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class KeepsRowCount(ClustMixSynthesizer):
    """Keeps the number of rows, which nobody paid for."""

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, and count."""
        super().fit(data)
        self.row_count = sum(map(len, data.values()))


class WarnsOfRows(ClustMixSynthesizer):
    """Warns of the largest number, and keeps nothing of it."""

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Fit, and warn."""
        super().fit(data)
        warnings.warn(f'There are numbers up to {data["table"]["x"].max()}.', stacklevel=2)


#: Ours, broken on purpose.
BROKEN = {
    'categories from the data': CategoriesFromData,
    'an unpaid row count': KeepsRowCount,
    'a warning with a value': WarnsOfRows,
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the broken variants, then ours: all schemas, relations and budgets."""
    others = [method for method in (*BROKEN, THIRD) if method in options.methods]
    yield from grid(method=others, schema=['mixed types'], relation=['add_remove'], epsilon=[1.0])
    alone = [ALONE] if ALONE in options.methods else []
    # Crowds have budgets of their own, at which every stage has something to release.
    yield from grid(method=alone, schema=CROWDS, relation=RELATIONS, epsilon=[''])
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
    if method == ALONE:
        return measure_alone(job['schema'], relation, options.records)
    schema = make_schemas(options.rows)[job['schema']]
    canaries = list_canaries(schema)
    base = None if relation == 'add_remove' else canaries['commonest']
    pairs = [(name, 0, base, other) for name, other in canaries.items() if other != base]
    if method == OURS:
        found = search(schema, epsilon, relation)
        pairs += [(FOUND, run, *found) for run in range(FRESH)]
    else:
        schema = schema._replace(make=partial(schema.make, BROKEN.get(method, ClustMixSynthesizer)))
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


def measure_alone(name: str, relation: str, num_records: int) -> list[Row]:
    """Measure what each record of a crowd adds alone, statistic by statistic."""
    began, crowd = time.process_time(), CROWDS[name](num_records)
    terms = {'replaced': relation == 'replace_one', 'unit': crowd.unit}
    fit = partial(crowd.fit, relation)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        found = measure_contributions(fit, crowd.ordinary, crowd.hostile, **terms)
    seconds = time.process_time() - began
    return [
        {
            'canary': each.released,
            'run': at,
            'stage': each.stage,
            'share': each.share,
            'exceeded': int(each.refuted),
            'leaks': int(not each.adds_up),
            'values': each.num_records,
            'seconds': seconds,
        }
        for at, each in enumerate(found)
    ]


def find_refuted(measures: pd.DataFrame) -> pd.DataFrame:
    """Find measurements of ours that are above their claim."""
    ours = pd.concat([pick(measures, method=OURS, stage=ALL), pick(measures, method=ALONE)])
    return ours[(ours['share'] > 1 + 1e-9) | (ours['exceeded'] > 0) | (ours['leaks'] > 0)]


def write_shares(rows: pd.DataFrame, down: str, across: str, how: str = 'median') -> str:
    """Write shares of claims of records added and replaced, by two fields of the results.

    Of several measurements it takes the median, or ``how`` says what.
    """
    kinds = rows.groupby([down, across, 'relation'])['share'].agg(how).to_dict()
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


def write_alone(measures: pd.DataFrame) -> str:
    """Write in words how many records were tried alone, then the largest share by stage."""
    rows = pick(measures, method=ALONE).rename(columns={'schema': 'crowd'})
    said = (
        f'{len(rows)} statistics of {rows["crowd"].nunique()} crowds were measured, and '
        f'{rows["values"].sum():,.0f} contributions of single records or units to them. '
        f'{len(find_refuted(rows))} of the statistics are moved further than they declare; '
        f'{rows["leaks"].sum():.0f} are not the sum of their records. The largest share of what '
        'is declared, for a record or unit added, and for one replaced by another:'
    )
    shares = write_shares(rows, 'crowd', 'stage', 'max')
    return f'{textwrap.fill(said, 100)}\n\n{shares}'


def write_totals(measures: pd.DataFrame) -> str:
    """Write in words what was measured."""
    own = pick(measures, method=OURS, stage=ALL)
    noise = np.sqrt(np.average(own['noise'] ** 2, weights=own['values']))
    said = (
        f'{len(own)} pairs of neighbours were measured. {len(find_refuted(own))} are further '
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


def write_pages(measures: pd.DataFrame) -> None:
    """Write the tables of the page."""
    ours = pick(measures, method=OURS)
    whole, parts = ours[ours['stage'] == ALL], ours[ours['stage'] != ALL]
    named = pick(whole[whole['canary'] != FOUND], epsilon=SHOWN)
    found = pick(whole, canary=FOUND)
    found = found.assign(epsilon=[f'ε = {epsilon:g}' for epsilon in found['epsilon']])
    tables = {
        'totals': write_totals(measures),
        'found': write_shares(found, 'schema', 'epsilon'),
        'stages': write_shares(pick(parts, canary=FOUND, epsilon=SHOWN), 'schema', 'stage'),
        'canaries': write_shares(named, 'canary', 'schema'),
        'broken': write_broken(measures),
        'alone': write_alone(measures),
    }
    write_page(DOCS / 'lab' / 'audit.md', tables)


BENCHMARK = Benchmark(
    name='audit_mu',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'schemas': SCHEMAS,
        'methods': [*BROKEN, THIRD, ALONE, OURS],
        'epsilons': list(EPSILONS),
        'rows': 2000,
        'records': 400,
    },
    write_pages=write_pages,
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
