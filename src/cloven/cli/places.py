"""Where a command reads a release and writes its results, checked before any work is done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cloven.errors import OutputError, ParameterError, ReleaseError

if TYPE_CHECKING:
    from pathlib import Path


def release_at(path: Path) -> Path:
    """The path of a release, if there can be one."""
    try:
        path.stat()
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); name the folder or JSON file of a release"
        raise ReleaseError(message) from error
    inner = path / "published"
    if path.is_dir() and not (path / "manifest.json").exists() and (inner / "manifest.json").exists():
        message = f"{path}: is the folder of an audit; name the release inside it, {inner}"
        raise ReleaseError(message)
    return path


def refuse_places(*targets: Path) -> None:
    """Raise unless every target can be made: new, all different, in a folder that is there."""
    from cloven.io.atomic import refuse_existing

    refuse_existing(*targets)
    for number, target in enumerate(targets):
        if target.absolute() in [other.absolute() for other in targets[:number]]:
            message = f"{target}: two outputs cannot have one name; name another place for one of them"
            raise ParameterError(message)
        folder = target.parent
        if not folder.exists():
            message = (
                f"{folder}: no such folder to write {target.name} to; make it first or name another place"
            )
            raise OutputError(message)
        if not folder.is_dir():
            message = f"{folder}: is a file, so {target.name} cannot be written there; name another place"
            raise OutputError(message)
        if not os.access(folder, os.W_OK | os.X_OK):
            message = f"{folder}: no permission to write {target.name} there; name another place"
            raise OutputError(message)
