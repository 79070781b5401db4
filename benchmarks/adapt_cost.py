"""What the adapt step costs: seconds at first and at other tables later, programs compiled, rows.

python benchmarks/adapt_cost.py
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from sdv_threea.adapt.centroids import NUM_LANDMARKS, adapt_centroids
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.mechanism import discrete_gaussian

#: Rows, columns, classes and cells per class: the first has Adult's; then come others.
TABLES = [(32_561, 14, 2, 4), (32_561, 14, 2, 4), (9_000, 11, 3, 3), (500, 5, 2, 2)]

#: Rows of the pass that is timed.
NUM_ROWS = 200_000

#: The event that JAX's monitoring reports for each program it compiles.
COMPILED = '/jax/core/compile/backend_compile_duration'


def make_table(rows: int, columns: int, classes: int, cells: int) -> dict[str, Any]:
    """Make the arguments of the adapt step for random scores and classes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(classes, size=rows)
    return {
        'points': rng.integers(-2 * SCORE_UNITS, 2 * SCORE_UNITS, size=(rows, columns)),
        'targets': np.eye(classes)[labels],
        'centroids': rng.integers(-SCORE_UNITS, SCORE_UNITS, size=(classes, cells, columns)),
        'centroid_targets': np.repeat(np.eye(classes), cells, axis=0),
        'landmarks': rng.integers(-2 * SCORE_UNITS, 2 * SCORE_UNITS, size=(NUM_LANDMARKS, columns)),
    }


def time_fits() -> None:
    """Print what each fit takes and compiles."""
    compiled: list[float] = []
    terms = {'mu': math.inf, 'neighbors': 'add_remove', 'noise': discrete_gaussian}
    for sizes in TABLES:
        table = make_table(*sizes)
        compiled.clear()
        begin = time.perf_counter()
        if sizes is TABLES[0]:
            import jax

            jax.monitoring.register_event_duration_secs_listener(
                lambda event, seconds, **_: compiled.append(seconds) if event == COMPILED else None
            )
        adapt_centroids(**table, alpha=0.5, kernel=None, **terms)
        seconds = time.perf_counter() - begin
        print(
            '{:>6} rows, {:>2} columns, {} classes, {} cells each: '.format(*sizes)
            + f'{seconds:.2f} s, {len(compiled)} compilations ({sum(compiled):.2f} s)'
        )


def time_rows() -> None:
    """Print what the pass over private rows takes, per row."""
    from sdv_threea.adapt.nystrom import kernel_features
    from sdv_threea.adapt.relu import ReluNtk
    from sdv_threea.adapt.rows import kernel_sums

    table = make_table(NUM_ROWS, 14, 2, 4)
    features = kernel_features(table['landmarks'] / SCORE_UNITS, ReluNtk())
    for _ in ('to warm up', 'to measure'):
        begin = time.perf_counter(), time.process_time()
        kernel_sums(table['points'], table['targets'], features)
        end = time.perf_counter(), time.process_time()
    wall, cpu = (1e6 * (late - soon) / NUM_ROWS for soon, late in zip(begin, end, strict=True))
    print(f'pass over {NUM_ROWS} rows: {wall:.2f} microseconds per row ({cpu:.2f} of CPU)')


if __name__ == '__main__':
    time_fits()
    time_rows()
