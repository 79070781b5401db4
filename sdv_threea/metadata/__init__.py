"""Public metadata, made with the user: what columns are, and what anybody may know of them.

It may read a data dictionary, the schema of a Parquet file, the line of names of a CSV file, and
rows that the caller says are public. It must not read any other row, and must not state as public
what nobody has stated. :mod:`sdv_threea.storage.metadata` reads the metadata that is made here.

* :mod:`~sdv_threea.metadata.columns`: what is stated of a column, and what is still open,
* :mod:`~sdv_threea.metadata.proposal`: the columns of tables, as metadata or as a data dictionary,
* :mod:`~sdv_threea.metadata.words`: what headers, types, ranges and lists of values are spelt like,
* :mod:`~sdv_threea.metadata.naming`: what the name of a column says about it,
* :mod:`~sdv_threea.metadata.dictionary`: proposals from data dictionaries,
* :mod:`~sdv_threea.metadata.schemas`: proposals from names and types, without a row,
* :mod:`~sdv_threea.metadata.sample`: proposals from public rows,
* :mod:`~sdv_threea.metadata.asking`: proposals that somebody completes, question by question,
* :mod:`~sdv_threea.metadata.relations`: relations of columns that a release shows.
"""

from __future__ import annotations

from sdv_threea.metadata.asking import ask
from sdv_threea.metadata.columns import Question, StatedColumn
from sdv_threea.metadata.dictionary import propose_from_dictionary
from sdv_threea.metadata.proposal import Proposal
from sdv_threea.metadata.relations import suggest_constraints
from sdv_threea.metadata.sample import propose_from_public_rows
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
