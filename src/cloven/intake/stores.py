"""Data that is no plain file of text: standard input, a sheet of a workbook, a table of a database.

Each gives comma-separated text, within the budget of all other files. Workbooks and databases are read, never run: no
formula, view, trigger or extension. ``people.xlsx#2024`` and ``clinic.db#visits`` name one of several sheets or tables.
Nothing is fetched: an address is refused.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cloven.errors import InputError
from cloven.escapes import names
from cloven.intake.files import open_plain, room

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cloven.intake.packing import Budget

STANDARD_INPUT = "-"
WORKBOOKS, SQLITE, DUCKDB = (".xlsx", ".xlsm"), (".sqlite", ".sqlite3", ".db"), (".duckdb", ".ddb")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_STEP = 1 << 16


def refuse_address(path: Path) -> None:
    """Refuse what names something on the network."""
    if _ADDRESS.match(str(path)) and not path.exists():
        message = "is an address, and Cloven fetches nothing; download it first, and name the file"
        raise InputError(message, source=str(path).replace(":/", "://", 1))


def is_store(path: Path) -> bool:
    """Whether something else than bytes of a plain file is named."""
    return str(path) == STANDARD_INPUT or _parted(path)[0].suffix.lower() in (*WORKBOOKS, *SQLITE, *DUCKDB)


def as_text(path: Path, budget: Budget) -> bytes:
    """What is stored there as comma-separated text; of standard input the bytes themselves.

    Raises:
        InputError: it cannot be read, has no such sheet or table, or holds more than the budget.
        OSError: it is no plain file.
    """
    if str(path) == STANDARD_INPUT:
        return _standard_input(budget)
    file, part = _parted(path)
    with open_plain(file) as handle:  # no pipe, no device; and it is there
        stored = os.fstat(handle.fileno()).st_size
    budget.used = lambda: stored
    suffix = file.suffix.lower()
    if suffix in WORKBOOKS:
        return _of_workbook(file, part, budget)
    return _of_sqlite(file, part, budget) if suffix in SQLITE else _of_duckdb(file, part, budget)


def _parted(path: Path) -> tuple[Path, str | None]:
    """The file, and the sheet or table behind ``#``; a file that is called so is meant itself."""
    text = str(path)
    signs = [place for place, letter in enumerate(text) if letter == "#" and Path(text[:place]).suffix]
    if not signs or path.exists():
        return path, None
    # A sheet may be called `People #1`, and a file too: the longest name that is there is meant.
    there = [place for place in signs if Path(text[:place]).is_file()]
    place = there[-1] if there else signs[0]
    return Path(text[:place]), text[place + 1 :]


def _standard_input(budget: Budget) -> bytes:
    source = getattr(sys.stdin, "buffer", None)
    if source is None or sys.stdin.isatty():
        message = "nothing comes in; send a file to it: cat data.csv | cloven describe -"
        raise InputError(message, source="standard input")
    found, most = bytearray(), min(budget.limit, room())
    while block := source.read(_STEP):
        found += block
        if len(found) > most:
            message = f"holds more than {most:,} bytes; write it to a file, or raise max_bytes"
            raise InputError(message, source="standard input")
    return bytes(found)


def _of_workbook(file: Path, part: str | None, budget: Budget) -> bytes:
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        message = 'is an Excel workbook; type pip install "cloven[excel]", or save it as CSV'
        raise InputError(message, source=str(file)) from error
    try:
        with open_plain(file) as handle:
            with zipfile.ZipFile(handle) as archive:
                for member in archive.infolist():
                    budget.spend(member.file_size)
            book = load_workbook(handle, read_only=True, data_only=True, keep_links=False)
            with closing(book):
                sheet = book[_chosen(book.sheetnames, part, "sheet", str(file))]
                return _csv(sheet.iter_rows(values_only=True), str(file), budget)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, TypeError, SyntaxError) as error:
        raise _broken(file, "an Excel workbook", error) from error


def _of_sqlite(file: Path, part: str | None, budget: Budget) -> bytes:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro&immutable=1", uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            base.text_factory = bytes.decode  # bytes that are no text are refused
            found = base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
            plain = [
                name
                for name, made in found.fetchall()
                if not name.startswith("sqlite_") and not str(made).upper().startswith("CREATE VIRTUAL")
            ]
            chosen = _chosen(plain, part, "table", str(file))
            return _of_query(base, chosen, str(file), budget)
    except (sqlite3.Error, UnicodeDecodeError, ValueError) as error:
        raise _broken(file, "a SQLite database", error) from error


def _of_duckdb(file: Path, part: str | None, budget: Budget) -> bytes:
    try:
        import duckdb
    except ImportError as error:
        message = "is a DuckDB database; type pip install duckdb, or write the table to a Parquet file"
        raise InputError(message, source=str(file)) from error
    closed: Any = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    try:
        with closing(duckdb.connect(str(file), read_only=True, config=closed)) as base:
            listed = (
                "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY 1"
            )
            chosen = _chosen([name for (name,) in base.execute(listed).fetchall()], part, "table", str(file))
            return _of_query(base, chosen, str(file), budget)
    except duckdb.Error as error:
        raise _broken(file, "a DuckDB database", error) from error


def _of_query(base: Any, table: str, source: str, budget: Budget) -> bytes:
    """A whole table of a database; its name is quoted, so that it is nothing but a name."""
    named = table.replace('"', '""')
    rows = base.execute(f'SELECT * FROM "{named}"')  # noqa: S608 - a quoted name that the database told
    header = [column[0] for column in rows.description]
    return _csv([header], source, budget, _batches(rows))


def _batches(rows: Any) -> Iterator[Sequence[Any]]:
    while batch := rows.fetchmany(1000):
        yield from batch


def _chosen(there: Sequence[str], part: str | None, what: str, source: str) -> str:
    """The sheet or table that is meant; the only one, if nobody says."""
    if part is not None and part in there:
        return part
    if part is not None:
        message = f"has no {what} of that name; it has {names(there[:20]) or 'none'}"
        raise InputError(message, source=source, value=part)
    if len(there) != 1:
        hint = f"name one, such as {Path(source).name}#{there[0]}" if there else "there is nothing to read"
        message = f"has {len(there)} {what}s ({names(there[:20])}); {hint}"
        raise InputError(message, source=source)
    return there[0]


def _csv(
    header: Iterable[Sequence[Any]], source: str, budget: Budget, rows: Iterable[Sequence[Any]] = ()
) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    told = 0
    for many in (header, rows):
        for row in many:
            if any(cell is not None for cell in row):
                writer.writerow([_cell(cell, source) for cell in row])
                budget.spend(text.tell() - told)
                told = text.tell()
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell(value: Any, source: str) -> str:
    """A value as text; days without their midnight, and whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray | list | dict | tuple):
        message = f"holds {type(value).__name__}, not one value per cell; leave that column out"
        raise InputError(message, source=source)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        return str(int(value))
    return str(value)


def _broken(file: Path, what: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return InputError(f"cannot be read as {what}: {reason}", source=str(file))
