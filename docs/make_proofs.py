"""Write the tables of ``docs/lab/proofs.md``: all that stands between its markers.

    python docs/make_proofs.py

The text around them is written by hand, and ``tests/proofs`` tries to break it.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from make_privacy import DELTA, EPSILONS, PAGE, fill, write_table
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri, ndtri_exp

from sdv_threea.accounting import epsilon_from_mu, mu_from_epsilon
from sdv_threea.accounting.sensitivities import RECORD_UNITS
from sdv_threea.settings import THRESHOLD_SHARE
from sdv_threea.statistics.describe import QUESTIONS

PROOFS = Path(__file__).parent / 'lab' / 'proofs.md'

SCALES = (2, 8, 64, 512)
GROUPS = (1, 2, 5, 10, 20, 50, 100)

#: How far out the tails are added up, and looked at, in scales of the noise.
FARTHEST, FAR = 36.0, 30.0


def find_cost(scale: float) -> float:
    """Find the smallest ``mu`` of the discrete Gaussian for a shift of one step.

    By lemma 1 that is the largest step of the normal score of its distribution function. It is
    symmetric, so the left half will do: there small numbers are added up before large ones.

    Args:
        scale: The noise scale in steps of the lattice.

    Returns:
        The price, right to some digits of ``1 / scale^3``, up to scales of some hundreds.
    """
    points = np.arange(-math.floor(FARTHEST * scale), 1)
    weights = np.exp(-((points / scale) ** 2) / 2)
    sums = np.cumsum(weights)
    scores = ndtri_exp(np.log(sums / (2 * sums[-1] - 1)))
    return float(np.diff(scores)[points[1:] > -FAR * scale].max())


def find_epsilon(rho: float, delta: float) -> float:
    """Convert ``rho``-zCDP to the ``epsilon`` that belongs to ``delta``.

    Canonne, Kamath and Steinke 2020, Corollary 13: right for any order above one, and least at the
    one that is looked for.

    Args:
        rho: The parameter of zCDP.
        delta: In (0, 1).

    Returns:
        ``epsilon``.
    """

    def claim(log_excess: float) -> float:
        excess = math.exp(log_excess)
        order = 1 + excess
        rest = math.log(delta) + math.log(order) - excess * math.log1p(-1 / order)
        return order * rho - rest / excess

    return float(minimize_scalar(claim, bounds=(-8, 14), method='bounded').fun)


def find_failure(size: int, max_new_keys: int, shift: float, delta: float) -> float:
    """Bound the chance that a threshold fails a group, by lemma 4.

    Args:
        size: Number of units in the group.
        max_new_keys: How many keys one unit can bring.
        shift: By how much one unit lifts a count, in standard deviations of the noise.
        delta: The chance for one unit.

    Returns:
        The bound; it may be above one.
    """
    lifts = np.arange(1, size + 1)
    bars = -ndtri(delta / max_new_keys) - (lifts - 1) * shift
    chances = np.where(bars >= 0, ndtr(-bars), 1.0)
    return float(max_new_keys * (size / lifts * chances).max())


def read_thresholds() -> list[tuple[int, float]]:
    """Read the thresholds off the statement of the page on privacy: columns, and noise.

    The noise is in units of what a record adds to a count at most.
    """
    line = r'^  describe +\S+ +(\S+) +(\S+) +(\S+)  (.*)$'
    found: list[tuple[int, float]] = []
    for delta, moved, noise, released in re.findall(line, PAGE.read_text('utf-8'), re.M):
        if released == QUESTIONS['rarer'].title:  # of the columns of the line before
            found.append((found[-1][0], float(noise) / RECORD_UNITS))
        elif delta != '0':
            found.append((round(float(moved) ** 2), float(noise)))
    return found


def write_noise() -> str:
    """Write what the discrete Gaussian costs exactly, beside what the lemma says."""
    rows = []
    for scale in SCALES:
        excess = scale * find_cost(scale) - 1
        bound = scale / (scale - 0.25) - 1
        rows.append(
            [
                f'{scale}',
                f'{excess:.2g}',
                f'{excess * scale**2:.4f}',
                f'{bound:.2g}',
                f'{1 / scale:.2g}',
            ]
        )
    header = ['scale s', 'exact: s μ − 1', 'times s²', 'lemma: s μ − 1', 'one step more: 1/s']
    return write_table(header, rows)


def write_concentrated() -> str:
    """Write what a fit would promise by zCDP alone."""
    rows = []
    for epsilon in EPSILONS:
        mu = mu_from_epsilon(epsilon, DELTA * (1 - THRESHOLD_SHARE))
        weaker = find_epsilon(mu**2 / 2, DELTA * (1 - THRESHOLD_SHARE))
        rows.append([f'{epsilon:g}', f'{mu:.3f}', f'{mu**2 / 2:.4f}', f'{weaker:.3f}'])
    return write_table(['ε by lemma 1', 'μ', 'ρ = μ²/2', 'ε by zCDP'], rows)


def write_groups() -> str:
    """Write what the fit of the page on privacy promises groups of rows."""
    mu, rows = mu_from_epsilon(1.0, DELTA * (1 - THRESHOLD_SHARE)), []
    thresholds = read_thresholds()
    part = DELTA * THRESHOLD_SHARE
    for size in GROUPS:
        failure = math.fsum(
            find_failure(size, columns, 1 / noise, part / len(thresholds))
            for columns, noise in thresholds
        )
        epsilon = epsilon_from_mu(size * mu, DELTA * (1 - THRESHOLD_SHARE))
        rows.append(
            [
                f'{size}',
                f'{size * mu:.2f}',
                f'{epsilon:.2f}',
                f'{size * part:.1e}',
                f'{failure:.1e}',
            ]
        )
    header = ['rows k', 'μ', 'ε at 9e-7', 'k times the δ of one row', 'δ of the thresholds']
    return write_table(header, rows)


def list_parts() -> dict[str, str]:
    """The parts of the page."""
    return {
        'noise': write_noise(),
        'concentrated': write_concentrated(),
        'groups': write_groups(),
    }


if __name__ == '__main__':
    PROOFS.write_text(fill(PROOFS.read_text('utf-8'), list_parts()), encoding='utf-8')
