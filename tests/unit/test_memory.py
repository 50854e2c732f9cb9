"""How much memory there is, and how much is needed: read from made-up systems, and measured again on a small run."""

from __future__ import annotations

import os
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest

from cloven.audit import memory
from cloven.audit.memory import estimate, refuse_if_too_large
from cloven.errors import ParameterError
from cloven.intake.machine import available, parse_size, written

GB = 10**9
KB = 1024
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def system(root: Path, **files: str) -> Path:
    """A system of files under ``root``; ``__`` stands for a slash."""
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


MEMINFO = f"MemTotal:  {8_000_000} kB\nMemFree: 1 kB\nMemAvailable: {4_000_000} kB\n"


def test_what_the_system_has_free_counts_with_what_the_process_holds(tmp_path):
    assert available(system(tmp_path, proc__meminfo=MEMINFO)) == 4_000_000 * KB
    assert available(system(tmp_path, proc__self__statm="900 10 5 1 0 1 0")) == 4_000_000 * KB + 10 * PAGE


def test_the_limit_of_a_container_counts_and_what_its_cache_holds_is_free(tmp_path):
    root = system(
        tmp_path,
        proc__meminfo=MEMINFO,
        proc__self__cgroup="0::/jobs/mine\n",
        sys__fs__cgroup__jobs__mine__memoryDOTmax="max\n",
        sys__fs__cgroup__jobs__mine__memoryDOTcurrent="5\n",
        sys__fs__cgroup__jobs__memoryDOTmax=f"{2 * GB}\n",
        sys__fs__cgroup__jobs__memoryDOTcurrent=f"{GB}\n",
        sys__fs__cgroup__jobs__memoryDOTstat=f"anon 7\ninactive_file {GB // 4}\n",
    )
    assert available(root) == GB + GB // 4


def test_version_1_of_control_groups(tmp_path):
    root = system(
        tmp_path,
        proc__meminfo=MEMINFO,
        proc__self__cgroup="11:cpu,memory:/docker/x\n3:pids:/docker/x\n",
        sys__fs__cgroup__memory__docker__x__memoryDOTlimit_in_bytes=f"{GB}\n",
        sys__fs__cgroup__memory__docker__x__memoryDOTusage_in_bytes=f"{3 * GB}\n",
        sys__fs__cgroup__memory__memoryDOTlimit_in_bytes="9223372036854771712\n",
        sys__fs__cgroup__memory__memoryDOTusage_in_bytes="1\n",
    )
    assert available(root) == 0


def test_where_nothing_is_told(tmp_path, monkeypatch):
    found = available(tmp_path)
    assert found is None or found > 0
    monkeypatch.delattr(os, "sysconf")
    assert available(tmp_path) is None
    monkeypatch.setattr(memory, "available", lambda: None)
    refuse_if_too_large(1000 * GB)


@pytest.mark.parametrize(
    ("text", "size"),
    [("8G", 8e9), ("500MB", 5e8), ("1.5GiB", 1.5 * 2**30), ("12", 12), ("2 tb", 2e12), ("ANY", inf)],
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "-1G", "8X", "G", "0", "none", "1e9", "8 G B"])
def test_what_is_no_size(text):
    with pytest.raises(ParameterError, match="memory must be a size such as 8G or 500M, or 'any', got"):
        parse_size(text)


def test_what_does_not_fit_is_refused_with_a_way_out():
    refuse_if_too_large(GB, GB)
    refuse_if_too_large(10**15, inf)
    with pytest.raises(
        ParameterError, match=r"about 9\.6 GB of memory, and 4\.0 GB are allowed; .* memory='any'"
    ):
        refuse_if_too_large(9_600_000_000, 4e9)
    with pytest.raises(ParameterError, match="use --quick, which needs about 900 MB, or a machine"):
        refuse_if_too_large(9 * GB, 4e9, instead=("--quick", 900 * 10**6))
    with pytest.raises(ParameterError, match="a part of the data"):
        refuse_if_too_large(9 * GB, 4e9, instead=("--quick", 5 * GB))


