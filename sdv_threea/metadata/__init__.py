"""Public metadata, made with the user: the types of columns, and their public facts.

These modules may read a data dictionary, the schema of a Parquet file, the first line of a CSV
file, and rows that the caller declares public. The modules must not read any other row, and must
not state a fact as public that no user or source has stated. :mod:`sdv_threea.storage.metadata`
reads the metadata made here.

* :mod:`~sdv_threea.metadata.column_facts`: the stated facts and the open questions of a column,
* :mod:`~sdv_threea.metadata.proposal`: proposed columns of tables; proposals from public rows,
* :mod:`~sdv_threea.metadata.words`: spellings in data dictionaries; guesses from column names,
* :mod:`~sdv_threea.metadata.dictionary`: proposals from data dictionaries,
* :mod:`~sdv_threea.metadata.schemas`: proposals from names and types, without a row,
* :mod:`~sdv_threea.metadata.asking`: proposals completed by the user's answers,
* :mod:`~sdv_threea.metadata.relations`: constraints suggested from samples of a release,
* :mod:`~sdv_threea.metadata.candidates`: tests of such constraints, and of rules between tables.
"""

from sdv_threea.metadata.asking import ask
from sdv_threea.metadata.column_facts import Question, StatedColumn
from sdv_threea.metadata.dictionary import propose_from_dictionary
from sdv_threea.metadata.proposal import Proposal, propose_from_public_rows
from sdv_threea.metadata.relations import suggest_constraints
from sdv_threea.metadata.schemas import propose_from_csv, propose_from_parquet

__all__ = [
    'Proposal',
    'Question',
    'StatedColumn',
    'ask',
    'propose_from_csv',
    'propose_from_dictionary',
    'propose_from_parquet',
    'propose_from_public_rows',
    'suggest_constraints',
]
