"""How far the statistics are from the floor: one pass of NumPy over the encoded codes.

    python benchmarks/floor.py                      # a minute

All on the same codes and scores, in one process, medians of several passes: the floor is
``np.bincount`` of every column of codes, which is the least that a count of each value can cost in
NumPy. Rows of ``benchmarks/results/floor.csv`` are written anew. Noise is measured per draw.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from cost_jobs import Job
from made import resample_adult
from numpy.typing import NDArray

RESULTS = Path(__file__).parent / 'results' / 'floor.csv'

#: Rows, bins of a number, cells of the two classes together, and draws of noise.
NUM_ROWS, NUM_BINS, NUM_GROUPS, NUM_DRAWS = 1_000_000, 96, 8, 200_000

FLOOR, NOISE = 'floor: np.bincount of every column', 'noise'

Pass = Callable[[], object]


def encode_adult(num_rows: int) -> tuple[NDArray[np.int16], list[int], NDArray[np.int8]]:
    """Encode rows of Adult as codes: places in the list of values, or bins of equal shares.

    Returns:
        Codes, shape (n, m), stored column by column; the number of codes of each column; and the
        classes, shape (n,).
    """
    table, _ = resample_adult(num_rows)
    codes = np.empty(table.shape, dtype=np.int16, order='F')
    sizes = []
    for at, (_, column) in enumerate(table.items()):
        if column.dtype.kind == 'i':
            ends = np.unique(np.quantile(column, np.arange(1, NUM_BINS) / NUM_BINS))
            codes[:, at] = np.searchsorted(ends, column)
            sizes.append(len(ends) + 1)
        else:
            codes[:, at] = column.cat.codes + 1  # the first is that of a gap
            sizes.append(len(column.cat.categories) + 1)
    return codes, sizes, table['income'].cat.codes.to_numpy()


def list_passes(num_rows: int) -> dict[str, Pass]:
    """List what is measured: here alone are the functions of the package called."""
    from sdv_threea.approximate.constants import ApproximateConstants
    from sdv_threea.approximate.density import clip_radius
    from sdv_threea.approximate.scores import normal_scores
    from sdv_threea.privacy.mechanism import discrete_gaussian
    from sdv_threea.privacy.statistics import clip_norm, histogram, second_moments

    codes, sizes, classes = encode_adult(num_rows)
    everybody = np.zeros_like(classes)
    groups = np.random.default_rng(0).integers(NUM_GROUPS, size=num_rows, dtype=np.int8)
    shares = tuple(each / each.sum(axis=1)[:, None] for each in histogram(codes, classes, sizes, 2))
    look_up = normal_scores(shares, tuple(map(np.arange, sizes)), 2)
    scores, radius = look_up(codes, classes), clip_radius(look_up, ApproximateConstants().clip)
    clipped = clip_norm(scores, radius)
    return {
        FLOOR: lambda: [
            np.bincount(column, minlength=size) for column, size in zip(codes.T, sizes, strict=True)
        ],
        'counts': lambda: histogram(codes, everybody, sizes, 1),
        'counts in each class': lambda: histogram(codes, classes, sizes, 2),
        'look-up of scores': lambda: look_up(codes, classes),
        'clipping of scores': lambda: clip_norm(scores, radius),
        'second moments in each class': lambda: second_moments(clipped, classes, 2),
        'second moments in each cell': lambda: second_moments(clipped, groups, NUM_GROUPS),
        NOISE: lambda: discrete_gaussian(NUM_DRAWS, 2.0**16),
    }


def measure(num_rows: int, repeats: int) -> list[Job]:
    """Measure every pass, and compare it with the floor."""
    seconds = {}
    for name, run in list_passes(num_rows).items():
        run()  # the first loads what the others use
        taken = []
        for _ in range(repeats):
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
        seconds[name] = statistics.median(taken)
        print(f'{name}: {seconds[name]:.4f} s', flush=True)
    return [
        {
            'pass': name,
            'rows': NUM_DRAWS if name == NOISE else num_rows,
            'seconds': taken,
            'times_the_floor': None if name == NOISE else taken / seconds[FLOOR],
        }
        for name, taken in seconds.items()
    ]


def main() -> None:
    """Measure, and write the results anew."""
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rows', type=int, default=NUM_ROWS)
    parser.add_argument('--repeats', type=int, default=7)
    parser.add_argument('--results', type=Path, default=RESULTS)
    arguments = parser.parse_args()
    table = pd.DataFrame(measure(arguments.rows, arguments.repeats))
    table.to_csv(arguments.results, index=False, float_format='%.5g')


if __name__ == '__main__':
    main()
