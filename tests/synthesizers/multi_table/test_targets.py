"""The target of a child table: as frequent as it is, and as much a matter of its owner."""

import warnings

import numpy as np
import pandas as pd
import pytest

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.datasets import load_hospital
from sdv_threea.relational.following import Given

CODES = ['admission_type', 'discharge_disposition', 'admission_source']


def share_readmitted(stays):
    """The share of stays that are not followed by another, of all and of patients with one."""
    apart = stays['readmitted'] == 'NO'
    alone = ~stays['patient_nbr'].duplicated(keep=False)
    return apart.mean(), apart[alone].mean(), apart[~alone].mean()


def test_the_target_depends_on_how_many_rows_the_owner_has_as_it_does():
    """Stays of patients who come once are rarely followed by another: 77 % are not, for 26 %."""
    tables, metadata = load_hospital()
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=20.0,
        privacy_unit='patient',
        public_tables=CODES,
        target_column={'encounter': 'readmitted'},
        verbose=False,
    )
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(tables)
    sampled = synthesizer.sample_scale(1.0)['encounter']
    real = share_readmitted(tables['encounter'])
    assert share_readmitted(sampled) == pytest.approx(real, abs=0.08)


@pytest.mark.parametrize(('bound', 'followed'), [(None, 0), (1, 0), (2, 1)])
def test_contexts_are_as_frequent_as_rows_are_read(bound, followed):
    """Owners are drawn as often as they have rows; up to ``bound`` of them are read."""
    owned = np.repeat([1, 2, 5], [1000, 2000, 5000])
    given = Given(pd.DataFrame({'owner': owned}), owned)
    read = given.as_read(bound, np.random.default_rng(0), followed)
    assert np.array_equal(read.context['owner'], read.owned)
    times = np.array([1000.0] * 3) * np.clip(np.array([1, 2, 5]) - followed, 0, bound)
    found = np.array([(read.owned == each).mean() for each in (1, 2, 5)])
    assert found == pytest.approx(times / times.sum(), abs=0.03)
