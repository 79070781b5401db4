"""Makes lower bounds of the counts of the audit, and writes them into ``docs/audit.md``.

    python benchmarks/tabulate_audit.py

Batches of one kind are added up. A bound is that of :mod:`sdv_threea.audit.bounds`, with the
confidence of :data:`audit.CONFIDENCE`, each by itself.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd
from audit import CONFIDENCE, KEY, MAIN, RESULTS, WHITE_BOX
from suspects import CLAIMING, NOISES, OURS, SILENT

from sdv_threea.audit import Guesses, bound_epsilon
from sdv_threea.audit.bounds import bound_gaussian_epsilon
from sdv_threea.audit.game import GAUSSIAN, GENERAL

PAGE = Path(__file__).parents[1] / 'docs' / 'audit.md'
FORMS = {GENERAL: bound_epsilon, GAUSSIAN: bound_gaussian_epsilon}
VIEWS = ['synthetic rows', 'released parameters']

#: The share of its claim that the main game shall reach, so that the audit is seen to see.
LEAST_REACHED = 0.7


def read_bounds(path: Path) -> pd.DataFrame:
    """Read the counts, add batches up, and bound epsilon by each: a row per kind."""
    rows = pd.read_csv(path)
    kinds = [name for name in KEY if name != 'batch']
    sums = rows.groupby([*kinds, 'delta'], sort=False)[[*Guesses._fields, 'seconds']].sum()
    sums = sums.reset_index()
    sums['bound'] = [
        FORMS[row.form](
            Guesses(*(int(getattr(row, name)) for name in Guesses._fields)), row.delta, CONFIDENCE
        )
        for row in sums.itertuples()
    ]
    sums['runs'] = sums['without'] + sums['present']
    return sums


def find_refuted(bounds: pd.DataFrame) -> pd.DataFrame:
    """Find the bounds that are above their claims."""
    return bounds[bounds['bound'] > bounds['epsilon']]


def write_games(bounds: pd.DataFrame) -> str:
    """Write what the strongest observer finds of ours: by canary and claim."""
    found = bounds[(bounds['view'] == WHITE_BOX) & (bounds['method'] == OURS)]
    claims = sorted(found['epsilon'].unique())
    lines = [['canary', 'form', *(f'claimed ε = {claim:g}' for claim in claims)]]
    for canary in sorted(found['canary'].unique(), key=lambda name: name != MAIN):
        for form in (GAUSSIAN, GENERAL):
            own = found[(found['canary'] == canary) & (found['form'] == form)]
            cells = [_cell(own[own['epsilon'] == claim], share=True) for claim in claims]
            lines.append([canary, form, *cells])
    return _write(lines)


def write_trials(bounds: pd.DataFrame) -> str:
    """Write what the public tool finds of ours: by canary, view and claim."""
    found = bounds[(bounds['view'] != WHITE_BOX) & (bounds['method'] == OURS)]
    claims = sorted(found['epsilon'].unique())
    lines = [['canary', 'seen', *(f'claimed ε = {claim:g}' for claim in claims)]]
    for canary in found['canary'].unique():
        for view in VIEWS:
            own = found[(found['canary'] == canary) & (found['view'] == view)]
            lines.append([canary, view, *(_best(own[own['epsilon'] == each]) for each in claims)])
    return _write(lines)


def write_caught(bounds: pd.DataFrame) -> str:
    """Write what is found of those that are to be caught: the largest bound of each kind."""
    broken = [name for name in [*NOISES, *CLAIMING] if name != OURS]
    lines = [['synthesizer', 'canary', 'seen', 'claimed ε', 'ε at least', 'caught']]
    for name in [*broken, *SILENT]:
        found = bounds[bounds['method'] == name]
        for (canary, view, claim), own in found.groupby(['canary', 'view', 'epsilon'], sort=False):
            silent = math.isinf(claim)
            # Who claims nothing is held to what holds for any mechanism.
            best = own[own['form'] == GENERAL]['bound'] if silent else own['bound']
            caught = '' if silent else ('yes' if best.max() > claim else 'no')
            cells = [name, canary, view, 'none' if silent else f'{claim:g}', f'{best.max():.2f}']
            lines.append([*cells, caught])
    return _write(lines)


def write_totals(bounds: pd.DataFrame) -> str:
    """Write in words how many bounds there are, and what became of them."""
    ours = bounds[bounds['method'] == OURS]
    main = ours[(ours['canary'] == MAIN) & (ours['form'] == GAUSSIAN)]
    reached = (main['bound'] / main['epsilon']).min()
    fits = bounds.drop_duplicates(['method', 'canary', 'epsilon'])['seconds'].sum()
    return (
        f'Of {len(ours)} bounds on ours, each with a confidence of {CONFIDENCE:.1%}, '
        f'{len(find_refuted(ours))} are above their claim. In the first game the observer reaches '
        f'at least {reached:.0%} of every claim. All took {fits / 60:.0f} minutes of processor '
        'time.'
    )


def write_page(page: str, bounds: pd.DataFrame) -> str:
    """Put the tables between their marks."""
    tables = {
        'totals': write_totals(bounds),
        'games': write_games(bounds),
        'trials': write_trials(bounds),
        'caught': write_caught(bounds),
    }
    for name, text in tables.items():
        mark = re.compile(f'<!-- {name} -->.*<!-- /{name} -->', re.DOTALL)
        page = mark.sub(f'<!-- {name} -->\n{text}\n<!-- /{name} -->', page)
    return page


def _cell(own: pd.DataFrame, *, share: bool = False) -> str:
    if own.empty:
        return ''
    (row,) = own.itertuples()
    text = f'{row.bound:.2f}'
    if share:
        text += f' ({row.bound / row.epsilon:.0%}; {row.runs:,} fits)'
    return f'**{text}**' if row.bound > row.epsilon else text


def _best(own: pd.DataFrame) -> str:
    return _cell(own.nlargest(1, 'bound'))


def _write(lines: list[list[str]]) -> str:
    head, *rest = [f'| {" | ".join(cells)} |' for cells in lines]
    return '\n'.join([head, '|' + '---|' * len(lines[0]), *rest])


def main() -> None:
    """Write the page."""
    bounds = read_bounds(RESULTS)
    PAGE.write_text(write_page(PAGE.read_text('utf-8'), bounds), encoding='utf-8')
    print(write_totals(bounds))
    for row in find_refuted(bounds[bounds['method'] == OURS]).itertuples():
        print(f'Above its claim: {row.canary}, {row.view}, {row.form}, epsilon {row.epsilon:g}.')


if __name__ == '__main__':
    main()
