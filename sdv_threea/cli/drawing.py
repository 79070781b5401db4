"""The commands ``sample``, ``losses`` and ``datasheet``, for a saved synthesizer."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.cli.outputs import staged, steps
from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.saved import draw, load, plan_draws, write_parts
from sdv_threea.cli.sources import check_kind, read_format
from sdv_threea.cli.table_files import write_table
from sdv_threea.cost import check_rows


def sample_files(
    synthesizer: Path,
    out: Path,
    rows: int | None,
    scale: float | None,
    *,
    force: bool,
    **options: Any,
) -> None:
    """Sample tables, and write each to a file."""
    fitted = load(synthesizer)
    fitted.memory_limit = options['memory_limit']
    names, sizes = list(fitted.metadata.tables), plan_draws(fitted, rows, scale)
    if options['rows_per_file'] is not None:
        write_parts(fitted, int(sum(sizes)), out, options['rows_per_file'])
        return
    if rows is not None:  # all rows are in memory until they are written
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


#: The text on a column that lacks no values.
ALL_THERE = 'nothing'


def write_datasheet(
    synthesizer: Path, out: Path, about: Path | None, data: Sequence[Path], *, force: bool
) -> None:
    """Write the datasheet of a saved synthesizer, in the format of the ending of ``out``."""
    said = _read_about(about) if about is not None else {}
    fitted = load(synthesizer)
    inputs = [synthesizer, *([about] if about else []), *data]
    with staged([out], force=force, inputs=inputs) as drafts:
        sheet = fitted.datasheet(**said)
        if out.suffix == '.json':
            sheet.save_croissant(drafts[out], data)
        elif out.suffix == '.md':
            sheet.save_markdown(drafts[out])
        else:
            sheet.save_html(drafts[out])


def say_losses(synthesizer: Path, *, as_json: bool) -> str:
    """Return the values that samples lack: a line per column, or all details as JSON."""
    lost = load(synthesizer).get_losses()
    if as_json:
        return str(lost.reset_index().to_json(orient='records', indent=2))
    names = [
        '.'.join(map(str, name)) if isinstance(name, tuple) else str(name) for name in lost.index
    ]
    width = max(map(len, names), default=0)
    said = lost['said'].replace('', ALL_THERE)
    return '\n'.join(f'{name:<{width}}  {line}' for name, line in zip(names, said, strict=True))


def _read_about(path: Path) -> dict[str, str]:
    try:
        told = json.loads(path.read_text('utf-8'))
    except ValueError:
        raise RefusedError(f'--about: {path.name} is not JSON in UTF-8.') from None
    if not isinstance(told, dict) or not all(isinstance(each, str) for each in told.values()):
        raise RefusedError(f'--about: {path.name} must be a JSON object of texts.')
    return told
