"""Digests of whole releases with all chance held fixed: what a change of the code must not change.

    export PYTHONPATH=benchmarks:tests/helpers             # tables and metadata are read there
    python benchmarks/golden/golden.py > before.txt             # in one tree; a minute or two
    python benchmarks/golden/golden.py --against before.txt     # in another: is all the same?
    python benchmarks/golden/golden.py --only made              # without the data; 40 seconds
    python benchmarks/golden/golden.py --only shared --data DIR # the tables of DIR alone

A line is a release and three digests: of what is stated (the receipts, the modified metadata and
the transformers), of what is released (the arrays that the release holds, whatever holds them),
and of what is sampled (values, their types, dtypes). ``--against`` names the releases that differ
from those of a file, with the digests that do, and ends with exit code 1 if there are any. A
release that is missing on one side differs. If only *released* differs, the model is arranged
otherwise, or computed otherwise by a hair, and no sample shows it.

``made`` releases are of tables and databases that :mod:`cases` makes: every constraint,
setting, storage, way to fit and way to sample; and what :mod:`sdv_threea.estimate` says.
``shared`` ones are of ``../shared/data``: tables of :mod:`tables` without public facts and with
their target, those of :data:`TOLD` with all facts of their metadata, those of :data:`DATABASES`
with their unit. Another machine, or another version of a library, may round otherwise: compare on
one.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import io
import itertools
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
from case import Case, fit, sample
from cases import list_cases
from numpy.typing import NDArray
from sdv.metadata import Metadata
from threadpoolctl import threadpool_limits

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.estimate import expected_error
from sdv_threea.pipeline import release
from sdv_threea.relational.databases import release_database
from sdv_threea.synthesizers import multi_table, single_table

#: Where the real tables lie.
SHARED = Path(__file__).resolve().parents[3] / 'shared' / 'data'

#: Tables that take minutes.
LARGE = ('census_kdd', 'covtype', 'isolet')

TOLD = ('adult', 'compas', 'german_credit', 'telco_churn', 'titanic')
DATABASES = {'berka': 'account', 'chinook': 'customer', 'northwind': 'customers'}

GROUPS = ('made', 'shared')

#: Columns of a line.
WIDTH = 60


class Digests(NamedTuple):
    """The digests of a release.

    Args:
        stated: Of the receipts, the modified metadata and the transformers.
        released: Of the set of arrays in the release.
        sampled: Of the sampled rows.
    """

    stated: str
    released: str
    sampled: str


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
def fixed_chance() -> Iterator[list[Any]]:
    """Hold all chance of the next fits fixed, and collect what they release."""
    chance = {'noise': FixedNoise(), 'rng': np.random.default_rng(5)}
    released: list[Any] = []

    def hold(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            released.append(function(*args, **options, **chance))
            return released[-1]

        return call

    with (
        patch.object(single_table, 'release', hold(release)),
        patch.object(multi_table, 'release_database', hold(release_database)),
    ):
        yield released


def digest(
    synthesizer: Any,
    tables: dict[str, Any],
    fit: Callable[[Any, dict[str, Any]], None] = fit,
    sample: Callable[[Any], Iterable[pd.DataFrame]] = sample,
) -> Digests:
    """Fit with all chance held fixed, and digest the release and sampled rows."""
    # The last bits of a product of matrices depend on how many threads share it.
    with threadpool_limits(1), fixed_chance() as released:
        fit(synthesizer, tables)
        arrays = sorted(set(map(write_array, find_arrays(released))))
        stated = _hash(_state(synthesizer))
        return Digests(stated, _hash(arrays), _hash(map(write_table, sample(synthesizer))))


def find_arrays(value: Any) -> Iterator[NDArray[Any]]:
    """Find all arrays that a release holds, whatever the objects and fields between are called."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        yield from itertools.chain.from_iterable(map(find_arrays, value.values()))
    elif isinstance(value, list | tuple):
        yield from itertools.chain.from_iterable(map(find_arrays, value))
    elif dataclasses.is_dataclass(value):
        yield from find_arrays([getattr(value, each.name) for each in dataclasses.fields(value)])
    elif type(value).__module__.startswith('sdv_threea'):
        yield from find_arrays(vars(value))


def write_array(array: NDArray[Any]) -> str:
    """Write an array exactly, with its dtype and shape; the order in memory does not count."""
    content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return f'{array.dtype} {array.shape} {hashlib.sha256(content).hexdigest()}'


def write_table(table: pd.DataFrame) -> str:
    """Write a table, with the dtypes of its columns and the types of objects in them."""
    types = [
        f'{name!r} {column.dtype!r} {sorted({type(cell).__name__ for cell in column})}'
        for name, column in table.items()
    ]
    return '\n'.join([*types, table.to_csv()])