def test_the_estimate_grows_with_everything_and_attacks_are_bounded():
    plain = estimate(10**6, 10**5)
    assert estimate(2 * 10**6, 10**5) > plain < estimate(10**6, 2 * 10**5)
    assert estimate(10**6, 10**5, candidates=10**6) - plain == (60 + 190) * 10**6
    assert estimate(10**6, 10**5, candidates=10**12) == estimate(10**6, 10**5, candidates=10**11)
    assert estimate(10**6, 10**5, content=10**9) > plain
    assert written(plain).endswith(" MB")


MEASURE = """
import sys
import numpy as np
import cloven as cv
from cloven.kinds.disassociated.covers.covers import covers
from cloven.statistics.uniqueness import describe
from cloven.kinds.transactions import utility
from cloven.verification import verify
rng = np.random.default_rng(1)
data = cv.read(sys.argv[1])
describe(data, m=2, k=5, rng=rng)
made = cv.Disassociation(k=5, m=2).anonymise(data)
verify(made.release, original=data, key=made.key).raise_if_broken()
covers(made.release)
utility(data, made.release, rng=rng, reconstructions=2)
# Not getrusage: it starts from what the parent held when it forked.
status = open("/proc/self/status").read().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(len(data.codes), len(data), peak * 1024)
"""


def peak_of(path: Path) -> tuple[int, int, int]:
    done = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    occurrences, records, peak = map(int, done.stdout.split())
    return occurrences, records, peak


@pytest.mark.slow  # compiling for the first time would be measured too
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_estimate_is_still_right(tmp_path):
    """Two sizes: the difference tells the slope, whatever the libraries weigh."""
    from cloven.datasets import sparse

    found = []
    for name, count in (("small", 4_000), ("large", 80_000)):
        data = sparse(count, 3000, 5.0, 60)
        path = tmp_path / f"{name}.csv"
        path.write_text("".join(",".join(record) + "\n" for record in data), encoding="utf-8")
        if not found:
            peak_of(path)  # the very first run compiles, which takes more than the work
        found.append(peak_of(path))
    (some, few, low), (many, lots, high) = found
    for occurrences, records, peak in found:
        assert 0.6 * estimate(occurrences, records) < peak < 1.1 * estimate(occurrences, records), found
    slope = (high - low) / (estimate(many, lots) - estimate(some, few))
    assert 0.5 < slope < 1.3, found


FAULTS = """
import resource
import numpy as np
from cloven.intake.machine import keep_freed_memory

def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(25_000_000)  # 200 MB, of which the system hides how large its pages are
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

pages()
given = pages()
kept = keep_freed_memory()
pages()
print(int(kept), given, pages())
"""


def test_memory_that_was_freed_is_used_again():
    """In a process of its own: it cannot be undone."""
    pytest.importorskip("resource", reason="this system does not count pages")
    told = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    kept, given, again = map(int, told.stdout.split())
    if not kept:
        pytest.skip("another C library than glibc")
    assert again < given / 10


@pytest.mark.parametrize(
    ("many", "allowed", "kept"),
    [
        (5_000_000, 10 * GB, True),
        (5_000_000, 2 * GB, False),
        (5_000_000, None, False),
        (5_000_000, inf, False),
        (50_000, 10 * GB, False),
    ],
)
def test_memory_is_kept_where_there_is_plenty(monkeypatch, many, allowed, kept):
    from cloven.cli import places
    from cloven.reading.reader import ExpectedSize

    asked = []
    monkeypatch.setattr(places, "keep_freed_memory", lambda: asked.append(True))
    for module in (places, memory):
        monkeypatch.setattr(module, "available", lambda: 2 * GB)
    places.refuse_large(ExpectedSize(many, many // 5), allowed, places.Bounds())
    assert asked == [True] * kept
