"""Tables whose labels are to be adapted, what is known of them, and fits."""

import numpy as np
from chunked import chunk_arrays
from sklearn.metrics import roc_auc_score

from sdv_threea.adapt.design import scorecard, weigh_evidence
from sdv_threea.adapt.features import plan_interplay
from sdv_threea.adapt.labels import FEATURE_ENTRIES, adapt_labels
from sdv_threea.adapt.link_functions import Draws
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.constants import AdaptConstants
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.rows.records import Encoded

NUM_CODES = 5


def make_task(num_rows=20_000, seed=0):
    """A table whose columns repeat each other: evidence counts for less than it says."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(num_rows) < 0.3).astype(np.int64)
    one = np.clip(rng.normal(2 + labels, 1), 0, 4).round().astype(np.int64)
    codes = np.stack(
        [one, np.where(rng.random(num_rows) < 0.8, one, 2), rng.integers(0, 3, num_rows)]
    )
    return Encoded(codes.T, labels)


def make_xor(num_rows=20_000, seed=0):
    """A table of which no column says anything, and two together all."""
    rng = np.random.default_rng(seed)
    codes = rng.choice([0, 1, 3, 4], (num_rows, 3))
    return Encoded(codes, ((codes[:, 0] > 2) ^ (codes[:, 1] > 2)).astype(np.int64))


def weigh(records):
    totals = np.bincount(records.labels).astype(np.float64)
    tables = []
    for column in records.codes.T:
        counts = [np.bincount(column[records.labels == at], minlength=NUM_CODES) for at in (0, 1)]
        tables.append(np.stack(counts) / totals[:, None])
    return weigh_evidence(tables, totals, AdaptConstants().sure_odds)


def score(records):
    """The normal scores of codes among all classes."""
    tables = [np.bincount(column, minlength=NUM_CODES) for column in records.codes.T]
    chances = [table[None] / len(records.codes) for table in tables]
    return normal_scores(chances, [np.arange(NUM_CODES)] * len(tables), 1)


def draw_independent(records, rng, size=4000):
    """Draw columns independently in each class: the evidence looks better than it is."""
    labels = rng.integers(0, 2, size)
    codes = np.empty((size, records.codes.shape[1]), dtype=np.int64)
    for label in (0, 1):
        own, theirs = np.flatnonzero(labels == label), records.codes[records.labels == label]
        for at, column in enumerate(theirs.T):
            codes[own, at] = rng.choice(column, len(own))
    weights = np.bincount(records.labels) / np.bincount(labels)
    return Draws(codes, labels, weights[labels])


def plan(records, draws, mu, constants, kernel=None):
    squares = np.square(scorecard(weigh(records)).matrix(draws.codes)).sum(axis=2).T
    known = mu * draws.weights.sum() / 2, constants.label_features, FEATURE_ENTRIES, constants
    return plan_interplay(draws, score(records), kernel, squares, *known)


def fit(
    records,
    mu,
    *,
    together=False,
    kernel=None,
    private=None,
    noise=discrete_gaussian,
    neighbors='add_remove',
    **constants,
):
    """Fit to private rows, with all that was released before made of ``records``."""
    together = {} if together else {'most_features': 0}
    draws, chosen = (
        draw_independent(records, np.random.default_rng(0)),
        AdaptConstants(**together | constants),
    )
    rows = chunk_arrays(records if private is None else private, chunk_rows=3000)
    known = weigh(records), draws, score(records), kernel, chosen
    return adapt_labels(rows, *known, mu=mu, neighbors=neighbors, noise=noise)


def measure_auc(model, records):
    return roc_auc_score(records.labels, model.log_odds(records.codes)[:, 1])
