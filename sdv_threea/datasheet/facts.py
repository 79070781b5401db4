"""The facts of a datasheet: released numbers, public facts, and texts of the publisher."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdv_threea.errors import InputError

#: The texts that only the publisher can give, and the question that each answers.
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
        sdtype: Its type in SDV's metadata.
        shown: The range or values of samples, in words.
        known: The origin of ``shown``, such as a release or public metadata, in words.
        error: The expected share of rows whose value differs because of noise alone; ``None`` if
            the column is not modelled.
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
        num_rows: The released, noisy number of rows; ``None`` if it was not released.
        protection: The protection of its rows, in words.
        keys: Names of its keys.
    """

    name: str
    num_rows: int | None
    columns: tuple[ColumnFacts, ...]
    protection: str = ''
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SheetFacts:
    """All facts of a datasheet. Everything in it may be published.

    Args:
        statement: The privacy statement as a dictionary.
        text: The privacy statement as text.
        losses: Sentences on the values that samples lack.
        settings: The settings of the synthesizer, by name.
        versions: Versions of the programs, by name.
        made_on: The day on which the datasheet was made.
        needed: Number of rows that must have a value for samples to show it; ``None`` if unknown.
        about: Texts of the publisher, by the names of :data:`ASKED`.
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
        """The name of the data set: the publisher's, or else the names of its tables."""
        return self.about.get('title') or ', '.join(each.name for each in self.tables)
