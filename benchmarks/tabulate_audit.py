"""Makes lower bounds of the counts of the audit, and writes them into ``docs/audit.md``.

    python benchmarks/tabulate_audit.py

Batches of one kind are added up. A bound is that of :mod:`sdv_threea.audit.bounds`, with the
confidence of :data:`audit.CONFIDENCE`, each by itself.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
from audit import CONFIDENCE, EPSILONS, KEY, MAIN, RESULTS, WHITE_BOX
from pages import fill, write_table
from suspects import CLAIMING, NOISES, OURS, SILENT

from sdv_threea.audit import Guesses
from sdv_threea.audit.game import FORMS, GAUSSIAN, GENERAL

PAGE = Path(__file__).parents[1] / 'docs' / 'audit.md'
CLAIMS = [f'claimed ε = {epsilon:g}' for epsilon in EPSILONS]

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
    """Write what the strongest observer finds of ours: by canary, form and claim."""
    found = bounds[(bounds['view'] == WHITE_BOX) & (bounds['method'] == OURS)]
    canaries = sorted(found['canary'].unique(), key=lambda name: name != MAIN)
    lines = []
    for canary in canaries:
        for form in (GAUSSIAN, GENERAL):
            own = found[(found['canary'] == canary) & (found['form'] == form)]
            lines.append([canary, form, _count_guesses(own), *_cells(own, share=True)])
    return write_table(['canary', 'form', 'guesses per claim', *CLAIMS], lines)


def write_trials(bounds: pd.DataFrame) -> str:
    """Write what the public tool finds of ours: by canary, view and claim."""
    found = bounds[(bounds['view'] != WHITE_BOX) & (bounds['method'] == OURS)]
    lines = [
        [canary, view, _count_guesses(own), *_cells(own)]
        for (canary, view), own in found.groupby(['canary', 'view'], sort=False)
    ]
    return write_table(['canary', 'seen', 'guesses per claim', *CLAIMS], lines)


def write_caught(bounds: pd.DataFrame) -> str:
    """Write what is found of those that are to be caught."""
    found = bounds[bounds['method'] != OURS]
    # Who claims nothing is held to what holds for any mechanism.
    found = found[(found['epsilon'] < math.inf) | (found['form'] == GENERAL)]
    order = [*NOISES, *CLAIMING, *SILENT]
    kinds = found.groupby(['method', 'canary', 'view'], sort=False)
    lines = [
        [*kind, _count_guesses(own), *_cells(own), *_cells(own, (math.inf,))] for kind, own in kinds
    ]
    lines.sort(key=lambda line: order.index(line[0]))
    head = ['synthesizer', 'canary', 'seen', 'guesses per claim', *CLAIMS, 'no claim']
    return write_table(head, lines)


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
    return fill(page, tables)


def _cells(
    own: pd.DataFrame, claims: tuple[float, ...] = EPSILONS, *, share: bool = False
) -> list[str]:
    """Write the largest bound by claim: bold if it is above."""
    cells = []
    for claim in claims:
        best = own.loc[own['epsilon'] == claim, 'bound'].max()
        text = '' if math.isnan(best) else f'{best:.2f}'
        text += f' ({best / claim:.0%})' if share and best > 0 else ''
        cells.append(f'**{text}**' if best > claim else text)
    return cells


def _count_guesses(own: pd.DataFrame) -> str:
    """Write how many guesses count for each claim."""
    runs = own.groupby('epsilon')['runs'].max()
    first, last = runs.iloc[0], runs.iloc[-1]
    return f'{first:,}' if first == last else f'{first:,} to {last:,}'


def main() -> None:
    """Write the page."""
    bounds = read_bounds(RESULTS)
    PAGE.write_text(write_page(PAGE.read_text('utf-8'), bounds), encoding='utf-8')
    print(write_totals(bounds))
    for row in find_refuted(bounds[bounds['method'] == OURS]).itertuples():
        print(f'Above its claim: {row.canary}, {row.view}, {row.form}, epsilon {row.epsilon:g}.')


if __name__ == '__main__':
    main()
