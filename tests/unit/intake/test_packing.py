"""What comes out of a packing counts before it is held, damage is one line, and nothing inside an archive is a path."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from cloven.errors import InputError
from cloven.intake.packing import Budget, arrays_in, beginning, entries, whole

PLAIN = b"flu,fever\n" * 1000


def packed(name: str, plain: bytes = PLAIN) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(plain)
    if name.endswith(".zst"):
        return zstandard.compress(plain)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.csv", plain)
    return sink.getvalue()


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.zip"])
def test_whole_beginning_and_limit(name, tmp_path):
    (tmp_path / name).write_bytes(packed(name))
    assert whole(tmp_path / name, len(PLAIN)) == (PLAIN, ".csv")
    head, ending, size = beginning(tmp_path / name, 100)
    assert (head, ending) == (PLAIN[:100], ".csv")
    assert size >= 100
    with pytest.raises(InputError, match="holds more than 9,999 bytes once unpacked; raise max_bytes"):
        whole(tmp_path / name, len(PLAIN) - 1)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.zip"])
def test_cut_short_anywhere_is_one_line(name, tmp_path):
    content = packed(name)
    for end in range(len(content)):
        (tmp_path / name).write_bytes(content[:end])
        with pytest.raises(InputError, match=r"^[^\n]*cannot be unpacked[^\n]*$"):
            whole(tmp_path / name, 10**6)


def test_frames_of_zstd_follow_each_other(tmp_path):
    (tmp_path / "a.csv.zst").write_bytes(zstandard.compress(b"one\n") + zstandard.compress(b"two\n"))
    assert whole(tmp_path / "a.csv.zst", 100)[0] == b"one\ntwo\n"


def test_a_zip_of_several_files_or_packed_by_lzma(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", b"x")
        archive.writestr("b.csv", b"y")
    with pytest.raises(InputError, match=r"exactly one file.*\(got '2 files'\)"):
        whole(tmp_path / "a.zip", 100)
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.csv", b"x" * 1000)
    with pytest.raises(InputError, match="packed in a way that is not read"):
        whole(tmp_path / "b.zip", 10_000)


def tar_of(path: Path, members: dict[str, bytes], mode: str = "w") -> None:
    with tarfile.open(path, mode) as archive:
        for name, inside in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(inside)
            archive.addfile(info, io.BytesIO(inside))


def test_entries_of_a_tar_pass_over_links_and_hidden_files(tmp_path):
    tar_of(tmp_path / "a.tgz", {"b/one.txt": b"1", ".hidden": b"2", "../two.txt": b"3"}, "w:gz")
    found = list(entries(tmp_path / "a.tgz", Budget("a.tgz", 10**6)))
    assert [(entry.name, entry.content) for entry in found] == [("b/one.txt", b"1"), ("../two.txt", b"3")]


def test_all_members_count_against_one_budget(tmp_path):
    tar_of(tmp_path / "a.tgz", {f"{n}.txt": b"x" * 1000 for n in range(100)}, "w:gz")
    with pytest.raises(InputError, match="holds more than 50,000 bytes"):
        list(entries(tmp_path / "a.tgz", Budget("a.tgz", 50_000)))
    for n in range(100):
        (tmp_path / f"{n}.txt").write_bytes(b"x" * 1000)
    (tmp_path / "a.tgz").unlink()
    with pytest.raises(InputError, match="holds more than 50,000 bytes"):
        list(entries(tmp_path, Budget("folder", 50_000)))


def sparse_tar(path: Path, size: int) -> None:
    """A tar of one file that is nothing but a hole (GNU format 1.0 in a PAX header)."""
    info = tarfile.TarInfo("GNUSparseFile.0/a.txt")
    info.pax_headers = {
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a.txt", "GNU.sparse.realsize": str(size),
    }  # fmt: skip
    stored = f"1\n{size}\n0\n".encode().ljust(512, b"\0")
    info.size = len(stored)
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(stored))


BOMB = """
import resource, sys, time
from pathlib import Path
from cloven.errors import InputError
from cloven.intake.packing import Budget, entries
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
try:
    for entry in entries(Path(sys.argv[1]), Budget("it", 100_000_000)):
        pass
except InputError:
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(round(grown), round(time.process_time() - began, 2))
"""


@pytest.mark.parametrize("kind", ["sparse.tar", "zeros.csv.zst", "zeros.csv.gz", "zeros.zip", "nested.tgz"])
def test_bombs_are_refused_in_little_memory(kind, tmp_path):
    place = tmp_path / kind
    size = 3 << 30
    if kind == "sparse.tar":
        sparse_tar(place, size)
    elif kind.endswith(".zst"):
        packer = zstandard.ZstdCompressor(level=1).compressobj()
        place.write_bytes(b"".join(packer.compress(bytes(1 << 22)) for _ in range(300)) + packer.flush())
    elif kind.endswith(".gz"):
        place.write_bytes(gzip.compress(bytes(1 << 26), 1) * 20)
    elif kind.endswith(".zip"):
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for n in range(4):
                archive.writestr(f"{n}.csv", bytes(1 << 26))
    else:
        tar_of(place, {"a.txt": bytes(1 << 27)}, "w:gz")
    ended = subprocess.run(
        [sys.executable, "-c", BOMB, str(place)], capture_output=True, text=True, check=True
    )
    grown, seconds = map(float, ended.stdout.split())
    assert grown < 500
    assert seconds < 20  # of processor time, ten times what is usual: a busy machine must not fail this


def test_arrays_of_a_damaged_archive(tmp_path):
    import numpy as np

    np.savez(tmp_path / "a.npz", one=np.arange(3), two=np.ones((2, 2)))
    assert sorted(arrays_in(tmp_path / "a.npz")) == ["one", "two"]
    content = (tmp_path / "a.npz").read_bytes()
    for at in range(0, len(content), 7):
        (tmp_path / "b.npz").write_bytes(content[:at] + b"\xff" + content[at + 1 :])
        try:
            arrays_in(tmp_path / "b.npz")
        except (ValueError, OSError):
            continue
