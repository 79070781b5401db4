"""What the runners share. They run inside a peer's environment: only pandas may be imported here.

A job is a JSON file with ``method``, ``train`` (a CSV), ``columns`` (the public facts by name:
``sdtype``, ``nullable``, and ``low``, ``high`` and ``integer`` or else ``values``), ``target``,
``epsilon``, ``delta``, ``rows``, ``seed``, ``memory_gib``, and ``synthetic`` (the CSV to write).
Categories are text in both files, and gaps are empty fields.
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

#: Fits a peer to a table: returns what draws a table of any number of rows.
Fit = Callable[[Job, Any], Callable[[int], Any]]

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
    table = _read(job)
    start = time.perf_counter()
    draw = fit(job, table)
    fitted = time.perf_counter()
    synthetic = draw(job['rows'])
    sampled = time.perf_counter()
    _write(job, synthetic)
    used = [resource.getrusage(who).ru_maxrss for who in WHO]
    return {
        'fit_seconds': round(fitted - start, 3),
        'sample_seconds': round(sampled - fitted, 3),
        'peak_mib': round(max(used) / 2**10, 1),
    }


def _read(job: Job) -> Any:
    import pandas as pd

    columns = job['columns']
    categories = {name: str for name, facts in columns.items() if is_category(facts)}
    table = pd.read_csv(job['train'], dtype=categories, keep_default_na=False, na_values=[''])
    for name, facts in columns.items():
        # A column that happens to be empty, or whole numbers written as 1.0.
        if not is_category(facts):
            whole = facts['integer'] and not table[name].isna().any()
            table[name] = table[name].astype('int64' if whole else 'float64')
    return table[list(columns)]


def _write(job: Job, synthetic: Any) -> None:
    import pandas as pd

    synthetic = pd.DataFrame(synthetic)[list(job['columns'])]
    for name, facts in job['columns'].items():
        if not is_category(facts):
            numbers = pd.to_numeric(synthetic[name])
            # Whole numbers with gaps are floats to a peer, which then draws between them.
            synthetic[name] = numbers.round() if facts['integer'] else numbers
    synthetic.to_csv(job['synthetic'], index=False)


def is_category(facts: dict[str, Any]) -> bool:
    """Tell the facts of a category from those of a number."""
    return facts['sdtype'] == 'categorical'
