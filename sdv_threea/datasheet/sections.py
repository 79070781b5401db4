"""The facts of a datasheet, from released numbers and the publisher, and its questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.pages.fragments import percent, words
from sdv_threea.pages.promise import (
    is_promised,
    list_odds,
    list_receipts,
    share_stages,
    tell_promise,
    tell_use,
)

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
    """All facts of a datasheet, which may be published.

    Args:
        statement: The privacy statement as a dictionary.
        text: The privacy statement as text.
        losses: Sentences on the values that samples lack.
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
            raise InputError(f'A datasheet has no fields {unknown}: choose from {list(ASKED)}.')

    @property
    def title(self) -> str:
        """The name of the data set: the publisher's, or else the names of its tables."""
        return self.about.get('title') or ', '.join(each.name for each in self.tables)


UNSAID = 'The publisher has not said.'

NEIGHBORS = {
    'add_remove': 'Two tables are neighbours if one has a unit more.',
    'replace_one': 'Two tables are neighbours if one unit is replaced by another.',
}

SAMPLED = (
    'All rows are drawn from a model of the released numbers. No row is that of a person; if one '
    "equals a person's row, this is chance."
)
MODELLED = (
    'The private table was read only as noisy sums: histograms of columns, correlations, and sums '
    'that fit a model of the target. The 3A method (arXiv 2307.01875) makes a model from them.'
)
ELSEWHERE = (
    'Only the publisher knows about other releases of the same people, and about settings chosen '
    'by looking at their rows: both add to the price.'
)

