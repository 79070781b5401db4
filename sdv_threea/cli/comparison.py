"""The report of one table: scores against the real data, on a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.saved import load, load_metadata
from sdv_threea.cli.steps import steps
from sdv_threea.cli.tables import find_tables, read_table
from sdv_threea.report import measure_quality, train_synthetic_test_real, write_page
from sdv_threea.synthesizers.cells import to_seconds
from sdv_threea.synthesizers.schema import MODELLED

#: What the tables are to the comparison.
ROLES = ('real', 'synthetic', 'test')


def compare(metadata: Path, out: Path, *, force: bool, **options: Any) -> None:
    """Write the page.

    Args:
        metadata: SDV's metadata, as JSON.
        out: Where to write the page.
        force: Whether it may be replaced.
        **options: The other options of the command, by name.

    Raises:
        RefusedError: If an option names no table or column, or a file cannot be read.
    """
    described = load_metadata(metadata)
    name = _choose_table(described, options['table'])
    files = {
        role: find_tables(options[role], [name])[name]
        for role in ROLES
        if options[role] is not None
    }
    table, target = described.tables[name], options['target']
    if target is not None and target not in _modelled(table.columns):
        raise RefusedError(f"--target '{target}' is not a column that models could predict.")
    told = options['synthesizer'] and load(options['synthesizer']).get_privacy_statement()
    with staged([out], force=force, inputs=[*files.values(), metadata]) as drafts, steps(4) as step:
        step('Reading')
        tables = {role: read_table(path, table.columns) for role, path in files.items()}
        step('Measuring likeness')
        quality = measure_quality(tables['real'], tables['synthetic'], _take_alone(described, name))
        step('Training models')
        utility = _train(tables, table.columns, target)
        step('Writing')
        title = options['title'] or name
        write_page(drafts[out], title=title, statement=told, utility=utility, quality=quality)


def _choose_table(metadata: Metadata, wanted: str | None) -> str:
    names = list(metadata.tables)
    if wanted is None and len(names) > 1:
        raise RefusedError(f'Say which table to compare: --table, one of {names}.')
    if wanted is not None and wanted not in names:
        raise RefusedError(f"--table '{wanted}' is not in the metadata: it has {names}.")
    return wanted or names[0]


def _take_alone(metadata: Metadata, name: str) -> Metadata:
    """The metadata of one table, without its relationships."""
    alone = metadata.to_dict()
    alone['tables'] = {name: alone['tables'][name]}
    alone['relationships'] = []
    return Metadata.load_from_dict(alone)


def _modelled(columns: Any) -> list[str]:
    return [name for name, each in columns.items() if each['sdtype'] in MODELLED]


def _train(
    tables: Mapping[str, pd.DataFrame], columns: Any, target: str | None
) -> pd.DataFrame | None:
    if target is None:
        return None
    real, synthetic, test = (_prepare(tables[role], columns) for role in ROLES)
    return train_synthetic_test_real(real, synthetic, test, target)


def _prepare(table: pd.DataFrame, columns: Any) -> pd.DataFrame:
    """Keep what a model can learn from, dates as numbers."""
    kept = table[_modelled(columns)]
    dates = [name for name in kept if columns[name]['sdtype'] == 'datetime']
    return kept.assign(
        **{name: to_seconds(kept[name], columns[name].get('datetime_format')) for name in dates}
    )
