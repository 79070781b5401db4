"""The commands ``datasheet`` and ``losses``: publishable facts about a saved synthesizer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.saved import load

#: The text for a column that lost nothing.
ALL_THERE = 'nothing'


def write_datasheet(
    synthesizer: Path, out: Path, about: Path | None, data: Sequence[Path], *, force: bool
) -> None:
    """Write the datasheet of a saved synthesizer, in the format of the ending of ``out``.

    ``about`` is a JSON object of texts by the publisher. ``data`` are files of synthetic tables,
    for Croissant.

    Raises:
        RefusedError: If a file has the wrong content.
    """
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
    """Return the losses of a synthesizer: a line per column, or all details as JSON."""
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
