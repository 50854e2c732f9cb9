"""What a file is expected to hold, told from its first megabyte."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from cloven.reading import ReadOptions, read
from cloven.reading.files import BEGINNING
from cloven.reading.reader import expected_size

RNG = random.Random(3)
NAMES = [f"item number {number}" for number in range(200)]
RECORDS = [sorted(RNG.sample(NAMES, RNG.randint(1, 8))) for _ in range(60_000)]


def lines(records: list[list[str]]) -> bytes:
    return "".join(",".join(record) + "\n" for record in records).encode()


def long_table(records: list[list[str]]) -> bytes:
    rows = [f"{number},{item}\n" for number, record in enumerate(records) for item in record]
    return ("id,item\n" + "".join(rows)).encode()


def zipped(folder: Path) -> Path:
    path = folder / "data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.csv", lines(RECORDS))
    return path


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


LONG = {"id_column": "id", "item_column": "item"}
FILES = [
    ("data.csv", lambda: lines(RECORDS), {}),
    ("data.csv.gz", lambda: gzip.compress(lines(RECORDS)), {}),
    ("data.csv.zst", lambda: zstandard.compress(lines(RECORDS)), {}),
    ("data.long.csv", lambda: long_table(RECORDS), LONG),
    ("data.jsonl", lambda: b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS), {}),
    (
        "data.json",
        lambda: json.dumps([{"x": 1, "y": record} for record in RECORDS]).encode(),
        {"column": "y"},
    ),
    ("small.csv", lambda: lines(RECORDS[:100]), {}),
]


def check(path: Path, options: dict[str, str], content: int) -> None:
    size = expected_size(path, ReadOptions(**options))
    data = read(path, **options)
    assert size.occurrences == pytest.approx(len(data.codes), rel=0.1)
    assert size.records == pytest.approx(len(data), rel=0.1)
    assert size.content == pytest.approx(content, rel=0.55)


@pytest.mark.parametrize(("name", "make", "options"), FILES, ids=[name for name, *_ in FILES])
def test_formats_and_packings(tmp_path, name, make, options):
    content = make()
    plain = {".gz": gzip.decompress, ".zst": zstandard.decompress}.get(Path(name).suffix, bytes)(content)
    assert name.startswith("small") or len(plain) > 2 * BEGINNING
    check(written(tmp_path, name, content), options, 2 * len(plain))


def test_zip_and_parquet(tmp_path):
    check(zipped(tmp_path), {}, 2 * len(lines(RECORDS)))
    pq.write_table(pa.table({"items": RECORDS}), tmp_path / "data.parquet")
    size = expected_size(tmp_path / "data.parquet", ReadOptions())
    assert (size.occurrences, size.records) == (sum(map(len, RECORDS)), len(RECORDS))


def test_a_long_line_at_the_end_of_the_beginning(tmp_path):
    path = written(tmp_path, "data.csv", lines([NAMES * 900]))
    assert path.stat().st_size > BEGINNING
    assert expected_size(path, ReadOptions(max_record_length=10**6)).records >= 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"\0\0"),
        ("a.csv", b""),
        ("a.csv.gz", b"no gzip"),
        ("a.csv.zst", b"no zstd"),
        ("a.zip", b"no zip"),
        ("a.zip", b"PK\x05\x06" + bytes(18)),  # an archive of nothing
        ("a.parquet", b"PAR1"),
    ],
)
def test_what_cannot_be_read_is_not_estimated(tmp_path, name, content):
    assert expected_size(written(tmp_path, name, content), ReadOptions()) is None
    assert expected_size(tmp_path / "absent.csv", ReadOptions()) is None
