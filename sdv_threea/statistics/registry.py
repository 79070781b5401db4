"""Every statistic that is released, registered once.

All private rows are read through these statistics, so the page on privacy, the audit and the tests
of contracts iterate over :data:`REGISTRY`. Every accounting record names its statistic.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from sdv_threea.statistics import sensitivities
from sdv_threea.statistics.describe import QUESTIONS, SIZE
from sdv_threea.statistics.kind import Kind

_OF_A_COUNT = '1', '√2'
_OF_INTERACTIONS = '√(Σ v² Π g(g−1))', '√(2 Σ v² Π g(g−1) h/(h−1))'
_OF_SCORES = '17/√2 (w² + R²)', '17 (w² + R²)'
_OWN = 'statistics.sensitivities'
_HISTOGRAM = 'accounting.sensitivities.histogram_sensitivity'
_SCORE_MOMENTS = (
    'approximate.moments.release_score_moments',
    'accounting.sensitivities.moment_sensitivity',
)
_INTERACTIONS = (
    'joint.interactions.release_interactions',
    'accounting.sensitivities.interaction_sensitivity',
)

COLUMNS = Kind(
    name='columns',
    stage='approximate',
    title='sizes of {classes} classes and histograms of {columns} columns',
    words=(
        'sizes of the classes, and the histogram of every column; of a row that another one owns '
        'only of its own m columns'
    ),
    moves=('√(m + 1)', '√(2m + 2)'),
    sensitivity=sensitivities.sizes_and_histograms,
    share='columns',
    proofs=('approximate.counts.release_counts', _HISTOGRAM),
)

CLASSES = Kind(
    name='columns in classes',
    stage='approximate',
    title='histograms of {columns} columns in each of {classes} classes, times {least} to {most}',
    words=(
        'a coarse histogram of every column in each class; a bin counts v times, and records whose '
        'bins count for more than the norm H are shortened to it'
    ),
    moves=('H', '√2 H'),
    sensitivity=sensitivities.clipped,
    share='classes',
    proofs=(
        'approximate.counts.release_class_counts',
        'rows.statistics.weighted_histogram',
        'accounting.sensitivities.sum_sensitivity',
    ),
)

PAIRS = Kind(
    name='pairs',
    stage='approximate',
    title='interactions of {tables}, in up to {bins} bins each',
    words=(
        'where pairs are counted: of coarse histograms of columns and of pairs of columns what is '
        'left without their means: the interactions, times v'
    ),
    moves=_OF_INTERACTIONS,
    sensitivity=sensitivities.contrasts,
    share='pairs',
    proofs=_INTERACTIONS,
)

FUNCTIONS = Kind(
    name='functions',
    stage='approximate',
    title='histograms of {pairs} pairs of columns, in up to {codes} codes each',
    words='of pairs that look like functions: a histogram code by code, counted v times',
    moves=('√(Σ v²)', '√(2 Σ v²)'),
    sensitivity=sensitivities.weighted_tables,
    share='pairs',
    proofs=('joint.pairs.release_pair_counts', _HISTOGRAM),
)

SUMS = Kind(
    name='sums',
    stage='approximate',
    title='records that obey, for {columns} likely sums and parts of columns',
    words='of k columns that may be sums of others, or parts of a date: how many records obey',
    moves=('√k', '√(2k)'),
    sensitivity=sensitivities.histograms,
    share='pairs',
    proofs=('joint.sums.release_sums', _HISTOGRAM),
)

DIGITS = Kind(
    name='digits',
    stage='approximate',
    title='digits of numbers by category, of {pairs} pairs of columns',
    words=(
        'of pairs in which a category may have one number: where in the interval of its code that '
        'number lies, in two digits: two histograms for each of p pairs'
    ),
    moves=('√(2p)', '2 √p'),
    sensitivity=sensitivities.histograms,
    share='pairs',
    proofs=('joint.values.release_values', _HISTOGRAM),
)

DISTANCES = Kind(
    name='distances of triples',
    stage='approximate',
    title='distances of {triples} triples of columns from what pairs say',
    words=(
        'how far the coarse histogram of each of t triples of columns is from what pairs say: '
        'the absolute differences, added up'
    ),
    moves=('√t', '2 √t'),
    sensitivity=sensitivities.distances,
    share='pairs',
    proofs=('joint.triples.release_distances', 'accounting.sensitivities.distance_sensitivity'),
)

TRIPLES = Kind(
    name='triples',
    stage='approximate',
    title='interactions of {tables}, in up to {bins} bins each',
    words=(
        'the interactions of triples that are far off, or of all where each is one number, times v'
    ),
    moves=_OF_INTERACTIONS,
    sensitivity=sensitivities.contrasts,
    share='pairs',
    proofs=_INTERACTIONS,
)

MOMENTS = Kind(
    name='moments',
    stage='approximate',
    title='counts, sums and second moments of normal scores in {groups} groups',
    words='counts, sums and products of the normal scores in each class',
    moves=_OF_SCORES,
    sensitivity=sensitivities.moments,
    share='moments',
    proofs=_SCORE_MOMENTS,
)

COMPONENTS = Kind(
    name='components',
    stage='approximate',
    title='counts and sums of normal scores in {groups} clusters',
    words='with mixing: counts and sums of the scores in each cluster, three times',
    moves=('√2 R', '2 R'),
    sensitivity=sensitivities.components,
    share='clusters',
    proofs=('paper.release_groups', 'accounting.sensitivities.sum_sensitivity'),
)

FEATURES = Kind(
    name='features',
    stage='adapt',
    title='counts, sums and second moments of kernel features in {groups} groups',
    words='number, sums and products of the features of the kernel, where the budget carries any',
    moves=('17/√2 (w² + F²)', '17 (w² + F²)'),
    sensitivity=sensitivities.moments,
    share='adapt',
    proofs=('adapt.fit.Looks', 'accounting.sensitivities.moment_sensitivity'),
)

SLOPES = Kind(
    name='slopes',
    stage='adapt',
    title='slopes of the loss of the target in {weights} weights',
    words=(
        'slopes of the loss of the target, a few times: in what each column tells; of a numerical '
        'target also in what pairs of columns tell; with features of the kernel, where the budget '
        'carries any'
    ),
    moves=('S', '2 S'),
    sensitivity=sensitivities.slopes,
    share='adapt',
    proofs=('adapt.fit.Looks', 'adapt.slopes.sum_slopes', f'{_OWN}.slopes'),
)

MIXES = Kind(
    name='mixes',
    stage='anonymize',
    title='counts and sums of normal scores in {groups} mixes of records',
    words='with mixing: counts and sums of the scores of the records that are mixed',
    moves=('√2 R', '2 R'),
    sensitivity=sensitivities.components,
    share='anonymize',
    proofs=('paper.release_groups', 'accounting.sensitivities.sum_sensitivity'),
)

MAGNITUDES = Kind(
    name='magnitudes',
    stage='describe',
    title='number of units by the magnitude of their rows',
    words='many tables: how many units have how many rows',
    moves=_OF_A_COUNT,
    sensitivity=sensitivities.one_count,
    share='magnitudes',
    proofs=('relational.magnitudes.release_magnitudes', 'rows.units.membership.find_units'),
    about_units=True,
)

ORPHANS = Kind(
    name='orphans',
    stage='describe',
    title='number of rows without an owner',
    words='many tables: how many rows hang off no other',
    moves=_OF_A_COUNT,
    sensitivity=sensitivities.one_count,
    share='orphans',
    proofs=(_HISTOGRAM, 'rows.units.membership.find_units'),
    about_units=True,
)

AGREEMENT = Kind(
    name='agreement',
    stage='approximate',
    title='what two rows of a unit have in common, in {columns} columns',
    words='many tables: how many units have two rows, and which values both have, column by column',
    moves=('√(m + 1)', '√(2m + 2)'),
    sensitivity=sensitivities.sizes_and_histograms,
    share='agreement',
    proofs=('relational.agreement.release_agreement', _HISTOGRAM),
    about_units=True,
)

LINKS = Kind(
    name='links',
    stage='approximate',
    title='references to rows of other units, and whether {columns} columns are alike at both ends',
    words=(
        'many tables: how many rows are referred to how often by rows of other units, and whether '
        'r columns are the same at both ends; 3 + r for 9 + 4r between units of two kinds'
    ),
    moves=('√(9 + 4r)', '2 √(9 + 4r)'),
    sensitivity=sensitivities.references,
    share='links',
    proofs=('rows.units.links.read_references', f'{_OWN}.references'),
    about_units=True,
)

REPEATS = Kind(
    name='repeats',
    stage='approximate',
    title='whether two rows of one owner refer to the same row of another unit',
    words='many tables: how many units have two such rows, and how often both lead to the same row',
    moves=('√2', '2'),
    sensitivity=partial(sensitivities.histograms, columns=2),
    share='links',
    proofs=('rows.units.links.read_repeats', _HISTOGRAM),
    about_units=True,
)

#: All statistics by name, in the order of the stages; those of databases are last.
REGISTRY = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            SIZE,
            *QUESTIONS.values(),
            COLUMNS,
            CLASSES,
            SUMS,
            PAIRS,
            FUNCTIONS,
            DIGITS,
            DISTANCES,
            TRIPLES,
            MOMENTS,
            COMPONENTS,
            FEATURES,
            SLOPES,
            MIXES,
            MAGNITUDES,
            ORPHANS,
            AGREEMENT,
            LINKS,
            REPEATS,
        )
    }
)
