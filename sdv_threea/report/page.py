"""One HTML page about a release: what is promised, what models learn, what is alike.

In goes a :class:`~sdv_threea.report.result.Report`. Out comes one file that opens in any browser
without a network. Each ``_tell_`` function returns the HTML of one section, empty for none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import pandas as pd
from plotly.offline import get_plotlyjs

from sdv_threea.atomic import replacing
from sdv_threea.report.cardinalities import draw_cardinalities
from sdv_threea.report.curves import draw_curves
from sdv_threea.report.figures import draw_budget, draw_distribution, draw_pairs
from sdv_threea.report.fragments import bars, card, figure, panel, picture, section, tabulate, words
from sdv_threea.report.joint import draw_joint

if TYPE_CHECKING:
    from sdv_threea.report.quality import Quality
    from sdv_threea.report.result import Report

#: The most columns, and the most pairs of columns, that are drawn: the worst matches.
NUM_COLUMNS = 6

#: The most scores in one picture: the worst.
NUM_SCORES = 20

PROMISED = 'This holds for the synthetic rows, and for everything ever computed from them alone.'
NOT_PROTECTED = 'Nothing, end to end: private rows were read without noise, as the note says.'
NO_STATEMENT = 'Not known here: the page was made without a privacy statement.'
NO_MODELS = 'Not measured: it takes a target, and real rows that were kept aside.'
KEY = (
    '<br><span class="dot real" style="margin-left: 0"></span>real'
    '<span class="dot synthetic"></span>synthetic'
)


def write_html(report: Report, path: str | Path, title: str) -> None:
    """Write a report as a single HTML file.

    It holds scores and shares of rows, but no row. These are not differentially private, and the
    page says so at the top.

    Args:
        report: What was measured.
        path: Where to write it; an existing file is replaced.
        title: Its heading.

    Raises:
        OSError: If the file cannot be written.
    """
    template = Template(files('sdv_threea.report').joinpath('page.html').read_text('utf-8'))
    sections = [
        _tell_promise(report),
        _tell_utility(report),
        _tell_columns(report.quality),
        _tell_pairs(report.quality),
        _tell_links(report),
        _tell_validity(report.quality),
        _tell_distances(report),
    ]
    page = template.substitute(
        title=escape(title),
        plotly=get_plotlyjs(),
        cards=''.join([*_privacy_cards(report.statement), *_score_cards(report)]),
        sections='\n\n'.join(filter(None, sections)),
    )
    with replacing(path, private=True) as draft:
        draft.write_text(page, encoding='utf-8')


def _privacy_cards(facts: Mapping[str, Any]) -> list[str]:
    if not facts:
        return []
    neighbors = f'neighbours: {words(facts["neighbors"])}'
    guarantee = f'guarantee: {words(facts["guarantee"])}' if 'guarantee' in facts else ''
    return [
        card('ε', f'{facts["epsilon"]:g}', guarantee),
        card('δ', f'{facts["delta"]:g}', neighbors),
    ]


def _score_cards(report: Report) -> list[str]:
    quality = report.quality
    cards = []
    for target, utility in report.utility.items():
        score = utility.scores.columns[0]
        real, synthetic = utility.scores[score]
        note = f'predicting {target}; {real:.3f} when trained on the real data'
        cards.append(card(score, f'{synthetic:.3f}', note))
    note = f'columns {quality.shapes:.3f}, pairs {quality.pairs:.3f}'
    return [
        *cards,
        card('quality', f'{quality.overall:.3f}', note),
        card('validity', f'{quality.diagnostic:.3f}', 'types, ranges, categories, keys'),
    ]


def _tell_promise(report: Report) -> str:
    facts, parts, receipts = report.statement, [], _list_receipts(report.statement)
    if facts:
        spent = panel(
            figure(draw_budget(receipts)),
            'Where the privacy budget went: share of the squared loss μ² by stage',
        )
        parts.append(f'<div class="split">{panel(_facts(facts))}{spent}</div>')
    if report.schema is not None:
        parts.append(panel(figure(report.schema), 'What of each table is protected'))
    if receipts:
        costs = tabulate(pd.DataFrame(receipts).rename(columns=words).set_index('stage'))
        summary = '<summary>What each release cost</summary>'
        parts.append(f'<details class="panel">{summary}{costs}</details>')
    return section('What is promised', _lead(facts), *parts)


def _lead(facts: Mapping[str, Any]) -> str:
    if not facts:
        return NO_STATEMENT
    promised = facts.get('guarantee') != 'paper' and math.isfinite(facts['epsilon'])
    return PROMISED if promised else NOT_PROTECTED


def _list_receipts(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the receipts of a table, or of a database: there, each with the unit that paid."""
    receipts = facts.get('receipts', [])
    if isinstance(receipts, list):
        return receipts
    return [{**each, 'unit': unit} for unit, several in receipts.items() for each in several]


