"""How much memory this process may use, as the system and the control groups around it say."""

from __future__ import annotations

import os
import re
import sys
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MOST = -1, -3, 2**31 - 1  # of mallopt(3)
_UNLIMITED = 1 << 60  # how version 1 of control groups writes "no limit"


def available(root: Path = Path("/")) -> int | None:
    """Bytes that this process may use in all, with those it holds already; None where nobody tells.

    The least of what the system has free and of what the limits of its control groups (containers, batch systems)
    leave.
    """
    found = [*_free(root), *_left_in_groups(root)]
    return min(found) + _held(root) if found else _by_sysconf()


def keep_freed_memory() -> bool:
    """Have this process use memory again that it freed; True where the C library lets it be said.

    Large arrays are asked of the system and given back, one by one, and what it gives is emptied page by page: of large
    data that took a third of the time. Kept, it is there for the next array. The peak grows by a seventh or more, for
    arrays no longer fit each other. This is for processes of our own: whoever uses the library decides for himself.
    """
    import ctypes

    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _MOST)) and bool(mallopt(_TRIM_THRESHOLD, _MOST))


def release_unused() -> None:
    """Have Arrow, if it is here, give back what it freed: it keeps as much as a file took to be read."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def _held(root: Path) -> int:
    """Bytes that this process holds."""
    pages = next(_lines(root / "proc/self/statm"), "0 0").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _free(root: Path) -> Iterator[int]:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _left_in_groups(root: Path) -> Iterator[int]:
    """What the limit of each control group around this process leaves; version 2, then version 1."""
    for line in _lines(root / "proc/self/cgroup"):
        number, kinds, place = line.split(":", 2)
        if number == "0":
            names, top = ("memory.max", "memory.current", "inactive_file"), root / "sys/fs/cgroup"
        elif "memory" in kinds.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            top = root / "sys/fs/cgroup/memory"
        else:
            continue
        inner = Path(place.strip().lstrip("/"))
        for group in (inner, *inner.parents):
            yield from _left(top / group, *names)


def _left(group: Path, limit: str, used: str, reclaimable: str) -> Iterator[int]:
    most, now = (_number(next(_lines(group / name), "")) for name in (limit, used))
    if most is None or now is None or most >= _UNLIMITED:
        return
    stats = dict(line.split()[:2] for line in _lines(group / "memory.stat") if len(line.split()) > 1)
    yield max(0, most - now + (_number(stats.get(reclaimable, "0")) or 0))


def _by_sysconf() -> int | None:
    """Free pages, or where they are not told all pages; nothing on Windows."""
    for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            size = os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            continue
        if size > 0:
            return size
    return None


def _lines(path: Path) -> Iterator[str]:
    try:
        yield from path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


# Sizes as people write and read them.


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)


def parse_size(text: str) -> float:
    """Bytes from ``8G``, ``500MB`` or ``1.5GiB``; ``any`` is infinite.

    >>> parse_size("8G"), parse_size("1Ki"), parse_size("any")
    (8000000000.0, 1024.0, inf)
    """
    if text.strip().lower() == "any":
        return inf
    match = _SIZE.fullmatch(text.strip())
    if match is None or not float(match[1]):
        message = f"memory must be a size such as 8G or 500M, or 'any', got {text!r}"
        raise ParameterError(message)
    unit = _UNITS[match[2].lower()]
    return float(match[1]) * (1024 ** list(_UNITS.values()).index(unit) if match[3] else unit)


def written(size: float) -> str:
    """Bytes for people.

    >>> written(9_612_000_000), written(512_000_000)
    ('9.6 GB', '512 MB')
    """
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
