"""Normal scores of private records, and their moments."""

import numpy as np
from numpy.typing import NDArray

from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.records import Encoded, Grouped
from sdv_threea.rows.statistics import second_moments

#: For each column, the score of each code by class in score units, shape (C, S).
Scores = tuple[NDArray[np.int64], ...]


def look_up_scores(
    scores: Scores, codes: NDArray[np.integer], classes: NDArray[np.integer]
) -> NDArray[np.int16]:
    """Return the scores of records in score units, (n, m); code -1 has score zero, the mean.

    Formal guarantees: the scores of a record are a function of its codes and its class.
    """
    found = np.empty(codes.shape, dtype=np.int16)
    for at, table in enumerate(scores):
        # Code -1 has the first entry, a score of zero.
        padded = np.pad(table, ((0, 0), (1, 0))).astype(np.int16)
        places = codes[:, at].astype(np.intp) + 1
        if len(table) > 1:
            places += classes.astype(np.intp) * padded.shape[1]
        found[:, at] = padded.ravel()[places]
    return found


def score_in_class(scores: Scores, chunk: Encoded) -> Grouped:
    """Return the scores of records within their class."""
    return Grouped(look_up_scores(scores, *chunk), chunk.labels)


def score_pooled(pooled: Scores, chunk: Encoded) -> Grouped:
    """Return the scores of records over all classes."""
    alike = np.zeros_like(chunk.labels)
    return Grouped(look_up_scores(pooled, chunk.codes, alike), chunk.labels)


def lead(scores: NDArray[np.integer], weight: int) -> NDArray[np.int32]:
    """Return vectors ``(w, s)``, shape (n, m + 1), from scores, shape (n, m)."""
    vectors = np.empty((len(scores), scores.shape[1] + 1), dtype=np.int32)
    vectors[:, 0], vectors[:, 1:] = weight, scores
    return vectors


def sum_moments(num_groups: int, radius: int, weight: int, chunk: Grouped) -> NDArray[np.int64]:
    """Return the second moments of the vectors of records, clipped to the radius, by group."""
    vectors = lead(clip_norm(chunk.scores, radius), weight)
    return second_moments(vectors, chunk.groups, num_groups)
