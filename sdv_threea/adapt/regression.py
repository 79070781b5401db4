"""Adapt a number: what a numerical target follows from, fitted to its squared loss.

The released density expects ``f`` of the normal score ``t`` of a record's number. What that misses
is fitted here: ``g = f + sum_k w_k[bin_k]``, one weight for each bin of each column and, where the
budget carries them, of pairs of columns. So ``g`` is an additive and pairwise model beside ``f``.
With ``x`` the vector of zeros and ones that says in which bins a record is::

    L(w) = sum_i (t_i - g_i)^2 / (2 s^2)       the loss
    sum_i (t_i - g_i) x_i                      its slope downhill, times s^2

The slope is a sum of residuals, bin by bin (:func:`~sdv_threea.adapt.terms.sum_residuals`). It is
released with noise, and moves the weights as far as it can be believed
(:mod:`~sdv_threea.adapt.belief`). Weights of neighbouring bins are expected to be alike. How large
they are expected to be is what makes the first slope likeliest. Pairs are looked at once, all
together; those whose slopes are clearly likelier with weights than without are kept. The last look
is at all of them again, or at features of a kernel (:mod:`~sdv_threea.adapt.ridge`), whichever
promises more. What a look at terms promises is known before it is taken. If neither columns nor
pairs show anything, columns are looked at again, with all that is left, and both looks are pooled;
if that shows nothing either, the density is left as it is. All else that a step needs is read off
draws, which costs nothing: the curvature, and the residuals' standard deviation ``s``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, solve_triangular
from scipy.sparse import csr_array

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.belief import TINY, Slopes, Update, pool, update
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.model import Interplay
from sdv_threea.adapt.numbers import Expectation
from sdv_threea.adapt.ridge import fit_ridge
from sdv_threea.adapt.terms import (
    Residuals,
    Term,
    make_terms,
    residual_sensitivity,
    sum_residuals,
)
from sdv_threea.adapt.trees import NUMBER_UNITS
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.sums import Statistic, release, take

#: No weight is larger, in standard deviations of a normal score.
LARGEST_WEIGHT = 2**4

Bins = Sequence[NDArray[np.int64]]


def count_for_noise(num_records: float, num_terms: int, mu: float) -> float:
    """Return how many records there are for each unit of the noise of a sum of residuals.

    Residuals count in units of the number that they are cut to.

    Args:
        num_records: Number of records.
        num_terms: Number of terms whose bins are summed.
        mu: The price of the sums, in GDP.
    """
    return num_records * mu / math.sqrt(max(num_terms, 1))


def carries_number(
    num_records: float, num_columns: int, mu: float, constants: AdaptConstants
) -> bool:
    """Return whether a number is adapted: noise must not drown what single columns tell of it.

    Args:
        num_records: Number of records.
        num_columns: Number of columns, the target among them.
        mu: The price of the number, in GDP.
        constants: The constants of the room.
    """
    return count_for_noise(num_records, num_columns - 1, mu) >= constants.least_records


def adapt_number(  # noqa: PLR0913 (the private rows, the start, the constants and the price)
    rows: Rows[Encoded],
    start: Expectation,
    draws: Draws,
    single: Bins,
    coarse: Bins,
    ordered: Sequence[bool],
    interplay: Interplay | None,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Expectation | None, tuple[Receipt, ...]]:
    """Fit what is expected of the number to the loss over the private rows.

    Formal guarantees:
        * the rows are read two or three times, by
          :func:`~sdv_threea.adapt.terms.sum_residuals`, whose sums move by at most
          :func:`~sdv_threea.adapt.terms.residual_sensitivity`, or in place of the last time by
          :func:`~sdv_threea.adapt.ridge.fit_ridge`; before that each of them is mapped by itself,
          to its codes and its residual
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; the terms and the values of a step are functions of the releases
          before it

    Args:
        rows: Private records.
        start: What the density expects.
        draws: Records drawn from what is released.
        single: For each column, the bin of each code, shape (S,); -1 for none.
        coarse: The same for pairs of columns.
        ordered: For each column, whether the order of its codes means something.
        interplay: Features of the kernel, of any weights, or ``None``.
        constants: How far to step.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        What is expected, or ``None`` if nothing is known beside the density; and the receipts.
    """
    columns = [at for at in range(len(single)) if at != start.target]
    singles = make_terms(single, [(at,) for at in columns])
    reach = constants.single_reach
    alike = block_diag(*(_likeness(single[at], ordered[at], reach) for at in columns))
    fit = NumberFit(start, draws, constants)
    fit.add(singles)
    left = rows.map(partial(_start, start)).keep()
    terms: dict[str, Any] = {'neighbors': neighbors, 'noise': noise}
    pairs = make_terms(coarse, list(combinations(columns, 2)))
    price = mu * math.sqrt(constants.pair_share)
    carried = count_for_noise(draws.weights.sum(), len(singles) + len(pairs), price)
    pairs = pairs if carried >= constants.pair_records else ()
    share = constants.single_share if pairs else 0.5
    slopes, receipt = _release(left, fit, singles, mu=mu * math.sqrt(share), **terms)
    looks, receipts, told = [slopes], [receipt], fit.begin(slopes, alike)
    if pairs:
        slopes, receipt = _release(left, fit, (*singles, *pairs), mu=price, **terms)
        looks.append(Slopes(slopes.sums[: len(alike)], slopes.scale))
        receipts.append(receipt)
        told = fit.add_pairs(pairs, slopes, coarse, ordered) or told
        share += constants.pair_share
    last = mu * math.sqrt(max(1 - share, 0.0))
    if interplay is not None and fit.promise(last, neighbors) < constants.ridge_worth:
        found = fit.expectation()
        known = found, interplay, fit.draws, fit.deviation, constants
        weighed, both = fit_ridge(rows, *known, mu=last, **terms)
        receipts.extend(both)
        return replace(found, interplay=weighed) if told or weighed else None, tuple(receipts)
    slopes, receipt = _release(left, fit, fit.terms, mu=last, **terms)
    receipts.append(receipt)
    if told:
        fit.step(slopes)
    else:  # no weight has moved, so all looks were at the same sums
        told = fit.begin(pool([*looks, slopes]), alike)
    return fit.expectation() if told else None, tuple(receipts)


def _release(
    rows: Rows[Residuals],
    fit: NumberFit,
    summed: tuple[Term, ...],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Slopes, Receipt]:
    """Release the sums of residuals, and return them and the receipt."""
    now = fit.expectation()
    largest = fit.largest()
    statistic = Statistic(
        'adapt',
        f'sums of residuals of the target in the bins of {len(summed)} terms',
        partial(sum_residuals, summed, now.terms, now.values, largest),
        residual_sensitivity(largest, len(summed), neighbors),
        resolution=1 / NUMBER_UNITS,
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    return Slopes(sums, receipt.noise_scale), receipt


def _start(start: Expectation, chunk: Encoded) -> Residuals:
    """Map private records to what the density leaves of their numbers; those without are out."""
    codes = chunk.codes[chunk.codes[:, start.target] > 0]
    return Residuals(codes, start.start(codes))


class NumberFit:
    """Steps of a Kalman filter: all but slopes is read off draws, and so free of cost.

    Weights and slopes are in units of the residuals' standard deviation ``s``.

    Attributes:
        terms: The terms so far.
        draws: The records that are read, those that have a number.
        deviation: The standard deviation ``s`` of residuals.
    """

    def __init__(self, start: Expectation, draws: Draws, constants: AdaptConstants) -> None:
        self.terms: tuple[Term, ...] = ()
        self._start, self._constants = start, constants
        has_number = draws.codes[:, start.target] > 0
        self.draws = Draws(
            draws.codes[has_number], draws.labels[has_number], draws.weights[has_number]
        )
        self._codes, self._records = self.draws.codes, self.draws.weights
        squares = np.square(start.start(self._codes) / NUMBER_UNITS)
        found = math.sqrt(float(np.average(squares, weights=self._records)))
        self.deviation = max(found, constants.least_deviation)
        self._weights = np.zeros(0)
        self._covariance = np.zeros((0, 0))
        self._curvature = np.zeros((0, 0))

    def add(self, terms: tuple[Term, ...], covariances: Sequence[NDArray[np.float64]] = ()) -> None:
        """Add terms, and the covariances that are expected of their weights: by default none."""
        self.terms = (*self.terms, *terms)
        covariances = covariances or [np.zeros((term.size, term.size)) for term in terms]
        self._covariance = block_diag(self._covariance, *covariances)
        self._weights = np.pad(self._weights, (0, len(self._covariance) - len(self._weights)))
        starts = np.cumsum([0, *(term.size for term in self.terms)])
        places = np.stack([term(self._codes) for term in self.terms], axis=1)
        rows, at = np.nonzero(places >= 0)
        inputs = csr_array(
            (np.ones(len(rows)), (rows, (places + starts[:-1])[rows, at])),
            shape=(len(places), starts[-1]),
        )
        weighted = inputs.multiply(self._records[:, None]).tocsr()
        self._curvature = (inputs.T @ weighted).toarray()

    def largest(self) -> int:
        """Return what residuals are cut to."""
        return math.ceil(self._constants.largest_residual * self.deviation * NUMBER_UNITS)

    def begin(self, slopes: Slopes, alike: NDArray[np.float64]) -> bool:
        """Take the first step, with the likeliest size of the weights, if not none is likeliest.

        Args:
            slopes: Of the terms so far.
            alike: The covariance of their weights, but for the size.
        """
        known = self._curvature, *slopes.over(self.deviation)
        best, most = None, self._constants.term_doubt
        nothing = update(*known, 0.0 * alike).log_likelihood
        for spread in self._constants.term_spreads:
            found = update(*known, spread**2 * alike)
            if found.log_likelihood - nothing > most:
                best, most = found, found.log_likelihood - nothing
        if best is not None:
            self._take(best)
        return best is not None

    def promise(self, mu: float, neighbors: str) -> float:
        """Return how much less another look leaves open, as a share of the residuals' variance.

        What is known of the weights has the covariance ``V``, so ``tr(H V)`` of the squared
        residuals come of what is not known of them. The covariance after a look does not depend on
        what it shows.

        Args:
            mu: The price of the look.
            neighbors: The neighbour relation.
        """
        largest = self.largest() / NUMBER_UNITS
        scale = residual_sensitivity(largest, len(self.terms), neighbors) / mu / self.deviation
        nothing = np.zeros(len(self._weights))
        after = update(self._curvature, nothing, scale, self._covariance).covariance
        less = np.vdot(self._curvature, self._covariance - after)
        return float(less / self._records.sum())

    def step(self, slopes: Slopes) -> None:
        """Take a step."""
        known = self._curvature, *slopes.over(self.deviation)
        self._take(update(*known, self._covariance))

    def add_pairs(
        self,
        pairs: tuple[Term, ...],
        slopes: Slopes,
        bins: Bins,
        ordered: Sequence[bool],
    ) -> bool:
        """Keep the pairs whose slopes are clearly likelier with weights, and take a step.

        Returns:
            Whether there are any.
        """
        first = len(self._weights)
        sums, scale = slopes
        ends = np.cumsum([first, *(term.size for term in pairs)])
        parts = [sums[start:end] for start, end in zip(ends, ends[1:], strict=False)]
        reach = self._constants.pair_reach
        single = [_likeness(*each, reach) for each in zip(bins, ordered, strict=True)]
        alike = [np.asarray(np.kron(*(single[at] for at in term.columns))) for term in pairs]
        judged = [
            self._judge(term, part, scale, each)
            for term, part, each in zip(pairs, parts, alike, strict=True)
        ]
        kept, width = [], first
        for at in np.argsort([-gain for gain, _ in judged], kind='stable'):
            fits = width + pairs[at].size <= self._constants.most_weights
            if judged[at][0] > self._constants.pair_doubt and fits:
                kept.append(at)
                width += pairs[at].size
        if kept:
            chosen = tuple(pairs[at] for at in kept)
            self.add(chosen, [judged[at][1] ** 2 * alike[at] for at in kept])
        self.step(Slopes(np.concatenate([sums[:first], *(parts[at] for at in kept)]), scale))
        return bool(kept)

    def expectation(self) -> Expectation:
        """Return what is expected so far, in whole numbers."""
        weights = np.clip(self._weights * self.deviation, -LARGEST_WEIGHT, LARGEST_WEIGHT)
        whole = np.rint(weights * NUMBER_UNITS).astype(np.int64)
        ends = np.cumsum([term.size for term in self.terms])[:-1]
        return replace(self._start, terms=self.terms, values=tuple(np.split(whole, ends)))

    def _judge(
        self, term: Term, slopes: NDArray[np.float64], scale: float, alike: NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return by how much slopes are likelier with weights, in logarithms, and their spread."""
        places = term(self._codes)
        records = np.bincount(places + 1, self._records, term.size + 1)[1:]
        slopes, scale = slopes / self.deviation, scale / self.deviation
        # The curvature of one term is diagonal. In units of noise and sampling, slopes vary by one,
        # and by the spread squared times `more` if there are weights.
        roots = np.sqrt(records + scale**2 + TINY)
        shown = records / roots
        more, white = alike * np.outer(shown, shown), slopes / roots
        gains = []
        for spread in self._constants.term_spreads:
            root = np.linalg.cholesky(np.eye(term.size) + spread**2 * more)
            told = (
                np.square(white).sum() - np.square(solve_triangular(root, white, lower=True)).sum()
            )
            gains.append(float(told) / 2 - float(np.log(np.diag(root)).sum()))
        best = int(np.argmax(gains))
        return gains[best], self._constants.term_spreads[best]

    def _take(self, found: Update) -> None:
        self._weights = self._weights + found.way
        self._covariance = found.covariance


def _likeness(bins: NDArray[np.int64], is_ordered: bool, reach: float) -> NDArray[np.float64]:
    """Return how alike the weights of a column's bins are expected to be: a covariance, (G, G)."""
    size = int(bins.max(initial=-1)) + 1
    if not is_ordered:
        return np.eye(size)
    places = np.arange(size)
    return np.asarray(np.exp(-np.abs(places[:, None] - places) / (reach * size)))
