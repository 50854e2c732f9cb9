"""All or nothing on disk: stage next to the target, flush to the device, rename into place.

A run that is killed leaves at most a hidden folder ``.cloven-*.partial`` (mode 0700) beside the target.
Nothing reads it; the next run that writes there removes it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from cloven.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


__all__ = [
    "PRIVATE_FILE", "PRIVATE_FOLDER", "PUBLIC_FILE", "new_file", "refuse_existing", "refuse_inside_release", "staged",
    "write_bytes",
]  # fmt: skip

PUBLIC_FILE = 0o666  # the umask takes its part


def refuse_existing(*targets: Path) -> None:
    """Raise ``OutputError`` for the first target that is already there; broken links count.

    >>> from pathlib import Path
    >>> refuse_existing(Path("surely-not-here"))
    """
    for target in targets:
        if os.path.lexists(target):
            message = f"{target}: exists already; name another place or move it away"
            raise OutputError(message)


def refuse_inside_release(*targets: Path) -> None:
    """Raise ``OutputError`` for a target inside a release: what lies there is sent with it, a key too.

    >>> from pathlib import Path
    >>> refuse_inside_release(Path("surely-not-here"))
    """
    for target in targets:
        for folder in target.absolute().parents:
            if (folder / "manifest.json").is_file() and any(folder.glob("*.parquet")):
                message = (
                    f"{target}: lies inside the release {folder}, which may be published; name another place"
                )
                raise OutputError(message)


@contextmanager
def staged(*targets: Path) -> Iterator[list[Path]]:
    """Give a place to build each target; when the block ends well, move all into place in the order given.

    All targets lie in one folder. Whatever ends the block early, even Ctrl-C, takes everything back; failures
    of the file system become an ``OutputError``.
    """
    refuse_existing(*targets)
    refuse_inside_release(*targets)
    try:
        with staging_folder(targets[0].parent) as staging:
            places = [staging / target.name for target in targets]
            yield places
            for folder in (place for place in places if place.is_dir()):
                _sync_folder(folder)
            _move(places, targets)
    except OSError as error:
        raise _output_error(targets[-1], error) from error


@contextmanager
def new_file(path: Path, mode: int = PUBLIC_FILE) -> Iterator[BinaryIO]:
    """Open a file that must not exist yet, with these permissions; flush it to disk at the end."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as handle:
        yield handle
        handle.flush()
        os.fsync(handle.fileno())


def write_bytes(path: Path, content: bytes, mode: int = PUBLIC_FILE) -> None:
    """Write a new file and flush it to the device."""
    with new_file(path, mode) as handle:
        handle.write(content)


def _move(places: Sequence[Path], targets: Sequence[Path]) -> None:
    """Rename each place to its target; if one fails, move those already done back."""
    for place in places:
        place.lstat()  # a place that was never built must not pass, below, for one that was moved
    try:
        for place, target in zip(places, targets, strict=True):
            refuse_existing(target)
            place.rename(target)
            _sync_folder(target.parent)
    except BaseException:
        # Ask the disk, not a variable: Ctrl-C may strike between a rename and the note that it was done.
        for place, target in reversed(list(zip(places, targets, strict=True))):
            if not os.path.lexists(place) and os.path.lexists(target):
                target.rename(place)
        raise


def _sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the device; Windows has no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _output_error(place: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(f"{place}: cannot be written ({reason}); make room there or name another place")


# Folders in which a run builds its output, and what is left of runs that were killed.
#
# A run holds a lock on a file in its folder for as long as it lives; the system takes the lock away with the process,
# however that ends. So whoever finds an unfinished folder can tell whether somebody still works in it, and the next run
# into the same place removes those of the dead: they can hold a key.


PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
PATTERN = ".cloven-*.partial"
LOCK = ".in-use"
ATTEMPTS = (
    100  # a folder is lost only to a run that clears up in the very moment between its making and its locking
)


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """Make a hidden folder in ``parent`` that nobody else clears away while this process lives; remove it at the end.

    Unfinished folders of processes that no longer live are removed first.
    """
    remove_abandoned(parent)
    for _ in range(ATTEMPTS):
        # Named before it is made: a signal that strikes in between must not leave it behind.
        folder, lock = parent / f".cloven-{secrets.token_hex(16)}.partial", -1
        try:
            folder.mkdir(PRIVATE_FOLDER)
            lock = _taken(folder)
            if lock < 0:
                continue
            yield folder
            return
        finally:
            _remove(folder)
            if lock >= 0:
                os.close(lock)
    message = f"no folder could be kept in {parent}"
    raise OSError(message)


def remove_abandoned(parent: Path) -> None:
    """Remove the unfinished folders in ``parent`` that belong to this user and to no living process.

    What cannot be told is left: folders without a lock file that hold something, file systems without locks.
    """
    with suppress(OSError):
        for folder in list(parent.glob(PATTERN)):
            with suppress(OSError):
                if _is_own(folder):
                    _remove_if_abandoned(folder)


def _is_own(folder: Path) -> bool:
    """A true folder that only this user can have made and filled; never a link to somewhere else."""
    found = folder.lstat()
    own = os.name == "nt" or (found.st_uid == os.geteuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and own


def _remove_if_abandoned(folder: Path) -> None:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        folder.rmdir()  # killed before it was locked: only an empty one goes, and its maker, if alive, makes another
        return
    try:
        _lock(lock)  # raises where its holder lives
        _remove(folder)
    finally:
        os.close(lock)


def _taken(folder: Path) -> int:
    """The lock of a new folder, or -1 where another run has cleared it away as nobody's."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    except FileNotFoundError:
        return -1
    try:
        _lock(lock)
    except BlockingIOError:
        os.close(lock)
        return -1
    except OSError:  # no locks in this file system: then nobody can take it for abandoned either
        return lock
    if not os.path.lexists(folder / LOCK):
        os.close(lock)
        return -1
    return lock


def _lock(descriptor: int) -> None:
    """Lock a file until it is closed or the process ends; an ``OSError`` if another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        from fcntl import LOCK_EX, LOCK_NB, flock

        flock(descriptor, LOCK_EX | LOCK_NB)


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: a run that is killed here leaves one that the next run still can judge."""
    with suppress(OSError):
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                entry.unlink()
    shutil.rmtree(folder, ignore_errors=True)
