"""How far statistics are from one pass of NumPy over the codes, the floor, and what noise costs.

    python benchmarks/passes.py                         # two minutes
    python benchmarks/passes.py --rows 5000 --draws 100 --scales 2 --results /tmp/passes.csv

All passes are over the same codes and scores: the floor is ``np.bincount`` of every column of
codes, which is the least that a count of each value can cost in NumPy. Noise is ours, OpenDP's (an
extra of the tests: ``pip install 'sdv-threea[test]'``), and NumPy's normal, which is fast and not
exact; all draws are asked for in one call. Seconds are the median of several calls.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from made import resample_adult
from numpy.typing import NDArray
from runner import Benchmark, Job, Options, Row, grid

#: Bins of a number, and components of the two classes together.
NUM_BINS, NUM_GROUPS = 96, 8

FLOOR = 'floor: np.bincount of every column'

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


@cache
def list_passes(num_rows: int) -> dict[str, Pass]:
    """List the passes over rows."""
    from sdv_threea.approximate.constants import ApproximateConstants
    from sdv_threea.approximate.density import clip_radius
    from sdv_threea.approximate.scores import normal_scores
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
        'second moments in each component': lambda: second_moments(clipped, groups, NUM_GROUPS),
    }


def draw_ours(size: int, scale: float) -> object:
    """Draw from our discrete Gaussian."""
    from sdv_threea.privacy.mechanism import discrete_gaussian

    return discrete_gaussian(size, scale)


def draw_opendp(size: int, scale: float) -> object:
    """Draw from OpenDP's discrete Gaussian."""
    import opendp.prelude as opendp

    opendp.enable_features('contrib')
    space = opendp.vector_domain(opendp.atom_domain(T='i64')), opendp.l2_distance(T=float)
    return np.array(opendp.m.make_gaussian(*space, scale=float(scale))([0] * size))


def draw_numpy(size: int, scale: float) -> object:
    """Draw from the normal distribution, as floats are."""
    return np.random.default_rng().normal(0.0, scale, size)


SAMPLERS: dict[str, Callable[[int, float], object]] = {
    'noise': draw_ours,
    'noise of OpenDP': draw_opendp,
    "NumPy's normal, not exact": draw_numpy,
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the passes over rows, then the draws of noise."""
    yield from grid(**{'pass': list_passes(1_000), 'size': [options.rows], 'scale': [0]})
    yield from grid(**{'pass': SAMPLERS, 'size': options.draws, 'scale': options.scales})


def measure(job: Job, options: Options) -> Row:
    """Measure a pass: the first call loads what the others use, and does not count."""
    if job['scale']:
        sampler = SAMPLERS[job['pass']]
        return {'seconds': time_calls(lambda: sampler(job['size'], job['scale']), options.repeats)}
    return {'seconds': time_calls(list_passes(job['size'])[job['pass']], options.repeats)}


def time_calls(call: Pass, repeats: int) -> float:
    """The median of the seconds that calls take."""
    call()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


BENCHMARK = Benchmark(
    name='passes',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'rows': 1_000_000,
        'draws': [1, 1_000, 200_000],
        'scales': [2, 2**16, 2**40],
        'repeats': 7,
    },
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
