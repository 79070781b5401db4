"""The command ``demo``: a public table and its metadata, as files to try the other commands on."""

from __future__ import annotations

import gzip
from importlib.resources import files
from pathlib import Path

from sdv_threea.cli.outputs import staged

#: The files of Adult in the package, by the names that they get.
ADULT = {
    'adult.csv': 'adult_train.csv.gz',
    'adult_test.csv': 'adult_test.csv.gz',
    'adult.json': 'metadata.json',
}


def write_adult(folder: Path, *, force: bool) -> None:
    """Write Adult: its training rows, its test rows, and their metadata without ranges or values.

    Raises:
        RefusedError: If a file exists and may not be replaced, or the folder cannot be made.
    """
    source = files('sdv_threea.datasets') / 'adult'
    places = {folder / name: source / stored for name, stored in ADULT.items()}
    with staged(places, force=force) as drafts:
        for place, stored in places.items():
            held = stored.read_bytes()
            drafts[place].write_bytes(gzip.decompress(held) if place.suffix == '.csv' else held)
