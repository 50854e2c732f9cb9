"""What every part measures with: how much is run and on which data, medians of rounds, all of the data against half."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions

    Row = dict[str, Any]
    Name = TypeVar("Name", bound=Hashable)

FILES = {
    "BMS-WebView-1": "transactions/BMS1.dat.gz",
    "BMS-WebView-2": "transactions/BMS2.txt.gz",
    "T10I4D100K": "transactions/T10I4D100K.dat.gz",
}
OWN = Path("/proc/self")
FEW = 400
"""Records of a small run."""


class Missing(Exception):  # noqa: N818 - an input is absent, and nothing went wrong
    """A part cannot be measured here; the message has no path."""


class Rows(Protocol):
    """Records or rows, some of which can be taken."""

    def __len__(self) -> int: ...

    def take(self, which: NDArray[Any], /) -> Self:
        """Some of them."""
        ...


Given = TypeVar("Given")
Some = TypeVar("Some", bound=Rows)


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        data: folder of the public data sets.
        reference: file of the plain reference.
        small: run everything once on little data, to see that it runs; the figures mean nothing.
        large: ten million records too.
        beside: another checkout, whose commands take turns with those of this one.
    """

    data: Path
    reference: Path
    small: bool = False
    large: bool = False
    beside: Path | None = None

    @property
    def runs(self) -> int:
        """Rounds that a median is taken of."""
        return 1 if self.small else 5

    def file(self, name: str) -> Path:
        """A public data set below the folder."""
        if not (self.data / name).is_file():
            message = "the public data sets are not there (CLOVEN_DATA names their folder)"
            raise Missing(message)
        return self.data / name

    def some(self, data: Some) -> Some:
        """All of it, or a little if the run is small."""
        return data.take(np.arange(min(FEW, len(data)))) if self.small else data


def medians(works: Mapping[Name, Callable[[], object]], runs: int) -> dict[Name, float]:
    """Seconds of each work; they take turns, so that whatever else the machine does meets all of them."""
    spent: dict[Name, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            start = perf_counter()
            work()
            spent[name].append(perf_counter() - start)
    return {name: statistics.median(each) for name, each in spent.items()}


def halved(data: Some) -> dict[int, Some]:
    """Every second one, and all, by how many they are."""
    return {len(part): part for part in (data.take(np.arange(0, len(data), 2)), data)}


def against_half(
    what: str, data: str, parts: Mapping[int, Given], work: Callable[[Given], object], runs: int
) -> Row:
    """What a work takes on all of the data and on half of it; ``parts`` has both by how many records they are."""
    for part in parts.values():
        work(part)  # compiles
    found = medians({many: partial(work, part) for many, part in parts.items()}, runs)
    records, spent, less = max(parts), found[max(parts)], found[min(parts)]
    memory = held(partial(work, parts[records]))
    print(
        f"{what:28s} {data:14s} {records:>9,} {spent:9.4f} s   {spent / less:5.2f}x the time of half"
        f"   {'?' if memory is None else f'{1e3 * memory:.0f}'} MB",
        flush=True,
    )
    return {
        "what": what, "data": data, "records": records, "seconds": spent, "half_s": less, "ratio": spent / less,
        "memory_gb": memory,
    }  # fmt: skip


def held(work: Callable[[], object]) -> float | None:
    """Gigabytes that this process holds while it works, at most, beyond what it held before; None if nobody can tell.

    Linux keeps the most that a process ever held, and forgets it when told to. Memory that was given back to the
    allocator and not to the system counts as held before.
    """
    try:
        (OWN / "clear_refs").write_text("5")
        before = _kilobytes("VmRSS")
        work()
        return max(0, _kilobytes("VmHWM") - before) / 1e6
    except OSError:
        return None


def _kilobytes(name: str) -> int:
    lines = (OWN / "status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name)))


def write_fimi(data: Transactions, path: Path) -> None:
    """Data as lines of numbers, as the files of others are."""
    codes, offsets = data.codes.tolist(), data.offsets.tolist()
    with path.open("w") as out:
        for start, end in pairwise(offsets):
            out.write(" ".join(map(str, codes[start:end])) + "\n")


def machine() -> Row:
    """What the figures depend on."""
    return {
        "cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version(),
        "numpy": np.__version__,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
    }  # fmt: skip


def pace() -> float:
    """Processor seconds that this machine takes now to count pairs in plain Python, the least of five times."""
    spent = []
    for _ in range(5):
        start = process_time()
        Counter(
            pair for number in range(2_000) for pair in combinations(range(number % 7, number % 7 + 16), 2)
        )
        spent.append(process_time() - start)
    return min(spent)


def keep(file: Path, name: str, part: Row, *, small: bool) -> None:
    """Put a part into a file of figures. Other parts stay, unless they come from runs of the other extent."""
    before = json.loads(file.read_text()) if file.is_file() else {}
    others = before["parts"] if before.get("small") == small else {}
    found = {"small": small, "machine": machine(), "parts": others | {name: part}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=2) + "\n")
