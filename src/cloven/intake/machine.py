"""How much memory this process may use, as the system and the control groups around it say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNLIMITED = 1 << 60  # how version 1 of control groups writes "no limit"


def available(root: Path = Path("/")) -> int | None:
    """Bytes that this process may use in all, with those it holds already; None where nobody tells.

    The least of what the system has free and of what the limits of its control groups (containers, batch systems)
    leave.
    """
    found = [*_free(root), *_left_in_groups(root)]
    return min(found) + _held(root) if found else _by_sysconf()


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
