"""Names of tables and columns in a file of metadata, read without SDV, which takes long to load.

So a misspelt target or table is reported at once. SDV checks the rest of the file later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sdv_threea.cli.errors import RefusedError


def check_description(
    path: Path, targets: Iterable[str] = (), named: Mapping[str, Iterable[str]] | None = None
) -> None:
    """Check that metadata has the columns and tables that options name.

    Metadata of an older form is not checked, because SDV translates it first. ``targets`` are given
    as by ``--target``; ``named`` are tables by option.

    Raises:
        RefusedError: If the file is no metadata, or lacks a column or table.
    """
    try:
        described = json.loads(path.read_text('utf-8'))
        tables = described.get('tables')
        tables and {name: table['columns'] for name, table in tables.items()}
    except (ValueError, AttributeError, KeyError, TypeError):
        raise RefusedError(f"'{path}' is not metadata that SDV saved as JSON.") from None
    if not tables:
        return
    for target in targets:
        split_target(target, tables)
    for option, names in (named or {}).items():
        for name in names:
            if len(tables) > 1 and name not in tables:
                raise RefusedError(
                    f"{option} '{name}' is not in the metadata, which has the tables "
                    f'{list(tables)}.'
                )


def split_target(
    target: str, tables: Mapping[str, Mapping[str, Any]], option: str = '--target'
) -> tuple[str, str]:
    """Return table and column of ``COLUMN`` or ``TABLE.COLUMN``.

    Both names may contain a point, so the metadata decides where to split.

    Raises:
        RefusedError: If there is no such column.
    """
    found = [
        (table, column)
        for table, described in tables.items()
        for column in described['columns']
        if target == f'{table}.{column}' or (target == column and len(tables) == 1)
    ]
    if len(found) != 1:
        asked = 'TABLE.COLUMN' if len(tables) > 1 else 'COLUMN'
        one = next(iter(tables.values())) if len(tables) == 1 else {'columns': ()}
        listed = f' The columns are {list(one["columns"])}.' if one['columns'] else ''
        raise RefusedError(f"{option} '{target}' is not a column: give {asked}.{listed}")
    return found[0]
