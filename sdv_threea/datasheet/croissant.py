"""The description of a data set for machines: Croissant 1.0, of MLCommons.

Input: the facts of a datasheet and the files of the synthetic tables. Output: JSON-LD
(https://docs.mlcommons.org/croissant/docs/croissant-spec.html).
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdv_threea.datasheet.facts import ColumnFacts, SheetFacts, TableFacts
from sdv_threea.errors import InputError
from sdv_threea.pages.promise import tell_promise

#: The names that stand for terms of Croissant.
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

#: The types of columns, by sdtype; any other is text.
TYPES = {'numerical': 'sc:Float', 'datetime': 'sc:Date', 'boolean': 'sc:Boolean'}

FORMATS = {'.csv': 'text/csv', '.parquet': 'application/x-parquet'}


def describe_dataset(facts: SheetFacts, citation: str, files: Sequence[Path]) -> dict[str, Any]:
    """Return the description of a data set and its files, which are named after their tables."""
    about = facts.about
    names = {table.name for table in facts.tables}
    for path in files:
        if path.stem not in names or path.suffix not in FORMATS:
            raise InputError(
                f'{path.name} is not a table of this release: files are called after their table '
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
