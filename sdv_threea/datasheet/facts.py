"""What a datasheet is made of: released numbers, public facts, and words of the publisher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdv_threea.errors import InputError

#: What only the publisher can say, and the question that it answers.
ASKED = {
    'title': 'What is the data set called?',
    'description': 'What is it about, in a sentence?',
    'motivation': 'For what purpose was it made, and by whom?',
    'collection': 'How, when and from whom were the private rows collected?',
    'consent': 'Do the people know, and on what legal ground are their rows used?',
    'uses': 'What is it meant to be used for?',
    'unsuited': 'What should it not be used for?',
    'license': 'Under which licence is it distributed (a URL is best)?',
    'url': 'Where is it to be found?',
    'creator': 'Who publishes it?',
    'contact': 'Whom should one ask?',
    'maintenance': 'Will it be updated, and how will that be told?',
}


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """A column as it was released.

    Args:
        name: Its name.
        sdtype: Its type in SDV's metadata.
        shown: What samples show: a range or values, in words.
        known: How that is known, in words.
        error: The share of rows by which the noise alone may be expected to move the column, or
            ``None`` if it is not modelled.
    """

    name: str
    sdtype: str
    shown: str = ''
    known: str = ''
    error: float | None = None


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """A table as it was released.

    Args:
        name: Its name.
        num_rows: The released, noisy number of rows; ``None`` if nothing is known of it.
        columns: Its columns.
        protection: What is protected of it, in words.
        keys: The names of its keys.
    """

    name: str
    num_rows: int | None
    columns: tuple[ColumnFacts, ...]
    protection: str = ''
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SheetFacts:
    """All that a datasheet is made of. Everything in it may be published.

    Args:
        tables: The tables.
        statement: The privacy statement as a dictionary.
        text: The privacy statement as text.
        losses: What the release has lost, in sentences.
        settings: The settings of the synthesizer, by name.
        versions: Versions of the programs, by name.
        made_on: The day on which the datasheet was made.
        needed: How many rows must have a value for it to be seen, if that can be told.
        about: What the publisher says, by the names of :data:`ASKED`.
    """

    tables: tuple[TableFacts, ...]
    statement: Mapping[str, Any]
    text: str
    losses: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    made_on: str = ''
    needed: float | None = None
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.about) - set(ASKED)):
            raise InputError(f'A datasheet has no place for {unknown}: choose from {list(ASKED)}.')

    @property
    def title(self) -> str:
        """The name of the data set: the publisher's, or that of its tables."""
        return self.about.get('title') or ', '.join(each.name for each in self.tables)
