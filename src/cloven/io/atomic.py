"""All or nothing on disk: stage next to the target, flush to the device, rename into place.

A run that is killed leaves at most a hidden folder ``.cloven-*.partial`` (mode 0700) beside the target.
Nothing reads it; the next run that writes there removes it (see ``staging``).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from cloven.errors import OutputError
from cloven.io.staging import PRIVATE_FILE, PRIVATE_FOLDER, staging_folder

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
            tables = [folder / name for name in ("chunks.parquet", "rows.parquet")]
            if (folder / "manifest.json").is_file() and any(table.is_file() for table in tables):
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
