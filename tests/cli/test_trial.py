"""The command ``audit``: a false claim is refuted, a true one stands."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdv_threea.cli import measuring, saved

RUNS = 40


@pytest.fixture
def grades(tmp_path, monkeypatch):
    """Make a small table of two columns, in the working folder."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({'grade': rng.choice(['a', 'b'], 200), 'cost': rng.normal(size=200)})
    table.to_csv(tmp_path / 'grades.csv', index=False)
    columns = {'grade': {'sdtype': 'categorical'}, 'cost': {'sdtype': 'numerical'}}
    metadata = {'tables': {'grades': {'columns': columns}}}
    metadata |= {'relationships': [], 'METADATA_SPEC_VERSION': 'V2'}
    (tmp_path / 'metadata.json').write_text(json.dumps(metadata))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def audit(grades, call):
    """Audit the table, at epsilon 0.1 and 40 runs."""
    options = ['--metadata', 'metadata.json', '--epsilon', 0.1, '--runs', RUNS]
    return lambda *more: call('audit', 'grades.csv', *options, *more)


def test_a_promise_that_is_broken_is_refuted_and_the_exit_code_says_so(audit, monkeypatch):
    """Without noise every guess is right. The coins are seeded, so that both worlds occur."""

    def make_without_noise(metadata, settings):
        return saved.make_synthesizer(metadata, {**settings, 'epsilon': float('inf')})

    seeded = partial(measuring.audit_privacy, rng=np.random.default_rng(0))
    monkeypatch.setattr(measuring, 'audit_privacy', seeded)
    monkeypatch.setattr(measuring, 'make_synthesizer', make_without_noise)
    done = audit('--canary', 'rare-category', '--column', 'grade', '--value', 'z')

    assert (done.exit_code, done.stderr) == (1, '')
    assert done.stdout.startswith('REFUTED: epsilon=0.1 was claimed')


@pytest.mark.parametrize(
    ('options', 'complaint'),
    [
        (['--canary', 'lone-class'], 'needs a --column'),
        (['--canary', 'lone-class', '--column', 'wages', '--value', 'a'], 'needs a --column'),
        (['--canary', 'lone-class', '--column', 'grade'], 'needs a --value'),
        (['--canary', 'lone-class', '--column', 'grade', '--value', 'z'], 'must occur'),
        (['--canary', 'rare-category', '--column', 'grade', '--value', 'a'], 'must not occur'),
        (['--canary', 'rare-category', '--column', 'cost', '--value', 'a'], 'not numbers'),
        (['--table', 'wages'], 'table must be one of'),
        (['--target', 'wages'], 'is not a column'),
    ],
)
def test_what_cannot_stand_out_is_refused_before_any_fit(audit, monkeypatch, options, complaint):
    monkeypatch.setattr(measuring, 'audit_privacy', lambda *_, **__: pytest.fail('fitted'))
    done = audit(*options)

    assert (done.exit_code, done.stdout) == (2, '')
    assert complaint in done.stderr
