import math
from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.bins import cut_bins, num_class_bins
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.departures import Use, class_histograms
from sdv_threea.approximate.histograms import column_shares, project_to_simplex

CONSTANTS = ApproximateConstants()
class_histograms = partial(class_histograms, constants=CONSTANTS)
column_shares = partial(column_shares, constants=CONSTANTS)
cut_bins = partial(cut_bins, constants=CONSTANTS)
num_class_bins = partial(num_class_bins, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def in_natural_order(num_bins):
    """All bins but that of the missing value."""
    return np.arange(num_bins) > 0


def estimate(
    counts,
    totals=None,
    mask=None,
    *,
    bins=None,
    shares=None,
    scale=0.0,
    ordered=False,
    use=Use.CLASSES,
):
    """Estimate from counts of bins; if nothing else is said, codes are bins."""
    counts = np.asarray(counts, dtype=float)
    totals = counts.sum(axis=1) if totals is None else np.asarray(totals, dtype=float)
    bins = np.arange(counts.shape[1]) if bins is None else np.asarray(bins)
    mask = np.ones(len(bins), dtype=bool) if mask is None else np.asarray(mask)
    if shares is None:
        pooled = counts.sum(axis=0), totals.sum(), mask
        shares = column_shares(*pooled, scale=scale * math.sqrt(len(counts)), ordered=ordered)
    in_order = in_natural_order(counts.shape[1]) & np.asarray(ordered)
    known = counts, totals, np.asarray(shares), mask, bins, in_order, scale
    return class_histograms(*known, use=use)


@pytest.mark.parametrize('ordered', [False, True])
def test_without_noise_histograms_are_the_frequencies_if_every_code_is_a_bin(rng, ordered):
    counts = rng.integers(0, 50, (4, 11)).astype(float)
    counts[:, 3] = 0

    histograms = estimate(counts, ordered=ordered)

    assert histograms == pytest.approx(counts / counts.sum(axis=1, keepdims=True), abs=1e-12)


def test_bins_have_the_mass_of_the_class_and_inside_them_all_classes_are_alike(rng):
    bins, shares = np.array([0, 1, 1, 1, 2, 2, 2]), rng.dirichlet(np.ones(7))
    counts = np.array([[5.0, 70.0, 25.0], [0.0, 10.0, 40.0]])

    histograms = estimate(counts, bins=bins, shares=shares, ordered=True)

    for row, own in zip(counts / counts.sum(axis=1, keepdims=True), histograms, strict=True):
        for bin in range(3):
            within = shares * (bins == bin)
            assert own[bins == bin].sum() == pytest.approx(row[bin])
            expected = row[bin] * within / within.sum()
            assert own * (bins == bin) == pytest.approx(expected)


def test_codes_that_the_whole_lacks_share_the_records_of_their_bin_evenly():
    bins, shares = np.array([0, 1, 1, 2, 2, 2]), np.array([0, 0.6, 0.4, 0, 0, 0])
    mask = np.array([False, True, True, True, False, True])

    histograms = estimate([[0.0, 30.0, 10.0]], [40], mask, bins=bins, shares=shares)

    assert histograms[0] == pytest.approx([0, 0.45, 0.3, 0.125, 0, 0.125])


@pytest.mark.parametrize('ordered', [False, True])
@pytest.mark.parametrize('scale', [0.0, 0.1, 30.0, 1e6, 1e15])
def test_histograms_are_probabilities_inside_the_mask_whatever_the_noise(rng, ordered, scale):
    for _ in range(100):
        size, num_classes = int(rng.integers(1, 40)), int(rng.integers(1, 5))
        mask = rng.random(size) < 0.7
        mask[rng.integers(size)] = True
        pooled = rng.integers(0, 50, size) * (rng.random(size) < 0.6) + rng.normal(0, scale, size)
        shares = column_shares(pooled, max(pooled.sum(), 1), mask, scale=scale, ordered=ordered)
        bins, in_order = np.arange(size), np.zeros(size, dtype=bool)
        if ordered:
            bins, in_order = cut_bins(shares, mask, int(rng.integers(1, 9)), 0.01)
        counts = rng.integers(0, 50, (num_classes, bins.max() + 1)) * (rng.random() < 0.8)
        counts = counts + rng.normal(0, scale, counts.shape)
        totals = np.maximum(counts.sum(axis=1), 1.0)

        with np.errstate(over='raise', divide='raise', invalid='raise'):
            histograms = estimate(
                counts, totals, mask, bins=bins, shares=shares, scale=scale, ordered=in_order
            )

        assert histograms.shape == (num_classes, size)
        assert (histograms >= 0).all()
        assert histograms.sum(axis=1) == pytest.approx(np.ones(num_classes))
        assert (histograms[:, ~mask] == 0).all()


@pytest.mark.parametrize('ordered', [False, True])
@pytest.mark.parametrize('scale', [0.0, 5.0])
@pytest.mark.parametrize(
    ('mask', 'bins', 'shares', 'expected'),
    [
        ([True], [0], [1.0], [1.0]),
        ([False, True], [0, 1], [0.0, 1.0], [0.0, 1.0]),
        ([True, False], [0, 1], [1.0, 0.0], [1.0, 0.0]),
        ([True, True, True], [0, 0, 0], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([False, True, True], [0, 1, 1], [0.0, 0.4, 0.6], [0.0, 0.4, 0.6]),
    ],
)
def test_columns_of_one_code_or_one_bin_have_nothing_to_tell(
    ordered, scale, mask, bins, shares, expected
):
    counts = np.array([[7.0], [3.0]]) * (np.arange(max(bins) + 1) == bins[int(np.argmax(mask))])

    histograms = estimate(counts, mask=mask, bins=bins, shares=shares, scale=scale, ordered=ordered)

    assert histograms == pytest.approx(np.stack([expected] * 2))


def make_classes(rng, spread, permute=False):
    """Three classes of 2000 records, each around a center of its own."""
    density = np.exp(
        -np.square((np.arange(33) - 16 - rng.uniform(-spread, spread, (3, 1))) / 5) / 2
    )
    density[:, 0] = 0
    if permute:
        density[:, 1:] = density[:, 1 + rng.permutation(32)]
    return 2_000 * density / density.sum(axis=1, keepdims=True)


def project(rows):
    mask = np.ones(rows.shape[1], dtype=bool)
    return np.stack([project_to_simplex(row, mask, 2_000.0) for row in rows])


def test_shrinkage_beats_the_raw_projection_of_categories_on_average(rng):
    scale, mine, raw = 40.0, 0.0, 0.0
    for _ in range(30):
        truth = make_classes(rng, 2, permute=True)
        counts = truth + rng.normal(0, scale, truth.shape)

        mine += np.abs(2_000 * estimate(counts, [2_000] * 3, scale=scale) - truth).sum()
        raw += np.abs(project(counts) - truth).sum()

    assert mine < 0.8 * raw


def test_departures_of_ordered_columns_beat_the_raw_projection_on_average(rng):
    """With fine counts of all classes together and coarse ones of each, as they are released."""
    scale, mine, raw = 40.0, 0.0, 0.0
    totals, mask = np.full(3, 2_000.0), in_natural_order(33)
    for _ in range(30):
        truth = make_classes(rng, 11)
        pooled = truth.sum(axis=0) + rng.normal(0, scale, 33)
        shares = column_shares(pooled, 6_000, mask, scale=scale, ordered=True)
        wanted = num_class_bins(totals, scale)
        bins, in_order = cut_bins(shares, mask, wanted, 2 * scale / 6_000)
        counts = np.stack([np.bincount(bins, row) for row in truth])
        counts += rng.normal(0, scale, counts.shape)

        found = class_histograms(counts, totals, shares, mask, bins, in_order, scale)

        mine += np.abs(2_000 * found - truth).sum()
        raw += np.abs(project(truth + rng.normal(0, scale, truth.shape)) - truth).sum()

    assert mine < 0.6 * raw


def test_records_without_a_code_do_not_turn_into_other_codes():
    counts = np.array([[0.0, 90.0, 10.0, 0.0], [0.0, 25.0, 25.0, 0.0]])

    exact = estimate(counts, totals=[1_000, 500])
    noisy = estimate(counts + [[0.5, -0.5, 0.5, -0.5]], totals=[1_000, 500], scale=0.5)

    assert exact == pytest.approx(np.array([[0, 0.9, 0.1, 0], [0, 0.5, 0.5, 0]]), abs=1e-12)
    assert noisy == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize('ordered', [False, True])
def test_a_class_of_noise_alone_takes_after_the_others(ordered):
    counts = np.array([[0.0, 7_000.0, 2_000.0, 1_000.0], [1.0, -3.0, 1.5, 2.5]])

    histograms = estimate(counts, totals=[10_000, 1], scale=3.0, ordered=ordered)

    assert histograms[1] == pytest.approx([0, 0.7, 0.2, 0.1], abs=0.01)


def test_classes_that_are_alike_are_told_so_in_the_noise(rng):
    """What noise makes of classes that do not differ mostly vanishes."""
    shares = rng.dirichlet(np.full(33, 3.0))
    counts = 20_000 * shares + rng.normal(0, 15, (40, 33))

    for ordered in (False, True):
        found = estimate(counts, np.full(40, 20_000.0), shares=shares, scale=15.0, ordered=ordered)
        raw = counts / counts.sum(axis=1, keepdims=True)
        assert np.abs(found - shares).sum() < 0.2 * np.abs(raw - shares).sum()


def test_the_missing_value_is_a_bin_of_its_own(rng):
    """One class misses many more values than the other, and is like it in all others."""
    others = rng.dirichlet(np.full(16, 20.0))
    shares = np.append(0.35, 0.65 * others)
    truth = np.stack([np.append(0.6, 0.4 * others), np.append(0.1, 0.9 * others)])

    found = estimate(
        5_000 * truth + rng.normal(0, 5, truth.shape),
        [5_000, 5_000],
        shares=shares,
        scale=5.0,
        ordered=True,
    )

    assert found[:, 0] == pytest.approx([0.6, 0.1], abs=0.01)
    within = found[:, 1:] / found[:, 1:].sum(axis=1, keepdims=True)
    assert within == pytest.approx(np.stack([others] * 2), abs=0.01)


def test_a_departure_keeps_the_spikes_of_the_whole(rng):
    """Bins of five codes, one of them heavy: the classes differ by bin, and keep the spikes."""
    spikes = np.tile([0.05, 0.05, 0.8, 0.05, 0.05], 8)
    bins = np.append(0, np.repeat(np.arange(1, 9), 5))
    rising = np.linspace(0.5, 1.5, 8)
    lean = np.stack([rising, rising[::-1]]) / 8
    counts = np.column_stack([[0, 0], 4_000 * lean]) + rng.normal(0, 10, (2, 9))

    found = estimate(
        counts,
        [4_000, 4_000],
        np.append(False, np.ones(40, dtype=bool)),
        bins=bins,
        shares=np.append(0, spikes / 8),
        scale=10.0,
        ordered=True,
    )

    assert found[:, 1:] == pytest.approx(np.repeat(lean, 5, axis=1) * spikes, abs=0.01)


@pytest.mark.parametrize('use', [Use.CLASSIFIER, Use.EVIDENCE])
def test_noise_takes_no_bin_from_a_class_and_counts_without_noise_may(use):
    """That nobody was seen says little where noise is larger than what is expected."""
    counts = np.array([[40.0, 40.0, 5_000.0], [40.0, -140.0, 5_000.0]])
    shares = np.array([0.008, 0.008, 0.984])

    noisy = estimate(counts, [5_080, 5_080], shares=shares, scale=50.0, use=use)
    seen = np.maximum(counts, 0)
    clear = estimate(seen, [5_080, 5_080], shares=shares, use=Use.CLASSIFIER)

    assert 0.15 < noisy[1, 1] / noisy[0, 1] < 0.5
    assert clear[1, 1] == 0


@pytest.mark.parametrize('use', [Use.CLASSES, Use.CLASSIFIER])
def test_a_class_that_has_no_code_at_all_is_like_the_whole(use):
    counts = [[0.0, 70.0, 30.0], [0.0, 0.0, 0.0]]

    histograms = estimate(counts, [100, 50], use=use)

    assert histograms[1] == pytest.approx([0, 0.7, 0.3])


def test_many_weak_columns_together_tell_classes_apart(rng):
    """Noise hides the classes in each of 200 columns; their evidence adds up if it is kept."""
    departures = 0.3 * rng.choice([-1, 1], 200)
    shares = np.array([0.0, 0.5, 0.5])
    evidence = []
    for own in departures:
        truth = 200 * np.stack(
            [shares * (1 + own * each) for each in np.array([[0, 1, -1], [0, -1, 1]])]
        )
        noisy = truth + rng.normal(0, 60, truth.shape)
        mask = np.array([False, True, True])
        found = estimate(noisy, [200, 200], mask=mask, shares=shares, scale=60.0, use=Use.EVIDENCE)
        evidence.append(np.log(found[0, 1] / found[1, 1]))

    # As a detector: the signal of the sum over all columns, in units of its chance variation.
    signal = np.dot(evidence, departures) / np.linalg.norm(evidence) / np.linalg.norm(departures)
    assert signal > 0.5


def test_hidden_evidence_says_less_of_a_class_that_is_most_of_the_whole(rng):
    """What the rare class has more of, the other lacks: a smaller part of its records."""
    shares = np.array([0.0, 0.5, 0.5])
    mask = np.array([False, True, True])
    leans = []
    for _ in range(400):
        noise = rng.normal(0, 300, (2, 3))
        found = estimate(
            np.array([[900], [100]]) * shares + noise,
            [900, 100],
            mask=mask,
            shares=shares,
            scale=300.0,
            use=Use.EVIDENCE,
        )
        leans.append(np.log(found[:, 1] / found[:, 2]))

    common, rare = np.std(leans, axis=0)
    assert common < 0.3 * rare


def test_class_noise_does_not_get_into_the_whole(rng):
    truth = rng.dirichlet(np.full(12, 5.0))
    totals, mask = np.full(20, 1_000.0), np.ones(12, dtype=bool)
    counts = rng.multinomial(1_000, truth, size=20) + rng.normal(0, 40, (20, 12))
    loose = np.zeros(12, dtype=bool)

    found = class_histograms(counts, totals, truth, mask, np.arange(12), loose, 40.0)

    assert np.abs(totals @ found / totals.sum() - truth).sum() < 0.01
