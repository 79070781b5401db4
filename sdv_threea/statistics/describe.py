"""The statistics of the stage *describe*: the number of records, and one for each question."""

from functools import partial
from typing import Any

from sdv_threea.accounting.sensitivities import RECORD_UNITS, histogram_sensitivity, sum_sensitivity
from sdv_threea.statistics.kind import Kind

_HISTOGRAM = 'accounting.sensitivities.histogram_sensitivity'
_THRESHOLD = 'privacy.mechanism.threshold_release'

SIZE = Kind(
    name='size',
    stage='describe',
    title='number of records',
    words='how many records there are, where there are numbers or values are unknown',
    brief='the number of rows',
    moves=('1', '√2'),
    sensitivity=partial(histogram_sensitivity, 1),
    share='size',
    proofs=('describe.size.release_size', _HISTOGRAM),
)


def of_columns(columns: int, **facts: Any) -> float:
    """Return how far a record moves histograms: by at most one count of each column."""
    return histogram_sensitivity(columns, **facts)


def _ask(brief: str, name: str, title: str, words: str, *proofs: str, shared: bool = False) -> Kind:
    """Return a question: a record adds to a count of each column, or shares one count out."""
    return Kind(
        name=name,
        stage='describe',
        title=title,
        words=words,
        moves=('4096', '4096 √2') if shared else ('√q', '√(2q)'),
        sensitivity=partial(sum_sensitivity, RECORD_UNITS) if shared else of_columns,
        share='describe',
        proofs=proofs,
        brief=brief,
    )


#: Questions, by name. Each asks for one unknown fact, of all columns that lack it.
QUESTIONS = {
    'nulls': _ask(
        'missing values',
        'missing values',
        'number of missing values, by column',
        'which columns have missing values: a count each',
        _HISTOGRAM,
    ),
    'steps': _ask(
        'steps',
        'granularity',
        'granularity of numbers, by column',
        'of which step numbers are multiples: a count per candidate',
        _HISTOGRAM,
        'describe.description.describe',
    ),
    'classes': _ask(
        'values',
        'values of the classes',
        'values of the classes above a threshold',
        'values of the target, or of the category in its place, that many rows share, and their '
        'counts; fails with a part of δ',
        _THRESHOLD,
    ),
    'categories': _ask(
        'values',
        'values of categories',
        'values of categorical columns above a threshold',
        'values of the other categories that many rows share, and their counts; the same',
        _THRESHOLD,
    ),
    'rarer': _ask(
        'values',
        'rarer values of categories',
        'rarer values of categorical columns above a threshold',
        'values of these that fewer rows have, and were not shown yet: a row shares 4,096 out '
        'among those that it has, the root of the sum of their squares is not more; the same',
        'describe.answers.tally_rarer',
        _THRESHOLD,
        shared=True,
    ),
    'spikes': _ask(
        'ranges',
        'heavy numbers',
        'heavy single values of numerical columns above a threshold',
        'single numbers that many rows share, and their counts; the same',
        _THRESHOLD,
    ),
    'ranges': _ask(
        'ranges',
        'grid counts',
        'counts on a public grid, by column',
        'where numbers lie: counts on a grid that is the same for all tables, and of usual codes '
        'such as 999',
        _HISTOGRAM,
        'describe.description.describe',
    ),
    'closer': _ask(
        'ranges',
        'refined grid counts',
        'counts on a grid refined where numbers lie, by column',
        'the same on a grid whose bins are split where the counts before found many numbers; asked '
        'of columns that have such bins, and then of all, if their tails are not counted apart',
        _HISTOGRAM,
        'describe.numbers.release_sketches',
    ),
    'tails': _ask(
        'ranges',
        'grid counts of the tails',
        'counts on the grid beyond the bulk, by column',
        'where numbers lie beyond the bulk of their column, on the same grid: a row shares 4,096 '
        'out among those that it has there, the root of the sum of their squares is not more',
        'describe.answers.count_tails',
        'describe.numbers.release_sketches',
        shared=True,
    ),
}
