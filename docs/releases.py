"""Every release that reads private rows: what moves it, how far, and where that is proved.

The page on privacy shows these as a table, and ``tests/test_privacy_page.py`` compares them with
the ledgers of real fits.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import sensitivities

from sdv_threea.accounting import Receipt
from sdv_threea.constants import RelationalConstants
from sdv_threea.settings import SHARES


@dataclass(frozen=True)
class Entry:
    """A release: a row of the table.

    Args:
        stage: What the receipt calls its stage.
        released: What the receipt says was released, as a regular expression.
        words: The same as the page says it.
        moves: How far a record moves it, when it is added or removed and when it is replaced.
        formula: The former as a function; the latter is ``sqrt(2)`` of it, but for siblings,
            interactions, slopes, residuals and distances.
        share: The part of the budget that it has.
        proofs: The functions whose docstrings prove it.
    """

    stage: str
    released: str
    words: str
    moves: tuple[str, str]
    formula: sensitivities.Formula
    share: str
    proofs: tuple[str, ...]

    def matches(self, receipt: Receipt) -> bool:
        """Whether a receipt is for this release."""
        words = receipt.released.split(': ')[-1]
        return self.stage == receipt.stage and bool(re.fullmatch(self.released, words))

    def sensitivity(self, facts: sensitivities.Facts, receipt: Receipt) -> float:
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
INTERACTIONS = '√(Σ v² Π g(g−1))', '√(2 Σ v² Π g(g−1) h/(h−1))'
RELEASE_INTERACTIONS = (
    'joint.interactions.release_interactions',
    'privacy.statistics.interaction_sensitivity',
)

RELEASES = (
    Entry(
        'describe',
        'number of records',
        'how many records there are, where there are numbers or values are unknown',
        ('1', '√2'),
        sensitivities.single,
        'size',
        ('describe.size.release_size', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'describe',
        'number of missing values, by column',
        'which columns have missing values: a count each',
        PER_COLUMN,
        sensitivities.ask('nulls'),
        'describe',
        ('privacy.statistics.histogram_sensitivity',),
    ),
    Entry(
        'describe',
        'granularity of numbers, by column',
        'to which decimals numbers are rounded: a count per candidate',
        PER_COLUMN,
        sensitivities.ask('steps'),
        'describe',
        ('privacy.statistics.histogram_sensitivity', 'describe.description.describe'),
    ),
    Entry(
        'describe',
        'values of the classes above a threshold',
        'values of the target, or of the category in its place, that many rows share, and their '
        'counts; fails with a part of δ',
        PER_COLUMN,
        sensitivities.ask('classes'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'values of categorical columns above a threshold',
        'values of the other categories that many rows share, and their counts; the same',
        PER_COLUMN,
        sensitivities.ask('categories'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'rarer values of categorical columns above a threshold',
        'values of these that fewer rows have, and were not shown yet: a row shares 4,096 out '
        'among those that it has, the root of the sum of their squares is not more; the same',
        ('4096', '4096 √2'),
        sensitivities.share,
        'describe',
        ('describe.answers.tally_rarer', 'privacy.mechanism.threshold_release'),
    ),
    Entry(
        'describe',
        'heavy single values of numerical columns above a threshold',
        'single numbers that many rows share, and their counts; the same',
        PER_COLUMN,
        sensitivities.ask('spikes'),
        'describe',
        ('privacy.mechanism.threshold_release',),
    ),
    Entry(
        'describe',
        'counts on a public grid, by column',
        'where numbers lie: counts on a grid that is the same for all tables',
        PER_COLUMN,
        sensitivities.ask('ranges'),
        'describe',
        ('privacy.statistics.histogram_sensitivity', 'describe.description.describe'),
    ),
    Entry(
        'describe',
        'counts on the grid beyond the bulk, by column',
        'where numbers lie beyond the bulk of their column, on the same grid: a row shares 4,096 '
        'out among those that it has there, the root of the sum of their squares is not more',
        ('4096', '4096 √2'),
        sensitivities.share,
        'describe',
        ('describe.answers.count_tails', 'describe.numbers.release_sketches'),
    ),
    Entry(
        'approximate',
        r'sizes of \d+ classes and histograms of \d+ columns',
        'sizes of the classes, and the histogram of every column',
        ('√(m + 1)', '√(2m + 2)'),
        sensitivities.count,
        'columns',
        ('approximate.counts.release_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'histograms of \d+ columns in each of \d+ classes, times \d+ to \d+',
        'a coarse histogram of every column in each class; a bin counts v times, and records whose '
        'bins count for more than the norm H are shortened to it',
        ('H', '√2 H'),
        sensitivities.shorten,
        'classes',
        (
            'approximate.counts.release_class_counts',
            'privacy.statistics.weighted_histogram',
            'privacy.statistics.sum_sensitivity',
        ),
    ),
    Entry(
        'approximate',
        r'interactions of \d+ columns and \d+ pairs of columns, in up to \d+ bins each',
        'where pairs are counted: of coarse histograms of columns and of pairs of columns what is '
        'left without their means: the interactions, times v',
        INTERACTIONS,
        sensitivities.weigh,
        PAIRS,
        RELEASE_INTERACTIONS,
    ),
    Entry(
        'approximate',
        r'histograms of \d+ pairs of columns, in up to \d+ codes each',
        'of pairs that look like functions: a histogram code by code, counted v times',
        ('√(Σ v²)', '√(2 Σ v²)'),
        sensitivities.weigh,
        PAIRS,
        ('joint.pairs.release_pair_counts', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'digits of numbers by category, of \d+ pairs of columns',
        'of pairs in which a category may have one number: where in the interval of its code that '
        'number lies, in two digits: two histograms for each of p pairs',
        ('√(2p)', '2 √p'),
        sensitivities.weigh,
        PAIRS,
        ('joint.values.release_values', 'privacy.statistics.histogram_sensitivity'),
    ),
    Entry(
        'approximate',
        r'distances of \d+ triples of columns from what pairs say',
        'how far the coarse histogram of each of t triples of columns is from what pairs say: '
        'the absolute differences, added up',
        ('√t', '2 √t'),
        sensitivities.distance,
        PAIRS,
        ('joint.triples.release_distances', 'privacy.statistics.distance_sensitivity'),
    ),
    Entry(
        'approximate',
        r'interactions of \d+ triples of columns, in up to \d+ bins each',
        'the interactions of triples that are far off, or of all where each is one number, times v',
        INTERACTIONS,
        sensitivities.weigh,
        PAIRS,
        RELEASE_INTERACTIONS,
    ),
    Entry(
        'approximate',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the normal scores in each class',
        SQUARES,
        sensitivities.multiply,
        'moments',
        ('approximate.moments.release_score_moments', 'privacy.statistics.moment_sensitivity'),
    ),
    Entry(
        'partition',
        r'counts and sums of normal scores in \d+ components',
        'counts and sums of the scores in each component, three times',
        ('√2 R', '2 R'),
        sensitivities.add,
        'partition',
        ('partition.em.em_round', 'privacy.statistics.sum_sensitivity'),
    ),
    Entry(
        'adapt',
        'counts, sums and second moments of kernel features in 1 groups',
        'number, sums and products of the features of the kernel, where the budget carries any',
        ('17/√2 (w² + F²)', '17 (w² + F²)'),
        sensitivities.multiply_features,
        'adapt',
        ('adapt.moments.release_feature_moments', 'privacy.statistics.moment_sensitivity'),
    ),
    Entry(
        'adapt',
        r'slopes of the logistic loss in \d+ weights',
        'slopes of the loss of the labels: in what each column tells, three times; in that and the '
        'features, three times, or once and then without them',
        ('S', '2 S'),
        sensitivities.slope,
        'adapt',
        ('adapt.labels.adapt_labels', 'adapt.slopes.sum_slopes', 'adapt.slopes.slope_sensitivity'),
    ),
    Entry(
        'adapt',
        r'sums of residuals of the target in the bins of \d+ terms',
        'how far numbers of a numerical target are from what is expected of them, summed in the '
        'bins of K terms: of columns, twice, or once and then times features; where the budget '
        'carries pairs, once of pairs too',
        ('E √K', '2 E √K'),
        sensitivities.residual,
        'adapt',
        (
            'adapt.regression.adapt_number',
            'adapt.terms.sum_residuals',
            'adapt.terms.residual_sensitivity',
        ),
    ),
    Entry(
        'adapt',
        r'products of residuals of the target with \d+ kernel features',
        'how far these numbers are from it times the features of the kernel, summed, three times, '
        'where that promises more than terms again',
        ('E F', '2 E F'),
        sensitivities.residual_of_features,
        'adapt',
        (
            'adapt.ridge.fit_ridge',
            'adapt.ridge.sum_products',
            'adapt.ridge.product_sensitivity',
        ),
    ),
    Entry(
        'anonymize',
        r'counts, sums and second moments of normal scores in \d+ groups',
        'counts, sums and products of the scores in each component',
        SQUARES,
        sensitivities.multiply,
        'anonymize',
        ('approximate.moments.release_score_moments', 'privacy.statistics.moment_sensitivity'),
    ),
    Entry(
        'describe',
        'number of units by the magnitude of their rows',
        'many tables: how many units have how many rows',
        ('1', '√2'),
        sensitivities.once,
        MAGNITUDES,
        ('relational.magnitudes.release_magnitudes', 'units.membership.find_units'),
    ),
    Entry(
        'describe',
        'number of rows without an owner',
        'many tables: how many rows hang off no other',
        ('1', '√2'),
        sensitivities.once,
        ORPHANS,
        ('privacy.statistics.histogram_sensitivity', 'units.membership.find_units'),
    ),
    Entry(
        'approximate',
        'products of the scores of one pair of siblings per unit',
        'many tables: products of the scores of two rows of a unit',
        ('2 · 17/√2 (w² + R²)', '4 · 17/√2 (w² + R²)'),
        sensitivities.pair,
        SIBLINGS,
        ('relational.siblings.release_siblings', 'relational.siblings.choose_pairs'),
    ),
)
