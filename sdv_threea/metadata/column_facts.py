"""The stated facts of a column, and its open questions."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sdv_threea.guesses import LEARNED

#: Learned sdtypes that have a range.
RANGED = ('numerical', 'datetime')
LISTED = ('categorical', 'ordinal')

#: The sdtypes that are made up and are not personal information.
MADE_UP = ('id', 'text', 'unknown')

#: The word for the first question about a column.
SDTYPE = 'sdtype'


class Fact(NamedTuple):
    """A fact that metadata can state of columns of some sdtypes.

    Args:
        word: Its name in questions and data dictionaries.
        field: The field of a column that holds it.
        entry: Its name in SDV's metadata.
        asked: The question, in words; empty if the user is not asked.
    """

    word: str
    field: str
    entry: str
    sdtypes: tuple[str, ...]
    asked: str


#: All facts, in the order of the questions.
FACTS = (
    Fact(
        *('format', 'template', 'datetime_format', ('datetime',)),
        'its format, unless its dates are texts such as 2024-01-31',
    ),
    Fact('min', 'low', 'range_min', RANGED, 'its lowest value'),
    Fact('max', 'high', 'range_max', RANGED, 'its highest value'),
    Fact('decimals', 'decimals', 'decimal_places', ('numerical',), ''),
    Fact('values', 'values', 'range_values', LISTED, 'its values'),
    Fact('missing', 'nullable', 'range_is_nullable', LEARNED, 'whether cells are missing'),
)

#: The largest number of values of a category that are printed.
MOST_SHOWN = 6


@dataclass(frozen=True)
class Question:
    """A fact of a column that nobody has stated.

    Args:
        column: The column.
        fact: The open fact: ``'sdtype'``, ``'format'``, ``'min'``, ``'max'``, ``'values'`` or
            ``'missing'``.
        needed: Whether a fit needs the fact. Other facts improve a release, if they are public.
        said: The fact to state, in words.
    """

    column: str
    fact: str
    needed: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class StatedColumn:
    """The stated facts of a column; ``None`` for facts that nobody has stated.

    Args:
        name: The column.
        sdtype: SDV's type of the column.
        low: The smallest possible number or date.
        high: The largest possible number or date.
        values: The possible values, in order.
        nullable: Whether a cell may be missing.
        decimals: How many decimals its numbers have.
        template: The format of its dates, in Python's notation.
        key: Whether it is the primary key of its table.
        references: ``(table, column)`` of the key that it refers to.
        typed: Whether its dates are stored as dates, and so need no format.
        more: Other entries of SDV's metadata.
        guess: The reason for a guessed sdtype, in words; empty for a stated one.
        notes: Notes to the user, in sentences.
    """

    name: str
    sdtype: str | None = None
    low: float | str | None = None
    high: float | str | None = None
    values: tuple[Hashable, ...] | None = None
    nullable: bool | None = None
    decimals: int | None = None
    template: str | None = None
    key: bool = False
    references: tuple[str, str] | None = None
    typed: bool = False
    more: tuple[tuple[str, Any], ...] = ()
    guess: str = ''
    notes: tuple[str, ...] = ()

    def to_entry(self) -> dict[str, Any]:
        """Return the entry of the column in SDV's metadata.

        A column without an sdtype is ``unknown``: it is made up, and never read.
        """
        entry: dict[str, Any] = {'sdtype': self.sdtype or 'unknown', **dict(self.more)}
        if self.sdtype not in (*LEARNED, 'id', 'text'):
            entry['pii'] = True
        for fact in FACTS:
            stated = getattr(self, fact.field)
            if stated is not None and self.sdtype in fact.sdtypes:
                entry[fact.entry] = list(stated) if isinstance(stated, tuple) else stated
        return entry

    @property
    def questions(self) -> tuple[Question, ...]:
        """The open questions: facts that a fit needs or, if all are stated, helpful facts."""
        if self.sdtype is None:
            return (Question(self.name, SDTYPE, True, 'what it holds'),)
        guess = [(SDTYPE, f'whether it is {self.sdtype}')] if self.guess else []
        found = (*guess, *self._list_open())
        return tuple(Question(self.name, fact, False, said) for fact, said in found)

    def _list_open(self) -> Iterator[tuple[str, str]]:
        for word, field, _, sdtypes, asked in FACTS:
            is_stated = getattr(self, field) is not None or (field == 'template' and self.typed)
            if asked and not is_stated and self.sdtype in sdtypes:
                listed = self.sdtype == 'ordinal' and field == 'values'
                yield word, asked + (', in their order' if listed else '')

    def __str__(self) -> str:
        facts = [f'{self.sdtype or "unknown"}{f" ({self.guess}: check it)" if self.guess else ""}']
        if self.low is not None or self.high is not None:
            ends = [
                '...' if end is None else f'{end:.15g}' if isinstance(end, float) else str(end)
                for end in (self.low, self.high)
            ]
            facts.append(' to '.join(ends))
        if self.decimals is not None:
            facts.append(f'{self.decimals} decimals' if self.decimals else 'whole numbers')
        if self.template is not None:
            facts.append(f'as {self.template}')
        if self.values is not None:
            shown = ', '.join(map(str, self.values[:MOST_SHOWN]))
            left = len(self.values) - MOST_SHOWN
            facts.append(f'values {shown}' + (f' and {left} more' if left > 0 else ''))
        if self.nullable is not None:
            facts.append('may be missing' if self.nullable else 'never missing')
        if self.key:
            facts.append('the key')
        if self.references is not None:
            facts.append(f'refers to {".".join(self.references)}')
        return ', '.join(facts)


def fitting(column: StatedColumn) -> StatedColumn:
    """Return a column without the facts that metadata cannot state for its sdtype."""
    others = (fact.field for fact in FACTS if column.sdtype not in fact.sdtypes)
    gone: dict[str, Any] = dict.fromkeys(name for name in others if name != 'nullable')
    return replace(column, **gone)
