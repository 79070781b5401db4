"""Write the tables and the picture of ``docs/privacy.md``: all that stands between its markers.

    python docs/make_privacy.py

The text around them is written by hand. ``tests/test_privacy_page.py`` compares the table of
releases with the ledgers of real fits.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scipy.special import ndtr, ndtri

from sdv_threea.accounting import Receipt, epsilon_from_mu, mu_from_epsilon
from sdv_threea.adapt.labels import RADII
from sdv_threea.adapt.moments import GRID as FEATURE_GRID
from sdv_threea.adapt.moments import RADIUS as FEATURE_RADIUS
from sdv_threea.moments import COUNT_WEIGHT, GRID
from sdv_threea.relational.pipeline import MAGNITUDES_SHARE, ORPHANS_SHARE, SIBLINGS_SHARE
from sdv_threea.report.figures import INK, RULE, SYNTHETIC_COLOR
from sdv_threea.settings import SHARES, THRESHOLD_SHARE

PAGE = Path(__file__).parent / 'privacy.md'
PICTURE = Path(__file__).parent / 'pictures' / 'budget.svg'

DELTA = 1e-6
EPSILONS = (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
FITS = (1, 2, 4, 10)
TOTAL_DELTA = 1e-5

#: What the stages of a budget do, in words.
STAGES = {
    'describe': 'ranges, categories, granularity, missing values',
    'columns': 'histograms of all columns',
    'classes': 'histograms in each class',
    'moments': 'correlations in each class',
    'partition': 'centroids of cells (three rounds)',
    'adapt': 'features of the kernel',
    'labels': 'slopes of the loss of the labels',
    'anonymize': 'the mixture of each cell',
}


@dataclass(frozen=True)
class Facts:
    """What the formulas of sensitivities are about.

    Args:
        asked: Number of columns that each question of the description is put to.
        width: Number ``m`` of columns with a normal score.
        radius: Norm ``R`` to which scores are clipped, in units of ``1 / GRID``.
        replaced: Whether neighbours differ by a record that is replaced.
        rows_per_unit: The most rows of a unit that are looked at.
    """

    asked: Mapping[str, int]
    width: int
    radius: int
    replaced: bool
    rows_per_unit: int = 1


#: From the facts, and the sensitivity on the receipt, to what it should be.
Formula = Callable[[Facts, float], float]


@dataclass(frozen=True)
class Entry:
    """A release: a row of the table.

    Args:
        stage: What the receipt calls its stage.
        released: What the receipt says was released, as a regular expression.
        words: The same as the page says it.
        moves: How far a record moves it, when it is added or removed and when it is replaced.
        formula: The former as a function; the latter is ``sqrt(2)`` of it, but for siblings and
            slopes.
        share: The part of the budget that it has.
        proofs: The functions whose docstrings prove it.
    """

    stage: str
    released: str
    words: str
    moves: tuple[str, str]
    formula: Formula
    share: str
    proofs: tuple[str, ...]

    def matches(self, receipt: Receipt) -> bool:
        """Whether a receipt is for this release."""
        words = receipt.released.split(': ')[-1]
        return self.stage == receipt.stage and bool(re.fullmatch(self.released, words))

    def sensitivity(self, facts: Facts, receipt: Receipt) -> float:
        """What a receipt should say of the sensitivity."""
        if self.share in OF_UNITS:
            return self.formula(facts, receipt.sensitivity)
        factor = facts.rows_per_unit * math.sqrt(2 if facts.replaced else 1)
        return factor * self.formula(facts, receipt.sensitivity / factor)

    @property
    def row(self) -> list[str]:
        """The cells of its row."""
        share = SHARES.get(self.share)
        paid = self.share if share is None else f'{self.share}, {share:.0%}'
        proofs = ', '.join(f'`{proof}`' for proof in self.proofs)
        return [self.stage, self.words, *self.moves, paid, proofs]


def _ask(name: str) -> Formula:
    return lambda facts, _: math.sqrt(facts.asked[name])


def _count(facts: Facts, _: float) -> float:
    return math.sqrt(facts.width + 1)


def _weigh(_: Facts, found: float) -> float:
    """The root of a whole number: which weights the columns have is told by what was released."""
    return math.sqrt(round(found**2))


def _multiply(facts: Facts, _: float) -> float:
    weight = max(1, int(COUNT_WEIGHT * facts.radius))
    return 17 / math.sqrt(2) * (weight**2 + facts.radius**2) / GRID**2


def _add(_: Facts, found: float) -> float:
    """``sqrt(2)`` times a whole number of units: the norm that pooled scores are clipped to."""
    return math.sqrt(2) * round(found * GRID / math.sqrt(2)) / GRID


def _map(_: Facts, __: float) -> float:
    return 17 / math.sqrt(2) * (FEATURE_RADIUS / FEATURE_GRID) ** 2


def _slope(facts: Facts, found: float) -> float:
    """A whole number of sixteenths: the norm that slopes are clipped to in a step."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * round(found / apart * RADII) / RADII


