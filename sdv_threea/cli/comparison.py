"""The command ``report``: scores of synthetic tables against the real ones, on a page."""

from pathlib import Path
from typing import Any

from sdv.metadata import Metadata

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.files import find_tables, split_target
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.saved import load, load_metadata
from sdv_threea.cli.steps import steps
from sdv_threea.cli.table_files import read_tables
from sdv_threea.report import make_report


def compare(metadata: Path, out: Path, *, force: bool, **options: Any) -> None:
    """Compare tables, and write the page, or JSON if the name of the output ends in ``.json``."""
    described = load_metadata(metadata)
    if options['table'] is not None:
        described = _take_alone(described, options['table'])
    target = _find_target(options['target'], described)
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
    """Return the metadata of one table, without its relationships."""
    if name not in metadata.tables:
        raise RefusedError(
            f"--table '{name}' is not in the metadata: it has {list(metadata.tables)}."
        )
    alone = metadata.to_dict()
    alone['tables'] = {name: alone['tables'][name]}
    alone['relationships'] = []
    return Metadata.load_from_dict(alone)


def _find_target(target: str | None, metadata: Metadata) -> dict[str, str]:
    """Return the column to predict, by its table; empty if there is none."""
    if target is None:
        return {}
    table, column = split_target(target, metadata.to_dict()['tables'])
    return {table: column}
