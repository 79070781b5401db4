"""Output files appear whole, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.outputs import check_places, staged
from sdv_threea.cli.signals import ending_in_order


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


@pytest.mark.parametrize('error', [ValueError, KeyboardInterrupt])
def test_nothing_is_left_behind_when_the_work_fails(tmp_path, error):
    old = tmp_path / 'old.csv'
    old.write_text('old')
    places = [old, tmp_path / 'folder' / 'new.csv']
    with pytest.raises(error), staged(places, force=True) as drafts:
        write(drafts)
        raise error

    assert old.read_text() == 'old'
    assert names(tmp_path) == ['old.csv']


def test_a_folder_is_made_but_not_its_parent(tmp_path):
    with staged([tmp_path / 'folder' / 'a.csv'], force=False) as drafts:
        write(drafts)
    assert names(tmp_path / 'folder') == ['a.csv']

    with (
        pytest.raises(RefusedError, match='no folder'),
        staged([tmp_path / 'one' / 'two' / 'a.csv'], force=False),
    ):
        raise AssertionError


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


def test_files_may_be_read_by_whom_the_user_lets(tmp_path):
    mask = os.umask(0o027)
    try:
        with staged([tmp_path / 'a.csv'], force=False) as drafts:
            write(drafts)
    finally:
        os.umask(mask)
    assert (tmp_path / 'a.csv').stat().st_mode & 0o777 == 0o640


#: A job in the background ignores interrupts, and one of nohup hang-ups. So would their children,
#: if they were not told. A signal just before a sleep is noticed after it, so no sleep is long.
ENDED = """
import signal, sys, time
from pathlib import Path
import click
from sdv_threea.cli.errors import PlainGroup
from sdv_threea.cli.outputs import check_places, staged
from sdv_threea.cli.signals import ending_in_order

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


@pytest.mark.skipif(os.name != 'posix', reason='signals of POSIX')
def test_what_is_ignored_as_by_nohup_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_in_order():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(os.name != 'posix', reason='modes of POSIX')
def test_force_keeps_the_mode_of_a_page_and_the_link_to_it(tmp_path):
    page, link = tmp_path / 'page.html', tmp_path / 'link.html'
    page.touch()
    page.chmod(0o600)
    link.symlink_to(page)
    with staged([link], force=True) as drafts:
        write(drafts)
    assert link.is_symlink()
    assert page.read_text() == 'new link.html'
    assert page.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='there are no pipes')
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """Nor is a device. It is not tried on one: a tree that fails would replace it for everybody."""
    pipe, read = tmp_path / 'pipe.csv', []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with staged([tmp_path / 'a.csv', pipe], force=True) as drafts:
        assert drafts[pipe] == pipe
        write(drafts)
    reader.join(10)
    assert pipe.is_fifo()
    assert read == ['new pipe.csv']


def test_a_read_only_place_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr('sdv_threea.cli.outputs.os.access', lambda path, mode: path != tmp_path)
    with pytest.raises(RefusedError, match='is read-only'):
        check_places([tmp_path / 'a.csv'], force=False)
