r"""Estimate how far tables depart from expected counts: shrinkage with a normal prior over bins.

A departure, in records, has the prior

    D = N \otimes_k diag(sqrt(p_k / G_k)) F        F ~ N(0, a^2 \otimes_k K_k)

with ``N`` records and the shares ``p_k`` of the ``G_k`` bins of column ``k``. The margins of ``D``
are zero, because a departure is an interaction. If all bins of a column have the same share, a bin
departs by about ``a`` times its count under independence. The covariance ``K_k`` of the bins of a
column is unknown; the candidates are

* unrelated bins;
* similar neighbours, in an ordered column: an Ornstein-Uhlenbeck process, of two lengths;
* bins as similar as in all other tables of the column, after subtracting their noise.

The covariance is a Kronecker product. So in the eigenvectors of the covariances along its columns,
each coordinate of a table is shrunk by itself, and the log likelihood of ``a`` and all ``K_k`` is a
sum over coordinates (Saatci 2011, *Scalable Inference for Structured Gaussian Process Models*,
section 5). The frequencies of the candidates are fitted to all tables of one shape (empirical
Bayes; Efron and Morris 1973), and estimates average over the candidates. The whole module is
post-processing.
"""

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeVar

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.constants import SPREADS
from sdv_threea.joint.interactions import contrasts
from sdv_threea.joint.joint_constants import LIKENESS, OWN_PART
from sdv_threea.maths.mixtures import fit_frequencies
from sdv_threea.rows.contingency_tables import Columns

#: Rounds of expectation maximisation for the frequencies of the candidates.
ROUNDS = 19

#: Two or three columns.
Together = TypeVar('Together', bound=Columns)

Tables = Mapping[Together, Floats]


class Axis(NamedTuple):
    """The bins of a column: their shares, shape (G,), and whether their order means something."""

    shares: Floats
    ordered: bool


class Basis(NamedTuple):
    """Covariance of a column's contrasts: eigenvectors, shape (G - 1, G - 1), and eigenvalues."""

    directions: Floats
    variances: Floats


class Guesses(NamedTuple):
    """A table in the eigenvectors of the candidate covariances, ``K_k`` of them for column k.

    Args:
        turns: The eigenvectors along each column, in rows, shape (K_k (G_k - 1), G_k - 1).
        coordinates: Coordinates of the noisy departure, shape (K_1 (G_1 - 1), K_2 (G_2 - 1), ...).
        variances: Prior variances of the coordinates for a spread of one, of the same shape.
        apart: The shape with separate axes for candidates and eigenvectors: (K_1, G_1 - 1, ...).
    """

    turns: list[Floats]
    coordinates: Floats
    variances: Floats
    apart: tuple[int, ...]

    def laws(self, scale: float) -> tuple[Floats, Floats]:
        """Return variances by spread, shape (A, K_1, G_1 - 1, ...), without and with noise."""
        own = np.multiply.outer(np.square(SPREADS), self.variances.reshape(self.apart))
        return own, own + scale**2


def shrink_departures(
    departures: Tables[Together],
    scales: Mapping[Together, float],
    axes: Sequence[Axis],
    num_records: float,
) -> dict[Together, Floats]:
    """Return the posterior means of noisy departures; departures without noise are only centred.

    ``departures`` are in records, shape (G_1, G_2) or (G_1, G_2, G_3); their margins are ignored.
    ``scales`` are noise scales along any direction.
    """
    spans = [contrasts(len(axis.shares)) for axis in axes]
    found = {
        columns: _turn(table, [spans[at].T for at in columns])
        for columns, table in departures.items()
    }
    noisy = {columns: own for columns, own in found.items() if scales[columns] and own.size}
    bases = _list_bases(noisy, scales, axes)
    kinds: dict[tuple[int, ...], list[Together]] = {}
    for columns in noisy:
        kinds.setdefault(tuple(len(own) for own in bases[columns]), []).append(columns)
    for alike in kinds.values():
        guesses = [_guess(noisy[columns], bases[columns], num_records) for columns in alike]
        noise = [scales[columns] for columns in alike]
        chances = find_chances(np.stack(list(map(_log_likelihoods, guesses, noise))))
        found |= dict(zip(alike, map(_average, guesses, chances, noise), strict=True))
    return {columns: _turn(own, [spans[at] for at in columns]) for columns, own in found.items()}


