"""The page on privacy lists every refusal that depends on private cells, and none that is not.

What is raised inside :func:`~sdv_threea.rows.guard.guarded` leaves it as one of our sentences or
as those of the guard itself. So every refusal is a sentence in a module that reads private rows, or
raises what is raised of them. Each sentence there is in the table under *Refusals*, or is listed
here with what it depends on instead.
"""

import ast
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import LogScaler
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata

import sdv_threea
from sdv_threea import ClustMixSynthesizer

PACKAGE = Path(sdv_threea.__file__).parent
PAGE = PACKAGE.parent / 'docs' / 'privacy.md'

#: Who imports one of these reads private rows, or says what is wrong with them.
TELLTALES = {
    'Rows', 'chunk_table', 'guarded', 'UnreadableRowsError', 'InvalidDataError',
    'ConstraintNotMetError', 'find_distinct', 'find_numbers', 'find_rows', 'has_repeats',
}  # fmt: skip

#: Rooms that read private rows, all of them; and the module by which the command line reads files.
READERS = ('rows/', 'privacy/', 'cli/table_files.py')

#: Rooms that compare real rows with synthetic ones, for the holder of both: no fit runs them. And
#: the graph of tables, which is public.
BESIDE = (
    'schema.py',
    'audit/',
    'datasets/',
    'datasheet/',
    'report/',
    'cli/saved.py',
    'cli/refusals.py',
)

#: Sentences that depend on no private cell, by what they depend on; their beginnings are enough.
PUBLIC = {
    'the metadata, the settings, what is asked for': (
        'A ProgrammableConstraint learns from all tables at once', 'The columns of are of sdtypes',
        'The parameters cannot be set for one table', 'The processed table must have the columns',
        'The range_values of the column', 'This synthesizer has not been fitted',
        'This synthesizer has already been fitted: fit it to the processed table',
        'The columns follow from others by a rule',
        'The condition on cannot be read', 'has a range in its metadata that goes beyond',
        'make_sdgym_synthesizer needs SDGym', 'table_parameters must map parameters to values',
        'Only some of the conditions', 'Unable to sample any rows', '--encoding lacks a character',
        'the inner products do not fit into 53 bits', ': . Equal values break it',
        'Fit what preprocess returned.', 'A condition needs a category',
        'A condition on a range needs', 'A formula needs numbers', 'Give one of if_values',
        'Metadata has several tables', 'There are no columns in',
        'decimals must be a whole', 'formula must not contain', 'must be a string.',
        'if_range must be', 'if_values must be', 'is none of', 'only_if must be',
        'then_values must map', 'Sequences are rows of one table', 'The columns are not among the',
        'The metadata of the table must have a sequence_key', 'There are no context columns',
        'context_columns must be', 'context_columns names', 'decimal must be one sign',
        'places must be a whole number', 'is no number with a sign',
        'Some rows of the context have values', 'A condition on is at a time that the clocks',
        'The column cannot have the transformer', 'The column is the target', 'may read any column',
        'The columns need generators', 'The transformer of the column needs a public list',
        'The constraint has a fit', 'The constraint is about columns that are released apart',
        'The parent_table_name of must be', 'The table of the sequences is',
    ),
    'the type of what is given, names of tables and columns, dtypes, what is installed': (
        'Dask guesses the dtypes', 'Reading parquet files piece by piece needs Dask',
        'Table is not in the metadata', 'Table of the metadata is not in the data',
        'The data parameter must be a dictionary', 'The columns of the metadata are not',
        'The columns of the table are not', 'The table has several columns', 'There is no table',
        'There are no parquet files',
        'Column (numerical) is stored as a category', 'object has no attribute',
    ),
    'synthetic rows': (
        'Rows of the table break .', 'The constraint cannot be fitted on synthetic rows',
    ),
    'public facts that a transformer is fitted to': (
        'The transformer of the column cannot be fitted',
        'The transformer of the column does not map each value',
    ),
    'one cell, and is caught where it is read': (
        'The cell is', 'The time is outside', 'The date is outside', 'The ends of the interval',
        'The tuples are nested',
    ),
    'the budget, and settings of the noise, which are public or released': (
        'a stage that has had its share', 'the stage has had its share', 'the releases cost',
        'delta must be above 0', 'least must be at least 1', 'scale must be above 0',
        'sensitivity and mu must be', 'the noise does not fit into 64 bits',
        'values must be integers',
    ),
    'mistakes of our own, which no cell can cause': (
        'a code is out of range', 'a group is out of range', 'codes must have one row',
        'weights must be at least zero', 'the sums do not fit into 64 bits: choose a coarser grid',
        'the squared norms do not fit', 'the question has not been put',
    ),
}  # fmt: skip


