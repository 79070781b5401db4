"""Peers of the library, each fitted in a process and an environment of its own.

The families of peers pin releases that rule out one another. So each has an environment, which is
made once and kept until its pinned requirements change. Which build of a package is installed
(torch comes for the CPU, or with gigabytes for GPUs) is up to how pip is configured.

A peer that cannot be installed, fails, takes too long or wants too much memory raises
:class:`runner.Failed`, with a reason to be shown in place of its figures.

What a peer has drawn is kept. The same job on the same rows is not run again, so that a second
benchmark looks at the rows of the first one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from runner import Failed, run_command

if TYPE_CHECKING:
    from methods import Terms
    from sdv.metadata import Metadata
    from tables import Split

HERE = Path(__file__).parent

#: Where environments lie, each in a folder of its family's name; git ignores it.
FOLDER = HERE.parents[1] / '.venv-peers'

#: The families, and the oldest and the newest Python 3 that they run on.
FAMILIES = {'dpmm': (10, 11), 'smartnoise': (10, 14), 'direct': (11, 13)}

#: The family and the method of each peer.
PEERS = {
    'dpmm MST': ('dpmm', 'MST'),
    'dpmm AIM': ('dpmm', 'AIM'),
    'dpmm PrivBayes': ('dpmm', 'PrivBayes'),
    'smartnoise MST': ('smartnoise', 'MST'),
    'smartnoise PATE-CTGAN': ('smartnoise', 'PATE-CTGAN'),
    'smartnoise DP-CTGAN': ('smartnoise', 'DP-CTGAN'),
}

#: Models that are trained on the private rows themselves, in place of synthetic ones. They are told
#: the public facts too, and are given the test part without its target.
DIRECT = {
    'DP-EBM': ('direct', 'DP-EBM'),
    'DP-EBM, 200 rounds of .3': ('direct', 'DP-EBM, 200 rounds of .3'),
    'diffprivlib logistic regression': ('direct', 'logistic regression'),
}

#: Seconds of an installation, and address space of a peer: more than the memory it then uses.
INSTALLING, MEMORY_GIB = 1800, 12


def run_peer(
    name: str, split: Split, facts: Metadata, terms: Terms
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Fit a peer to the training part of a split, and draw as many rows.

    The peer is told the facts: ranges, values and nullability. The budget includes preprocessing,
    and the seconds loading, fitting and sampling, but not installing. Returned are the synthetic
    table, with the types of the training table, and ``fit_seconds``, ``sample_seconds`` and
    ``peak_mib``.
    """
    given = {'train': split.train}
    read = partial(_read, train=split.train, facts=facts)
    return _run(PEERS[name], given, split, facts, terms, read)


