"""Digests of whole releases with the noise held fixed: what a change of the code must not change.

    python benchmarks/golden.py > before.txt     # in one tree, half a minute
    python benchmarks/golden.py > after.txt      # in another
    diff before.txt after.txt                    # nothing: all releases are the same, byte for byte

A line is a table of ``../shared/data`` that was fitted at epsilon 1, and a digest of its ledger and
of rows that were sampled from it. Tables of :mod:`tables` are fitted without public facts and with
their target, those of :data:`TOLD` with all facts of their metadata, those of :data:`DATABASES`
with their unit. Another machine may round otherwise: compare on one.
"""

from __future__ import annotations

import argparse
import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.metadata import Metadata
from tables import DATA, PROBLEMS, load_split

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.pipeline import release
from sdv_threea.relational.pipeline import release_database
from sdv_threea.synthesizers import multi_table, single_table

#: Tables that take minutes.
LARGE = ('census_kdd', 'covtype', 'isolet')

TOLD = ('adult', 'compas', 'german_credit', 'telco_churn', 'titanic')
DATABASES = {'berka': 'account', 'chinook': 'customer', 'northwind': 'customers'}

#: Rows sampled of one table, and the share of a database.
NUM_ROWS, SCALE = 500, 0.2


class FixedNoise:
    """Noise that depends on the number of the question alone."""

    def __init__(self) -> None:
        self.questions = 0

    def __call__(self, size: int, scale: float) -> NDArray[np.int64]:
        """Draw the noise of the next question."""
        self.questions += 1
        drawn = np.random.default_rng([self.questions, 11]).normal(0, scale, size)
        return np.rint(drawn).astype(np.int64)


@contextmanager
def fixed_chance() -> Iterator[None]:
    """Hold all chance of the next fit fixed."""
    chance = {'noise': FixedNoise(), 'rng': np.random.default_rng(5)}
    database = partial(release_database, **chance)
    with (
        patch.object(single_table, 'release', partial(release, **chance)),
        patch.object(multi_table, 'release_database', database),
    ):
        yield


def digest(synthesizer: Any, tables: dict[str, pd.DataFrame]) -> str:
    """Fit with all chance held fixed, and digest the statement and sampled rows."""
    with fixed_chance(), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(tables)
        one = isinstance(synthesizer, ClustMixSynthesizer)
        sampled = synthesizer.sample(NUM_ROWS) if one else synthesizer.sample_scale(SCALE)
    written = [repr(synthesizer.get_privacy_statement().receipts)]
    written += [table.to_csv(index=False) for table in sampled.values()]
    return hashlib.sha256('\n'.join(written).encode()).hexdigest()[:16]


def load_tables(name: str, data: Path) -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Load all tables of a folder, and their metadata."""
    metadata = Metadata.load_from_json(data / name / 'metadata.json')
    files = {each: data / name / f'{each}.csv.gz' for each in metadata.tables}
    if len(files) == 1:
        files = dict.fromkeys(files, data / name / f'{name}.csv.gz')
    return {each: pd.read_csv(path, low_memory=False) for each, path in files.items()}, metadata


def list_digests(data: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each release and its digest."""
    for name in (each for each in PROBLEMS if each not in LARGE):
        split = load_split(name, data)
        synthesizer = ClustMixSynthesizer(split.metadata, target_column=split.target)
        yield name, digest(synthesizer, {split.table_name: split.train})
    for name in TOLD:
        tables, metadata = load_tables(name, data)
        yield f'{name}, told', digest(ClustMixSynthesizer(metadata, public_metadata=True), tables)
    for name, unit in DATABASES.items():
        tables, metadata = load_tables(name, data)
        yield name, digest(ClustMixMultiTableSynthesizer(metadata, privacy_unit=unit), tables)


def main() -> None:
    """Print a line per release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=Path, default=DATA)
    for name, found in sorted(list_digests(parser.parse_args().data)):
        print(f'{name:<24} {found}')


if __name__ == '__main__':
    main()
