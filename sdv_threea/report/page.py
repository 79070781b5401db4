"""One HTML page about a release: the verdict, then the measurements behind it.

The page is one file that opens in any browser without a network. Each ``_tell_`` function returns
the HTML of one section, or an empty text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdv_threea.pages.fragments import (
    Html,
    escape,
    facts,
    listed,
    number,
    opener,
    panel,
    paragraphs,
    percent,
    section,
    split,
    tabulate,
    words,
    write_page,
)
from sdv_threea.pages.plots import curve, gauge, levels
from sdv_threea.pages.promise import (
    is_promised,
    list_odds,
    list_receipts,
    share_stages,
    tell_promise,
    tell_use,
)
from sdv_threea.report.columns_page import tell_columns, tell_impossible, tell_pairs
from sdv_threea.report.utility import AXES, PRECISION
from sdv_threea.report.verdict import Grade

if TYPE_CHECKING:
    from sdv_threea.report.quality import Quality
    from sdv_threea.report.result import Report

#: The largest number of losses, failed checks, and relations between tables that are listed: the
#: worst.
NUM_SCORES = 20

WARNING = (
    '<div class="warning" role="note"><p><b>Not for publication.</b> The promise below protects '
    'the synthetic rows, and not this page: its comparison with the real rows discloses '
    'something about them that no promise covers. Keep it where the real rows are. You may '
    'publish the datasheet: <code>synthesizer.datasheet()</code>.</p></div>'
)
#: The parts of SDMetrics' diagnostic report whose checks are listed.
CHECKS = ('Data Validity', 'Relationship Validity', 'Constraint Validity')

NO_MODELS = 'Not measured: it takes a target, and real rows that were not fitted.'
GRADED = (
    'Chance is the score of a guessed class, of values spread evenly over a column, or of columns '
    'drawn independently. The shaded part and ± show the noise of the test: ± is one standard '
    'deviation. A grade with two words means that another fit may get either. Shares of '
    'impossible rows are compared by their ratio.'
)
ATTACKS = (
    'Three attacks by anonymeter. The risk is the difference of their success on fitted rows and '
    'on other rows. It shows what these attacks achieve, on this sample. The promise above is the '
    'guarantee: it holds against every attack, including unknown ones. The membership game of '
    'docs/lab/disclosure.md is the strongest attack that we know.'
)


def write_html(report: Report, path: str | Path, title: str) -> None:
    """Write a report as a single HTML file.

    The page has scores and shares of rows, but no row. Scores and shares are not differentially
    private, which the page says at the top.
    """
    write_page(
        path,
        title,
        f'<h1>{escape(title)}</h1>',
        WARNING,
        _tell_verdict(report),
        tell_impossible(report.fidelity),
        _tell_utility(report),
        tell_columns(report.fidelity, report.quality, report.utility),
        tell_pairs(report.fidelity, report.joints),
        _tell_links(report),
        _tell_validity(report.quality),
        _tell_distances(report),
        _tell_promise(report),
        _tell_made(report.made),
    )


def _tell_verdict(report: Report) -> str:
    verdict = report.verdict
    left = len(verdict.lost) - NUM_SCORES
    told = [*verdict.lost[:NUM_SCORES], *([f'And {left} more.'] if left > 0 else [])]
    lost = listed(told) if told else '<p>No loss was found.</p>'
    todo = listed(verdict.advice) if verdict.advice else '<p>No advice: nothing is left to do.</p>'
    how = opener('How grades are made', '', f'<p>{GRADED}{_tell_bins(report.quality)}</p>')
    grades = panel(
        _tabulate_grades(verdict.grades) + _tell_draws(report.draws) + how,
        'The bar goes from chance (left) to other real rows (shaded); the thin line is the range '
        'of other fits of the table.',
        heading='What it is good for',
    )
    return section(
        'The verdict',
        '',
        f'<p class="headline"><b>{escape(verdict.headline)}</b></p>',
        panel(
            paragraphs(tell_promise(report.statement)) + _open_odds(report.statement),
            heading='What is promised',
        ),
        panel(
            paragraphs([tell_use(report.statement.get('sharpened', ()))]),
            heading='What it is made for',
        ),
        grades,
        split(panel(lost, heading='What was lost'), panel(todo, heading='What to do')),
    )


def _tell_bins(quality: Quality) -> str:
    """Explain the grade of SDMetrics' score; empty if there is none."""
    if not math.isfinite(quality.in_common_bins):
        return ''
    return (
        " SDMetrics bins the numbers of each table over the table's own range. For this grade both "
        f"tables have the bins of the real range. SDMetrics' own score is {quality.overall:.3f}."
    )


def _open_odds(statement: Mapping[str, Any]) -> str:
    """Return a table of odds at several epsilons, folded up; empty if nothing is promised."""
    if not is_promised(statement):
        return ''
    table = tabulate(pd.DataFrame(list_odds(statement)).set_index('ε'), name='Odds by epsilon')
    return opener(
        'The odds, here and at other ε', 'of the best guesser, who knows all other rows', table
    )


