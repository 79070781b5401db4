"""Every release that reads private rows: what moves it, how far, and where that is proved.

The page on privacy shows these as a table, and ``tests/test_privacy_page.py`` compares them with
the ledgers of real fits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.fit import RADII
from sdv_threea.adapt.trees import NUMBER_UNITS
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight
from sdv_threea.constants import RelationalConstants
from sdv_threea.describe.questions import RECORD_UNITS
from sdv_threea.settings import SHARES


@dataclass(frozen=True)
class Facts:
    """What the formulas of sensitivities are about.

    Args:
        asked: Number of columns that each question of the description is put to.
        width: Number ``m`` of columns with a normal score.
        radius: Norm ``R`` to which scores are clipped, in score units.
        feature_radius: Norm ``F`` to which features of the kernel are shortened, in the same units.
        replaced: Whether neighbours differ by a record that is replaced.
        rows_per_unit: The most rows of a unit that are looked at.
    """

    asked: Mapping[str, int]
    width: int
    radius: int
    feature_radius: int
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
        formula: The former as a function; the latter is ``sqrt(2)`` of it, but for siblings,
            slopes, residuals and distances.
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


def _share(_: Facts, __: float) -> float:
    return RECORD_UNITS


def _count(facts: Facts, _: float) -> float:
    return math.sqrt(facts.width + 1)


def _weigh(_: Facts, found: float) -> float:
    """The root of a whole number: which weights the columns have is told by what was released."""
    return math.sqrt(round(found**2))


def _distance(facts: Facts, found: float) -> float:
    """The root of a whole number, how many distances there are; twice that for a replaced row."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * math.sqrt(round((found / apart) ** 2))


def _multiply(facts: Facts, _: float) -> float:
    return _square(facts.radius, ApproximateConstants().count_weight)


def _multiply_features(facts: Facts, _: float) -> float:
    return _square(facts.feature_radius, AdaptConstants().count_weight)


def _square(radius: int, count_weight: float) -> float:
    weight = constant_weight(radius, count_weight)
    return 17 / math.sqrt(2) * (weight**2 + radius**2) / SCORE_UNITS**2


def _add(_: Facts, found: float) -> float:
    """``sqrt(2)`` times a whole number of units: the norm that pooled scores are clipped to."""
    return math.sqrt(2) * round(found * SCORE_UNITS / math.sqrt(2)) / SCORE_UNITS


def _slope(facts: Facts, found: float) -> float:
    """A whole number of sixteenths: the norm that slopes are clipped to in a step."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * round(found / apart * RADII) / RADII


def _residual(facts: Facts, found: float) -> float:
    """A whole number of units, what residuals are cut to, times the root of that of the terms."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * math.sqrt(round((found / apart * NUMBER_UNITS) ** 2)) / NUMBER_UNITS


def _pair(facts: Facts, _: float) -> float:
    return 2 * _multiply(facts, 0.0) * (2 if facts.replaced else 1)


def _once(facts: Facts, _: float) -> float:
    return math.sqrt(2 if facts.replaced else 1)


def _single(_: Facts, __: float) -> float:
    return 1.0


#: Shares of releases about units, whose price and sensitivity are those of a unit.
OF_UNITS = {
    f'{name}, {share:.0%} of a table': share
    for name, share in (
        ('magnitudes', RelationalConstants.magnitudes_share),
        ('siblings', RelationalConstants.siblings_share),
        ('orphans', RelationalConstants.orphans_share),
    )
}
MAGNITUDES, SIBLINGS, ORPHANS = OF_UNITS

#: What pays for pairs of columns: there are no classes then, and no components. Without labels all
#: shares are parts of what those of labels leave.
PAIRS = 'classes, partition and anonymize, ' + format(
    sum(SHARES[stage] for stage in ('classes', 'partition', 'anonymize')), '.0%'
)

PER_COLUMN = '√q', '√(2q)'
SQUARES = '17/√2 (w² + R²)', '17 (w² + R²)'