def _facts(facts: Mapping[str, Any]) -> str:
    """Return the parts of the statement that are words; its numbers are on cards and receipts."""
    told = {name: fact for name, fact in facts.items() if isinstance(fact, str | list)}
    told.pop('receipts', None)
    if 'tables' in facts:
        told['tables'] = [f'{name}: {unit}' for name, unit in facts['tables'].items()]
    rows = [
        f'<dt>{escape(words(name))}</dt><dd>{"<br>".join(map(escape, _lines(fact)))}</dd>'
        for name, fact in told.items()
    ]
    return f'<dl>{"".join(rows)}</dl>'


def _lines(fact: str | list[str]) -> list[str]:
    return [words(fact)] if isinstance(fact, str) else fact


def _tell_utility(report: Report) -> str:
    lead = (
        'LightGBM is trained on the real rows, then on the synthetic rows, and both models are '
        'tested on the same real rows, which neither has seen. Curves of several classes are means '
        'of one class against the rest; predicted numbers are means over bins.'
        f'{KEY}'
    )
    if not report.utility:
        return section('What a model learns from it', NO_MODELS)
    parts = []
    for target, utility in report.utility.items():
        parts.append(panel(tabulate(utility.scores), f'Predicting {target}'))
        if not utility.curves.empty:
            drawn = [picture(each, name, '') for name, each in draw_curves(utility.curves).items()]
            parts.append(f'<div class="grid wide">{"".join(drawn)}</div>')
    return section('What a model learns from it', lead, *parts)


def _tell_columns(quality: Quality) -> str:
    columns = quality.columns.sort_values('Score', kind='stable')
    names = _name(columns, 'Column')
    worst = columns[['Table', 'Column', 'Score']].assign(name=names).head(NUM_COLUMNS)
    drawn = [
        picture(draw_distribution(quality.distributions[table, column]), name, f'match {score:.3f}')
        for table, column, score, name in worst.itertuples(index=False)
    ]
    lead = f'Shares of the rows, the worst matches first; a match of 1 is identical.{KEY}'
    scores = _draw_worst(columns['Score'].set_axis(names))
    return section(
        'How the columns match', lead, f'<div class="grid">{"".join(drawn)}</div>', scores
    )


def _tell_pairs(quality: Quality) -> str:
    lead = (
        'For every two columns, how alike their relation is in the two tables: light is alike, '
        'dark is lost. Empty cells are undefined. Below, the worst, the first column up and the '
        'second across: the darker a cell, the more rows are in it. Cells of fewer than five real '
        'rows are not shown. SDMetrics bins a number over the range of each table by itself: a few '
        'rows beyond the real range cost more than they seem worth.'
    )
    pairs, several = quality.column_pairs, len(set(quality.columns['Table'])) > 1
    if pairs.empty:
        return section('How the relations match', lead, panel(_map_pairs(pairs)))
    maps = [
        panel(_map_pairs(each), str(name) if several else '')
        for name, each in pairs.groupby('Table', sort=False)
    ]
    scores = pairs.set_index(['Table', 'Column 1', 'Column 2'])['Score']
    worst = scores.loc[list(quality.joints)].sort_values(kind='stable').head(NUM_COLUMNS)
    drawn = [
        picture(
            draw_joint(quality.joints[key]),
            f'{key[0]}: {key[1]} by {key[2]}' if several else f'{key[1]} by {key[2]}',
            f'match {score:.3f}',
        )
        for key, score in worst.items()
    ]
    grid = f'<div class="grid wide">{"".join(drawn)}</div>'
    return section('How the relations match', lead, *maps, grid)


