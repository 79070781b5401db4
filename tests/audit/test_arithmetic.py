"""The mu of two tables is exact, and whatever leaves a table without noise is found."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.errors import InvalidDataError

from sdv_threea import ClustMixSynthesizer
from sdv_threea.accounting import mu_from_epsilon
from sdv_threea.audit import measure_mu
from sdv_threea.audit.doors import compare, record, replay
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.statistics import registry

EPSILON, DELTA, NUM_ROWS = 3.0, 1e-6, 300


@pytest.fixture(scope='module')
def rows():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            'x': rng.choice([3.0, 4.0, 5.0], NUM_ROWS),
            'y': rng.choice(['n', 'p'], NUM_ROWS).astype(object),
        }
    )


@pytest.fixture(scope='module')
def metadata():
    return describe({'x': 'numerical', 'y': 'categorical'}, 'rows')


@pytest.fixture
def make_fit(metadata):
    """Return a function that fits a table with a synthesizer of a class."""

    def make(kind=ClustMixSynthesizer, **settings):
        def fit(table):
            claim = {'epsilon': EPSILON, 'delta': DELTA, 'target_column': 'y', **settings}
            synthesizer = kind(metadata, **claim)
            synthesizer.fit({'rows': table})
            return synthesizer

        return fit

    return make


def put(rows, x=9.0, y='p'):
    return pd.concat([rows, pd.DataFrame({'x': [x], 'y': [y]})], ignore_index=True)


def test_nearly_all_of_the_claim_is_reached_and_no_more(rows, make_fit):
    result = measure_mu(make_fit(), rows, put(rows, x=4.0))
    assert result.claimed <= mu_from_epsilon(EPSILON, DELTA)
    assert 0.5 < result.share <= 1
    assert not result.refuted
    assert result.leaks == ()
    assert 'is claimed for all neighbours' in str(result)


def test_the_answers_compose_to_the_whole(rows, make_fit):
    result = measure_mu(make_fit(), rows, put(rows))
    assert result.mu == pytest.approx(math.hypot(*(each.mu for each in result.answers)))
    assert result.mu == pytest.approx(math.hypot(*result.by_stage()['mu']))
    assert result.claimed == pytest.approx(math.hypot(*result.by_stage()['claimed']))
    assert {'describe', 'approximate'} <= set(result.by_stage().index)


def test_a_table_is_its_own_neighbour_at_no_distance(rows, make_fit):
    result = measure_mu(make_fit(), rows, rows.copy())
    assert result.mu == 0
    assert not result.leaks


def test_ten_records_are_too_many_for_the_claim(rows, make_fit):
    many = pd.concat([rows, put(rows).tail(1).iloc[[0] * 10]], ignore_index=True)
    result = measure_mu(make_fit(), rows, many)
    assert result.refuted
    assert result.mu > 5 * result.claimed
    assert 'the distance exceeds the claim' in str(result)


def test_the_best_guesser_is_right_as_often_as_mu_says():
    """The log likelihood ratio is normal: its mean is ``mu^2 / 2``, its deviation ``mu``."""
    about = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'range_is_nullable': False}
    about |= {'decimal_places': 0}
    metadata = describe({'x': about}, 'rows')
    tables = [pd.DataFrame({'x': [3.0, 4.0] * 50 + more}) for more in ([], [9.0])]

    def fit(table):
        synthesizer = ClustMixSynthesizer(metadata, epsilon=8.0, public_metadata=True)
        synthesizer.fit({'rows': table})

    mus, ratios = [], []
    for _ in range(100):
        _, transcript = record(lambda: fit(tables[0]))
        _, asked = replay(lambda: fit(tables[1]), transcript)
        scales = [receipt.noise_scale for receipt in transcript.receipts]
        moves = zip(compare(transcript, asked), scales, strict=True)
        mus.append(math.hypot(*(move.seen / scale for move, scale in moves)))
        ratios.append(sum(map(weigh, transcript.questions, asked, transcript.answers)))
    mu = np.median(mus)
    # 6 standard errors; single fits differ little.
    assert np.mean(ratios) == pytest.approx(mu**2 / 2, abs=6 * mu / np.sqrt(100))
    assert np.std(ratios) == pytest.approx(mu, rel=6 / np.sqrt(200))


def weigh(one, other, answer):
    """Compute the log likelihood ratio of an answer between two exact values."""
    unit, scale = one.terms.get('resolution', 1.0), answer[-1].noise_scale
    middle, moved = (one.exact + other.exact) * unit / 2, (one.exact - other.exact) * unit / scale
    return float((answer[0].ravel() - middle) / scale @ moved)


class KeepsRowCount(ClustMixSynthesizer):
    """A synthesizer that keeps a number without noise and without a receipt."""

    def fit(self, data):
        super().fit(data)
        self.row_count = len(data['rows'])


class WarnsOfRows(ClustMixSynthesizer):
    """A synthesizer that puts a private value into a message."""

    def fit(self, data):
        super().fit(data)
        warnings.warn(f'numbers up to {data["rows"]["x"].max()}', stacklevel=1)


class RanksRows(ClustMixSynthesizer):
    """A synthesizer that reads a cell differently, depending on other cells."""

    def fit(self, data):
        table = data['rows']
        super().fit({'rows': table.assign(x=table['x'] / table['x'].max())})


class FailsOfRows(ClustMixSynthesizer):
    """A synthesizer that fails because of an odd row, after its first question."""

    def fit(self, data):
        super().fit(data)
        if data['rows']['x'].max() > 5:
            raise ValueError('an odd row')


@pytest.mark.parametrize(
    ('kind', 'place'),
    [
        (KeepsRowCount, '.synthesizer.row_count'),
        (WarnsOfRows, '.messages'),
        (FailsOfRows, 'ends in ValueError'),
    ],
)
def test_what_passes_beside_the_doors_is_found(rows, make_fit, kind, place):
    result = measure_mu(make_fit(kind), rows, put(rows))
    assert any(place in leak for leak in result.leaks)
    assert result.refuted
    assert result.mu == math.inf
    assert 'REFUTED' in str(result)
    assert '9.0' not in str(result)


def test_a_cell_that_changes_how_others_are_read_is_found(rows, make_fit):
    result = measure_mu(make_fit(RanksRows), rows, put(rows))
    assert result.refuted
    assert any(each.distance > 10 * each.sensitivity for each in result.answers)


def test_a_sensitivity_that_is_understated_is_found(rows, make_fit, monkeypatch):
    real = registry.COLUMNS
    less = replace(real, sensitivity=lambda **facts: real.sensitivity(**facts) / 1.01)
    monkeypatch.setattr(registry, 'COLUMNS', less)
    result = measure_mu(make_fit(), rows, put(rows, x=4.0))
    assert result.refuted
    assert {each.stage for each in result.answers if each.exceeds} == {'approximate'}


def test_too_little_noise_is_found(rows, make_fit):
    def third(size, scale):
        return discrete_gaussian(size, scale / 3)

    results = [measure_mu(make_fit(), rows, put(rows), noise=each) for each in (None, third)]
    spread = 8 / math.sqrt(2 * results[0].num_values)  # 8 standard errors
    assert results[0].noise == pytest.approx(1, abs=spread)
    assert results[1].noise == pytest.approx(1 / 3, abs=spread / 3)


@pytest.mark.parametrize('settings', [{'epsilon': math.inf}, {'guarantee': 'paper'}])
@pytest.mark.filterwarnings('ignore')
def test_who_promises_nothing_is_refused(rows, make_fit, settings):
    with pytest.raises(ValueError, match='promises nothing'):
        measure_mu(make_fit(**settings), rows, put(rows))


def test_a_fit_with_chance_of_its_own_is_refused(rows, make_fit):
    def fit(table):
        return make_fit()(table.sample(frac=0.5, random_state=np.random.RandomState()))

    with pytest.raises(ValueError, match='ask different questions'):
        measure_mu(fit, rows, put(rows))


def test_a_statement_that_leaves_a_question_out_is_refused(rows, make_fit):
    def fit(table):
        make_fit()(table)
        return make_fit()(table)

    with pytest.raises(ValueError, match='does not list'):
        measure_mu(fit, rows, put(rows))


def test_a_table_that_is_not_valid_is_refused_as_ever(rows, make_fit):
    with pytest.raises(InvalidDataError):
        measure_mu(make_fit(), rows, rows.astype({'x': object}).replace({3.0: 'three'}))
