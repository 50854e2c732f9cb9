"""Guess the delimiter of a text from its first lines, and notice a wrong one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from cloven.reading.files import markup
from cloven.reading.unplaced import Suggestion, UnplacedError, delimiter_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SAMPLE_BYTES = 1 << 18
_SAMPLE_LINES = 1000
# White space comes last: names of items hold spaces far more often than the others.
CANDIDATES = ("\t", "|", ";", ",")
QUOTED = re.compile(r'"(?:[^"]|"")*"')
_INTEGERS = re.compile(r"\s*\d+(?: +\d+)+\s*")


def first_lines(text: bytes) -> list[str]:
    """The first lines that are not blank, with quoted items taken out (they may hold any delimiter)."""
    head = text[:_SAMPLE_BYTES]
    if len(head) < len(text):
        head = head[: head.rfind(b"\n") + 1] or head
    lines = QUOTED.sub("q", head.decode(errors="replace")).split("\n")
    return [line for line in lines if line.strip()][:_SAMPLE_LINES]


def guess_delimiter(text: bytes, *, spaces: bool) -> str:
    r"""The delimiter that most of the first lines hold; a comma if there is none.

    ``spaces`` allows white space to separate items that are not numbers, when no other delimiter occurs.

    >>> guess_delimiter(b"whole milk;butter, salted\nrye bread;jam\n", spaces=True)
    ';'
    """
    lines = first_lines(text)
    shares = _shares(lines)
    best = max(CANDIDATES, key=shares.__getitem__)
    if shares[best] > 0:
        return best
    if shares[" "] > 0 or (spaces and any(" " in line.strip() for line in lines)):
        return " "
    return ","


def looks_like_spmf(text: bytes) -> bool:
    """Whether every one of the first lines ends with the ``-2`` of an SPMF sequence."""
    lines = [line for line in first_lines(text) if line[0] not in "#%@"]
    return bool(lines) and all(line.split()[-1] == "-2" for line in lines)


def check_delimiter(text: bytes, delimiter: str, lengths: NDArray[np.int64], source: str) -> None:
    """Raise if nearly all lines give one item while another delimiter stands in most of them."""
    filled = lengths[lengths > 0]
    if not len(filled) or np.count_nonzero(filled == 1) <= 0.95 * len(filled):
        return
    lines = first_lines(text)
    shares = _shares(lines)
    other = max((c for c in (*CANDIDATES, " ") if c != delimiter), key=shares.__getitem__)
    if shares[other] > 0.5:
        line = next(number for number, line in enumerate(text.split(b"\n"), 1) if other.encode() in line)
        shown = text.split(b"\n", line)[line - 1].decode(errors="backslashreplace").rstrip("\r")
        message = f"delimiter {delimiter!r} gives one item per line, while {other!r} stands in most lines"
        meant = _meant(delimiter, "if there is one item in each line")
        raise UnplacedError(message, source=source, line=line, value=shown, meant=meant)


def refuse_table(
    lengths: NDArray[np.int64], codes: NDArray[np.int64], names: Sequence[str], delimiter: str, source: str
) -> None:
    """Raise if lines look like a table with a header: read as records, its ids and its header would become items.

    Nearly all lines are as wide as the first, and the cells of the first stand in no other line.
    """
    rows = lengths[lengths > 0]
    if len(rows) < 5 or rows[0] < 2 or np.count_nonzero(rows == rows[0]) < 0.99 * len(rows):
        return
    header = codes[: rows[0]]
    if np.isin(codes[rows[0] :], header).any():
        return
    cells = ", ".join(names[code] for code in header.tolist())
    message = "looks like a table with a header, not like one record per line"
    meant = _meant(delimiter, "if the first line is a record too")
    raise UnplacedError(message, source=source, line=1, value=cells, meant=meant)


def refuse_words_between_others(text: bytes, source: str) -> None:
    """Raise if FIMI holds no numbers, and another delimiter in most lines: that would stick to the items."""
    lines = first_lines(text)
    shares = _shares(lines)
    other = max(CANDIDATES, key=shares.__getitem__)
    if shares[other] > 0.5 > shares[" "]:
        message = f"FIMI has numbers between spaces, but {other!r} stands in most lines"
        raise UnplacedError(message, source=source, value=lines[0])


def refuse_other_formats(text: bytes, source: str) -> None:
    """Raise if a text that would be read as plain records is JSON, SPMF or HTML: their marks would become items."""
    from cloven.reading.files import head_of
    from cloven.reading.guess import json_suggestions

    found = "JSON" if json_suggestions(head_of(text)) else "SPMF" if looks_like_spmf(text) else None
    if markup(text) is not None:
        found = "HTML or XML"
    if found is not None:
        shown = text.lstrip().split(b"\n", 1)[0].decode(errors="backslashreplace").rstrip("\r")
        message = f"looks like {found}, not like plain records"
        raise UnplacedError(message, source=source, value=shown)


def _meant(delimiter: str, reason: str) -> Suggestion:
    return Suggestion({"format": "lines", "delimiter": delimiter_word(delimiter)}, reason, 0.0)


def _shares(lines: list[str]) -> dict[str, float]:
    """Share of lines that hold each delimiter; white space counts only between integers."""
    total = max(1, len(lines))
    shares = {c: sum(c in line.strip() for line in lines) / total for c in CANDIDATES}
    shares[" "] = sum(_INTEGERS.fullmatch(line) is not None for line in lines) / total
    return shares
