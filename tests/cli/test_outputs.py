"""Output files appear whole, or not at all."""

import io
import os
import re
import signal
import subprocess
import sys

import pytest

from sdv_threea.cli.outputs import check_places, staged, steps
from sdv_threea.cli.refusals import RefusedError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(drafts):
    for place, draft in drafts.items():
        draft.write_text(f'new {place.name}')


def test_files_appear_together_at_the_end(tmp_path):
    places = [tmp_path / 'a.csv', tmp_path / 'b.csv.gz']
    with staged(places, force=False) as drafts:
        write(drafts)
        assert not any(place.exists() for place in places)
        assert all(draft.name.endswith(place.name) for place, draft in drafts.items())

    assert [place.read_text() for place in places] == ['new a.csv', 'new b.csv.gz']
    assert names(tmp_path) == ['a.csv', 'b.csv.gz']


def test_what_exists_is_replaced_by_force_alone(tmp_path):
    old = tmp_path / 'old.csv'
    old.write_text('old')
    with pytest.raises(RefusedError, match='--force'), staged([old], force=False):
        raise AssertionError
    with staged([old], force=True) as drafts:
        write(drafts)
    assert old.read_text() == 'new old.csv'


def test_an_input_is_never_replaced_whatever_it_is_called(tmp_path):
    source = tmp_path / 'source.csv'
    source.write_text('private')
    alias = tmp_path / 'alias.csv'
    alias.symlink_to(source)
    with (
        pytest.raises(RefusedError, match='is an input'),
        staged([alias], force=True, inputs=[source]),
    ):
        raise AssertionError
    assert source.read_text() == 'private'


@pytest.mark.parametrize('places', [['same', 'same'], ['folder']])
def test_places_that_cannot_hold_a_file_are_refused(tmp_path, places):
    (tmp_path / 'folder').mkdir()
    with pytest.raises(RefusedError), staged([tmp_path / place for place in places], force=True):
        raise AssertionError


#: A job in the background ignores interrupts, and one of nohup hang-ups. So would their children,
#: if they were not told. A signal just before a sleep is noticed after it, so no sleep is long.
ENDED = """
import signal, sys, time
from pathlib import Path
import click
from sdv_threea.cli.refusals import PlainGroup
from sdv_threea.cli.outputs import check_places, staged
from sdv_threea.cli.refusals import ending_in_order

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

@click.group(cls=PlainGroup)
def main():
    pass

@main.command()
@click.argument('place', type=click.Path(path_type=Path))
def slow(place):
    with staged([place], force=False) as drafts:
        drafts[place].write_text('half')
        print('half', flush=True)
        for _ in range(1000):
            time.sleep(0.1)

main()
"""


@pytest.mark.skipif(os.name != 'posix', reason='signals of POSIX')
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_told_to_end_leaves_nothing(tmp_path, number):
    command = [sys.executable, '-c', ENDED, 'slow', str(tmp_path / 'out' / 'a.csv')]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == 'half\n'
        process.send_signal(number)
        try:
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == (1 if number == signal.SIGINT else 128 + number)
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_place_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr('sdv_threea.cli.outputs.os.access', lambda path, mode: path != tmp_path)
    with pytest.raises(RefusedError, match='is read-only'):
        check_places([tmp_path / 'a.csv'], force=False)


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


def test_seconds_are_told_of_steps_that_are_named_when_they_begin(capsys):
    """What is printed after the last step has lines of its own."""
    with steps(0, timed=True) as step:
        step('describe')
        assert capsys.readouterr().err == 'describe:'
        step('')
        assert re.fullmatch(r' \d\.\d s\n', capsys.readouterr().err)
    assert capsys.readouterr().err == ''
