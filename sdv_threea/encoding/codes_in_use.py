"""Find the codes in use, of numbers that have a code for each value: post-processing.

Surveys ask many questions with the same few codes. Noise may mask a code in each column, but not in
their mean. So columns with alike counts share their evidence, and a code between others gets no
rows if counts show that it is not in use.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import MISSED, MOST_UNLIKE, Evidence
from sdv_threea.encoding.encoders import NumberEncoder, Transformer

#: Codes between others have no records if their sum is at most this many standard deviations of
#: noise. With 2.9, samples lost 2.6 and .3 % of the hours of adult at epsilon 1 and 8, which lie
#: between frequent ones.
MOST_EXPLAINED = 2.0


class Seen(NamedTuple):
    """Noisy counts of single values, ascending, and the codes of these, shape (k,)."""

    values: Floats
    codes: Wholes
    counts: Floats


def find_codes(
    masks: Sequence[Bools],
    transformers: Sequence[Transformer],
    columns: Sequence[Floats],
    scale: float,
    num_records: float,
    limits: Evidence,
) -> tuple[Bools, ...]:
    """Return which codes can occur, by column, shape (S,), given those in its range, ``masks``.

    ``columns`` are counts of codes, shape (S,) each, of the noise scale ``scale``.
    """
    each = enumerate(zip(transformers, masks, columns, strict=True))
    seen = {at: own for at, known in each if (own := _see(*known)) is not None}
    clear = limits.clear_of_noise(sum(len(own.values) for own in seen.values()))
    kept = list(masks)
    for (at, own), (counts, noise) in zip(
        seen.items(), _pool([*seen.values()], scale, clear), strict=True
    ):
        evident = (counts > clear * noise) | (own.counts > clear * scale)
        one = limits.clear_of_noise()
        empty = _find_empty(counts, noise, evident, one, MISSED * num_records)
        kept[at] = kept[at].copy()
        kept[at][own.codes] = (kept[at][own.codes] | evident) & ~empty
    return tuple(kept)


def _see(number: Transformer, mask: Bools, counts: Floats) -> Seen | None:
    """Return the counts of single values; ``None`` if a code that can occur is an interval."""
    if not isinstance(number, NumberEncoder) or not number.step:
        return None
    cuts = np.ceil(number.edges / number.step)
    single = np.diff(cuts) == 1
    if not single[mask[1:]].all():
        return None
    codes = 1 + np.flatnonzero(single)
    return Seen(cuts[:-1][single] * number.step, codes, counts[codes])


def _pool(seen: Sequence[Seen], scale: float, clear: float) -> list[tuple[Floats, Floats]]:
    """Return, for each column, mean counts of all columns like it, and their noise scales."""
    if not seen:
        return []
    values, places = np.unique(np.concatenate([own.values for own in seen]), return_inverse=True)
    ends = np.cumsum([0, *(len(own.values) for own in seen)])
    shape, found = (len(seen), len(values)), np.concatenate([own.counts for own in seen])
    counts = csr_array((found, places, ends), shape=shape)
    ones = csr_array((np.ones(len(found)), places, ends), shape=shape)
    pooled = []
    for alike, at in zip(
        _find_alike(counts, ones, scale, clear), np.split(places, ends[1:-1]), strict=True
    ):
        sums, number = (np.asarray(own[alike].sum(axis=0))[at] for own in (counts, ones))
        pooled.append((sums / number, scale / np.sqrt(number)))
    return pooled


def _find_alike(counts: csr_array, ones: csr_array, scale: float, clear: float) -> list[Wholes]:
    """Return the columns whose distance is evidently small, by column, itself included."""
    products, sizes = (counts @ counts.T).toarray(), np.asarray(ones.sum(axis=1))
    squares, values = np.diag(products), np.add.outer(sizes, sizes)
    distances = np.add.outer(squares, squares) - 2 * products - scale**2 * values
    # The square of a normal of variance v has the variance 2 v^2; a difference has two variances.
    most = distances + clear * 2 * scale**2 * np.sqrt(values)
    energies = squares - scale**2 * sizes
    alike = most <= MOST_UNLIKE * np.minimum.outer(energies, energies)
    np.fill_diagonal(alike, True)
    return [np.flatnonzero(row) for row in alike]


def _find_empty(counts: Floats, noise: Floats, evident: Bools, clear: float, most: float) -> Bools:
    """Return which codes lie between evident ones and are evidently rarer, shape (k,).

    Codes that may have ``most`` records are not empty, and none is if all of them together have
    more records than noise explains.
    """
    empty = np.zeros(len(counts), dtype=np.bool_)
    for first, last in pairwise(np.flatnonzero(evident).tolist()):
        inside = slice(first + 1, last)
        total, doubt = float(counts[inside].sum()), clear * float(np.linalg.norm(noise[inside]))
        usual = (last - first - 1) * min(counts[first], counts[last])
        few = bool((counts[inside] + clear * noise[inside] < most).all())
        empty[inside] = few and total <= doubt and total + doubt < usual / 2
    explained = counts[empty].sum() <= MOST_EXPLAINED * np.linalg.norm(noise[empty])
    return empty if explained else np.zeros_like(empty)