def _map_pairs(pairs: pd.DataFrame) -> str:
    """Draw the map of all pairs, as wide as the names of the columns need."""
    drawn = draw_pairs(pairs)
    return figure(drawn, least=drawn.layout.height + 100)


def _tell_links(report: Report) -> str:
    """Return the section on foreign keys; a single table has none."""
    if not report.cardinalities:
        return ''
    lead = f'How many rows refer to a row: shares of the rows that are referred to.{KEY}'
    drawn = [
        panel(figure(draw_cardinalities({name: each})))
        for name, each in report.cardinalities.items()
    ]
    parts = [f'<div class="grid">{"".join(drawn)}</div>']
    trends = report.quality.details.get('Intertable Trends')
    if trends is not None:
        names = [
            f'{child}.{below} by {parent}.{above}'
            for parent, child, above, below in trends[
                ['Parent Table', 'Child Table', 'Column 1', 'Column 2']
            ].itertuples(index=False)
        ]
        caption = 'How alike the relation of two columns is, of a row and of the row it refers to'
        parts.append(_draw_worst(trends['Score'].set_axis(names), caption))
    return section('How the tables match', lead, *parts)


def _tell_validity(quality: Quality) -> str:
    checks = [
        name for name in ('Data Validity', 'Relationship Validity') if name in quality.details
    ]
    if not checks:
        return ''
    found = pd.concat([_name_checks(quality.details[name]) for name in checks])
    lead = (
        f'{len(found)} checks by SDMetrics: keys are unique and refer to rows, numbers stay in the '
        'real range, categories are real ones. A score of 1 is as it should be.'
    )
    wrong = found[found < 1]
    drawn = _draw_worst(wrong) if len(wrong) else panel('All of them hold.')
    return section('What is valid', lead, drawn)


def _name_checks(details: pd.DataFrame) -> pd.Series:
    """Return the scores of the checks, by table, column and metric in words."""
    places = details.reindex(columns=['Table', 'Column', 'Child Table', 'Foreign Key', 'Metric'])
    names = [
        '.'.join(map(str, [each for each in place if not pd.isna(each)]))
        for place in places.iloc[:, :-1].itertuples(index=False)
    ]
    named = [f'{place}: {metric}' for place, metric in zip(names, places['Metric'], strict=True)]
    return details['Score'].set_axis(named)


def _tell_distances(report: Report) -> str:
    if report.distances.empty:
        return ''
    lead = (
        'The distance from synthetic rows to the closest of as many real ones, drawn at random: a '
        'hint of copied rows where it is 0, and no measure of privacy. Baseline protection is its '
        'ratio to that of rows drawn uniformly, which are far from everything: a useful release is '
        'closer.'
    )
    return section('How close a row comes to a real one', lead, panel(tabulate(report.distances)))


def _name(details: pd.DataFrame, column: str) -> list[str]:
    """Return the names of columns, with that of the table if there are several tables."""
    if len(set(details['Table'])) < 2:
        return [str(name) for name in details[column]]
    return [f'{a}.{b}' for a, b in zip(details['Table'], details[column], strict=True)]


def _draw_worst(scores: pd.Series, caption: str = '') -> str:
    """Draw the worst scores as bars, and say of how many they are the worst."""
    worst = scores.dropna().sort_values(kind='stable')
    more = f'The {NUM_SCORES} worst of {len(worst)}' if len(worst) > NUM_SCORES else ''
    return panel(bars(worst.head(NUM_SCORES)), '. '.join(filter(None, [caption, more])))
