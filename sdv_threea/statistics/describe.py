"""The statistics of the stage *describe*: the number of records, and one for each question."""

from __future__ import annotations

from sdv_threea.statistics import sensitivities
from sdv_threea.statistics.kind import Kind

_OF_COLUMNS = '√q', '√(2q)'
_OF_A_COUNT = '1', '√2'
_OF_A_SHARED_COUNT = '4096', '4096 √2'
_HISTOGRAM = 'accounting.sensitivities.histogram_sensitivity'
_THRESHOLD = 'privacy.mechanism.threshold_release'

SIZE = Kind(
    name='size',
    stage='describe',
    title='number of records',
    words='how many records there are, where there are numbers or values are unknown',
    moves=_OF_A_COUNT,
    sensitivity=sensitivities.one_count,
    share='size',
    proofs=('describe.size.release_size', _HISTOGRAM),
)

#: Questions, by name. Each asks for one unknown fact, of all columns that lack it.
QUESTIONS = {
    'nulls': Kind(
        name='missing values',
        stage='describe',
        title='number of missing values, by column',
        words='which columns have missing values: a count each',
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_HISTOGRAM,),
    ),
    'steps': Kind(
        name='granularity',
        stage='describe',
        title='granularity of numbers, by column',
        words='of which step numbers are multiples: a count per candidate',
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_HISTOGRAM, 'describe.description.describe'),
    ),
    'classes': Kind(
        name='values of the classes',
        stage='describe',
        title='values of the classes above a threshold',
        words=(
            'values of the target, or of the category in its place, that many rows share, and '
            'their counts; fails with a part of δ'
        ),
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_THRESHOLD,),
    ),
    'categories': Kind(
        name='values of categories',
        stage='describe',
        title='values of categorical columns above a threshold',
        words='values of the other categories that many rows share, and their counts; the same',
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_THRESHOLD,),
    ),
    'rarer': Kind(
        name='rarer values of categories',
        stage='describe',
        title='rarer values of categorical columns above a threshold',
        words=(
            'values of these that fewer rows have, and were not shown yet: a row shares 4,096 out '
            'among those that it has, the root of the sum of their squares is not more; the same'
        ),
        moves=_OF_A_SHARED_COUNT,
        sensitivity=sensitivities.shared_count,
        share='describe',
        proofs=('describe.answers.tally_rarer', _THRESHOLD),
    ),
    'spikes': Kind(
        name='heavy numbers',
        stage='describe',
        title='heavy single values of numerical columns above a threshold',
        words='single numbers that many rows share, and their counts; the same',
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_THRESHOLD,),
    ),
    'ranges': Kind(
        name='grid counts',
        stage='describe',
        title='counts on a public grid, by column',
        words=(
            'where numbers lie: counts on a grid that is the same for all tables, and of usual '
            'codes such as 999'
        ),
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_HISTOGRAM, 'describe.description.describe'),
    ),
    'closer': Kind(
        name='refined grid counts',
        stage='describe',
        title='counts on a grid refined where numbers lie, by column',
        words=(
            'the same on a grid whose bins are split where the counts before found many numbers; '
            'asked of columns that have such bins, and then of all, if their tails are not counted '
            'apart'
        ),
        moves=_OF_COLUMNS,
        sensitivity=sensitivities.histograms,
        share='describe',
        proofs=(_HISTOGRAM, 'describe.numbers.release_sketches'),
    ),
    'tails': Kind(
        name='grid counts of the tails',
        stage='describe',
        title='counts on the grid beyond the bulk, by column',
        words=(
            'where numbers lie beyond the bulk of their column, on the same grid: a row shares '
            '4,096 out among those that it has there, the root of the sum of their squares is not '
            'more'
        ),
        moves=_OF_A_SHARED_COUNT,
        sensitivity=sensitivities.shared_count,
        share='describe',
        proofs=('describe.answers.count_tails', 'describe.numbers.release_sketches'),
    ),
}
