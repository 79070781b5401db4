"""What the runners share. They run inside a peer's environment: only pandas may be imported here.

A job is a JSON file with ``method``, ``train`` (a CSV), ``columns`` (the public facts by name:
``sdtype``, ``nullable``, and ``low``, ``high`` and ``integer`` or else ``values``), ``target``,
``epsilon``, ``delta``, ``rows``, ``seed``, ``memory_gib``, and ``made`` (the CSV to write). A job
with ``test`` too (a CSV without the target) asks for predictions of these rows in place of
synthetic rows. Categories are text in all files, and gaps are empty fields.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

Job = dict[str, Any]

#: Fits a peer to a table: returns what draws a table of any number of rows, or what predicts the
#: target of the rows of another table.
Fit = Callable[[Job, Any], Callable[[Any], Any]]

#: Whose memory is looked at: the larger of the runner's and of any process that it started.
WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def run(fit: Fit) -> None:
    """Do the job named on the command line, and print its figures as a last line of JSON.

    A job that fails prints ``{"failed": ...}`` there instead, and the traceback above it.
    """
    job = json.loads(Path(sys.argv[1]).read_text())
    limit = int(job['memory_gib'] * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        figures = _do(job, fit)
    except Exception as error:
        traceback.print_exc()
        message = ' '.join(f'{type(error).__name__}: {error}'.split())
        figures = {'failed': message.rstrip(':')}
    print('\n' + json.dumps(figures), flush=True)
    sys.exit('failed' in figures)


def _do(job: Job, fit: Fit) -> dict[str, float]:
    table = _read(job, 'train')
    asked = _read(job, 'test') if 'test' in job else job['rows']
    start = time.perf_counter()
    make = fit(job, table)
    fitted = time.perf_counter()
    made = make(asked)
    sampled = time.perf_counter()
    made = made if 'test' in job else _shape(job, made)
    made.to_csv(job['made'], index=False)
    used = [resource.getrusage(who).ru_maxrss for who in WHO]
    return {
        'fit_seconds': round(fitted - start, 3),
        'sample_seconds': round(sampled - fitted, 3),
        'peak_mib': round(max(used) / 2**10, 1),
    }


def _read(job: Job, part: str) -> Any:
    import pandas as pd

    columns = job['columns']
    categories = {name: str for name, facts in columns.items() if is_category(facts)}
    table = pd.read_csv(job[part], dtype=categories, keep_default_na=False, na_values=[''])
    columns = {name: facts for name, facts in columns.items() if name in table}
    for name, facts in columns.items():
        # A column that happens to be empty, or whole numbers written as 1.0.
        if not is_category(facts):
            whole = facts['integer'] and part == 'train' and not table[name].isna().any()
            table[name] = table[name].astype('int64' if whole else 'float64')
    return table[list(columns)]


def _shape(job: Job, synthetic: Any) -> Any:
    import pandas as pd

    synthetic = pd.DataFrame(synthetic)[list(job['columns'])]
    for name, facts in job['columns'].items():
        if not is_category(facts):
            numbers = pd.to_numeric(synthetic[name])
            # Whole numbers with gaps are floats to a peer, which then draws between them.
            synthetic[name] = numbers.round() if facts['integer'] else numbers
    return synthetic


def is_category(facts: dict[str, Any]) -> bool:
    """Tell the facts of a category from those of a number."""
    return facts['sdtype'] == 'categorical'
