"""What a fit says of its budget when something fails, and constraints from a file."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from orders import RULES, draw_tables, make_metadata

from sdv_threea.cli.fitting import read_constraints
from sdv_threea.cli.saved import load
from sdv_threea.constraints import After

ORDERED = {
    'class_name': 'Inequality',
    'parameters': {'low_column_name': 'begun', 'high_column_name': 'ended'},
}


@pytest.fixture(scope='module')
def jobs(tmp_path_factory):
    """Make a table of two ordered numbers, and its metadata."""
    folder = tmp_path_factory.mktemp('jobs')
    begun = np.random.default_rng(0).integers(0, 50, 400)
    pd.DataFrame({'begun': begun, 'ended': begun + begun[::-1]}).to_csv(
        folder / 'jobs.csv', index=False
    )
    columns = {name: {'sdtype': 'numerical'} for name in ('begun', 'ended')}
    metadata = {'tables': {'jobs': {'columns': columns}}, 'relationships': []}
    metadata['METADATA_SPEC_VERSION'] = 'V2'
    (folder / 'metadata.json').write_text(json.dumps(metadata))
    return folder


@pytest.fixture
def fit(jobs, call, tmp_path):
    """Fit that table to ``out.pkl``, with more options or others."""

    def fit(*more, out='out.pkl'):
        given = '--metadata', jobs / 'metadata.json', '--epsilon', 2, '--out', tmp_path / out
        return call('fit', jobs / 'jobs.csv', *given, *more)

    return fit


@pytest.fixture
def shop(tmp_path):
    """A folder with a database, and its metadata."""
    tables = draw_tables(sizes=(60, 7, 90, 200))
    tables['order']['customer'] = tables['order']['customer'].astype('Int64')
    (tmp_path / 'shop').mkdir()
    for name, table in tables.items():
        table.to_csv(tmp_path / 'shop' / f'{name}.csv', index=False)
    make_metadata().save_to_json(tmp_path / 'shop.json')
    return tmp_path


def fit_shop(call, shop, rules):
    spelled = [each.get_constraint_dict() for each in rules]
    (shop / 'rules.json').write_text(json.dumps(spelled))
    given = '--metadata', shop / 'shop.json', '--epsilon', 2, '--out', shop / 'out.release'
    unit = '--privacy-unit', 'customer', '--public-table', 'product'
    return call('fit', shop / 'shop', *given, *unit, '--constraints', shop / 'rules.json')


def test_rules_between_tables_are_read_from_a_file(call, shop):
    rules = [each for each in RULES if 'line' in repr(each)]
    done = fit_shop(call, shop, rules)
    assert done.exit_code == 0, done.stderr
    loaded = load(shop / 'out.release')
    assert list(map(repr, loaded.get_constraints())) == list(map(repr, rules))
    loaded.validate_constraints(loaded.sample_scale(1.0))


def test_a_wrong_rule_between_tables_is_refused_before_anything_is_read(call, shop):
    (shop / 'shop' / 'order.csv').write_text('id')
    done = fit_shop(call, shop, [After('line.day', 'order.dya')])
    assert done.exit_code
    assert "no column 'order.dya'" in done.stderr
    assert 'budget' not in done.stderr


@pytest.mark.parametrize(
    ('content', 'complaint'),
    [
        ('not JSON', 'is not JSON'),
        ('{}', 'must be a list'),
        ('[{"class_name": "Inequality"}]', 'entry 1 .* must be such as'),
        ('[{"class_name": "ProgrammableConstraint", "parameters": {}}]', 'entry 1 .* is none of'),
        ('[{"class_name": "Range", "parameters": {"low": 1}}]', "entry 1 .* 'low'"),
        (json.dumps([{**ORDERED, 'parameters': {'low_column_name': 3}}]), 'entry 1'),
    ],
)
def test_other_files_are_no_constraints(tmp_path, content, complaint):
    (tmp_path / 'rules.json').write_text(content)
    with pytest.raises(Exception, match=complaint) as caught:
        read_constraints(tmp_path / 'rules.json')
    assert caught.type.__name__ == 'RefusedError'


@pytest.mark.parametrize('out', ['out.pkl', 'out.release'])
def test_a_release_that_cannot_be_written_is_saved_elsewhere(
    fit, tmp_path, monkeypatch, list_files, out
):
    from sdv_threea.cli import fitting

    save, elsewhere = fitting.save, tmp_path / 'elsewhere'
    elsewhere.mkdir()

    def fail_at_first(synthesizer, path, *, as_release):
        monkeypatch.setattr(fitting, 'save', save)
        raise OSError(28, 'No space left on device', str(path))

    monkeypatch.setattr(fitting, 'save', fail_at_first)
    monkeypatch.setattr('tempfile.mkdtemp', lambda prefix: str(elsewhere))
    done = fit(out=out)

    assert done.exit_code == 1
    *_, told = done.stderr.splitlines()
    assert 'No space left on device' in told
    assert 'its budget is spent' in told
    found = Path(re.search(r"The synthesizer is in '(.*)'", told)[1])
    assert found == elsewhere / out
    assert len(load(found).sample(10)['jobs']) == 10
    assert list_files(tmp_path) == [out]  # that which is elsewhere


def test_a_fit_that_fails_says_whether_private_rows_were_asked(fit, monkeypatch):
    asked = 'Private rows were read, so its budget counts as spent (--epsilon 2 --delta 1e-06)'

    def fail(*_, **__):
        raise RuntimeError('SECRET')

    monkeypatch.setattr('sdv_threea.pipeline.describe', fail)
    late = fit()
    assert (late.exit_code, asked in late.stderr) == (1, True), late.stderr
    monkeypatch.setattr('sdv_threea.transforms.preprocessor.Preprocessor.check', fail)
    early = fit()
    assert (early.exit_code, asked in early.stderr) == (1, False)
    assert 'SECRET' not in late.stderr + early.stderr


def test_a_fit_that_is_interrupted_says_what_it_cost(fit, monkeypatch, list_files, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr('sdv_threea.pipeline.describe', stop)
    done = fit()
    assert done.exit_code == 1
    assert 'The fit was stopped. Private rows were read' in done.stderr
    assert list_files(tmp_path) == []
