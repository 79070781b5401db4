"""Every statistic that is released, registered once.

All private rows are read through these statistics. So the page on privacy, the audit and the
contract tests iterate over :data:`REGISTRY`, and every accounting record names its statistic.
"""

import math
from functools import partial
from types import MappingProxyType
from typing import Any

from sdv_threea.accounting.sensitivities import (
    distance_sensitivity,
    histogram_sensitivity,
    interaction_sensitivity,
    moment_sensitivity,
    reference_sensitivity,
    slope_sensitivity,
    sum_sensitivity,
)
from sdv_threea.statistics.describe import QUESTIONS, SIZE, of_columns
from sdv_threea.statistics.kind import Kind

_OF_INTERACTIONS = '√(Σ v² Π g(g−1))', '√(2 Σ v² Π g(g−1) h/(h−1))'
_OWN = 'accounting.sensitivities'
_HISTOGRAM = f'{_OWN}.histogram_sensitivity'
_INTERACTIONS = 'joint.interactions.release_interactions', f'{_OWN}.interaction_sensitivity'

#: Kinds of the stage *approximate*, with and without the share of pairs of columns.
_approximate = partial(Kind, stage='approximate')
_pairs = partial(_approximate, share='pairs')


def _one_more(columns: int, **facts: Any) -> float:
    """A record adds one to at most one count of each column, and to the size of its class."""
    return histogram_sensitivity(columns + 1, **facts)


def _weighted(squared_weights: int, **facts: Any) -> float:
    """A record adds the weight ``v`` of a table to at most one of its counts: ``sum v^2``."""
    return histogram_sensitivity(squared_weights, **facts)


def _components(radius: int, **facts: Any) -> float:
    """A record adds the vector ``(radius, s)`` to one component, with ``||s|| <= radius``."""
    return sum_sensitivity(math.sqrt(2) * radius, **facts)


COLUMNS = _approximate(
    name='columns',
    title='sizes of {classes} classes and histograms of {columns} columns',
    words='the sizes of the classes, and the histogram of every column; for a row with an owner, '
    'only of its own m columns',
    moves=('√(m + 1)', '√(2m + 2)'),
    sensitivity=_one_more,
    share='columns',
    proofs=('approximate.counts.release_counts', _HISTOGRAM),
    brief='a histogram of each column',
)

CLASSES = _approximate(
    name='columns in classes',
    title='histograms of {columns} columns in each of {classes} classes, times {least} to {most}',
    words='a coarse histogram of every column in each class: a record adds a weight v to its bin, '
    'and all its weights together are shortened to the norm H',
    moves=('H', '√2 H'),
    sensitivity=sum_sensitivity,
    share='classes',
    proofs=(
        'approximate.counts.release_class_counts',
        'rows.statistics.weighted_histogram',
        f'{_OWN}.sum_sensitivity',
    ),
    brief='a histogram of each column in each class',
)

PAIRS = _pairs(
    name='pairs',
    title='interactions of {tables}, in up to {bins} bins each',
    words='if pairs are counted, the interactions of columns and pairs of columns, times v: coarse '
    'histograms without their means along each column',
    moves=_OF_INTERACTIONS,
    sensitivity=interaction_sensitivity,
    proofs=_INTERACTIONS,
    brief='pairs of columns',
)

FUNCTIONS = _pairs(
    name='functions',
    title='histograms of {pairs} pairs of columns, in up to {codes} codes each',
    words='a histogram of each pair that looks like a function, code by code, times v',
    moves=('√(Σ v²)', '√(2 Σ v²)'),
    sensitivity=_weighted,
    proofs=('joint.pairs.release_pair_counts', _HISTOGRAM),
    brief='columns that follow from others',
)

SUMS = _pairs(
    name='sums',
    title='records that obey, for {columns} likely sums and parts of columns',
    words='for k columns that may be sums of others, or parts of a date: how many records obey',
    moves=('√k', '√(2k)'),
    sensitivity=of_columns,
    proofs=('joint.column_sums.release_sums', _HISTOGRAM),
    brief='columns that follow from others',
)

DIGITS = _pairs(
    name='digits',
    title='digits of numbers by category, of {pairs} pairs of columns',
    words='for p pairs in which a category may determine a number: two digits of the place of the '
    'number in the interval of its code, a histogram each',
    moves=('√(2p)', '2 √p'),
    sensitivity=of_columns,
    proofs=('joint.determined_values.release_values', _HISTOGRAM),
    brief='columns that follow from others',
)

DISTANCES = _pairs(
    name='distances of triples',
    title='distances of {triples} triples of columns from what pairs say',
    words='for t triples of columns: the sum of the absolute differences between their coarse '
    'histogram and the one that their pairs imply',
    moves=('√t', '2 √t'),
    sensitivity=distance_sensitivity,
    proofs=('joint.triples.release_distances', f'{_OWN}.distance_sensitivity'),
    brief='triples of columns',
)

TRIPLES = _pairs(
    name='triples',
    title='interactions of {tables}, in up to {bins} bins each',
    words='the interactions of triples that are far from what their pairs imply, or of all triples '
    'if each is one number, times v',
    moves=_OF_INTERACTIONS,
    sensitivity=interaction_sensitivity,
    proofs=_INTERACTIONS,
    brief='triples of columns',
)

