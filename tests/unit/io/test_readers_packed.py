"""Compressed files: gzip, zstd and zip; limits and damage."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import TYPE_CHECKING

import pytest
import zstandard

from cloven.errors import InputError
from cloven.reading import read

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"flu,fever\nflu\n" * 500


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return out.getvalue()


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


PACKED = {"a.csv.gz": gzip.compress(TEXT), "a.csv.zst": zstd(TEXT), "a.zip": zipped("inside.csv")}


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_read_like_plain_ones(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    data = read(tmp_path / name)
    assert (len(data), data.vocabulary) == (1000, ("fever", "flu"))


def test_parts_packed_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "a.csv.zst").write_bytes(zstd(TEXT) + zstd(TEXT))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(TEXT) + gzip.compress(TEXT))
    assert len(read(tmp_path / "a.csv.zst")) == len(read(tmp_path / "a.csv.gz")) == 2000


@pytest.mark.parametrize("name", PACKED)
def test_the_limit_on_unpacked_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name])
    assert len(read(path, max_bytes=len(TEXT))) == 1000
    with pytest.raises(InputError, match="holds more than 6,999 bytes once unpacked") as caught:
        read(path, max_bytes=len(TEXT) - 1)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_file_cut_short_is_refused(tmp_path: Path, name: str, cut: int) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name][:-cut])
    with pytest.raises(InputError, match="cannot be unpacked") as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("content", [b"", b"flu,fever\n" * 9])
def test_a_file_that_is_not_packed_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError):
        read(tmp_path / name)


def test_a_zip_with_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped("a.csv", "b.csv"))
    with pytest.raises(InputError, match=r"exactly one file.*2 files"):
        read(tmp_path / "a.zip")
