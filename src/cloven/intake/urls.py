"""Paths of this machine in the words of Hadoop, which Spark reads and writes by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

PATTERNS = frozenset("{}[]*?\\")


def file_url(path: Path) -> str:
    """A path as Hadoop takes it: nothing is escaped, and signs of patterns cannot be.

    >>> from pathlib import Path
    >>> file_url(Path("/data/of the clinic"))
    'file:///data/of the clinic'
    """
    place = path.absolute().as_posix()
    if strange := sorted(set(place) & PATTERNS):
        message = f"{path}: Spark takes {strange[0]} in a path for a pattern; name another place"
        raise ParameterError(message)
    return f"file://{place}"
