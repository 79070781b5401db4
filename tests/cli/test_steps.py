"""The progress bar: shown on a terminal only."""

from __future__ import annotations

import io
import re
import sys

import pytest

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


def test_a_bar_that_is_interrupted_does_not_end(monkeypatch):
    monkeypatch.setattr(sys, 'stderr', Terminal())
    with pytest.raises(ValueError, match='stop'), steps(2) as step:
        step('Reading')
        raise ValueError('stop')
    assert '1/2' not in sys.stderr.getvalue()


def test_nothing_is_shown_where_nobody_watches(capsys):
    take(['Reading'])
    assert capsys.readouterr().err == ''


def test_steps_have_seconds_if_they_are_asked_for(capsys):
    with steps(2, timed=True) as step:
        step('Reading')
        step('Fitting')
    assert re.fullmatch(r'Reading: \d+\.\d s\nFitting: \d+\.\d s\n', capsys.readouterr().err)