def _pair(facts: Facts, _: float) -> float:
    return 2 * _multiply(facts, 0.0) * (2 if facts.replaced else 1)


def _once(facts: Facts, _: float) -> float:
    return math.sqrt(2 if facts.replaced else 1)


#: Shares of releases about units, whose price and sensitivity are those of a unit.
OF_UNITS = {
    f'magnitudes, {MAGNITUDES_SHARE:.0%} of a table': MAGNITUDES_SHARE,
    f'siblings, {SIBLINGS_SHARE:.0%} of a table': SIBLINGS_SHARE,
    f'orphans, {ORPHANS_SHARE:.0%} of a table': ORPHANS_SHARE,
}
MAGNITUDES, SIBLINGS, ORPHANS = OF_UNITS

PER_COLUMN = '√q', '√(2q)'
SQUARES = '17/√2 (w² + R²)', '17 (w² + R²)'

RELEASES = (
    Entry(
        'describe',
        'number of missing values, by column',
        'which columns have missing values: a count each',
        PER_COLUMN,
        _ask('nulls'),
        'describe',
        ('statistics.histogram_sensitivity',),
    ),
    Entry(
        'describe',
        'granularity of numbers, by column',
        'to which decimals numbers are rounded: a count per candidate',
        PER_COLUMN,
        _ask('steps'),
        'describe',
        ('statistics.histogram_sensitivity', 'encoding.describe.describe'),
    ),
    Entry(
        'describe',
        'values of the target above a threshold',
        'values of the target that many rows share, and their counts; fails with a part of δ',
        PER_COLUMN,
        _ask('classes'),
        'describe',
        ('mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'values of categorical columns above a threshold',
        'values of the other categories that many rows share, and their counts; the same',
        PER_COLUMN,
        _ask('categories'),
        'describe',
        ('mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'heavy single values of numerical columns above a threshold',
        'single numbers that many rows share, and their counts; the same',
        PER_COLUMN,
        _ask('spikes'),
        'describe',
        ('mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'counts on a public grid, by column',
        'where numbers lie: counts on a grid that is the same for all tables',
        PER_COLUMN,
        _ask('ranges'),
        'describe',
        ('statistics.histogram_sensitivity', 'encoding.describe.describe'),
    ),
    Entry(
        'approximate',
        r'sizes of \d+ classes and histograms of \d+ columns',
        'sizes of the classes, and the histogram of every column',
        ('√(m + 1)', '√(2m + 2)'),
        _count,
        'columns',
        ('approximate.counts.release_counts', 'statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ columns in each of \d+ classes, times \d+ to \d+',
        'a coarse histogram of every column in each class; a column counts v times',
        ('√(Σ v²)', '√(2 Σ v²)'),
        _weigh,
        'classes',
        ('approximate.counts.release_class_counts', 'statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the normal scores in each class',
        SQUARES,
        _multiply,
        'moments',
        ('moments.release_moments', 'statistics.moment_sensitivity'),
    ),
    Entry(
        'approximate',
        r'counts and sums of normal scores in \d+ cells',
        'counts and sums of the scores in each cell, three times',
        ('√2 R', '2 R'),
        _add,
        'partition',
        ('approximate.partition.em_round', 'statistics.sum_sensitivity'),
    ),
    Entry(
        'adapt',
        'second moments of kernel features and targets',
        'products of features of the kernel, of norm one, and of the target',
        ('17/√2 · 2', '17 · 2'),
        _map,
        'adapt',
        ('adapt.rows.kernel_sums', 'statistics.moment_sensitivity'),
    ),
    Entry(
        'adapt',
        r'slopes of the logistic loss in \d+ weights',
        'slopes of the loss of the labels in what each column tells, three times',
        ('S', '2 S'),
        _slope,
        'labels',
        ('adapt.slopes.sum_slopes', 'adapt.slopes.slope_sensitivity'),
    ),
    Entry(
        'anonymize',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the scores in each cell',
        SQUARES,
        _multiply,
        'anonymize',
        ('moments.release_moments', 'statistics.moment_sensitivity'),
    ),
    Entry(
        'describe',
        'number of units by the magnitude of their rows',
        'many tables: how many units have how many rows',
        ('1', '√2'),
        _once,
        MAGNITUDES,
        ('relational.magnitudes.release_magnitudes', 'relational.units.find_units'),
    ),
    Entry(
        'describe',
        'number of rows without an owner',
        'many tables: how many rows hang off no other',
        ('1', '√2'),
        _once,
        ORPHANS,
        ('statistics.histogram_sensitivity', 'relational.units.find_units'),
    ),
    Entry(
        'approximate',
        'products of the scores of one pair of siblings per unit',
        'many tables: products of the scores of two rows of a unit',
        ('2 · 17/√2 (w² + R²)', '4 · 17/√2 (w² + R²)'),
        _pair,
        SIBLINGS,
        ('relational.siblings.release_siblings', 'relational.siblings.choose_pairs'),
    ),
)


def write_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table of Markdown."""
    header = list(header)
    return '\n'.join(f'| {" | ".join(row)} |' for row in (header, ['---'] * len(header), *rows))


def write_releases() -> str:
    """Write the table of all releases."""
    header = ['stage', 'what is released', 'added or removed', 'replaced', 'paid by', 'proof']
    return write_table(header, (entry.row for entry in RELEASES))


def write_meaning() -> str:
    """Write what an attacker can reach at most, by epsilon."""
    rows = []
    for epsilon in EPSILONS:
        mu = mu_from_epsilon(epsilon, DELTA * (1 - THRESHOLD_SHARE))
        auc = ndtr(mu / math.sqrt(2))
        found = [ndtr(ndtri(alarms) + mu) for alarms in (0.01, 0.1)]
        shown = [f'{chance:.1%}' for chance in (*found, ndtr(mu / 2))]
        rows.append([f'{epsilon:g}', f'{mu:.3f}', f'{auc:.3f}', *shown])
    header = ['ε', 'μ', 'AUC', 'found at 1 % false alarms', 'at 10 %', 'coin guessed right']
    return write_table(header, rows)


def write_refits() -> str:
    """Write what several fits of one table promise together."""
    mu = mu_from_epsilon(1.0, DELTA * (1 - THRESHOLD_SHARE))
    rows = []
    for fits in FITS:
        delta = TOTAL_DELTA - fits * DELTA * THRESHOLD_SHARE
        total = epsilon_from_mu(math.sqrt(fits) * mu, delta)
        rows.append([str(fits), f'{math.sqrt(fits) * mu:.3f}', f'{total:.2f}'])
    return write_table(['fits', 'μ', f'ε together, at δ = {TOTAL_DELTA:g}'], rows)


def write_statement() -> str:
    """Fit Adult with all blanks asked, and write its statement."""
    from sdv_threea import ClustMixSynthesizer
    from sdv_threea.datasets import load_adult

    adult, _, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, target_column='income', n_components=2)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'adult': adult})
    return f'```text\n{synthesizer.get_privacy_statement()}\n```'


def draw_budget() -> str:
    """Draw the shares of the budget, a bar each, as a vector picture."""
    widest, lines = max(SHARES.values()), []
    for at, (stage, words) in enumerate(STAGES.items()):
        share, top = SHARES[stage], 14 + 30 * at
        width = 220 * share / widest
        lines += [
            f'<text x="90" y="{top + 14}" text-anchor="end">{stage}</text>',
            f'<rect x="100" y="{top}" width="{width:.1f}" height="20" fill="{SYNTHETIC_COLOR}"/>',
            f'<text x="{106 + width:.1f}" y="{top + 14}">{share:.0%} {words}</text>',
        ]
    height = 20 + 30 * len(STAGES)
    return '\n'.join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" '
            f'font-family="sans-serif" font-size="13" fill="{INK}">',
            f'<rect width="680" height="{height}" fill="white" stroke="{RULE}"/>',
            *lines,
            '</svg>\n',
        ]
    )


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Put each part between its markers, and leave the rest of the page as it is."""
    for name, part in parts.items():
        start, end = f'<!-- {name} -->\n', f'\n<!-- /{name} -->'
        head, rest = page.split(start)
        page = head + start + part + end + rest.split(end)[1]
    return page


def list_parts() -> dict[str, str]:
    """The parts of the page that are the same whenever they are written."""
    return {'releases': write_releases(), 'meaning': write_meaning(), 'refits': write_refits()}


def main() -> None:
    """Write the parts and the picture."""
    parts = list_parts() | {'statement': write_statement()}
    PAGE.write_text(fill(PAGE.read_text('utf-8'), parts), encoding='utf-8')
    PICTURE.write_text(draw_budget(), encoding='utf-8')


if __name__ == '__main__':
    main()