SUITED = (
    'counts, averages and plots of single columns',
    'teaching, tests of software, and a first look at the table',
)
UNSUITED = (
    'decisions about single persons: no row is that of a person',
    'finding rare values, outliers and small groups: noise masks them on purpose',
    'checking whether somebody is in the private table',
    'conclusions that need the private table to confirm them: publish these with a release of '
    'their own',
)
NEEDED = (
    'A value of a category occurs in samples if about {:,.0f} rows have it, or if it was stated as '
    'public. The synthetic rows lack smaller groups, and do not represent their people.'
)
AGAIN = (
    'The noise has no seed, and must not have one: another fit is another release. The saved '
    'synthesizer gives the same rows whenever it is loaded.'
)
LEDGER = 'The privacy statement, with each release and its price.'
UNCHECKED = (
    'The synthetic rows are not compared with the real rows here: that would be a release without '
    'a price. Errors are those to expect from the noise.'
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a datasheet: a title, then its fields in order; empty fields are left out."""

    title: str
    paragraphs: Sequence[str] = ()
    points: Sequence[str] = ()
    answers: Sequence[tuple[str, str]] = ()
    table: pd.DataFrame | None = None
    text: str = ''


def list_sections(facts: SheetFacts) -> list[Section]:
    """Return the sections of a datasheet in order."""
    return [
        _tell_promise(facts),
        *_tell_odds(facts),
        _ask('Motivation', facts, 'motivation', 'creator'),
        *(_tell_table(table) for table in facts.tables),
        Section(
            title='What was lost',
            points=facts.losses or ('No losses are known.',),
            paragraphs=[] if facts.needed is None else [NEEDED.format(facts.needed)],
        ),
        _ask('Collection', facts, 'collection', 'consent'),
        Section(
            title='Processing',
            paragraphs=[MODELLED],
            answers=[(f'Setting: {words(name)}', value) for name, value in facts.settings.items()],
        ),
        _tell_budget(facts),
        _tell_uses(facts),
        _ask('Distribution and maintenance', facts, 'license', 'url', 'contact', 'maintenance'),
        Section(title='How to cite', text=cite(facts)),
        Section(title='Versions', paragraphs=[AGAIN], answers=[*facts.versions.items()]),
        Section(title='Appendix: the ledger', paragraphs=[LEDGER], text=facts.text),
    ]


def cite(facts: SheetFacts) -> str:
    """Return the sentence with which to cite the data set."""
    creator = f'{facts.about["creator"]}: ' if 'creator' in facts.about else ''
    promise = ''
    if is_promised(facts.statement):
        promise = f', ε = {facts.statement["epsilon"]:g}, δ = {facts.statement["delta"]:g}'
    where = f' {facts.about["url"]}' if 'url' in facts.about else ''
    made = f'made by sdv-threea {facts.versions.get("sdv-threea", "")}'.strip()
    return f'{creator}{facts.title}, synthetic ({made}{promise}), {facts.made_on}.{where}'


def _ask(title: str, facts: SheetFacts, *names: str) -> Section:
    answers = [(ASKED[name], facts.about.get(name, UNSAID)) for name in names]
    return Section(title=title, answers=answers)


def _tell_promise(facts: SheetFacts) -> Section:
    statement, fits = facts.statement, facts.statement.get('fits', 1)
    times = 'once' if fits == 1 else f'{fits} times'
    fitted = f'This synthesizer was fitted {times}. {ELSEWHERE}'
    answers = [('Who is protected?', statement.get('unit', 'one unit'))]
    if 'tables' in statement:
        answers = [
            (f'Who is protected in {name}?', unit) for name, unit in statement['tables'].items()
        ]
    return Section(
        title='What is promised',
        paragraphs=tell_promise(statement),
        answers=[
            *answers,
            ('What are neighbouring tables?', NEIGHBORS[statement['neighbors']]),
            ('Does it hold end to end?', statement['note']),
            ('Was the table released before?', fitted),
            *(('What is taken as public?', each) for each in statement['public']),
        ],
    )


def _tell_odds(facts: SheetFacts) -> list[Section]:
    if not is_promised(facts.statement):
        return []
    table = pd.DataFrame(list_odds(facts.statement)).set_index('ε')
    said = 'The success of the best possible guesser, who knows all other rows.'
    return [Section(title='The odds', paragraphs=[said], table=table)]


def _tell_table(table: TableFacts) -> Section:
    rows = {
        column.name: {
            'type': column.sdtype,
            'samples show': column.shown,
            'known': column.known,
            'expected error': '' if column.error is None else percent(column.error),
        }
        for column in table.columns
    }
    size = 'not released' if table.num_rows is None else f'about {table.num_rows:,} (a noisy count)'
    keys = [f'Keys, made up: {", ".join(table.keys)}.'] if table.keys else []
    protected = [f'Protected: {table.protection}.'] if table.protection else []
    error = (
        'The expected error of a column is the share of rows by which noise alone moves its '
        'histogram, before smoothing reduces it.'
    )
    return Section(
        title=f'Composition: {table.name}',
        paragraphs=[f'Rows of the private table: {size}. {SAMPLED}', *protected, *keys, error],
        table=pd.DataFrame.from_dict(rows, orient='index').rename_axis('column'),
    )


def _tell_budget(facts: SheetFacts) -> Section:
    shares = share_stages(list_receipts(facts.statement))
    table = pd.DataFrame({'share of the squared loss': shares.map(percent)}).rename_axis('stage')
    return Section(
        title='Where the budget went',
        paragraphs=[] if len(shares) else ['No noise was added, so nothing was charged.'],
        table=table if len(shares) else None,
    )


def _tell_uses(facts: SheetFacts) -> Section:
    named = facts.settings.get('target_column', '')
    targets = ' and '.join(facts.statement.get('sharpened', ())) or named
    trained = [f'training models that predict {targets}, tested on real rows'] if targets else []
    told, against = (filter(None, [facts.about.get(name)]) for name in ('uses', 'unsuited'))
    return Section(
        title='Uses',
        paragraphs=[tell_use(facts.statement.get('sharpened', ())), UNCHECKED],
        points=[
            *(f'Suited for: {each}.' for each in (*told, *trained, *SUITED)),
            *(f'Not for: {each}.' for each in (*against, *UNSUITED)),
        ],
    )
