"""Constraints through SDV's interface: added, described, preprocessed, saved, validated."""

import math

import pytest
from sdv.cag import Inequality
from sdv.errors import RefitWarning

from sdv_threea import ClustMixSynthesizer

NAME = 'people'


def test_constraints_can_be_added_one_after_the_other(fit, table):
    data = table[['low', 'middle', 'high']]
    synthesizer = fit([Inequality('low', 'middle')], data, epsilon=5.0)
    with pytest.warns(RefitWarning, match='please refit'):
        synthesizer.add_constraints([Inequality('middle', 'high')])
    with pytest.warns(RefitWarning, match='their costs add up'):
        synthesizer.fit({NAME: data})

    assert len(synthesizer.get_constraints()) == 2
    assert synthesizer._model.domain.names[0] == 'low'
    assert synthesizer._model.domain.names[1:3] == ('low#middle', 'middle#high')


def test_the_modified_metadata_describes_what_is_modelled(metadata, table, everything):
    synthesizer = ClustMixSynthesizer(metadata)
    before = synthesizer.get_metadata('modified').to_dict()
    synthesizer.add_constraints(everything)
    processed = synthesizer.preprocess({NAME: table})[NAME]
    modified = synthesizer.get_metadata('modified').tables[NAME].columns

    assert before == synthesizer.get_metadata('original').to_dict() == metadata.to_dict()
    assert set(processed.columns) == set(modified) - {'email'}
    assert modified['city#country'] == {'sdtype': 'categorical'}
    assert modified['start#end'] == {'sdtype': 'numerical'}
    assert modified['start']['sdtype'] == 'datetime'
    assert 'country' not in modified


def test_a_name_that_is_taken_is_not_taken_again(build_metadata, table):
    columns = dict.fromkeys(['low', 'high', 'low#high'], {'sdtype': 'numerical'})
    columns |= {'low#high.missing': {'sdtype': 'categorical'}}
    data = table[['low', 'high']].assign(**{'low#high': 1.5, 'low#high.missing': 'x'})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=math.inf)
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.fit({NAME: data})
    sampled = synthesizer.sample(20)[NAME]

    assert (sampled['low#high'] == 1.5).all()
    assert (sampled['low'] <= sampled['high']).all()
