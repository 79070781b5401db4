"""Makes tables of the results of the audit, and writes them into ``docs/audit.md``.

python benchmarks/tabulate_audit.py
"""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import fill as fill_lines

import numpy as np
import pandas as pd
from audit import (
    ALL,
    CONFIDENCE,
    DELTA,
    FOUND,
    GAME_KEY,
    GAMES,
    MEASURES,
    RELATIONS,
    RESULTS,
    THIRD,
)
from pages import fill, write_table
from suspects import BROKEN, OURS, SILENT

from sdv_threea.audit import Guesses
from sdv_threea.audit.game import FORMS, GENERAL
from sdv_threea.stages import STAGES

PAGE = Path(__file__).parents[1] / 'docs' / 'audit.md'

#: The epsilon of the tables that show one.
SHOWN = 1.0


def read_bounds(path: Path) -> pd.DataFrame:
    """Read how guesses turned out, and bound epsilon by them: the larger of both forms."""
    rows = pd.read_csv(path)
    rows['bound'] = [
        FORMS[row.form](
            Guesses(*(getattr(row, name) for name in Guesses._fields)), DELTA, CONFIDENCE
        )
        for row in rows.itertuples()
    ]
    # Who claims nothing is held to what holds for any mechanism.
    rows = rows[(rows['epsilon'] < math.inf) | (rows['form'] == GENERAL)]
    rows['runs'] = rows['without'] + rows['present']
    return rows.groupby([*GAME_KEY, 'view', 'runs'], sort=False)['bound'].max().reset_index()


def find_refuted(measures: pd.DataFrame) -> pd.DataFrame:
    """Find measurements of ours that are above their claim."""
    whole = _pick(measures, method=OURS, stage=ALL)
    return whole[(whole['share'] > 1) | (whole['exceeded'] > 0) | (whole['leaks'] > 0)]


def write_shares(rows: pd.DataFrame, down: str, across: str, statistic: str = 'median') -> str:
    """Write the shares of claims of records added and replaced, by two fields of the results."""
    kinds = rows.groupby([down, across, 'relation'])['share'].agg(statistic).to_dict()
    heads, lines = sorted(set(rows[across]), key=(*STAGES, *rows[across]).index), []
    for name in dict.fromkeys(rows[down]):
        pairs = [[kinds.get((name, head, each), math.nan) for each in RELATIONS] for head in heads]
        lines.append([name, *(' / '.join(map(_cut, pair)) for pair in pairs)])
    return write_table([down, *map(str, heads)], lines)


def write_broken(measures: pd.DataFrame) -> str:
    """Write what the arithmetic says of variants that are broken on purpose."""
    lines = []
    for method in (*BROKEN, THIRD):
        (row,) = _pick(measures, method=method, stage=ALL).itertuples()
        lines.append([method, f'{row.leaks:.0f}', f'{row.noise:.2f}'])
    return write_table(['variant', 'what differs beside the answers', 'noise per claim'], lines)


def write_games(bounds: pd.DataFrame) -> str:
    """Write lower bounds by who plays, canary and view: bold if above the claim."""
    lines = []
    for (method, canary, epsilon, runs), rows in bounds.groupby([*GAME_KEY, 'runs'], sort=False):
        shown = [f'{bound:.2f}' if bound else '0' for bound in rows['bound']]
        marked = zip(shown, rows['bound'], strict=True)
        cells = [f'**{text}**' if bound > epsilon else text for text, bound in marked]
        claim = 'none' if method in SILENT else f'{epsilon:g}'
        lines.append([method, canary, f'{runs}', claim, *cells])
    views = [f'seen: {view}' for view in dict.fromkeys(bounds['view'])]
    return write_table(['synthesizer', 'canary', 'guesses', 'claimed ε', *views], lines)


def write_totals(measures: pd.DataFrame) -> str:
    """Write in words what was measured."""
    own = _pick(measures, method=OURS, stage=ALL)
    noise = np.sqrt(np.average(own['noise'] ** 2, weights=own['values']))
    said = (
        f'{len(own)} pairs of neighbours were measured. {len(find_refuted(measures))} are further '
        f'apart than claimed, in any answer or in all together; the largest share of a claim is '
        f'{_cut(own["share"].max())}. The noise of {own["values"].sum():,.0f} answers is '
        f'{noise:.4f} times as wide as receipts say.'
    )
    return fill_lines(said, 100)


def write_page(page: str, measures: pd.DataFrame, bounds: pd.DataFrame) -> str:
    """Put the tables between their marks."""
    ours = _pick(measures, method=OURS)
    whole, parts = ours[ours['stage'] == ALL], ours[ours['stage'] != ALL]
    named = _pick(whole[whole['canary'] != FOUND], epsilon=SHOWN)
    found = _pick(whole, canary=FOUND)
    found = found.assign(epsilon=[f'ε = {epsilon:g}' for epsilon in found['epsilon']])
    tables = {
        'totals': write_totals(measures),
        'found': write_shares(found, 'schema', 'epsilon'),
        'largest': write_shares(found, 'schema', 'epsilon', 'max'),
        'stages': write_shares(_pick(parts, canary=FOUND, epsilon=SHOWN), 'schema', 'stage'),
        'canaries': write_shares(named, 'canary', 'schema'),
        'broken': write_broken(measures),
        'games': write_games(bounds),
    }
    return fill(page, tables)


def _pick(rows: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows


def _cut(share: float) -> str:
    """Write a share to three digits, never rounded up to the claim; nothing if there is none."""
    if math.isnan(share):
        return '–'
    return f'{math.floor(share * 1000) / 1000:.3f}'.removeprefix('0')


def main() -> None:
    """Write the page."""
    measures, bounds = pd.read_csv(RESULTS / MEASURES), read_bounds(RESULTS / GAMES)
    PAGE.write_text(write_page(PAGE.read_text('utf-8'), measures, bounds), encoding='utf-8')
    print(write_totals(measures), find_refuted(measures), sep='\n')


if __name__ == '__main__':
    main()
