"""Proposals completed by the user's answers to questions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sdv_threea.guesses import LEARNED
from sdv_threea.metadata.column_facts import (
    FACTS,
    MADE_UP,
    SDTYPE,
    Question,
    StatedColumn,
    fitting,
)
from sdv_threea.metadata.dictionary import read_sdtype
from sdv_threea.metadata.proposal import Proposal
from sdv_threea.metadata.words import read_number, read_template, read_truth, read_values

#: Hints on how to write an answer, by open fact.
HINTS = {'values': ', separated by ;', 'missing': ', yes or no'}


def ask(
    proposal: Proposal, prompt: Callable[[str], str], tell: Callable[[str], object] = print
) -> Proposal:
    """Ask the user the open questions of a proposal, and return it with the answers.

    Args:
        proposal: The proposal.
        prompt: Shows a question and returns the answer, like :func:`input`. An empty answer leaves
            the fact open.
        tell: Shows why an answer is invalid; the question is then repeated.
    """
    several = len(proposal.tables) > 1
    tables = {}
    for table, columns in proposal.tables.items():
        prefix = f'{table}.' if several else ''
        tables[table] = tuple(_complete(each, prefix, prompt, tell) for each in columns)
    return replace(proposal, tables=tables)


def _complete(
    column: StatedColumn, prefix: str, prompt: Callable[[str], str], tell: Callable[[str], object]
) -> StatedColumn:
    """Ask for all open facts of a column, first for its sdtype, on which the others depend."""
    asked: set[str] = set()
    while question := next((each for each in column.questions if each.fact not in asked), None):
        answer = prompt(f'{prefix}{column.name}: {_word(question, column)}').strip()
        try:
            column = _state(column, question.fact, answer)
        except ValueError as error:
            tell(str(error))
            continue
        asked.add(question.fact)
    return column


def _word(question: Question, column: StatedColumn) -> str:
    if question.fact != SDTYPE:
        return f'{question.said}{HINTS.get(question.fact, "")} (empty if it is not public)'
    kinds = ', '.join((*LEARNED, *MADE_UP))
    return f'what it holds ({kinds}; empty for {column.sdtype or "unknown"})'


def _state(column: StatedColumn, fact: str, answer: str) -> StatedColumn:
    """Return the column with an answer; a ``ValueError`` says why the answer is invalid."""
    if fact == SDTYPE:
        sdtype = read_sdtype(answer) if answer else column.sdtype
        return fitting(replace(column, sdtype=sdtype, guess=''))
    if not answer:
        return column
    is_date = column.sdtype == 'datetime' and fact in ('min', 'max')
    field = next(each.field for each in FACTS if each.word == fact)
    changes: dict[str, Any] = {field: answer if is_date else READ[fact](answer)}
    changed = replace(column, **changes)
    low, high = changed.low, changed.high
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        raise ValueError('The range ends before it begins.')
    return changed


def _must(read: Callable[[str], Any], wrong: str) -> Callable[[str], Any]:
    """Return a function that reads an answer, or raises an error with the message ``wrong``."""

    def read_answer(answer: str) -> Any:
        found = read(answer)
        if found is None:
            raise ValueError(wrong)
        return found

    return read_answer


#: By open fact, the function that reads an answer.
READ: dict[str, Callable[[str], Any]] = {
    'format': _must(read_template, 'Write the format such as %Y-%m-%d.'),
    'min': _must(read_number, 'Give a number.'),
    'max': _must(read_number, 'Give a number.'),
    'values': lambda answer: read_values(answer)[0],
    'missing': _must(read_truth, 'Answer yes or no.'),
}