def _state(synthesizer: Any) -> Iterator[str]:
    yield repr(synthesizer.get_privacy_statement().receipts)
    # SDV writes the facts of a table in an order that changes from run to run. The order of
    # columns does not, and users see it.
    modified = synthesizer.get_metadata('modified')
    yield json.dumps(modified.to_dict(), default=str, sort_keys=True)
    yield repr({name: list(table.columns) for name, table in modified.tables.items()})
    if isinstance(synthesizer, ClustMixSynthesizer):
        yield repr(synthesizer.get_transformers())


def _hash(written: Iterable[str]) -> str:
    return hashlib.sha256('\n'.join(written).encode()).hexdigest()[:16]


def load_tables(name: str, data: Path) -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Load all tables of a folder, and their metadata."""
    metadata = Metadata.load_from_json(data / name / 'metadata.json')
    files = {each: data / name / f'{each}.csv.gz' for each in metadata.tables}
    if len(files) == 1:
        files = dict.fromkeys(files, data / name / f'{name}.csv.gz')
    return {each: pd.read_csv(path, low_memory=False) for each, path in files.items()}, metadata


def list_shared(data: Path) -> Iterator[tuple[str, Digests]]:
    """Yield the name of each release of the data and its digests."""
    from tables import PROBLEMS, load_split

    for name in (each for each in PROBLEMS if each not in LARGE):
        split = load_split(name, data)
        terms = {'target_column': split.target, 'accept': ACCEPTABLE}
        synthesizer = ClustMixSynthesizer(split.metadata, **terms)
        yield name, digest(synthesizer, {split.table_name: split.train})
    for name in TOLD:
        tables, metadata = load_tables(name, data)
        terms = {'public_metadata': True, 'accept': ACCEPTABLE}
        yield f'{name}, told', digest(ClustMixSynthesizer(metadata, **terms), tables)
    for name, unit in DATABASES.items():
        tables, metadata = load_tables(name, data)
        terms = {'privacy_unit': unit, 'accept': ACCEPTABLE}
        yield name, digest(ClustMixMultiTableSynthesizer(metadata, **terms), tables)


def list_made(cases: Mapping[str, Case]) -> Iterator[tuple[str, Digests]]:
    """Yield the name of each case and its digests, and those of estimates."""
    for name, case in cases.items():
        yield name, digest(case.make(), case.tables, case.fit, case.sample)
    yield 'estimates', Digests(_hash(_estimate()), '-', '-')


def _estimate() -> Iterator[str]:
    shapes = itertools.product((1_000, 30_000), (3, 40), (0.5, 3.0, math.inf), (1, 3))
    for num_rows, num_columns, epsilon, num_classes in shapes:
        for public, neighbors in ((True, 'add_remove'), (False, 'replace_one')):
            found = expected_error(
                num_rows,
                num_columns,
                epsilon,
                num_classes=num_classes,
                public_metadata=public,
                neighbors=neighbors,
            )
            yield f'{found!r}\n{found}'


def read_digests(path: Path, only: str | None) -> dict[str, Digests]:
    """Read the lines that this script has printed, of one group or of all."""
    lines = [line.rsplit(maxsplit=3) for line in path.read_text().splitlines() if line]
    found = {name: Digests(*each) for name, *each in lines}
    return {name: each for name, each in found.items() if not only or name.startswith(f'{only}/')}


def compare(before: Mapping[str, Digests], after: Mapping[str, Digests]) -> dict[str, str]:
    """Tell which releases differ, and in what."""
    differing = {}
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            differing[name] = 'not in the file' if one is None else 'in the file alone'
        elif one != other:
            pairs = zip(Digests._fields, one, other, strict=True)
            differing[name] = ', '.join(field for field, *both in pairs if both[0] != both[1])
    return differing


def main() -> int:
    """Print a line per release, and tell whether all are those of a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=Path, default=SHARED, help='the folder of shared data')
    parser.add_argument('--only', choices=GROUPS, help='the releases of one group')
    parser.add_argument('--against', type=Path, help='a file of what was printed before')
    options = parser.parse_args()
    before = read_digests(options.against, options.only) if options.against else None
    makers = {'made': lambda: list_made(list_cases()), 'shared': lambda: list_shared(options.data)}
    found: dict[str, Digests] = {}
    for group in [options.only] if options.only else GROUPS:
        releases = makers[group]()
        while True:
            with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
                warnings.simplefilter('ignore')
                name, digests = next(releases, ('', None))
            if digests is None:
                break
            found[f'{group}/{name}'] = digests
            print(f'{group + "/" + name:<{WIDTH}}', *digests, flush=True)
    differing = {} if before is None else compare(before, found)
    for name, fields in differing.items():
        print(f'differs: {name} ({fields})', file=sys.stderr)
    return 1 if differing else 0


if __name__ == '__main__':
    sys.exit(main())
