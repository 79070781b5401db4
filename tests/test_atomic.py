"""What is written is whole or not there; it is read by whom it is for; nothing is left behind."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sdv_threea.atomic import filling, replacing, replacing_all

posix = pytest.mark.skipif(os.name != 'posix', reason='modes and locks are those of POSIX')


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture(autouse=True)
def _usual_mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@posix
@pytest.mark.parametrize(('private', 'expected'), [(True, 0o600), (False, 0o644)])
def test_a_draft_is_its_owners_and_a_new_file_is_for_whom_it_is_made(tmp_path, private, expected):
    with replacing(tmp_path / 'a.html', private=private) as draft:
        draft.write_text('new')
        assert mode(draft) == 0o600
    assert mode(tmp_path / 'a.html') == expected


@posix
@pytest.mark.parametrize('old', [None, 0o600])
@pytest.mark.parametrize('how', ['file', 'private file', 'folder'])
def test_a_draft_is_never_open_to_others_not_even_as_it_is_made(tmp_path, how, old, monkeypatch):
    made, make, make_folder = {}, os.open, os.mkdir

    def note(path):
        if '.part-' in str(path):
            made[str(path)] = mode(Path(path))

    def opening(path, flags, *how, **others):
        handle = make(path, flags, *how, **others)
        note(path)
        return handle

    def making(path, *how, **others):
        make_folder(path, *how, **others)
        note(path)

    target = tmp_path / 'a'
    if old is not None:
        target.mkdir() if how == 'folder' else target.touch()
        target.chmod(old)
    monkeypatch.setattr(os, 'open', opening)
    monkeypatch.setattr(os, 'mkdir', making)
    if how == 'folder':
        with filling(target) as draft:
            made_with = made[str(draft)]
    else:
        with replacing(target, private=how == 'private file') as draft:
            made_with = made[str(draft)]
    assert made_with == (0o700 if how == 'folder' else 0o600)


@posix
@pytest.mark.parametrize('mask', [0o002, 0o027, 0o077])
def test_the_mask_of_the_user_says_who_may_read_what_is_new(tmp_path, mask):
    os.umask(mask)
    write('file', tmp_path / 'file')
    write('folder', tmp_path / 'folder')
    assert mode(tmp_path / 'file') == 0o666 & ~mask
    assert mode(tmp_path / 'folder') == 0o777 & ~mask
    assert names(tmp_path) == ['file', 'folder']


@posix
@pytest.mark.parametrize('kind', ['file', 'folder'])
def test_what_is_no_draft_is_neither_followed_nor_waited_for(tmp_path, kind):
    pipe, link = (tmp_path / f'.{each * 16}.part-target' for each in '01')
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / 'elsewhere')
    (tmp_path / 'elsewhere').write_text('precious')
    # In a process of its own, which can be ended if it waits.
    done = subprocess.run([sys.executable, '-c', WRITES, kind, tmp_path / 'target'], timeout=60)
    assert done.returncode == 0
    assert names(tmp_path) == [pipe.name, link.name, 'elsewhere', 'target']
    assert (tmp_path / 'elsewhere').read_text() == 'precious'


WRITES = """
import sys
from sdv_threea.atomic import filling, replacing

with (replacing if sys.argv[1] == 'file' else filling)(sys.argv[2]) as draft:
    (draft if sys.argv[1] == 'file' else draft / 'part').write_text('new')
