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
    words='the number of records, if there are numerical columns or unknown values',
    brief='the number of rows',
    moves=('1', '√2'),
    sensitivity=partial(histogram_sensitivity, 1),
    share='size',
    proofs=('describe.size.release_size', _HISTOGRAM),
)


def of_columns(columns: int, **facts: Any) -> float:
    """Return the sensitivity of histograms: a record adds to at most one count of each column."""
    return histogram_sensitivity(columns, **facts)


def _ask(brief: str, name: str, title: str, words: str, *proofs: str, shared: bool = False) -> Kind:
    """Return a question whose contribution is one per column, or shared by all columns."""
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


#: Questions, by name. Each concerns one unknown fact, for all columns that lack this fact.
QUESTIONS = {
    'nulls': _ask(
        'missing values',
        'missing values',
        'number of missing values, by column',
        'the number of missing values of each column',
        _HISTOGRAM,
    ),
    'steps': _ask(
        'steps',
        'granularity',
        'granularity of numbers, by column',
        'for each column, counts of numbers by the coarsest candidate step that divides them',
        _HISTOGRAM,
        'describe.description.describe',
    ),
    'classes': _ask(
        'values',
        'values of the classes',
        'values of the classes above a threshold',
        'frequent values of the target, or of the category in its place, with their counts, above '
        'a threshold that fails with a part of δ',
        _THRESHOLD,
    ),
    'categories': _ask(
        'values',
        'values of categories',
        'values of categorical columns above a threshold',
        'frequent values of the other categories, in the same way',
        _THRESHOLD,
    ),
    'rarer': _ask(
        'values',
        'rarer values of categories',
        'rarer values of categorical columns above a threshold',
        'less frequent values of these categories, in the same way: a row shares one contribution '
        'of norm 4,096 among its values that were not released before',
        'describe.answers.tally_rarer',
        _THRESHOLD,
        shared=True,
    ),
    'spikes': _ask(
        'ranges',
        'heavy numbers',
        'heavy single values of numerical columns above a threshold',
        'frequent single numbers, in the same way',
        _THRESHOLD,
    ),
    'ranges': _ask(
        'ranges',
        'grid counts',
        'counts on a public grid, by column',
        'counts of numbers on a grid that is the same for all tables, and of usual codes such as '
        '999',
        _HISTOGRAM,
        'describe.description.describe',
    ),
    'closer': _ask(
        'ranges',
        'refined grid counts',
        'counts on a grid refined where numbers lie, by column',
        'counts of numbers on a grid that is finer in bins with many numbers: first for the '
        'columns with such bins, then for all columns, unless their tails are counted apart',
        _HISTOGRAM,
        'describe.numbers.release_sketches',
    ),
    'tails': _ask(
        'ranges',
        'grid counts of the tails',
        'counts on the grid beyond the bulk, by column',
        'counts of numbers beyond the bulk of their column, on the same grid: a row shares one '
        'contribution of norm 4,096 among its numbers there',
        'describe.answers.count_tails',
        'describe.numbers.release_sketches',
        shared=True,
    ),
}
