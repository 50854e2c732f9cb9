"""One record per line: delimited text, FIMI (white space) and SPMF (``item -1 item -1 -2``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.io.readers.guessing import check_delimiter
from cloven.io.readers.raw import RawRecords, decode_names
from cloven.io.readers.text import TextPlaces, quote_faults
from cloven.io.readers.tokens import tokenise

if TYPE_CHECKING:
    from cloven.io.readers.options import ReadOptions


def refuse_columns(options: ReadOptions, format: str) -> None:  # noqa: A002
    """A file without columns cannot give one."""
    named = (options.column, options.id_column, options.person)
    if any(name is not None for name in named):
        message = (
            f"format {format!r} has no columns, so none can be named; use a CSV file with a header"
            " (id_column and item_column, or column), JSON Lines or Parquet"
        )
        raise ParameterError(message)


def read_lines(text: bytes, delimiter: str, source: str, options: ReadOptions) -> RawRecords:
    """Records of delimited lines, with RFC 4180 quotes; a space stands for any white space."""
    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    if not options.lenient:
        check_delimiter(text, delimiter, tokens.lengths, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults, quote_faults(tokens))


def read_fimi(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Records of items separated by white space; quotes have no meaning."""
    tokens = tokenise(text, " ", merge=True, quotes=False)
    if not options.lenient:
        check_delimiter(text, " ", tokens.lengths, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults)


def read_spmf(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Sequences of SPMF: ``-1`` ends an item set, ``-2`` the record; lines that start with #, % or @ are comments."""
    raw = read_fimi(text, source, replace(options, lenient=True))
    code_of = {name: code for code, name in enumerate(raw.names)}
    end = code_of.get("-2", -1)
    rows = np.repeat(np.arange(len(raw.lengths)), raw.lengths)
    last = np.cumsum(raw.lengths)[raw.lengths > 0] - 1
    comments = [code for code, name in enumerate(raw.names) if name[0] in "#%@"]
    firsts = last - raw.lengths[raw.lengths > 0] + 1
    comment = np.zeros(len(raw.lengths), bool)
    comment[rows[firsts[np.isin(raw.codes[firsts], comments)]]] = True
    ends = np.bincount(rows[raw.codes == end], minlength=len(raw.lengths))
    ended = np.zeros(len(raw.lengths), bool)
    ended[rows[last[raw.codes[last] == end]]] = True
    wrong = (raw.lengths > 0) & ~comment & ~(ended & (ends == 1))
    keep = ~comment[rows] & (raw.codes != end) & (raw.codes != code_of.get("-1", -1))
    lengths = np.bincount(rows[keep], minlength=len(raw.lengths)).astype(np.int64)
    reason = "an SPMF record must end with one -2"
    return RawRecords(
        lengths[~comment],
        raw.codes[keep],
        raw.names,
        _without(raw, comment),
        raw.item_faults,
        dict.fromkeys(np.flatnonzero(wrong[~comment]).tolist(), reason),
    )
