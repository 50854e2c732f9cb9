"""Small files that unpack to gigabytes.

Each is opened by a command of its own, with nothing set, and must be refused within the processor time and memory
below: with code 3, or 2 where memory is estimated before anything is read, and 1 by ``verify``.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reliability.campaign import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reliability.campaign import Asked

SECONDS, MEBIBYTES = 2.0, 500
LARGE = 2 << 30
_STEP = bytes(1 << 24)


def zeros(size: int = LARGE) -> Iterator[bytes]:
    """So many zeros, in pieces."""
    yield from (_STEP for _ in range(size // len(_STEP)))


def gzipped(path: Path) -> None:
    """Zeros in gzip."""
    with gzip.open(path, "wb", 6) as packed:
        packed.writelines(zeros())


def zstandard(path: Path) -> None:
    """Zeros in zstd."""
    import zstandard as library

    with path.open("wb") as raw, library.ZstdCompressor().stream_writer(raw) as packed:
        for piece in zeros():
            packed.write(piece)


def zipped(path: Path, way: int = zipfile.ZIP_DEFLATED) -> None:
    """Zeros in a zip."""
    with zipfile.ZipFile(path, "w", way) as archive, archive.open("a.csv", "w", force_zip64=True) as packed:
        for piece in zeros():
            packed.write(piece)


def zipped_by_lzma(path: Path) -> None:
    """The same, packed in a way that takes much memory to unpack."""
    zipped(path, zipfile.ZIP_LZMA)


def sparse(path: Path) -> None:
    """A tar entry that says it holds gigabytes, and stores none of them (GNU sparse format 1.0)."""
    told = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a.txt"}
    info = tarfile.TarInfo("GNUSparseFile.0/a.txt")
    info.pax_headers = {**told, "GNU.sparse.realsize": str(LARGE)}
    body = b"1\n%d\n0\n" % LARGE
    info.size = 512
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(body.ljust(512, b"\0")))


def tarred(path: Path) -> None:
    """A tar in gzip whose one member is long."""
    info = tarfile.TarInfo("a.txt")
    info.size = LARGE
    with gzip.open(path, "wb", 6) as packed:
        packed.write(info.tobuf())
        packed.writelines(zeros())


def _arrow() -> tuple[Any, Any]:
    """Pyarrow and its Parquet, loaded by makers alone: what this process holds would count for its children."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pa, pq


def _repeated(pa: Any) -> Any:
    """Twenty thousand references to one text of a megabyte."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["x" * 1_000_000]))


def repeated_text(path: Path) -> None:
    """Parquet whose lists of items refer to one text again and again."""
    pa, pq = _arrow()
    items = _repeated(pa).cast(pa.dictionary(pa.int32(), pa.string()))
    lists = pa.ListArray.from_arrays(pa.array(range(20_001), pa.int32()), items)
    pq.write_table(pa.table({"items": lists}), path, compression="zstd", store_schema=False)


def dotted(path: Path) -> None:
    """The same text again and again, in columns whose names have dots."""
    pa, pq = _arrow()
    table = pa.Table.from_arrays([pa.array(range(20_000)), _repeated(pa)], ["a.b", "i.t"])
    pq.write_table(table, path, compression="zstd", store_schema=False)


def _equal_rows(path: Path, names: tuple[str, ...], times: int) -> None:
    """Parquet with ten million rows of zeros, so many times."""
    pa, pq = _arrow()
    zero = pa.array(memoryview(bytes(80_000_000)).cast("q"), pa.int64())
    piece = pa.table(dict.fromkeys(names, zero))
    with pq.ParquetWriter(path, piece.schema, compression="zstd", store_schema=False) as writer:
        for _ in range(times):
            writer.write_table(piece, row_group_size=len(piece))


def repeated_rows(path: Path) -> None:
    """Parquet with hundreds of millions of equal rows."""
    _equal_rows(path, ("id", "item"), 30)


def release_of_rows(path: Path) -> None:
    """A release whose clusters are said to be a hundred million."""
    import cloven as cv

    data = cv.Transactions.from_records([["flu", "fever"], ["flu"], ["fever"]] * 4)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), path, original=data)
    _equal_rows(path / "clusters.parquet", ("cluster", "size", "joint"), 10)


def front_coded(path: Path) -> None:
    """Parquet whose values begin with the megabyte before them, and say so in a byte."""
    pa, pq = _arrow()
    texts = ["x" * 1_000_000 + str(number) for number in range(1000)]
    table = pa.table({"id": list(range(len(texts))), "item": texts})
    pq.write_table(
        table, path, use_dictionary=False, column_encoding={"item": "DELTA_BYTE_ARRAY"}, compression="zstd"
    )


def wide(path: Path) -> None:
    """Parquet with very many columns."""
    pa, pq = _arrow()
    names = [f"c{number}" for number in range(20_000)]
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * len(names), names), path)


def with_holes(path: Path) -> None:
    """A file of gigabytes that a disk stores in nothing."""
    with path.open("wb") as handle:
        handle.truncate(LARGE)


def arrays(path: Path) -> None:
    """Vectors of a corpus that unpack to gigabytes."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % (LARGE // 4)
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("vectors.npy", "w", force_zip64=True) as member,
    ):
        member.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117) + b"\n")
        for piece in zeros():
            member.write(piece)


