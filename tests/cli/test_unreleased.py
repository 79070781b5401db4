"""What stands for unreleased values, and what rows are made for, are options of the command too."""

import pytest
from sdv.metadata import Metadata

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.saved import make_synthesizer

CHOSEN = {
    'epsilon': 1.0,
    'targets': (),
    'privacy_unit': None,
    'public_tables': (),
    'max_children': None,
    'missing': 'usual',
}


def make_metadata(*names):
    table = {'columns': {'letter': {'sdtype': 'categorical'}}}
    return Metadata.load_from_dict({'tables': dict.fromkeys(names, table)})


@pytest.mark.parametrize(('given', 'used'), [(None, 'missing'), ('Other', 'Other')])
def test_the_option_is_that_of_the_synthesizer(given, used):
    made = make_synthesizer(make_metadata('t'), CHOSEN | {'unreleased': given})
    assert made.get_parameters()['unreleased'] == used


def test_a_database_has_no_such_option():
    with pytest.raises(RefusedError, match='--unreleased: only for one table'):
        make_synthesizer(make_metadata('t', 'u'), CHOSEN | {'unreleased': 'Other'})
