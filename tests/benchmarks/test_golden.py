"""The digests of releases see what a change of the code would change, and nothing else."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer


@pytest.fixture(scope='module')
def golden(load_script):
    with load_script('golden', 'benchmarks/golden') as module:
        yield module


TABLE = pd.DataFrame({'x': range(300), 'c': ['u', 'v', 'w'] * 100})
COLUMNS = {'x': {'sdtype': 'numerical'}, 'c': {'sdtype': 'categorical'}}


def make(**settings):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    return ClustMixSynthesizer(metadata, **settings)


def test_a_release_has_one_digest(golden):
    assert golden.digest(make(), {'t': TABLE}) == golden.digest(make(), {'t': TABLE.copy()})


def test_arrays_are_found_whatever_holds_them(golden):
    @dataclass
    class Model:
        parts: tuple
        other: dict

    one, two = np.arange(3), np.eye(2)
    found = golden.find_arrays([Model((one, 'x'), {'deep': [Model((), {'two': two})]})])
    assert [id(each) for each in found] == [id(one), id(two)]


def test_a_release_that_differs_from_a_file_is_named(golden, tmp_path, monkeypatch, capsys):
    cases = {'one': golden.Case(make, {'t': TABLE}), 'two': golden.Case(make, {'t': TABLE[:200]})}
    monkeypatch.setattr(golden, 'list_cases', lambda: cases)
    path = tmp_path / 'before.txt'

    def run(*options):
        monkeypatch.setattr(sys, 'argv', ['golden.py', '--only', 'made', *options])
        return golden.main(), *capsys.readouterr()

    code, printed, _ = run()
    path.write_text(printed + 'shared/adult  a b c\n')
    assert (code, len(printed.splitlines())) == (0, 3)
    assert run('--against', str(path)) == (0, printed, '')

    cases['two'] = golden.Case(make, {'t': TABLE[:250]})
    code, _, named = run('--against', str(path))
    assert code == 1
    assert named == 'differs: made/two (stated, released, sampled)\n'

    del cases['one']
    assert 'differs: made/one (in the file alone)' in run('--against', str(path))[2]