def train_directly(
    name: str, split: Split, facts: Metadata, terms: Terms
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Train a model with privacy on the training part of a split, and let it predict the test part.

    Returned are the chances of the classes of each test row, a column per class, or one column of
    numbers; and figures like those of :func:`run_peer`.
    """
    given = {'train': split.train, 'test': split.test.drop(columns=split.target)}
    return _run(DIRECT[name], given, split, facts, terms, pd.read_csv)


def _run(
    peer: tuple[str, str],
    given: Mapping[str, pd.DataFrame],
    split: Split,
    facts: Metadata,
    terms: Terms,
    read: Callable[[Path], pd.DataFrame],
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Run a peer in its environment on the tables that it is given; read what it made."""
    family, method = peer
    python = make_environment(family)
    job = {
        'method': method,
        'columns': _describe(split.train, facts),
        'target': split.target,
        'epsilon': terms.epsilon,
        'delta': terms.delta,
        'rows': len(split.train),
        'seed': terms.seed,
        'memory_gib': MEMORY_GIB,
    }
    texts = {part: table.to_csv(index=False) for part, table in given.items()}
    asked = json.dumps([family, job, texts], default=np.generic.item, sort_keys=True)
    kept = FOLDER / 'made' / hashlib.sha256(asked.encode()).hexdigest()[:32]
    if not kept.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for part, text in texts.items():
                job[part] = str(place / f'{part}.csv')
                Path(job[part]).write_text(text)
            job['made'] = str(place / 'made.csv')
            (place / 'job.json').write_text(json.dumps(job, default=np.generic.item))
            figures = _do(python, family, place, terms.timeout)
            (place / 'figures.json').write_text(json.dumps(figures))
            shutil.copytree(place, kept, ignore=shutil.ignore_patterns('train.csv', 'test.csv'))
    return read(kept / 'made.csv'), json.loads((kept / 'figures.json').read_text())


def make_environment(family: str) -> Path:
    """Return the Python of a family's environment, which is made if it is not as required."""
    place, requirements = FOLDER / family, HERE / f'{family}.txt'
    marker, python = place / 'installed', place / 'bin' / 'python'
    if not marker.exists() or marker.read_text() != requirements.read_text():
        _install([_find_python(family), '-m', 'venv', '--clear', str(place)])
        _install([str(python), '-m', 'pip', 'install', '--quiet', '-r', str(requirements)])
        marker.write_text(requirements.read_text())
    return python


def _find_python(family: str) -> str:
    """Find a Python that the family runs on: this one, or else the newest that does."""
    oldest, newest = FAMILIES[family]
    if oldest <= sys.version_info.minor <= newest:
        return sys.executable
    for minor in range(newest, oldest - 1, -1):
        found = shutil.which(f'python3.{minor}')
        # A version manager leaves names behind that start nothing.
        if found and not subprocess.run([found, '-c', ''], capture_output=True).returncode:
            return found
    raise Failed(f'{family} needs Python 3.{oldest} to 3.{newest}')


def _install(command: list[str]) -> None:
    status, written, errors = run_command(command, INSTALLING)
    if status:
        # pip ends with advice; what failed is on the line marked as an error.
        lines = (errors or written).strip().splitlines() or ['no message']
        marked = [line for line in lines if line.startswith('ERROR')] or lines
        raise Failed(f'not installed: {marked[-1].strip()}')


def _describe(train: pd.DataFrame, facts: Metadata) -> dict[str, dict[str, Any]]:
    """Put the public facts into the words of a job. Categories are the text of the CSV."""
    (about,) = facts.to_dict()['tables'].values()
    columns = {}
    for name in train:
        column = about['columns'][name]
        if column['sdtype'] == 'numerical':
            # A schema would say whether numbers are whole; the metadata does not, so the rows do.
            whole = bool((train[name].dropna() % 1 == 0).all())
            low, high = column['range_min'], column['range_max']
            columns[name] = {'sdtype': 'numerical', 'low': low, 'high': high, 'integer': whole}
        else:
            values = [str(value) for value in _list_values(column)]
            columns[name] = {'sdtype': 'categorical', 'values': values}
        columns[name]['nullable'] = bool(column['range_is_nullable'])
    return columns


def _list_values(column: dict[str, Any]) -> list[Any]:
    return column.get('range_values', [True, False])  # no metadata lists those of a boolean


def _do(python: Path, family: str, place: Path, timeout: float) -> dict[str, Any]:
    """Run a job to its end, or end it with all that it started."""
    # Sets of names decide ties among marginals, so their order has to be the same each time.
    environment = os.environ | {'PYTHONHASHSEED': '0'}
    for name in ('PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV'):
        environment.pop(name, None)
    command = [str(python), str(HERE / f'run_{family}.py'), str(place / 'job.json')]
    status, written, errors = run_command(command, timeout, env=environment, cwd=place)
    try:
        figures = json.loads(written.strip().splitlines()[-1])
        failure = figures.get('failed')
    except (ValueError, IndexError, AttributeError):
        failure = (errors.strip().splitlines() or [f'ended with status {status}'])[-1].strip()
        if status < 0:
            failure = f'ended by {signal.Signals(-status).name}: {failure}'
    if failure:
        raise Failed(failure)
    return figures


def _read(path: Path, train: pd.DataFrame, facts: Metadata) -> pd.DataFrame:
    """Read a synthetic table back, with the values and the types of the training table."""
    (about,) = facts.to_dict()['tables'].values()
    values = {
        name: {str(value): value for value in _list_values(column)}
        for name, column in about['columns'].items()
        if column['sdtype'] != 'numerical'
    }
    text = dict.fromkeys(values, str)
    table = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[''])
    if len(table) != len(train) or list(table) != list(train):
        raise Failed(f'returned a table of shape {table.shape} in place of {train.shape}')
    for name in train:
        column = table[name].map(values[name]) if name in values else table[name]
        # Whole numbers and truth values have no gaps: a column that has some keeps its own type.
        keeps = column.isna().any() and train[name].dtype.kind in 'iub'
        table[name] = column if keeps else column.astype(train[name].dtype)
    return table
