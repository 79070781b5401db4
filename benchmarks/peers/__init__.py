"""Peers of the library, each fitted in a process and an environment of its own.

A peer that cannot be installed, fails, takes too long or wants too much memory raises
:class:`runner.Failed`, with a reason to be shown in place of its figures.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from runner import Failed, run_command

from peers.environments import HERE, make_environment

if TYPE_CHECKING:
    from methods import Terms
    from sdv.metadata import Metadata
    from tables import Split

#: The family and the method of each peer.
PEERS = {
    'dpmm MST': ('dpmm', 'MST'),
    'dpmm AIM': ('dpmm', 'AIM'),
    'dpmm PrivBayes': ('dpmm', 'PrivBayes'),
    'smartnoise MST': ('smartnoise', 'MST'),
    'smartnoise AIM': ('smartnoise', 'AIM'),
    'smartnoise PATE-CTGAN': ('smartnoise', 'PATE-CTGAN'),
    'smartnoise DP-CTGAN': ('smartnoise', 'DP-CTGAN'),
}

#: Address space that a peer may take. It is more than the memory it then uses.
MEMORY_GIB = 12


def run_peer(
    name: str, split: Split, facts: Metadata, terms: Terms
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Fit a peer to the training part of a split and draw as many rows.

    Args:
        name: Of :data:`PEERS`.
        split: The table.
        facts: Its metadata with ranges, values and nullability stated: the peer is told them.
        terms: The budget, preprocessing included; the seed of what the peer draws from a seeded
            generator; the seconds for loading it, fitting and sampling, not for installing it.

    Returns:
        The synthetic table, with the types of the training table, and ``fit_seconds``,
        ``sample_seconds``, ``peak_mib`` and ``version``.

    Raises:
        Failed: If there is no result.
    """
    family, method = PEERS[name]
    python = make_environment(family)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        job = {
            'method': method,
            'train': str(place / 'train.csv'),
            'columns': _describe(split.train, facts),
            'target': split.target,
            'epsilon': terms.epsilon,
            'delta': terms.delta,
            'rows': len(split.train),
            'seed': terms.seed,
            'memory_gib': MEMORY_GIB,
            'synthetic': str(place / 'synthetic.csv'),
        }
        split.train.to_csv(job['train'], index=False)
        (place / 'job.json').write_text(json.dumps(job, default=np.generic.item))
        figures = _do(python, family, place, terms.timeout)
        return _read(place / 'synthetic.csv', split.train, facts), figures


def _describe(train: pd.DataFrame, facts: Metadata) -> dict[str, dict[str, Any]]:
    """Put the public facts into the words of a job. Categories are the text of the CSV."""
    (about,) = facts.to_dict()['tables'].values()
    columns = {}
    for name in train:
        column = about['columns'][name]
        nullable = bool(column['range_is_nullable'])
        if column['sdtype'] == 'numerical':
            # A schema would say whether numbers are whole; the metadata does not, so the rows do.
            whole = bool((train[name].dropna() % 1 == 0).all())
            low, high = column['range_min'], column['range_max']
            columns[name] = {'sdtype': 'numerical', 'low': low, 'high': high, 'integer': whole}
        else:
            values = [str(value) for value in _list_values(column)]
            columns[name] = {'sdtype': 'categorical', 'values': values}
        columns[name]['nullable'] = nullable
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
        name: {str(value): value for value in _list_values(about['columns'][name])}
        for name in train
        if about['columns'][name]['sdtype'] != 'numerical'
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
