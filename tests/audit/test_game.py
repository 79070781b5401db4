"""The whole guessing game: leaks are caught, true claims stand, and errors come before fits."""

import logging
import math
import warnings

import numpy as np
import pytest
from described import describe
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.accounting import epsilon_from_mu
from sdv_threea.audit import audit_privacy, far_out, many_children

TERMS = {'delta': 1e-5, 'gaussian': True, 'verbose': False}


@pytest.fixture
def people(people):
    """Make a table of two columns, which is fitted quickly."""
    return people[['age', 'kind']]


@pytest.fixture
def metadata():
    return describe({'age': 'numerical', 'kind': 'categorical'}, 'people')


@pytest.fixture
def neighbours(people, metadata):
    return far_out({'people': people}, metadata)


def test_a_mechanism_of_known_privacy_is_found_out(noisy_count, neighbours):
    mu = 3.0
    result = audit_privacy(
        noisy_count(mu), neighbours, runs=400, rng=np.random.default_rng(0), **TERMS
    )
    # Seeded; at confidence .95 the claim is refuted in less than one of twenty such audits.
    assert 0.5 * epsilon_from_mu(mu, 1e-5) < result.largest.epsilon < epsilon_from_mu(mu, 1e-5)
    assert result.largest.view == 'released parameters'


def test_who_claims_too_little_is_refuted(noisy_count, neighbours):
    claim = epsilon_from_mu(1.0, 1e-5)
    rng = np.random.default_rng(0)
    terms = {'epsilon': claim, 'runs': 240, 'rng': rng, **TERMS}
    broken = audit_privacy(noisy_count(3.0), neighbours, **terms)
    sound = audit_privacy(noisy_count(1.0), neighbours, **terms)
    assert broken.refuted
    assert not sound.refuted


def test_sdv_itself_gives_the_canary_away(people, metadata, neighbours):
    result = audit_privacy(
        lambda: GaussianCopulaSynthesizer(metadata), neighbours, epsilon=1.0, runs=60, **TERMS
    )
    assert result.refuted
    assert {bound.view for bound in result.bounds if bound.epsilon > 1} >= {
        'synthetic rows',
        'released parameters',
    }


def test_an_unpaid_number_is_caught(noisy_count, neighbours):
    class CountsRows(type(noisy_count(3.0)())):
        def fit(self, data):
            super().fit(data)
            self.row_count = len(data['people'])

    rng = np.random.default_rng(0)
    result = audit_privacy(
        lambda: CountsRows(3.0, rng), neighbours, epsilon=8.0, runs=60, rng=rng, **TERMS
    )
    assert result.refuted
    assert result.largest.view == 'released parameters'


def test_several_tables_are_audited(clinic, clinic_metadata):
    neighbours = many_children(clinic, clinic_metadata, 'patient', 5)
    result = audit_privacy(
        lambda: ClustMixMultiTableSynthesizer(clinic_metadata, epsilon=3.0, delta=1e-5),
        neighbours,
        epsilon=3.0,
        runs=40,
        **TERMS,
    )
    assert not result.refuted
    assert result.runs == 40


def test_bounds_share_the_doubt(noisy_count, neighbours):
    rng = np.random.default_rng(0)
    result = audit_privacy(noisy_count(1.0), neighbours, runs=40, rng=rng, **TERMS)
    assert [(bound.view, bound.form) for bound in result.bounds] == [
        ('synthetic rows', 'any mechanism'), ('synthetic rows', 'Gaussian'),
        ('released parameters', 'any mechanism'), ('released parameters', 'Gaussian'),
        ('messages', 'any mechanism'), ('messages', 'Gaussian'),
    ]  # fmt: skip
    general = audit_privacy(noisy_count(1.0), neighbours, runs=40, rng=rng, verbose=False)
    assert {bound.form for bound in general.bounds} == {'any mechanism'}


def test_a_value_in_a_warning_is_caught(noisy_count, neighbours):
    """Nothing else of the fit tells the tables apart."""

    class WarnsOfRows(type(noisy_count(3.0)())):
        def fit(self, data):
            super().fit(data)
            warnings.warn(f'ages up to {data["people"]["age"].max()}', stacklevel=1)

    rng = np.random.default_rng(0)
    result = audit_privacy(
        lambda: WarnsOfRows(0.01, rng), neighbours, epsilon=1.0, runs=60, rng=rng, **TERMS
    )
    assert result.refuted
    assert result.largest.view == 'messages'


def test_fits_are_quiet_and_as_verbose_as_ever(noisy_count, neighbours, recwarn, capsys):
    levels = []

    def make():
        warnings.warn('every fit says so', stacklevel=1)
        logging.getLogger('of.a.fit').error('and logs it')
        levels.append(logging.getLogger('of.a.fit').isEnabledFor(logging.WARNING))
        return noisy_count(1.0)()

    audit_privacy(make, neighbours, runs=40, verbose=False)
    assert levels == [True] * 40
    assert not [each for each in recwarn if 'every fit' in str(each.message)]
    assert capsys.readouterr() == ('', '')


@pytest.mark.parametrize(
    ('terms', 'words'),
    [
        ({'epsilon': -1.0}, 'epsilon must be'),
        ({'epsilon': math.nan}, 'epsilon must be'),
        ({'delta': 1.0}, 'delta must be'),
        ({'runs': 39}, 'runs must be'),
        ({'confidence': 1.0}, 'confidence must be'),
    ],
)
def test_what_is_out_of_range_is_refused_before_anything_is_fitted(neighbours, terms, words):
    with pytest.raises(ValueError, match=words):
        audit_privacy(lambda: pytest.fail('fitted'), neighbours, **terms)
