"""The estimate is what a real fit then does: the same prices, noise scales and thresholds."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sdv_threea.accounting.sensitivities import OFF_DIAGONAL_WEIGHT, RECORD_UNITS
from sdv_threea.approximate.marginals import clip_radius
from sdv_threea.constants import ApproximateConstants
from sdv_threea.cost import expected_cost
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.estimate import SURE, expected_error
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings

NUM_ROWS = 4000

#: The lattice of the noise widens its scale by a step or two of 2^-16.
ROUNDING = 1e-4


def make_table(num_numbers, num_categories, seed=0):
    rng = np.random.default_rng(seed)
    numbers = {f'n{at}': rng.normal(size=NUM_ROWS) for at in range(num_numbers)}
    categories = {
        f'c{at}': rng.choice(['a', 'b'], NUM_ROWS).astype(object) for at in range(num_categories)
    }
    return pd.DataFrame(numbers | categories)


def make_domain(table, target, *, public=False):
    known = {'low': 0.0, 'high': 1.0, 'step': 1.0, 'nullable': False} if public else {}
    listed = {'values': ('a', 'b'), 'nullable': False} if public else {}
    columns = tuple(
        Number(name=name, **known) if name.startswith('n') else Category(name=name, **listed)
        for name in table
    )
    return Domain(columns, target)


def fit(table, target, epsilon, *, public=False, **others):
    settings = Settings(epsilon=epsilon, delta=1e-5, **others)
    return release(table, make_domain(table, target, public=public), settings)


def find(released, words):
    return [one for one in released.ledger.receipts if words in one.released]


@pytest.mark.parametrize('public', [False, True])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize(('target', 'aside'), [('c2', False), (None, False), ('c2', True)])
def test_counts_have_the_noise_that_the_ledger_of_a_fit_tells(target, aside, neighbors, public):
    table = make_table(3, 3)
    for name in ['n0', 'n1', 'n2']:
        table[name] = table[name].gt(0).astype(float)
    named, alpha = None if aside else target, 0.5 if target else 1.0
    released = fit(table, named, 1.0, public=public, neighbors=neighbors, alpha=alpha)
    assert released.domain.target == target
    errors = expected_error(
        NUM_ROWS, 6, 1.0, 1e-5, num_classes=2 if target else 1, num_numerical=3,
        public_metadata=public, neighbors=neighbors, aside=aside,
    )  # fmt: skip

    (counts,) = find(released, 'and histograms')
    assert errors.count == pytest.approx(counts.noise_scale, ROUNDING)
    if target:
        (by_class,) = find(released, 'in each of 2 classes')
        # All columns are about as rich, but for the rounding of their weights.
        least, most = map(int, by_class.released.rsplit(' ', 3)[1::2])
        weights = by_class.noise_scale / most, by_class.noise_scale / least
        assert weights[0] * (1 - ROUNDING) <= errors.class_count <= weights[1] * (1 + ROUNDING)
    if not public:
        values = find(released, 'values of categorical columns')[-1]
        columns = 2 if target else 3
        keys = columns * round((values.sensitivity / RECORD_UNITS) ** 2)
        quantile = norm.isf(values.delta / keys)
        scale = values.noise_scale / RECORD_UNITS
        bar = 1 + scale / 4 + (quantile + SURE) * scale
        assert errors.category_rows == pytest.approx(bar, abs=1.0)


@pytest.mark.parametrize(('epsilon', 'twice'), [(0.01, True), (1.0, False)])
def test_without_a_target_columns_are_counted_twice_unless_their_pairs_are(epsilon, twice):
    released = fit(make_table(0, 6), None, epsilon, public=True)
    errors = expected_error(NUM_ROWS, 6, epsilon, 1e-5, num_numerical=0, public_metadata=True)

    counts = find(released, 'and histograms of 6 columns')
    scale = 1 / math.hypot(*(1 / each.noise_scale for each in counts))
    assert len(counts) == 1 + twice
    assert bool(find(released, 'pairs of columns')) == (not twice)
    assert errors.count == pytest.approx(scale, ROUNDING)


@pytest.mark.parametrize('epsilon', [0.5, 8.0])
@pytest.mark.parametrize(('target', 'aside'), [('c0', False), (None, False), ('n5', True)])
def test_correlations_have_the_noise_that_the_ledger_of_a_fit_tells(epsilon, target, aside):
    num_classes = 2 if target == 'c0' else 1
    table = make_table(6, 1 if target == 'c0' else 0)
    if aside:  # pairs have too few bins beside a number at .5
        epsilon = max(epsilon, 4.0)
    released = fit(table, None if aside else target, epsilon, alpha=0.5 if target else 1.0)
    assert released.domain.target == target
    errors = expected_error(
        NUM_ROWS, len(table.columns), epsilon, 1e-5, num_classes=num_classes, num_numerical=6,
        aside=aside,
    )  # fmt: skip

    clip = ApproximateConstants().clip
    radius, used = (clip_radius(own, clip) for own in (np.ones((1, 6)), released.scores.variances))
    assert 0.9 * radius < used <= radius, 'normal scores of numbers have nearly unit variance'
    (moments,) = find(released, 'second moments of normal scores')
    product = moments.noise_scale / OFF_DIAGONAL_WEIGHT * (radius / used) ** 2
    assert errors.correlation == pytest.approx(product / (NUM_ROWS / num_classes), 0.01)


def test_it_says_that_nothing_was_spent_and_what_a_category_needs():
    errors = expected_error(30_000, 15, 1.0, num_classes=2)
    told = str(errors)
    assert 'nothing was spent' in told
    assert f'about {math.ceil(errors.category_rows):,} rows to be seen' in told
    assert f'{errors.class_difference:.2%}' in told
    alone = str(expected_error(30_000, 15, 1.0))
    assert 'share in a class' not in alone
    # The plan says what pays for what, and what is left out.
    assert 'a model of the target: there is no target' in alone
    assert re.search(r' \d\d\.\d%  pairs of columns', alone)


@pytest.mark.parametrize(
    ('wrong', 'named'),
    [
        ({'num_rows': 0}, 'num_rows'),
        ({'num_columns': 1.5}, 'num_columns'),
        ({'num_classes': 0}, 'num_classes'),
        ({'num_numerical': 7}, 'num_numerical'),
        ({'num_numerical': 6, 'num_classes': 2}, 'num_numerical'),
        ({'epsilon': 0}, 'epsilon'),
        ({'delta': 1.0}, 'delta'),
        ({'neighbors': 'none'}, 'neighbors'),
    ],
)
def test_errors_name_the_argument(wrong, named):
    with pytest.raises(ValueError, match=named):
        expected_error(**{'num_rows': 100, 'num_columns': 6, 'epsilon': 1.0} | wrong)


#: Seconds of one processor that fits took: rows, columns, classes, and of sampling as many rows.
MEASURED = [
    (10_000, 10, 2, 0.66, 0.07), (10_000, 15, 2, 0.83, 0.09), (10_000, 30, 2, 1.42, 0.16),
    (10_000, 100, 2, 4.64, 0.48), (10_000, 300, 2, 5.76, 0.61), (10_000, 1_000, 2, 22.8, 4.5),
    (10_000, 2_000, 2, 48.3, None), (10_000, 5_000, 2, 93.6, 23.0), (100_000, 15, 2, 2.93, 0.92),
    (100_000, 100, 2, 12.7, 5.27), (1_000_000, 15, 2, 6.8, 13.5), (10_000, 100, 1, 0.42, 0.14),
    (10_000, 300, 1, 1.86, 0.48), (10_000, 5_000, 1, 54.7, None), (100_000, 100, 1, 8.58, 4.58),
    (1_000_000, 15, 1, 2.27, 9.22),
]  # fmt: skip


@pytest.mark.parametrize(('rows', 'columns', 'classes', 'fit', 'sample'), MEASURED)
def test_seconds_are_within_a_factor_of_what_was_measured(rows, columns, classes, fit, sample):
    expected = expected_cost(rows, columns, num_classes=classes)

    assert fit / 3 < expected.fit_seconds < 3 * fit
    # Narrow tables without a target take less to sample than a cell of others would.
    assert sample is None or sample / 3 < expected.sample_seconds < 4 * sample


@pytest.mark.parametrize(
    ('rows', 'columns', 'told'),
    [
        (1000, 10, 'A fit takes about 0.3 seconds of one processor and 0.4 GB'),
        (10**9, 15, 'sampling as many rows about 2 hours and 120.0 GB or more'),
        (10**11, 15, 'about 9 days'),
        (10_000, 5_000, 'about 75.2 seconds of one processor and 2.8 GB'),
    ],
)
def test_it_is_said_in_units_that_one_can_read(rows, columns, told):
    assert told in str(expected_cost(rows, columns))


def test_a_table_without_rows_or_columns_is_refused():
    for wrong in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(ValueError, match='at least one'):
            expected_cost(*wrong)
