"""Bytes of a file, plain or packed (gzip, zstd, zip with one member), never more than a limit."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


PACKED = (".gz", ".zst", ".zip")
BEGINNING = 1 << 20
"""Bytes that tell how much a file holds."""
# Small enough that one step of a zstd bomb stays below a few hundred megabytes.
_ZSTD_STEP = 4096
_STEP = 1 << 22
_DAMAGE = (zlib.error, zipfile.BadZipFile)


def open_bytes(path: Path, max_bytes: int) -> tuple[bytes, str]:
    """Content of a file, unpacked, and its extension without the packing (``.csv`` for ``shop.csv.gz``)."""
    packing, extension = _endings(path)
    try:
        if packing == ".gz":
            return _collect(_gzip_parts(path), path, max_bytes), extension
        if packing == ".zst":
            return _collect(_zstd_parts(path), path, max_bytes), extension
        if packing == ".zip":
            return _unzip(path, max_bytes)
        return path.read_bytes(), extension
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise _damaged(path, error) from error
        raise _unreadable(path, error) from error
    except (EOFError, *_DAMAGE) as error:
        raise _damaged(path, error) from error


def _endings(path: Path) -> tuple[str, str]:
    """How a file is packed, and the extension without that."""
    packing = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    return packing, Path(path.stem if packing else path.name).suffix.lower()


def open_beginning(path: Path, size: int) -> tuple[bytes, str, float]:
    """The first ``size`` bytes, unpacked; the extension without the packing; and about how many bytes there are.

    How much a packed file holds is told by how far its first bytes went, and by zip archives themselves.
    """
    packing, extension = _endings(path)
    try:
        if packing == ".zip":
            return _beginning_of_zip(path, size)
        with path.open("rb") as file:
            head = _unpacked(file, packing, size)
            used, total = file.tell(), path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error
    except (EOFError, ValueError, RuntimeError, *_DAMAGE) as error:  # also an encrypted zip
        raise _damaged(path, error) from error
    return head, extension, len(head) if len(head) < size else total * len(head) / max(1, used)


def _unpacked(file: IO[bytes], packing: str, size: int) -> bytes:
    if packing == ".gz":
        return gzip.GzipFile(fileobj=file).read(size)
    if packing != ".zst":
        return file.read(size)
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(
            file, read_across_frames=True, closefd=False
        ) as stream:
            return stream.read(size)
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error


def _beginning_of_zip(path: Path, size: int) -> tuple[bytes, str, float]:
    with zipfile.ZipFile(path) as archive:
        member = max(archive.infolist(), key=lambda each: each.file_size)
        with archive.open(member) as stream:
            return stream.read(size), Path(member.filename).suffix.lower(), member.file_size


def _collect(parts: Iterator[bytes], path: Path, max_bytes: int) -> bytes:
    kept: list[bytes] = []
    size = 0
    for part in parts:
        size += len(part)
        if size > max_bytes:
            message = f"unpacks to more than {max_bytes:,} bytes; raise max_bytes if that is right"
            raise InputError(message, source=str(path))
        kept.append(part)
    return b"".join(kept)


def _stream_parts(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while part := stream.read(_STEP):
        yield part


def _gzip_parts(path: Path) -> Iterator[bytes]:
    with gzip.open(path) as stream:
        yield from _stream_parts(stream)


def _zstd_parts(path: Path) -> Iterator[bytes]:
    import zstandard

    packed = memoryview(path.read_bytes())
    frame = zstandard.ZstdDecompressor().decompressobj()
    at, fed = 0, False
    while at < len(packed):
        step = packed[at : at + _ZSTD_STEP]
        at += len(step)
        try:
            yield frame.decompress(step)
        except zstandard.ZstdError as error:
            raise _damaged(path, error) from error
        fed = True
        if frame.eof:  # frames may follow each other in one file
            at -= len(frame.unused_data)
            frame, fed = zstandard.ZstdDecompressor().decompressobj(), False
    if fed or not packed:
        message = "compressed file ended before its end"
        raise EOFError(message)


def _unzip(path: Path, max_bytes: int) -> tuple[bytes, str]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1:
            message = "a zip archive must hold exactly one file; unpack it and name the file"
            raise InputError(message, source=str(path), value=f"{len(members)} files")
        if members[0].flag_bits & 1:
            message = "the zip archive is encrypted; unpack it first"
            raise InputError(message, source=str(path))
        try:
            with archive.open(members[0]) as stream:
                content = _collect(_stream_parts(stream), path, max_bytes)
        except NotImplementedError as error:
            raise _damaged(path, error) from error
    return content, Path(members[0].filename).suffix.lower()


def _damaged(path: Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return InputError(f"cannot be unpacked, it may be cut short: {reason}", source=str(path))


def _unreadable(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("no such file; check the path", source=str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is a folder; name one file", source=str(path))
    return InputError(f"cannot be read: {error.strerror or error}", source=str(path))


# The beginning of a text, cut after a whole line: enough to tell what the rest is like.


SAMPLE_BYTES = 1 << 18
_ROWS = 1000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Head:
    """The first lines of a text.

    Attributes:
        content: their bytes, without a byte order mark.
        whole: whether nothing was cut off.
    """

    content: bytes
    whole: bool

    @property
    def text(self) -> str:
        """The bytes decoded; what is no UTF-8 is replaced."""
        return self.content.decode(errors="replace")

    @property
    def lines(self) -> list[str]:
        """The first lines that are not blank."""
        return [line for line in self.text.split("\n") if line.strip()][:_ROWS]

    def rows(self, delimiter: str) -> list[list[str]]:
        r"""Cells of the first rows that are not blank, quotes taken off.

        >>> Head(b'id,item\n1,"a,b"\n', whole=True).rows(",")
        [['id', 'item'], ['1', 'a,b']]
        """
        if delimiter == " ":
            return [line.split() for line in self.lines]
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter, skipinitialspace=True)
        try:
            rows = list(islice((row for row in reader if any(cell.strip() for cell in row)), _ROWS))
        except csv.Error:  # a cell without end, or a lone carriage return
            rows = [line.split(delimiter) for line in self.lines]
        return [[cell.strip() for cell in row] for row in rows]


def head_of(content: bytes, size: int = SAMPLE_BYTES) -> Head:
    """The first lines of a text, of at most ``size`` bytes unless the first line is longer."""
    start = content[: size + len(_BOM)].removeprefix(_BOM)
    if len(content) <= size:
        return Head(start, whole=True)
    cut = start[: start.rfind(b"\n") + 1]
    if cut:
        return Head(cut, whole=False)
    end = content.find(b"\n") + 1 or len(content)
    return Head(content[:end].removeprefix(_BOM), whole=end == len(content))


# Files that no reader takes, told by their first bytes: what they are, and what to do with them.


_SHEET = "save the sheet as CSV (UTF-8) and read that"
_EXPORT = "export the table as CSV, JSON Lines or Parquet and read that"
_ENDING = "give the file the ending {}"
_UNPACK = "unpack it first, or pack it with gzip or zstd"
# Bytes at the very beginning -> what it is, and what to do.
_MAGIC = {
    b"\x1f\x8b": (".gz data", _ENDING.format(".gz")),
    b"\x28\xb5\x2f\xfd": (".zst data", _ENDING.format(".zst")),
    b"\xfd7zXZ\0": ("xz data", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", _UNPACK),
    b"Rar!\x1a\x07": ("a RAR archive", _UNPACK),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel or Word file", _SHEET),
    b"SQLite format 3\0": ("an SQLite database", _EXPORT),
    b"ARROW1\0\0": ("an Arrow (Feather) file", "save it as Parquet"),
    b"Obj\x01": ("an Avro file", _EXPORT),
    b"\x89HDF\r\n": ("an HDF5 file", _EXPORT),
    b"\x93NUMPY": ("a NumPy array", _EXPORT),
    b"\x80\x04\x95": ("a Python pickle", _EXPORT),
    b"\x80\x05\x95": ("a Python pickle", _EXPORT),
    b"RDX3\n": ("R data", _EXPORT),
    b"RDX2\n": ("R data", _EXPORT),
    b"$FL2@(#)": ("an SPSS file", _EXPORT),
    b"%PDF-": ("a PDF file", "take the data from where the PDF was made"),
    b"\x89PNG\r\n": ("a picture", "it holds no records"),
    b"\xff\xd8\xff": ("a picture", "it holds no records"),
    b"{\\rtf": ("an RTF document", "save it as plain text (UTF-8)"),
}
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
_MARKUP = re.compile(rb"\s*<(\?xml|!doctype html|html|svg)\b", re.IGNORECASE)
# A folder or file inside a zip archive that says which program made it.
_INSIDE_ZIP = {
    "xl/": ("an Excel workbook", _SHEET),
    "word/": ("a Word document", "save it as plain text (UTF-8)"),
    "ppt/": ("a PowerPoint file", "it holds no records"),
    "mimetype": ("an OpenDocument file", _SHEET),
}
_HEAD = 4096


def foreign(content: bytes) -> tuple[str, str] | None:
    r"""What a file is that no reader takes as it is, and what to do; None if the bytes tell of nothing foreign.

    >>> foreign(b"SQLite format 3\0...")
    ('an SQLite database', 'export the table as CSV, JSON Lines or Parquet and read that')
    """
    if content.startswith(b"PK\x03\x04"):
        return _inside_zip(content)
    for magic, told in _MAGIC.items():
        if content.startswith(magic):
            return told
    if _BZIP2.match(content):
        return "bzip2 data", _UNPACK
    return None


def many_zeros(content: bytes) -> tuple[str, str]:
    """What a file with NUL bytes is, and what to do."""
    encoding = wide_encoding(content)
    return ("a binary file", _EXPORT) if encoding is None else (f"{encoding} text", "save it as UTF-8")


def markup(content: bytes) -> tuple[str, str] | None:
    """The same for HTML and XML, which are text, but not of records."""
    return ("HTML or XML", _EXPORT) if _MARKUP.match(content) else None


def wide_encoding(content: bytes) -> str | None:
    r"""UTF-16 or UTF-32, if a byte order mark or the NULs between letters show it.

    >>> wide_encoding("flu,fever\n".encode("utf-16-le"))
    'UTF-16'
    """
    if content.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    head = content[:_HEAD]
    halves = sorted(head[at::2].count(0) / max(1, len(head) // 2) for at in (0, 1))
    return "UTF-16" if halves[0] == 0 and halves[1] > 0.7 else None


def _inside_zip(content: bytes) -> tuple[str, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        names = []
    for start, told in _INSIDE_ZIP.items():
        if any(name.startswith(start) for name in names):
            return told
    return ".zip data", _ENDING.format(".zip")
