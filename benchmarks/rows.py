"""Results as tidy CSV: a row per run, written as soon as it is done."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def append(path: Path, fields: Sequence[str], row: Mapping[str, Any]) -> None:
    """Append a run to a file of results, which starts with the names of the fields.

    Args:
        path: The file.
        fields: The names of all fields.
        row: Their values; what is missing is left empty, floats are written to five digits.
    """
    path.parent.mkdir(exist_ok=True)
    fresh = not path.exists()
    with path.open('a', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, fields, restval='', lineterminator='\n')
        if fresh:
            writer.writeheader()
        writer.writerow({k: f'{v:.5g}' if isinstance(v, float) else v for k, v in row.items()})
