"""The private fit of a numerical target: corrections of the density's prediction by bins.

The density predicts ``f`` of the normal score ``t`` of a record's number. The fit is
``g = f + sum_k w_k[bin_k]``, with a weight per bin of columns and of pairs. With indicators ``x``
of bins::

    L(w) = sum_i (t_i - g_i)^2 / (2 s^2)       the loss
    sum_i (t_i - g_i) x_i                      its slope downhill, times s^2

Slopes are noisy sums of residuals; each moves the weights by its posterior, whose prior correlates
neighbouring bins. The first release is of columns, the second also of pairs, if the budget supports
them; significant pairs stay. The last is of all terms, or of kernel features
(:mod:`~sdv_threea.adapt.ridge`) if these promise more. Curvatures and the deviation ``s`` of
residuals come from draws.
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
from scipy.linalg import block_diag
from scipy.sparse import csr_array

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.belief import Slopes, Update, choose_spread, log_likelihoods, update
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.fit import Draws
from sdv_threea.adapt.model import Interplay
from sdv_threea.adapt.numbers import Expectation
from sdv_threea.adapt.ridge import fit_ridge
from sdv_threea.adapt.terms import (
    Residuals,
    Term,
    make_terms,
    sum_residuals,
)
from sdv_threea.adapt.trees import NUMBER_UNITS
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded
from sdv_threea.rows.sums import take
from sdv_threea.statistics import registry
from sdv_threea.statistics.sensitivities import residuals

#: Largest weight, in standard deviations of a normal score.
LARGEST_WEIGHT = 2**4

Bins = Sequence[NDArray[np.int64]]


def count_for_noise(num_records: float, num_terms: int, mu: float) -> float:
    """Return the records per unit of noise in sums of residuals that are cut to one."""
    return num_records * mu / math.sqrt(max(num_terms, 1))


def carries_number(
    num_records: float, num_columns: int, mu: float, constants: AdaptConstants
) -> bool:
    """Return whether the counts exceed the noise enough for terms of single columns."""
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
    """Fit the prediction of the number to the private rows; return it and all receipts.

    The prediction is ``None`` if nothing is significant. ``single`` and ``coarse`` are the bin of
    each code, (S,), per column, for terms of columns and of pairs; -1 for none.

    Formal guarantees:
        * the rows are read two or three times, by :func:`~sdv_threea.adapt.terms.sum_residuals`,
          whose sums move by at most :func:`~sdv_threea.statistics.sensitivities.residuals`, or in
          place of the last time by :func:`~sdv_threea.adapt.ridge.fit_ridge`; before that each of
          them is mapped by itself, to its codes and its residual
        * the prices of these releases are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; the terms and the values of a step are functions of the releases before
          it
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
    seen, receipts, told = slopes, [receipt], fit.begin(slopes, alike)
    if pairs:
        slopes, receipt = _release(left, fit, (*singles, *pairs), mu=price, **terms)
        seen = seen.average(Slopes(slopes.sums[: len(alike)], slopes.scale))
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
    else:  # no weight has moved, so all releases were of the same sums
        told = fit.begin(seen.average(slopes), alike)
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
    """Release the sums of residuals; return them and the receipt."""
    now = fit.expectation()
    largest = fit.largest()
    statistic = registry.RESIDUALS.state(
        partial(sum_residuals, summed, now.terms, now.values, largest),
        neighbors=neighbors,
        resolution=1 / NUMBER_UNITS,
        terms=len(summed),
        largest=largest,
    )
    sums, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    return Slopes(sums, receipt.noise_scale), receipt


def _start(start: Expectation, chunk: Encoded) -> Residuals:
    """Return the residuals of private records that have a number."""
    codes = chunk.codes[chunk.codes[:, start.target] > 0]
    return Residuals(codes, start.start(codes))


class NumberFit:
    """Kalman filter steps in units of ``deviation``, the residuals' standard deviation."""

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
        """Add terms with zero weights and these prior covariances, by default zero."""
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
        """Return the limit to which residuals are cut."""
        return math.ceil(self._constants.largest_residual * self.deviation * NUMBER_UNITS)

    def begin(self, slopes: Slopes, alike: NDArray[np.float64]) -> bool:
        """Take a step with the prior ``alike`` at its likeliest scale; return False if zero."""
        known = self._curvature, *slopes.over(self.deviation)
        spread, gain = self._choose_spread(*known, alike)
        if gain > self._constants.term_doubt:
            self._take(update(*known, spread**2 * alike))
        return gain > self._constants.term_doubt

    def _choose_spread(
        self,
        curvature: NDArray[np.float64],
        slopes: NDArray[np.float64],
        scale: float,
        alike: NDArray[np.float64],
    ) -> tuple[float, float]:
        """Return the likeliest spread of weights with the covariance ``alike``, and its gain."""
        spreads = 0.0, *self._constants.term_spreads
        nothing, more = np.zeros_like(alike), np.asarray(np.linalg.cholesky(alike))
        likely = log_likelihoods(curvature, slopes, scale, nothing, more, spreads)
        return choose_spread(likely, spreads)

    def promise(self, mu: float, neighbors: str) -> float:
        """Return the fraction of residual variance that another release is expected to remove."""
        largest = self.largest() / NUMBER_UNITS
        moved = residuals(largest=largest, terms=len(self.terms), neighbors=neighbors)
        scale = moved / mu / self.deviation
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
        """Add the significant pairs, and take a step; return True if a pair was kept."""
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
        for at in np.argsort([-gain for _, gain in judged], kind='stable'):
            fits = width + pairs[at].size <= self._constants.most_weights
            if judged[at][1] > self._constants.pair_doubt and fits:
                kept.append(at)
                width += pairs[at].size
        if kept:
            chosen = tuple(pairs[at] for at in kept)
            self.add(chosen, [judged[at][0] ** 2 * alike[at] for at in kept])
        self.step(Slopes(np.concatenate([sums[:first], *(parts[at] for at in kept)]), scale))
        return bool(kept)

    def expectation(self) -> Expectation:
        """Return the prediction so far, in whole numbers."""
        weights = np.clip(self._weights * self.deviation, -LARGEST_WEIGHT, LARGEST_WEIGHT)
        whole = np.rint(weights * NUMBER_UNITS).astype(np.int64)
        ends = np.cumsum([term.size for term in self.terms])[:-1]
        return replace(self._start, terms=self.terms, values=tuple(np.split(whole, ends)))

    def _judge(
        self, term: Term, slopes: NDArray[np.float64], scale: float, alike: NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return the likeliest spread of a term's weights, and the gain of log likelihood."""
        places = term(self._codes)
        records = np.bincount(places + 1, self._records, term.size + 1)[1:]
        known = *Slopes(slopes, scale).over(self.deviation), alike
        return self._choose_spread(np.diag(records), *known)

    def _take(self, found: Update) -> None:
        self._weights = self._weights + found.way
        self._covariance = found.covariance


def _likeness(bins: NDArray[np.int64], is_ordered: bool, reach: float) -> NDArray[np.float64]:
    """Return the prior covariance of the weights of a column's bins, up to a factor, (G, G)."""
    size = int(bins.max(initial=-1)) + 1
    if not is_ordered:
        return np.eye(size)
    places = np.arange(size)
    return np.asarray(np.exp(-np.abs(places[:, None] - places) / (reach * size)))
