"""The progress bar: shown on a terminal only."""

import io
import re
import sys

from sdv_threea.cli.steps import steps


class Terminal(io.StringIO):
    def isatty(self):
        return True


def take(names):
    with steps(len(names)) as step:
        for name in names:
            step(name)


def test_a_terminal_sees_each_step_begin_and_the_last_one_end(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', Terminal())
    take(['Reading', 'Fitting'])

    seen = sys.stderr.getvalue()
    assert re.search(r'Reading.*0/2.*Fitting.*1/2.*Fitting.*2/2', seen, re.DOTALL)


def test_nothing_is_shown_where_nobody_watches(capsys):
    take(['Reading'])
    assert capsys.readouterr().err == ''


def test_seconds_are_told_of_steps_that_are_named_when_they_begin(capsys):
    """What is printed after the last step has lines of its own."""
    with steps(0, timed=True) as step:
        step('describe')
        assert capsys.readouterr().err == 'describe:'
        step('')
        assert re.fullmatch(r' \d\.\d s\n', capsys.readouterr().err)
    assert capsys.readouterr().err == ''
