"""Writes records to a file, one in each line, in the form that its ending names; and reads it back to be sure.

``.jsonl`` holds lists in JSON and fits every item. ``.csv`` and ``.tsv`` have commas or tabs between items, and quotes
around whatever a reader could take for a delimiter. Readers guess a little where nothing else is told, so what was
written is read as any command would read it; if that is not the same data, nothing is left behind.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from cloven.errors import InputError, ParameterError
from cloven.io.atomic import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cloven.model.transactions import Transactions

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (".jsonl", *DELIMITERS)
_PLAIN = re.compile(r"\w(?:[\w' -]*\w)?")


def refuse_ending(out: Path) -> None:
    """Raise unless a file with this name can be written, and read without being told how."""
    if out.suffix.lower() not in ENDINGS:
        message = f"{out}: records are written to {', '.join(ENDINGS)}; give the name one of these endings"
        raise ParameterError(message)


def write_records(place: Path, data: Transactions, named: Path) -> None:
    """Write records to a new file that becomes ``named``, and raise if it is not read back as it was."""
    from cloven.io.readers import read

    delimiter = DELIMITERS.get(place.suffix.lower())
    write_bytes(place, "".join(f"{_line(sorted(record), delimiter)}\n" for record in data).encode())
    try:
        same = read(place) == data
    except InputError:
        same = False
    if not same:
        message = (
            f"{named}: as {place.suffix} these records would be taken for a table or for other items;"
            " name a file that ends in .jsonl"
        )
        raise ParameterError(message)


def _line(items: Iterable[str], delimiter: str | None) -> str:
    if delimiter is None:
        return json.dumps(list(items), ensure_ascii=False)
    return delimiter.join(_cell(item) for item in items)


def _cell(item: str) -> str:
    return item if _PLAIN.fullmatch(item) else '"' + item.replace('"', '""') + '"'
