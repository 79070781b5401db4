"""A datasheet as a page, as Markdown, and as Croissant 1.0 (MLCommons) for machines.

Croissant describes a data set and its files as JSON-LD
(https://docs.mlcommons.org/croissant/docs/croissant-spec.html).
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.datasheet.sections import (
    ColumnFacts,
    Section,
    SheetFacts,
    TableFacts,
    cite,
    list_sections,
)
from sdv_threea.errors import InputError
from sdv_threea.names import printable
from sdv_threea.pages.fragments import (
    escape,
    listed,
    panel,
    paragraphs,
    section,
    tabulate,
    write_page,
)
from sdv_threea.pages.fragments import facts as list_facts
from sdv_threea.pages.promise import is_promised, tell_promise

#: The names of terms of Croissant.
NAMED = (
    'citeAs column equivalentProperty extract field fileProperty fileObject fileSet format '
    'includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated '
    'replace samplingRate separator source subField transform'
)

#: The context of the specification, word for word, without unused prefixes.
CONTEXT: dict[str, Any] = {
    '@language': 'en',
    '@vocab': 'https://schema.org/',
    'conformsTo': 'dct:conformsTo',
    'cr': 'http://mlcommons.org/croissant/',
    'rai': 'http://mlcommons.org/croissant/RAI/',
    'data': {'@id': 'cr:data', '@type': '@json'},
    'dataType': {'@id': 'cr:dataType', '@type': '@vocab'},
    'dct': 'http://purl.org/dc/terms/',
    'examples': {'@id': 'cr:examples', '@type': '@json'},
    'sc': 'https://schema.org/',
} | {name: f'cr:{name}' for name in NAMED.split()}

CONFORMS_TO = 'http://mlcommons.org/croissant/1.0'

#: The types of columns by sdtype; other columns are texts.
TYPES = {'numerical': 'sc:Float', 'datetime': 'sc:Date', 'boolean': 'sc:Boolean'}

FORMATS = {'.csv': 'text/csv', '.parquet': 'application/x-parquet'}


PUBLISHABLE = (
    'This datasheet is made only from released numbers and public facts: no private row was read '
    'for it. It may be published with the synthetic rows.'
)

UNPROTECTED = (
    'No private row was read for this datasheet, but its release promises nothing end to end. '
    'Both may disclose facts about private rows: publish neither.'
)

#: Escapes for the characters that are markup in a line of Markdown.
MARKUP = str.maketrans({**{sign: f'\\{sign}' for sign in '\\`*_[]<>|#&~'}, '\n': ' '})


def describe_dataset(facts: SheetFacts, citation: str, files: Sequence[Path]) -> dict[str, Any]:
    """Return the description of a data set and its files, which are named after their tables."""
    about = facts.about
    names = {table.name for table in facts.tables}
    for path in files:
        if path.stem not in names or path.suffix not in FORMATS:
            raise InputError(
                f'{path.name} is not a table of this release: files are named after their table '
                f'({", ".join(sorted(names))}) and end in {" or ".join(FORMATS)}.'
            )
    described: dict[str, Any] = {
        '@context': CONTEXT,
        '@type': 'sc:Dataset',
        'conformsTo': CONFORMS_TO,
        'name': facts.title,
        'description': ' '.join(
            [about.get('description', ''), *tell_promise(facts.statement)]
        ).strip(),
        'citeAs': citation,
        'datePublished': facts.made_on,
        'version': '1.0.0',
        'isLiveDataset': False,
        'rai:personalSensitiveInformation': facts.statement['note'],
        'distribution': [_describe_file(path) for path in files],
        'recordSet': [
            _describe_table(table, path)
            for path in files
            for table in facts.tables
            if table.name == path.stem
        ],
    }
    described |= {name: about[name] for name in ('license', 'url') if name in about}
    if 'creator' in about:
        described['creator'] = {'@type': 'sc:Organization', 'name': about['creator']}
    if 'collection' in about:
        described['rai:dataCollection'] = about['collection']
    return described


def _describe_file(path: Path) -> dict[str, Any]:
    with path.open('rb') as file:
        digest = hashlib.file_digest(file, 'sha256')
    return {
        '@type': 'cr:FileObject',
        '@id': path.name,
        'name': path.name,
        'contentUrl': path.name,
        'contentSize': f'{path.stat().st_size} B',
        'encodingFormat': FORMATS[path.suffix],
        'sha256': digest.hexdigest(),
    }


def _describe_table(table: TableFacts, path: Path) -> dict[str, Any]:
    return {
        '@type': 'cr:RecordSet',
        '@id': table.name,
        'name': table.name,
        'field': [_describe_column(table.name, column, path.name) for column in table.columns],
    }


def _describe_column(table: str, column: ColumnFacts, file: str) -> dict[str, Any]:
    return {
        '@type': 'cr:Field',
        '@id': f'{table}/{column.name}',
        'name': column.name,
        'description': column.shown or column.sdtype,
        'dataType': TYPES.get(column.sdtype, 'sc:Text'),
        'source': {'fileObject': {'@id': file}, 'extract': {'column': column.name}},
    }


@dataclass(frozen=True, repr=False)
class Datasheet:
    """The facts about a release that may be published."""

    facts: SheetFacts

    @property
    def sections(self) -> list[Section]:
        """The questions and their answers, in order."""
        return list_sections(self.facts)

    def __repr__(self) -> str:
        return f'Datasheet({self.facts.title!r}, {len(self.sections)} sections)'

    def _repr_html_(self) -> str:
        shown = self.sections[0]
        return f'<h3>{escape(self.facts.title)}</h3>{paragraphs(shown.paragraphs)}'

    @property
    def lead(self) -> str:
        """The first sentences: whether the datasheet may be published."""
        return PUBLISHABLE if is_promised(self.facts.statement) else UNPROTECTED

    def to_markdown(self) -> str:
        """Return the datasheet as Markdown."""
        parts = [f'# Datasheet: {_plain(self.facts.title)}', self.lead]
        for each in self.sections:
            parts += _write_markdown(each)
        return '\n\n'.join(parts) + '\n'

    def save_markdown(self, path: str | Path) -> None:
        """Write the datasheet as Markdown; an existing file is replaced.

        Raises:
            OSError: If the file cannot be written.
        """
        with replacing(path) as draft:
            draft.write_text(self.to_markdown(), encoding='utf-8')

    def save_html(self, path: str | Path) -> None:
        """Write the datasheet as one page of HTML; an existing file is replaced.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If the path does not end in ``.html``.
        """
        title = f'Datasheet: {self.facts.title}'
        lead = f'<p class="lead">{escape(self.lead)}</p>'
        written = [_write_html(each) for each in self.sections]
        write_page(path, title, f'<h1>{escape(title)}</h1>{lead}', *written, private=False)

    def to_croissant(self, files: Iterable[str | Path] = ()) -> dict[str, Any]:
        """Return the description of the data set as JSON-LD in MLCommons' Croissant 1.0 vocabulary.

        Args:
            files: The synthetic tables, one file each, named after the table; their sizes and
                checksums are read. Without files, the description has no columns.

        Raises:
            OSError: If a file cannot be read.
            ValueError: If a file is not named after a table.
        """
        return describe_dataset(self.facts, cite(self.facts), [Path(each) for each in files])

    def save_croissant(self, path: str | Path, files: Iterable[str | Path] = ()) -> None:
        """Write :meth:`to_croissant` as JSON; an existing file is replaced.

        Raises:
            OSError: If a file cannot be read or written.
            ValueError: If a file is not named after a table.
        """
        text = json.dumps(self.to_croissant(files), indent=2, ensure_ascii=False)
        with replacing(path) as draft:
            draft.write_text(f'{text}\n', encoding='utf-8')


def _write_html(each: Section) -> str:
    answers: dict[str, list[str]] = {}
    for question, answer in each.answers:
        answers.setdefault(question, []).append(answer)
    parts = [
        paragraphs(each.paragraphs),
        listed(each.points) if each.points else '',
        list_facts(answers) if answers else '',
        tabulate(each.table, name=each.title) if each.table is not None else '',
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(each.title)}">'
        f'<pre>{escape(each.text)}</pre></div>'
        if each.text
        else '',
    ]
    return section(each.title, '', panel(''.join(parts)))


def _write_markdown(each: Section) -> list[str]:
    parts = [f'## {_plain(each.title)}', *map(_plain, each.paragraphs)]
    if each.points:
        parts.append('\n'.join(f'* {_plain(point)}' for point in each.points))
    if each.answers:
        parts.append('\n'.join(f'* **{_plain(a)}** {_plain(b)}' for a, b in each.answers))
    if each.table is not None:
        parts.append(_write_table(each.table))
    if each.text:
        fence = '`' * 3
        parts.append(f'{fence}text\n{printable(each.text).replace(fence, "")}\n{fence}')
    return parts


def _write_table(table: pd.DataFrame) -> str:
    header = [table.index.name or '', *table.columns]
    rows = [[label, *cells] for label, *cells in table.itertuples(name=None)]
    lines = [header, ['---'] * len(header), *rows]
    return '\n'.join('| ' + ' | '.join(map(_plain, line)) + ' |' for line in lines)


def _plain(text: object) -> str:
    """Return Markdown that shows a text unchanged."""
    return printable(str(text)).translate(MARKUP)