"""


@posix
@pytest.mark.parametrize('private', [True, False])
@pytest.mark.parametrize('old', [0o600, 0o640, 0o664])
def test_a_file_keeps_its_mode(tmp_path, private, old):
    path = tmp_path / 'a.html'
    path.touch()
    path.chmod(old)
    with replacing(path, private=private) as draft:
        draft.write_text('new')
    assert (mode(path), path.read_text()) == (old, 'new')


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / 'real').mkdir()
    link = tmp_path / 'link'
    link.symlink_to(tmp_path / 'real' / 'a')
    with replacing(link) as draft:
        draft.write_text('new')
    assert link.is_symlink()
    assert (tmp_path / 'real' / 'a').read_text() == 'new'


def test_a_link_that_is_swapped_meanwhile_leads_nowhere(tmp_path):
    victim, path = tmp_path / 'victim', tmp_path / 'a'
    victim.write_text('precious')
    with replacing(path) as draft:
        draft.write_text('new')
        path.symlink_to(victim)
    assert victim.read_text() == 'precious'
    assert path.read_text() == 'new'
    assert not path.is_symlink()


@posix
@pytest.mark.parametrize('swap', ['link', 'file'])
def test_a_draft_that_is_swapped_meanwhile_is_refused(tmp_path, swap):
    path, other = tmp_path / 'a', tmp_path / 'other'
    path.write_text('old')
    other.write_text('planted')
    with pytest.raises(OSError, match='moved or replaced'), replacing(path) as draft:
        draft.write_text('new')
        draft.unlink()
        draft.symlink_to(other) if swap == 'link' else draft.write_text('planted')
    assert path.read_text() == 'old'
    assert other.read_text() == 'planted'
    assert names(tmp_path) == ['a', 'other']


def test_a_folder_that_is_swapped_meanwhile_gets_nothing(tmp_path):
    (tmp_path / 'out').mkdir()
    (tmp_path / 'elsewhere').mkdir()
    with pytest.raises(FileNotFoundError), replacing(tmp_path / 'out' / 'a') as draft:
        draft.write_text('new')
        (tmp_path / 'out').rename(tmp_path / 'away')
        (tmp_path / 'out').symlink_to(tmp_path / 'elsewhere')
    assert names(tmp_path / 'elsewhere') == []


@pytest.mark.parametrize('stop', [KeyboardInterrupt, MemoryError, OSError(errno.ENOSPC, 'full')])
def test_after_an_error_all_is_as_it_was(tmp_path, stop):
    (tmp_path / 'a').write_text('old')
    kind = type(stop) if isinstance(stop, OSError) else stop
    places = [tmp_path / 'a', tmp_path / 'b']
    with pytest.raises(kind), replacing_all(places) as drafts:
        for draft in drafts.values():
            draft.write_text('half')
        raise stop
    assert names(tmp_path) == ['a']
    assert (tmp_path / 'a').read_text() == 'old'


def test_who_writes_to_a_draft_writes_to_it_directly(tmp_path):
    with replacing(tmp_path / 'a') as outer, replacing(outer) as inner:
        assert outer == inner
        inner.write_text('new')
    assert (tmp_path / 'a').read_text() == 'new'


@pytest.mark.parametrize('name', ['\U0001f4c8' * 60, 'x' * 255, 'a\nb'])
def test_any_name_that_a_file_can_have_will_do(tmp_path, name):
    with replacing(tmp_path / name) as draft:
        draft.write_text('new')
    assert names(tmp_path) == [name]


KILLED = """
import sys, time
from sdv_threea.atomic import filling, replacing

with (replacing if sys.argv[1] == 'file' else filling)(sys.argv[2]) as draft:
    (draft if sys.argv[1] == 'file' else draft / 'part').write_text('half')
    print('half', flush=True)
    time.sleep(600)
"""


@posix
@pytest.mark.parametrize('kind', ['file', 'folder'])
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_what_a_kill_has_left_is_removed_by_the_next(tmp_path, kind, number):
    target = tmp_path / 'target'
    command = [sys.executable, '-c', KILLED, kind, str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == 'half\n'
        (left,) = names(tmp_path)
        write(kind, target)  # what lives is left alone
        assert names(tmp_path) == [left, 'target']
        remove(kind, target)
        process.send_signal(number)
    assert names(tmp_path) == [left]
    (tmp_path / '.0123456789abcdef.part-other').touch()
    write(kind, target)
    assert names(tmp_path) == ['.0123456789abcdef.part-other', 'target']


def write(kind, target):
    if kind == 'file':
        with replacing(target) as draft:
            draft.write_text('new')
    else:
        with filling(target) as draft:
            (draft / 'part').write_text('new')


def remove(kind, target):
    if kind == 'folder':
        (target / 'part').unlink()
        target.rmdir()
    else:
        target.unlink()


@posix
def test_a_folder_is_its_owners_until_it_is_whole(tmp_path):
    with filling(tmp_path / 'out') as draft:
        assert mode(draft) == 0o700
    assert mode(tmp_path / 'out') == 0o755