def find_chances(logs: Floats) -> Floats:
    """Return posterior probabilities of the candidates, given log likelihoods, shape (T, ...)."""
    flat = logs.reshape(len(logs), -1)
    likelihoods = np.exp(flat - flat.max(axis=1, keepdims=True))
    chances = likelihoods * fit_frequencies(likelihoods, weight=1.0, rounds=ROUNDS)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.asarray(chances.reshape(logs.shape))


def _list_bases(
    noisy: Tables[Together], scales: Mapping[Together, float], axes: Sequence[Axis]
) -> dict[Together, list[list[Basis]]]:
    covariances = [_list_covariances(axis) for axis in axes]
    fixed = [[_decompose(each) for each in own] for own in covariances]
    seen = {
        columns: [_see_likeness(own / scales[columns], axis) for axis in range(own.ndim)]
        for columns, own in noisy.items()
    }
    together = [np.zeros_like(own[0]) for own in covariances]
    for columns, each in seen.items():
        for at, own in zip(columns, each, strict=True):
            together[at] += own
    return {
        columns: [
            [*fixed[at], _decompose(_learn(covariances[at][0], together[at] - own))]
            for at, own in zip(columns, each, strict=True)
        ]
        for columns, each in seen.items()
    }


def _list_covariances(axis: Axis) -> list[Floats]:
    """Return the candidate covariances that are known in advance; unrelated bins come first."""
    size = len(axis.shares)
    likeness = [np.eye(size)]
    if axis.ordered:
        apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
        likeness += [OWN_PART * np.eye(size) + (1 - OWN_PART) * each**apart for each in LIKENESS]
    left = contrasts(size) * np.sqrt(axis.shares / max(size, 1))[:, None]
    return [left.T @ each @ left for each in likeness]


def _see_likeness(own: Floats, axis: int) -> Floats:
    """Return products of coordinates along an axis, in units of noise, minus those of noise."""
    rows = np.moveaxis(own, axis, 0).reshape(own.shape[axis], -1)
    return np.asarray(rows @ rows.T - rows.shape[1] * np.eye(len(rows)))


def _learn(unlike: Floats, seen: Floats) -> Floats:
    """Return the covariance that other tables show, scaled to the trace of ``unlike``."""
    values, turn = np.linalg.eigh(seen)
    shown = np.maximum(values, 0.0)
    if not shown.sum() > 0:
        return unlike
    size = np.trace(unlike) / shown.sum()
    found = OWN_PART * unlike + (1 - OWN_PART) * size * (turn * shown) @ turn.T
    return np.asarray(found)


def _decompose(covariance: Floats) -> Basis:
    values, directions = np.linalg.eigh(covariance)
    return Basis(directions, np.maximum(values, 0.0))


def _guess(own: Floats, bases: Sequence[Sequence[Basis]], num_records: float) -> Guesses:
    turns = [np.concatenate([basis.directions.T for basis in guesses]) for guesses in bases]
    sizes = [np.concatenate([basis.variances for basis in guesses]) for guesses in bases]
    variances = num_records**2 * reduce(np.multiply.outer, sizes)
    apart = [size for each in zip(map(len, bases), own.shape, strict=True) for size in each]
    return Guesses(turns, _turn(own, turns), variances, tuple(apart))


def _log_likelihoods(guesses: Guesses, scale: float) -> Floats:
    """Return the log likelihood of each spread and candidate, up to a constant, (A, K_1, ...)."""
    _, laws = guesses.laws(scale)
    squares = np.square(guesses.coordinates.reshape(guesses.apart))
    return np.asarray(-0.5 * (squares / laws + np.log(laws)).sum(axis=_directions(guesses)))


def _average(guesses: Guesses, chances: Floats, scale: float) -> Floats:
    """Return the mean departure over all candidates, whose ``chances`` have shape (A, K_1, ...)."""
    own, laws = guesses.laws(scale)
    kept = (np.expand_dims(chances, _directions(guesses)) * own / laws).sum(axis=0)
    coordinates = guesses.coordinates * kept.reshape(guesses.coordinates.shape)
    return _turn(coordinates, [turn.T for turn in guesses.turns])


def _directions(guesses: Guesses) -> tuple[int, ...]:
    return tuple(range(2, len(guesses.apart) + 1, 2))


def _turn(table: Floats, matrices: Sequence[Floats]) -> Floats:
    for matrix in matrices:
        turned = matrix @ table.reshape(len(table), math.prod(table.shape[1:]))
        # The first axis moves to the end each time, so that all are back in place after the loop.
        table = np.moveaxis(turned.reshape(len(matrix), *table.shape[1:]), 0, -1)
    return table
