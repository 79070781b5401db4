"""The attacks of anonymeter: they find copies, and nothing in rows of others.

anonymeter needs NumPy 1, so ``make test`` runs these in an environment with old libraries.
"""

import sys

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea.report import make_report, measure_risk

COLUMNS = {
    'cost': {'sdtype': 'numerical'},
    'weight': {'sdtype': 'numerical'},
    'group': {'sdtype': 'categorical'},
    'note': {'sdtype': 'categorical'},
}
DESCRIPTION = {'tables': {'people': {'columns': COLUMNS}}}


def make_people(rng, size=400):
    return pd.DataFrame(
        {
            'cost': rng.gamma(2, 100, size),
            'weight': rng.normal(80, 15, size),
            'group': rng.choice(['a', 'b', None], size),
            'note': rng.choice(list('uvwxyz'), size),
        }
    )


@pytest.fixture
def parts():
    rng = np.random.default_rng(2)
    return [make_people(rng) for _ in range(3)]


def measure(real, synthetic, control):
    tables = ({'people': each} for each in (real, synthetic, control))
    return measure_risk(*tables, DESCRIPTION)


def test_copies_are_at_risk_and_rows_of_others_are_not(parts):
    pytest.importorskip('anonymeter')
    real, others, control = parts
    copied, apart = measure(real, real, control), measure(real, others, control)

    assert list(apart.index[:2]) == ['singling out', 'linkability']
    assert set(apart.index[2:]) == {f'inference of {name}' for name in COLUMNS}
    # Nearest neighbours find every copied row, whose weight is its own.
    assert copied.loc['inference of note', 'on fitted rows'] > 0.9
    assert copied.loc['inference of note', 'risk'] > 0.8
    assert copied.loc['inference of note', 'low'] > 0.5
    assert apart.loc['inference of note', 'on fitted rows'] < 0.5
    assert apart.loc['inference of note', 'low'] < 0.2


def test_without_anonymeter_the_extra_is_named(parts, monkeypatch):
    monkeypatch.setitem(sys.modules, 'anonymeter', None)
    monkeypatch.setitem(sys.modules, 'anonymeter.evaluators', None)
    with pytest.raises(ImportError, match=r'pip install "sdv-threea\[risk\]"'):
        measure(*parts)


def test_attacks_need_rows_that_were_not_fitted(parts):
    metadata = Metadata.load_from_dict(DESCRIPTION)
    with pytest.raises(ValueError, match="not fitted: pass them as 'test'"):
        make_report(parts[0], parts[1], metadata, risk=True)
