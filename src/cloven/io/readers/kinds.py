"""Files that no reader takes, told by their first bytes: what they are, and what to do with them."""

from __future__ import annotations

import io
import re
import zipfile

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
