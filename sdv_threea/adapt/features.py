"""Features of a kernel: a few numbers of a record that depend on several columns at once.

These are Nystroem features (Williams and Seeger 2001) of a record's scores ``x``, shape (m,), with
landmarks ``Z``, shape (P, m): ``phi(x) = (k(x, Z) - (1, x) B) A``, shape (r,). ``B``, (1 + m, P),
is the least-squares fit of kernel values by scores over the draws; evidence already covers this
linear part. ``A``, (P, r), projects the remainder to its leading directions in the kernel's feature
space, with covariance ``I`` over the draws. Vectors longer than ``radius`` are shortened.

Float sums depend on the order of terms, so sums for private rows are of whole numbers below
``2**53``, times a power of two: exact. All else is elementwise, on arrays of one fixed shape.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.design import INPUT_UNITS, Codes
from sdv_threea.adapt.link_functions import Draws
from sdv_threea.adapt.ntk import Kernel, Reals, make_kernel
from sdv_threea.approximate.moments import SCORE_UNITS, ScoreMoments
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Floats
from sdv_threea.constants import AdaptConstants
from sdv_threea.rows.clipping import EXACT_FLOAT, clip_norm

#: Directions below this share of the largest contain only rounding errors.
SPECTRUM_FLOOR = 1e-6

#: Scores are cut to this many units, far outside a normal's.
LARGEST_SCORE = 2**15

#: Rows per tile, few enough for the cache.
TILE_ROWS = 512

#: Bits of a kernel value: those of a float32, the precision of the default kernel.
KERNEL_BITS = 24

#: Kernel values below ``2 ** SMALLEST_EXPONENT`` count as zero.
SMALLEST_EXPONENT = -100

#: Largest norm of a feature vector in units of ``1 / INPUT_UNITS``: bounds all whole numbers in
#: sums of slopes.
LARGEST_RADIUS = 2**18

#: Largest number of features per point: more would over-fit the points.
MOST_PER_POINT = 1 / 8

#: Largest number of entries of the features of all rows (with more than the fewest features), and
#: of the features of draws per predictor: bounds of time and memory.
MOST_FEATURE_ENTRIES, DRAWN_ENTRIES = 2**25, 2**26

#: The approximate number of rows that get features: more would take time without gain.
MOST_FEATURED = 2**18

#: Landmarks, unless there are more features. Twice as many gained nothing.
NUM_LANDMARKS = 128

#: Fewer features than this are not worth their budget. The second number is the most features of a
#: large table, to save time.
LEAST_FEATURES, FEWEST_MOST = 8, 128

#: Above this ``mu n`` the limit of entries grows with the cube root of ``mu n``, by at most the
#: second number; the limit of features grows with the cube root of that factor. 8 took three times
#: as long as 3 in throw-away fits, for no gain.
MUCH_KNOWN, MOST_PATIENCE = 2e4, 3.0

#: Smallest factor on the variance of draws, and the relative increment of their second moments.
TINY = 1e-6


@dataclass(frozen=True, kw_only=True)
class KernelFeatures:
    """The feature map ``phi`` of a kernel. The map can be pickled if the kernel can.

    Args:
        landmarks: Public points ``Z``, whole multiples of a score unit, shape (P, m).
        projection: ``A`` stacked on ``-B A``, (P + 1 + m, r). The vector ``(k(x, Z), 1, x)`` is
            multiplied with it.
        radius: Largest norm of features, in units of ``1 / INPUT_UNITS``.
    """

    kernel: Kernel
    landmarks: Floats
    projection: Floats
    radius: int

    @property
    def rank(self) -> int:
        """Number of features, ``r``."""
        return int(self.projection.shape[1])


@dataclass(frozen=True)
class Interplay:
    """Released joint effect of columns: ``weights``, (C, r), or (1, r) for a numerical target."""

    scores: NormalScores
    features: KernelFeatures
    weights: Floats

    def __call__(self, codes: Codes) -> Floats:
        """Return the joint effect for records of codes, shape (n, m) to (n, C)."""
        return self.of_draws(codes) @ self.weights.T

    def of_draws(self, codes: Codes) -> Floats:
        """Return the features of draws, (n, m) to (n, r)."""
        return self.see(codes) / INPUT_UNITS

    def see(self, codes: Codes) -> Codes:
        """Return the whole-number features of records, (n, m) to (n, r), computed row by row."""
        scores = self.scores(codes, np.zeros(len(codes), dtype=np.int64))
        return whole_features(scores, self.features)


def plan_interplay(  # noqa: PLR0913 (draws, how they are seen, and the price)
    draws: Draws,
    scores: NormalScores,
    kernel: Callable[..., Any] | None,
    squares: Floats,
    known: float,
    multiple: float,
    entries: float,
    constants: AdaptConstants,
) -> Interplay | None:
    """Return kernel features with zero weights, or ``None`` if there are none.

    Features need two columns with scores and enough ``known``, as :func:`num_features` says.
    ``squares``, (n, K), are squared norms of other inputs of the draws, to which features are
    scaled.
    """
    num = squares.shape[1]
    rank = num_features(known, float(draws.weights.sum()), multiple, entries, constants)
    if not rank or sum(table.any() for table in scores.scores) < 2:
        return None
    unclipped = constants.unclipped_features
    length = float(np.sqrt(np.quantile(squares, unclipped, axis=0).max()))
    rank = min(rank, DRAWN_ENTRIES // (num * len(draws.codes)))
    features = make_features(
        scores(draws.codes, np.zeros(len(draws.codes), dtype=np.int64)),
        draws.weights,
        make_kernel(kernel, draws.codes.shape[1]),
        num_landmarks=max(NUM_LANDMARKS, rank),
        rank=rank,
        unclipped=unclipped,
        length=constants.feature_length * length,
    )
    weights = np.zeros((num, features.rank))
    return Interplay(scores, features, weights) if features.rank else None


def num_features(
    known: float, num_records: float, multiple: float, entries: float, constants: AdaptConstants
) -> int:
    """Return the number of features, or zero if fewer than ``LEAST_FEATURES`` fit the budget.

    Noise in ``r`` weights moves log odds by about ``r / k``, where ``known`` is ``k = mu n``, and
    omitted features cost about ``1 / r``. The error ``(r / k)^2 + b / r`` is therefore least at an
    ``r`` proportional to ``k^(2/3)``. No ``r`` exceeds ``k``. The limit of ``entries`` saves
    time.
    """
    patience = np.clip((known / MUCH_KNOWN) ** (1 / 3), 1, MOST_PATIENCE)
    most_features = constants.most_features * patience ** (1 / 3)
    entries = min(entries * patience, MOST_FEATURE_ENTRIES)
    most = np.clip(entries / num_records, FEWEST_MOST, most_features)
    # The sampling error of the records acts like the noise at ``mu = 1``.
    known = min(known, num_records)
    found = int(min(multiple * known ** (2 / 3), known, most))
    return found if found >= LEAST_FEATURES else 0


def make_features(  # noqa: PLR0913 (points, and how they are seen)
    scores: Codes,
    weights: Floats,
    kernel: Kernel,
    *,
    num_landmarks: int,
    rank: int,
    unclipped: float,
    length: float | None = None,
) -> KernelFeatures:
    """Return at most ``rank`` features: the kernel's leading directions among public points.

    A share ``unclipped`` of the points has features of norm at most ``length``; by default features
    have variance one. The first points are landmarks; there is at most one feature per eight
    points.
    """
    points = as_points(scores)
    landmarks = points[:num_landmarks]
    inner = kernel(landmarks, landmarks)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    kept = values > SPECTRUM_FLOOR * values[-1]
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    found = kernel(points, landmarks) @ whiten
    linear = np.column_stack([np.ones(len(points)), points])
    roots = np.sqrt(weights / weights.sum())[:, None]
    fitted = np.linalg.lstsq(roots * linear, roots * found, rcond=None)[0]
    left = roots * (found - linear @ fitted)
    variances, turn = np.linalg.eigh(left.T @ left)
    least = SPECTRUM_FLOOR * np.square(roots * found).sum()
    leading = np.flatnonzero(variances > least)[::-1][
        : min(rank, int(MOST_PER_POINT * len(points)))
    ]
    turn = turn[:, leading] / np.sqrt(variances[leading])
    lengths = np.linalg.norm(left / np.maximum(roots, 1e-300) @ turn, axis=1)
    longest = float(np.quantile(lengths, unclipped))
    scale = 1.0 if length is None or not longest else length / longest
    return KernelFeatures(
        kernel=kernel,
        landmarks=landmarks,
        projection=scale * np.concatenate([whiten @ turn, -fitted @ turn]),
        radius=min(math.ceil(scale * longest * INPUT_UNITS), LARGEST_RADIUS),
    )


def whole_features(
    scores: Codes, features: KernelFeatures
) -> NDArray[np.int16] | NDArray[np.int32]:
    """Return the whole-number features of rows, (n, r), in units of ``1 / INPUT_UNITS``.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it, even
          for a kernel of the user that would mix the rows of a batch
        * whatever the kernel does, their norm is at most ``features.radius``, in exact integers

    Raises:
        OverflowError: If the columns are too many for exact inner products.
    """
    if scores.shape[1] * LARGEST_SCORE**2 >= EXACT_FLOAT:
        raise OverflowError('the inner products do not fit into 53 bits: too many columns.')
    projection, units = whole_projection(features.projection)
    dtype = np.int16 if features.radius < 2**15 else np.int32
    result = np.empty((len(scores), len(units)), dtype=dtype)
    tile = np.zeros((TILE_ROWS, scores.shape[1]))
    ones = np.ones((1, TILE_ROWS), dtype=np.float32)
    for start in range(0, len(scores), TILE_ROWS):
        points = as_points(scores[start : start + TILE_ROWS])
        tile[: len(points)] = points
        # A warning must not reveal a row that overflows.
        with np.errstate(all='ignore'):
            values = features.kernel.of_rows(features.landmarks, tile)
            inputs = np.concatenate([values, ones, tile.T], dtype=values.dtype)
            raw = _project(inputs, projection, units)
            raw[np.isnan(raw)] = 0
            np.clip(raw, -LARGEST_RADIUS, LARGEST_RADIUS, out=raw)
            whole = np.rint(raw * INPUT_UNITS).astype(np.int64)
        result[start : start + TILE_ROWS] = clip_norm(whole.T[: len(points)], features.radius)
    return result


def as_points(scores: Codes) -> Floats:
    """Return integer scores as points, exactly, cut to the largest score."""
    whole = scores.astype(np.int64)
    return np.asarray(np.clip(whole, -LARGEST_SCORE, LARGEST_SCORE) / SCORE_UNITS)


def whole_projection(projection: Floats) -> tuple[Floats, ...]:
    """Return a projection, (P, r), as whole numbers, (r, P), and units, (r, 1), for exact sums."""
    bits = 52 - KERNEL_BITS - math.ceil(math.log2(len(projection)))
    exponents = np.frexp(np.abs(projection).max(axis=0))[1] - bits
    units = np.ldexp(1.0, exponents)
    return np.rint(projection / units).T.copy(), units[:, None]


def _project(values: Reals, projection: Floats, units: Floats) -> Floats:
    """Return the product of the values of a tile, (P, b), and a projection, (r, P): (r, b)."""
    # Scaled by a power of two, the largest value of each row has KERNEL_BITS bits.
    _, exponents = np.frexp(np.maximum(values.max(axis=0), -values.min(axis=0)))
    exponents = np.maximum(exponents, SMALLEST_EXPONENT) - KERNEL_BITS
    values = values * np.ldexp(values.dtype.type(1), -exponents)
    raw = projection @ np.rint(values, out=values).astype(np.float64)
    raw *= units
    raw *= np.ldexp(1.0, exponents)
    return np.asarray(raw)


def match_moments(features: Floats, weights: Floats, moments: ScoreMoments) -> Floats:
    """Return the features of draws, (n, r), mapped linearly to the significant released moments.

    Draws ``t = (1, phi)`` have second moments ``G = L L^T``, and the released ones are ``M``. Their
    difference has the eigenvalues of ``L^-1 M L^-T - I``. Noise of deviation ``s`` per entry has
    eigenvalues up to ``2 s sqrt(d)`` (Wigner 1958), which are ignored. Larger ones are shrunk for
    the least error: Gavish and Donoho (2017, arXiv 1405.7511, equation 7).
    """
    total = weights.sum()
    # This constant gives all entries equal noise.
    constant = moments.product_scale / moments.sum_scale if moments.sum_scale else 1.0
    vectors = np.column_stack([np.full(len(features), constant), features])
    drawn = (vectors * weights[:, None]).T @ vectors / total
    sums, products = moments.sums / total, moments.products[0] / total
    released = np.block(
        [[np.full((1, 1), constant**2), constant * sums], [constant * sums.T, products]]
    )
    size = len(drawn)
    root = np.linalg.cholesky(drawn + TINY * np.trace(drawn) / size * np.eye(size))
    inverse = np.linalg.inv(root)
    excess, directions = np.linalg.eigh(inverse @ released @ inverse.T - np.eye(size))
    spread = moments.product_scale / total * np.square(inverse).sum() / size
    edge = 2 * spread * math.sqrt(size)
    seen = np.sign(excess) * np.sqrt(np.maximum(np.square(excess) - edge**2, 0))
    # An eigenvalue of -1 would be a direction without any variance.
    stretch = np.sqrt(np.maximum(1 + seen, TINY))
    mapping = root @ (directions * stretch) @ directions.T @ inverse
    return np.asarray((vectors @ mapping.T)[:, 1:])
