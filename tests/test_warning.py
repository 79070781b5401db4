"""Warnings point at the line of the user, however deep they come up."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea import ClustMixSynthesizer
from sdv_threea.warning import warn

HERE = Path(__file__).name


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({'group': [f'{at}' for at in range(300)], 'size': rng.normal(size=300)})


@pytest.fixture
def metadata():
    return describe({'group': 'categorical', 'size': 'numerical'}, 'things')


def caught(act):
    """The files and lines that the warnings of an act name, and of the act itself."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        act()
    return [(Path(each.filename).name, each.lineno, str(each.message)) for each in found]


def test_warnings_of_a_setting_and_of_fits_name_the_line_of_the_user(table, metadata):
    careful = ClustMixSynthesizer(metadata)
    careless = ClustMixSynthesizer(metadata, delta=0.009)

    def make():
        ClustMixSynthesizer(metadata, guarantee='paper')

    def fit():
        careful.fit({'things': table})

    def fit_carelessly():
        careless.fit({'things': table})

    for act, wanted in (
        (make, 'paper'),
        (fit, 'This release has lost some of the table'),
        (fit, 'Every fit'),
        (fit_carelessly, 'delta=0.009'),
    ):
        told = [each for each in caught(act) if wanted in each[2]]
        assert [each[:2] for each in told] == [(HERE, act.__code__.co_firstlineno + 1)], wanted


def test_a_warning_moves_no_cursor_and_keeps_its_lines():
    (told,) = caught(lambda: warn("The column 'a\x1b[2J\u202e':\n  - is odd."))

    assert told[2] == "The column 'a\\x1b[2J\\u202e':\n  - is odd."
