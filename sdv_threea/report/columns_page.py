"""Sections of the page on columns, pairs of columns, and impossible rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdv_threea.pages.fragments import (
    listed,
    number,
    opener,
    panel,
    percent,
    searchable,
    section,
    tabulate,
)
from sdv_threea.pages.plots import grids, histogram, levels, pair_map
from sdv_threea.report.verdict import name_some

if TYPE_CHECKING:
    from sdv_threea.report.distributions import Distribution, JointDistribution
    from sdv_threea.report.fidelity import Fidelity
    from sdv_threea.report.quality import Quality

#: The largest number of columns on the map of pairs: those with the largest errors.
MOST_MAPPED = 40

#: Number of columns, and of pairs without common columns, that are unfolded at first.
NUM_OPEN = 2

#: Numbers on an axis are rounded to whole ones from this number on.
MOST_DIGITS = 1000


def tell_impossible(fidelity: Fidelity) -> str:
    """Return the section on rows with two values that no real row has together."""
    found = {name: each for name, each in fidelity.impossible.items() if each.num_pairs}
    if not found:
        return ''
    parts = []
    for name, each in found.items():
        said = (
            f'<p><b>{percent(each.synthetic)}</b> of the synthetic rows have two values that no '
            f'real row has together. Among new real rows it would be about {percent(each.real)}; '
            f'among rows with independent columns, {percent(each.chance)}.</p>'
        )
        table = each.told.set_index(each.told['Column 1'] + ' and ' + each.told['Column 2'])
        shown = pd.DataFrame(
            {
                'synthetic rows': table['Rows'].map(percent),
                'most often': [
                    '; '.join(
                        f'{" with ".join(each["values"])} ({percent(each["rows"])})'
                        for each in examples
                    )
                    for examples in table['Examples']
                ],
            }
        ).rename_axis('columns')
        drawn = tabulate(shown, name='Impossible pairs of values') if len(shown) else ''
        parts.append(panel(said + drawn, heading=name if len(found) > 1 else ''))
    lead = (
        'Pairs of categories (and of numbers with few values) that never occur in the real rows, '
        'although about five would if columns were independent. Values of fewer than five real '
        'rows are not examined.'
    )
    return section('Rows with impossible pairs of values', lead, *parts)


def tell_columns(fidelity: Fidelity, quality: Quality, targets: Iterable[str]) -> str:
    """Return the section on all columns, the worst first; targets and the worst are open."""
    columns = fidelity.columns
    if columns.empty:
        return ''
    several = len(set(columns['Table'])) > 1
    names = columns['Table'] + '.' + columns['Column'] if several else columns['Column']
    order = (columns['Error'] - columns['Real']).sort_values(ascending=False, kind='stable').index
    items = []
    opened = {*names[order][:NUM_OPEN], *targets}
    for name, row in zip(names[order], columns.loc[order].to_dict('records'), strict=True):
        drawn = quality.distributions.get((row['Table'], row['Column']))
        note = f'off by {percent(row["Error"])}; other real rows by {percent(row["Real"])}'
        html = _draw(drawn, name) + listed(_list_facts(row, drawn))
        items.append(opener(name, note, html, shown=name in opened))
    lead = (
        'Every column, the worst first. The error of a column is the share of rows that would have '
        'to change to make both tables equal, in common bins.'
    )
    empty = names[(columns['Missing, real'] == 1) | (columns['Missing, synthetic'] == 1)]
    said = (
        f'Without any value, among real rows, synthetic ones or both: {name_some(empty)}.'
        if len(empty)
        else ''
    )
    return section(
        'How the columns match',
        lead,
        panel(listed([said])) if said else '',
        searchable(items, 'Find a column'),
    )


def _draw(drawn: Distribution | None, name: str) -> str:
    if drawn is None or not len(drawn.labels):
        return ''
    if not drawn.binned:
        return levels(drawn.labels, real=drawn.real, synthetic=drawn.synthetic)
    ends = list(filter(None, _list_ticks(drawn.labels, True)))
    return histogram(drawn.real, drawn.synthetic, ends, f'Shares of rows by {name}')


def _spell(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return f'{value:%Y-%m-%d}'
    return f'{value:,.0f}' if MOST_DIGITS <= abs(value) < 1e12 else f'{value:,.4g}'


def _list_facts(row: Mapping[str, Any], drawn: Distribution | None) -> list[str]:
    """Return sentences on values that the picture omits: missing, far off, lost or new ones."""
    said = []
    if row['Missing, real'] or row['Missing, synthetic']:
        said.append(
            f'Missing: {percent(row["Missing, real"])} of the real rows, '
            f'{percent(row["Missing, synthetic"])} of the synthetic ones.'
        )
    if drawn is not None and any(drawn.beyond):
        said.append(
            f'Beyond the axis: {percent(drawn.beyond[0])} of the real rows, '
            f'{percent(drawn.beyond[1])} of the synthetic ones.'
        )
    if row['Lost']:
        said.append(
            f'{percent(row["Lost"])} of the real rows have a value that no synthetic row has.'
        )
    if row['New']:
        said.append(
            f'{percent(row["New"])} of the synthetic rows have a value that no real row has.'
        )
    return said


def tell_pairs(fidelity: Fidelity, joints: Mapping[tuple[str, str, str], JointDistribution]) -> str:
    """Return the section on pairs of columns: a map of all, and the worst ones to unfold."""
    pairs = fidelity.pairs
    if pairs.empty:
        return section('How the relations match', 'There are no two columns to compare.')
    several = len(set(pairs['Table'])) > 1
    maps = [
        panel(
            _map(each),
            heading=str(name) if several else 'All pairs: percent of the rows that are off',
        )
        for name, each in pairs.groupby('Table', sort=False)
    ]
    rows = pairs.set_index(['Table', 'Column 1', 'Column 2'])
    items: list[str] = []
    opened: set[str] = set()
    for key, joint in joints.items():
        row = rows.loc[key]
        name = ' by '.join(key[1:]) if not several else f'{key[0]}: {key[1]} by {key[2]}'
        note = (
            f'off by {percent(row["Error"])}; other real rows by {percent(row["Real"])}, unrelated '
            f'columns by {percent(row["Chance"])}'
        )
        ticks = [
            _list_ticks(labels, binned)
            for labels, binned in zip(joint.labels, joint.binned, strict=True)
        ]
        shown = False
        if len(opened) < 2 * NUM_OPEN and not opened & set(key[1:]):
            opened |= set(key[1:])
            shown = True
        items.append(
            opener(name, note, grids(joint.real, joint.synthetic, key[1:], ticks), shown=shown)
        )
    lead = (
        'The errors of pairs of columns, in common bins of both tables. In the grids, fields with '
        'more rows have more colour (by the square root). Fields of fewer than five real rows are '
        'left empty on the real side.'
    )
    label = f'Find a pair, of the {len(items)} worst' if len(pairs) > len(items) else 'Find a pair'
    return section('How the relations match', lead, *maps, searchable(items, label))


def _list_ticks(labels: pd.Index, binned: bool) -> list[str]:
    if not binned:
        return list(map(str, labels))
    shown = {0, len(labels) // 2, len(labels) - 1}
    return [_spell(label) if at in shown else '' for at, label in enumerate(labels)]


def _map(pairs: pd.DataFrame) -> str:
    off = pd.concat([pairs.set_index(side)['Error'] for side in ('Column 1', 'Column 2')])
    worst = off.groupby(level=0, sort=False).mean().nlargest(MOST_MAPPED).index
    names = [name for name in dict.fromkeys(off.index) if name in set(worst)]
    place = {name: at for at, name in enumerate(names)}
    errors = np.full((len(names), len(names)), np.nan)
    for first, second, error in pairs[['Column 1', 'Column 2', 'Error']].itertuples(index=False):
        if first in place and second in place:
            errors[place[first], place[second]] = errors[place[second], place[first]] = error
    left = len(set(off.index)) - len(names)
    more = (
        f'<p class="caption">Without {number(float(left))} columns that are off less.</p>'
        if left
        else ''
    )
    return pair_map(names, errors) + more