def _tabulate_grades(grades: tuple[Grade, ...]) -> str:
    rows = {}
    for each in grades:
        kind = 'good' if each.is_good else 'bad' if each.is_useless else ''
        rows[each.name] = {
            'grade': Html(f'<span class="grade {kind}">{escape(each.word)}</span>'),
            'chance to real': Html(gauge(each.position, each.band, each.real_range)),
            'synthetic': _measured(each, each.synthetic, each.spread),
            'other real rows': _measured(each, each.real, each.real_spread),
            'chance': each.spell(each.chance),
        }
    return tabulate(pd.DataFrame.from_dict(rows, orient='index'), name='Grades')


def _measured(grade: Grade, score: float, spread: float) -> str:
    return f'{grade.spell(score)} ± {grade.spell(spread)}' if spread > 0 else grade.spell(score)


def _tell_draws(draws: pd.DataFrame) -> str:
    if draws.empty:
        return ''
    said = [
        f'{name}: {number(scores.min())} to {number(scores.max())}'
        for name, scores in draws.items()
    ]
    return f'<h3>Range over {len(draws)} samples of the same release</h3>{listed(said)}'


def _tell_utility(report: Report) -> str:
    if not report.utility:
        return section('What a model learns from it', NO_MODELS)
    lead = (
        'LightGBM is trained on the real rows, then on the synthetic rows. Both models are tested '
        'on the same real rows, which neither has seen. Curves of several classes are means of one '
        'class against the rest; predicted numbers are means over bins.'
    )
    parts = []
    for target, utility in report.utility.items():
        scores = utility.scores.rename_axis('trained on')
        spread = pd.Series(utility.spread).map('{:.2g}'.format)
        scores.insert(1, 'standard deviation', spread.reindex(scores.index))
        parts.append(
            panel(tabulate(scores, name=f'Scores of {target}'), heading=f'Predicting {target}')
        )
        parts.append(split(*_draw_curves(utility.curves)))
        parts.append(_tell_slopes(utility.slopes))
    return section('What a model learns from it', lead, *parts)


def _tell_slopes(slopes: Mapping[str, float]) -> str:
    if not all(math.isfinite(each) for each in (slopes or {'': math.nan}).values()):
        return ''
    return panel(
        f'<p>Calibration: multiply predictions (log odds of a class) by '
        f'<b>{slopes["synthetic"]:.2f}</b> to fit the test rows if the model was trained on '
        f'synthetic rows, by {slopes["real"]:.2f} if on real ones. Below 1, predictions are too '
        'confident: fit with alpha=1, or calibrate the model on real rows.</p>'
    )


def _draw_curves(curves: pd.DataFrame) -> list[str]:
    if curves.empty:
        return []
    drawn = []
    for name, points in curves.groupby('curve', sort=False):
        sides = [
            points.loc[points['trained on'] == role, ['x', 'y']].to_numpy(float)
            for role in ('real', 'synthetic')
        ]
        if all(map(len, sides)):
            html = curve(sides[0], sides[1], AXES[str(name)], guess=name != PRECISION)
            drawn.append(panel(html, heading=str(name)))
    return drawn


def _tell_links(report: Report) -> str:
    if not report.cardinalities:
        return ''
    lead = 'The number of rows that refer to a parent row, as shares of the parent rows.'
    drawn = [
        panel(levels(each.labels, real=each.real, synthetic=each.synthetic), heading=name)
        for name, each in report.cardinalities.items()
    ]
    parts = [split(*drawn)]
    trends = report.quality.details.get('Intertable Trends')
    if trends is not None:
        parts.append(_tell_trends(trends))
    return section('How the tables match', lead, *parts)


def _tell_trends(trends: pd.DataFrame) -> str:
    """Return the worst relations between a column of a row and one of the row that it refers to."""
    places = trends[['Parent Table', 'Child Table', 'Column 1', 'Column 2']]
    names = [
        f'{child}.{below} by {parent}.{above}'
        for parent, child, above, below in places.itertuples(index=False)
    ]
    scores = trends.reindex(columns=['Score', 'Chance']).set_axis(names).dropna(how='all', axis=1)
    worst = scores.dropna(subset='Score').sort_values('Score', kind='stable')
    said = [
        'Similarity of relations between a column of a row and a column of the row it refers to, '
        'by SDMetrics: 100% is best.'
    ]
    if 'Chance' in scores:
        said.append('Chance is the similarity if synthetic rows referred to each other at random.')
    if len(worst) > NUM_SCORES:
        said.append(f'The {NUM_SCORES} worst of {len(worst)}.')
    told = worst.head(NUM_SCORES).map(percent).rename(columns=str.lower)
    return panel(
        tabulate(told.rename_axis('columns'), name='Relations between tables'), ' '.join(said)
    )


