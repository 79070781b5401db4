"""Theorem 3 and lemma 4 of ``docs/lab/proofs.md``: thresholds that depend on what was released, and
groups of rows. The door's own threshold is found by noise that is chosen, and chances are added up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, reduce

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from sdv_threea.accounting import delta_from_mu
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import describe
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.privacy import door
from sdv_threea.privacy.mechanism import threshold_release
from sdv_threea.rows.chunks import chunk_table

EPSILONS = [0.0, 0.3, 1.0, 2.0, 4.0]


@dataclass(frozen=True)
class Threshold:
    """What a threshold release is asked for."""

    mu: float
    delta: float
    sensitivity: float = 1.0
    max_new_keys: int = 1
    most_added: int = 1
    least: int = 1

    def ask(self, count, drawn):
        """Release a key with a count and the noise that is drawn for it: is it shown?"""
        self_asked = []

        def noise(size, scale):
            self_asked.append(scale)
            return np.full(size, drawn, dtype=np.int64)

        shown, _, receipt = threshold_release(
            ['key'], np.array([count]), noise=noise, stage='s', released='r', **vars(self)
        )
        scale = self_asked[0]
        return bool(shown), scale, round(scale / receipt.noise_scale)

    def lattice(self):
        """The scale in steps, and the steps per record."""
        _, scale, steps = self.ask(self.least, 0)
        return scale, steps

    @cache  # noqa: B019 (frozen, and few)
    def bar(self, count):
        """The largest noise, in steps, with which a key of so many records is not shown."""
        low, high = -(2**40), 2**40
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.ask(count, middle)[0] else (middle, high)
        return low


WORST = [
    Threshold(mu=1.0, delta=0.05),
    Threshold(mu=1.0, delta=1e-9, max_new_keys=3, sensitivity=math.sqrt(3)),
    Threshold(mu=5.0, delta=1e-6, most_added=40, max_new_keys=40, least=7),
    Threshold(mu=0.04, delta=3e-8, least=6),
    # As a description asks it: eight columns, one row replaced, units of three rows.
    Threshold(mu=0.05, delta=3e-8, sensitivity=4.0, max_new_keys=48, most_added=3, least=20),
]


@pytest.mark.parametrize('asked', WORST)
def test_a_one_sided_key_is_shown_as_rarely_as_promised_and_hardly_more_rarely(asked, law):
    exact = law(asked.lattice()[0], reach=12.0)
    most = asked.least - 1 + asked.most_added
    part = asked.delta / asked.max_new_keys

    assert 0.999 * part < exact.beyond(asked.bar(most)) <= part
    # One record more than a unit can bring, and the promise is broken.
    assert exact.beyond(asked.bar(most + 1)) > part


@pytest.mark.parametrize('scale', [2.0, 3.3, 64.0, 1000.0])
def test_tails_of_the_discrete_gaussian_are_below_the_continuous_ones(scale, law):
    exact = law(scale)
    for bar in range(int(8 * scale)):
        assert ndtr(-(bar + 1) / scale) < exact.beyond(bar) <= ndtr(-bar / scale)


def tell(asked, count, law, bins):
    """The law of what is told of a key: nothing, or the bin of its noisy count."""
    if count < asked.least:
        return np.append(1.0, np.zeros(len(bins) + 1))
    scale, steps = asked.lattice()
    bar = asked.bar(count)
    edges = np.maximum((bins - count) * steps, bar)
    sums = law(scale).up_to(np.concatenate([[bar], edges, [np.inf]]))
    return np.append(sums[0], np.diff(sums))


def release(tables, first, then, law):
    """The laws of two releases on two tables, the second chosen by the first answer.

    Args:
        tables: The counts of a common key and of two others, by table.
        first: What the first release is.
        then: What the second is if the common key was high, and if not.
        law: Adds a law up.
    """
    bins = np.linspace(-6, 30, 181)
    told = []
    for counts in tables:
        common, *others = (tell(first, counts[0], law, bins), *tell_others(first, counts, law))
        high = np.arange(len(common)) > len(common) // 2
        for chosen, among in ((then[0], high), (then[1], ~high)):
            again = tell(chosen, counts[0], law, bins), *tell_others(chosen, counts, law)
            told.append(reduce(np.multiply.outer, (common[among], *others, *again)).ravel())
    half = len(told) // 2
    return np.concatenate(told[:half]), np.concatenate(told[half:])


def tell_others(asked, counts, law):
    """The laws of whether the other keys are shown."""
    return [tell(asked, count, law, np.zeros(0)) for count in counts[1:]]


#: Counts in three columns: a common key, and keys that are rare without the one record's, or
#: without the other's.
ADDED = (13, 2, 2), (12, 1, 1)
REPLACED = (13, 2, 2, 1, 1), (12, 1, 1, 2, 2)


def choose(neighbors, mu, delta, least):
    squared = 3 if neighbors == 'add_remove' else 6
    return Threshold(mu, delta, math.sqrt(squared), squared, least=least)


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_failures_of_thresholds_that_depend_on_each_other_add_up_and_no_more(
    neighbors, law, find_delta
):
    """Two columns, two releases: the second costs more, and asks more, if the first was high."""
    tables = ADDED if neighbors == 'add_remove' else REPLACED
    parts = 0.02, 0.03
    first = choose(neighbors, 0.6, parts[0], 2)
    then = choose(neighbors, 0.8, parts[1], 2), choose(neighbors, 0.3, parts[1], 2)
    mu, failure = math.hypot(0.6, 0.8), sum(parts)
    ours, theirs = release(tables, first, then, law)

    assert ours.sum() == pytest.approx(1, abs=1e-9)
    found = {epsilon: find_delta(ours, theirs, epsilon) for epsilon in EPSILONS}
    for epsilon, delta in found.items():
        assert delta <= delta_from_mu(mu, epsilon) + failure
    # Both releases fail, and one is not enough: two of three keys can be new, of one table or both.
    used = 2 / 3 if neighbors == 'add_remove' else 1 / 3
    assert found[4.0] > 0.98 * used * failure
    assert found[4.0] > delta_from_mu(mu, 4.0) + used * 1.5 * max(parts)


class Counted:
    """Looks over the shoulder of the threshold: which keys have enough records."""

    def __init__(self, least=None):
        self.asked, self.least = [], least

    def __call__(self, keys, counts, *, least, max_new_keys, **terms):
        bars = np.broadcast_to(least if self.least is None else self.least, counts.shape)
        enough = {key for key, seen, bar in zip(keys, counts, bars, strict=True) if seen >= bar}
        self.asked.append((enough, max_new_keys))
        return threshold_release(keys, counts, least=least, max_new_keys=max_new_keys, **terms)


def describe_counted(monkeypatch, rows, neighbors, rows_per_unit, least):
    counted = Counted(least)
    monkeypatch.setattr(door, 'threshold_release', counted)
    describe(
        chunk_table(pd.DataFrame(rows, columns=['c', 'd', 'label', 'x'])),
        DOMAIN,
        mu=1.0,
        delta=1e-3,
        neighbors=neighbors,
        noise=lambda size, scale: np.zeros(size, dtype=np.int64),
        constants=DescribeConstants(),
        rows_per_unit=rows_per_unit,
    )
    return counted.asked


DOMAIN = Domain(
    (Category(name='c'), Category(name='d'), Category(name='label'), Number(name='x', step=1.0)),
    'label',
)
EVERYBODY = [('a', 'a', 'a', 500.0), ('b', None, 'a', np.nan)] * 60


@pytest.mark.parametrize('rows_per_unit', [1, 3])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_one_sided_keys_are_as_few_as_the_description_says(monkeypatch, neighbors, rows_per_unit):
    """Every cell of the unit is new, and so is every cell of the one in its place."""
    unit, rival = (
        [(f'{name}{at}', f'{name}{at}', f'{name}{at}', 9.0 * at) for at in range(rows_per_unit)]
        for name in ('mine', 'other')
    )
    others = rival if neighbors == 'replace_one' else []
    one, other = (
        describe_counted(monkeypatch, rows, neighbors, rows_per_unit, least=1)
        for rows in (EVERYBODY + unit, EVERYBODY + others)
    )
    filled = 0
    for (ours, most), (theirs, _) in zip(one, other, strict=True):
        assert len(ours ^ theirs) <= most
        assert neighbors == 'replace_one' or theirs <= ours
        assert max(len(ours - theirs), len(theirs - ours)) <= most / (2 if others else 1)
        filled += len(ours ^ theirs) == most
    assert filled >= 2


@pytest.mark.parametrize('size', [1, 2, 5, 10, 50, 100])
def test_a_group_is_shown_by_a_threshold_as_rarely_as_the_lemma_says(script, size, law):
    """However it is spread over values; all of it on one value is what fails more than k times."""
    asked = Threshold(mu=1 / 22, delta=3e-8, least=6)
    scale, steps = asked.lattice()
    exact = law(scale, reach=12.0)
    claimed = script.find_failure(size, 1, steps / scale, asked.delta)
    rng = np.random.default_rng(size)
    spread = [np.diff(np.sort([0, size, *rng.integers(0, size, parts)])) for parts in range(9)]
    for lifts in [[size], [1] * size, *spread]:
        shown = [exact.beyond(asked.bar(asked.least - 1 + lift)) for lift in lifts if lift]
        assert sum(shown) <= claimed
    # Nearly all of it is needed.
    together, alone = (
        sum(exact.beyond(asked.bar(asked.least - 1 + lift)) for lift in lifts)
        for lifts in ([size], [1] * size)
    )
    assert max(together, alone) > 0.9 * claimed
    assert size < 50 or together > 10 * size * asked.delta


def test_k_times_mu_with_k_times_delta_would_be_false(script, law):
    """Fifty rows are the only ones of a value: it is shown with them, and never without them."""
    asked = Threshold(mu=1 / 22, delta=3e-8, least=6)
    exact = law(asked.lattice()[0], reach=12.0)
    shown = exact.beyond(asked.bar(asked.least - 1 + 50))
    epsilon = 60.0

    assert shown > 50 * asked.delta + delta_from_mu(50 * asked.mu, epsilon)
    assert shown <= script.find_failure(50, 1, asked.lattice()[1] / asked.lattice()[0], 3e-8)


@pytest.mark.parametrize(('rows_per_unit', 'size'), [(3, 20), (40, 2)])
def test_groups_of_units_with_several_rows_are_shown_as_rarely_too(
    script, rows_per_unit, size, law
):
    asked = Threshold(mu=0.05, delta=1e-6, most_added=rows_per_unit, max_new_keys=rows_per_unit)
    scale, steps = asked.lattice()
    exact = law(scale, reach=12.0)
    claimed = script.find_failure(size, rows_per_unit, rows_per_unit * steps / scale, 1e-6)
    shown = exact.beyond(asked.bar(asked.least - 1 + size * rows_per_unit))

    assert 0.99 * claimed < rows_per_unit * shown <= claimed
    # They are lifted by all their rows: what a row each would be claimed for does not do.
    assert rows_per_unit * shown > script.find_failure(size, rows_per_unit, steps / scale, 1e-6)
