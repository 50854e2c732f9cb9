"""What a file is like, told by its first bytes: its beginning, and kinds of files that no reader takes."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from itertools import islice

BEGINNING = 1 << 20
"""Bytes that tell how much a file holds."""


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
_TAR_AT = 257
_DOCUMENTS = (
    "if it holds documents, cloven text FILE -o WORDS.jsonl makes sets of words of it; else unpack it first"
)
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
    if content[_TAR_AT:].startswith(b"ustar"):
        return "a tar archive", _DOCUMENTS
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
