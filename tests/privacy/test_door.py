"""Statistics on their way to the door of noise: summed together, and released as they declare."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from chunked import chunk_arrays

from sdv_threea.privacy.door import release, release_keys
from sdv_threea.privacy.mechanism import add_noise, threshold_release
from sdv_threea.rows.sums import Statistic, take


class Numbers(NamedTuple):
    numbers: np.ndarray


ROWS = chunk_arrays(Numbers(np.arange(10)), chunk_rows=3)


def power(exponent, chunk):
    return np.array([(chunk.numbers**exponent).sum()])


def state(exponent=1, **more):
    return Statistic('power', 'a stage', 'a power', partial(power, exponent), 9.0, **more)


def listen(seen):
    """Return a source of noise that is told its scale, and is silent."""
    return lambda size, scale: seen.append(scale) or np.zeros(size, dtype=np.int64)


def test_several_statistics_take_one_pass():
    passes = []

    def count(chunk):
        passes.append(len(chunk.numbers))
        return chunk

    one, two = take(ROWS.map(count), state(1), state(2))
    assert (one.sums.tolist(), two.sums.tolist()) == ([45], [285])
    assert passes == [3, 3, 3, 1]


def test_no_statistic_reads_the_rows_all_the_same():
    """A table that cannot be read is refused before anything is released."""
    passes = []
    assert take(ROWS.map(lambda chunk: passes.append(chunk) or chunk)) == ()
    assert len(passes) == 4


@pytest.mark.parametrize('mu', [0.1, math.inf])
def test_a_release_is_that_of_the_door_for_what_is_declared(mu):
    ours, theirs = [], []
    found, receipt = release(ROWS, state(resolution=0.5), mu=mu, noise=listen(ours))
    terms = {'stage': 'a stage', 'released': 'a power', 'sensitivity': 9.0, 'resolution': 0.5}
    noisy, other = add_noise(np.array([45]), mu=mu, noise=listen(theirs), **terms)
    named = replace(other, statistic='power')
    assert (found.tolist(), receipt, ours) == (noisy.tolist(), named, theirs)


def test_what_finishes_sums_is_done_once_for_all_rows():
    statistic = state(finish=lambda sums: abs(sums - 50))
    assert release(ROWS, statistic, mu=math.inf, noise=listen([]))[0] == [5.0]


def test_keys_are_released_above_the_threshold_of_the_door():
    (summed,) = take(ROWS, state(finish=lambda sums: (['key', 'other'], np.append(sums, 1))))
    terms = {'mu': 1.0, 'delta': 1e-6, 'max_new_keys': 1, 'most_added': 1, 'noise': listen([])}
    found = release_keys(summed, least=np.array([1, 1]), **terms)
    declared = {'stage': 'a stage', 'released': 'a power', 'sensitivity': 9.0}
    keys, counts, receipt = threshold_release(
        ['key', 'other'], np.array([45, 1]), least=np.array([1, 1]), **terms, **declared
    )
    assert (found[0], found[1].tolist(), found[2]) == (
        keys,
        counts.tolist(),
        replace(receipt, statistic='power'),
    )
