"""The command ``estimate``: its numbers, and what it refuses."""

from __future__ import annotations

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
