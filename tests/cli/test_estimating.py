"""The commands ``estimate``, ``check`` and ``ledger``: what they print, and what they refuse."""

import json

import pytest

from sdv_threea.cost import expected_cost
from sdv_threea.estimate import expected_error


def test_an_estimate_needs_no_file(call):
    done = call(
        'estimate', '--rows', 3000, '--columns', 12, '--classes', 2, '--numerical', 4,
        '--epsilon', 2, '--neighbors', 'replace_one',
    )  # fmt: skip
    expected = expected_error(
        3000, 12, 2.0, num_classes=2, num_numerical=4, neighbors='replace_one'
    )
    cost = expected_cost(3000, 12, num_classes=2)
    assert (done.exit_code, done.stdout, done.stderr) == (0, f'{expected}\n\n{cost}\n', '')


def test_what_cannot_be_is_refused_in_one_line(call):
    for wrong in (['--rows', 0], ['--epsilon', -1], ['--delta', 2], ['--numerical', 13]):
        done = call('estimate', '--rows', 3000, '--columns', 12, '--epsilon', 2, *wrong)
        assert (done.exit_code, done.stdout) == (2, '')
        assert done.stderr.count('\n') == 1
        assert wrong[0].strip('-') in done.stderr


@pytest.fixture
def stays(tmp_path):
    """Write a table whose names call for a stop, and its metadata."""
    columns = {'age': {'sdtype': 'numerical'}, 'notes': {'sdtype': 'categorical'}}
    described = {'tables': {'stays': {'columns': columns}}, 'METADATA_SPEC_VERSION': 'V2'}
    (tmp_path / 'stays.json').write_text(json.dumps(described))
    (tmp_path / 'stays.csv').write_text('age,notes\n' + '1,secret note\n' * 30)
    return tmp_path


def test_a_check_prints_a_table_and_a_fit_stops_with_the_option_that_goes_on(call, stays):
    metadata, out = stays / 'stays.json', stays / 'stays.release'
    done = call('check', '--metadata', metadata, '--epsilon', 1, '--rows', 9000)
    assert done.exit_code == 0, done.stderr
    assert 'personal: learned' in done.stdout
    assert "unless accept names 'verbatim'" in done.stdout

    fit = 'fit', stays / 'stays.csv', '--metadata', metadata, '--epsilon', 1, '--out', out
    stopped = call(*fit)
    assert stopped.exit_code == 2
    assert stopped.stderr.endswith('To go on: --accept verbatim.\n')
    assert 'secret' not in stopped.output
    assert not out.exists()


def test_a_ledger_is_printed_and_refuses_a_fit_beyond_its_limit(call, stays):
    file, metadata = stays / 'stays.ledger', stays / 'stays.json'
    missing = call('ledger', file)
    assert (missing.exit_code, 'no ledger' in missing.stderr) == (2, True)
    assert call('ledger', file, '--limit', 0.5).exit_code == 0
    refused = call(
        'fit', stays / 'stays.csv', '--metadata', metadata, '--epsilon', 1, '--ledger', file,
        '--accept', 'verbatim', '--out', stays / 'stays.release',
    )  # fmt: skip
    assert refused.exit_code == 2, refused.stderr
    assert 'its limit is 0.5 at --delta 1e-05. Nothing was spent.' in refused.stderr
    assert '0 fits begun' in call('ledger', file).stdout
