"""Peers of the library, each fitted in a process and an environment of its own.

A peer that cannot be installed, fails, takes too long or wants too much memory raises
:class:`PeerFailed`, with a reason to be shown in place of its figures.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from pathlib import Path
from subprocess import CompletedProcess
from typing import TYPE_CHECKING, Any

import pandas as pd
from processes import Ended, run, tell_failure

from peers.environments import FOLDER, HERE, EnvironmentFailed, make_environment

if TYPE_CHECKING:
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

#: The longest reason for a failure that is passed on.
REASON_LENGTH = 160


class PeerFailed(Exception):
    """A peer has no result; the message is one short line that says why."""


def run_peer(  # noqa: PLR0913 (who, on what, and the price)
    family: str,
    method: str,
    split: Split,
    facts: Metadata,
    *,
    epsilon: float,
    delta: float,
    seed: int,
    timeout: float,
    folder: Path = FOLDER,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Fit a peer to the training part of a split and draw as many rows.

    Args:
        family: Whose environment it runs in; see :data:`PEERS`.
        method: The method of that family.
        split: The table.
        facts: Its metadata with ranges, values and nullability stated: the peer is told them.
        epsilon: The whole budget, preprocessing included.
        delta: Likewise.
        seed: For what the peer draws from a seeded generator.
        timeout: Seconds for loading the peer, fitting and sampling; installing is not counted.
        folder: Where the environments lie.

    Returns:
        The synthetic table, with the types of the training table, and ``fit_seconds``,
        ``sample_seconds``, ``peak_mib`` and ``version``.

    Raises:
        PeerFailed: If there is no result.
    """
    columns = _describe(split.train, facts)
    try:
        python = make_environment(family, folder)
    except EnvironmentFailed as failure:
        raise PeerFailed(str(failure)[:REASON_LENGTH]) from None
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        job = {
            'method': method,
            'train': str(place / 'train.csv'),
            'columns': columns,
            'target': split.target,
            'epsilon': epsilon,
            'delta': delta,
            'rows': len(split.train),
            'seed': seed,
            'memory_gib': MEMORY_GIB,
            'synthetic': str(place / 'synthetic.csv'),
        }
        split.train.to_csv(job['train'], index=False)
        (place / 'job.json').write_text(json.dumps(job, default=_to_python))
        figures = _do(python, family, place, timeout)
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
    try:
        done = run(command, timeout, env=environment, cwd=place)
    except Ended as why:
        raise PeerFailed(str(why)) from None
    return _read_figures(done)


def _read_figures(done: CompletedProcess[str]) -> dict[str, Any]:
    try:
        figures = json.loads(done.stdout.strip().splitlines()[-1])
        failure = figures.get('failed')
    except (ValueError, IndexError, AttributeError):
        failure = tell_failure(done)
        if done.returncode < 0:
            failure = f'ended by {signal.Signals(-done.returncode).name}: {failure}'
    if failure:
        raise PeerFailed(failure[:REASON_LENGTH])
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
        raise PeerFailed(f'returned a table of shape {table.shape} in place of {train.shape}')
    for name in train:
        column = table[name].map(values[name]) if name in values else table[name]
        # Whole numbers and truth values have no gaps: a column that has some keeps its own type.
        keeps = column.isna().any() and train[name].dtype.kind in 'iub'
        table[name] = column if keeps else column.astype(train[name].dtype)
    return table


def _to_python(value: Any) -> Any:
    """Turn a number of NumPy into one of Python, for JSON."""
    return value.item()
