"""The command ``datasheet``: what may be published about a release.

In go a saved synthesizer, and what the publisher says. Out comes one file: HTML, Markdown or JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.saved import load

#: What a datasheet is written as, by the end of the name of its file.
KINDS = {'.html': 'save_html', '.htm': 'save_html', '.md': 'save_markdown', '.json': 'croissant'}


def write_datasheet(
    synthesizer: Path, out: Path, about: Path | None, data: Sequence[Path], *, force: bool
) -> None:
    """Write the datasheet of a saved synthesizer.

    Args:
        synthesizer: The file of the synthesizer.
        out: Where to write it; the end of its name says as what.
        about: A file of what the publisher says, as a JSON object of texts.
        data: Files of synthetic tables, for Croissant.
        force: Whether an existing file may be replaced.

    Raises:
        RefusedError: If the kind of output is unknown, or a file is not what it should be.
    """
    if out.suffix not in KINDS:
        raise RefusedError(f'--out must end in {", ".join(KINDS)}, got {out.name!r}.')
    if data and KINDS[out.suffix] != 'croissant':
        raise RefusedError('--data is for Croissant: let --out end in .json.')
    said = _read_about(about) if about is not None else {}
    fitted = load(synthesizer)
    inputs = [synthesizer, *([about] if about else []), *data]
    with staged([out], force=force, inputs=inputs) as drafts:
        try:
            sheet = fitted.datasheet(**said)
            if KINDS[out.suffix] == 'croissant':
                sheet.save_croissant(drafts[out], data)
            else:
                getattr(sheet, KINDS[out.suffix])(drafts[out])
        except ValueError as error:  # it names places of a datasheet, and files
            raise RefusedError(str(error)) from None


def _read_about(path: Path) -> dict[str, str]:
    try:
        told = json.loads(path.read_text('utf-8'))
    except ValueError:
        raise RefusedError(f'--about: {path.name} is not JSON in UTF-8.') from None
    if not isinstance(told, dict) or not all(isinstance(each, str) for each in told.values()):
        raise RefusedError(f'--about: {path.name} must be a JSON object of texts.')
    return told