MOMENTS = _approximate(
    name='moments',
    title='counts, sums and second moments of normal scores in {groups} groups',
    words='counts, sums and products of the normal scores in each class',
    moves=('17/√2 (w² + R²)', '17 (w² + R²)'),
    sensitivity=moment_sensitivity,
    share='moments',
    proofs=('approximate.moments.release_score_moments', f'{_OWN}.moment_sensitivity'),
    brief='correlations',
)

COMPONENTS = _approximate(
    name='components',
    title='counts and sums of normal scores in {groups} clusters',
    words='with mixing, three times: counts and sums of the scores in each cluster',
    moves=('√2 R', '2 R'),
    sensitivity=_components,
    share='clusters',
    proofs=('paper.release_groups', f'{_OWN}.sum_sensitivity'),
    brief='groups of records',
)

FEATURES = Kind(
    name='features',
    stage='adapt',
    title='counts, sums and second moments of kernel features in {groups} groups',
    words='the count, sums and products of kernel features, if the budget supports features',
    moves=('17/√2 (w² + F²)', '17 (w² + F²)'),
    sensitivity=moment_sensitivity,
    share='adapt',
    proofs=('adapt.fit.Looks', f'{_OWN}.moment_sensitivity'),
    brief='a model of the target',
)

SLOPES = Kind(
    name='slopes',
    stage='adapt',
    title='slopes of the loss of the target in {weights} weights',
    words='several times, slopes of the loss of the target in the weights of columns, for a '
    'numerical target also of pairs of columns, and of kernel features, if the budget supports '
    'features',
    moves=('S', '2 S'),
    sensitivity=slope_sensitivity,
    share='adapt',
    proofs=('adapt.fit.Looks', 'adapt.slopes.sum_slopes', f'{_OWN}.slope_sensitivity'),
    brief='a model of the target',
)

MIXES = Kind(
    name='mixes',
    stage='anonymize',
    title='counts and sums of normal scores in {groups} mixes of records',
    words='with mixing: counts and sums of the scores of mixed records',
    moves=('√2 R', '2 R'),
    sensitivity=_components,
    share='anonymize',
    proofs=('paper.release_groups', f'{_OWN}.sum_sensitivity'),
    brief='sums of mixed records',
)

MAGNITUDES = Kind(
    name='magnitudes',
    stage='describe',
    title='number of units by the magnitude of their rows',
    words='several tables: the number of units by their number of rows',
    moves=('1', '√2'),
    sensitivity=partial(histogram_sensitivity, 1),
    share='magnitudes',
    proofs=('relational.magnitudes.release_magnitudes', 'rows.units.membership.find_units'),
    about_units=True,
)

ORPHANS = Kind(
    name='orphans',
    stage='describe',
    title='number of rows without an owner',
    words='several tables: the number of rows without an owner',
    moves=('1', '√2'),
    sensitivity=partial(histogram_sensitivity, 1),
    share='orphans',
    proofs=(_HISTOGRAM, 'rows.units.membership.find_units'),
    about_units=True,
)

AGREEMENT = _approximate(
    name='agreement',
    title='which value of a unit follows which, in {columns} columns',
    words='several tables: the number of units with two rows, and the bins of both, by column',
    moves=('√(m + 1)', '√(2m + 2)'),
    sensitivity=_one_more,
    share='agreement',
    proofs=('relational.agreement.release_agreement', _HISTOGRAM),
    about_units=True,
)

LINKS = _approximate(
    name='links',
    title='references to rows of other units, and {columns} tables of the columns at both ends',
    words='several tables: the number of rows by their references from other units, and counts of '
    'the bins of pairs of columns at both ends, times v; for units of two kinds, 2 instead of 5',
    moves=('√(5 + 5 Σ v²)', '2 √(5 + 5 Σ v²)'),
    sensitivity=reference_sensitivity,
    share='links',
    proofs=('rows.units.links.Reading', f'{_OWN}.reference_sensitivity'),
    about_units=True,
)

REPEATS = _approximate(
    name='repeats',
    title='whether two rows of one owner refer to the same row of another table',
    words='several tables: the number of units in which two rows of one owner refer to rows of '
    'another table, and of those in which both refer to the same row',
    moves=('√2', '2'),
    sensitivity=partial(histogram_sensitivity, 2),
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

#: The parts of a plan, in the order of the releases, and the kinds that each releases.
PARTS = MappingProxyType(
    {
        'size': (SIZE,),
        'describe': tuple(QUESTIONS.values()),
        'columns': (COLUMNS,),
        'columns again': (COLUMNS,),
        'classes': (CLASSES,),
        'moments': (MOMENTS,),
        'pairs': (PAIRS,),
        'functions': (FUNCTIONS, SUMS, DIGITS, DISTANCES, TRIPLES, PAIRS),
        'adapt': (SLOPES, FEATURES),
        'clusters': (COMPONENTS,),
        'anonymize': (MIXES,),
    }
)


def name_part(part: str) -> str:
    """Return the releases of a part of a plan, in a few words."""
    briefs = dict.fromkeys(kind.brief for kind in PARTS[part])
    return ', '.join(briefs) + (' again' if part in ('columns again', 'functions') else '')