def long_name(path: Path) -> None:
    """A schema with a name of twenty thousand parts."""
    path.write_text("a" + ".a" * 20_000 + " = 1\n", encoding="utf-8")


def twice(path: Path) -> None:
    """A manifest of very many keys, one of which stands twice."""
    path.mkdir()
    keys = ", ".join(f'"key {number}": 1' for number in range(150_000))
    (path / "manifest.json").write_text(f'{{{keys}, "key 149999": 2}}\n', encoding="utf-8")


BOMBS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "zeros.csv.gz": (gzipped, ("describe",)),
    "zeros.csv.zst": (zstandard, ("describe",)),
    "zeros.zip": (zipped, ("describe",)),
    "lzma.zip": (zipped_by_lzma, ("describe",)),
    "sparse.tar": (sparse, ("text", "-o", "out.jsonl")),
    "long.tgz": (tarred, ("text", "-o", "out.jsonl")),
    "text.parquet": (repeated_text, ("describe",)),
    "rows.parquet": (repeated_rows, ("describe", "--id-column", "id", "--item-column", "item")),
    "front.parquet": (front_coded, ("describe", "--id-column", "id", "--item-column", "item")),
    "dots.parquet": (dotted, ("describe", "--id-column", "a.b", "--item-column", "i.t")),
    "wide.parquet": (wide, ("describe",)),
    "holes.csv": (with_holes, ("describe",)),
    "release": (release_of_rows, ("verify",)),
    "twice": (twice, ("verify",)),
    "arrays.npz": (arrays, ("relatedness", "show", "corpus:arrays.npz", "flu", "fever")),
    "schema.toml": (long_name, ("describe", "people.csv", "--schema", "schema.toml")),
}


def bombs(_asked: Asked) -> int:
    """Make every bomb, open it, and print one table."""
    bad = 0
    rows: list[tuple[object, ...]] = [("bomb", "bytes", "code", "seconds", "MiB")]
    with tempfile.TemporaryDirectory() as place:
        Path(place, "people.csv").write_text("age,illness\n31,flu\n", encoding="utf-8")
        for name, (make, (command, *options)) in BOMBS.items():
            path = Path(place, name)
            _apart(make, path)
            words = [command, *options] if name in " ".join(options) else [command, name, *options]
            code, seconds, memory, said = opened(words, Path(place))
            wanted = (1,) if command == "verify" else (2, 3)
            if code not in wanted or seconds > SECONDS or memory > MEBIBYTES:
                bad += 1
                sys.stderr.write(f"found: {name}: {said}\n")
            size = sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
            rows.append((name, size, code, f"{seconds:.2f}", round(memory)))
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    sys.stdout.write(table(rows))
    sys.stdout.write(f"{len(BOMBS)} bombs, {bad} not refused within {SECONDS:.0f} s and {MEBIBYTES} MiB\n")
    return 1 if bad else 0


def _apart(make: Callable[[Path], None], path: Path) -> None:
    """In a process of its own: what this one holds would count as the peak of its children."""
    maker = get_context("spawn").Process(target=make, args=(path,))
    maker.start()
    maker.join()


def opened(words: list[str], place: Path) -> tuple[int, float, float, str]:
    """Exit code, processor seconds, peak memory in MiB, and what a command says of a file."""
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "cloven.cli", *words], cwd=place, stdout=subprocess.DEVNULL, stderr=told
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        said = told.read().decode().strip()
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said