def _tell_validity(quality: Quality) -> str:
    checks = [name for name in CHECKS if name in quality.details]
    if not checks:
        return ''
    found = pd.concat([_name_checks(quality.details[name]) for name in checks])
    lead = (
        f'{len(found)} checks by SDMetrics: keys are unique and refer to rows, numbers stay in the '
        'real range, categories are real ones, dates and ids have the stated format, constraints '
        'hold. A score should be 100%.'
    )
    wrong = found[found < 1]
    drawn = _draw_worst(wrong) if len(wrong) else panel('<p>All of them hold.</p>')
    return section('What is valid', lead, drawn)


def _name_checks(details: pd.DataFrame) -> pd.Series:
    places = details.reindex(
        columns=['Table', 'Column', 'Child Table', 'Foreign Key', 'Constraint', 'Metric']
    )
    names = [
        '.'.join(map(str, [each for each in place if not pd.isna(each)]))
        for place in places.iloc[:, :-1].itertuples(index=False)
    ]
    named = [f'{place}: {metric}' for place, metric in zip(names, places['Metric'], strict=True)]
    return details['Score'].set_axis(named)


def _tell_distances(report: Report) -> str:
    if report.distances.empty and report.risk.empty:
        return ''
    lead = (
        'Distances and attacks find blunders, such as copied rows. They do not measure privacy: '
        'only the promise bounds it.'
    )
    parts = []
    if len(report.distances):
        caption = (
            'The median distance to the closest of equally many real rows, for synthetic rows and '
            'for rows drawn uniformly. 0 hints at copies. Baseline protection is their ratio: a '
            'useful release is closer than uniform rows, which are far from everything.'
        )
        table = tabulate(report.distances.rename_axis('table'), name='Distances')
        parts.append(panel(table, caption, 'How close a row comes to a real one'))
    if len(report.risk):
        told = report.risk.rename(columns={'low': 'risk, low', 'high': 'risk, high'})
        parts.append(panel(tabulate(told.map(percent), name='Attacks'), ATTACKS, 'Attacks'))
    return section('How close it comes to real rows', lead, *parts)


def _tell_promise(report: Report) -> str:
    statement, receipts = report.statement, list_receipts(report.statement)
    if not statement and report.schema is None:
        return ''
    parts = []
    if statement:
        spent = share_stages(receipts)
        drawn = levels(spent.index, synthetic=spent.to_numpy(float)) if len(spent) else ''
        none = '<p>No noise was added, so nothing was charged.</p>'
        parts.append(
            split(
                panel(facts(list_facts(statement)), heading='The statement'),
                panel(
                    drawn or none,
                    'Share of the squared loss μ² by stage: these add up',
                    'Where the budget went',
                ),
            )
        )
    if report.schema is not None:
        scroll = '<div class="scroll" role="region" tabindex="0" aria-label="Tables">'
        drawing = f'{scroll}{report.schema.svg}</div>'
        parts.append(
            panel(drawing + listed(report.schema.told), heading='The protection of each table')
        )
    if receipts:
        costs = pd.DataFrame(receipts).set_index('stage')
        table = tabulate(costs, name='Receipts', wide=True)
        summary = '<summary><b>What each release cost</b></summary>'
        parts.append(panel(f'<details>{summary}{table}</details>'))
    return section('The promise in full', '', *parts)


def list_facts(statement: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the entries of a statement, except its receipts, as lines by name."""
    told = {name: fact for name, fact in statement.items() if isinstance(fact, str | list | float)}
    told.pop('receipts', None)
    if 'tables' in statement:
        told['tables'] = [f'{name}: {unit}' for name, unit in statement['tables'].items()]
    if 'plans' in statement:
        plans = statement['plans'].items()
        told['plans'] = [f'{name}: {line.strip()}' for name, plan in plans for line in plan]
    return {name: _lines(name, fact) for name, fact in told.items()}


def _lines(name: str, fact: str | list[str] | float) -> list[str]:
    if name == 'neighbors' and isinstance(fact, str):
        return [
            {'add_remove': 'a row is added or removed', 'replace_one': 'a row is replaced'}.get(
                fact, fact
            )
        ]
    if isinstance(fact, float):
        return ['none' if fact == float('inf') else f'{fact:g}']
    return [words(fact)] if isinstance(fact, str) else fact


def _tell_made(made: Mapping[str, str]) -> str:
    if not made:
        return ''
    said = (
        '<p class="caption">The noise of a fit has no seed: another fit is another release, and '
        'spends again. A saved synthesizer that is loaded draws the same rows each time.</p>'
    )
    return section(
        'How it was made', '', panel(facts({name: [each] for name, each in made.items()}) + said)
    )


def _draw_worst(scores: pd.Series) -> str:
    worst = scores.dropna().sort_values(kind='stable')
    more = f'The {NUM_SCORES} worst of {len(worst)}' if len(worst) > NUM_SCORES else ''
    told = worst.head(NUM_SCORES)
    return panel(levels(told.index, synthetic=told.to_numpy(float)), more)
