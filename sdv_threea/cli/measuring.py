"""The commands `report` and `audit`: scores on a page, and lower bounds on epsilon."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.audit import (
    AuditResult,
    Neighbours,
    audit_privacy,
    far_out,
    lone_class,
    rare_category,
)
from sdv_threea.cli.outputs import staged, steps
from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.saved import load, load_metadata, make_synthesizer
from sdv_threea.cli.sources import find_tables, split_target
from sdv_threea.cli.table_files import interpret, read_tables
from sdv_threea.errors import InputError
from sdv_threea.report import make_report


def compare(metadata: Path, out: Path, *, force: bool, **options: Any) -> None:
    """Compare tables, and write the page, or JSON if the name of the output ends in ``.json``."""
    described = load_metadata(metadata)
    if options['table'] is not None:
        described = _take_alone(described, options['table'])
    tables = described.to_dict()['tables']
    # The column to predict, by its table, if one is given.
    target = dict([split_target(options['target'], tables)] if options['target'] else [])
    files = {
        role: find_tables(options[role], described.tables if role != 'test' else target)
        for role in ('real', 'synthetic', 'test')
        if options[role] is not None
    }
    synthesizer = options['synthesizer'] and load(options['synthesizer'])
    inputs = [path for several in files.values() for path in several.values()]
    with (
        staged([out], force=force, inputs=[*inputs, metadata], private=True) as drafts,
        steps(3, timed=options['timed']) as step,
    ):
        step('Reading')
        tables = {role: read_tables(own, described, options) for role, own in files.items()}
        step('Measuring')
        report = make_report(
            tables['real'],
            tables['synthetic'],
            described,
            synthesizer=synthesizer,
            test=tables.get('test'),
            target=target or None,
        )
        step('Writing')
        if out.suffix == '.json':
            report.save_json(drafts[out])
        else:
            report.save_html(drafts[out], options['title'])


def _take_alone(metadata: Metadata, name: str) -> Metadata:
    if name not in metadata.tables:
        raise RefusedError(
            f"--table '{name}' is not in the metadata: it has {list(metadata.tables)}."
        )
    alone = metadata.to_dict()
    alone['tables'] = {name: alone['tables'][name]}
    alone['relationships'] = []
    return Metadata.load_from_dict(alone)


def try_out(
    data: Path,
    metadata: Path,
    settings: Mapping[str, Any],
    canary: Mapping[str, Any],
    look: Mapping[str, Any],
) -> AuditResult:
    """Return lower bounds on the epsilon of a release of the data."""
    described = load_metadata(metadata)
    files = find_tables(data, described.tables)
    # Trials ignore a stop because of the noise: it discloses nothing beyond the releases.
    accept = *settings.get('accept', ()), 'noise'
    terms = {**settings, 'verbose': False, 'accept': accept}
    make = partial(make_synthesizer, described, terms)
    make()  # refuses wrong settings before any file is read
    tables = read_tables(files, described, settings)
    try:
        neighbours = _stand_out(tables, described, canary)
    except InputError as error:
        raise RefusedError(f'--canary: {error}') from None
    if settings['neighbors'] == 'replace_one':
        neighbours = _take_the_place(neighbours)
    claim = {'epsilon': settings['epsilon'], 'delta': settings['delta']}
    return audit_privacy(make, neighbours, gaussian=True, **claim, **look)


def _stand_out(
    tables: dict[str, pd.DataFrame], metadata: Metadata, canary: Mapping[str, Any]
) -> Neighbours:
    kind, table = canary['kind'], canary['table']
    column, value = canary['column'], canary['value']
    if kind == 'far-out':
        return far_out(tables, metadata, table)
    name = table or next(iter(tables))
    columns = metadata.tables[name].columns if name in tables else {}
    if column is None or column not in columns:
        raise RefusedError(f"--canary {kind} needs a --column of the table '{name}'.")
    if value is None:
        raise RefusedError(f'--canary {kind} needs a --value.')
    (cell,) = interpret(pd.Series([value], name=column), '--value', columns[column])
    make = rare_category if kind == 'rare-category' else lone_class
    return make(tables, column, cell, table)


def _take_the_place(neighbours: Neighbours) -> Neighbours:
    """Return neighbouring tables of equal size: another row replaces the canary in one of them."""
    (name,) = neighbours.canary
    rest = neighbours.without[name]
    return replace(
        neighbours,
        without={**neighbours.without, name: rest.iloc[:-1]},
        instead={name: rest.iloc[-1:]},
    )