RELEASES = (
    Entry(
        'describe',
        'number of records',
        'how many records there are, where there are numbers or values are unknown',
        ('1', '√2'),
        _single,
        'size',
        ('describe.size.release_size', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'describe',
        'number of missing values, by column',
        'which columns have missing values: a count each',
        PER_COLUMN,
        _ask('nulls'),
        'describe',
        ('privacy.statistics.histogram_sensitivity',),
    ),
    Entry(
        'describe',
        'granularity of numbers, by column',
        'to which decimals numbers are rounded: a count per candidate',
        PER_COLUMN,
        _ask('steps'),
        'describe',
        ('privacy.statistics.histogram_sensitivity', 'describe.description.describe'),
    ),
    Entry(
        'describe',
        'values of the classes above a threshold',
        'values of the target, or of the category in its place, that many rows share, and their '
        'counts; fails with a part of δ',
        PER_COLUMN,
        _ask('classes'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'values of categorical columns above a threshold',
        'values of the other categories that many rows share, and their counts; the same',
        PER_COLUMN,
        _ask('categories'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'rarer values of categorical columns above a threshold',
        'values of these that fewer rows have, and were not shown yet: a row shares 4,096 out '
        'among those that it has, the root of the sum of their squares is not more; the same',
        ('4096', '4096 √2'),
        _share,
        'describe',
        ('describe.answers.tally_rarer', 'privacy.mechanism.threshold_release'),
    ),
    Entry(
        'describe',
        'heavy single values of numerical columns above a threshold',
        'single numbers that many rows share, and their counts; the same',
        PER_COLUMN,
        _ask('spikes'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'counts on a public grid, by column',
        'where numbers lie: counts on a grid that is the same for all tables',
        PER_COLUMN,
        _ask('ranges'),
        'describe',
        ('privacy.statistics.histogram_sensitivity', 'describe.description.describe'),
    ),
    Entry(
        'approximate',
        r'sizes of \d+ classes and histograms of \d+ columns',
        'sizes of the classes, and the histogram of every column',
        ('√(m + 1)', '√(2m + 2)'),
        _count,
        'columns',
        ('approximate.counts.release_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ columns in each of \d+ classes, times \d+ to \d+',
        'a coarse histogram of every column in each class; a column counts v times',
        ('√(Σ v²)', '√(2 Σ v²)'),
        _weigh,
        'classes',
        ('approximate.counts.release_class_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ pairs of columns, in up to \d+ bins each',
        'where pairs are counted: a coarse histogram of every pair of columns, counted v times',
        ('√(Σ v²)', '√(2 Σ v²)'),
        _weigh,
        PAIRS,
        ('joint.pairs.release_pair_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ pairs of columns, in up to \d+ codes each',
        'the same code by code, of pairs that look like functions',
        ('√(Σ v²)', '√(2 Σ v²)'),
        _weigh,
        PAIRS,
        ('joint.pairs.release_pair_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'digits of numbers by category, of \d+ pairs of columns',
        'of pairs in which a category may have one number: where in the interval of its code that '
        'number lies, in two digits: two histograms for each of p pairs',
        ('√(2p)', '2 √p'),
        _weigh,
        PAIRS,
        ('joint.values.release_values', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'distances of \d+ triples of columns from what pairs say',
        'how far the coarse histogram of each of t triples of columns is from what pairs say: '
        'the absolute differences, added up',
        ('√t', '2 √t'),
        _distance,
        PAIRS,
        ('joint.triples.release_distances', 'privacy.statistics.distance_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ triples of columns, in up to \d+ bins each',
        'the coarse histograms of t triples that are far off',
        ('√t', '√(2t)'),
        _weigh,
        PAIRS,
        ('joint.triples.release_triple_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the normal scores in each class',
        SQUARES,
        _multiply,
        'moments',
        ('approximate.moments.release_score_moments', 'privacy.statistics.moment_sensitivity'),
    ),
    Entry(
        'partition',
        r'counts and sums of normal scores in \d+ components',
        'counts and sums of the scores in each component, three times',
        ('√2 R', '2 R'),
        _add,
        'partition',
        ('partition.em.em_round', 'privacy.statistics.sum_sensitivity'),
    ),
    Entry(
        'adapt',
        'counts, sums and second moments of kernel features in 1 groups',
        'number, sums and products of the features of the kernel, where the budget carries any',
        ('17/√2 (w² + F²)', '17 (w² + F²)'),
        _multiply_features,
        'adapt',
        ('adapt.moments.release_feature_moments', 'privacy.statistics.moment_sensitivity'),
    ),
    Entry(
        'adapt',
        r'slopes of the logistic loss in \d+ weights',
        'slopes of the loss of the labels: in what each column tells, three times; in that and the '
        'features, three times',
        ('S', '2 S'),
        _slope,
        'adapt',
        ('adapt.labels.adapt_labels', 'adapt.slopes.sum_slopes', 'adapt.slopes.slope_sensitivity'),
    ),
    Entry(
        'adapt',
        r'sums of residuals of the target in the bins of \d+ terms',
        'how far numbers of a numerical target are from what is expected of them, summed in the '
        'bins of K terms: of columns, twice; where the budget carries pairs, once of pairs too',
        ('E √K', '2 E √K'),
        _residual,
        'adapt',
        (
            'adapt.regression.adapt_number',
            'adapt.terms.sum_residuals',
            'adapt.terms.residual_sensitivity',
        ),
    ),
    Entry(
        'anonymize',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the scores in each component',
        SQUARES,
        _multiply,
        'anonymize',
        ('approximate.moments.release_score_moments', 'privacy.statistics.moment_sensitivity'),
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
        ('privacy.statistics.histogram_sensitivity', 'relational.units.find_units'),
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
