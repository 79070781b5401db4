"""Write files and folders atomically: completely or not at all.

A draft with a hidden name is written next to the target, readable by its owner alone from the
start, and moved to the target when it is complete and on the disk. So after an error, an interrupt,
a full disk, a kill or a loss of power, either the old or the new file exists.

A draft is locked while its process lives. Drafts of killed processes are unlocked, and removed when
the same target is written again.
"""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

try:
    import fcntl

    HAS_LOCKS = True
except ImportError:  # Windows: drafts of killed processes look like those being written
    HAS_LOCKS = False

Place = TypeVar('Place')

#: Modes of files and folders that only their owner may read.
OWN_FILE, OWN_FOLDER = 0o600, 0o700

#: Modes of any other file and folder, before the user's mask.
ANY_FILE, ANY_FOLDER = 0o666, 0o777

#: The largest number of bytes of the target's name at the end of a draft's name; file systems allow
#: 255.
MOST_BYTES = 200

#: The names of drafts. Drafts end like the target's name, because the ending states the format.
NAMES = re.compile(r'\.[0-9a-f]{16}\.part-(.*)', re.DOTALL)

#: The drafts of this process. If a target is itself a draft, it is written directly.
_drafts: set[Path] = set()


@contextmanager
def replacing(filepath: str | os.PathLike[str], *, private: bool = False) -> Iterator[Path]:
    """Yield the path of a draft that replaces a file when the block ends without an error.

    An existing file keeps its mode; only its owner may read a new file of ``private`` rows. A link
    stays, and its target is written. The path of a device or a pipe is yielded unchanged.
    """
    try:
        with replacing_all([filepath], private=private) as drafts:
            yield drafts[filepath]
    except OSError as error:
        raise type(error)(
            error.errno,
            f'{error.strerror}. Nothing was saved, and an earlier file is unchanged',
            str(filepath),
        ) from error


@contextmanager
def replacing_all(places: Iterable[Place], *, private: bool = False) -> Iterator[dict[Place, Path]]:
    """Yield drafts by file, as :func:`replacing` does; all files appear when all are complete."""
    with ExitStack() as undo:
        drafts = {
            place: undo.enter_context(_drafting_file(os.path.realpath(str(place)), private))
            for place in places
        }
        yield {place: draft.path for place, draft in drafts.items()}
        for draft in drafts.values():
            draft.finish()
        for draft in drafts.values():
            draft.move()


@contextmanager
def filling(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a draft of a folder that takes the place of an empty or missing one on success."""
    target = Path(os.path.realpath(folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        problem = 'The place is taken: choose another folder, or empty it'
        raise FileExistsError(errno.EEXIST, problem, os.fspath(folder))
    if not target.parent.is_dir():
        problem = 'The folder around it does not exist: create that first'
        raise FileNotFoundError(errno.ENOENT, problem, os.fspath(folder))
    _sweep(target)
    beside = _name_draft(target)
    beside.mkdir(OWN_FOLDER)
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    else:  # the draft may have inherited a bit from its parent
        mode = stat.S_IMODE(beside.stat().st_mode) | _find_usual_mode(target) & ANY_FOLDER
    lock = _lock(beside)
    try:
        yield beside
        for path in beside.iterdir():
            _flush(path, os.O_RDWR)
        beside.chmod(mode)
        if target.exists():
            target.rmdir()
        beside.rename(target)
        _flush(target.parent, os.O_RDONLY)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        _unlock(lock)


@dataclass(frozen=True)
class _Draft:
    target: Path
    path: Path  # the target itself, if it is written directly
    mode: int = OWN_FILE
    lock: int | None = None  # the handle that made the draft and keeps it locked

    def finish(self) -> None:
        """Set the mode of the draft and flush it to disk; ``OSError`` if it was exchanged."""
        if self.path == self.target:
            return
        if self.lock is None:
            self.path.chmod(self.mode)
            _flush(self.path, os.O_RDWR)
            return
        if not os.path.samestat(os.fstat(self.lock), self.path.lstat()):
            raise OSError(errno.ESTALE, 'Its draft was moved or replaced', str(self.target))
        os.fchmod(self.lock, self.mode)
        os.fsync(self.lock)

    def move(self) -> None:
        """Move the draft to its place, even over a link that was put there in the meantime."""
        if self.path != self.target:
            self.path.replace(self.target)
            _flush(self.target.parent, os.O_RDONLY)


@contextmanager
def _drafting_file(place: str, private: bool) -> Iterator[_Draft]:
    """Yield a draft of a file, and finally remove it unless it was moved."""
    target = Path(place)
    if target in _drafts or (target.exists() and not target.is_file()):
        yield _Draft(target, target)
        return
    _sweep(target)
    mode = OWN_FILE
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    elif not private:
        mode = _find_usual_mode(target) & ANY_FILE
    path = _name_draft(target)
    lock = _make_draft(path)
    _drafts.add(path)
    try:
        yield _Draft(target, path, mode, lock)
    finally:
        _drafts.discard(path)
        path.unlink(missing_ok=True)
        _unlock(lock)


def _make_draft(path: Path) -> int | None:
    """Create an empty draft; return the handle that keeps it locked, if there are locks."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWN_FILE)
    if not HAS_LOCKS:  # Windows moves no file that is open
        os.close(handle)
        return None
    with suppress(OSError):  # a file system without locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def _find_usual_mode(target: Path) -> int:
    """Return the mode that the user's mask gives to new files next to a target."""
    # Reading the mask of a process means setting it, which other threads would notice.
    path = _name_draft(target)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ANY_FOLDER)
    try:
        return stat.S_IMODE(os.fstat(handle).st_mode)
    finally:
        os.close(handle)
        path.unlink(missing_ok=True)


def _name_draft(target: Path) -> Path:
    return target.with_name(f'.{secrets.token_hex(8)}.part-{_end(target)}')


def _end(target: Path) -> str:
    return os.fsdecode(os.fsencode(target.name)[-MOST_BYTES:])


def _sweep(target: Path) -> None:
    for name in os.listdir(target.parent) if HAS_LOCKS and target.parent.is_dir() else ():
        found = NAMES.fullmatch(name)
        if found is None or found[1] != _end(target):
            continue
        path = target.with_name(name)
        lock = _lock(path)  # None while the process that writes it is running
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                path.unlink()
            _unlock(lock)


def _lock(path: Path) -> int | None:
    """Lock a file or a folder, not a link; return the handle, or ``None`` on failure."""
    if not HAS_LOCKS:
        return None
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    mode = os.fstat(handle).st_mode
    try:
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EINVAL, 'No draft is of this kind', os.fspath(path))
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # in use; or a file system without locks
        os.close(handle)
        return None
    return handle


def _unlock(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


def _flush(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
