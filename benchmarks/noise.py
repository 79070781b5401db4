"""What noise costs: our exact sampler beside OpenDP's, and NumPy's normal, which is not exact.

    python benchmarks/noise.py                          # half an hour, most of it OpenDP's
    python benchmarks/noise.py --draws 100 --scales 2 --results /tmp/noise.csv      # seconds

All draws are asked for in one call. Seconds are the median of several calls. OpenDP is an extra of
the tests: ``pip install 'sdv-threea[test]'``. ``cost.py`` writes the table of
``docs/lab/scaling.md``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
from runner import Benchmark, Job, Options, Row, grid


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
    'ours': draw_ours,
    'OpenDP': draw_opendp,
    "NumPy's normal, not exact": draw_numpy,
}


def list_jobs(options: Options) -> Iterator[Job]:
    """List the draws."""
    return grid(sampler=SAMPLERS, scale=options.scales, draws=options.draws)


def measure(job: Job, options: Options) -> Row:
    """Measure some calls: the first loads what the others use, and does not count."""
    taken = []
    for _ in range(1 + options.repeats):
        start = time.perf_counter()
        SAMPLERS[job['sampler']](job['draws'], job['scale'])
        taken.append(time.perf_counter() - start)
    return {'seconds': statistics.median(taken[1:])}


BENCHMARK = Benchmark(
    name='noise',
    list_jobs=list_jobs,
    measure=measure,
    options={
        'draws': [1, 1_000, 100_000, 4_973_046],
        'scales': [2, 2**16 + 1, 2**40],
        'repeats': 7,
    },
)

if __name__ == '__main__':
    BENCHMARK.main(__doc__)
