"""Write a datasheet as a page, as Markdown, or as Croissant for machines."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.datasheet.croissant import describe_dataset
from sdv_threea.datasheet.facts import SheetFacts
from sdv_threea.datasheet.sections import Section, cite, list_sections
from sdv_threea.names import printable
from sdv_threea.pages.fragments import escape, listed, panel, paragraphs, section, tabulate
from sdv_threea.pages.fragments import facts as list_facts
from sdv_threea.pages.promise import is_promised
from sdv_threea.pages.shell import write_page

PUBLISHABLE = (
    'This datasheet is made of released numbers and public facts alone: no private row was read '
    'for it. It may be published with the synthetic rows.'
)


UNPROTECTED = (
    'No private row was read for this datasheet, but the release that it describes promises '
    'nothing end to end. What it shows may tell something about private rows: publish neither.'
)


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


#: Escapes for the characters that are markup in a line of Markdown.
MARKUP = str.maketrans({**{sign: f'\\{sign}' for sign in '\\`*_[]<>|#&~'}, '\n': ' '})


def _plain(text: object) -> str:
    """Return text as Markdown that shows it as it is; dashes of tables stay."""
    return printable(str(text)).translate(MARKUP)