def plain(text):
    """Leave out of a sentence what is filled in, and quotes."""
    return ' '.join(re.sub(r"\{[^}]*\}|['`]", '', text).split())


def write(node):
    """Return the text of a literal, with gaps where something is filled in; ``None`` if none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return ''.join(write(each) or '{}' for each in ast.iter_child_nodes(node))
    return None


def find_docstrings(tree):
    holders = ast.Module, ast.ClassDef, ast.FunctionDef
    firsts = [each.body[0] for each in ast.walk(tree) if isinstance(each, holders) and each.body]
    return {id(each.value) for each in firsts if isinstance(each, ast.Expr)}


def find_parts(tree):
    """Find the literals that are parts of others."""
    whole = [each for each in ast.walk(tree) if isinstance(each, ast.JoinedStr)]
    return {id(part) for each in whole for part in ast.iter_child_nodes(each)}


def find_raised(tree):
    """Find all that errors are made of, and what is listed to be raised together."""
    for each in ast.walk(tree):
        name = getattr(each, 'func', None)
        name = getattr(name, 'id', getattr(name, 'attr', ''))
        if isinstance(each, ast.Raise) or name.endswith('Error'):
            yield from map(id, ast.walk(each))


def list_sentences(source):
    """List the sentences in a module: what errors say, and all that has a full stop."""
    tree = ast.parse(source)
    passed, raised = find_docstrings(tree) | find_parts(tree), set(find_raised(tree))
    for node in ast.walk(tree):
        text = None if id(node) in passed else write(node)
        words = len(re.findall(r'[^\W\d]{2,}', text or ''))
        if words > 2 and (id(node) in raised or text.rstrip().endswith('.')):
            yield plain(text)


def reads_rows(path, source):
    place = path.relative_to(PACKAGE).as_posix()
    if place.startswith(BESIDE):
        return False
    imported = {
        each.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    return place.startswith(READERS) or bool(imported & TELLTALES)


def list_refusals():
    """List what the code can say of private rows."""
    sources = {path: path.read_text('utf-8') for path in sorted(PACKAGE.rglob('*.py'))}
    found = {
        sentence
        for path, source in sources.items()
        if reads_rows(path, source)
        for sentence in list_sentences(source)
    }
    public = tuple(map(plain, (each for some in PUBLIC.values() for each in some)))
    return {each for each in found if not each.startswith(public)}


def list_rows():
    """List the rows of the table: what a refusal says, and whether it stays with ``'coerce'``."""
    table = PAGE.read_text('utf-8').split('### Refusals')[1].split('\n##')[0]
    rows = [line.strip('| ').split(' | ') for line in table.splitlines() if line.startswith('| `')]
    return [([plain(each) for each in re.findall('`(.*?)`', row[0])], row[2]) for row in rows]


def says(sentence, phrase):
    """Tell whether a sentence has a phrase in it; dots stand for names."""
    words = (re.escape(each.strip()) for each in phrase.split('...'))
    return re.search('.*'.join(words), sentence) is not None


def find_missing(refusals, phrases):
    return {each for each in refusals if not any(says(each, phrase) for phrase in phrases)}


def test_every_refusal_of_the_code_is_in_the_table_of_the_page():
    phrases = [phrase for said, _ in list_rows() for phrase in said]
    assert find_missing(list_refusals(), phrases) == set()


def test_every_row_of_the_table_is_a_refusal_of_the_code():
    refusals = list_refusals()
    for said, _ in list_rows():
        for phrase in said:
            assert any(says(each, phrase) for each in refusals), phrase


def test_nothing_is_called_public_that_the_code_does_not_say():
    sentences = {
        sentence for path in PACKAGE.rglob('*.py') for sentence in list_sentences(path.read_text())
    }
    for beginning in (each for some in PUBLIC.values() for each in some):
        assert any(each.startswith(plain(beginning)) for each in sentences), beginning


@pytest.mark.parametrize(
    'source',
    [
        "raise UnreadableRowsError(f'Column {name!r} has too many values: leave some out')",
        "flaws = {'has more than a thousand different values.': np.array([True])}",
        "TOO_MANY = 'Column {name} has a value that only one row has.'",
        "problems += [f'In {name} no cell is like {other}.' for name in found]",
    ],
)
def test_a_refusal_that_is_new_is_seen(source):
    phrases = [phrase for said, _ in list_rows() for phrase in said]
    assert find_missing(set(list_sentences(source)), phrases)


DATES = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}

#: What one cell of a table is, by its column, and where it takes the refusal that the page lists.
CELLS = {
    'has values that are not numbers': ('number', 'x'),
    'has infinite values, or integers that are too large for a float': ('number', np.inf),
    'has values that are not dates': ('day', '2020-13-01'),
    'has dates without a time zone': ('moment', pd.Timestamp('2020')),
    'has values other than True, False and missing': ('flag', 'x'),
    'has values that cannot be categories': ('kind', [1]),
    'has values outside the range': ('stated', 7),
    'has values that are not among the range_values': ('listed', 'x'),
    'has missing values, and its metadata or dtype allows none': ('stated', None),
    'has values that its transformer ... cannot take': ('number', 0),
    'Key column ... has missing values': ('key', None),
    'Key column ... has repeated values': ('key', 1),
}
COLUMNS = {
    'key': {'sdtype': 'id'},
    'number': {'sdtype': 'numerical'},
    'day': DATES,
    'moment': DATES | {'datetime_format': '%Y-%m-%dT%H:%M%z'},
    'flag': {'sdtype': 'boolean'},
    'kind': {'sdtype': 'categorical'},
    'stated': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 5, 'range_is_nullable': False},
    'listed': {'sdtype': 'categorical', 'range_values': ['a', 'b']},
}


def make_table():
    cells = {
        'key': [1, 2, 3], 'number': [1, 2, 3], 'day': ['2020-01-01'] * 3,
        'moment': ['2020-01-01T10:00+0200'] * 3, 'flag': [True, False, True],
        'kind': ['a', 'b', 'a'], 'stated': [1, 2, 3], 'listed': ['a', 'b', 'a'],
    }  # fmt: skip
    return pd.DataFrame(cells, dtype=object)


def make_synthesizer(**settings):
    table = {'columns': COLUMNS, 'primary_key': 'key'}
    metadata = Metadata.load_from_dict({'tables': {'t': table}})
    synthesizer = ClustMixSynthesizer(metadata, public_metadata=True, **settings)
    synthesizer.auto_assign_transformers({'t': make_table()})
    synthesizer.update_transformers({'number': LogScaler()})
    return synthesizer


@pytest.mark.parametrize('phrase', CELLS)
def test_one_cell_takes_the_refusal_that_the_table_says(phrase):
    ((stays,),) = [{stays for said, stays in list_rows() if phrase in said}]
    column, cell = CELLS[phrase]
    table = make_table()
    odd = table.assign(**{column: pd.Series([*table[column][:2], cell], dtype=object)})
    make_synthesizer().validate({'t': table})
    with pytest.raises(InvalidDataError) as caught:
        make_synthesizer().validate({'t': odd})

    assert any(says(plain(each), phrase) for each in caught.value.errors)
    assert stays == 'no'
    make_synthesizer(invalid_cells='coerce').validate({'t': odd})


@pytest.mark.parametrize('coerced', ['raise', 'coerce'])
def test_what_no_single_cell_could_mend_is_refused_all_the_same(coerced):
    """The rows of the table that stay, of one table in memory."""
    table = make_table()
    merged = table.assign(kind=['a\0', 'a', 'b']).astype({'kind': 'category'})
    for given, phrase in ((table.head(0), 'has no rows'), (merged, 'a category with NUL')):
        with pytest.raises(InvalidDataError, match=phrase):
            make_synthesizer(invalid_cells=coerced).validate({'t': given})
        assert all(stays == 'yes' for said, stays in list_rows() if phrase in ' '.join(said))
