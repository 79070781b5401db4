"""The command ``sample``: synthetic rows of a saved synthesizer, in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.cli.files import check_kind, read_format
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.saved import draw, list_tables, load, plan_draws, write_parts
from sdv_threea.cli.steps import steps
from sdv_threea.cli.table_files import write_table
from sdv_threea.storage.memory import check_rows


def sample_files(
    synthesizer: Path,
    out: Path,
    rows: int | None,
    scale: float | None,
    *,
    force: bool,
    **options: Any,
) -> None:
    """Sample tables, and write each to a file.

    Args:
        synthesizer: The file of the synthesizer.
        out: The file of one table, or the folder of several.
        rows: The number of rows, of one table.
        scale: The size of a database, as a multiple of the real one.
        force: Whether existing files may be replaced.
        **options: The other options of the command, by name.

    Raises:
        RefusedError: If the size does not fit the synthesizer, or a file cannot be written.
    """
    fitted = load(synthesizer)
    fitted.memory_limit = options['memory_limit']
    names, sizes = list_tables(fitted), plan_draws(fitted, rows, scale)
    if options['rows_per_file'] is not None:
        write_parts(fitted, int(sum(sizes)), out, options['rows_per_file'])
        return
    if rows is not None:  # they are drawn in parts, and written together
        check_rows(rows, rows * len(fitted.metadata.tables[names[0]].columns), fitted.memory_limit)
    places = {name: out / f'{name}.{options["suffix"]}' for name in names}
    if len(names) == 1:
        places = {names[0]: out}
    for place in places.values():
        check_kind(place)
    form, disarmed = read_format(options), options['for_spreadsheets']
    with (
        staged(places.values(), force=force, inputs=[synthesizer]) as drafts,
        steps(len(sizes) + len(names), timed=options['timed']) as step,
    ):
        drawn = []
        for size in sizes:
            step('Sampling')
            drawn.append(draw(fitted, size))
        for name, place in places.items():
            step(f'Writing {name}')
            table = pd.concat([each[name] for each in drawn])
            write_table(table, drafts[place], form, for_spreadsheets=disarmed)
