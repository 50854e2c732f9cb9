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


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("content", [b"", b"flu,fever\n" * 9])
def test_a_file_that_is_not_packed_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError):
        read(tmp_path / name)
