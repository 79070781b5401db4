"""What a draw of noise costs: ours, OpenDP's, and NumPy's normal, which is fast and not exact.

    python benchmarks/noise.py --draws 1 1000 1000000 --scales 2 65537

All draws are asked for in one call. OpenDP is an extra of the tests: ``pip install
'sdv-threea[test]'``. Microseconds are those of the processor, the least of a few calls, and every
line goes to ``benchmarks/results/noise.csv``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import opendp.prelude as opendp
from numpy.typing import NDArray
from rows import append

from sdv_threea.privacy.mechanism import FINEST_SCALE, discrete_gaussian

RESULTS = Path(__file__).parent / 'results' / 'noise.csv'
FIELDS = ['sampler', 'scale', 'draws', 'microseconds', 'ratio']

#: Calls are repeated until they have taken this long, so that short ones are measured too.
SECONDS = 0.5

#: What a release of the second moments of 618 columns in 26 classes draws.
LARGEST = 618 * 619 // 2 * 26


def draw_of_opendp(size: int, scale: float) -> NDArray[np.int64]:
    """Draw from OpenDP's discrete Gaussian, all in one call."""
    opendp.enable_features('contrib')
    space = opendp.vector_domain(opendp.atom_domain(T='i64')), opendp.l2_distance(T=float)
    draw = opendp.m.make_gaussian(*space, scale=float(scale))
    return np.array(draw([0] * size), dtype=np.int64)


def draw_of_numpy(size: int, scale: float) -> NDArray[np.float64]:
    """Draw from the normal distribution, as floats are."""
    return np.random.default_rng().normal(0.0, scale, size)


#: The samplers; ratios are to the first.
SAMPLERS: dict[str, Callable[[int, float], object]] = {
    'numpy, not exact': draw_of_numpy,
    'ours': discrete_gaussian,
    'OpenDP': draw_of_opendp,
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--draws', nargs='+', type=int, default=[1, 1000, 100_000, LARGEST])
    parser.add_argument('--scales', nargs='+', type=int, default=[2, FINEST_SCALE + 1, 2**40])
    parser.add_argument('--samplers', nargs='+', default=list(SAMPLERS), choices=list(SAMPLERS))
    return parser.parse_args()


def measure(draw: Callable[[], object], seconds: float = SECONDS) -> float:
    """The processor's seconds for a call: the least of several."""
    taken: list[float] = []
    while sum(taken) < seconds:
        start = time.process_time()
        draw()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Measure every sampler at every size and scale; print and write each line."""
    arguments = parse_arguments()
    for scale in arguments.scales:
        for draws in arguments.draws:
            least = None
            for name in arguments.samplers:
                cost = measure(partial(SAMPLERS[name], draws, scale)) / draws * 1e6
                least = least or cost
                row = {'sampler': name, 'scale': scale, 'draws': draws, 'microseconds': cost}
                append(RESULTS, FIELDS, row | {'ratio': cost / least})
                print(
                    f'{name:>16} at {scale:>13}, {draws:>8,} draws: {cost:8.3f} microseconds each, '
                    f'{cost / least:6.1f} times the first',
                    flush=True,
                )


if __name__ == '__main__':
    main()
