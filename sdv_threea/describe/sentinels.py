"""Numbers that stand for something else: 999 for an unknown age, -9 for a question not asked.

Usual codes are public, and are counted apart from the bins of a grid. A code, or any other single
value, is a sentinel if it has evident records and lies far from all other values.
"""

from dataclasses import replace

import numpy as np

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import FAR_OFF, DescribeConstants
from sdv_threea.describe.closer import Look, find_clusters
from sdv_threea.describe.ranges import Sketch, find_grid, find_unlikely
from sdv_threea.domain import Number

#: Usual codes among numbers: all digits are 7, all are 8 or all are 9, or the last of several nines
#: is a 7 or an 8, with either sign.
DIGITS = [int(digit * length) for digit in '789' for length in range(1, 11)]
DIGITS += [10**length - less for length in range(2, 5) for less in (2, 3)]
CODES = np.unique([sign * code for sign in (-1, 1) for code in DIGITS]).astype(np.float64)

#: Usual codes among dates, in seconds since 2000: the first and last days that systems know.
DATES = ('0001-01-01', '1753-01-01', '1800-01-01', '1899-12-30', '1900-01-01', '1970-01-01',
         '2099-12-31', '2100-01-01', '2999-12-31', '9999-12-31')  # fmt: skip
_SECONDS = np.array(DATES, dtype='datetime64[s]') - np.datetime64('2000-01-01', 's')
TIME_CODES = _SECONDS.astype(np.float64)

#: The usual codes of one digit. If a column has a single other value, a code up to the last one may
#: be the end of a range, such as from 1 to 9.
FIRST_DIGIT, LAST_DIGIT = 7.0, 9.0


def make_look(column: Number) -> Look:
    """Return a look without counts; it has no usual codes if a transformer shifts numbers."""
    codes = TIME_CODES if column.of_times else CODES
    codes = np.zeros(0) if column.grid is not None else codes
    size = len(find_grid(column)) - 1 + len(codes)
    return Look(column, codes, np.zeros(size), np.full(size, np.inf))


def find_sentinels(
    look: Look, step: float, num_looks: int, constants: DescribeConstants
) -> tuple[tuple[float, ...], Sketch]:
    """Return the sentinels of a column, and the sketch of all its other numbers."""
    sketch = look.sketch(step)
    counts, scales = look.counts[look.num_bins :], look.scales[look.num_bins :]
    points = replace(sketch, edges=np.stack([look.codes] * 2, axis=1), counts=counts, scale=scales)
    points = replace(points, of_times=look.column.of_times)
    bar = constants.clear_of_noise(num_looks * len(counts))
    # Half the squared evidence is a log likelihood.
    evident = points.evidence > np.sqrt(bar**2 + 2 * find_unlikely(points, constants))
    clusters = find_clusters(sketch, num_looks, constants)
    if not clusters:
        return (), _return_codes(sketch, look, evident, step, ())
    main = max(clusters, key=lambda bins: float(sketch.counts[bins].sum()))
    single = _find_single(sketch, step)
    alone = [bins for bins in clusters if bins is not main and single[bins].all()]
    if all(len(bins) == 1 and single[bins[0]] for bins in clusters):
        alone = []  # no cluster is evidently the main one
    far = np.concatenate([np.zeros(0, dtype=np.int64), *alone])
    near = np.setdiff1d(np.concatenate(clusters), far)
    is_one = len(near) == 1 and single[near[0]]
    telling = evident & ((look.codes < 0) | (look.codes > LAST_DIGIT)) if is_one else evident
    ends = float(sketch.edges[near[0], 0]), float(sketch.edges[near[-1], 1])
    singles = dict(zip(look.codes[telling].tolist(), counts[telling].tolist(), strict=True))
    of_bins = {float(np.ceil(sketch.edges[at, 0] / step) * step): at for at in far.tolist()}
    singles |= {value: float(sketch.counts[at]) for value, at in of_bins.items()}
    alike = _return_codes(sketch, look, evident, step, tuple(singles))
    alike.counts[[*of_bins.values()]] = 0.0
    found = tuple(
        value for value in sorted(singles)
        if _may_leave(value, ends, look.column)
        and _is_apart(value, singles[value], ends, alike, step, bar)
    )  # fmt: skip
    rest = _return_codes(sketch, look, evident & ~np.isin(look.codes, found), step, found)
    kept = np.ones(len(rest.counts), dtype=np.bool_)
    kept[[at for value, at in of_bins.items() if value in found]] = False
    return found, rest[kept]


def _find_single(sketch: Sketch, step: float) -> Bools:
    return np.asarray(_count_multiples(sketch, step) == 1)


def _count_multiples(sketch: Sketch, step: float) -> Floats:
    """Return the number of values in each bin, shape (k,): many floats without a step."""
    if not step:
        return np.full(len(sketch.counts), 2.0**52)
    first, end = np.ceil(sketch.edges / step).T
    return np.asarray(np.maximum(end - first, 1.0))


def _may_leave(value: float, ends: tuple[float, float], column: Number) -> bool:
    """Return whether a value lies beyond an end of the range that is not stated."""
    below, above = value < ends[0], value >= ends[1]
    return (below and column.low is None) or (above and column.high is None)


def _is_apart(
    value: float, count: float, ends: tuple[float, float], others: Sketch, step: float, bar: float
) -> bool:
    """Return whether a value lies far from all other values, with hardly any values between."""
    low, high = (value, ends[0]) if value < ends[0] else (ends[1], value)
    width, gap = ends[1] - ends[0], high - low
    if gap < FAR_OFF / (1 - FAR_OFF) * width:
        return False
    edges = others.edges
    between = (edges[:, 0] >= low) & (edges[:, 1] <= high)
    noise = bar * float(np.linalg.norm(others.scales[between]))
    total = float(others.counts[between].sum())
    thin = not step or total + noise < count * gap / step / 2
    return thin and total < max(count / 2, noise)


def _return_codes(
    sketch: Sketch, look: Look, evident: Bools, step: float, left_out: tuple[float, ...]
) -> Sketch:
    """Return a sketch that counts usual codes in their bins again."""
    counts, variances = sketch.counts.copy(), sketch.scales**2
    own, noise = look.counts[look.num_bins :], look.scales[look.num_bins :] ** 2
    bins = np.searchsorted(sketch.edges[:, 0], look.codes, side='right') - 1
    inside = (bins >= 0) & ~np.isin(look.codes, left_out)
    inside[inside] &= look.codes[inside] < sketch.edges[bins[inside], 1]
    multiples = _count_multiples(sketch, step)
    coded = np.bincount(bins[inside], minlength=len(counts))
    full = np.zeros(len(look.codes), dtype=np.bool_)
    full[inside] = (coded >= multiples)[bins[inside]]
    # Codes that are not evident add less noise if the other count of their bin is scaled up.
    added = inside & (evident | full | (noise == 0))
    hidden = np.bincount(bins[inside & ~added], minlength=len(counts))
    share = np.maximum(1 - hidden / multiples, 1 / multiples)
    counts, variances = counts / share, variances / share**2
    np.add.at(counts, bins[added], own[added])
    np.add.at(variances, bins[added], noise[added])
    return replace(sketch, counts=counts, scale=np.sqrt(variances))
